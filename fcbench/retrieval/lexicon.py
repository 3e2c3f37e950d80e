"""From what people say to what tools call it: looks words and phrases up in the table of `sayings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from fcbench.retrieval.sayings import ACTS, BIOLOGY, PROGRAM, TURNS
from fcbench.retrieval.sayings_by_task import ASKED
from fcbench.retrieval.terms import stem, words

Phrase = tuple[str, ...]


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[tuple[Phrase, Phrase], ...]]:
    """First stem of a phrase -> (the phrase, what it means), longest phrase first."""
    found: dict[str, dict[Phrase, dict[str, None]]] = {}
    for line in "".join((ACTS, BIOLOGY, PROGRAM, TURNS, ASKED)).splitlines():
        said, _, meant = line.partition(" > ")
        stems = tuple(map(stem, meant.split()))
        for each in said.split(","):
            phrase = tuple(map(stem, words(each)))
            if phrase:
                found.setdefault(phrase[0], {}).setdefault(phrase, {}).update(dict.fromkeys(stems))
    return {
        first: tuple((phrase, tuple(meant)) for phrase, meant in sorted(phrases.items()))
        for first, phrases in found.items()
    }


def phrases() -> dict[Phrase, Phrase]:
    """The whole table: stems that are said, stems that are meant."""
    return {phrase: meant for group in _table().values() for phrase, meant in group}


_PRONOUNS = """
it that this them these those the all both one everything my our your its
"""
_BETWEEN = frozenset(map(stem, _PRONOUNS.split()))


def meanings(stems: Sequence[str]) -> tuple[str, ...]:
    """What the words of a text stand for, as stems in the order of the text, each once.

    Args:
        stems: stems of all words of the text, function words included (phrases hold some).
    """
    found = dict.fromkeys(_meant(stems))
    # "carry that out" is "carry out", "put them back" is "put back".
    closer = [each for each in stems if each not in _BETWEEN]
    if len(closer) < len(stems):
        found.update(dict.fromkeys(_meant(closer)))
    return tuple(found)


def _meant(stems: Sequence[str]) -> Iterator[str]:
    table = _table()
    for at, first in enumerate(stems):
        for phrase, meant in table.get(first, ()):
            if tuple(stems[at : at + len(phrase)]) == phrase:
                yield from meant


__all__ = ["meanings", "phrases"]
