"""Putting edits into the queue."""

from __future__ import annotations

from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import MAX_EDITS, Edit, EditKind
from fcbench.workbench.session import Session
from fcbench.workbench.view import Range


def queue_edit(session: Session, kind: EditKind, place: Range, bases: str = "") -> Edit:
    """Put an edit at the end of the queue; the genome stays as it is.

    Args:
        session: whose queue it is.
        kind: of the edit.
        place: bases that go, checked; for an insertion the base before which it goes.
        bases: that come, on the forward strand.

    Raises:
        ToolError: `bad_argument` where the session has queued all it may.
    """
    if len(session.state.edits) >= MAX_EDITS:
        raise ToolError("bad_argument", f"a session keeps at most {MAX_EDITS} edits, executed ones included")
    edit = Edit(id=session.mint("act"), kind=kind, range=place, bases=bases)
    session.state.edits.append(edit)
    return edit
