"""The prompt over one session of the workbench, for people and for scripts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from fcbench.cli.output import Output
from fcbench.cli.screen import Line, Screen, block
from fcbench.cli.workbench_report import answer_lines, help_lines, state_lines, tools_text
from fcbench.core.canonical import MAX_BYTES
from fcbench.core.names import JsonObject
from fcbench.core.records import to_plain
from fcbench.errors import FcbenchError
from fcbench.workflows.workbench_call import Bench
from fcbench.workflows.workbench_list import tool_rows
from fcbench.workflows.workbench_shell import COMMANDS, NextLine, Typed, read_commands

WORDS = (
    "TOOL {json}    call a tool; no JSON is {}",
    "tools [WORD]   tools by category, all or those that match a word",
    "help TOOL      what a tool does and takes",
    "state          parts of the session's end state",
    "reset          begin again from the fixture",
    "quit           or Ctrl-D",
)


class Shell:
    """Carries out commands one after another."""

    def __init__(self, bench: Bench, printer: Output, screen: Screen) -> None:
        self._bench = bench
        self._printer = printer
        self._screen = screen
        self._handlers: dict[str, Callable[[Typed], tuple[list[Line], JsonObject]]] = {
            "help": self._help,
            "tools": self._tools,
            "state": self._state,
            "reset": self._reset,
        }
        self.steps: list[JsonObject] = []
        """What each command gave, for programs."""
        self.exit_code = 0
        """1 where a call failed; that of the first command that could not be carried out comes before."""

    def run(self, next_line: NextLine) -> None:
        """Read and carry out commands until the end or `quit`."""
        for typed in read_commands(next_line, f"{self._bench.fixture}> "):
            if typed.word in ("quit", "exit"):
                return
            try:
                lines, data = self._handlers.get(typed.word, self._call)(typed)
            except FcbenchError as error:
                self._printer.error(error)
                self.exit_code = error.exit_code if self.exit_code in (0, 1) else self.exit_code
                self.steps.append({"command": typed.word, "error": error.message, "exit_code": error.exit_code})
                continue
            self.steps.append({"command": typed.word, **data})
            if not self._printer.as_json:
                self._screen.show(lines)

    def _call(self, typed: Typed) -> tuple[list[Line], JsonObject]:
        answer = self._bench.call(typed.word, typed.rest)
        if not answer.succeeded:
            self.exit_code = self.exit_code or 1
        return answer_lines(answer), answer.data()

    def _help(self, typed: Typed) -> tuple[list[Line], JsonObject]:
        if not typed.text:
            return block("\n".join(WORDS), "", cut=False), {"commands": list(COMMANDS)}
        contract = self._bench.contract(typed.text)
        return help_lines(contract), {"contract": to_plain(contract)}

    def _tools(self, typed: Typed) -> tuple[list[Line], JsonObject]:
        word = typed.text.lower()
        chosen = {
            name: each
            for name, each in self._bench.contracts.items()
            if word in f"{each.name} {each.category} {each.description}".lower()
        }
        rows = tool_rows(chosen)
        text = tools_text(rows) if rows else f"no tool matches {typed.text[:80]}"
        return block(text, "", cut=False), {"tools": [row.data() for row in rows]}

    def _state(self, _: Typed) -> tuple[list[Line], JsonObject]:
        state = self._bench.state()
        return state_lines(state), {"state": state}

    def _reset(self, _: Typed) -> tuple[list[Line], JsonObject]:
        self._bench.reset()
        return [((f"a fresh session on {self._bench.fixture}", "dim"),)], {"fixture": self._bench.fixture}


def line_reader(printer: Output, words: Sequence[str]) -> NextLine:
    """How lines are read: with completion where input and output are a terminal, else with the prompt on stderr.

    Args:
        printer: shows prompts.
        words: tools and commands, for completion.
    """
    if sys.stdin is None:  # a process may be started without standard input: then there is nothing in it
        return lambda prompt: b""
    if sys.stdin.isatty() and sys.stdout.isatty() and _complete(words):
        return _typed_line
    stream = sys.stdin.buffer

    def read(prompt: str) -> bytes:
        printer.ask(prompt)
        return stream.readline(MAX_BYTES + 1)

    return read


def _typed_line(prompt: str) -> bytes:
    try:
        return (input(prompt) + "\n").encode("utf-8", "surrogateescape")
    except EOFError:
        return b""


def _complete(words: Sequence[str]) -> bool:
    """Turn completion on; whether there is a line editor at all."""
    try:
        import readline  # noqa: PLC0415 - not on every platform
    except ImportError:
        return False
    found: list[str] = []

    def complete(text: str, place: int) -> str | None:
        if place == 0:
            found[:] = _matches(readline.get_line_buffer()[: readline.get_begidx()], text, words)
        return found[place] if place < len(found) else None

    readline.set_completer_delims(" \t\n{")
    readline.set_completer(complete)
    # macOS has libedit under the same name, with another language.
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    return True


def _matches(before: str, text: str, words: Sequence[str]) -> list[str]:
    """Words that may stand here: anything at the start of a line, tools after `help`, nothing inside JSON."""
    start = before.strip()
    if start not in ("", "help"):
        return []
    return [word for word in words if word.startswith(text) and not (start and word in COMMANDS)]
