"""What a site showed, in one small file, so that the next build can say what is new.

A build reads the state of an earlier one and writes its own to `data/state.json`. A build that changes no number hands
on what the last change was, so that building twice from the same packages and the same state gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import field

from fcbench.core.records import Record
from fcbench.errors import BadInputError, NotFoundError
from fcbench.site.data import BoardRow, BoardView, SiteData
from fcbench.site.slugs import slug
from fcbench.site.text import clip, pretty, visible

PATH = "data/state.json"
FORMAT = 1
MAX_BYTES = 16 << 20


class RunState(Record, frozen=True, kw_only=True):
    """One row of a board."""

    model: str
    control: bool = False
    rank: int | None = None
    strict: float | None = None
    restraint: float | None = None
    complete: bool = True


class BoardState(Record, frozen=True, kw_only=True):
    """One board."""

    label: str
    runs: dict[str, RunState] = field(default_factory=dict)
    """By run id."""


class Snapshot(Record, frozen=True, kw_only=True):
    """All boards of a site."""

    boards: dict[str, BoardState] = field(default_factory=dict)
    """By file name."""
    newest: str = ""
    """Day of the newest run."""


class State(Record, frozen=True, kw_only=True):
    """What a build showed, and what the one before the last change did."""

    format: int = FORMAT
    now: Snapshot
    before: Snapshot | None = None


class Change(Record, frozen=True, kw_only=True):
    """One thing that is new."""

    kind: str
    """`new`, `changed` or `gone`."""
    board: str
    """File name of the board, empty where it is gone."""
    label: str
    text: str


def snapshot(data: SiteData) -> Snapshot:
    """What the site shows now."""
    boards = {slug(board.key.slug): _board(board) for board in data.boards}
    newest = max((row.date for board in data.boards for row in board.rows), default="")
    return Snapshot(boards=boards, newest=visible(newest))


def _board(board: BoardView) -> BoardState:
    return BoardState(
        label=visible(clip(f"{board.key.run.collection}, {board.key.tier.replace('-', ' ')}")),
        runs={visible(row.run_id): _run(row) for row in board.rows},
    )


def _run(row: BoardRow) -> RunState:
    strict, restraint = row.rates.get("strict"), row.rates.get("restraint_accuracy")
    return RunState(
        model=visible(clip(row.model)),
        control=row.control,
        rank=row.rank,
        strict=_rounded(strict.value if strict else None),
        restraint=_rounded(restraint.value if restraint else None),
        complete=row.complete,
    )


def _rounded(value: float | None) -> float | None:
    """To a tenth of a per cent, as the table shows it: what nobody sees is no change."""
    return None if value is None else round(value, 3)


def read_state(path: Path) -> State:
    """The state of an earlier build.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: it is no state, or one of another format.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInputError("this is no state of a site", wanted="a small file", where=str(path))
        content = path.read_bytes()
    except OSError as error:
        raise NotFoundError("the state of the earlier build cannot be read", where=str(path)) from error
    try:
        state = msgspec.json.decode(content, type=State)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(
            "this is no state of a site",
            wanted=f"a file that an earlier build wrote to {PATH}",
            found=str(error)[:200],
            where=str(path),
        ) from error
    if state.format != FORMAT:
        raise BadInputError(
            "this state is of another format", wanted=str(FORMAT), found=str(state.format), where=str(path)
        )
    return state


def next_state(now: Snapshot, earlier: State | None) -> State:
    """The state to write, from what is shown now and what was read."""
    if earlier is None:
        return State(now=now)
    return State(now=now, before=earlier.before if earlier.now == now else earlier.now)


def state_bytes(state: State) -> bytes:
    """The file, in a form that a person and a difference of two files can read."""
    return pretty(msgspec.to_builtins(state)).encode() + b"\n"


def changes(state: State) -> tuple[Change, ...]:
    """What is new since the state before: new boards and runs, changed numbers, and what is gone."""
    if state.before is None:
        return ()
    found: list[Change] = []
    for name, board in state.now.boards.items():
        found.extend(_of_board(name, board, state.before.boards.get(name)))
    for name, board in state.before.boards.items():
        if name not in state.now.boards:
            text = f"The board is gone, with {len(board.runs)} runs."
            found.append(Change(kind="gone", board="", label=board.label, text=text))
    order = ("new", "changed", "gone")
    return tuple(sorted(found, key=lambda one: order.index(one.kind)))


def _of_board(name: str, now: BoardState, before: BoardState | None) -> Iterator[Change]:
    if before is None:
        count = len(now.runs)
        text = f"A new board with {count} run{'' if count == 1 else 's'}."
        yield Change(kind="new", board=name, label=now.label, text=text)
        return
    for run_id, run in now.runs.items():
        old = before.runs.get(run_id)
        if old is None:
            yield Change(kind="new", board=name, label=now.label, text=f"{_named(run)}: {_numbers(run)}.")
        elif old != run:
            text = f"{_named(run)}: {_difference(old, run)}."
            yield Change(kind="changed", board=name, label=now.label, text=text)
    for run_id, run in before.runs.items():
        if run_id not in now.runs:
            yield Change(kind="gone", board=name, label=now.label, text=f"{_named(run)} is gone.")


def _named(run: RunState) -> str:
    return f"{run.model} (control)" if run.control else run.model


def _numbers(run: RunState) -> str:
    parts = [f"strict accuracy {_percent(run.strict)}"]
    if run.restraint is not None:
        parts.append(f"restraint {_percent(run.restraint)}")
    parts.append("not ranked" if run.rank is None else f"rank {run.rank}")
    return ", ".join(parts)


def _difference(old: RunState, new: RunState) -> str:
    parts = []
    if old.strict != new.strict:
        parts.append(f"strict accuracy {_percent(old.strict)} to {_percent(new.strict)}")
    if old.restraint != new.restraint:
        parts.append(f"restraint {_percent(old.restraint)} to {_percent(new.restraint)}")
    if old.rank != new.rank:
        parts.append(f"rank {old.rank or 'none'} to {new.rank or 'none'}")
    if old.complete != new.complete:
        parts.append("now complete" if new.complete else "now incomplete")
    return ", ".join(parts) or "renamed"


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{value * 100:.1f} %"
