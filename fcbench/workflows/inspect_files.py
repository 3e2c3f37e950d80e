"""Log files of Inspect (`.eval`, a ZIP, or `.json`), read with care: what is in them was written elsewhere.

Newer logs pack their members with Zstandard, which Python's own `zipfile` knows from 3.14 on; before, the extra
`inspect` brings a backport of it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from fcbench.core.canonical import clean_json
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.errors import BadInputError, NotFoundError, UnavailableError

MAX_MEMBER_BYTES = 256 * 1024 * 1024
"""Of one sample, or of a whole `.json` log, unpacked."""
MAX_BYTES = 8 * 1024 * 1024 * 1024
"""Of all members, unpacked."""
_ZSTANDARD = 93
_HEADS = ("header.json", "_journal/start.json")


class _Member(Protocol):
    """What is read of an entry; the backport has a class of its own for it."""

    filename: str
    compress_type: int


class _Archive(Protocol):
    def infolist(self) -> Sequence[_Member]: ...
    def open(self, name: str) -> IO[bytes]: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class InspectFile:
    """A log: what its header says of the evaluation, and its samples, read one by one."""

    spec: JsonObject
    """Inspect's `EvalSpec`."""
    sha256: Digest
    """Of the file."""
    samples: Iterator[JsonObject]


def read_log(path: Path) -> InspectFile:
    """Open a log.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it is no log, is damaged, or unpacks to more than is read. Of a sample this comes when the sample
            is asked for.
        UnavailableError: the log needs Zstandard, and nothing here can read it.
    """
    try:
        with path.open("rb") as stream:
            begin = stream.read(4)
            stream.seek(0)
            digest = Digest(hashlib.file_digest(stream, "sha256").hexdigest())
    except OSError as error:
        raise NotFoundError("this log cannot be read", found=error.strerror, where=str(path)) from error
    return _zipped(path, digest) if begin[:2] == b"PK" else _plain(path, digest)


def _plain(path: Path, digest: Digest) -> InspectFile:
    with path.open("rb") as stream:
        log = _object(stream.read(MAX_MEMBER_BYTES + 1), str(path))
    samples = log.get("samples")
    listed = samples if isinstance(samples, list) else []
    return InspectFile(_spec(log, str(path)), digest, (one for one in listed if isinstance(one, dict)))


def _zipped(path: Path, digest: Digest) -> InspectFile:
    archive = _opened(path)
    try:
        members = {entry.filename: entry for entry in archive.infolist()}
        head = next((members[name] for name in _HEADS if name in members), None)
        if head is None:
            raise _wrong(path, "a ZIP without header.json")
        spec = _spec(_object(_unpacked(archive, head, path), f"{path}, {head.filename}"), str(path))
    except BaseException:
        archive.close()
        raise
    return InspectFile(spec, digest, _samples(archive, path))


def _samples(archive: _Archive, path: Path) -> Iterator[JsonObject]:
    room = MAX_BYTES
    try:
        for entry in archive.infolist():
            if entry.filename.startswith("samples/") and entry.filename.endswith(".json"):
                content = _unpacked(archive, entry, path)
                room -= len(content)
                if room < 0:
                    raise _wrong(path, f"more than {MAX_BYTES:,} bytes, unpacked")
                yield _object(content, f"{path}, {entry.filename[:200]}")
    finally:
        archive.close()


def _opened(path: Path) -> _Archive:
    try:
        if sys.version_info >= (3, 14):
            return zipfile.ZipFile(path)
        try:
            from backports.zstd import zipfile as newer  # noqa: PLC0415 - an extra
        except ImportError:
            return zipfile.ZipFile(path)
        return newer.ZipFile(path)
    except Exception as error:
        # Whatever it is: the backport raises types of its own.
        raise _wrong(path, str(error)) from error


def _unpacked(archive: _Archive, entry: _Member, path: Path) -> bytes:
    """A member, whatever size it claims: no more than is read is ever unpacked."""
    try:
        with archive.open(entry.filename) as stream:
            return stream.read(MAX_MEMBER_BYTES + 1)
    except NotImplementedError as error:
        if entry.compress_type != _ZSTANDARD:
            raise _wrong(path, str(error)) from error
        raise UnavailableError(
            "this log is packed with Zstandard, which this Python cannot unpack",
            wanted="Python 3.14, or the extra `inspect`",
            where=str(path),
            next_step="pip install 'fcbench[inspect]', or `inspect log convert --to json` where the log was made",
        ) from error
    except Exception as error:
        raise _wrong(path, str(error)) from error


def _object(content: bytes, where: str) -> JsonObject:
    """A JSON object. `NaN` and its like, which Inspect writes among scores, become null: no score is read."""
    if len(content) > MAX_MEMBER_BYTES:
        raise BadInputError(
            "a part of this log is too large", wanted=f"at most {MAX_MEMBER_BYTES:,} bytes", where=where
        )
    try:
        value: JsonValue = clean_json(json.loads(content, parse_constant=lambda _: None))
    except (ValueError, RecursionError) as error:
        raise BadInputError("this is not JSON", found=str(error)[:200], where=where) from error
    if not isinstance(value, dict):
        raise BadInputError("this is no part of a log", wanted="a JSON object", found=type(value).__name__, where=where)
    return value


def _spec(head: JsonObject, where: str) -> JsonObject:
    spec = head.get("eval")
    if not isinstance(spec, dict):
        raise BadInputError("this is no log of Inspect", wanted="an object with `eval`", where=where)
    return spec


def _wrong(path: Path, found: str) -> BadInputError:
    return BadInputError(
        "this is no log of Inspect, or it is damaged", wanted="a .eval or .json log", found=found[:200], where=str(path)
    )
