"""Coloured lines on stdout: the printer's second half, for commands whose result is read while it grows.

A line is made of spans of text and style. Every text passes `plain`, and none can begin a line of its own. Without a
terminal, or where NO_COLOR is set, the same letters come without any escape.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import NoReturn

from rich.console import Console
from rich.status import Status
from rich.text import Text

from fcbench.cli.output import plain
from fcbench.core.names import JsonValue

Span = tuple[str, str]
"""Text and style, such as `bold red`; an empty style is the terminal's own."""
Line = Sequence[Span]
MAX_LINES = 40
"""Lines of one block that are shown."""
MAX_LETTERS = 240
"""Letters of one line of a block that are shown."""
_ONE_LINE = 100
"""JSON that is no longer stands on one line."""


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """The command's `main` decides what a reader who has gone means."""
        raise BrokenPipeError


class Screen:
    """Prints lines; as a context it takes its waiting sign away at the end."""

    def __init__(self) -> None:
        coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._console = _Console(
            file=sys.stdout,
            color_system="auto" if coloured else None,
            markup=False,
            emoji=False,
            highlight=False,
        )
        self._status: Status | None = None

    def show(self, lines: Iterable[Line]) -> None:
        """Print lines now."""
        for line in lines:
            text = Text()
            for span, style in line:
                text.append(plain(span).replace("\n", "\\n"), style=style or None)
            self._console.print(text, soft_wrap=True)

    def wait(self, what: str) -> None:
        """Show that something is under way, on a coloured terminal only."""
        if self._console.color_system is not None:
            self._status = self._console.status(Text(what, style="dim"))
            self._status.start()

    def go_on(self) -> None:
        """Take the sign of `wait` away."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.go_on()


def block(text: str, indent: str, style: str = "", *, cut: bool = True) -> list[Line]:
    """Text of several lines behind an indent that none of them can leave.

    Args:
        text: any text.
        indent: stands before each line.
        style: of the text.
        cut: whether long lines and long texts are cut, and the cut is said.
    """
    if not cut:
        return [((indent, ""), (line, style)) for line in text.split("\n")]
    parts = text.split("\n", MAX_LINES)
    shown: list[Line] = [((indent, ""), (_cut(line), style)) for line in parts[:MAX_LINES]]
    if parts[MAX_LINES:]:
        left = parts[MAX_LINES].count("\n") + 1
        shown.append(((indent, ""), (f"... {left:,} more lines (all with --json)", "dim")))
    return shown


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LETTERS else f"{line[:MAX_LETTERS]}... {len(line) - MAX_LETTERS:,} more letters"


def json_text(value: JsonValue) -> str:
    """JSON on one line where it is short, else indented."""
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) <= _ONE_LINE else json.dumps(value, ensure_ascii=False, indent=2)
