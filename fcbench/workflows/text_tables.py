"""Tables for a terminal: columns under their heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The header, a rule and every row, each column as wide as its widest cell, indented by two blanks."""
    widths = [max(len(line[place]) for line in [header, *rows]) for place in range(len(header))]
    for line in [header, ["-" * width for width in widths], *rows]:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def percent(value: object) -> str:
    """A share in percent with one digit; a hyphen where there is none."""
    return f"{100 * value:.1f} %" if isinstance(value, float | int) else "-"
