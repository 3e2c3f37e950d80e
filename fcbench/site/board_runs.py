"""The runs of a board under the letters that charts and tables call them by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcbench.site.data import BoardRow, BoardView
from fcbench.site.slugs import model_path
from fcbench.site.text import clip

MAX_SERIES = 6
"""Runs in one chart: more cannot be told apart."""
MAX_COLUMNS = 12
"""Runs in one table."""


@dataclass(frozen=True, kw_only=True)
class BoardRun:
    """One row of a board, with its letter."""

    letter: str
    row: BoardRow

    @property
    def run_id(self) -> str:
        """The run's id, unique on a board."""
        return self.row.run_id

    @property
    def control(self) -> bool:
        """Whether it is a script that is never ranked."""
        return self.row.control

    @property
    def path(self) -> str:
        """Page of the model."""
        return model_path(self.row.model)

    @property
    def heading(self) -> str:
        """Letter and name, for the top of a column."""
        letter = f"{self.letter}: " if self.letter else ""
        return letter + clip(self.row.model, 24) + (" (control)" if self.control else "")


@dataclass(frozen=True, kw_only=True)
class BoardRuns:
    """All runs of a board, in the order of its table."""

    every: tuple[BoardRun, ...]
    prefix: str = ""
    """Before the ids of figures, where a page shows several sets of them."""

    @property
    def columns(self) -> tuple[BoardRun, ...]:
        """Those that get a column of a table."""
        return self.every[:MAX_COLUMNS]

    @property
    def series(self) -> tuple[BoardRun, ...]:
        """Those that a chart shows: the first models, or controls where there is no model yet."""
        models = [run for run in self.every if not run.control]
        return tuple((models or list(self.every))[:MAX_SERIES])

    @property
    def are_cut(self) -> bool:
        """Whether the charts or tables leave runs out."""
        models = sum(not run.control for run in self.every)
        return len(self.every) > MAX_COLUMNS or models > MAX_SERIES


def board_runs(board: BoardView) -> BoardRuns:
    """The runs of a board under the letters A, B, ... Z, AA, AB, ..."""
    return BoardRuns(every=tuple(BoardRun(letter=_letter(number), row=row) for number, row in enumerate(board.rows)))


def letter_of(runs: Sequence[BoardRun], run: BoardRun) -> str:
    """The letter beside a bar; empty where a chart shows one run only."""
    return run.letter if len(runs) > 1 else ""


def _letter(number: int) -> str:
    text = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        text = chr(ord("A") + place) + text
    return text
