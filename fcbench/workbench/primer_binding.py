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


def count_sites(record: SequenceRecord, primer: str, max_mismatches: int) -> int:
    """How many places `binding_sites` would list; no list of them is made."""
    return sum(len(offsets) for _, offsets, _ in _found(record, primer, max_mismatches))


def binding_sites(record: SequenceRecord, primer: str, max_mismatches: int, most: int | None = None) -> list[Site]:
    """The places on either strand, over the origin of a circular record too, sorted by place.

    Args:
        record: what is searched.
        primer: upper-case letters A, C, G, T, from 5' to 3'.
        max_mismatches: bases that may differ before the last five.
        most: how many are returned, the first ones; all of them where it is None.
    """
    found = [
        Site(start=int(offset) + 1, length=len(primer), strand=strand, mismatches=int(differing[offset]))
        for strand, offsets, differing in _found(record, primer, max_mismatches)
        for offset in offsets[:most]
    ]
    return sorted(found, key=lambda site: (site.start, site.strand))[:most]


def _found(
    record: SequenceRecord, primer: str, max_mismatches: int
) -> Iterator[tuple[str, NDArray[np.intp], NDArray[np.uint8]]]:
    """Strand, offsets of the sites in order, and at every offset the bases that differ."""
    length = len(primer)
    if length > record.length:
        return
    forward = np.frombuffer(primer.encode("ascii"), dtype=np.uint8)
    reverse = np.frombuffer(reverse_complement(primer).encode("ascii"), dtype=np.uint8)
    for strand, letters, exact in (
        ("+", forward, slice(length - EXACT_END, length)),
        ("-", reverse, slice(0, EXACT_END)),
    ):
        differing, wrong_end = _compared(record, letters, exact)
        yield strand, np.flatnonzero((differing <= max_mismatches) & ~wrong_end), differing


def _compared(
    record: SequenceRecord, primer: NDArray[np.uint8], exact: slice
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """For every offset: how many bases differ, and whether one of the exact part is among them."""
    genome = _letters(record)
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
    return differing, wrong_end


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
    plus = [site.start for group in groups for site in group if site.strand == "+"]
    lengths = [site.length for group in groups for site in group if site.strand == "+"]
    count, streams = 0, []
    for group in groups:
        starts = [site.start for site in group if site.strand == "-"]
        if not starts:
            continue
        length = group[0].length
        starts += [start + record.length for start in starts] if record.circular else []
        for start, taken in zip(plus, lengths, strict=True):
            first = bisect_left(starts, start + taken)
            last = bisect_right(starts, start + longest - length)
            if first < last:
                count += last - first
                # The nearest make the shortest products: no more than are shown can count.
                nearest = starts[first : min(last, first + shown)]
                streams.append(_stream(record, start, nearest, length))
    return count, list(islice(heapq.merge(*streams), shown))


def _stream(record: SequenceRecord, start: int, starts: Sequence[int], length: int) -> Iterator[Product]:
    """The products from one site on to several sites of the other strand, shortest first."""
    for other in starts:
        end = other + length - 1
        yield Product(end - start + 1, start, end if end <= record.length else end - record.length)
