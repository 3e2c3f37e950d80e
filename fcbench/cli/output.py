"""The only printer: results on stdout, everything else on stderr, and a JSON mode.

Text that comes from a model or a file may hold terminal escapes; what is printed passes `plain` first.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence

from fcbench.core.visible import is_harmless, visible
from fcbench.errors import FcbenchError

JsonLike = object
_SUSPECT = re.compile("[\x7f-\U0010ffff]")
"""What `json.dumps` leaves as it is, and may be more than a letter."""


def plain(text: str) -> str:
    """Text without terminal escapes: control and format characters but newline and tab become visible."""
    return visible(text)


def safe_json(data: JsonLike) -> str:
    """JSON whose control and format characters are escaped: a terminal obeys them in JSON as well."""
    return _SUSPECT.sub(_escaped, json.dumps(data, ensure_ascii=False, indent=2))


def safe_line(data: JsonLike) -> str:
    """JSON on one line that no terminal obeys, for streams of records."""
    return _SUSPECT.sub(_escaped, json.dumps(data, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    if is_harmless(found[0]):
        return found[0]
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


class Output:
    """Prints for people, or for programs where `as_json` is set."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    def result(self, text: str, data: JsonLike) -> None:
        """A command's result: the text for people, the data for programs."""
        print(safe_json(data) if self.as_json else plain(text))  # noqa: T201

    def ask(self, prompt: str) -> None:
        """A prompt on stderr, without a line break."""
        print(plain(prompt), end="", file=sys.stderr, flush=True)  # noqa: T201

    def note(self, text: str) -> None:
        """Progress and advice, on stderr."""
        print(plain(text), file=sys.stderr, flush=True)  # noqa: T201

    def error(self, error: FcbenchError) -> None:
        """An error, on stderr; in JSON mode as one object."""
        if self.as_json:
            parts = {name: getattr(error, name) for name in ("message", "wanted", "found", "where", "next_step")}
            told = {"error": {**{name: part for name, part in parts.items() if part}, "exit_code": error.exit_code}}
            print(json.dumps(told, ensure_ascii=False), file=sys.stderr)  # noqa: T201
        else:
            print(plain(f"error: {error}"), file=sys.stderr)  # noqa: T201


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table: columns padded, numbers are the caller's business."""
    lines = [list(header), *[[plain(cell) for cell in row] for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
