"""Vectors of English words, in which words that are used alike lie close: what a word of nobody's list is near to.

`vectors/words.npz` holds 34,000 words in 100 whole numbers each. They are GloVe vectors (Pennington, Socher and Manning
2014), public domain; `vectors/README.md` says where they come from and how they were cut. All sums are of whole numbers
and so the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

_FILE = Path(__file__).with_name("vectors") / "words.npz"
SIZE = 100
"""Numbers of a vector."""
UNIT = 1024
"""Length of the vector of a text."""

Integers = npt.NDArray[np.int64]


@lru_cache(maxsize=1)
def _words() -> tuple[Mapping[str, int], npt.NDArray[np.int8]]:
    with np.load(_FILE, allow_pickle=False) as stored:
        listed = stored["words"].tobytes().decode("ascii").split("\n")
        return {word: at for at, word in enumerate(listed)}, stored["vectors"]


def text_vector(weights: Mapping[str, int]) -> Integers:
    """The weighted sum of the vectors of words, brought to length `UNIT`; zeros where no word is known.

    Args:
        weights: word in lower case -> its weight.
    """
    places, vectors = _words()
    total: Integers = np.zeros(SIZE, dtype=np.int64)
    for word, weight in weights.items():
        place = places.get(word)
        if place is not None:
            total += weight * vectors[place].astype(np.int64)
    length = math.sqrt(int((total * total).sum()))
    return total if length == 0 else np.rint(total * (UNIT / length)).astype(np.int64)


__all__ = ["SIZE", "UNIT", "Integers", "text_vector"]
