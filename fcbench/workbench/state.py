"""What a session leaves behind, as canonical digests (PROTOCOL 3, rule 6).

Two sessions that were led to the same place have the same digests, whatever the way: minted ids, the order of edits in
the queue, of marks and of added features, the history of changes and the names of the files that features and operons
came from are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from fcbench.core.canonical import canonical_text, digest, digest_bytes, digest_text
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.workbench.features import Feature
from fcbench.workbench.project import Genome
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.session import Session

_LEFT_OUT = ("id", "origin", "edited", "loaded")
"""Fields of a feature that tell how it came to be, not what it is."""


def end_state(session: Session) -> JsonObject:
    """Digests of project, files, view and session, and the facts that a reader of a verdict can follow."""
    return {
        "project": digest(_project(session)),
        "files": digest(dict(session.files.written)),
        "view": digest(_view(session)),
        "session": digest(_session(session)),
        "facts": _facts(session),
    }


def _project(session: Session) -> JsonObject:
    state = session.state
    pending = [edit for edit in state.edits if edit.status == "pending"]
    return {
        "genome": _genome(state.genome),
        "comparisons": {label: _genome(genome) for label, genome in state.comparisons.items()},
        "pending": _unordered(_without_id(edit) for edit in pending),
        "primers": _plain(state.primers),
        "reads": _plain(state.reads),
        "variants": _plain(state.variants),
        "signals": _unordered(_plain(signal) for signal in state.signals),
        "operons": _plain(state.operons),
        "databases": _plain(state.databases),
    }


def _view(session: Session) -> JsonObject:
    view = session.view
    front = view.tab
    return {
        "tabs": _unordered(_without_id(tab) for tab in view.tabs),
        "front": _without_id(front),
        "visible": _plain(view.visible),
        "settings": _plain(view.settings),
        "highlights": _unordered(_without_id(mark) for mark in view.highlights),
        "bookmarks": _plain(view.bookmarks),
        "saved": _plain(view.saved),
        "selection": _plain(view.selection),
    }


def _session(session: Session) -> JsonObject:
    state = session.state
    return {
        "clipboard": _plain(state.clipboard),
        "tasks": _unordered(_without_id(task) for task in state.tasks),
        "folder": state.folder,
    }


def _facts(session: Session) -> JsonObject:
    genome = session.state.genome
    records = genome.records if genome else ()
    return {
        "lengths": {record.id: record.length for record in records},
        "features": sum(len(record.entries) for record in records),
        "pending_edits": sum(edit.status == "pending" for edit in session.state.edits),
        "files": sorted(session.files.written),
    }


def _genome(genome: Genome | None) -> JsonValue:
    return None if genome is None else {record.id: _record(record) for record in genome.records}


def _record(record: SequenceRecord) -> JsonObject:
    return {
        "sequence": digest_text(record.sequence),
        "topology": record.topology,
        "features": _features_digest(record),
    }


@lru_cache(maxsize=64)
def _features_digest(record: SequenceRecord) -> Digest:
    """Over one line of JSON a feature, sorted. A record is its own key, since it never changes."""
    return digest_bytes(b"\n".join(sorted(_line(feature) for feature in record.features)))


def _line(feature: Feature) -> bytes:
    """One line of JSON with sorted keys. RFC 8785 would give the same bytes; in Python it takes ten times as long."""
    plain = {key: value for key, value in vars(feature).items() if key not in _LEFT_OUT}
    return msgspec.json.encode(plain, order="deterministic")


def _without_id(item: object) -> JsonValue:
    plain = _plain(item)
    return {key: value for key, value in plain.items() if key != "id"} if isinstance(plain, dict) else plain


def _unordered(items: Iterable[JsonValue]) -> list[JsonValue]:
    """The items in an order that depends on nothing but their content."""
    return sorted(items, key=canonical_text)


def _plain(value: object) -> JsonValue:
    """Dataclasses as objects, tuples as lists."""
    found: JsonValue = msgspec.to_builtins(value)
    return _lists(found)


def _lists(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {str(key): _lists(item) for key, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value
