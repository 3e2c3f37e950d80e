"""What of a text the learned part of the ranking looks at: words, pairs of words, meanings, and forms of values.

Function words count here: "how many", "put back" and "into" tell requests apart once examples say which ones they mark.
Weights are whole tenths, so that everything that is computed from them is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from fcbench.retrieval.lexicon import meanings
from fcbench.retrieval.terms import STOP_WORDS, stem, terms, words
from fcbench.retrieval.values import hints, values_of

_WORD, _FUNCTION_WORD, _MEANING = 10, 8, 5
_PAIR_OF_TERMS, _PAIR_OF_WORDS = 5, 3
_HINT, _KIND, _ID, _QUESTION = 8, 10, 6, 4


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, each once, without function words, single letters and bare numbers."""
    found = (word.lower() for word in words(text))
    return tuple(dict.fromkeys(word for word in found if word not in STOP_WORDS and len(word) > 1))


@lru_cache(maxsize=8192)
def features(text: str) -> Mapping[str, int]:
    """Feature -> weight in tenths of a word's. The first kind that names a feature decides its weight."""
    found: dict[str, int] = {}
    for feature, weight in _features(text):
        found.setdefault(feature, weight)
    return found


def _features(text: str) -> Iterator[tuple[str, int]]:
    stems, known = [stem(word) for word in words(text)], terms(text)
    yield from ((term, _WORD) for term in known)
    yield from ((f"{left} {right}", _PAIR_OF_TERMS) for left, right in pairwise(known))
    yield from ((f"#{hint}", _HINT) for hint in hints(text))
    yield from ((each, _FUNCTION_WORD) for each in stems)
    yield from ((f"{left} {right}", _PAIR_OF_WORDS) for left, right in pairwise(stems))
    values = values_of(text)
    yield from ((f"@{kind}", _KIND) for kind in sorted(values.kinds))
    if not values.kinds and not values.codes:
        yield "@", _KIND
    yield from ((f"@{code.partition('-')[0]}", _ID) for code in values.codes if "-" in code)
    if "?" in text:
        yield "?", _QUESTION
    yield from ((meant, _MEANING) for meant in meanings(stems))


__all__ = ["content_words", "features"]
