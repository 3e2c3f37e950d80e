"""Rows of the authored tables: one call and what it must answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fcbench.core.names import JsonObject


@dataclass(frozen=True, kw_only=True)
class Row:
    """One call on a fresh session.

    Exactly one of `answers` and `error` is set.
    """

    id: str
    """Unique in its table: a few words."""
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    answers: Mapping[str, object] | None = None
    """A part of the result: keys that are not named are free; a list is compared item by item and in length."""
    error: str | None = None
    """The error's code."""
    fixture: str = "ecoli-d10483"
    before: tuple[tuple[str, JsonObject], ...] = ()
    """Calls that come first and must succeed."""
    tolerance: float = 0.0
    """Allowed distance of numbers: only for primers, HMM scores and melting temperatures (GENOMICS)."""


def differences(found: object, wanted: object, tolerance: float, path: str = "") -> list[str]:
    """Where a result is not what a row wants."""
    if isinstance(wanted, Mapping):
        if not isinstance(found, dict):
            return [f"{path}: no object but {found!r}"]
        missing = [f"{path}/{key}: missing" for key in wanted if key not in found]
        return missing + [
            line
            for key, value in wanted.items()
            if key in found
            for line in differences(found[key], value, tolerance, f"{path}/{key}")
        ]
    if isinstance(wanted, list | tuple):
        if not isinstance(found, list) or len(found) != len(wanted):
            return [f"{path}: wanted {wanted!r}, found {found!r}"]
        return [
            line
            for index, value in enumerate(wanted)
            for line in differences(found[index], value, tolerance, f"{path}/{index}")
        ]
    if isinstance(wanted, float) and isinstance(found, int | float) and abs(found - wanted) <= tolerance:
        return []
    return [] if type(found) is type(wanted) and found == wanted else [f"{path}: wanted {wanted!r}, found {found!r}"]
