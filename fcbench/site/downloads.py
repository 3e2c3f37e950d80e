"""The table of one board as files: CSV for a spreadsheet, Parquet for a program, JSON with the board's key."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from fcbench.core.boards import BoardKey
from fcbench.core.names import JsonValue
from fcbench.core.records import Record, to_plain
from fcbench.site.text import pretty, visible


class Downloads(Record, frozen=True, kw_only=True):
    """One table, all columns of `fcbench.aggregate.tables.BOARD_SCHEMA`, in three forms."""

    csv: bytes = b""
    json: bytes = b""
    parquet: bytes = b""


def downloads(key: BoardKey, table: pl.DataFrame) -> Downloads:
    """The files of one board; the same rows give the same bytes.

    Args:
        key: of the board.
        table: from `board_table`.
    """
    rows = [_plain(row) for row in table.to_dicts()]
    stream = io.BytesIO()
    table.write_parquet(stream, statistics=False)
    plain = {"board": to_plain(key), "rows": rows}
    return Downloads(
        csv=_csv(table.columns, rows),
        json=pretty(plain).encode("utf-8", "replace") + b"\n",
        parquet=stream.getvalue(),
    )


def _plain(row: Mapping[str, Any]) -> dict[str, JsonValue]:
    """A row whose texts hold nothing invisible; lists stay lists."""
    return {name: _shown(value) for name, value in row.items()}


def _shown(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return visible(value)
    return [_shown(one) for one in value] if isinstance(value, list) else value


def _csv(names: Sequence[str], rows: Sequence[Mapping[str, JsonValue]]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
    return stream.getvalue().encode("utf-8", "replace")


def _cell(value: JsonValue) -> JsonValue:
    """A list in one cell; a text that a spreadsheet would run as a formula gets an apostrophe before it."""
    if isinstance(value, list):
        value = "; ".join(str(one) for one in value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r", "\n"):
        return "'" + value
    return "" if value is None else value
