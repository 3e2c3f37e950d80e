"""Putting edits into the queue."""

from __future__ import annotations

from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import MAX_EDITS, MAX_NEW_BASES, Edit, EditKind
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
        ToolError: `bad_argument` where the session has queued all it may, or all the bases.
    """
    if len(session.state.edits) >= MAX_EDITS:
        raise ToolError("bad_argument", f"a session keeps at most {MAX_EDITS} edits, executed ones included")
    new = sum(len(each.bases) for each in session.state.edits)
    if new + len(bases) > MAX_NEW_BASES:
        left = f"{MAX_NEW_BASES - new:,} of {MAX_NEW_BASES:,} are left"
        raise ToolError("bad_argument", f"the edits of a session bring in a limited number of bases: {left}")
    edit = Edit(id=session.mint("act"), kind=kind, range=place, bases=bases)
    session.state.edits.append(edit)
    return edit
