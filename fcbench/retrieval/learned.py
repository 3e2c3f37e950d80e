"""Learns from example requests which tools a text speaks of: ridge regression from features to tools.

Each example votes for its tool by its likeness to the text: shared features, the rarer the heavier, and the angle of
the word vectors. The regression, on the mean of each tool's examples, lowers the votes that every tool would get. Its
equations are well conditioned (the penalty is large), and their solution is rounded to whole numbers far coarser than
the last bits in which machines differ; everything before and after is whole numbers.
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
_MAX_WEIGHTS = 50_000_000
"""Weights that are kept; of a registry that would have more, the rarest features play no part."""

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
        kept = self._holding.most_common(_MAX_WEIGHTS // max(tools, 1))
        self._place = {feature: at for at, (feature, _) in enumerate(kept)}
        # Whole numbers below 2**53 throughout: the products are exact, in whatever order they are summed.
        counts = np.zeros((tools, len(self._place)))
        numbers = np.zeros((tools, SIZE))
        given = np.zeros(tools, dtype=np.int64)
        for each, (text, tool) in zip(found, examples, strict=True):
            row = self._row(each)
            counts[tool, list(row)] += list(row.values())
            numbers[tool] += self._vector(text)
            given[tool] += 1
        shares = _shares(_WORDS_TO_VECTORS * (counts @ counts.T) + numbers @ numbers.T, np.maximum(given, 1))
        self._by_feature = _rounded(_WORDS_TO_VECTORS * (counts.T @ shares))
        self._by_number = _rounded(numbers.T @ shares)

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


def _shares(likeness: Numbers, given: Integers) -> Numbers:
    """What the sum of each tool's examples gives to each tool: ridge regression on their means.

    Args:
        likeness: of the sums of the examples of each two tools.
        given: examples of each tool.
    """
    among = likeness / (_WORDS_TO_VECTORS * UNIT * UNIT * np.outer(given, given))
    among[np.diag_indices_from(among)] += _PENALTY / given
    return (np.linalg.inv(among) / given[:, None]).astype(np.float64)


def _rounded(weights: Numbers) -> Integers:
    return np.rint(weights * _SCALE).astype(np.int64)


__all__ = ["Learned"]
