"""From packages on disk to what the site shows. This module, `load_detail` and `downloads` alone read frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Frame, Scored, latest_verdicts, refuse_twice
from fcbench.aggregate.tables import board_table
from fcbench.core.boards import BoardKey
from fcbench.core.contracts import ToolContract
from fcbench.core.records import Record, from_plain
from fcbench.engine.prices import PriceList
from fcbench.errors import NotFoundError
from fcbench.packages.header_facts import REGISTRY
from fcbench.packages.held_out import lifted
from fcbench.packages.store import find_packages, open_package, read_json_file
from fcbench.site.columns import COLUMNS
from fcbench.site.data import BoardRow, BoardView, Rate, RunView, SiteData
from fcbench.site.disputes import open_claims, open_items
from fcbench.site.downloads import downloads
from fcbench.site.load_detail import board_detail
from fcbench.site.run_cache import run_rows
from fcbench.suites.commitments import revealed_in
from fcbench.suites.disputes import Ledger, load_ledger


def load_site(folders: Sequence[Path], suites: Path | None = None, prices: PriceList | None = None) -> SiteData:
    """Read every sealed package below the folders, with the newest verdicts that its own oracle gave.

    A package of purpose `interactive` or `shard` is never shown (PROTOCOL 1).

    Args:
        folders: with packages.
        suites: the project's `suites/`, whose ledger tells which cases are disputed; without it none is.
        prices: what a million tokens of each model cost; without it every cost is unknown.

    Raises:
        NotFoundError: a folder does not exist, or a package was never scored.
        PackageError: a package or a verdict file is damaged, or holds held-out cases in the clear.
        SuiteError: the ledger is wrong.
    """
    ledger = load_ledger(suites) if suites is not None else Ledger()
    revealed = revealed_in(suites) if suites is not None else {}
    runs, frames, seen = [], [], set[tuple[str, str]]()
    paths = {path.resolve(): path for folder in folders for path in find_packages(folder)}
    for path in sorted(paths.values()):
        package = lifted(open_package(path), revealed)
        if package.header.purpose in ("interactive", "shard"):
            continue
        verdicts = latest_verdicts(package)
        if verdicts is None:
            raise NotFoundError(
                "this package has no verdicts of its own oracle",
                where=str(path),
                next_step=f"run `fcbench score {path}`",
            )
        source = Scored(package=package, verdicts=verdicts)
        rows = run_rows(source)
        refuse_twice(source, verdicts.name, seen)
        records = {(one.task_id, one.repeat, one.tier): one for one in rows.verdicts}
        runs.append(RunView(package=package, verdicts=records, key=rows.key))
        frames.append(rows.frame)
    every = pl.concat(frames) if frames else None
    return SiteData(
        runs=runs,
        boards=_boards(every, sorted(ledger.disputed_cases()), prices),
        registries=_registries(runs),
        claims=open_claims(ledger),
        disputes=ledger.disputes,
        queue=open_items(every, ledger),
    )


def marked(data: SiteData, verified: AbstractSet[str]) -> SiteData:
    """The same with the badge `verified` on every row whose package is in `verified`, by its folder below `runs/`."""

    def row(one: BoardRow) -> BoardRow:
        is_known = one.package in verified
        return msgspec.structs.replace(one, badges=("verified", *one.badges)) if is_known else one

    return replace(data, boards=[replace(board, rows=tuple(map(row, board.rows))) for board in data.boards])


class _Registry(Record, frozen=True, kw_only=True):
    """`registry.json`: a whole registry beside the packages that used it."""

    hash: str
    tools: tuple[ToolContract, ...]


def _registries(runs: Sequence[RunView]) -> dict[str, tuple[ToolContract, ...]]:
    """The registries that lie beside packages and are those that these used."""
    found: dict[str, tuple[ToolContract, ...]] = {}
    for run in runs:
        path, wanted = run.package.folder.parent / REGISTRY, str(run.manifest.header.key.registry_hash)
        if wanted not in found and path.is_file():
            registry = from_plain(read_json_file(path), _Registry, where=str(path))
            if registry.hash == wanted:
                found[wanted] = registry.tools
    return found


def _boards(frame: Frame | None, disputed: Sequence[str], prices: PriceList | None) -> list[BoardView]:
    if frame is None:
        return []
    return [_board(key, rows, disputed, prices) for key, rows in boards(frame).items()]


def _board(key: BoardKey, frame: Frame, disputed: Sequence[str], prices: PriceList | None) -> BoardView:
    table = board_table(frame, prices)
    rows = table.to_dicts()
    return BoardView(
        key=key,
        rows=tuple(_row(row) for row in rows),
        cases_applicable=max(row["cases_applicable"] or 0 for row in rows),
        cases_planned=max(row["cases_planned"] or 0 for row in rows),
        detail=board_detail(frame, rows, disputed),
        files=downloads(key, table),
    )


def _row(row: Mapping[str, Any]) -> BoardRow:
    rates = {
        column.name: Rate(
            value=row[column.name],
            numerator=row[f"{column.name}_sum"],
            denominator=row[f"{column.name}_n"],
            low=row.get(f"{column.name}_low"),
            high=row.get(f"{column.name}_high"),
        )
        for column in COLUMNS
        if f"{column.name}_n" in row
    }
    return BoardRow(
        model=row["model"],
        run_id=row["run_id"],
        control=row["control"],
        complete=row["complete"],
        rank=row["rank"],
        rank_low=row["rank_low"],
        rank_high=row["rank_high"],
        rates=rates,
        numbers={column.name: row.get(column.name) for column in COLUMNS if column.name not in rates},
        counts={column.name: _whole(row.get(column.counted)) for column in COLUMNS if column.counted},
        currency=row["cost_currency"] or "",
        worst=row["strict_worst"],
        best=row["strict_best"],
        repeats=row["repeats"],
        date=(row["created_at"] or "")[:10],
        badges=tuple(row["badges"]),
        assistance=row["harness_assistance"] or "",
        package=row["package"],
    )


def _whole(count: float | None) -> int | None:
    return None if count is None else round(count)
