"""How reliable a model is, by level, schema or language, and what error replies would mend (PROTOCOL 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Frame, verdict_frame
from fcbench.aggregate.reliability import THRESHOLD, Measure, reliability_table, repair_table
from fcbench.core.boards import BoardKey
from fcbench.core.records import Record, to_plain
from fcbench.errors import UsageError
from fcbench.packages.files import write_error
from fcbench.workflows.boards import scored_below
from fcbench.workflows.frame_files import TABLE_FORMS, write_frame
from fcbench.workflows.markdown_tables import bullets, heading, markdown_table
from fcbench.workflows.text_tables import aligned, percent

By = Literal["all", "level", "schema", "language", "mix"]
Form = Literal["text", "csv", "parquet", "json", "markdown"]
STRICT_TIER = "native-function-contract"


class ReliabilityRequest(Record, frozen=True, kw_only=True):
    """What is asked of a folder of packages."""

    by: By = "level"
    measure: Measure = "schema-conformance"
    threshold: float = THRESHOLD
    """Between 0 and 1."""
    collection: str | None = None
    tier: str = STRICT_TIER


@dataclass(frozen=True)
class BoardReliability:
    """One board: the boundary, and the repair curve where its tasks ask for a single call."""

    key: BoardKey
    boundary: Frame
    repair: Frame


@dataclass(frozen=True)
class Reliability:
    """The answer for every board."""

    request: ReliabilityRequest
    boards: Sequence[BoardReliability]

    def text(self) -> str:
        """Every board for a terminal."""
        return "\n\n".join("\n".join(_board_lines(board, self.request)) for board in self.boards)

    def markdown(self) -> str:
        """Every board as Markdown."""
        return "\n".join("\n".join(_markdown(board, self.request)) + "\n" for board in self.boards)

    def write(self, folder: Path, form: Form) -> list[Path]:
        """Write the boundary and the repair curve of each board into a folder.

        Raises:
            WriteError: the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return [path for board in self.boards for path in _write(folder, board, self.request, form)]
        except OSError as error:
            raise write_error(folder, error) from error

    def data(self) -> object:
        """As plain JSON values."""
        found = [
            {"board": to_plain(one.key), "boundary": one.boundary.to_dicts(), "repair": one.repair.to_dicts()}
            for one in self.boards
        ]
        return {"request": to_plain(self.request), "boards": found}


def reliability(runs: Path, request: ReliabilityRequest) -> Reliability:
    """The boundary of every run on every board below a folder.

    Raises:
        UsageError: the threshold is no share, or no board fits.
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
    """
    if not 0 < request.threshold < 1:
        raise UsageError(
            "a threshold is a share",
            wanted="a number between 0 and 1, or a percentage such as 99%",
            found=str(request.threshold),
            where="--require",
        )
    found = boards(verdict_frame(scored_below(runs)))
    kept = {
        key: frame
        for key, frame in found.items()
        if key.tier == request.tier and request.collection in (None, key.run.collection)
    }
    if not kept:
        known = "; ".join(sorted({f"{key.run.collection} at {key.tier}" for key in found}))
        raise UsageError(
            "no board fits",
            wanted=known or "a board that is there: there is none, since no package has a verdict",
            found=f"{request.collection or 'any collection'} at {request.tier}",
            where=str(runs),
        )
    return Reliability(request, [_board(key, frame, request) for key, frame in kept.items()])


def _board(key: BoardKey, frame: Frame, request: ReliabilityRequest) -> BoardReliability:
    boundary = reliability_table(frame, request.by, measure=request.measure, threshold=request.threshold)
    return BoardReliability(key, boundary, repair_table(frame, request.by, threshold=request.threshold))


def _board_lines(board: BoardReliability, request: ReliabilityRequest) -> Iterator[str]:
    asked = _asked(request)
    first, second = _about(board, request)
    yield first
    yield f"  {second}"
    rows = board.boundary.to_dicts()
    yield from aligned(_BOUNDARY_HEAD, [_boundary_cells(row, asked) for row in rows])
    yield from (f"  {line}" for line in _unstable(rows))
    if board.repair.height:
        yield f"  {_REPAIR}"
        yield from aligned(_REPAIR_HEAD, [_repair_cells(row, asked) for row in board.repair.to_dicts()])


def _markdown(board: BoardReliability, request: ReliabilityRequest) -> Iterator[str]:
    asked = _asked(request)
    first, second = _about(board, request)
    yield from (heading(2, first), "", *bullets([second, f"board {board.key.slug}"]), "")
    rows = board.boundary.to_dicts()
    yield from markdown_table(_BOUNDARY_HEAD, [_boundary_cells(row, asked) for row in rows])
    if unstable := list(_unstable(rows)):
        yield from ("", *bullets(unstable))
    if board.repair.height:
        yield from ("", heading(3, _REPAIR), "")
        yield from markdown_table(_REPAIR_HEAD, [_repair_cells(row, asked) for row in board.repair.to_dicts()])


def _about(board: BoardReliability, request: ReliabilityRequest) -> tuple[str, str]:
    measured = f"{board.key.run.collection}: {request.measure}, first reply, by {request.by}; {_asked(request)} asked"
    return measured, "unit: the case; it fails if any repeat fails. Bounds: exact, one-sided, 95 %"


def _unstable(rows: Sequence[dict[str, object]]) -> Iterator[str]:
    for row in rows:
        if isinstance(row["unstable_cases"], list) and row["unstable_cases"]:
            yield f"repeats differ for {row['model']}, {row['segment']}: {', '.join(row['unstable_cases'])}"


def _asked(request: ReliabilityRequest) -> str:
    return f"{100 * request.threshold:g} %"


def _write(folder: Path, board: BoardReliability, request: ReliabilityRequest, form: Form) -> Iterator[Path]:
    path, table = folder / f"{board.key.slug}-reliability", TABLE_FORMS.get(form)
    if table:
        yield write_frame(board.boundary, path, table)
        yield write_frame(board.repair, path.with_name(f"{board.key.slug}-repair"), table)
        return
    lines = _board_lines(board, request) if form == "text" else _markdown(board, request)
    file = path.with_name(f"{path.name}.{'txt' if form == 'text' else 'md'}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield file


_REPAIR = "after error replies: conformance, and tokens paid for each success"
_BOUNDARY_HEAD = ["model", "segment", "cases", "failed", "rate", "can be claimed", "verdict", "unstable", "open"]
_REPAIR_HEAD = [
    "model",
    "segment",
    "error replies",
    "cases",
    "failed",
    "can be claimed",
    "verdict",
    "attempts",
    "tokens",
]


def _boundary_cells(row: dict[str, object], asked: str) -> list[str]:
    cells = [row["model"], row["segment"], row["cases"], row["failed"], percent(row["rate"]), percent(row["claim"])]
    return [*map(str, cells), _verdict(row, asked), str(row["unstable"]), str(row["open"])]


def _repair_cells(row: dict[str, object], asked: str) -> list[str]:
    cost = row["tokens_per_success"]
    cells = [row["model"], row["segment"], row["error_replies"], row["cases"], row["failed"], percent(row["claim"])]
    attempts = f"{row['conforming']} of {row['attempts']}"
    return [*map(str, cells), _verdict(row, asked), attempts, f"{cost:.0f}" if isinstance(cost, float) else "unknown"]


def _verdict(row: dict[str, object], asked: str) -> str:
    said = str(row["standing"])
    if said == "cannot tell":
        return f"cannot tell {asked}, {row['more_cases']} more cases"
    return f"{said} {asked}"
