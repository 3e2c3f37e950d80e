"""The lines of a workbench shell: what a person types, or a script holds, one command after another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fcbench.core.canonical import MAX_BYTES
from fcbench.workflows.documents import open_brackets

NextLine = Callable[[str], bytes]
"""Shows a prompt and gives the next line with its line break; empty at the end."""
_WORD = re.compile(rb"[^\s{]+")
COMMANDS = ("help", "tools", "state", "reset", "quit")


@dataclass(frozen=True, kw_only=True)
class Typed:
    """One command: its first word, and the rest as it came."""

    word: str
    rest: bytes

    @property
    def text(self) -> str:
        """The rest as text."""
        return self.rest.decode("utf-8", "replace").strip()


def split_command(statement: bytes) -> Typed | None:
    """First word and rest; None for an empty line or a comment (`#`)."""
    text = statement.strip()
    if not text or text.startswith(b"#"):
        return None
    # `tool{"a": 1}` needs no space.
    found = _WORD.match(text)
    word = found[0] if found else text[:1]
    return Typed(word=word[:200].decode("utf-8", "replace"), rest=text[len(word) :].lstrip())


def read_commands(next_line: NextLine, prompt: str) -> Iterator[Typed]:
    """Command after command; one whose brackets stay open goes on in the next line, until an empty one.

    Args:
        next_line: reads one line.
        prompt: shown before each command.
    """
    lines: list[bytes] = []
    size = depth = 0
    while line := next_line(prompt if not lines else "... "):
        lines.append(line)
        size += len(line)
        depth += open_brackets(line)
        is_over = depth <= 0 or not line.strip() or line.lstrip().startswith(b"#") or size > MAX_BYTES
        if is_over:
            typed = split_command(b"".join(lines))
            lines, size, depth = [], 0, 0
            if typed is not None:
                yield typed
    typed = split_command(b"".join(lines))
    if typed is not None:
        yield typed
