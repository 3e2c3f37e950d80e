"""Numeric tracks of bedGraph and WIG files (UCSC formats), for a genome that is open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import SignalTrack
from fcbench.workbench.records import SequenceRecord

MAX_VALUES = 200_000
"""Values of one file."""
MAX_SIZE = 1e12
"""Greatest distance of a value from 0."""
Stretch = tuple[str, int, int, float]
"""Sequence, first and last base counted from 1, value."""


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A line that begins a block of a WIG file."""

    fixed: bool
    name: str
    start: int
    step: int
    span: int


def read_signal(text: str, records: Sequence[SequenceRecord], *, path: str) -> SignalTrack:
    """The values of a file, in its order.

    Raises:
        ToolError: `parse_error` with the line; `unknown_sequence` or `bad_range` where a value lies outside the genome.
    """
    names = {record.id: record for record in records}
    found: list[Stretch] = []
    for where, stretch in _stretches(text, path):
        name, start, end, _ = stretch
        record = names.get(name) or next((each for each in records if each.answers_to(name)), None)
        if record is None:
            raise ToolError("unknown_sequence", f"{where} names {name[:40]!r}; the open genome has {records[0].id}")
        if not 1 <= start <= end <= record.length:
            raise ToolError(
                "bad_range", f"{where}: {start} to {end} does not lie in 1 to {record.length} of {record.id}"
            )
        found.append((record.id, *stretch[1:]))
        if len(found) > MAX_VALUES:
            raise ToolError("parse_error", f"{path} holds more than {MAX_VALUES:,} values")
    if not found:
        raise ToolError("parse_error", f"{path} holds no value in bedGraph or WIG format")
    return SignalTrack(path=path, values=tuple(found))


def _stretches(text: str, path: str) -> Iterator[tuple[str, Stretch]]:
    block: _Declaration | None = None
    at = 0
    for number, line in enumerate(text.splitlines(), start=1):
        where, words = f"{path}, line {number}", line.split()
        if not words or line.startswith(("#", "track", "browser")):
            continue
        if words[0] in ("fixedStep", "variableStep"):
            block = _declaration(words, where)
            at = block.start
        elif block is None:
            yield where, _bedgraph(words, where)
        elif block.fixed:
            yield where, (block.name, at, at + block.span - 1, _value(words, 1, where))
            at += block.step
        else:
            value, start = _value(words, 2, where), _whole(words[0], where)
            yield where, (block.name, start, start + block.span - 1, value)


def _bedgraph(words: list[str], where: str) -> Stretch:
    value = _value(words, 4, where)
    return words[0], _whole(words[1], where) + 1, _whole(words[2], where), value


def _declaration(words: list[str], where: str) -> _Declaration:
    given = dict(word.partition("=")[::2] for word in words[1:])
    fixed = words[0] == "fixedStep"
    if "chrom" not in given or (fixed and "start" not in given):
        raise ToolError("parse_error", f"{where}: {words[0]} names chrom" + (" and start" if fixed else ""))
    start, step, span = (_whole(given.get(name, "1"), where) for name in ("start", "step", "span"))
    return _Declaration(fixed=fixed, name=given["chrom"], start=start, step=step, span=span)


def _whole(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ToolError("parse_error", f"{where}: a place is a whole number; found {text[:20]!r}")
    return int(text)


def _value(words: list[str], columns: int, where: str) -> float:
    """The last of so many columns."""
    try:
        value = float(words[columns - 1]) if len(words) == columns else math.nan
    except ValueError:
        value = math.nan
    if not abs(value) <= MAX_SIZE:
        said = f"a line has {columns} columns here, the last one a number of at most {MAX_SIZE:g}"
        raise ToolError("parse_error", f"{where}: {said}")
    return value
