"""Text from a model, made safe to look at.

Escaping against markup is the template engine's work (`environment`). This module handles what escaping leaves: letters
that are invisible, that reorder the line, or that no encoding can write, and texts that are too long for a page.
"""

from __future__ import annotations

import json
import re

from fcbench.core.names import JsonValue
from fcbench.core.records import Record

MAX_FIELD = 12_000
"""Letters of one field that a page shows."""
MAX_INLINE = 300
"""Letters of a value inside a sentence or a table cell."""

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: "\u2421"}
_SPELLED = re.compile(
    "[\u0080-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Shown(Record, frozen=True, kw_only=True):
    """A text cut to what a page holds."""

    text: str
    hidden: int = 0
    """Letters that were left out."""


def visible(text: str) -> str:
    """The text with control characters as symbols and invisible or reordering characters spelled out.

    Tab and line feed stay. Lone surrogates, which no encoding can write, become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").translate(_PICTURES)
    text = _SURROGATE.sub("\ufffd", text)
    return _SPELLED.sub(lambda found: f"\u27e6U+{ord(found.group()):04X}\u27e7", text)


def cut(text: str, limit: int = MAX_FIELD) -> Shown:
    """The first letters of a text and how many were left out."""
    return Shown(text=text[:limit], hidden=max(0, len(text) - limit))


def short(value: JsonValue, limit: int = MAX_INLINE) -> str:
    """A JSON value on one line, cut with an ellipsis."""
    text = one_line(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def excerpt(text: str, limit: int = 160) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def clip(text: str, limit: int = 120) -> str:
    """A text cut with an ellipsis, for names that a model or a package chose."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def one_line(value: JsonValue) -> str:
    """A JSON value as compact JSON; letters beyond ASCII stay readable."""
    return json.dumps(value, ensure_ascii=False, default=str)


def pretty(value: JsonValue) -> str:
    """A JSON value as indented JSON for a block of its own."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 case`, `2 cases`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def seconds(value: float) -> str:
    """A duration for people: milliseconds below one second, else seconds."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s" if value < 100 else f"{value:,.0f} s"


def size(count: int) -> str:
    """A size of a file for people."""
    return f"{count} B" if count < 1000 else f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1e6:.1f} MB"


def moment(text: str) -> str:
    """A UTC time stamp with a blank instead of `T`, so that it can wrap."""
    return text.replace("T", " ", 1)
