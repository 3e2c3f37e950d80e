"""Files of bases: GenBank, and FASTA of the genome, of a range, of coding sequences and of proteins."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.fasta import fasta_entry, feature_entry, range_entry
from fcbench.workbench.features import Feature
from fcbench.workbench.genbank import genbank_text
from fcbench.workbench.records import SequenceRecord, coding_bases, protein_of
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool


@tool("export_genbank")
def export_genbank(session: Session, arguments: Arguments) -> JsonObject:
    """One sequence with its features as GenBank."""
    record = session.record(arguments.sequence_id)
    path = _write(session, arguments, genbank_text([record]))
    return {"file_path": path, "sequences": 1, "features": len(record.features)}


@tool("export_genome_fasta", engine="python")
def export_genome_fasta(session: Session, arguments: Arguments) -> JsonObject:
    """Every sequence, whole."""
    records, width = session.records, arguments.integer("line_width")
    entries = (fasta_entry(record.id, record.description, record.sequence, width) for record in records)
    path = _write(session, arguments, "".join(entries))
    return {"file_path": path, "sequences": len(records), "length": sum(record.length for record in records)}


@tool("export_region_fasta", engine="python")
def export_region_fasta(session: Session, arguments: Arguments) -> JsonObject:
    """The bases of a range on one strand."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    path = _write(session, arguments, range_entry(record, start, end, arguments.text("strand")))
    return {"file_path": path, "start": start, "end": end}


@tool("export_view_fasta", engine="python")
def export_view_fasta(session: Session, arguments: Arguments) -> JsonObject:
    """The bases of the range in view."""
    record, start, end = session.shown_range()
    text = (
        range_entry(record, start, end)
        if arguments.flag("include_coordinates")
        else fasta_entry(record.id, record.description, record.bases(start, end))
    )
    path = _write(session, arguments, text)
    return {"file_path": path, "sequence_id": record.id[:40], "start": start, "end": end}


@tool("export_cds_fasta", engine="python")
def export_cds_fasta(session: Session, arguments: Arguments) -> JsonObject:
    """The coding DNA of all genes or of chosen ones."""
    return _write_coding(session, arguments, "cds", coding_bases)


@tool("export_protein_fasta", engine="python")
def export_protein_fasta(session: Session, arguments: Arguments) -> JsonObject:
    """The proteins of all genes or of chosen ones."""
    return _write_coding(session, arguments, "prot", protein_of)


def _write_coding(
    session: Session, arguments: Arguments, word: str, letters_of: Callable[[SequenceRecord, Feature], str]
) -> JsonObject:
    """A file with one entry a coding sequence; those without letters are left out.

    Raises:
        ToolError: as `Session.coding`, and `gene_not_found` where nothing would be written for a chosen gene or at all.
    """
    genes = [session.coding(name)[1] for name in arguments.texts("gene_names")]
    chosen = {feature.id for gene in genes for feature in gene.coding}
    found = [
        (feature.id, feature_entry(name, feature, letters), len(letters))
        for record in session.records
        for name, feature in _coding(record, word)
        if (not genes or feature.id in chosen) and (letters := letters_of(record, feature))
    ]
    written = {identifier for identifier, _, _ in found}
    for gene in genes:
        if not any(feature.id in written for feature in gene.coding):
            raise ToolError("gene_not_found", f"{gene.name} has no coding sequence that translates")
    if not found:
        raise ToolError("gene_not_found", "the open genome is annotated without a coding sequence")
    path = _write(session, arguments, "".join(entry for _, entry, _ in found))
    return {"file_path": path, "count": len(found), "length": sum(length for _, _, length in found)}


def _coding(record: SequenceRecord, word: str) -> Iterator[tuple[str, Feature]]:
    """Every coding sequence with its name in the file, such as `D10483.2_cds_BAB96567.1_3`; numbered by place."""
    coding = (feature for feature in record.entries if feature.kind == "CDS")
    for number, feature in enumerate(coding, start=1):
        yield "_".join(each for each in (record.id, word, feature.first("protein_id"), str(number)) if each), feature


def _write(session: Session, arguments: Arguments, text: str) -> str:
    """Write the file of a call below the working folder, and give its path."""
    return session.files.write_text(arguments.text("file_path"), text, folder=session.state.folder)
