"""Where a DNA pattern with IUPAC letters occurs in a record, mismatches allowed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fcbench.workbench.features import PartStrand
from fcbench.workbench.letters import IUPAC, reverse_complement
from fcbench.workbench.records import SequenceRecord

_BITS = {"A": 1, "C": 2, "G": 4, "T": 8}
_MASKS = {letter: sum(_BITS[base] for base in bases) for letter, bases in IUPAC.items()}
"""IUPAC letter -> the bases it may stand for, one bit each."""


@dataclass(frozen=True, slots=True)
class Match:
    """One place where the pattern occurs."""

    start: int
    """First base on the forward strand, counted from 1."""
    end: int
    """Last base, included; before `start` where the place crosses the origin of a circular record."""
    strand: PartStrand
    mismatches: int


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for."""

    pattern: str
    """Upper-case IUPAC letters, 5' to 3' on the strand that is read."""
    strands: tuple[PartStrand, ...]
    max_mismatches: int


@dataclass(frozen=True, slots=True)
class Found:
    """How often a pattern occurs, and the first places."""

    count: int
    matches: tuple[Match, ...]
    """In order of place, the forward strand first."""


def find_in_range(record: SequenceRecord, start: int, end: int, search: Search, limit: int) -> Found:
    """Matches that lie in a range as a whole.

    Args:
        record: the sequence.
        start: first base of the range, counted from 1.
        end: last base, included.
        search: what is looked for.
        limit: matches to return; all are counted.
    """
    return _find(record, _masks(record)[start - 1 : end], start, search, limit)


def find_everywhere(record: SequenceRecord, search: Search, limit: int) -> Found:
    """Matches in a whole record; round a circular one they may cross the origin."""
    masks = _masks(record)
    if record.circular and len(search.pattern) <= record.length:
        masks = np.concatenate([masks, masks[: len(search.pattern) - 1]])
    return _find(record, masks, 1, search, limit)


@lru_cache(maxsize=8)
def _masks(record: SequenceRecord) -> NDArray[np.uint8]:
    """The letters of a record, each as the bases it may stand for."""
    table = np.zeros(256, dtype=np.uint8)
    for letter, mask in _MASKS.items():
        table[ord(letter)] = mask
    found: NDArray[np.uint8] = table[np.frombuffer(record.sequence.encode("ascii"), dtype=np.uint8)]
    return found


def _find(record: SequenceRecord, masks: NDArray[np.uint8], first: int, search: Search, limit: int) -> Found:
    strands = search.strands
    if search.pattern == reverse_complement(search.pattern) and len(strands) > 1:
        # Both strands read the same at the same place: one place, not two.
        strands = ("+",)
    count, matches = 0, []
    for strand in strands:
        pattern = reverse_complement(search.pattern) if strand == "-" else search.pattern
        wrong = _mismatches(masks, pattern)
        places = np.flatnonzero(wrong <= search.max_mismatches)
        count += len(places)
        for place in places[:limit]:
            start = first + int(place)
            end = (start + len(pattern) - 2) % record.length + 1
            matches.append(Match(start, end, strand, int(wrong[place])))
    matches.sort(key=lambda match: (match.start, match.strand))
    return Found(count, tuple(matches[:limit]))


def _mismatches(masks: NDArray[np.uint8], pattern: str) -> NDArray[np.uint8]:
    """For each place of the pattern: letters of the genome that may be a base the pattern letter does not stand for.

    A pattern has at most 200 letters, so that a byte counts them.
    """
    places = max(0, len(masks) - len(pattern) + 1)
    wrong = np.zeros(places, dtype=np.uint8)
    other = {letter: ((masks & np.uint8(15 - _MASKS[letter])) != 0).view(np.uint8) for letter in set(pattern)}
    for at, letter in enumerate(pattern):
        if letter != "N":
            wrong += other[letter][at : at + places]
    return wrong
