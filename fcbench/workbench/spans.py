"""Ranges of which either end may be left out."""

from __future__ import annotations

from fcbench.workbench.arguments import Arguments
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.session import Session


def optional_span(session: Session, arguments: Arguments) -> tuple[SequenceRecord, int, int]:
    """The range of a call whose `start` and `end` are the first and the last base of the sequence when left out.

    Raises:
        ToolError: `no_genome`, `unknown_sequence` or `bad_range`.
    """
    record = session.record(arguments.sequence_id)
    start = arguments.integer("start") if "start" in arguments else 1
    end = arguments.integer("end") if "end" in arguments else record.length
    return session.span(start, end, record.id)
