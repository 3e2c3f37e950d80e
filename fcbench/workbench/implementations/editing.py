"""The edit queue: what is put into it, taken out of it, applied as one batch and undone."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.edit_queue import queue_edit
from fcbench.workbench.edits import apply_edits
from fcbench.workbench.errors import ToolError
from fcbench.workbench.letters import dna
from fcbench.workbench.project import Edit, EditKind, Snapshot
from fcbench.workbench.results import first_items, listing, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool
from fcbench.workbench.view import Range

MAX_SHOWN_BASES = 60
"""New bases of an edit that a list shows; `new_length` counts all of them."""


@tool("insert_sequence", engine="python", provenance="state")
def insert_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """An insertion of letters of the call joins the queue."""
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    bases = dna(arguments.text("sequence"))
    edit = queue_edit(session, "insert", Range(record.id, position, position), bases)
    return {"action_id": edit.id, "position": position}


@tool("delete_sequence", engine="python", provenance="state")
def delete_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The removal of a range joins the queue."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    edit = queue_edit(session, "delete", Range(record.id, start, end))
    return {"action_id": edit.id, "start": start, "end": end}


@tool("replace_sequence", engine="python", provenance="state")
def replace_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The replacement of a range by letters of the call joins the queue."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    bases = dna(arguments.text("new_sequence"))
    edit = queue_edit(session, "replace", Range(record.id, start, end), bases)
    return {"action_id": edit.id, "start": start, "end": end, "length_change": len(bases) - edit.range.width}


@tool("queue_variant", engine="python")
def queue_variant(session: Session, arguments: Arguments) -> JsonObject:
    """A variant in the terms of VCF joins the queue, after its reference bases were compared with the genome.

    Bases that both alleles share are left out, those at the front first: the anchor base of an insertion or deletion
    stays untouched.
    """
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    ref, alt = dna(arguments.text("ref")), dna(arguments.text("alt"))
    there = record.bases(position, position + len(ref) - 1)
    if there != ref:
        found = f"{record.id} holds {there[:50]} from base {position} on"
        raise ToolError("ref_mismatch", f"{found}; the reference allele of a variant is what the genome holds")
    if ref == alt:
        raise ToolError("bad_argument", "both alleles are the same; a variant changes at least one base")
    shared = _shared(ref, alt)
    gone, come, start = ref[shared:], alt[shared:], position + shared
    same = _shared(gone[::-1], come[::-1])
    gone, come = gone[: len(gone) - same], come[: len(come) - same]
    kind: EditKind = "insert" if not gone else "replace" if come else "delete"
    edit = queue_edit(session, kind, Range(record.id, start, max(start, start + len(gone) - 1)), come)
    return {"action_id": edit.id, "kind": kind, "start": edit.range.start, "end": edit.range.end, "new_bases": come}


def _shared(one: str, other: str) -> int:
    """Letters with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@tool("list_actions", engine="session", provenance="state")
def list_actions(session: Session, arguments: Arguments) -> JsonObject:
    """The edits of the session, in order of queueing."""
    wanted = arguments.text("status")
    return listing("actions", [_item(edit) for edit in session.state.edits if wanted in ("all", edit.status)])


def _item(edit: Edit) -> JsonObject:
    return {
        "action_id": edit.id,
        "kind": edit.kind,
        "sequence_id": edit.range.sequence_id[:40],
        "start": edit.range.start,
        "end": edit.range.end,
        "new_bases": edit.bases[:MAX_SHOWN_BASES],
        "new_length": len(edit.bases),
        "status": edit.status,
    }


@tool("remove_action", engine="session", provenance="state")
def remove_action(session: Session, arguments: Arguments) -> JsonObject:
    """One pending edit leaves the queue."""
    wanted, edits = arguments.text("action_id"), session.state.edits
    edit = next((each for each in edits if each.id == wanted), None)
    if edit is None:
        there = ", ".join(each.id for each in edits if each.status == "pending")[:150] or "none"
        raise ToolError("not_found", f"no edit has the id {wanted}; pending are: {there}")
    if edit.status == "executed":
        raise ToolError("bad_argument", f"{wanted} was executed already; only undoing its batch takes it back")
    session.state.edits = [each for each in edits if each.id != wanted]
    pending = sum(each.status == "pending" for each in session.state.edits)
    return {
        "action_id": wanted,
        "kind": edit.kind,
        "start": edit.range.start,
        "end": edit.range.end,
        "pending": pending,
    }


@tool("clear_actions", engine="session", provenance="state")
def clear_actions(session: Session, arguments: Arguments) -> JsonObject:
    """Every pending edit leaves the queue; executed ones stay on the list."""
    kept = [edit for edit in session.state.edits if edit.status != "pending"]
    removed = len(session.state.edits) - len(kept)
    session.state.edits = kept
    return {"removed": removed}


@tool("execute_actions")
def execute_actions(session: Session, arguments: Arguments) -> JsonObject:
    """All pending edits, applied at once on the coordinates of the genome as it is."""
    records, state = session.records, session.state
    pending = [edit for edit in state.edits if edit.status == "pending"]
    if not pending:
        raise ToolError("empty_queue", "no edit is pending; one has to be queued first")
    done = {
        record.id: apply_edits(record, edits)
        for record in records
        if (edits := [edit for edit in pending if edit.range.sequence_id == record.id])
    }
    before, altered = _bases(session), [feature for each in done.values() for feature in each.altered]
    executed = tuple(edit.id for edit in pending)
    state.snapshots.append(Snapshot(records=records, executed=executed, changes=len(state.changes)))
    state.edits = [replace(edit, status="executed") for edit in state.edits]
    session.put(each.record for each in done.values())
    return {
        "executed": len(executed),
        "length_before": before,
        "length_after": _bases(session),
        "features_altered": len(altered),
        "altered": [
            {"feature_type": each.kind[:30], "gene": shown_symbol(each.gene), "start": each.start, "end": each.end}
            for each in first_items(altered)
        ],
    }


@tool("undo_last_execution", engine="python", provenance="state")
def undo_last_execution(session: Session, arguments: Arguments) -> JsonObject:
    """The genome as it was before the last batch; the batch leaves the list of edits."""
    state = session.state
    before = _bases(session)
    if not state.snapshots:
        raise ToolError("empty_queue", "no batch of edits was executed on this genome, so none can be undone")
    pending = sum(edit.status == "pending" for edit in state.edits)
    if pending:
        held = f"{pending} pending edit{'s lie' if pending > 1 else ' lies'} on the coordinates of the edited genome"
        raise ToolError("bad_argument", f"{held}; the queue has to be cleared first")
    snapshot = state.snapshots.pop()
    kept = {feature.id for record in snapshot.records for feature in record.features}
    loaded = sum(each.loaded != "" and each.id not in kept for record in session.records for each in record.features)
    lost = len(state.changes) - snapshot.changes + loaded
    state.changes = state.changes[: snapshot.changes]
    state.edits = [edit for edit in state.edits if edit.id not in snapshot.executed]
    session.put(snapshot.records)
    return {
        "undone": len(snapshot.executed),
        "length_before": before,
        "length_after": _bases(session),
        "feature_changes_lost": lost,
    }


def _bases(session: Session) -> int:
    """Bases of all sequences of the genome."""
    return sum(record.length for record in session.records)
