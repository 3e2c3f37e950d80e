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
from fcbench.workflows.boards import scored_below
from fcbench.workflows.text_tables import aligned, percent

By = Literal["all", "level", "schema", "language", "mix"]
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
    key, asked = board.key, f"{100 * request.threshold:g} %"
    yield f"{key.run.collection}: {request.measure}, first reply, by {request.by}; {asked} asked"
    yield "  unit: the case; it fails if any repeat fails. Bounds: exact, one-sided, 95 %"
    rows = board.boundary.to_dicts()
    yield from aligned(_BOUNDARY_HEAD, [_boundary_cells(row, asked) for row in rows])
    for row in rows:
        if row["unstable_cases"]:
            yield f"  repeats differ for {row['model']}, {row['segment']}: {', '.join(row['unstable_cases'])}"
    if board.repair.height:
        yield "  after error replies: conformance, and tokens paid for each success"
        yield from aligned(_REPAIR_HEAD, [_repair_cells(row, asked) for row in board.repair.to_dicts()])


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
