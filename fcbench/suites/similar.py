"""Near-duplicates by character 5-grams: two instructions that share most of their wording measure one thing twice."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

GRAM = 5
NEAR = 0.6
"""Jaccard similarity from which two instructions count as near-duplicates. Between sentences of a dozen words that
differ in one number or one name it was 0.79 to 0.89; the closest pair of this project's first 45 cases had 0.11."""


def grams(text: str) -> frozenset[str]:
    """The 5-grams of a text after NFKC, in lower case, white space as one blank."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return frozenset(plain[start : start + GRAM] for start in range(max(1, len(plain) - GRAM + 1)))


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity: shared over all; 1 for two empty texts."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def near_pairs(texts: Iterable[tuple[str, str]], *, threshold: float = NEAR) -> Iterator[tuple[str, str, float]]:
    """Pairs of (name, text) whose similarity reaches the threshold: both names and the similarity.

    Sets whose sizes differ by more than the threshold allows are not compared: their similarity cannot reach it.
    """
    sized = sorted(((grams(text), name) for name, text in texts), key=lambda pair: (len(pair[0]), pair[1]))
    for index, (one, name) in enumerate(sized):
        for other, second in sized[index + 1 :]:
            if len(one) < threshold * len(other):
                break
            found = similarity(one, other)
            if found >= threshold:
                first, last = sorted((name, second))
                yield first, last, found
