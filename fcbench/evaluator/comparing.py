"""Comparators on two plain values (PROTOCOL 3): one function for each that is not structure."""

from __future__ import annotations

import math
import posixpath
import re
import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Final

from fcbench.core.canonical import json_equal
from fcbench.core.names import JsonValue

_MAX_REGEX_TEXT: Final = 10_000


def is_casefold(body: JsonValue, found: JsonValue) -> bool:
    """The same text but for case."""
    return isinstance(body, str) and isinstance(found, str) and _folded(body) == _folded(found)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def is_match(body: JsonValue, found: JsonValue) -> bool:
    """A text that fits the whole pattern."""
    if not isinstance(body, dict) or not isinstance(found, str) or len(found) > _MAX_REGEX_TEXT:
        return False
    return re.fullmatch(str(body["pattern"]), found) is not None


def is_near(body: JsonValue, found: JsonValue) -> bool:
    """A number within the declared distance."""
    if not isinstance(body, dict) or isinstance(found, bool) or not isinstance(found, int | float):
        return False
    try:
        wanted = body["value"]
        value = float(str(wanted))
        limit = max(float(str(body.get("absolute", 0))), float(str(body.get("relative", 0))) * abs(value))
        if isinstance(found, int) and isinstance(wanted, int):
            # As whole numbers: above 2^53 a double takes neighbours for the same.
            distance = float(abs(found - wanted))
        else:
            distance = abs(float(found) - value)
    except OverflowError:
        return False
    # 10.3 lies within 0.3 of 10.0, though doubles say 0.3000000000000007.
    return distance <= limit or math.isclose(distance, limit, rel_tol=1e-9)


def is_same_path(body: JsonValue, found: JsonValue) -> bool:
    """The same path after normalisation."""
    return isinstance(body, str) and isinstance(found, str) and _normal_path(body) == _normal_path(found)


def _normal_path(text: str) -> str:
    if not text:
        # No path at all; `normpath` would say that it is the folder itself.
        return ""
    normal = posixpath.normpath(unicodedata.normalize("NFC", text))
    # POSIX keeps exactly two leading slashes apart; no tool here does.
    return "/" + normal.lstrip("/") if normal.startswith("/") else normal


def is_same_dna(body: JsonValue, found: JsonValue) -> bool:
    """The same sequence but for case, white space and U/T."""
    return isinstance(body, str) and isinstance(found, str) and _sequence(body) == _sequence(found)


def _sequence(text: str) -> str:
    return "".join(text.split()).upper().replace("U", "T")


def is_same_date(body: JsonValue, found: JsonValue) -> bool:
    """The same calendar date (ISO 8601)."""
    if not isinstance(body, str) or not isinstance(found, str):
        return False
    try:
        return date.fromisoformat(body) == date.fromisoformat(found)
    except ValueError:
        return False


TESTS: Final[dict[str, Callable[[JsonValue, JsonValue], bool]]] = {
    "exact": json_equal,
    "casefold": is_casefold,
    "regex": is_match,
    "any": lambda body, found: True,
    "tolerance": is_near,
    "path": is_same_path,
    "dna": is_same_dna,
    "date": is_same_date,
    # A reference that nobody resolved matches nothing; `resolved` replaces all of them before a comparison.
    "from": lambda body, found: False,
}
"""Comparator -> whether an observed value is right."""
