"""Tables as Markdown (GitHub's tables), in which no name of a model or a case is more than text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fcbench.core.visible import markdown_cell


def heading(level: int, text: str) -> str:
    """A heading."""
    return f"{'#' * level} {markdown_cell(text)}"


def bullets(lines: Iterable[str]) -> Iterator[str]:
    """One item a line."""
    return (f"- {markdown_cell(line)}" for line in lines)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, one line a row."""
    yield _line(header)
    yield "|" + "---|" * len(header)
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown_cell, cells)) + " |"
