"""Letters of the genome, of genes and of the call."""

from __future__ import annotations

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.letters import dna, reverse_complement, translate
from fcbench.workbench.records import coding_bases, protein_of
from fcbench.workbench.results import letters_result, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool


@tool("get_sequence", engine="python")
def get_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The bases of a range on one strand."""
    strand = arguments.text("strand")
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    letters = record.bases(start, end, "-" if strand == "-" else "+")
    return {"start": start, "end": end, "strand": strand, **letters_result(letters)}


@tool("get_coding_sequence", engine="python")
def get_coding_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The coding DNA of a gene, exons joined."""
    record, gene, cds = session.coding(arguments.text("gene_name"))
    return {"gene": shown_symbol(gene.symbol), **letters_result(coding_bases(record, cds))}


@tool("get_multiple_coding_sequences", engine="python")
def get_multiple_coding_sequences(session: Session, arguments: Arguments) -> JsonObject:
    """The coding DNA of several genes, in the order of the call; all are found or none is returned."""
    found = [session.coding(name) for name in arguments.texts("gene_names")]
    sequences: list[JsonObject] = [
        {"gene": shown_symbol(gene.symbol), **letters_result(coding_bases(record, cds))} for record, gene, cds in found
    ]
    return {"count": len(sequences), "sequences": sequences}


@tool("get_protein_sequence", engine="python")
def get_protein_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The protein of a gene, as stored with the annotation."""
    record, gene, cds = session.coding(arguments.text("gene_name"))
    protein = protein_of(record, cds)
    if not protein:
        raise ToolError("gene_not_found", f"{gene.name} has no coding sequence that translates")
    return {"gene": shown_symbol(gene.symbol), "protein_id": cds.first("protein_id")[:40], **letters_result(protein)}


@tool("get_upstream_sequence", engine="python")
def get_upstream_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The bases before the start codon, on the strand of the gene; fewer where a linear sequence begins earlier."""
    record, gene = session.gene(arguments.text("gene_name"))
    wanted = arguments.integer("length")
    first = gene.coding[0].parts[0] if gene.coding else gene.main.parts[0]
    start, end = record.arc(first.end + 1 if first.strand == "-" else first.start - wanted, wanted)
    if start > end and not record.circular:
        raise ToolError("bad_range", f"{gene.name} begins at the edge of {record.id}: nothing lies before it")
    letters = record.bases_of_arc(start, end, first.strand)
    strand = "-" if first.strand == "-" else "+"
    return {
        "gene": shown_symbol(gene.symbol),
        "start": start,
        "end": end,
        "strand": strand,
        "sequence": letters,
        "length": len(letters),
    }


@tool("reverse_complement", engine="python")
def reverse_complement_of_letters(session: Session, arguments: Arguments) -> JsonObject:
    """The reverse complement of the letters of the call."""
    letters = reverse_complement(dna(arguments.text("sequence")))
    return {"sequence": letters, "length": len(letters)}


@tool("translate_dna")
def translate_dna(session: Session, arguments: Arguments) -> JsonObject:
    """The letters of the call, translated in one forward frame."""
    letters = dna(arguments.text("sequence"))[arguments.integer("frame") - 1 :]
    protein = translate(letters, arguments.integer("genetic_code"), to_stop=arguments.flag("to_stop"))
    return {"protein": protein, "length": len(protein)}
