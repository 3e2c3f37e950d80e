"""Features that a user makes, changes, deletes and reads by id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.annotations import (
    FIELDS,
    Revision,
    annotation_item,
    change_item,
    new_feature,
    one_line,
    part_at,
    revised,
)
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.project import Change, ChangeKind
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import listing, short_text
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

TEXT_FIELDS = ("name", "product", "note")


@dataclass(frozen=True, slots=True)
class _Plan:
    """A feature to make, checked, with no id yet."""

    sequence_id: str
    kind: str
    part: Part
    name: str
    note: str | None


@tool("create_annotation", engine="session", provenance="state")
def create_annotation(session: Session, arguments: Arguments) -> JsonObject:
    """One more feature."""
    made = _created(session, [_plan(session, arguments)])[0]
    return {"annotation_id": made.id, "start": made.start, "end": made.end}


@tool("create_annotations_batch", engine="session", provenance="state")
def create_annotations_batch(session: Session, arguments: Arguments) -> JsonObject:
    """Several features, all of them or none."""
    made = _created(session, [_plan(session, each) for each in arguments.objects("annotations")])
    return listing("annotations", [annotation_item(feature) for feature in made])


def _plan(session: Session, arguments: Arguments) -> _Plan:
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    part = part_at(start, end, arguments.text("strand", "none"))
    name, note = one_line(arguments.text("name"), "name"), arguments.optional_text("note")
    return _Plan(
        record.id, arguments.text("feature_type"), part, name, None if note is None else one_line(note, "note")
    )


def _created(session: Session, plans: Iterable[_Plan]) -> list[Feature]:
    made: list[Feature] = []
    by_record: dict[str, list[Feature]] = {}
    for plan in plans:
        feature = new_feature(session.mint("ann"), plan.kind, plan.part, plan.name, plan.note)
        by_record.setdefault(plan.sequence_id, []).append(feature)
        made.append(feature)
    records = [session.record(name) for name in by_record]
    session.put([record.with_features([*record.features, *by_record[record.id]]) for record in records])
    session.state.changes += [Change(feature.id, "created", None, feature) for feature in made]
    return made


@tool("get_annotation", engine="python")
def get_annotation(session: Session, arguments: Arguments) -> JsonObject:
    """One feature with its parts and qualifiers; its protein letters are left out."""
    record, feature = session.feature(arguments.text("annotation_id"))
    qualifiers: list[JsonValue] = [
        {"qualifier": key[:30], "value": short_text(value, 500)}
        for key, values in feature.qualifiers.items()
        for value in values
        if key != "translation"
    ]
    parts: list[JsonValue] = [{"start": part.start, "end": part.end, "strand": part.strand} for part in feature.parts]
    return {
        **annotation_item(feature),
        "sequence_id": record.id,
        "length": feature.length,
        "parts": parts[:50],
        "qualifiers": qualifiers[:50],
    }


@tool("list_annotations", engine="python")
def list_annotations(session: Session, arguments: Arguments) -> JsonObject:
    """Features with their ids, in order of place."""
    record = session.record(arguments.sequence_id)
    start = arguments.integer("start") if "start" in arguments else 1
    end = arguments.integer("end") if "end" in arguments else record.length
    session.span(start, end, record.id)
    kind, origin = arguments.text("feature_type"), arguments.text("origin")
    found = [
        feature
        for feature in record.entries
        if kind in ("any", feature.kind) and origin in ("any", feature.origin) and feature.overlaps(start, end)
    ]
    return listing("annotations", [annotation_item(feature) for feature in found])


@tool("search_annotations", engine="session", provenance="state")
def search_annotations(session: Session, arguments: Arguments) -> JsonObject:
    """Features that a user made or changed, by any of their text."""
    phrase = one_line(arguments.text("query"), "phrase").casefold()
    found = [
        feature
        for record in session.records
        for feature in record.entries
        if (feature.origin == "user" or feature.edited) and _says(feature, phrase)
    ]
    return listing("annotations", [annotation_item(feature) for feature in found])


def _says(feature: Feature, phrase: str) -> bool:
    texts = (value for key, values in feature.qualifiers.items() if key != "translation" for value in values)
    return any(phrase in " ".join(text.split()).casefold() for text in texts)


@tool("update_annotation", engine="session", provenance="state")
def update_annotation(session: Session, arguments: Arguments) -> JsonObject:
    """Another place, strand, name, product or note of one feature."""
    record, feature = _changeable(session, arguments.text("annotation_id"))
    if not any(field in arguments for field in FIELDS):
        raise ToolError("bad_argument", f"nothing is to change; one of {', '.join(FIELDS)} is needed")
    made = revised(feature, replace(_texts(arguments), part=_new_part(session, record, feature, arguments)))
    _replaced(session, [(feature, made)])
    return annotation_item(made)


@tool("update_annotations_bulk", engine="session", provenance="state")
def update_annotations_bulk(session: Session, arguments: Arguments) -> JsonObject:
    """Other texts of several features, all of them or none."""
    pairs: list[tuple[Feature, Feature]] = []
    for update in arguments.objects("updates"):
        identifier = update.text("annotation_id")
        _, feature = _changeable(session, identifier)
        revision = _texts(update)
        if revision.is_empty:
            raise ToolError("bad_argument", f"nothing is to change in {identifier}; a name, product or note is needed")
        if any(identifier == other.id for other, _ in pairs):
            raise ToolError("bad_argument", f"{identifier} comes twice; one update holds all changes of a feature")
        pairs.append((feature, revised(feature, revision)))
    _replaced(session, pairs)
    return listing("annotations", [annotation_item(made) for _, made in pairs])


def _changeable(session: Session, identifier: str) -> tuple[SequenceRecord, Feature]:
    record, feature = session.feature(identifier)
    if feature.kind == "source":
        raise ToolError("bad_argument", f"{identifier} describes the whole sequence {record.id}; it stays as it is")
    return record, feature


def _texts(arguments: Arguments) -> Revision:
    given = {field: arguments.optional_text(field) for field in TEXT_FIELDS}
    lines = {field: None if text is None else one_line(text, field) for field, text in given.items()}
    return Revision(name=lines["name"], product=lines["product"], note=lines["note"])


def _new_part(session: Session, record: SequenceRecord, feature: Feature, arguments: Arguments) -> Part | None:
    """The one part with another place or strand; None where neither is to change."""
    if not any(field in arguments for field in ("start", "end", "strand")):
        return None
    if len(feature.parts) > 1:
        raise ToolError("bad_argument", f"{feature.id} has {len(feature.parts)} parts; only its texts can change")
    old = feature.parts[0]
    if old.between:
        said = f"{feature.id} is the place between bases {old.start} and {old.end}; only its texts can change"
        raise ToolError("bad_argument", said)
    start = arguments.integer("start") if "start" in arguments else old.start
    end = arguments.integer("end") if "end" in arguments else old.end
    session.span(start, end, record.id)
    strand = arguments.text("strand") if "strand" in arguments else old.strand
    if (start, end) == (old.start, old.end):
        return replace(old, strand=part_at(start, end, strand).strand)
    return part_at(start, end, strand)


@tool("delete_annotation", engine="session", provenance="state")
def delete_annotation(session: Session, arguments: Arguments) -> JsonObject:
    """One feature less; the bases stay."""
    record, feature = _changeable(session, arguments.text("annotation_id"))
    session.put([record.with_features(each for each in record.features if each.id != feature.id)])
    _noted(session, "deleted", feature, None)
    return annotation_item(feature)


def _replaced(session: Session, pairs: Sequence[tuple[Feature, Feature]]) -> None:
    """Each new feature in the place of the old one; one that is the same leaves no trace."""
    changed = {old.id: new for old, new in pairs if new != old}
    for record in session.records:
        if any(feature.id in changed for feature in record.features):
            session.put([record.with_features(changed.get(feature.id, feature) for feature in record.features)])
    for old, new in pairs:
        if old.id in changed:
            _noted(session, "updated", old, new)


def _noted(session: Session, kind: ChangeKind, before: Feature, after: Feature | None) -> None:
    session.state.changes.append(Change(before.id, kind, before, after))


@tool("get_annotation_history", engine="session", provenance="state")
def get_annotation_history(session: Session, arguments: Arguments) -> JsonObject:
    """What a user did to one feature, oldest first; also of a deleted one."""
    identifier = arguments.text("annotation_id")
    found = [change for change in session.state.changes if change.feature_id == identifier]
    if not found:
        session.feature(identifier)  # says what is wrong
    exists = any(feature.id == identifier for record in session.records for feature in record.features)
    return {"annotation_id": identifier, "exists": exists, **listing("changes", [change_item(each) for each in found])}
