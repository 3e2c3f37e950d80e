"""Names of tools as they go out: providers take `[A-Za-z0-9_-]{1,64}`, imported tools keep whatever name they had.

The mapping is a pure function of the offered names, so that it can be made again, and it can be reversed. Names of our
own contracts all fit and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MAX_NAME = 64
"""Letters of a function's name, by OpenAI's reference; others follow it."""
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LEGAL = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}")
_NAMELESS = "unnamed"


def legal_name(name: str) -> str:
    """The name with every foreign letter as `_`, cut at the limit; `unnamed` for an empty one."""
    return NOT_IN_A_NAME.sub("_", name)[:MAX_NAME] or _NAMELESS


def wire_names(names: Iterable[str]) -> dict[str, str]:
    """The name on the wire of each offered name: all of them legal, no two alike, in whatever order they are given."""
    given = sorted(set(names))
    found = {name: name for name in given if _LEGAL.fullmatch(name)}
    taken = set(found)
    for name in given:
        if name not in found:
            found[name] = _free(legal_name(name), taken)
            taken.add(found[name])
    return found


def _free(wanted: str, taken: set[str]) -> str:
    wire, number = wanted, 1
    while wire in taken:
        number += 1
        suffix = f"_{number}"
        wire = wanted[: MAX_NAME - len(suffix)] + suffix
    return wire


class WireNames:
    """The names of one offer, both ways."""

    def __init__(self, sent: Mapping[str, str]) -> None:
        """Take the mapping from a tool's name to its name on the wire, as recorded or as `wire_names` gives it."""
        self._sent = dict(sent)
        self._names = {wire: name for name, wire in self._sent.items()}

    def sent(self, name: str) -> str:
        """The name on the wire; a name that was not offered stays as it is."""
        return self._sent.get(name, name)

    def read(self, wire: str) -> str:
        """The tool's own name; a name that was not sent stays as the model wrote it."""
        return self._names.get(wire, wire)
