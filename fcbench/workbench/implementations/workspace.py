"""What is open in the session, and where its outputs go."""

from __future__ import annotations

from collections import Counter

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.files import path_parts
from fcbench.workbench.letters import gc_percent
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import first_items, listing, short_text
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

_TOP = "."
"""The output folder itself, as a working folder."""


@tool("get_genome_summary")
def get_genome_summary(session: Session, arguments: Arguments) -> JsonObject:
    """Organism, sequences, composition and features of the open genome."""
    records = session.records
    kinds = Counter(feature.kind[:30] for record in records for feature in record.entries)
    by_kind = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))
    items: list[JsonValue] = [{"feature_type": kind, "count": count} for kind, count in by_kind]
    return {
        "organism": short_text(next((record.organism for record in records if record.organism), ""), 200),
        "sequences": [_sequence_item(record) for record in first_items(records)],
        "gc_percent": gc_percent("".join(record.sequence for record in records)),
        "gene_count": kinds["gene"],
        "cds_count": kinds["CDS"],
        "feature_counts": list(first_items(items)),
    }


@tool("list_sequences", engine="session", provenance="state")
def list_sequences(session: Session, arguments: Arguments) -> JsonObject:
    """The sequences of the open genome."""
    return listing("sequences", [_sequence_item(record) for record in session.records])


@tool("list_loaded_files", engine="session", provenance="state")
def list_loaded_files(session: Session, arguments: Arguments) -> JsonObject:
    """Every file whose content the session holds."""
    state = session.state
    files: list[JsonValue] = []
    if state.genome is not None:
        files.append(_file_item("genome", state.genome.path, len(state.genome.records)))
    for label, genome in sorted(state.comparisons.items()):
        files.append({**_file_item("comparison_genome", genome.path, len(genome.records)), "label": label})
    files += [_file_item("annotation", path, count) for path, count in sorted(_loaded_features(session).items())]
    if state.operons:
        files.append(_file_item("operons", state.operon_file, len(state.operons)))
    if state.reads is not None:
        files.append(_file_item("reads", state.reads.path, state.reads.mapped))
    if state.variants is not None:
        files.append(_file_item("variants", state.variants.path, len(state.variants.variants)))
    files += [_file_item("signal", each.path, len(each.values)) for each in state.signals]
    return listing("files", files)


@tool("set_working_directory", engine="session", provenance="state")
def set_working_directory(session: Session, arguments: Arguments) -> JsonObject:
    """Where relative paths of outputs start from; nothing is written yet."""
    given = arguments.text("folder").removesuffix("/")
    session.state.folder = "" if given == _TOP else "/".join(path_parts(given))
    return {"folder": session.state.folder or _TOP}


def _loaded_features(session: Session) -> Counter[str]:
    """File -> features of it that the genome holds; an undone batch or a deletion may have taken some away."""
    records = session.records if session.state.genome is not None else ()
    return Counter(feature.loaded for record in records for feature in record.features if feature.loaded)


def _sequence_item(record: SequenceRecord) -> JsonObject:
    return {
        "sequence_id": record.id[:40],
        "description": short_text(record.description, 200),
        "length": record.length,
        "topology": record.topology,
        "features": len(record.entries),
    }


def _file_item(kind: str, path: str, items: int) -> JsonObject:
    return {"kind": kind, "file_path": path, "items": items}
