"""Learns from example requests which tools a text speaks of: ridge regression from features to tools.

Each example votes for its tool by its likeness to the text: shared features, the rarer the heavier, and the angle of
the word vectors. The regression lowers the votes that examples of other tools would get as well. Its equations are well
conditioned (the penalty is large), and their solution is rounded to whole numbers far coarser than the last bits in
which machines differ; everything before and after is whole numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from fcbench.retrieval.features import content_words, features
from fcbench.retrieval.terms import stem
from fcbench.retrieval.word_vectors import SIZE, UNIT, Integers, text_vector

_PENALTY = 40
_WORDS_TO_VECTORS = 5
"""Likeness by features counts so many times as much as likeness by vectors."""
_RARITY = 256
"""A rarity of 1 as a whole number."""
_MOST_RARE = 6 * _RARITY
"""Cap of a word's weight in the vector of a text: most unknown words are names."""
_SCALE = 8
"""Weights are rounded to this share of a whole number: about half a percent of those of a rare feature."""
_MAX_EXAMPLES = 4_000
"""Of more examples each votes for its tool alone: solving takes time that grows with the third power."""

Row = Mapping[int, int]
"""Place of a feature -> weight."""
Numbers = npt.NDArray[np.float64]


class Learned:
    """Votes of examples for the tools of one registry."""

    def __init__(self, examples: Sequence[tuple[str, int]], tools: int) -> None:
        """Learn.

        Args:
            examples: texts, each with the place of its tool.
            tools: how many tools there are.
        """
        found = [features(text) for text, _ in examples]
        self._holding = Counter(feature for each in found for feature in each)
        self._examples = max(len(found), 1)
        self._place = {feature: at for at, feature in enumerate(self._holding)}
        rows = [self._row(each) for each in found]
        # Whole numbers below 2**53 throughout: the products are exact, in whatever order they are summed.
        vectors = np.array([self._vector(text) for text, _ in examples], dtype=np.float64).reshape(-1, SIZE)
        shares = np.zeros((len(found), tools))
        shares[np.arange(len(found)), [tool for _, tool in examples]] = 1 / _PENALTY
        if len(found) <= _MAX_EXAMPLES:
            shares = _corrected(shares, _likeness(rows, len(self._place), vectors))
        by_feature = np.zeros((len(self._place), tools))
        for row, share in zip(rows, shares, strict=True):
            by_feature[list(row)] += np.outer(list(row.values()), share)
        self._by_feature = _rounded(_WORDS_TO_VECTORS * by_feature)
        self._by_number = _rounded(vectors.T @ shares)

    def votes(self, text: str) -> Integers:
        """Votes for each tool, at least 0."""
        row = self._row(features(text))
        counts = np.array(list(row.values()), dtype=np.int64)
        found: Integers = counts @ self._by_feature[list(row)] + self._vector(text) @ self._by_number
        return np.maximum(found, 0)

    def _rarity(self, feature: str) -> int:
        return round(_RARITY * (math.log(self._examples / (self._holding[feature] or 1)) + 1))

    def _row(self, found: Mapping[str, int]) -> Row:
        """Weights of the known features; the squares of all, with the unknown ones, come to `UNIT` squared."""
        weights = {feature: weight * self._rarity(feature) for feature, weight in found.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        return {
            self._place[feature]: round(UNIT * weight / length)
            for feature, weight in weights.items()
            if feature in self._place
        }

    def _vector(self, text: str) -> Integers:
        return text_vector({word: min(_MOST_RARE, self._rarity(stem(word))) for word in content_words(text)})


def _likeness(rows: Sequence[Row], width: int, vectors: Numbers) -> Numbers:
    """Likeness of each two examples."""
    likeness: Numbers = vectors @ vectors.T
    itself = np.zeros(len(rows))
    holders: list[list[int]] = [[] for _ in range(width)]
    for at, row in enumerate(rows):
        for place in row:
            holders[place].append(at)
    for place, held in enumerate(holders):
        if len(held) == 1:
            itself[held[0]] += rows[held[0]][place] ** 2
        else:
            weights = np.array([rows[at][place] for at in held], dtype=np.float64)
            likeness[np.ix_(held, held)] += _WORDS_TO_VECTORS * np.outer(weights, weights)
    likeness[np.diag_indices_from(likeness)] += _WORDS_TO_VECTORS * itself
    return likeness


def _corrected(shares: Numbers, likeness: Numbers) -> Numbers:
    """What each example gives to each tool, once the examples know of one another: the solution of the regression."""
    among = likeness / (_WORDS_TO_VECTORS * UNIT * UNIT * _PENALTY)
    among[np.diag_indices_from(among)] += 1.0
    return np.linalg.solve(among, shares).astype(np.float64)


def _rounded(weights: Numbers) -> Integers:
    return np.rint(weights * _SCALE).astype(np.int64)


__all__ = ["Learned"]
