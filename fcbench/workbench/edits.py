"""Applying a batch of edits to a record: one pass over the letters, and every feature moved along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, arranged, crosses_origin
from fcbench.workbench.project import Edit
from fcbench.workbench.records import SequenceRecord


@dataclass(frozen=True, slots=True)
class Applied:
    """A record after a batch."""

    record: SequenceRecord
    altered: tuple[Feature, ...]
    """Features whose own bases changed or went, as they were before, in the order of the file; `source` left out."""


@dataclass(frozen=True, slots=True)
class _Change:
    """An edit as a replacement: bases `start` to `end` give way to `bases`. An insertion has `end` = `start` - 1."""

    start: int
    end: int
    bases: str

    @property
    def growth(self) -> int:
        """Bases that are more than before."""
        return len(self.bases) - (self.end - self.start + 1)

    def is_before(self, position: int) -> bool:
        """Whether it moves a base and does not touch it."""
        return self.end < position


@dataclass(frozen=True, slots=True)
class _Place:
    """A part of a feature in its record, before the changes."""

    feature: Feature
    part: Part
    length: int
    """Bases of the record."""

    def takes(self, change: _Change) -> bool:
        """Whether the new bases belong to the part; those before its first base lie outside, but at an origin."""
        if change.end < change.start:
            return self.feature.takes_insertion(self.part, change.start, self.length)
        return self.part.start <= change.start and change.end <= self.part.end

    def changes_with(self, change: _Change) -> bool:
        """Whether the part's own bases change."""
        part = self.part
        meets = change.start <= part.end and change.end >= part.start
        if part.between:
            return meets
        return self.takes(change) or (meets and change.end >= change.start)


def apply_edits(record: SequenceRecord, edits: Sequence[Edit]) -> Applied:
    """The record after all edits, whose places are those of the record as it is.

    A feature keeps the bases that remain of it and takes those that are put inside it; without any left it goes.
    A coding sequence whose bases changed loses its stored translation, since that no longer says what it encodes.

    Args:
        record: the unedited record.
        edits: pending edits of this record, in any order.

    Raises:
        ToolError: `overlapping_edits`, or `bad_range` where the batch would leave no base or an edit lies outside.
    """
    changes = _checked(record, edits)
    pieces, at = [], 1
    for change in changes:
        pieces += [record.sequence[at - 1 : change.start - 1], change.bases]
        at = change.end + 1
    sequence = "".join([*pieces, record.sequence[at - 1 :]])
    if not sequence:
        raise ToolError("bad_range", f"the edits would leave no base of {record.id}")
    kept: list[Feature] = []
    altered: list[Feature] = []
    for feature in record.features:
        moved, is_altered = _moved(feature, changes, record.length)
        kept += [_turned(moved, len(sequence))] if moved and record.circular else [moved] if moved else []
        altered += [feature] if is_altered and feature.kind != "source" else []
    return Applied(record=replace(record, sequence=sequence, features=arranged(kept)), altered=tuple(altered))


def _checked(record: SequenceRecord, edits: Sequence[Edit]) -> list[_Change]:
    """The edits in order of place, none touching another."""
    found = []
    for edit in edits:
        start, end = edit.range.start, edit.range.end
        # An insertion may go behind the last base.
        last = record.length + 1 if edit.kind == "insert" else record.length
        if not 1 <= start <= end <= last:
            raise ToolError("bad_range", f"{edit.id} lies at {start} to {end}, outside 1 to {record.length}")
        found.append((_Change(start, start - 1 if edit.kind == "insert" else end, edit.bases), edit.id))
    found.sort(key=lambda pair: (pair[0].start, pair[0].end))
    for (one, first), (other, second) in pairwise(found):
        both_insert = one.end < one.start and other.end < other.start
        if other.start <= one.end or (both_insert and one.start == other.start):
            raise ToolError("overlapping_edits", f"{first} and {second} touch the same bases; one has to be removed")
    return [change for change, _ in found]


def _turned(feature: Feature, length: int) -> Feature:
    """The feature with what its parts say about the origin of the circle."""
    wraps = crosses_origin(feature.parts, length)
    return feature if wraps == feature.wraps else replace(feature, wraps=wraps)


def _moved(feature: Feature, changes: Sequence[_Change], length: int) -> tuple[Feature | None, bool]:
    """The feature after the changes (None where nothing remains), and whether its own bases changed."""
    places = [_Place(feature, part, length) for part in feature.parts]
    parts = tuple(part for part in (_moved_part(place, changes) for place in places) if part)
    if not any(place.changes_with(change) for change in changes for place in places):
        return (replace(feature, parts=parts), False) if parts != feature.parts else (feature, False)
    if not parts:
        return None, True
    kept = {key: values for key, values in feature.qualifiers.items() if key != "translation"}
    return replace(feature, parts=parts, qualifiers=kept), True


def _moved_part(place: _Place, changes: Sequence[_Change]) -> Part | None:
    part = place.part
    if part.between:
        return _moved_gap(place, changes)
    start, end, moved, grown = part.start, part.end, 0, 0
    for change in changes:
        if place.takes(change):
            grown += change.growth
        elif change.is_before(part.start):
            moved += change.growth
        elif change.growth == 0 or change.start > part.end:
            continue  # letter for letter, or behind the part
        elif change.start < part.start:
            # It reaches into the part from the left: what it leaves begins behind it.
            start, moved = change.end + 1, moved + change.growth
        else:
            end = change.start - 1
    length = end - start + 1 + grown
    return replace(part, start=start + moved, end=start + moved + length - 1) if length > 0 else None


def _moved_gap(place: _Place, changes: Sequence[_Change]) -> Part | None:
    """A place between two bases: gone as soon as one of the two changes or something comes between."""
    if any(place.changes_with(change) for change in changes):
        return None
    moved = sum(change.growth for change in changes if change.is_before(place.part.start))
    return replace(place.part, start=place.part.start + moved, end=place.part.end + moved)
