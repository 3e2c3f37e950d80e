"""Hashes over planned cases: parts of the board key (PROTOCOL 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcbench.core.canonical import digest
from fcbench.core.cases import Case
from fcbench.core.names import Digest
from fcbench.core.records import to_plain


def task_hash(cases: Iterable[Case]) -> Digest:
    """SHA-256 over the tasks, sorted by id: what models were asked."""
    return digest([to_plain(case.task) for case in _sorted(cases)])


def oracle_hash(cases: Iterable[Case]) -> Digest:
    """SHA-256 over the oracles, sorted by case id: what counts as right."""
    return digest([[case.id, to_plain(case.oracle)] for case in _sorted(cases)])


def fixture_hash(files: Mapping[str, Digest]) -> Digest:
    """SHA-256 over the digests of the fixture files that the planned tasks start from, by name."""
    return digest(dict(files))


def _sorted(cases: Iterable[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: case.id)
