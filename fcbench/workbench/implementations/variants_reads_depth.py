"""How deep the attached reads cover the genome, and which bases they show. The reads of the fixtures are simulated.

Counted are mapped reads that are no secondary alignments, no duplicates and passed quality control; every base counts,
whatever its quality.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.engines import pysam_engine
from fcbench.workbench.errors import ToolError
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

MAX_RANGE = 100_000
"""Bases that one question about depth covers."""
_BASES = ("A", "C", "G", "T")
_GAPS = (2, 3)
"""CIGAR operations that leave reference bases out: deletion and skipped region (SAM format, section 1.4)."""
_BOTH = (0, 7, 8)
"""CIGAR operations that align a base: match or mismatch, match, mismatch."""


@tool("get_read_coverage", engine="pysam", provenance="simulated")
def get_read_coverage(session: Session, arguments: Arguments) -> JsonObject:
    """Mean, minimum and maximum depth over a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    if end - start + 1 > MAX_RANGE:
        raise ToolError("bad_argument", f"a range has at most {MAX_RANGE} bases here; found {end - start + 1}")
    counts = _counts(session, record, start, end)
    depths = [sum(column) for column in zip(*counts, strict=True)]
    return {
        "start": start,
        "end": end,
        "mean": round(sum(depths) / len(depths), 2),
        "min": min(depths),
        "max": max(depths),
        "uncovered_bases": depths.count(0),
    }


@tool("get_base_counts", engine="pysam", provenance="simulated")
def get_base_counts(session: Session, arguments: Arguments) -> JsonObject:
    """Which bases the reads show at one position."""
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    columns = _counts(session, record, position, position)
    counts = {base: column[0] for base, column in zip(_BASES, columns, strict=True)}
    return {
        "position": position,
        "reference_base": record.bases(position, position),
        "depth": sum(counts.values()),
        "base_counts": {**counts},
        "deletions": _deletions(session, record, position),
    }


@contextmanager
def _damage_said(record: SequenceRecord) -> Iterator[None]:
    """Make `parse_error` of what pysam raises: loading read head and index only, damage further back shows later."""
    try:
        yield
    except (OSError, ValueError) as error:
        # What pysam says holds the place of the file on this machine.
        said = f"the attached reads of {record.id} are damaged: an alignment does not read"
        raise ToolError("parse_error", said) from error


def _attached(session: Session, record: SequenceRecord) -> str:
    """Where the BAM file lies.

    Raises:
        ToolError: `not_found` where none is attached, `unknown_sequence` where the reads are of other sequences, or
            `ref_mismatch` where the sequence was edited since, so that it is not the one they were aligned to.
    """
    reads = session.state.reads
    if reads is None:
        raise ToolError("not_found", f"no reads are attached to {record.id}; a BAM file has to be loaded first")
    place = str(session.files.input_path(reads.path))
    with pysam_engine().AlignmentFile(place, "rb") as alignments:
        lengths = dict(zip(alignments.references, alignments.lengths, strict=True))
    if record.id not in lengths:
        raise ToolError("unknown_sequence", f"{reads.path} is aligned to {', '.join(list(lengths)[:5])[:150]}")
    if lengths[record.id] != record.length:
        there = f"{lengths[record.id]} bases of {record.id}"
        said = f"{reads.path} is aligned to {there}; after edits it has {record.length}"
        raise ToolError("ref_mismatch", said)
    if record.sequence != session.unedited(record.id).sequence:
        said = f"{reads.path} is aligned to {record.id} as it was before the edits; other bases stand there now"
        raise ToolError("ref_mismatch", said)
    return place


def _counts(session: Session, record: SequenceRecord, start: int, end: int) -> tuple[list[int], ...]:
    """Reads with A, C, G and T at each base of a range."""
    with _damage_said(record), pysam_engine().AlignmentFile(_attached(session, record), "rb") as alignments:
        columns = alignments.count_coverage(record.id, start - 1, end, quality_threshold=0, read_callback="all")
    return tuple([int(count) for count in column] for column in columns)


def _deletions(session: Session, record: SequenceRecord, position: int) -> int:
    """Reads that are aligned on both sides of a base and leave it out."""
    with _damage_said(record), pysam_engine().AlignmentFile(_attached(session, record), "rb") as alignments:
        reads = [read for read in alignments.fetch(record.id, position - 1, position) if _is_counted(read.flag)]
        return sum(_leaves_out(read.reference_start, read.cigartuples or [], position - 1) for read in reads)


def _is_counted(flag: int) -> bool:
    """Unmapped, secondary, failed and duplicate reads are left out, as `count_coverage` leaves them out."""
    return not flag & (0x4 | 0x100 | 0x200 | 0x400)


def _leaves_out(first: int, cigar: list[tuple[int, int]], place: int) -> bool:
    at = first
    for operation, count in cigar:
        if operation in _GAPS and at <= place < at + count:
            return True
        if operation in (*_BOTH, *_GAPS):
            at += count
    return False
