"""From text to terms: words, light stems, clauses. Nothing here knows a tool or a case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+(?:[0-9]+[^\W_]*)?|[0-9]+(?:[^\W\d_]+[^\W_]*)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_CLAUSE = re.compile(
    r"[.!?;:](?=\s|$)|\n+|,\s+(?=[a-z]+\s)"
    r"|,?\s+\b(?:and then|and also|then|after that|afterwards|and|next|finally|daarna|vervolgens|en)\b\s",
    re.IGNORECASE,
)
_MIN_CLAUSE_TERMS = 2
_WHOLE = 2
"""Clauses whose one pair is the whole text."""

_FUNCTION_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but
by can could did do does doing down during each few for from further had has have having he her here hers him
his how i if in into is it its itself just let like me more most my need no nor not of off on once only or
other our out over own please same she should so some such than that the their them then there these they this
those through to too under until up us very want was we were what when which while who whom why will
with would you your aan al als bij dat de den der deze die dit door een en er had heb heeft het hij hoe hun ik
in is ja je kan me met mijn naar niet nog nu of om omdat ook op over te tot u uit van voor wat we wel
werd wie wij wil worden ze zij zijn zo zou
one two three first second both thing things way ways kind sort here there
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Function words of English and Dutch: they tell no tool from another."""

_SAME: tuple[tuple[str, ...], ...] = (
    ("delete", "remove", "erase", "drop"),
    ("add", "create", "make", "insert"),
    ("show", "display", "view"),
    ("find", "search", "locate", "look"),
    ("list", "enumerate"),
    ("get", "fetch", "retrieve", "return", "give"),
    ("compare", "align", "similarity"),
    ("compute", "calculate", "determine"),
    ("change", "edit", "modify", "alter", "replace"),
    ("save", "store", "write", "export"),
    ("open", "load"),
    ("undo", "revert"),
    ("start", "begin"),
    ("move", "go", "jump", "navigate"),
    ("mark", "highlight"),
    ("count", "number"),
    ("where", "location", "position", "place", "coordinate"),
    ("percent", "percentage", "fraction", "share"),
)
"""Everyday English words that mean about the same in a request to a program; none is of one domain."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem: inflections and -ion fall away, so that `translates` meets `translation`.

    It is no dictionary: it may join unlike words and part like ones; ranking only needs most of them right.
    """
    word = word.lower()
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _without_plural(word)
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = _undoubled(word[: -len(ending)])
            break
    for ending, kept in (("ation", "at"), ("tion", "t"), ("sion", "s"), ("ment", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + kept
            break
    if word.endswith("y") and len(word) > 3:
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _undoubled(word: str) -> str:
    is_double = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if is_double else word


def words(text: str) -> tuple[str, ...]:
    """The words of a text in their order, bare numbers left out; `get_gene` and `getGene` fall into their words."""
    return tuple(_WORD.findall(_CAMEL.sub(" ", text.replace("_", " "))))


def terms(text: str) -> tuple[str, ...]:
    """Stems of the words of a text in their order, function words, single letters and bare numbers left out."""
    return tuple(stem(word) for word in words(text) if word.lower() not in STOP_WORDS and len(word) > 1)


@lru_cache(maxsize=1)
def synonyms() -> dict[str, frozenset[str]]:
    """Stem -> stems that mean about the same."""
    found: dict[str, frozenset[str]] = {}
    for group in _SAME:
        stems = frozenset(map(stem, group))
        for one in stems:
            found[one] = found.get(one, frozenset()) | (stems - {one})
    return found


def clauses(text: str) -> tuple[str, ...]:
    """The clauses of an instruction: sentences, and parts that `and`, `then` or a comma join.

    A part with fewer than two terms belongs to the one before it. One clause only is the whole text.
    """
    parts: list[str] = []
    for part in _CLAUSE.split(text):
        if parts and len(terms(part)) < _MIN_CLAUSE_TERMS:
            parts[-1] = f"{parts[-1]} {part}"
        elif part.strip():
            parts.append(part)
    return tuple(part.strip() for part in parts)


def with_pairs(parts: Sequence[str]) -> tuple[str, ...]:
    """Clauses, then each two neighbours together, since a comma often parts what is one wish.

    The one pair of two clauses is left out: it is the whole text.
    """
    pairs = (f"{left}, {right}" for left, right in pairwise(parts)) if len(parts) > _WHOLE else ()
    return (*parts, *pairs)
