"""Opening files in a session: what a fixture does at the start, and a tool in the middle."""

from __future__ import annotations

from fcbench.workbench.bam_index import check_index
from fcbench.workbench.engines import pysam_engine
from fcbench.workbench.errors import ToolError
from fcbench.workbench.genbank import read_records
from fcbench.workbench.project import Genome, ReadsFile, VariantFile
from fcbench.workbench.session import Session
from fcbench.workbench.vcf import read_variants

_FASTA = (".fasta", ".fa", ".fna", ".ffn")


def genome_format(path: str) -> str:
    """`fasta` or `genbank`, by the name of the file."""
    return "fasta" if path.lower().endswith(_FASTA) else "genbank"


def read_genome(session: Session, path: str, file_format: str | None = None) -> Genome:
    """The genome in a file of the fixture; the session stays as it is.

    Raises:
        ToolError: `path_refused`, `file_not_found` or `parse_error`.
    """
    text = session.files.read_text(path)
    return Genome(path=path, records=read_records(text, file_format or genome_format(path), name=path))


def open_genome_file(session: Session, path: str, file_format: str | None = None) -> Genome:
    """Open a file of the fixture as the genome; the session is unchanged where that fails.

    Raises:
        ToolError: `path_refused`, `file_not_found` or `parse_error`.
    """
    genome = read_genome(session, path, file_format)
    session.open_genome(genome)
    return genome


def attach_reads(session: Session, path: str) -> ReadsFile:
    """Attach a sorted and indexed BAM file whose sequences are those of the open genome.

    Raises:
        ToolError: `no_genome`, `path_refused`, `file_not_found`, `parse_error` or `engine_unavailable`.
    """
    records = session.records
    place = session.files.input_path(path)
    check_index(session.files.input_path(f"{path}.bai"), place.stat().st_size, name=path)
    pysam = pysam_engine()
    try:
        with pysam.AlignmentFile(str(place), "rb") as reads:
            there = dict(zip(reads.references, reads.lengths, strict=True))
            indexed = reads.has_index()
            mapped = reads.mapped if indexed else 0
    except (OSError, ValueError) as error:
        # What pysam says holds the place of the file on this machine.
        raise ToolError("parse_error", f"{path} does not read as BAM") from error
    fits = any(there.get(record.id) == record.length for record in records)
    if not (fits and indexed):
        named = ", ".join(f"{name} ({length} bases)" for name, length in list(there.items())[:5])
        raise ToolError("parse_error", f"{path} has no index, or is aligned to another genome: it names {named}")
    session.state.reads = ReadsFile(path=path, mapped=int(mapped))
    return session.state.reads


def load_variants(session: Session, path: str) -> VariantFile:
    """Load a VCF file; every REF is compared with the open genome.

    Raises:
        ToolError: `no_genome`, `path_refused`, `file_not_found`, `parse_error`, `unknown_sequence` or `ref_mismatch`.
    """
    records = {record.id: record for record in session.records}
    variants = read_variants(session.files.read_text(path), name=path)
    for variant in variants:
        record = records.get(variant.sequence_id)
        if record is None:
            raise ToolError("unknown_sequence", f"{path} names {variant.sequence_id}, which the genome does not have")
        there = record.sequence[variant.position - 1 : variant.position - 1 + len(variant.ref)]
        if there != variant.ref:
            place = f"{variant.sequence_id}:{variant.position}"
            raise ToolError("ref_mismatch", f"{path} says {variant.ref[:50]} at {place}; the genome has {there[:50]}")
    session.state.variants = VariantFile(path=path, variants=variants)
    return session.state.variants
