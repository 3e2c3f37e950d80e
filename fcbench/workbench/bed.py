"""BED text of six columns: places counted from 0, the end not included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fcbench.workbench.features import Feature
from fcbench.workbench.records import SequenceRecord


def bed_lines(record: SequenceRecord, features: Iterable[Feature]) -> list[str]:
    """One line for each part, in order of place."""
    found = sorted(line for feature in features for line in _lines(feature))
    return ["\t".join((_word(record.id), str(start), str(end), name, "0", sign)) for start, end, name, sign in found]


def _lines(feature: Feature) -> Iterator[tuple[int, int, str, str]]:
    shown = feature.gene or feature.first("locus_tag") or feature.first("label")
    name = _word(f"{feature.kind}:{shown}" if shown else feature.kind)
    for part in feature.parts:
        # A place between two bases has no width: it begins and ends behind the base to its left.
        start = part.start if part.between else part.start - 1
        yield start, start + part.length, name, "." if part.strand == "none" else part.strand


def _word(text: str) -> str:
    """Columns are parted by white space."""
    return "_".join(text.split())
