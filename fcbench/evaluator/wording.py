"""How values of a model are shown inside a verdict: cut, quoted, never markup."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from fcbench.core.canonical import pointer
from fcbench.core.names import JsonValue, Pointer

MAX_TEXT: Final = 200
"""Letters of one text that a fault keeps; the evidence holds the whole."""
MAX_ITEMS: Final = 20
"""Items of a list, or keys of an object, that a fault keeps."""
_MAX_DEPTH: Final = 5
_MAX_QUOTE: Final = 90
# msgspec writes integers of 64 bits at most; a model may send one of 400 digits.
_MAX_INTEGER: Final = 2**63 - 1
_MAX_DOUBLE: Final = 10**300
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode


def bounded(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value, cut so that hostile evidence cannot blow up a verdict."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[:MAX_TEXT] + "…"
    if isinstance(value, int):
        if -_MAX_INTEGER <= value <= _MAX_INTEGER:
            return value
        return f"{value:.3e}" if abs(value) < _MAX_DOUBLE else "a huge number"
    if isinstance(value, list):
        return "[…]" if depth >= _MAX_DEPTH else [bounded(item, depth + 1) for item in value[:MAX_ITEMS]]
    if isinstance(value, dict):
        if depth >= _MAX_DEPTH:
            return "{…}"
        # By name, where some are cut: which ones are kept must not depend on the order of a model's keys.
        keys = list(value) if len(value) <= MAX_ITEMS else sorted(value)[:MAX_ITEMS]
        return {key[:MAX_TEXT]: bounded(value[key], depth + 1) for key in keys}
    return value


def one_line(text: str) -> str:
    """A text without line breaks and control characters, cut at 600 letters: names and keys come from models."""
    cut = text[:600]
    return cut if cut.isprintable() else "".join(letter if letter.isprintable() else " " for letter in cut)


def quoted(value: JsonValue) -> str:
    """The value as JSON on one line, at most about 90 letters."""
    if isinstance(value, str) and len(value) < _MAX_QUOTE - 2 and value.isprintable():
        # What `json.dumps` would give, without its cost: nearly every value that is shown is such a text.
        if '"' not in value and "\\" not in value:
            return f'"{value}"'
    elif isinstance(value, int) and not isinstance(value, bool) and -_MAX_INTEGER <= value <= _MAX_INTEGER:
        return str(value)
    text = _ENCODE(bounded(value))
    return text if len(text) <= _MAX_QUOTE else text[: _MAX_QUOTE - 1] + "…"


def place_of(path: Sequence[str | int]) -> Pointer:
    """The JSON Pointer of a path; most paths are one plain key."""
    place = ""
    for part in path:
        if isinstance(part, int):
            place += f"/{part}"
        elif "/" in part or "~" in part:
            return pointer(*path)
        else:
            place += "/" + part
    return Pointer(place)


def listed(names: list[str]) -> str:
    """Names in one phrase: `a`, `a and b`, `a, b and c`; long lists are cut."""
    if len(names) == 1:
        return one_line(names[0][:MAX_TEXT])
    shown = [one_line(name[:MAX_TEXT]) for name in names[:5]]
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown)} more")
    return " and ".join(([", ".join(shown[:-1])] if len(shown) > 1 else []) + shown[-1:])
