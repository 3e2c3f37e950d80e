"""`fcbench-export.json`: what marks a folder as an export, with the digest of every data file."""

from __future__ import annotations

import json
from pathlib import Path

from fcbench.core.records import Record, from_plain, to_plain
from fcbench.errors import BadInputError
from fcbench.export.parquet import FileFacts
from fcbench.packages.store import read_json_file

MARKER = "fcbench-export.json"
"""Tells an earlier export, which may be replaced, from a folder of someone else's."""
EXPORT_FORMAT = 2
"""Raised whenever an older fcbench could misread a dataset; a newer dataset is refused by name."""


class DatasetMarker(Record, frozen=True, kw_only=True):
    """The file's content."""

    format_version: int = EXPORT_FORMAT
    fcbench_version: str
    rows: dict[str, dict[str, int]]
    """By config and split."""
    files: dict[str, FileFacts]
    """The Parquet files, by path below the dataset."""


def marker_text(marker: DatasetMarker) -> str:
    """The file as it is written: sorted, one fact a line."""
    plain = {**to_plain(marker), "format_version": marker.format_version}
    return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read_marker(folder: Path) -> DatasetMarker:
    """The marker of a dataset.

    Raises:
        NotFoundError: there is none.
        BadInputError: it does not read as it should, or the dataset is of another format.
    """
    path = folder / MARKER
    plain = read_json_file(path)
    version = plain.get("format_version") if isinstance(plain, dict) else None
    if version != EXPORT_FORMAT or isinstance(version, bool):
        raise BadInputError(
            "this dataset comes from another format",
            wanted=f"format version {EXPORT_FORMAT}",
            found=f"format version {version!r}"[:80],
            where=str(path),
            next_step="install the fcbench that the card names, or export the packages again",
        )
    return from_plain(plain, DatasetMarker, where=str(path))
