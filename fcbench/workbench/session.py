"""The session: everything that the tools of one attempt read and change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature
from fcbench.workbench.files import FileRoom
from fcbench.workbench.genes import Gene, GeneIndex
from fcbench.workbench.project import (
    Change,
    ChecklistTask,
    Clip,
    Edit,
    Genome,
    Hit,
    Primer,
    ReadsFile,
    SearchDatabase,
    SignalTrack,
    Snapshot,
    VariantFile,
)
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.view import FIRST_WIDTH, Range, View


@dataclass
class State:
    """All that is prepared once, copied for each attempt, and compared at the end."""

    genome: Genome | None = None
    """What is open. Set it through `Session.open_genome` or `Session.put`."""
    comparisons: dict[str, Genome] = field(default_factory=dict)
    """Further genomes by label."""
    view: View = field(default_factory=View)
    edits: list[Edit] = field(default_factory=list)
    """The edit queue, executed edits included, in order of queueing."""
    snapshots: list[Snapshot] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    """History of the features, oldest first."""
    primers: dict[str, Primer] = field(default_factory=dict)
    reads: ReadsFile | None = None
    variants: VariantFile | None = None
    signals: list[SignalTrack] = field(default_factory=list)
    operons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Operon -> its genes, from a loaded table."""
    operon_file: str = ""
    """Where the operons came from; empty without any."""
    databases: dict[str, SearchDatabase] = field(default_factory=dict)
    clipboard: Clip | None = None
    tasks: list[ChecklistTask] = field(default_factory=list)
    last_hits: tuple[Hit, ...] | None = None
    """Of the last similarity search; None before the first."""
    folder: str = ""
    """Working folder below the output folder: what relative paths of outputs start from."""
    counters: dict[str, int] = field(default_factory=lambda: {"tab": 1})
    """Kind of id -> the last number that was minted; the first tab is there from the start."""


