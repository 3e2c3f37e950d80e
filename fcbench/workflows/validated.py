"""What a check of JSON found, as text and as data."""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.evaluator.wording import one_line, quoted

_MAX_WIDTH = 60
"""Letters of a column beyond which the next one is pushed aside instead."""


class NamedViolation(Record, frozen=True, kw_only=True):
    """One thing that is wrong with a document."""

    kind: str
    """Fault kind (PROTOCOL 5)."""
    message: str
    """One plain English sentence."""
    pointer: str = ""
    """JSON Pointer into the document, or into the arguments of a call."""
    keyword: str | None = None
    """JSON Schema keyword; None where no schema came into it."""
    expected: JsonValue = None
    """The words that an enum or a constant allows."""
    found: JsonValue = None
    depth: int | None = None
    """For a missing key: level of its object, the root being 1."""
    line: int | None = None
    """For malformed JSON, in the file; for a call's argument text, in that text."""
    column: int | None = None

    def cells(self) -> tuple[str, str, str, str]:
        """Place, keyword, kind and message, each on one line."""
        place = self.pointer or "(root)"
        if self.line is not None:
            place = f"line {self.line}, column {self.column}"
        said = self.message.removeprefix(f"At {self.pointer[:200] or 'the root'}: ")
        if self.kind == "enum_word_not_translated" and isinstance(self.expected, list):
            said += f" Allowed: {', '.join(map(quoted, self.expected))}."
        return one_line(place), self.keyword or "-", self.kind, one_line(said)

    def data(self) -> JsonObject:
        """As plain JSON: `expected`, `depth`, `line` and `column` only where there are such."""
        known: JsonObject = {"pointer": self.pointer, "keyword": self.keyword, "kind": self.kind}
        known["message"] = self.message
        if self.kind != "missing_required_key":
            known["found"] = self.found
        optional = {"expected": self.expected, "depth": self.depth, "line": self.line, "column": self.column}
        return {**known, **{name: part for name, part in optional.items() if part is not None}}


class Checked(Record, frozen=True, kw_only=True):
    """One document and all its violations."""

    document: str
    """`file:line`, with the column where it is not the first of its line."""
    tool: str | None = None
    """Name of the contract or schema; None where the document did not come so far."""
    violations: tuple[NamedViolation, ...] = ()
    is_cut: bool = False
    """Whether there may be more violations than are listed."""

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations

    def text(self) -> str:
        """One block: `valid`, or the numbered violations in columns."""
        name = one_line(self.document)
        if self.valid:
            return f"{name}  valid"
        title = f"{name}  {counted(len(self.violations), 'violation')}{' or more' if self.is_cut else ''}"
        rows = [(str(place), *one.cells()) for place, one in enumerate(self.violations, start=1)]
        return "\n".join([title, *_aligned(rows)])

    def data(self) -> JsonObject:
        """As plain JSON."""
        listed = [violation.data() for violation in self.violations]
        base: JsonObject = {"document": self.document, "tool": self.tool, "valid": self.valid, "violations": listed}
        return {**base, "truncated": True} if self.is_cut else base


class Tally:
    """Counts documents as they come."""

    def __init__(self) -> None:
        self.valid = 0
        self.invalid = 0
        self.violations = 0

    def add(self, checked: Checked) -> None:
        """Count one document."""
        self.valid += checked.valid
        self.invalid += not checked.valid
        self.violations += len(checked.violations)

    @property
    def exit_code(self) -> int:
        """0 where all are valid, 1 where one is not, 2 where there was none."""
        return 1 if self.invalid else 0 if self.valid else 2

    def text(self) -> str:
        """One line."""
        total = self.valid + self.invalid
        if not total:
            return "no document"
        found = f", {counted(self.violations, 'violation')}" if self.invalid else ""
        return f"{counted(total, 'document')}: {self.valid} valid, {self.invalid} invalid{found}"


def counted(number: int, what: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    columns = range(len(rows[0]) - 1)
    widths = [max((len(row[each]) for row in rows if len(row[each]) <= _MAX_WIDTH), default=0) for each in columns]
    return [
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]


def difficulty_line(measured: JsonObject) -> str:
    """Name, level, depth and every count that is not zero, on one line."""
    counts = [f"{name} {value}" for name, value in measured.items() if name not in ("name", "level") and value]
    return f"{measured['name']}: level {measured['level']}, {', '.join(counts)}"
