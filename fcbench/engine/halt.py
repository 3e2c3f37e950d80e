"""How a run is asked to end before its plan is done. Whoever asks, it stays resumable."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fcbench.engine.events import EndReason

GRACE_S = 10.0
"""Longest wait for attempts in flight where there is a hurry: after Ctrl-C, or when the provider is down."""


@dataclass(frozen=True, kw_only=True)
class HaltReason:
    """Why a run ends early."""

    kind: EndReason
    message: str
    found: str | None = None
    next_step: str | None = None

    @property
    def grace_s(self) -> float | None:
        """Seconds that attempts in flight have to finish; None: as long as they need."""
        return None if self.kind == "ceiling" else GRACE_S


class RunHalted(Exception):
    """An attempt cannot go on because the run ends: it is dropped, and made anew on resume."""


class Halt:
    """Asks a run to begin no further attempt. The first reason is kept, unless a later one is in more of a hurry."""

    def __init__(self) -> None:
        self.reason: HaltReason | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def is_asked(self) -> bool:
        """Whether the run is to end."""
        return self.reason is not None

    def ask(self, reason: HaltReason) -> None:
        """Ask for the end. To be called in the loop's own thread."""
        if self.reason is None or (self.reason.grace_s is None and reason.grace_s is not None):
            self.reason = reason
            for future in tuple(self._waiting):
                if not future.done():
                    future.set_result(None)

    def changed(self) -> asyncio.Future[None]:
        """A future that is done once the end is asked for, or asked for with more hurry than before."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    async def sleep(self, seconds: float) -> None:
        """Sleep, but not beyond the moment at which the end is asked for."""
        if seconds <= 0 or self.is_asked:
            return
        asked = self.changed()
        try:
            await asyncio.wait([asked], timeout=seconds)
        finally:
            asked.cancel()


__all__ = ["GRACE_S", "Halt", "HaltReason", "RunHalted"]