class Session:
    """The state of one attempt with its files.

    Tools change it through `state`; the methods here are the shared way to name a sequence, a range or a gene, so that
    every tool raises the same errors with the same words.
    """

    def __init__(self, state: State, files: FileRoom) -> None:
        self.state = state
        self.files = files
        self._index: GeneIndex | None = None

    @property
    def view(self) -> View:
        """The state of the screen."""
        return self.state.view

    @property
    def genome(self) -> Genome:
        """The open genome.

        Raises:
            ToolError: `no_genome`.
        """
        if self.state.genome is None:
            raise ToolError("no_genome", "no genome is open; a GenBank or FASTA file has to be loaded first")
        return self.state.genome

    @property
    def records(self) -> tuple[SequenceRecord, ...]:
        """The sequences of the open genome.

        Raises:
            ToolError: `no_genome`.
        """
        return self.genome.records

    @property
    def genes(self) -> GeneIndex:
        """The genes of the open genome.

        Raises:
            ToolError: `no_genome`.
        """
        if self._index is None:
            self._index = GeneIndex(self.records)
        return self._index

    def record(self, sequence_id: str | None = None) -> SequenceRecord:
        """The sequence of an accession; without one the sequence in view.

        Raises:
            ToolError: `no_genome`, or `unknown_sequence` with the accessions there are.
        """
        records = self.records
        if sequence_id is None:
            shown = self.view.tab.shown
            wanted = shown.sequence_id if shown else records[0].id
            return next((record for record in records if record.id == wanted), records[0])
        for record in records:
            if record.answers_to(sequence_id):
                return record
        there = ", ".join(record.id for record in records[:10])
        raise ToolError("unknown_sequence", f"the open genome has no sequence {sequence_id}; it has {there}")

    def unedited(self, identifier: str) -> SequenceRecord:
        """The sequence of an id as it was opened, before any batch of edits; features may have changed since.

        Raises:
            ToolError: `no_genome`.
        """
        records = self.state.snapshots[0].records if self.state.snapshots else self.records
        return next(record for record in records if record.id == identifier)

    def span(self, start: int, end: int, sequence_id: str | None = None) -> tuple[SequenceRecord, int, int]:
        """The record and the range, checked.

        Raises:
            ToolError: `no_genome`, `unknown_sequence` or `bad_range`.
        """
        record = self.record(sequence_id)
        if not 1 <= start <= end <= record.length:
            wanted = f"a range of {record.id} lies in 1 to {record.length}, start first"
            raise ToolError("bad_range", f"{wanted}; found {start} to {end}")
        return record, start, end

    def position(self, position: int, sequence_id: str | None = None) -> tuple[SequenceRecord, int]:
        """The record and one base of it, checked.

        Raises:
            ToolError: `no_genome`, `unknown_sequence` or `bad_range`.
        """
        record = self.record(sequence_id)
        if not 1 <= position <= record.length:
            raise ToolError("bad_range", f"a base of {record.id} lies in 1 to {record.length}; not {position}")
        return record, position

    def gene(self, name: str) -> tuple[SequenceRecord, Gene]:
        """The one gene of a name, with its record.

        Raises:
            ToolError: `no_genome`, `gene_not_found` or `ambiguous_gene`.
        """
        gene = self.genes.one(name)
        return self.record(gene.sequence_id), gene

    def coding(self, name: str) -> tuple[SequenceRecord, Gene, Feature]:
        """The one gene of a name with its coding sequence; of several the first in the file.

        Raises:
            ToolError: `no_genome`, `gene_not_found` (also where the gene has no coding sequence) or `ambiguous_gene`.
        """
        record, gene = self.gene(name)
        if not gene.coding:
            raise ToolError("gene_not_found", f"{gene.name} is annotated without a coding sequence")
        return record, gene, gene.coding[0]

    def mint(self, prefix: str) -> str:
        """The next id of a kind: `act-1`, `act-2`, ... Numbers are never used again in a session."""
        self.state.counters[prefix] = self.state.counters.get(prefix, 0) + 1
        return f"{prefix}-{self.state.counters[prefix]}"

    def open_genome(self, genome: Genome) -> None:
        """Replace the open genome, and show its first bases.

        What belongs to the old one goes: edits, snapshots, history, marks, selection, and the files loaded for it.
        """
        view = self.view
        self.state.genome, self._index = genome, None
        # Features that are added from a file later get the numbers that follow.
        self.state.counters["ftr"] = sum(len(record.features) for record in genome.records)
        self.state.edits, self.state.snapshots, self.state.changes = [], [], []
        self.state.reads = self.state.variants = None
        self.state.signals, self.state.operons, self.state.operon_file = [], {}, ""
        view.highlights, view.selection = [], None
        first = genome.records[0]
        shown = Range(first.id, 1, min(FIRST_WIDTH, first.length))
        view.tabs = [replace(tab, shown=shown) for tab in view.tabs]

    def put(self, records: Iterable[SequenceRecord]) -> None:
        """Put changed records in place of those with the same id; the gene index is made anew when it is asked for.

        Raises:
            ToolError: `no_genome`.
        """
        changed = {record.id: record for record in records}
        kept = tuple(changed.get(record.id, record) for record in self.records)
        self.state.genome, self._index = replace(self.genome, records=kept), None

    def feature(self, identifier: str) -> tuple[SequenceRecord, Feature]:
        """The feature of an id (`ftr-12`, `ann-1`), with its record.

        Raises:
            ToolError: `no_genome` or `not_found`.
        """
        for record in self.records:
            for feature in record.features:
                if feature.id == identifier:
                    return record, feature
        raise ToolError("not_found", f"no feature has the id {identifier}; ids look like ftr-12 or ann-1")

    def shown_range(self) -> tuple[SequenceRecord, int, int]:
        """The range in view.

        Raises:
            ToolError: `no_genome`.
        """
        record = self.record()
        shown = self.view.tab.shown or Range(record.id, 1, min(FIRST_WIDTH, record.length))
        return record, min(shown.start, record.length), min(shown.end, record.length)
