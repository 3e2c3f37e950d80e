"""What a build reads of a run, kept between builds: its verdicts, and its rows of the verdict frame.

Reading them anew means parsing every attempt of the run. They are kept under the digest of everything that they come
from, so that a run that did not change costs next to nothing.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import polars as pl

from fcbench.aggregate.frames import FRAME_SCHEMA, Frame, Scored, verdict_frame
from fcbench.aggregate.verdict_files import read_verdicts, verdict_records
from fcbench.core.canonical import digest_bytes
from fcbench.core.names import Digest
from fcbench.core.verdicts import Verdict
from fcbench.packages.store import MANIFEST
from fcbench.site.environment import code_digest
from fcbench.site.keeping import kept
from fcbench.site.pages import key_of


@dataclass(frozen=True)
class RunRows:
    """Verdicts of one run, and its rows as `FRAME_SCHEMA`."""

    key: Digest
    """Of the package as judged, and of the code."""
    verdicts: Sequence[Verdict]
    frame: Frame


def run_rows(scored: Scored) -> RunRows:
    """What a run holds, from an earlier build where it is the same.

    Raises:
        PackageError: the verdict file or the package is damaged.
        WriteError: what was read cannot be kept.
    """
    key = _key(scored)
    verdicts = kept("verdicts", key, lambda: _verdicts(scored))
    frame = kept("frame", key, lambda: _frame(scored))
    try:
        known = pl.read_ipc(io.BytesIO(frame))
        if known.schema == FRAME_SCHEMA:
            return RunRows(key, msgspec.msgpack.decode(verdicts, type=tuple[Verdict, ...]), known)
    except (msgspec.DecodeError, pl.exceptions.PolarsError):
        pass  # damaged since: read anew, as if it were not there
    return RunRows(key, _read(scored), verdict_frame([scored]))


def _read(scored: Scored) -> tuple[Verdict, ...]:
    return tuple(verdict_records(read_verdicts(scored.verdicts)[1]))


def _verdicts(scored: Scored) -> bytes:
    return msgspec.msgpack.encode(_read(scored))


def _frame(scored: Scored) -> bytes:
    stream = io.BytesIO()
    verdict_frame([scored]).write_ipc(stream, compression="lz4")
    return stream.getvalue()


def _key(scored: Scored) -> Digest:
    """Digest of manifest and verdict file (the manifest holds those of all other files), names and code."""
    package = scored.package
    return key_of(
        code_digest(),
        f"{package.folder.parent.name}/{package.folder.name}/{scored.verdicts.name}",
        digest_bytes((package.folder / MANIFEST).read_bytes()),
        digest_bytes(scored.verdicts.read_bytes()),
        sorted(package.revealed),
    )
