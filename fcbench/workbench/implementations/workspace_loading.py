"""Loading files of the session: genomes, features, reads, variants, signals and operons."""

from __future__ import annotations

from dataclasses import replace

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.feature_files import format_of, read_features
from fcbench.workbench.features import Feature
from fcbench.workbench.files import path_parts
from fcbench.workbench.opening import attach_reads, load_variants, open_genome_file, read_genome
from fcbench.workbench.operon_tables import read_operons
from fcbench.workbench.project import Genome, SignalTrack
from fcbench.workbench.results import first_items, short_text
from fcbench.workbench.session import Session
from fcbench.workbench.signal_files import read_signal
from fcbench.workbench.tools import tool

MAX_COMPARISONS = 10
"""Comparison genomes that a session holds."""
MAX_SIGNALS = 20
"""Signal tracks that a session holds."""


@tool("load_genome_file")
def load_genome_file(session: Session, arguments: Arguments) -> JsonObject:
    """Open a GenBank or FASTA file in place of the genome that is open."""
    return _genome_result(open_genome_file(session, _plain(arguments.text("file_path"))))


@tool("load_comparison_genome")
def load_comparison_genome(session: Session, arguments: Arguments) -> JsonObject:
    """Keep a second genome beside the open one, under a label."""
    label, kept = arguments.text("label"), session.state.comparisons
    if label not in kept and len(kept) >= MAX_COMPARISONS:
        raise ToolError("bad_argument", f"a session holds at most {MAX_COMPARISONS} comparison genomes")
    genome = read_genome(session, _plain(arguments.text("file_path")))
    kept[label] = genome
    return {"label": label, **_genome_result(genome)}


@tool("load_annotation_file", engine="python")
def load_annotation_file(session: Session, arguments: Arguments) -> JsonObject:
    """Add the features of a GFF3 or BED file to the open genome; all of them or none."""
    path, records = _plain(arguments.text("file_path")), session.records
    if any(feature.loaded == path for record in records for feature in record.features):
        raise ToolError("bad_argument", f"{path} is loaded already: its features are part of the genome")
    text = session.files.read_text(path)
    placed = read_features(text, records, path=path)
    added: dict[str, list[Feature]] = {}
    for each in placed:
        added.setdefault(each.sequence_id, []).append(replace(each.feature, id=session.mint("ftr"), loaded=path))
    session.put(record.with_features([*record.features, *added[record.id]]) for record in records if record.id in added)
    kinds: list[JsonValue] = [*sorted({each.feature.kind for each in placed})]
    return {
        "file_path": path,
        "file_format": format_of(path, text),
        "features_added": len(placed),
        "feature_types": list(first_items(kinds)),
        "features": sum(len(record.entries) for record in session.records),
    }


@tool("load_reads_file", engine="pysam", provenance="simulated")
def load_reads_file(session: Session, arguments: Arguments) -> JsonObject:
    """Attach an indexed BAM file in place of the one that is attached."""
    reads = attach_reads(session, _plain(arguments.text("file_path")))
    return {"file_path": reads.path, "aligned_reads": reads.mapped}


@tool("load_variant_file", engine="python", provenance="simulated")
def load_variant_file(session: Session, arguments: Arguments) -> JsonObject:
    """Load a VCF file in place of the one that is loaded."""
    loaded = load_variants(session, _plain(arguments.text("file_path")))
    names: list[JsonValue] = [*sorted({each.sequence_id[:40] for each in loaded.variants})]
    return {"file_path": loaded.path, "variants": len(loaded.variants), "sequence_ids": list(first_items(names))}


@tool("load_signal_tracks", engine="python")
def load_signal_tracks(session: Session, arguments: Arguments) -> JsonObject:
    """Load bedGraph or WIG files as tracks; all of them or none. A file that is loaded again replaces its track."""
    paths = list(dict.fromkeys(_plain(path) for path in arguments.texts("file_paths")))
    records, kept = session.records, [each for each in session.state.signals if each.path not in paths]
    if len(kept) + len(paths) > MAX_SIGNALS:
        raise ToolError("bad_argument", f"a session holds at most {MAX_SIGNALS} signal tracks; {len(kept)} are loaded")
    tracks = [read_signal(session.files.read_text(path), records, path=path) for path in paths]
    session.state.signals = [*kept, *tracks]
    return {"count": len(tracks), "tracks": [_track_item(track) for track in tracks]}


@tool("load_operon_table", engine="python")
def load_operon_table(session: Session, arguments: Arguments) -> JsonObject:
    """Read operons and their genes in place of the table that is loaded."""
    path, index = _plain(arguments.text("file_path")), session.genes
    operons = read_operons(session.files.read_text(path), path=path)
    genes = [gene for each in operons.values() for gene in each]
    unknown: list[JsonValue] = [*sorted({gene for gene in genes if not index.named(gene)})]
    session.state.operons, session.state.operon_file = operons, path
    return {
        "file_path": path,
        "operon_count": len(operons),
        "gene_count": len(genes),
        "unknown_genes": list(first_items(unknown)),
    }


def _plain(path: str) -> str:
    """A path in the one form in which the session keeps it.

    Raises:
        ToolError: `path_refused`.
    """
    return "/".join(path_parts(path))


def _genome_result(genome: Genome) -> JsonObject:
    records = genome.records
    items: list[JsonValue] = [
        {"sequence_id": record.id[:40], "length": record.length, "topology": record.topology} for record in records
    ]
    return {
        "file_path": genome.path,
        "organism": short_text(next((record.organism for record in records if record.organism), ""), 200),
        "sequences": list(first_items(items)),
        "features": sum(len(record.entries) for record in records),
    }


def _track_item(track: SignalTrack) -> JsonObject:
    """A track with its mean over the bases that have a value."""
    weights = [end - start + 1 for _, start, end, _ in track.values]
    values = [value for *_, value in track.values]
    total = sum(value * weight for value, weight in zip(values, weights, strict=True))
    return {
        "file_path": track.path,
        "values": len(values),
        "min": round(min(values), 4),
        "max": round(max(values), 4),
        "mean": round(total / sum(weights), 4),
    }
