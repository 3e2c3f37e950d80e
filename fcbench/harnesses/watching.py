"""How somebody may look on while an attempt is made. A watcher hears what happens and can change none of it."""

from __future__ import annotations

from typing import Protocol

from fcbench.core.evidence import Round


class Watcher(Protocol):
    """Told of each round of one attempt, between the requests. What it raises ends the attempt and reaches the caller.

    The time that it takes does not count against the attempt's limit.
    """

    def begins(self, number: int) -> None:
        """A request is about to go out, unless the attempt's time is used up.

        Args:
            number: of the round, from 1.
        """
        ...

    def ended(self, turn: Round) -> None:
        """A round is over: as it stands in the evidence, with results and the harness's own words, if any."""
        ...


class NoWatcher:
    """Nobody looks on."""

    def begins(self, number: int) -> None:
        """Nothing to do."""

    def ended(self, turn: Round) -> None:
        """Nothing to do."""


UNWATCHED = NoWatcher()
