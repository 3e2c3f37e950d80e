"""Parquet files written row by row in bounded batches, with the same bytes for the same rows."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fcbench.core.canonical import clean_json
from fcbench.errors import PackageError
from fcbench.export.rows import Row
from fcbench.packages.files import write_error

MAX_ROWS = 2_000
MAX_CHARACTERS = 16 * 1024 * 1024
"""A batch is written when it holds this many rows or characters, so that memory does not grow with the dataset."""
_NOT_WORD = re.compile(r"[^a-z0-9_]+")


def split_name(name: str) -> str:
    """A suite's name as a split of the dataset.

    Word characters only, since `datasets` refuses a hyphen; lower case, since two files that differ in case alone are
    one file on some disks.
    """
    word = _NOT_WORD.sub("_", name.lower()).strip("_")[:80]
    # `all` is a reserved split, and a name must begin with a letter.
    return word if word and word[0].isalpha() and word != "all" else f"suite_{word}".rstrip("_")


class DatasetFiles:
    """One Parquet file for each (config, split) that has a row: `data/<config>/<split>.parquet`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[tuple[str, str], _File] = {}

    def add(self, config: str, split: str, schema: pa.Schema, row: Row) -> None:
        """Append one row.

        Raises:
            WriteError: the disk refuses.
            PackageError: a value does not fit its column.
        """
        key = (config, split_name(split))
        if key not in self._open:
            self._open[key] = _File(self._folder / config / f"{key[1]}.parquet", schema)
        self._open[key].add(row)

    def close(self) -> dict[str, dict[str, int]]:
        """Finish all files and give their number of rows by config and split, sorted."""
        for file in self._open.values():
            file.close()
        counts: dict[str, dict[str, int]] = {}
        for config, split in sorted(self._open):
            counts.setdefault(config, {})[split] = self._open[(config, split)].rows
        return counts

    def abandon(self) -> None:
        """Release all files after an error; what was written is of no use."""
        for file in self._open.values():
            file.abandon()


class _File:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        self._batch: list[Row] = []
        self._characters = 0
        self.rows = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        except OSError as error:
            raise write_error(path, error) from error

    def add(self, row: Row) -> None:
        self._batch.append(row)
        self._characters += _characters(row)
        if len(self._batch) >= MAX_ROWS or self._characters >= MAX_CHARACTERS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def abandon(self) -> None:
        self._writer.close()

    def _flush(self) -> None:
        if not self._batch:
            return
        batch = _record_batch(self._batch, self._schema, self._path)
        try:
            self._writer.write_batch(batch)
        except OSError as error:
            raise write_error(self._path, error) from error
        self.rows += len(self._batch)
        self._batch, self._characters = [], 0


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
