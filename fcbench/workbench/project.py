"""What a session keeps beside genome and view: queued edits, history, primers, tasks, loaded data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fcbench.workbench.features import Feature, PartStrand
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.view import Range

EditKind = Literal["insert", "delete", "replace"]
EditStatus = Literal["pending", "executed"]
TaskStatus = Literal["open", "in_progress", "done"]
ChangeKind = Literal["created", "updated", "deleted"]
MAX_EDITS = 200
"""Edits that a session queues in all."""
MAX_NEW_BASES = 50_000
"""Bases that they bring in all: what a session searches grows no further."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of the queue, on the coordinates of the genome as it stood when it was queued."""

    id: str
    """`act-<n>`."""
    kind: EditKind
    range: Range
    """The bases that go; for an insertion `start` is the base before which it goes, and `end` the same; one more than
    the length stands for behind the last base."""
    bases: str = ""
    """The bases that come, on the forward strand."""
    status: EditStatus = "pending"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a feature in this session: for its history."""

    feature_id: str
    kind: ChangeKind
    before: Feature | None
    after: Feature | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The genome before a batch of edits, for undoing it."""

    records: tuple[SequenceRecord, ...]
    executed: tuple[str, ...]
    """Ids of the edits of the batch."""
    changes: int = 0
    """Length of the features' history then."""


@dataclass(frozen=True, slots=True)
class Clip:
    """The clipboard."""

    bases: str
    source: Range
    strand: PartStrand


@dataclass(frozen=True, slots=True)
class Primer:
    """A primer that the project keeps."""

    name: str
    sequence: str
    start: int | None = None
    end: int | None = None
    strand: PartStrand = "none"
    sequence_id: str = ""
    """What the place lies on; empty without one."""


@dataclass(frozen=True, slots=True)
class ChecklistTask:
    """One item of the checklist."""

    id: str
    """`task-<n>`."""
    title: str
    status: TaskStatus = "open"
    progress: int = 0
    """Percent."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One line of a VCF file with one alternative allele."""

    sequence_id: str
    position: int
    ref: str
    alt: str
    quality: float | None
    filters: tuple[str, ...]
    depth: int | None
    """DP of the INFO column."""
    allele_fraction: float | None
    """AF of the INFO column."""


@dataclass(frozen=True, slots=True)
class ReadsFile:
    """An attached BAM file. It is opened again for every question: no handle lives in a session."""

    path: str
    """Below the fixture folder."""
    mapped: int = 0
    """Aligned reads."""


@dataclass(frozen=True, slots=True)
class VariantFile:
    """A loaded VCF file."""

    path: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class SignalTrack:
    """A numeric track of a WIG or bedGraph file."""

    path: str
    values: tuple[tuple[str, int, int, float], ...]
    """(sequence id, start, end, value), places counted from 1 and both ends included."""


@dataclass(frozen=True, slots=True)
class SearchDatabase:
    """A similarity-search database that the session made."""

    name: str
    molecule: Literal["nucleotide", "protein"]
    source: str
    entries: tuple[tuple[str, str], ...]
    """(name, letters)."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit of a similarity search."""

    target: str
    score: float
    evalue: float
    identity_percent: float
    query_start: int
    query_end: int
    target_start: int
    """On the forward strand of the target, like `target_end`."""
    target_end: int
    strand: PartStrand = "none"
    """Strand of the target; `none` for proteins."""


@dataclass(frozen=True, slots=True)
class Genome:
    """An opened file."""

    path: str
    records: tuple[SequenceRecord, ...]
