"""GFF3 text (Sequence Ontology GFF3, version 1.26): one line a part, phases, percent-encoded attributes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from fcbench.workbench.features import Feature
from fcbench.workbench.genes import genes_of
from fcbench.workbench.records import SequenceRecord

ONTOLOGY = {
    "3'UTR": "three_prime_UTR",
    "5'UTR": "five_prime_UTR",
    "D-loop": "D_loop",
    "RBS": "ribosome_entry_site",
    "conflict": "sequence_conflict",
    "mat_peptide": "mature_protein_region",
    "misc_RNA": "transcript",
    "misc_binding": "binding_site",
    "misc_difference": "sequence_difference",
    "mobile_element": "mobile_genetic_element",
    "primer_bind": "primer_binding_site",
    "protein_bind": "protein_binding_site",
    "regulatory": "regulatory_region",
    "rep_origin": "origin_of_replication",
    "sig_peptide": "signal_peptide",
    "source": "region",
    "variation": "sequence_alteration",
}
"""GenBank feature key -> term of the Sequence Ontology, where the two differ."""
SAME_TERM = (
    *("CDS", "exon", "gene", "intron", "mRNA", "ncRNA", "operon", "oriT", "promoter", "rRNA", "repeat_region"),
    *("stem_loop", "tRNA", "telomere", "terminator", "tmRNA"),
)
"""Feature keys that are terms themselves; every other key is written as `sequence_feature`."""
TRANSCRIBED = ("CDS", "mRNA", "tRNA", "rRNA", "tmRNA", "ncRNA", "misc_RNA")
"""Kinds that are children of their gene entry."""
_LEFT_OUT = ("translation", "codon_start")
"""Qualifiers that the file says otherwise or that can be derived: the phase stands in a column."""
_RESERVED = {"note": "Note", "db_xref": "Dbxref"}
_UNSAFE = re.compile(r"[\x00-\x1f\x7f%;=&,]")
_UNSAFE_ID = re.compile(r"[^A-Za-z0-9.:^*$@!+_?|-]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """One line of a feature."""

    start: int
    end: int
    """Beyond the length of the sequence where the stretch crosses the origin, as GFF3 wants it."""
    strand: str
    phase: str
    """Bases before the first whole codon of the stretch, for coding sequences; else a dot."""


def gff_text(records: Iterable[SequenceRecord], kinds: Collection[str], *, with_sequence: bool) -> tuple[str, int]:
    """Records as GFF3 text, and the number of features in it.

    Args:
        records: sequences with features.
        kinds: feature keys to write; empty for all. The line of the whole sequence is always there.
        with_sequence: whether a FASTA section follows.
    """
    found = list(records)
    lines, written, numbers = ["##gff-version 3"], 0, dict[str, int]()
    for record in found:
        lines.append(f"##sequence-region {_id(record.id)} 1 {record.length}")
    for record in found:
        lines.append(_whole(record))
        names = _names(record, numbers)
        parents = _parents(record)
        for feature in record.entries:
            if kinds and feature.kind not in kinds:
                continue
            parent = parents.get(feature.id)
            shown = names[parent] if parent and (not kinds or "gene" in kinds) else ""
            lines += _feature_lines(record, feature, names[feature.id], shown)
            written += 1
    if with_sequence:
        lines.append("##FASTA")
        for record in found:
            letters = record.sequence
            lines += [f">{_id(record.id)}", *(letters[at : at + 70] for at in range(0, len(letters), 70))]
    return "\n".join([*lines, ""]), written


def stretches(feature: Feature, length: int) -> list[Stretch]:
    """The lines of a feature in order of place; parts that meet at the origin are one.

    Args:
        feature: of a sequence.
        length: of the sequence, in bases.
    """
    found: list[tuple[int, int, str]] = []
    for part in feature.parts:
        # A place between two bases: start and end are the base to its left.
        start, end = part.start, part.start if part.between else part.end
        sign = {"none": "."}.get(part.strand, part.strand)
        if feature.wraps and found and found[-1][2] == sign:
            before = found[-1]
            if sign != "-" and before[1] == length and start == 1:
                found[-1] = (before[0], length + end, sign)
                continue
            if sign == "-" and before[0] == 1 and end == length:
                found[-1] = (start, length + before[1], sign)
                continue
        found.append((start, end, sign))
    first = feature.first("codon_start")
    left = int(first) - 1 if first in ("2", "3") else 0
    made = []
    for start, end, sign in found:
        made.append(Stretch(start, end, sign, str(left) if feature.kind == "CDS" else "."))
        left = (left - (end - start + 1)) % 3
    return sorted(made, key=lambda each: (each.start, each.end))


def _whole(record: SequenceRecord) -> str:
    source = next((feature for feature in record.features if feature.kind == "source"), None)
    known = [("ID", (record.id,)), *([("Is_circular", ("true",))] if record.circular else [])]
    return _line(record, "region", Stretch(1, record.length, "+", "."), [*known, *_qualifiers(source)])


def _feature_lines(record: SequenceRecord, feature: Feature, name: str, parent: str) -> Iterator[str]:
    shown = feature.gene or feature.first("locus_tag") or feature.first("label")
    known = [("ID", (name,)), *([("Name", (shown,))] if shown else []), *([("Parent", (parent,))] if parent else [])]
    if any(part.open_start or part.open_end for part in feature.parts):
        known.append(("partial", ("true",)))
    attributes = [*known, *_qualifiers(feature)]
    for stretch in stretches(feature, record.length):
        yield _line(record, term(feature.kind), stretch, attributes)


def term(kind: str) -> str:
    """The Sequence Ontology term of a GenBank feature key."""
    return ONTOLOGY.get(kind) or (kind if kind in SAME_TERM else "sequence_feature")


def _line(
    record: SequenceRecord, kind: str, stretch: Stretch, attributes: Iterable[tuple[str, tuple[str, ...]]]
) -> str:
    last = ";".join(f"{key}={','.join(_text(value) for value in values)}" for key, values in attributes)
    place = (str(stretch.start), str(stretch.end), ".", stretch.strand, stretch.phase)
    return "\t".join((_id(record.id), ".", kind, *place, last))


def _qualifiers(feature: Feature | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Attributes of the qualifiers, sorted; names with a capital letter are reserved in GFF3."""
    for key, values in sorted(feature.qualifiers.items() if feature else ()):
        if key not in _LEFT_OUT:
            # A qualifier without a value, such as /pseudo, is a flag.
            yield _text(_RESERVED.get(key, key.lower())), tuple(value or "true" for value in values) or ("true",)


def _names(record: SequenceRecord, numbers: dict[str, int]) -> dict[str, str]:
    """Feature id -> its ID in the file, such as `CDS-12`: numbered in order of place, over all records of a file."""
    found = {}
    for feature in record.entries:
        numbers[feature.kind] = numbers.get(feature.kind, 0) + 1
        found[feature.id] = f"{feature.kind}-{numbers[feature.kind]}"
    return found


def _parents(record: SequenceRecord) -> dict[str, str]:
    """Feature id -> id of its gene entry, for what is transcribed from a gene."""
    return {
        feature.id: gene.main.id
        for gene in genes_of(record)
        if gene.main.kind == "gene"
        for feature in gene.features
        if feature.kind in TRANSCRIBED
    }


def _text(value: str) -> str:
    line = " ".join(value.split())
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", line)


def _id(value: str) -> str:
    return _UNSAFE_ID.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace")), value)
