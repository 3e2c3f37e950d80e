"""Findings: what a lint says of a file, so that an author finds the place at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from fcbench.core.names import Pointer
from fcbench.core.records import Record

Severity = Literal["error", "warning"]


class Finding(Record, frozen=True, kw_only=True):
    """One thing that a quality gate says of a contract, a case or a suite (PROTOCOL 8)."""

    rule: str
    """Machine name of the gate, such as `pattern-anchored`."""
    message: str
    """One English sentence: what is wrong and what is wanted."""
    file: str
    line: int = 1
    """From 1."""
    field: Pointer = Pointer("")
    """JSON Pointer into the file's value, or into the contract where the file holds one contract."""
    severity: Severity = "error"
    """Only errors fail a check; a warning asks an author to look."""

    def __str__(self) -> str:
        """`file:line: message (rule, field)`, as compilers write it."""
        return f"{self.file}:{self.line}: {self.message} ({self.rule}{', ' + self.field if self.field else ''})"


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order of files, lines and rules, equal ones once."""
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda found: (found.file, found.line, found.field, found.rule, found.message)))


def errors_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Only those that fail a check."""
    return tuple(found for found in findings if found.severity == "error")
