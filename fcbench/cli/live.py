"""Who is told of a run: a live display on a terminal, plain lines elsewhere, and lines of JSON for programs.

All of it goes to stderr or to a file: stdout holds the command's result alone.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Literal

from rich.console import Console, RenderableType
from rich.live import Live

from fcbench.cli.live_state import LiveState
from fcbench.cli.live_view import Look, live_view
from fcbench.cli.output import Output, safe_line
from fcbench.cli.run_report import attempt_note
from fcbench.core.evidence import Attempt
from fcbench.core.records import Record, to_plain
from fcbench.engine.events import AttemptEnded, Event, RunBegun, Tell, Waiting
from fcbench.errors import UsageError, WriteError
from fcbench.workflows.judging import Onlooker

Progress = Literal["auto", "live", "plain", "none"]
ON_STDERR = "-"
FRAMES_PER_SECOND = 4


class Watch(Record, frozen=True, kw_only=True):
    """How a run is to be followed."""

    progress: Progress = "auto"
    events: str | None = None
    """A file for lines of JSON, or `-` for stderr."""
    note: str = ""
    """Shown in the header, such as why this run is not ranked."""


class LiveDisplay:
    """Shows a run on a console. Events come from the run's thread, pictures are drawn in that of the display."""

    def __init__(
        self, console: Console, onlooker: Onlooker, *, note: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._onlooker = onlooker
        self._note = note
        self._clock = clock
        self._lock = threading.Lock()
        self._state = LiveState(self._judge)

    def tell(self, event: Event) -> None:
        """Take one event in."""
        with self._lock:
            self._state.take(event, self._clock())

    def picture(self) -> RenderableType:
        """The display of this moment."""
        with self._lock:
            look = Look(
                effect_of=self._onlooker.effect,
                height=self._console.height,
                tier=self._onlooker.headline,
                note=self._note,
            )
            return live_view(self._state, look, self._clock())

    def _judge(self, attempt: Attempt) -> bool | None:
        begun = self._state.begun
        if begun is None or begun.harness not in ("contract", "workbench"):
            return None
        try:
            return self._onlooker.passed(attempt, "contract" if begun.harness == "contract" else "workbench")
        except Exception:  # what cannot be shown must not end a run of days; scoring the package will say it aloud
            return None


def is_live(progress: Progress, stream: IO[str]) -> bool:
    """Whether a run is drawn: asked for, or the stream is a terminal that can move its cursor.

    Raises:
        UsageError: it is asked for and the stream is no such terminal.
    """
    able = stream.isatty() and os.environ.get("TERM", "").lower() not in ("", "dumb", "unknown")
    if progress == "live" and not able:
        raise UsageError(
            "there is no terminal for a live display",
            wanted="stderr on a terminal that can move its cursor",
            found=f"TERM={os.environ.get('TERM', '')}" if stream.isatty() else "stderr goes to a file or a pipe",
            where="--progress live",
            next_step="leave the option out: plain lines are shown where no display can be",
        )
    return able and progress in ("auto", "live")


@contextmanager
def following(watch: Watch, printer: Output, onlooker: Onlooker) -> Iterator[Tell]:
    """Who is to be told of a run, for as long as the context lasts.

    Raises:
        UsageError: a live display is asked for where there can be none.
        WriteError: the file for events cannot be written.
    """
    with ExitStack() as stack:
        told: list[Tell] = []
        if watch.events is not None:
            told.append(_json_lines(watch.events, stack))
        if watch.events != ON_STDERR and watch.progress != "none":
            live = is_live(watch.progress, sys.stderr)
            told.append(_drawn(watch, onlooker, stack) if live else plain_lines(printer))

        def tell(event: Event) -> None:
            for one in told:
                one(event)

        yield tell


def _drawn(watch: Watch, onlooker: Onlooker, stack: ExitStack) -> Tell:
    console = console_for(sys.stderr)
    display = LiveDisplay(console, onlooker, note=watch.note)
    live = Live(
        get_renderable=display.picture,
        console=console,
        refresh_per_second=FRAMES_PER_SECOND,
        redirect_stdout=False,
        vertical_overflow="crop",
    )
    stack.enter_context(live)
    return display.tell


def console_for(stream: IO[str]) -> Console:
    """A console without markup; without colour where NO_COLOR is set."""
    coloured = not os.environ.get("NO_COLOR")
    return Console(file=stream, color_system="auto" if coloured else None, markup=False, emoji=False, highlight=False)


def plain_lines(printer: Output) -> Tell:
    """One line for each attempt that ends, and for each wait of the whole run."""

    def tell(event: Event) -> None:
        if isinstance(event, AttemptEnded):
            printer.note(attempt_note(event.attempt, event.done, event.planned))
        elif isinstance(event, Waiting) and event.why != "retry":
            detail = f": {event.detail[:160]}" if event.detail else ""
            printer.note(f"waiting {event.seconds:.0f} s, {event.why}{detail}".replace("\n", " "))
        elif isinstance(event, RunBegun) and event.resumed:
            printer.note(f"going on with {event.run_id}: {event.done} of {event.planned} attempts are done")

    return tell


def _json_lines(target: str, stack: ExitStack) -> Tell:
    stream = sys.stderr if target == ON_STDERR else stack.enter_context(_appending(Path(target)))

    def tell(event: Event) -> None:
        stream.write(safe_line(to_plain(event)) + "\n")
        stream.flush()

    return tell


@contextmanager
def _appending(path: Path) -> Iterator[IO[str]]:
    try:
        stream = path.open("a", encoding="utf-8")
    except OSError as error:
        raise WriteError(
            "the file for events cannot be written",
            found=error.strerror or type(error).__name__,
            where=str(path),
            next_step="name another file with --events",
        ) from error
    with stream:
        yield stream


__all__ = ["LiveDisplay", "Progress", "Watch", "console_for", "following", "is_live", "plain_lines"]
