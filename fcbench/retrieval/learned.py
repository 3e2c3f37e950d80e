"""Learns from example requests which tools a text speaks of: ridge regression from features to tools.

Each example votes for its tool by its likeness to the text: shared features, the rarer the heavier, and the angle of
the word vectors. The regression, on the mean of each tool's examples, lowers the votes that every tool would get. Its
equations are well conditioned (the penalty is large), and their solution is rounded to whole numbers far coarser than
the last bits in which machines differ; everything before and after is whole numbers.

A mean forgets what only one example says. So the most alike single example of each tool is told beside it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fcbench.retrieval.features import content_words, features
from fcbench.retrieval.nearest import WORDS_TO_VECTORS, Nearest, Row
from fcbench.retrieval.terms import stem
from fcbench.retrieval.word_vectors import SIZE, UNIT, Integers, text_vector

_PENALTY = 40
_RARITY = 256
"""A rarity of 1 as a whole number."""
_MOST_RARE = 6 * _RARITY
"""Cap of a word's weight in the vector of a text: most unknown words are names."""
_SCALE = 8
"""Weights are rounded to this share of a whole number: about half a percent of those of a rare feature."""
_MAX_WEIGHTS = 50_000_000
"""Weights that are kept; of a registry that would have more, the rarest features play no part."""

Numbers = npt.NDArray[np.float64]


class Votes(NamedTuple):
    """What the examples say of one text: one number for each tool, at least 0."""

    means: Integers
    """Votes by the regression on the means of the tools' examples."""
    nearest: Integers
    """Likeness of each tool's most alike example."""


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
        kept = self._holding.most_common(_MAX_WEIGHTS // max(tools, 1))
        self._place = {feature: at for at, (feature, _) in enumerate(kept)}
        # Whole numbers below 2**53 throughout: the products are exact, in whatever order they are summed.
        counts = np.zeros((tools, len(self._place)))
        numbers = np.zeros((tools, SIZE))
        given = np.zeros(tools, dtype=np.int64)
        rows, vectors = [self._row(each) for each in found], [self._vector(text) for text, _ in examples]
        for row, vector, (_, tool) in zip(rows, vectors, examples, strict=True):
            counts[tool, list(row)] += list(row.values())
            numbers[tool] += vector
            given[tool] += 1
        self._nearest = Nearest(rows, vectors, [tool for _, tool in examples], tools)
        shares = _shares(WORDS_TO_VECTORS * (counts @ counts.T) + numbers @ numbers.T, np.maximum(given, 1))
        self._by_feature = _rounded(WORDS_TO_VECTORS * (counts.T @ shares))
        self._by_number = _rounded(numbers.T @ shares)

    def votes(self, text: str) -> Votes:
        """What the examples say of a text."""
        row, vector = self._row(features(text)), self._vector(text)
        counts = np.array(list(row.values()), dtype=np.int64)
        found: Integers = counts @ self._by_feature[list(row)] + vector @ self._by_number
        return Votes(means=np.maximum(found, 0), nearest=self._nearest.likeness(row, vector))

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


def _shares(likeness: Numbers, given: Integers) -> Numbers:
    """What the sum of each tool's examples gives to each tool: ridge regression on their means.

    Args:
        likeness: of the sums of the examples of each two tools.
        given: examples of each tool.
    """
    among = likeness / (WORDS_TO_VECTORS * UNIT * UNIT * np.outer(given, given))
    among[np.diag_indices_from(among)] += _PENALTY / given
    return (np.linalg.inv(among) / given[:, None]).astype(np.float64)


def _rounded(weights: Numbers) -> Integers:
    return np.rint(weights * _SCALE).astype(np.int64)


__all__ = ["Learned", "Votes"]
