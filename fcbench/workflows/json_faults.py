"""Where a text is not strict JSON: line and column of the first thing that `core.canonical.parse_json` refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from fcbench.core.canonical import MAX_DEPTH, MAX_NUMBER_LENGTH, parse_json
from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.errors import JsonError

_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*+")(\s*:)?|-?Infinity|NaN|-?[0-9][0-9.eE+-]*+|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_POSITION = re.compile(r"(?: starting)?(?: at)? at line [0-9]+, column [0-9]+$")


class JsonFault(Record, frozen=True, kw_only=True):
    """Why a text is not one strict JSON value, and where in it."""

    reason: str
    line: int
    """From 1, within the text."""
    column: int
    """From 1, in characters."""


def parse_or_explain(raw: bytes) -> tuple[JsonValue, JsonFault | None]:
    """The value of a JSON text, or None and what is wrong with it."""
    try:
        return parse_json(raw), None
    except JsonError as error:
        reason = _POSITION.sub("", error.found or error.message)
    except RecursionError:  # pragma: no cover - the depth is bounded before
        reason = "the nesting is too deep"
    place = _place(raw)
    before = raw.decode("utf-8", "replace")[:place]
    start = before.rfind("\n") + 1
    return None, JsonFault(reason=reason, line=before.count("\n") + 1, column=len(before) - start + 1)


def _place(raw: bytes) -> int:
    """The position in characters, in the order in which the parser looks: encoding, depth, then the text itself."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(raw[: error.start].decode("utf-8"))
    if text.startswith("\ufeff"):
        return 0
    deep = _too_deep(text)
    if deep is not None:
        return deep
    strict = next(_refused(text), len(text))
    try:
        json.loads(text, parse_constant=_skip, parse_int=_skip, parse_float=_skip)
    except json.JSONDecodeError as error:
        return min(strict, error.pos)
    except RecursionError:  # pragma: no cover - the depth is bounded before
        return 0
    return strict


def _skip(literal: str) -> None:
    """Numbers are looked at elsewhere."""


def _too_deep(text: str) -> int | None:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += 1 if token[0] in "[{" else -1 if token[0] in "]}" else 0
        if depth > MAX_DEPTH:
            return token.start()
    return None


def _refused(text: str) -> Iterator[int]:
    """What RFC 8259 allows or Python reads, and we refuse; a key that stands twice counts where its object ends.

    Lone surrogates come last: the parser looks for them when all else is well.
    """
    seen: list[set[str]] = []
    twice: list[int | None] = []
    surrogates: list[int] = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "[{":
            seen.append(set())
            twice.append(None)
        elif word in "]}":
            second = twice.pop() if twice else None
            if seen:
                seen.pop()
            if second is not None:
                yield second
        elif token[1]:
            key = _decoded(token[1])
            if not surrogates and _SURROGATE.search(key):
                surrogates.append(token.start())
            if seen and token[2]:
                if key in seen[-1] and twice[-1] is None:
                    twice[-1] = token.start()
                seen[-1].add(key)
        elif _is_no_number(word):
            yield token.start()
    yield from surrogates


def _decoded(literal: str) -> str:
    try:
        text: str = json.loads(literal, strict=False)
    except json.JSONDecodeError:
        return literal
    return text


def _is_no_number(word: str) -> bool:
    if word[-1] in "Ny" or len(word) > MAX_NUMBER_LENGTH:
        return True
    try:
        return abs(float(word)) == float("inf")
    except ValueError:
        return False
