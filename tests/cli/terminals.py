"""Commands on a pseudo-terminal, and pages whose examples are compared with what commands print."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROMPT = b"ecoli-d10483> "
SILENCE_S = 60.0
"""A terminal that stays silent for longer is given up."""


def in_terminal(arguments: list[str], typed: Sequence[bytes] = (), **environment: str) -> tuple[int, str]:
    """Exit code and everything that a terminal was sent, line ends as in a file.

    Args:
        arguments: of `fcbench`.
        typed: what a person types at the first prompt, at the second, and so on.
        environment: beside the process's own, without NO_COLOR.
    """
    control, terminal = pty.openpty()
    settings = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    settings |= {"TERM": "xterm", "COLUMNS": "120", **environment}
    command = [sys.executable, "-m", "fcbench", *arguments]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=settings) as child:
        os.close(terminal)
        try:
            received = _talk(control, list(typed))
            child.wait(SILENCE_S)
        finally:
            child.kill()
            os.close(control)
    return child.returncode, received.decode().replace("\r\n", "\n")


def _talk(control: int, typed: list[bytes]) -> bytes:
    received, answered = b"", 0
    # A line editor takes keys only once it has shown its prompt: what comes before is read as a script.
    while select.select([control], [], [], SILENCE_S)[0]:
        try:
            part = os.read(control, 65536)
        except OSError:  # Linux's word for a terminal that nobody holds open any more
            return received
        if not part:
            return received
        received += part
        if typed and received.count(PROMPT) > answered:
            answered = received.count(PROMPT)
            os.write(control, typed.pop(0))
    raise AssertionError(f"nothing more after {SILENCE_S} s: {received[-500:]!r}")


def shown_blocks(page: Path, start: str) -> list[tuple[list[str], str]]:
    """Commands of a page that begin so, without the program's name, with the output that stands below each."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(rf"```sh\n({re.escape(start)} [^\n]*)\n```\n+```text\n(.*?)```", text, re.DOTALL)
    return [(shlex.split(command)[1:], output) for command, output in found]


def timeless(text: str) -> str:
    """Text without what differs from machine to machine: seconds, versions, temporary folders."""
    text = re.sub(r"\d+\.\d+ (m?s)\b", r"# \1", text)
    engines = "fcbench(?: session)?|biopython|numpy|pyhmmer|pysam|primer3-py|pyrodigal"
    text = re.sub(rf"\b({engines}) (?:[\d.]+|missing)", r"\1 #", text)
    text = re.sub(r"(?<=\S) {2,}|-{3,}", "  ", text)  # columns are as wide as their longest version
    return re.sub(r"/\S*/fcbench-session-\w+", "/tmp/fcbench-session-#", text).strip()
