"""The index beside a BAM file (BAI, SAM format specification, section 5.2): looked through before htslib opens it.

htslib trusts the counts in an index, which no checksum guards, and a damaged one ends the process.
"""

from __future__ import annotations

import struct
from pathlib import Path

from fcbench.workbench.errors import ToolError

MAX_INDEX_BYTES = 64 << 20
_MAGIC = b"BAI\x01"
_INFORMATION, _INFORMATION_CHUNKS = 37450, 2
"""The bin that holds numbers of reads, and how many pairs of numbers it has."""


def check_index(path: Path, bam_bytes: int, *, name: str) -> None:
    """Look through a BAI file.

    Args:
        path: of the index.
        bam_bytes: size of the BAM file that it belongs to.
        name: of the BAM file, for the message.

    Raises:
        ToolError: `parse_error` where the index is cut, contradicts itself or points behind the end of the BAM file.
    """
    raw = path.read_bytes() if path.stat().st_size <= MAX_INDEX_BYTES else b""
    try:
        rest = _after_references(raw, bam_bytes)
    except struct.error:
        rest = -1
    if raw[:4] != _MAGIC or rest not in (0, 8):
        raise ToolError("parse_error", f"the index of {name} is damaged; it has to be made anew from the BAM file")


def _after_references(raw: bytes, bam_bytes: int) -> int:
    """Bytes behind the last reference: none, or 8 for the number of unplaced reads. Negative for a contradiction.

    Raises:
        struct.error: the file ends too early.
    """
    (references,), at = struct.unpack_from("<i", raw, 4), 8
    for _ in range(references):
        (bins,), at = struct.unpack_from("<i", raw, at), at + 4
        seen: set[int] = set()
        for _ in range(bins):
            (number, chunks), at = struct.unpack_from("<Ii", raw, at), at + 8
            wrong_count = chunks < 0 or (number == _INFORMATION and chunks != _INFORMATION_CHUNKS)
            if number > _INFORMATION or number in seen or wrong_count:
                return -1
            seen.add(number)
            # Its second pair counts reads; all others are places.
            places = struct.unpack_from(f"<{2 if number == _INFORMATION else 2 * chunks}Q", raw, at)
            if any(place >> 16 > bam_bytes for place in places):
                return -1
            at += 16 * chunks
        (windows,), at = struct.unpack_from("<i", raw, at), at + 4
        if windows < 0 or any(place >> 16 > bam_bytes for place in struct.unpack_from(f"<{windows}Q", raw, at)):
            return -1
        at += 8 * windows
    return len(raw) - at
