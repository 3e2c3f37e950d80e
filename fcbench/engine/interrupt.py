"""Ctrl-C and SIGTERM: the first asks a run to end in order, the second ends it at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from fcbench.engine.halt import GRACE_S, Halt, HaltReason

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts(halt: Halt) -> Iterator[None]:
    """Turn signals into a request to end, for as long as the context lasts; to be entered inside the loop.

    Plain handlers and not the loop's own: the second signal must also end a process whose loop is busy. Outside the
    main thread, where Python lets nobody handle signals, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    heard = 0

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        heard += 1
        if heard > 1:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(halt.ask, _reason(number))

    before = {number: signal.signal(number, hear) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _reason(number: int) -> HaltReason:
    return HaltReason(
        kind="interrupted",
        message="the run was interrupted",
        found=f"{signal.Signals(number).name}; attempts in flight had up to {GRACE_S:.0f} s to finish",
        next_step="repeat the command: the run goes on where it stopped",
    )


__all__ = ["SIGNALS", "interrupts"]
