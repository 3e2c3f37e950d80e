"""What lies between the genes of a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcbench.workbench.features import Feature
from fcbench.workbench.records import SequenceRecord

COVERING = ("gene", "CDS", "tRNA", "rRNA", "tmRNA", "ncRNA", "misc_RNA")
"""Features that make a stretch genic. A named coding sequence and its gene entry cover the same bases."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch without a gene."""

    start: int
    end: int
    """Last base, included; before `start` where the stretch crosses the origin."""
    length: int
    left: Feature | None
    """The gene entry before it on the forward strand; None at the edge of a linear record."""
    right: Feature | None
    """The one after it."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    start: int
    end: int
    feature: Feature


def gaps_of(record: SequenceRecord) -> tuple[Gap, ...]:
    """The stretches that no gene covers, in order of place; one across the origin of a circular record is whole."""
    covered = sorted(_stretches(record), key=lambda each: (each.start, each.end))
    if not covered:
        return (Gap(1, record.length, record.length, None, None),)
    found: list[Gap] = []
    before = covered[0]
    for each in covered[1:]:
        if each.start > before.end + 1:
            found.append(_gap(record, before, each))
        before = max(before, each, key=lambda one: one.end)
    first, last = covered[0], before
    if record.circular:
        return tuple(sorted((*found, *_across_the_origin(record, first, last)), key=lambda gap: gap.start))
    head = [Gap(1, first.start - 1, first.start - 1, None, first.feature)] if first.start > 1 else []
    tail = [Gap(last.end + 1, record.length, record.length - last.end, last.feature, None)]
    return (*head, *found, *(tail if last.end < record.length else []))


def gaps_in_range(record: SequenceRecord, start: int, end: int) -> tuple[Gap, ...]:
    """The same, cut at the ends of a range."""
    found = []
    for gap in gaps_of(record):
        pieces = ((gap.start, gap.end),) if gap.start <= gap.end else ((1, gap.end), (gap.start, record.length))
        for first, last in pieces:
            low, high = max(first, start), min(last, end)
            if low <= high:
                found.append(Gap(low, high, high - low + 1, gap.left, gap.right))
    return tuple(sorted(found, key=lambda gap: gap.start))


def _gap(record: SequenceRecord, left: _Stretch, right: _Stretch) -> Gap:
    start, end = left.end + 1, right.start - 1
    return Gap(start, end, end - start + 1, left.feature, right.feature)


def _across_the_origin(record: SequenceRecord, first: _Stretch, last: _Stretch) -> Iterator[Gap]:
    length = record.length - last.end + first.start - 1
    if length > 0:
        start, end = last.end % record.length + 1, (first.start - 2) % record.length + 1
        yield Gap(start, end, length, last.feature, first.feature)


def _stretches(record: SequenceRecord) -> Iterator[_Stretch]:
    """Introns belong to a gene; what lies between the far parts of a trans-spliced one does not."""
    for feature in record.features:
        if feature.kind not in COVERING:
            continue
        if feature.strand == "mixed" or "trans_splicing" in feature.qualifiers:
            ends: Sequence[tuple[int, int]] = [(part.start, part.end) for part in feature.parts]
        elif feature.wraps:
            ends = [(feature.start, record.length), (1, feature.end)]
        else:
            ends = [(feature.start, feature.end)]
        yield from (_Stretch(start, end, feature) for start, end in ends)
