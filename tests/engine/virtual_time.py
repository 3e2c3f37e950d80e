"""An event loop whose time is virtual: it jumps to the next timer instead of waiting, so that hours pass in no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):  # type: ignore[valid-type,misc]
    """Never waits; says how long it would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("everything waits for something that will never happen")
        self.skipped_s += timeout
        ready: list[Any] = super().select(0)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs coroutines in virtual time, which begins at 0."""

    def __init__(self) -> None:
        self.virtual = _Selector()
        super().__init__(self.virtual)

    def time(self) -> float:
        return self.virtual.skipped_s


class LoopClock:
    """The virtual time of the running loop; the wall clock may be set back under way."""

    def __init__(self) -> None:
        self.offset_s = 0.0

    def now(self) -> datetime:
        return datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=self.monotonic() + self.offset_s)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, without waiting."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
