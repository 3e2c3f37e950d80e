"""Results are capped, so that no answer floods a conversation (GENOMICS, rules)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.features import Feature

MAX_ITEMS = 50
"""Entries of a list that are shown; its `count` counts all of them."""
MAX_LETTERS = 2000
"""Letters of a sequence that are shown; its `length` counts all of them."""
_STRANGE = re.compile(r"[^A-Za-z0-9_.'()-]")
T = TypeVar("T")


def first_items(items: Sequence[T], limit: int | None = None) -> Sequence[T]:
    """The entries that are shown: at most 50, or fewer where the call asks for fewer."""
    return items[: min(MAX_ITEMS, MAX_ITEMS if limit is None else limit)]


def letters_result(letters: str) -> JsonObject:
    """`sequence`, `length` and `truncated` of letters; more than 2,000 are cut."""
    return {"sequence": letters[:MAX_LETTERS], "length": len(letters), "truncated": len(letters) > MAX_LETTERS}


def short_text(text: str, limit: int) -> str:
    """Free text of a record on one line, cut at a limit with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def shown_symbol(symbol: str) -> str:
    """A gene symbol as result schemas take it: at most 40 characters, a strange one shown as an underscore."""
    return _STRANGE.sub("_", symbol)[:40]


def feature_item(feature: Feature) -> JsonObject:
    """A feature as lists of features show it."""
    return {
        "feature_type": feature.kind[:30],
        "gene": shown_symbol(feature.gene),
        "start": feature.start,
        "end": feature.end,
        "strand": feature.strand,
        "product": short_text(feature.product, 300),
    }


def feature_list(features: Iterable[Feature], limit: int | None = None) -> JsonObject:
    """`count` and the first 50 `features`."""
    found = list(features)
    return {"count": len(found), "features": [feature_item(each) for each in first_items(found, limit)]}


def listing(name: str, items: Sequence[JsonValue], limit: int | None = None) -> JsonObject:
    """`count` and the first 50 entries under a name."""
    return {"count": len(items), name: list(first_items(items, limit))}
