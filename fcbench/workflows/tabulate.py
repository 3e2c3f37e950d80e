"""Tables of every board below a folder, for a terminal, a spreadsheet or a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fcbench.aggregate.boards import boards
from fcbench.aggregate.disputed import disputed_in
from fcbench.aggregate.frames import Frame, verdict_frame
from fcbench.aggregate.tables import board_table, segment_table
from fcbench.core.boards import BoardKey
from fcbench.core.names import Tier
from fcbench.core.records import to_plain
from fcbench.errors import UsageError
from fcbench.packages.files import write_error
from fcbench.suites.disputes import load_ledger
from fcbench.workflows.boards import scored_below
from fcbench.workflows.project import find_project
from fcbench.workflows.text_tables import aligned, percent

By = Literal["board", "category", "level", "mix", "language", "trap", "fault"]
Form = Literal["text", "csv", "parquet", "json"]


@dataclass(frozen=True)
class BoardReport:
    """One board and its table."""

    key: BoardKey
    by: By
    frame: Frame
    disputed: Sequence[str] = ()
    """Its cases with an open claim (`suites/reviews.yaml`)."""


@dataclass(frozen=True)
class Tables:
    """All boards that were asked for."""

    boards: Sequence[BoardReport]

    def text(self) -> str:
        """Every board for a terminal."""
        return "\n\n".join("\n".join(board_text(board)) for board in self.boards)

    def data(self) -> object:
        """Every board as plain JSON values."""
        return [
            {"board": to_plain(one.key), "disputed": list(one.disputed), "rows": one.frame.to_dicts()}
            for one in self.boards
        ]

    def write(self, folder: Path, form: Form) -> list[Path]:
        """Write one file a board into a folder.

        Raises:
            WriteError: the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return [_write(folder, board, form) for board in self.boards]
        except OSError as error:
            raise write_error(folder, error) from error


def tabulate(runs: Path, *, by: By = "board", collection: str | None = None, tier: str | None = None) -> Tables:
    """Tables of all boards below a folder, narrowed to a collection or a tier; each says which cases are disputed.

    Raises:
        UsageError: no board is left.
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
        SuiteError: the ledger of the current project is wrong.
    """
    if tier is not None and tier not in get_args(Tier):
        raise UsageError(
            "there is no such tier",
            wanted=", ".join(get_args(Tier)),
            found=tier,
            where="--tier",
            next_step="leave the option out to see every tier",
        )
    found = boards(verdict_frame(scored_below(runs)))
    kept = {
        key: frame
        for key, frame in found.items()
        if collection in (None, key.run.collection) and tier in (None, key.tier)
    }
    if not kept:
        known = sorted({f"{key.run.collection} at {key.tier}" for key in found})
        asked = [collection and f"collection {collection}", tier and f"tier {tier}"]
        raise UsageError(
            "no board fits",
            wanted=f"a board that is there: {'; '.join(known) or 'there is none, since no package has a verdict'}",
            found=" at ".join(part for part in asked if part) or "no choice",
            where=str(runs),
            next_step="leave out --collection and --tier to see every board",
        )
    claimed = load_ledger(find_project().suites).disputed_cases()
    return Tables([BoardReport(key, by, _table(frame, by), disputed_in(frame, claimed)) for key, frame in kept.items()])


def _table(frame: Frame, by: By) -> Frame:
    if by == "board":
        return board_table(frame)
    return segment_table(frame, "fault_kind" if by == "fault" else by)


def board_text(report: BoardReport) -> Iterator[str]:
    """One board for a terminal: its key in words, then its table."""
    key = report.key
    steered = "STEERED: the step count was disclosed" if key.run.harness_mode == "oracle-assisted" else "not steered"
    yield f"{key.run.collection}: {key.tier}"
    yield f"  {key.run.harness} harness, {key.run.harness_mode} ({steered}), retrieval {key.run.retrieval}"
    yield f"  registry {key.run.registry_hash[:12]}, oracle {key.oracle_hash[:12]}, evaluator {key.evaluator_version}"
    if report.disputed:
        yield f"  DISPUTED: {', '.join(report.disputed)}; `fcbench review scores` shows both scores"
    rows = report.frame.to_dicts()
    header, cells = _board_cells(rows) if report.by == "board" else _segment_cells(rows)
    yield from aligned(header, cells)


def _board_cells(rows: list[dict[str, object]]) -> tuple[list[str], list[list[str]]]:
    header = "rank|model|strict accuracy (95 %)|calls n|restraint|recovered|complete|exact|partial|p50 s|tokens in/out"
    cells = [
        [
            _rank(row),
            str(row["model"]),
            _interval(row, "strict"),
            str(row["strict_n"]),
            _of(row, "restraint_accuracy"),
            percent(row["recovered"]),
            _of(row, "completion"),
            percent(row["exact_match"]),
            percent(row["partial"]),
            _number(row["latency_p50_s"]),
            f"{row['input_tokens']}/{row['output_tokens']}" if row["input_tokens"] is not None else "unknown",
        ]
        for row in rows
    ]
    return header.split("|"), cells


def _segment_cells(rows: list[dict[str, object]]) -> tuple[list[str], list[list[str]]]:
    if rows and "faults" in rows[0]:
        header = ["model", "fault kind", "faults", "attempts", "cases"]
        return header, [
            [str(row["model"]), str(row["segment"]), str(row["faults"]), _of(row, "attempts"), str(row["cases"])]
            for row in rows
        ]
    header = ["model", "segment", "strict accuracy (95 %)", "calls n", "restraint", "partial"]
    return header, [
        [
            str(row["model"]),
            str(row["segment"]),
            _interval(row, "strict"),
            str(row["strict_n"]),
            _of(row, "restraint_accuracy"),
            percent(row["partial"]),
        ]
        for row in rows
    ]


def _rank(row: dict[str, object]) -> str:
    if row["control"]:
        return "control"
    if row["rank"] is None:
        return "not ranked"
    low, high = row["rank_low"], row["rank_high"]
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low} to {high})"


def _number(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float | int) else "-"


def _interval(row: dict[str, object], name: str) -> str:
    if row[name] is None:
        return "-"
    return f"{percent(row[name])} ({percent(row[f'{name}_low'])} to {percent(row[f'{name}_high'])})"


def _of(row: dict[str, object], name: str) -> str:
    total, count = row[f"{name}_sum"], row[f"{name}_n"]
    if not count or not isinstance(total, float | int):
        return "-"
    return f"{round(total, 2):g} of {count}"


def _write(folder: Path, board: BoardReport, form: Form) -> Path:
    path = folder / f"{board.key.slug}-{board.by}.{'txt' if form == 'text' else form}"
    if form == "parquet":
        board.frame.write_parquet(path)
    elif form == "json":
        board.frame.write_json(path)
    elif form == "csv":
        flat = {name for name, kind in board.frame.schema.items() if kind.is_nested()}
        joined = [
            board.frame[name].list.join("; ") if name in flat else board.frame[name] for name in board.frame.columns
        ]
        board.frame.with_columns(joined).write_csv(path)
    else:
        path.write_text("\n".join(board_text(board)) + "\n", encoding="utf-8")
    return path
