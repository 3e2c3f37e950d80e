"""Features of a record: places counted from 1, both ends included, and qualifiers as the record writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

PartStrand = Literal["+", "-", "none"]
Strand = Literal["+", "-", "none", "mixed"]
"""`mixed`: the parts lie on both strands (trans-splicing)."""
Origin = Literal["file", "user"]


@dataclass(frozen=True)
class Part:
    """One stretch of bases."""

    start: int
    end: int
    strand: PartStrand
    open_start: bool = False
    """Whether the feature goes on beyond `start` (`<` in GenBank)."""
    open_end: bool = False
    """Whether the feature goes on beyond `end` (`>` in GenBank)."""
    between: bool = False
    """Whether it is the place between two neighbouring bases and holds none (`12^13` in GenBank)."""

    @property
    def length(self) -> int:
        """Bases."""
        return 0 if self.between else self.end - self.start + 1


@dataclass(frozen=True)
class Feature:
    """One entry of the feature table. Never changed in place: an edit makes another one (`dataclasses.replace`)."""

    id: str
    """Minted: `ftr-<n>` in the order of the file, `ann-<n>` for what a user adds."""
    kind: str
    """Feature key, such as `CDS`."""
    parts: tuple[Part, ...]
    """In reading order, 5' to 3'."""
    qualifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """As the record writes them; replaced as a whole, never changed in place."""
    operator: Literal["join", "order"] = "join"
    wraps: bool = False
    """Whether it crosses the origin of a circular record; then `start` lies behind `end`."""
    origin: Origin = "file"
    edited: bool = False
    """Whether a user changed it in this session."""
    loaded: str = ""
    """The file of features that it came from after the genome was opened; empty for all others."""

    @property
    def start(self) -> int:
        """First base on the forward strand, counted from 1."""
        return self._forward[0].start if self.wraps else min(part.start for part in self.parts)

    @property
    def end(self) -> int:
        """Last base on the forward strand, included; before `start` where the feature wraps."""
        return self._forward[-1].end if self.wraps else max(part.end for part in self.parts)

    @property
    def _forward(self) -> tuple[Part, ...]:
        return self.parts[::-1] if self.strand == "-" else self.parts

    @property
    def strand(self) -> Strand:
        """The strand of all parts, or `mixed`."""
        strands = {part.strand for part in self.parts}
        return strands.pop() if len(strands) == 1 else "mixed"

    @property
    def length(self) -> int:
        """Bases of all parts: introns are not counted."""
        return sum(part.length for part in self.parts)

    @property
    def gene(self) -> str:
        """Gene symbol as the record writes it; empty where there is none."""
        return self.first("gene")

    @property
    def product(self) -> str:
        """Product; where none is recorded the first note, else empty."""
        return self.first("product") or self.first("note")

    def first(self, qualifier: str) -> str:
        """The first value of a qualifier; empty where there is none."""
        found = self.qualifiers.get(qualifier, ())
        return found[0] if found else ""

    @property
    def order(self) -> tuple[int, int, str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """What sorts features by place and content, and by nothing that tells how they came to be."""
        return self.start, self.end, self.kind, tuple(sorted(self.qualifiers.items()))

    def covers(self, position: int) -> bool:
        """Whether a base belongs to one of the parts; a place between two bases holds none."""
        return any(not part.between and part.start <= position <= part.end for part in self.parts)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a part has a base in a range; a place between two bases lies in it if both do."""
        return any(
            start <= part.start and part.end <= end if part.between else part.start <= end and part.end >= start
            for part in self.parts
        )

    def takes_insertion(self, part: Part, position: int, length: int) -> bool:
        """Whether bases that come before a base of the record come between two bases of this feature.

        Where it crosses the origin, bases before the first base and behind the last one lie inside it. What describes
        the whole sequence takes them as well.

        Args:
            part: one of its parts.
            position: the base before which they come; one more than `length` for behind the last one.
            length: bases of the record.
        """
        if part.between:
            return False
        whole = self.kind == "source" and part.length == length
        at_edge = position == part.start == 1 or position == part.end + 1 == length + 1
        return part.start < position <= part.end or (at_edge and (self.wraps or whole))


def crosses_origin(parts: Sequence[Part], length: int) -> bool:
    """Whether reading goes over the origin: one part ends at the last base and its neighbour starts at the first."""
    if len({part.strand for part in parts}) != 1:
        return False
    forward = parts[::-1] if parts[0].strand == "-" else parts
    return any(one.end == length and other.start == 1 for one, other in pairwise(forward))


def _place(feature: Feature) -> tuple[object, ...]:
    return (feature.order, tuple((part.start, part.end, part.strand) for part in feature.parts))


def arranged(features: Iterable[Feature]) -> tuple[Feature, ...]:
    """Features as an export writes them: those of the file in its order, added ones by place before the next of these.

    The same features give the same order, whichever was added first, so that exported files are the same bytes.
    """
    given = list(features)
    kept = [feature for feature in given if feature.origin == "file" and not feature.loaded]
    added = sorted((feature for feature in given if feature.origin == "user" or feature.loaded), key=_place)
    before: dict[int, list[Feature]] = {}
    for feature in added:
        at = next((index for index, other in enumerate(kept) if other.start > feature.start), len(kept))
        before.setdefault(at, []).append(feature)
    return tuple(each for at, other in enumerate([*kept, None]) for each in (*before.get(at, ()), other) if each)
