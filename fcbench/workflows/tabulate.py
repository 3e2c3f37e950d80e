"""Tables of every board below a folder, for a terminal, a spreadsheet or a program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fcbench.aggregate.boards import boards
from fcbench.aggregate.disputed import disputed_in
from fcbench.aggregate.frames import Frame, verdict_frames
from fcbench.aggregate.streamed import BoardStreams
from fcbench.aggregate.tables import Segment
from fcbench.core.boards import BoardKey
from fcbench.core.names import Tier
from fcbench.core.records import to_plain
from fcbench.engine.prices import PriceList
from fcbench.errors import UsageError
from fcbench.packages.files import write_error
from fcbench.suites.disputes import load_ledger
from fcbench.workflows.board_columns import GROUPS, columns_of
from fcbench.workflows.boards import each_scored
from fcbench.workflows.frame_files import TABLE_FORMS, write_frame
from fcbench.workflows.markdown_tables import bullets, heading, markdown_table
from fcbench.workflows.project import find_project
from fcbench.workflows.segment_columns import segment_cells
from fcbench.workflows.text_tables import aligned

By = Literal["board", "category", "level", "mix", "language", "suite", "trap", "schema", "tool", "fault", "k"]
Form = Literal["text", "csv", "parquet", "json", "markdown"]
Columns = Literal["summary", "accuracy", "dimensions", "repeats", "tools", "cost", "run", "all"]
SUFFIX = {"text": "txt", "markdown": "md"}


@dataclass(frozen=True)
class BoardReport:
    """One board and its table."""

    key: BoardKey
    by: By
    frame: Frame
    disputed: Sequence[str] = ()
    """Its cases with an open claim (`suites/reviews.yaml`)."""
    pairs: Frame | None = None
    """Every two ranked runs against each other, beside the table of the board itself."""


@dataclass(frozen=True)
class Tables:
    """All boards that were asked for."""

    boards: Sequence[BoardReport]

    def text(self, columns: Columns = "summary") -> str:
        """Every board for a terminal, with a group of columns or all of them."""
        return "\n\n".join("\n".join(board_text(board, columns)) for board in self.boards)

    def markdown(self) -> str:
        """Every board as Markdown, with all columns."""
        return "\n".join(board_markdown(board) for board in self.boards)

    def data(self) -> object:
        """Every board as plain JSON values."""
        return [
            {"board": to_plain(one.key), "disputed": list(one.disputed), "rows": one.frame.to_dicts()}
            | ({} if one.pairs is None else {"comparisons": one.pairs.to_dicts()})
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


def tabulate(
    runs: Path,
    *,
    by: By = "board",
    collection: str | None = None,
    tier: str | None = None,
    prices: PriceList | None = None,
    bootstrap: bool = False,
) -> Tables:
    """Tables of all boards below a folder, narrowed to a collection or a tier; each says which cases are disputed.

    Packages are opened one after the other, and no two lie in memory together. With `bootstrap` the interval of strict
    accuracy of a board stands there a second time, by drawing cases.

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
    segment: Segment | None = None if by == "board" else "fault_kind" if by == "fault" else by
    claimed = load_ledger(find_project().suites).disputed_cases()
    streams = BoardStreams([segment] if segment else [])
    known: set[str] = set()
    disputed: dict[BoardKey, set[str]] = {}
    for frame in verdict_frames(each_scored(runs)):
        for key, rows in boards(frame).items():
            known.add(f"{key.run.collection} at {key.tier}")
            if collection in (None, key.run.collection) and tier in (None, key.tier):
                streams.add(key, rows)
                disputed.setdefault(key, set()).update(disputed_in(rows, claimed))
    if not disputed:
        raise _nothing_fits(known, [collection and f"collection {collection}", tier and f"tier {tier}"], runs)
    reports = []
    for key, one in streams.streams().items():
        frame, pairs = (one.segment(segment), None) if segment else one.board_and_pairs(prices)
        if bootstrap and segment is None:
            frame = one.with_bootstrap(frame)
        reports.append(BoardReport(key, by, frame, sorted(disputed[key]), pairs))
    return Tables(reports)


def _nothing_fits(known: Collection[str], asked: Sequence[str | None], runs: Path) -> UsageError:
    there = "; ".join(sorted(known)) or "there is none, since no package has a verdict"
    return UsageError(
        "no board fits",
        wanted=f"a board that is there: {there}",
        found=" at ".join(part for part in asked if part) or "no choice",
        where=str(runs),
        next_step="leave out --collection and --tier to see every board",
    )


def board_text(report: BoardReport, columns: Columns = "summary") -> Iterator[str]:
    """One board for a terminal: its key in words, then its table."""
    first, *others = about_board(report)
    yield first
    yield from (f"  {line}" for line in others)
    for group, (header, cells) in _tables(report, columns).items():
        if columns == "all" and group:
            yield f"  {group}:"
        yield from aligned(header, cells)


def board_markdown(report: BoardReport) -> str:
    """One board as Markdown: its key in words and whole, then every column, a group of them a table."""
    first, *others = about_board(report)
    parts = [f"{name}: {getattr(report.key.run, name)}" for name in report.key.run.__struct_fields__]
    parts += [f"{name}: {getattr(report.key, name)}" for name in ("oracle_hash", "tier", "evaluator_version")]
    lines = [heading(2, first), "", *bullets(others), "", *bullets(parts)]
    for group, (header, cells) in _tables(report, "all").items():
        lines += ["", *([heading(3, group.capitalize()), ""] if group else []), *markdown_table(header, cells)]
    return "\n".join(lines) + "\n"


def about_board(report: BoardReport) -> Iterator[str]:
    """The key of a board in words, and what to know of it; the name first."""
    key = report.key
    steered = "STEERED: the step count was disclosed" if key.run.harness_mode == "oracle-assisted" else "not steered"
    yield f"{key.run.collection}: {key.tier}"
    yield f"{key.run.harness} harness, {key.run.harness_mode} ({steered}), retrieval {key.run.retrieval}"
    yield f"registry {key.run.registry_hash[:12]}, oracle {key.oracle_hash[:12]}, evaluator {key.evaluator_version}"
    if report.by == "board":
        yield _smallest(report.frame.row(0, named=True))
    if report.disputed:
        yield f"DISPUTED: {', '.join(report.disputed)}; `fcbench review scores` shows both scores"


def _smallest(row: dict[str, object]) -> str:
    """What this board can show, said of any of its rows."""
    smallest = row["detectable"]
    if not isinstance(smallest, float):
        return "this board can show no difference of two runs: too few call cases"
    return (
        f"smallest difference of two runs that this board can show: {100 * smallest:.1f} points of strict accuracy "
        "(80 % power, 5 % two-sided, one comparison)"
    )


def _tables(report: BoardReport, columns: Columns) -> dict[str, tuple[list[str], list[list[str]]]]:
    """Heads and cells by group of columns; one without a name for tables of segments."""
    rows = report.frame.to_dicts()
    if report.by != "board":
        return {"": segment_cells(rows)}
    groups = tuple(GROUPS) if columns == "all" else (columns,)
    return {group: columns_of(group, rows) for group in groups}


def _write(folder: Path, board: BoardReport, form: Form) -> Path:
    path = folder / f"{board.key.slug}-{board.by}"
    table = TABLE_FORMS.get(form)
    if table:
        return write_frame(board.frame, path, table)
    text = board_markdown(board) if form == "markdown" else "\n".join(board_text(board)) + "\n"
    file = path.with_name(f"{path.name}.{SUFFIX[form]}")
    file.write_text(text, encoding="utf-8")
    return file
