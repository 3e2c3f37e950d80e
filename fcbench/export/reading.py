"""Reading a dataset back: foreign files, so every column, cell and record is checked on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fcbench.core.records import R, decode_line
from fcbench.errors import BadInputError
from fcbench.export import features
from fcbench.export.marker import DatasetMarker, read_marker
from fcbench.export.rows import Row
from fcbench.packages.files import digest_file

_SHARD = re.compile(r"[a-z][a-z0-9_]{0,79}-[0-9]{5}-of-[0-9]{5}\.parquet")
_ROWS_AT_ONCE = 500
_SCHEMAS = {
    "cases": features.CASES,
    "tools": features.TOOLS,
    "runs": features.RUNS,
    "attempts": features.ATTEMPTS,
    "rounds": features.ROUNDS,
    "messages": features.MESSAGES,
    "verdicts": features.VERDICTS,
    "leaderboard": features.LEADERBOARD,
}


class DatasetFolder:
    """A dataset on the disk, as `export_dataset` wrote it or as somebody says that it did."""

    def __init__(self, folder: Path) -> None:
        """Open one.

        Raises:
            NotFoundError: the folder has no marker.
            BadInputError: the marker does not read, or is of another format.
        """
        self.folder = folder
        self.marker: DatasetMarker = read_marker(folder)
        self.shards: dict[str, list[Path]] = {}
        """Parquet files by config, sorted."""
        for path in sorted((folder / "data").glob("*/*.parquet")):
            if schema_of(path.parent.name) is not None and _SHARD.fullmatch(path.name) and not _is_link(path):
                self.shards.setdefault(path.parent.name, []).append(path)

    def file_problems(self) -> Iterator[str]:
        """Files that are not those of the marker, one sentence each."""
        found = {path.relative_to(self.folder).as_posix(): path for paths in self.shards.values() for path in paths}
        for name in sorted(self.marker.files.keys() | found.keys()):
            if name not in found:
                yield f"{name[:200]}: is listed and not there"
            elif name not in self.marker.files:
                yield f"{name}: is there and not listed"
            elif digest_file(found[name]) != self.marker.files[name].sha256:
                yield f"{name}: other bytes than were exported"

    def configs(self, kind: str) -> list[str]:
        """Configs that are there: `verdicts` gives one for each tier."""
        return sorted(name for name in self.shards if name == kind or name.startswith(f"{kind}_"))

    def rows(self, config: str, run_id: str | None = None) -> Iterator[Row]:
        """The rows of a config in order, those of one run where one is named.

        Raises:
            BadInputError: a file does not read, or has other columns than this config.
        """
        schema = schema_of(config)
        for path in self.shards.get(config, ()) if schema is not None else ():
            try:
                with pq.ParquetFile(path) as file:
                    _check_columns(file.schema_arrow, schema, path)
                    yield from _rows(file, run_id)
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                found = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                raise BadInputError("a file of the dataset does not read", found=found, where=str(path)) from error


def schema_of(config: str) -> pa.Schema | None:
    """The columns of a config; None where there is no such config."""
    kind = config.partition("_")[0]
    return _SCHEMAS.get(kind) if kind in ("verdicts", "leaderboard") or config == kind else None


def record_of(cell: object, kind: type[R], where: str) -> R:
    """The record whose line stands in a cell.

    Raises:
        BadInputError: the cell does not hold one.
    """
    if not isinstance(cell, str) or "\n" in cell:
        raise BadInputError(
            "a cell holds no line", wanted=f"JSON of a {kind.__name__}", found=repr(cell)[:80], where=where
        )
    return decode_line(cell.encode(), kind, where=where)


def _is_link(path: Path) -> bool:
    return path.is_symlink() or path.parent.is_symlink()


def _check_columns(found: pa.Schema, wanted: pa.Schema, path: Path) -> None:
    differing = [
        name
        for name in sorted({*found.names, *wanted.names})
        if name not in found.names or name not in wanted.names or found.field(name).type != wanted.field(name).type
    ]
    if differing or len(found.names) != len(wanted.names):
        raise BadInputError(
            "a file of the dataset has other columns than its config",
            wanted="the columns that docs/reference/dataset.md lists",
            found=", ".join(name[:60] for name in differing[:5]) or "a column twice",
            where=str(path),
            next_step="take the fcbench that the card names",
        )


def _rows(file: pq.ParquetFile, run_id: str | None) -> Iterator[Row]:
    place = file.schema_arrow.get_field_index("run_id")
    groups = [
        number
        for number in range(file.num_row_groups)
        if run_id is None or _may_hold(file.metadata.row_group(number).column(place), run_id)
    ]
    for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, row_groups=groups) if groups else ():
        kept = batch if run_id is None else batch.filter(pc.equal(batch.column("run_id"), run_id))
        yield from kept.to_pylist()


def _may_hold(column: pq.ColumnChunkMetaData, run_id: str) -> bool:
    """Whether a run may be among the rows of a group, by the least and the greatest id of the group."""
    told = column.statistics
    if told is None or not told.has_min_max or not isinstance(told.min, str) or not isinstance(told.max, str):
        return True
    # Writers may cut a long greatest value; a run's id is short.
    return len(told.max) > 200 or told.min <= run_id <= told.max
