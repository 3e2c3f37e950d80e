"""How alike a text is to the most alike example of each tool. All sums are of whole numbers below 2**53, so exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from fcbench.retrieval.word_vectors import SIZE, Integers

WORDS_TO_VECTORS = 5
"""Likeness by features counts so many times as much as likeness by vectors."""

Row = Mapping[int, int]
"""Place of a feature -> weight."""
Numbers = npt.NDArray[np.float64]


class Nearest:
    """Single examples, listed by the features that they have."""

    def __init__(self, rows: Sequence[Row], vectors: Sequence[Integers], owners: Sequence[int], tools: int) -> None:
        """List them.

        Args:
            rows: weights of the features of each example.
            vectors: word vector of each example.
            owners: place of the tool of each example.
            tools: how many tools there are.
        """
        self._tools = tools
        self._owners = np.array(owners, dtype=np.int64)
        self._vectors: Numbers = np.array(vectors, dtype=np.float64).reshape(len(vectors), SIZE)
        holding: dict[int, tuple[list[int], list[int]]] = {}
        for at, row in enumerate(rows):
            for place, weight in row.items():
                examples, weights = holding.setdefault(place, ([], []))
                examples.append(at)
                weights.append(weight)
        self._holding: dict[int, tuple[Integers, Numbers]] = {
            place: (np.array(examples, dtype=np.int64), np.array(weights, dtype=np.float64))
            for place, (examples, weights) in holding.items()
        }

    def likeness(self, row: Row, vector: Integers) -> Integers:
        """Likeness of each tool's most alike example to a text of these features and this vector, at least 0."""
        alike: Numbers = self._vectors @ vector.astype(np.float64)
        for place, weight in row.items():
            examples, weights = self._holding[place]
            alike[examples] += WORDS_TO_VECTORS * weight * weights
        best = np.zeros(self._tools)
        np.maximum.at(best, self._owners, alike)
        return best.astype(np.int64)


__all__ = ["WORDS_TO_VECTORS", "Nearest", "Row"]
