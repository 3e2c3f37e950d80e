"""Alignments of two sequences, and what letters are."""

from __future__ import annotations

from fcbench.core.names import JsonObject
from fcbench.workbench.alignments import align
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature
from fcbench.workbench.genes import Gene, GeneIndex
from fcbench.workbench.letters import IUPAC
from fcbench.workbench.project import Genome
from fcbench.workbench.records import SequenceRecord, coding_bases, protein_of
from fcbench.workbench.results import MAX_LETTERS, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

CORE_LETTERS = frozenset("ACGTUN")
CORE_PERCENT = 90
"""Share of A, C, G, T, U and N from which letters count as nucleotides; proteins stay far below."""


@tool("align_genes")
def align_genes(session: Session, arguments: Arguments) -> JsonObject:
    """Two genes of the open genome, aligned."""
    molecule = arguments.text("molecule")
    names = (arguments.text("gene_a"), arguments.text("gene_b"))
    one, other = (_letters(*session.coding(name), molecule) for name in names)
    return align(one, other, molecule, arguments.text("mode")).numbers


@tool("align_sequences")
def align_sequences(session: Session, arguments: Arguments) -> JsonObject:
    """The letters of the call, aligned."""
    sequences = (arguments.text("sequence_a"), arguments.text("sequence_b"))
    found = align(*sequences, arguments.text("molecule"), arguments.text("mode"))
    return {**found.numbers, "aligned_a": found.first[:MAX_LETTERS], "aligned_b": found.second[:MAX_LETTERS]}


@tool("compare_genes_between_genomes")
def compare_genes_between_genomes(session: Session, arguments: Arguments) -> JsonObject:
    """A gene of the open genome and its namesake in a comparison genome, aligned end to end."""
    molecule, label = arguments.text("molecule"), arguments.text("label")
    record, gene, cds = session.coding(arguments.text("gene_name"))
    genome = session.state.comparisons.get(label)
    if genome is None:
        there = ", ".join(sorted(session.state.comparisons)[:10]) or "none"
        raise ToolError("not_found", f"no comparison genome is loaded as {label}; loaded: {there}")
    other_record, other_gene, other_cds = _namesake(genome, gene, label)
    one = _letters(record, gene, cds, molecule)
    other = _letters(other_record, other_gene, other_cds, molecule)
    return {
        "gene": shown_symbol(gene.symbol),
        "comparison_gene": shown_symbol(other_gene.symbol),
        "length": len(one),
        "comparison_length": len(other),
        **align(one, other, molecule, "global").numbers,
    }


@tool("detect_sequence_type", engine="python")
def detect_sequence_type(session: Session, arguments: Arguments) -> JsonObject:
    """What the letters of the call are."""
    letters = arguments.text("sequence").upper()
    fits = {
        "dna": set(letters) <= set(IUPAC),
        "rna": set(letters) <= set(IUPAC) - {"T"} | {"U"},
        "protein": True,
    }
    core = 100 * sum(letter in CORE_LETTERS for letter in letters) / len(letters)
    # Letters without T and U are read as DNA, which is how databases write RNA too.
    nucleotides = [name for name in ("dna", "rna") if fits[name] and core >= CORE_PERCENT]
    molecule = nucleotides[0] if nucleotides else "protein"
    return {
        "molecule": molecule,
        "length": len(letters),
        "nucleotide_percent": round(core, 2),
        "also_possible": [name for name, possible in fits.items() if possible and name != molecule],
    }


def _letters(record: SequenceRecord, gene: Gene, cds: Feature, molecule: str) -> str:
    found = coding_bases(record, cds) if molecule == "dna" else protein_of(record, cds)
    if not found:
        raise ToolError("gene_not_found", f"{gene.name} has no coding sequence that translates")
    return found


def _namesake(genome: Genome, gene: Gene, label: str) -> tuple[SequenceRecord, Gene, Feature]:
    """The gene of a comparison genome with the same symbol; else with the same locus tag, else with a synonym."""
    index = GeneIndex(genome.records)
    names = [name for name in (gene.symbol, gene.locus_tag, *gene.synonyms) if name]
    found = next((there for there in map(index.named, names) if there), ())
    if not found:
        raise ToolError("gene_not_found", f"the comparison genome {label} has no gene named {gene.name[:40]}")
    if len(found) > 1:
        tags = ", ".join(each.locus_tag or each.name for each in found[:5])
        raise ToolError("ambiguous_gene", f"{gene.name[:40]} names {len(found)} genes in {label}: {tags}")
    if not found[0].coding:
        raise ToolError("gene_not_found", f"{found[0].name[:40]} has no coding sequence in {label}")
    record = next(each for each in genome.records if each.id == found[0].sequence_id)
    return record, found[0], found[0].coding[0]
