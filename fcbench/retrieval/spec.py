"""How the offered tools are chosen, as a user writes it and as a package records it. Needs nothing of the ranking."""

from __future__ import annotations

import re
from typing import Literal

from fcbench.core.records import Record
from fcbench.errors import UsageError

MAX_CANDIDATES = 24
"""Most tools that lexical retrieval offers (PROTOCOL 2)."""
VERSION = 6
"""Version of the ranking: raised whenever any task could be offered other tools. It is part of the board key.

The requests of `phrasings`, the recipes, the vectors of `vectors` and the tables of sayings decide the ranking as well:
who changes one of them raises this number.
"""


class RetrievalSpec(Record, frozen=True, kw_only=True):
    """How the offered tools are chosen: part of the board key."""

    kind: Literal["lexical", "given", "all"]
    limit: int = 0
    """For `lexical`: most candidates."""
    version: int = VERSION
    """For `lexical`: version of the ranking."""

    @classmethod
    def parse(cls, text: str) -> RetrievalSpec:
        """Read what a user asks for: `lexical` or `lexical:K` (K from 1 to 24), `given` or `all`.

        `lexical` is always the present ranking; its canonical form, which says the version, is read as well.

        Raises:
            UsageError: the text is something else.
        """
        spec = cls._read(text)
        if spec is not None and spec.kind == "lexical" and spec.version < VERSION:
            raise UsageError(
                f"ranking {spec.version} is gone: it can be read in packages and no longer chooses tools",
                wanted=f"lexical:{spec.limit} for today's ranking {VERSION}, whose runs stand on a board of their own",
                found=repr(text[:80]),
                where="the retrieval",
                next_step="packages of it verify as before: `fcbench verify`",
            )
        if spec is None or spec.version != VERSION:
            raise _no_such_retrieval(text)
        return spec

    @classmethod
    def recorded(cls, text: str) -> RetrievalSpec:
        """Read what a package records; `lexical:K` there is the first ranking, which had no number.

        Raises:
            UsageError: neither this nor any earlier version has written it.
        """
        spec = cls._read(text, unnumbered=1)
        if spec is None or not 1 <= spec.version <= VERSION:
            raise _no_such_retrieval(text)
        return spec

    @classmethod
    def _read(cls, text: str, unnumbered: int = VERSION) -> RetrievalSpec | None:
        if text == "given":
            return cls(kind="given")
        if text == "all":
            return cls(kind="all")
        match = re.fullmatch(r"lexical(?:-([2-9]))?(?::([0-9]{1,4}))?", text)
        limit = int(match[2] or MAX_CANDIDATES) if match else 0
        if match is None or not 1 <= limit <= MAX_CANDIDATES:
            return None
        return cls(kind="lexical", limit=limit, version=int(match[1] or unnumbered))

    def __str__(self) -> str:
        """The canonical form: `lexical-6:24` (`lexical:24` for the first ranking), `given` or `all`."""
        if self.kind != "lexical":
            return self.kind
        return f"lexical:{self.limit}" if self.version == 1 else f"lexical-{self.version}:{self.limit}"


def _no_such_retrieval(text: str) -> UsageError:
    return UsageError(
        "this retrieval does not exist",
        wanted=f"lexical, lexical:K with K from 1 to {MAX_CANDIDATES}, given or all",
        found=repr(text[:80]),
        where="--retrieval",
    )


__all__ = ["MAX_CANDIDATES", "VERSION", "RetrievalSpec"]
