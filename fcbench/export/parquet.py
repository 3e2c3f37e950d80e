"""Parquet shards written row by row in bounded batches, with the same bytes for the same rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fcbench.core.canonical import clean_json
from fcbench.core.names import Digest
from fcbench.core.records import Record
from fcbench.errors import PackageError
from fcbench.export.rows import Row
from fcbench.packages.files import digest_file, write_error

MAX_ROWS = 2_000
MAX_CHARACTERS = 16 * 1024 * 1024
"""A batch is written when it holds this many rows or characters, so that memory does not grow with the dataset."""
MAX_SHARD_CHARACTERS = 1024 * 1024 * 1024
"""Letters of a shard before compression. Evidence repeats itself, so a shard is far smaller than this on the disk."""
_NOT_WORD = re.compile(r"[^a-z0-9_]+")


def split_name(name: str) -> str:
    """A suite's name as a split of the dataset.

    Word characters only, since `datasets` refuses a hyphen; lower case, since two files that differ in case alone are
    one file on some disks.
    """
    word = _NOT_WORD.sub("_", name.lower()).strip("_")[:80]
    # `all` is a reserved split, and a name must begin with a letter.
    return word if word and word[0].isalpha() and word != "all" else f"suite_{word}".rstrip("_")


class FileFacts(Record, frozen=True, kw_only=True):
    """What is known of one written file."""

    sha256: Digest
    size: int
    """Bytes."""
    rows: int


class DatasetFiles:
    """Shards of each (config, split) that has a row: `data/<config>/<split>-00000-of-00001.parquet`."""

    def __init__(self, folder: Path, *, shard_characters: int = MAX_SHARD_CHARACTERS) -> None:
        self._folder = folder
        self._shard_characters = shard_characters
        self._open: dict[tuple[str, str], _Shards] = {}

    def add(self, config: str, split: str, schema: pa.Schema, row: Row) -> None:
        """Append one row.

        Raises:
            WriteError: the disk refuses.
            PackageError: a value does not fit its column.
        """
        key = (config, split_name(split))
        if key not in self._open:
            self._open[key] = _Shards(self._folder / config, key[1], schema, self._shard_characters)
        self._open[key].add(row)

    def close(self) -> dict[str, FileFacts]:
        """Finish all files and give them their names; what is known of each, by path below the folder, sorted.

        Raises:
            WriteError: the disk refuses.
        """
        found: dict[str, FileFacts] = {}
        for config, split in sorted(self._open):
            for path, facts in self._open[config, split].close():
                found[f"{config}/{path.name}"] = facts
        return found

    def abandon(self) -> None:
        """Release all files after an error; what was written is of no use."""
        for shards in self._open.values():
            shards.abandon()


def rows_by_split(files: Mapping[str, FileFacts]) -> dict[str, dict[str, int]]:
    """Rows by config and split, both sorted, from what `DatasetFiles.close` gives."""
    counts: dict[str, dict[str, int]] = {}
    for path, facts in sorted(files.items()):
        config, _, name = path.partition("/")
        splits, split = counts.setdefault(config, {}), name.partition("-")[0]
        splits[split] = splits.get(split, 0) + facts.rows
    return counts


class _Shards:
    """The shards of one split: the next one begins when one is full."""

    def __init__(self, folder: Path, split: str, schema: pa.Schema, most: int) -> None:
        self._folder = folder
        self._split = split
        self._schema = schema
        self._most = most
        self._files: list[_File] = []

    def add(self, row: Row) -> None:
        if not self._files or self._files[-1].characters >= self._most:
            if self._files:
                self._files[-1].close()
            path = self._folder / f"{self._split}-{len(self._files):05}.parquet"
            self._files.append(_File(path, self._schema))
        self._files[-1].add(row)

    def close(self) -> Iterator[tuple[Path, FileFacts]]:
        for number, file in enumerate(self._files):
            file.close()
            path = self._folder / f"{self._split}-{number:05}-of-{len(self._files):05}.parquet"
            try:
                file.path.rename(path)
                yield path, FileFacts(sha256=digest_file(path), size=path.stat().st_size, rows=file.rows)
            except OSError as error:
                raise write_error(path, error) from error

    def abandon(self) -> None:
        for file in self._files:
            file.abandon()


class _File:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path = path
        self.rows = self.characters = 0
        self._schema = schema
        self._batch: list[Row] = []
        self._in_batch = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        except OSError as error:
            raise write_error(path, error) from error

    def add(self, row: Row) -> None:
        self._batch.append(row)
        self._in_batch += _characters(row)
        if len(self._batch) >= MAX_ROWS or self._in_batch >= MAX_CHARACTERS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def abandon(self) -> None:
        self._writer.close()

    def _flush(self) -> None:
        if not self._batch:
            return
        batch = _record_batch(self._batch, self._schema, self.path)
        try:
            self._writer.write_batch(batch)
        except OSError as error:
            raise write_error(self.path, error) from error
        self.rows += len(self._batch)
        self.characters += self._in_batch
        self._batch, self._in_batch = [], 0


def _characters(value: dict[str, object] | list[object]) -> int:
    """Letters in a row or a list, however deep; other values are small."""
    total = 0
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, str):
            total += len(item)
        elif item and isinstance(item, list | dict):
            total += _characters(item)
    return total


def _record_batch(rows: list[Row], schema: pa.Schema, path: Path) -> pa.RecordBatch:
    try:
        return _columns(rows, schema)
    except UnicodeEncodeError:
        # Evidence is cleaned at the edge; a record made elsewhere may still hold a lone surrogate.
        return _columns([{name: clean_json(value) for name, value in row.items()} for row in rows], schema)
    except (pa.ArrowException, OverflowError, TypeError) as error:
        found = str(error).splitlines()[0][:200]
        raise PackageError("a value does not fit its column", found=found, where=f"{path.parent.name}") from error


def _columns(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.record_batch(arrays, schema=schema)
