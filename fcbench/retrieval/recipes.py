"""Tools that users run in a row: `recipes.yaml`, written from the contracts, whose header says what was known.

Contracts declare what one tool leads to; a recipe tells a whole piece of work: who asks for relatives of a protein
wants a database made first, and who edits a gene has to find it. From recipes comes how likely a tool stands beside
another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.core.yaml12 import load_yaml
from fcbench.retrieval.phrasings import phrasings_of

_FILE = Path(__file__).with_name("recipes.yaml")
_DOUBT = 2
"""Recipes that are added to those of a tool, so that one recipe alone proves little."""
_WEIGHT = 2.0
"""A tool that stands beside another in half of its recipes, doubt included, is implied wholly."""


@lru_cache(maxsize=1)
def recipes() -> tuple[tuple[str, ...], ...]:
    """The tools of each recipe, each tool once, in order.

    Raises:
        BadInputError: the file is not a mapping of subjects to lists of lists of tools.
    """
    document = load_yaml(_FILE, name=_FILE.name)
    value = document.value
    if not isinstance(value, dict) or not all(isinstance(listed, list) for listed in value.values()):
        raise document.complain("recipes are listed by subject", wanted="a mapping of subjects to lists of recipes")
    listed = [recipe for group in value.values() if isinstance(group, list) for recipe in group]
    return tuple(tuple(dict.fromkeys(map(str, recipe))) for recipe in listed if isinstance(recipe, list))


def together(contracts: Sequence[ToolContract]) -> Iterator[tuple[str, str, float]]:
    """Giver, taker and share, up to 1, for each two tools of a recipe; only for tools whose requests we have."""
    ours = {one.name for one in contracts if phrasings_of(one.name, one.category)}
    known = [[tool for tool in recipe if tool in ours] for recipe in recipes()]
    alone = Counter(tool for recipe in known for tool in recipe)
    pairs = Counter(pair for recipe in known for pair in permutations(recipe, 2))
    for (giver, taker), times in pairs.items():
        yield giver, taker, min(1.0, _WEIGHT * times / (alone[giver] + _DOUBT))


__all__ = ["recipes", "together"]
