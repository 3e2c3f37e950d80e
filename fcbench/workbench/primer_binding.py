"""Where primers bind, and which products a pair makes."""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fcbench.workbench.letters import reverse_complement
from fcbench.workbench.records import SequenceRecord

EXACT_END = 5
"""Bases at the 3' end of a primer that must match."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a primer binds."""

    start: int
    """First base on the forward strand, counted from 1."""
    length: int
    strand: str
    """`+` where the primer reads like the forward strand."""
    mismatches: int

    def end(self, record: SequenceRecord) -> int:
        """Last base; on a circular record it may lie before the start."""
        return record.arc(self.start, self.length)[1] if record.circular else self.start + self.length - 1


def binding_sites(record: SequenceRecord, primer: str, max_mismatches: int) -> list[Site]:
    """Every place on either strand, over the origin of a circular record too, sorted by place.

    Args:
        record: what is searched.
        primer: upper-case letters A, C, G, T, from 5' to 3'.
        max_mismatches: bases that may differ before the last five.
    """
    length = len(primer)
    if length > record.length:
        return []
    forward = np.frombuffer(primer.encode("ascii"), dtype=np.uint8)
    reverse = np.frombuffer(reverse_complement(primer).encode("ascii"), dtype=np.uint8)
    tail, head = slice(length - EXACT_END, length), slice(0, EXACT_END)
    found = [
        Site(start=at + 1, length=length, strand=strand, mismatches=differing)
        for letters, end, strand in ((forward, tail, "+"), (reverse, head, "-"))
        for at, differing in _places(_letters(record), letters, end, max_mismatches, record)
    ]
    return sorted(found, key=lambda site: (site.start, site.strand))


def _places(
    genome: NDArray[np.uint8], primer: NDArray[np.uint8], exact: slice, most: int, record: SequenceRecord
) -> Iterator[tuple[int, int]]:
    """(offset, bases that differ) of every place where the exact part matches and few enough others differ."""
    count = record.length if record.circular else record.length - len(primer) + 1
    wraps = genome[: len(primer) - 1] if record.circular else genome[:0]
    around = np.concatenate((genome, wraps))
    differing = np.zeros(count, dtype=np.uint8)
    wrong_end = np.zeros(count, dtype=bool)
    for at, letter in enumerate(primer):
        other = around[at : at + count] != letter
        differing += other
        if exact.start <= at < exact.stop:
            wrong_end |= other
    for offset in np.flatnonzero((differing <= most) & ~wrong_end):
        yield int(offset), int(differing[offset])


@lru_cache(maxsize=16)
def _letters(record: SequenceRecord) -> NDArray[np.uint8]:
    return np.frombuffer(record.sequence.encode("ascii"), dtype=np.uint8)


@dataclass(frozen=True, slots=True, order=True)
class Product:
    """A product between two sites, shortest first when sorted."""

    length: int
    start: int
    end: int


def products(
    record: SequenceRecord, groups: Sequence[Sequence[Site]], longest: int, shown: int
) -> tuple[int, list[Product]]:
    """How many products there are, and the shortest of them.

    A product lies between a site on the forward strand and one on the reverse strand behind it that does not overlap
    it, whichever primers they are of. On a circular record it may cross the origin.

    Args:
        record: what the sites lie on.
        groups: the sites of each primer.
        longest: bases of the longest product that counts.
        shown: how many of the shortest are returned.
    """
    longest = min(longest, record.length)
    plus = [site for group in groups for site in group if site.strand == "+"]
    count, streams = 0, []
    for group in groups:
        starts = [site.start for site in group if site.strand == "-"]
        if not starts:
            continue
        length = group[0].length
        starts += [start + record.length for start in starts] if record.circular else []
        for site in plus:
            first = bisect_left(starts, site.start + site.length)
            last = bisect_right(starts, site.start + longest - length)
            if first < last:
                count += last - first
                streams.append(_stream(record, site.start, starts[first:last], length))
    return count, list(islice(heapq.merge(*streams), shown))


def _stream(record: SequenceRecord, start: int, starts: Sequence[int], length: int) -> Iterator[Product]:
    """The products from one site on to several sites of the other strand, shortest first."""
    for other in starts:
        end = other + length - 1
        yield Product(end - start + 1, start, end if end <= record.length else end - record.length)
