"""A sweep: run after run, each resumable by itself, with one state file over all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from fcbench.core.records import Record, to_plain
from fcbench.engine.events import Event, RunEnded, Spent, Tell, nobody
from fcbench.engine.prices import PriceList
from fcbench.errors import FcbenchError, InterruptedRunError, ProviderError, StoppedError
from fcbench.harnesses.clock import Clock, SystemClock, iso
from fcbench.packages.files import write_whole
from fcbench.workflows.project import Material
from fcbench.workflows.run import run
from fcbench.workflows.score import score
from fcbench.workflows.sweep_plan import PlannedRun

Status = Literal["open", "sealed", "stopped", "failed", "excluded"]
"""`stopped`: resumable, the same sweep goes on with it. `failed`: something is to be mended first."""
Follow = Callable[[PlannedRun, int, int], AbstractContextManager[Tell]]
"""(run, its place from 1, of how many) -> who is told of it."""

_HOPELESS = ("provider down", "refused")


class RunState(Record, frozen=True, kw_only=True):
    """One run of a sweep, as it stands."""

    run: str
    """The combination in words."""
    run_id: str = ""
    status: Status
    package: str | None = None
    message: str = ""
    exit_code: int = 0
    spent: Spent | None = None
    """By this run so far; None where no part of it was made by this sweep."""


class SweepState(Record, frozen=True, kw_only=True):
    """The state file: what became of each run. The packages are the truth, this is for whoever looks."""

    format_version: int = 1
    name: str
    updated_at: str
    runs: tuple[RunState, ...]

    @property
    def exit_code(self) -> int:
        """0 all sealed; 75 where all that is left goes on with the same command; else that of the first failure."""
        left = [one for one in self.runs if one.status not in ("sealed", "excluded")]
        failed = [one.exit_code for one in left if one.status == "failed"]
        if failed:
            return failed[0]
        return StoppedError.exit_code if left else 0


@dataclass(frozen=True, kw_only=True)
class SweepRequest:
    """What to sweep over."""

    name: str
    planned: tuple[PlannedRun, ...]
    runs: Path
    """The folder of packages."""
    prices: PriceList | None = None


def silent(planned: PlannedRun, place: int, number: int) -> AbstractContextManager[Tell]:
    """Nobody follows the runs."""
    return nullcontext(nobody)


def state_file(runs: Path, name: str) -> Path:
    """Where the state of a sweep is written."""
    return runs / f"{name}.sweep.json"


def sweep(
    material: Material, request: SweepRequest, *, follow: Follow = silent, clock: Clock | None = None
) -> SweepState:
    """Make every run that is open. An error in one is noted, and the next begins.

    Args:
        material: the loaded project.
        request: what to run, as `plan_runs` planned it.
        follow: gives who is told of each run.
        clock: the machine's clock unless given.

    Raises:
        InterruptedRunError: a signal ended it; the same sweep goes on.
        WriteError: the state file cannot be written.
    """
    board = _Board(request, clock or SystemClock())
    open_runs = [place for place, one in enumerate(request.planned) if one.is_open]
    board.write()
    for number, place in enumerate(open_runs, 1):
        planned = request.planned[place]
        if board.is_gone(place):
            board.passed_over(place)
            continue
        asked = replace(planned.combination.request, run_id=planned.run_id, prices=request.prices)
        try:
            with follow(planned, number, len(open_runs)) as tell:
                package = run(material, asked, request.runs, clock=clock, tell=board.listening(place, tell))
            score(package)
        except InterruptedRunError as error:
            board.note(place, "stopped", error)
            raise InterruptedRunError(
                "the sweep was interrupted",
                found=f"{board.count('sealed')} of {len(request.planned)} runs are sealed",
                where=planned.combination.label,
                next_step="repeat the command: finished runs are skipped, and this one goes on where it stopped",
            ) from error
        except (StoppedError, ProviderError) as error:
            board.note(place, "stopped", error)
        except FcbenchError as error:
            board.note(place, "failed", error)
        except BrokenPipeError:  # whoever read our words has gone
            raise
        except Exception as error:
            # A fault of ours in one run must not cost the days of the others: it is noted as what it is.
            board.note(place, "failed", FcbenchError("a fault of fcbench", found=f"{type(error).__name__}: {error}"))
        else:
            board.sealed(place, package.folder)
    return board.state


class _Board:
    """Keeps the state and writes it after each change."""

    def __init__(self, request: SweepRequest, clock: Clock) -> None:
        self._request = request
        self._clock = clock
        self._gone: dict[int, str] = {}
        """Model, by its place in the file -> why no further run of it is begun."""
        runs = tuple(_first_state(one) for one in request.planned)
        self.state = SweepState(name=request.name, updated_at=self._now(), runs=runs)

    def _now(self) -> str:
        now: datetime = self._clock.now()
        return iso(now)

    def count(self, status: Status) -> int:
        return sum(one.status == status for one in self.state.runs)

    def listening(self, place: int, tell: Tell) -> Tell:
        """Pass events on, and keep what the run has used."""

        def told(event: Event) -> None:
            tell(event)
            if isinstance(event, RunEnded):
                self._set(place, replace(self.state.runs[place], spent=event.spent))
                if event.reason in _HOPELESS:
                    self._gone[self._model(place)] = event.reason

        return told

    def _model(self, place: int) -> int:
        return self._request.planned[place].combination.place

    def is_gone(self, place: int) -> bool:
        """Whether an earlier run of the same model has shown that its provider is down or refuses us."""
        return self._model(place) in self._gone

    def passed_over(self, place: int) -> None:
        """Note a run that was not begun: waiting for a dead provider again would cost each run a quarter of an hour."""
        why = f"not begun: in an earlier run of this model: {self._gone[self._model(place)]}"
        one = replace(self.state.runs[place], status="stopped", message=why, exit_code=StoppedError.exit_code)
        self._set(place, one)
        self.write()

    def sealed(self, place: int, folder: Path) -> None:
        self._set(place, replace(self.state.runs[place], status="sealed", package=str(folder)))
        self.write()

    def note(self, place: int, status: Status, error: FcbenchError) -> None:
        message = "; ".join(part for part in (error.message, error.found, error.next_step) if part)
        one = replace(self.state.runs[place], status=status, message=message, exit_code=error.exit_code)
        self._set(place, one)
        self.write()

    def _set(self, place: int, one: RunState) -> None:
        runs = (*self.state.runs[:place], one, *self.state.runs[place + 1 :])
        self.state = replace(self.state, runs=runs, updated_at=self._now())

    def write(self) -> None:
        folder = self._request.runs
        folder.mkdir(parents=True, exist_ok=True)
        text = msgspec.json.format(msgspec.json.encode(to_plain(self.state)), indent=2) + b"\n"
        write_whole(state_file(folder, self._request.name), text)


def _first_state(planned: PlannedRun) -> RunState:
    label, combination = planned.combination.label, planned.combination
    if combination.excluded:
        return RunState(run=label, status="excluded", message=combination.excluded)
    if planned.problem:
        return RunState(run=label, status="failed", message=planned.problem, exit_code=planned.exit_code)
    if planned.sealed:
        return RunState(run=label, run_id=planned.run_id, status="sealed", package=planned.folder)
    return RunState(run=label, run_id=planned.run_id, status="open")


__all__ = ["Follow", "RunState", "Status", "SweepRequest", "SweepState", "silent", "state_file", "sweep"]
