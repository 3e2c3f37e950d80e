"""Patterns of residues: letters, x for any, [ST] for one of several, {P} for any but these."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcbench.workbench.errors import ToolError

_ELEMENT = re.compile(r"\[([A-Z]+)\]|\{([A-Z]+)\}|([A-Zx])")


class ResiduePattern:
    """A pattern, compared position by position: the text of a call is never run as a regular expression."""

    def __init__(self, text: str) -> None:
        """Read a pattern.

        Args:
            text: one-letter residues; `x` or `X` for any residue.

        Raises:
            ToolError: `bad_argument` where brackets do not pair, hold no letter, or fewer than two residues are named.
        """
        elements, at = list[str](), 0
        while found := _ELEMENT.match(text, at):
            some, none, one = found.groups()
            elements.append(f"[{some}]" if some else f"[^{none}]" if none else "[A-Z]" if one in "xX" else one)
            at = found.end()
        if at < len(text):
            wanted = "brackets pair and hold letters only, as in [ST]x{P}"
            raise ToolError("bad_argument", f"{wanted}; the pattern cannot be read from character {at + 1} on")
        if len(elements) < 2:
            raise ToolError("bad_argument", "a residue pattern has at least two positions, as in [ST]P")
        self.length = len(elements)
        """Residues of a match."""
        # Letter classes only, made here: every position is tried once, without repeats or branches.
        self._ahead = re.compile(f"(?=({''.join(elements)}))")

    def places(self, protein: str) -> Iterator[int]:
        """Where matches begin, counted from 0; they may overlap."""
        return (found.start() for found in self._ahead.finditer(protein))
