"""Sequence records: the letters of one molecule and its features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from fcbench.workbench.features import Feature, PartStrand, arranged
from fcbench.workbench.letters import reverse_complement, start_codons, translate

Topology = Literal["linear", "circular"]


@dataclass(frozen=True, eq=False)
class SequenceRecord:
    """One sequence of a genome. Never changed in place: an edit makes another record.

    Sessions share the records of their fixture, and what is derived from a record is kept by its identity.
    """

    id: str
    """Accession with version, such as `D10483.2`."""
    name: str
    """LOCUS name."""
    description: str
    organism: str
    molecule: str
    """As GenBank writes it: `DNA`, `ss-RNA`, ..."""
    topology: Topology
    sequence: str
    """Upper-case DNA letters; RNA genomes are written with T, as GenBank does."""
    features: tuple[Feature, ...] = ()
    """In the order of the file; the `source` entry is among them."""
    header: dict[str, str] = field(default_factory=dict)
    """Further header lines that an export repeats: accessions, links, division, date, keywords, source, taxonomy."""

    @property
    def length(self) -> int:
        """Bases."""
        return len(self.sequence)

    @property
    def circular(self) -> bool:
        """Whether the ends are joined."""
        return self.topology == "circular"

    @property
    def entries(self) -> tuple[Feature, ...]:
        """The features without the `source` entry, in order of place, then of the file."""
        shown = [feature for feature in self.features if feature.kind != "source"]
        return tuple(sorted(shown, key=lambda feature: (feature.start, feature.end)))

    def answers_to(self, accession: str) -> bool:
        """Whether an accession (with or without version) or LOCUS name means this record."""
        wanted = accession.casefold()
        return wanted in (self.id.casefold(), self.id.partition(".")[0].casefold(), self.name.casefold())

    def bases(self, start: int, end: int, strand: PartStrand = "+") -> str:
        """The letters of a range inside the record, read 5' to 3' on a strand. Bounds are the caller's care."""
        letters = self.sequence[start - 1 : end]
        return reverse_complement(letters) if strand == "-" else letters

    def arc(self, start: int, count: int) -> tuple[int, int]:
        """First and last base of `count` bases from `start` on; on a circular record the range may cross the origin.

        `start` may lie outside the record: there it counts on round a circle, and is cut off on a linear record, where
        nothing may remain (then the last base lies before the first).
        """
        if not self.circular:
            return max(start, 1), min(start + count - 1, self.length)
        count = min(count, self.length)
        return (start - 1) % self.length + 1, (start + count - 2) % self.length + 1

    def bases_of_arc(self, start: int, end: int, strand: PartStrand = "+") -> str:
        """The letters of a range as `arc` gives it: over the origin where the end lies before the start."""
        letters = self.sequence[start - 1 : end] if start <= end else self.sequence[start - 1 :] + self.sequence[:end]
        return reverse_complement(letters) if strand == "-" else letters

    def with_features(self, features: Iterable[Feature]) -> SequenceRecord:
        """The record with these features instead, in the order of `arranged`."""
        return replace(self, features=arranged(features))

    def spliced(self, feature: Feature) -> str:
        """The letters of a feature's parts, joined in reading order."""
        return "".join(self.bases(part.start, part.end, part.strand) for part in feature.parts if not part.between)


def coding_bases(record: SequenceRecord, cds: Feature) -> str:
    """The coding DNA of a CDS from its first whole codon (`codon_start`) on."""
    first = cds.first("codon_start")
    return record.spliced(cds)[int(first) - 1 if first in ("2", "3") else 0 :]


def genetic_code_of(cds: Feature) -> int:
    """The NCBI genetic code that a CDS declares; 1 where it declares none, as GenBank defines."""
    declared = cds.first("transl_table")
    return int(declared) if declared.isascii() and declared.isdigit() else 1


def begins_whole(record: SequenceRecord, cds: Feature) -> bool:
    """Whether a CDS begins with a start codon of its genetic code, which is read as methionine whichever it is.

    It does not where the record says that its beginning is not there: `<` at its first base, or a `codon_start`.
    """
    first = cds.parts[0]
    is_open = first.open_end if first.strand == "-" else first.open_start
    if is_open or cds.first("codon_start") in ("2", "3"):
        return False
    return record.spliced(cds)[:3] in start_codons(genetic_code_of(cds))


def protein_of(record: SequenceRecord, cds: Feature) -> str:
    """The protein as stored with the annotation; where none is stored, the translation up to the stop.

    The start codon of a whole coding sequence is read as M, whichever it is.
    """
    stored = cds.first("translation")
    if stored:
        return stored
    residues = translate(coding_bases(record, cds), genetic_code_of(cds), to_stop=True)
    return f"M{residues[1:]}" if residues and begins_whole(record, cds) else residues
