"""The sequence clipboard: copy, cut, paste, look."""

from __future__ import annotations

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.edit_queue import queue_edit
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import PartStrand
from fcbench.workbench.project import Clip
from fcbench.workbench.results import letters_result
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool
from fcbench.workbench.view import Range

MAX_CLIP = 10_000
"""Bases that the clipboard holds: with `MAX_EDITS` it bounds how far a genome can grow."""


@tool("copy_sequence", engine="python")
def copy_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """A range goes to the clipboard, as read on one strand."""
    clip = _clip(session, arguments, "-" if arguments.text("strand") == "-" else "+")
    session.state.clipboard = clip
    return {"start": clip.source.start, "end": clip.source.end, "strand": clip.strand, "length": len(clip.bases)}


@tool("cut_sequence", engine="python")
def cut_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """A range goes to the clipboard now, and its removal joins the queue."""
    clip = _clip(session, arguments, "+")
    edit = queue_edit(session, "delete", clip.source)
    session.state.clipboard = clip
    return {"action_id": edit.id, "start": clip.source.start, "end": clip.source.end, "length": len(clip.bases)}


@tool("paste_sequence", engine="python", provenance="state")
def paste_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """An insertion of the clipboard's letters joins the queue."""
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    clip = session.state.clipboard
    if clip is None:
        raise ToolError("bad_argument", "the clipboard is empty; a range has to be copied or cut first")
    edit = queue_edit(session, "insert", Range(record.id, position, position), clip.bases)
    return {"action_id": edit.id, "position": position, "length": len(clip.bases)}


@tool("get_clipboard", engine="session", provenance="state")
def get_clipboard(session: Session, arguments: Arguments) -> JsonObject:
    """What the clipboard holds, and where it came from."""
    clip = session.state.clipboard
    if clip is None:
        return {"empty": True, **letters_result("")}
    return {
        "empty": False,
        **letters_result(clip.bases),
        "sequence_id": clip.source.sequence_id[:40],
        "start": clip.source.start,
        "end": clip.source.end,
        "strand": clip.strand,
    }


def _clip(session: Session, arguments: Arguments, strand: PartStrand) -> Clip:
    """The bases of the range of a call.

    Raises:
        ToolError: `no_genome`, `unknown_sequence`, `bad_range`, or `bad_argument` for a range that is too long.
    """
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    found = end - start + 1
    if found > MAX_CLIP:
        raise ToolError("bad_argument", f"the clipboard holds at most {MAX_CLIP:,} bases; the range has {found:,}")
    return Clip(bases=record.bases(start, end, strand), source=Range(record.id, start, end), strand=strand)
