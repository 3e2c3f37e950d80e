"""The workbench harness: the same loop, with real tools on a fresh session for every attempt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from msgspec.structs import replace

from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, CallResult
from fcbench.core.names import JsonObject, ToolName
from fcbench.harnesses.channel import Channel
from fcbench.harnesses.clock import Clock
from fcbench.harnesses.loop import Loop, Plan
from fcbench.harnesses.watching import UNWATCHED, Watcher
from fcbench.workbench.dispatch import call
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state


class SessionSource(Protocol):
    """Gives fresh sessions: `fcbench.workbench.fixtures.Fixtures`, or a double."""

    def session(self, name: str | None) -> Session:
        """A fresh session of a fixture; an empty one without a name."""
        ...


Execute = Callable[[Session, ToolContract, JsonObject], CallResult]
"""Runs one valid call on a session: `fcbench.workbench.dispatch.call`, or a double."""


class RealTools:
    """The tools of one session."""

    def __init__(self, session: Session, clock: Clock, execute: Execute) -> None:
        self._session = session
        self._clock = clock
        self._execute = execute

    def run(self, contract: ToolContract, arguments: JsonObject) -> CallResult:
        """Execute one valid call and time it."""
        begun = self._clock.monotonic()
        result = self._execute(self._session, contract, arguments)
        return replace(result, duration_s=round(self._clock.monotonic() - begun, 6))


class WorkbenchHarness:
    """Tools are executed on an isolated session, which is discarded with its files when the attempt ends."""

    def __init__(
        self,
        contracts: Mapping[ToolName, ToolContract],
        sessions: SessionSource,
        clock: Clock,
        execute: Execute = call,
        watcher: Watcher = UNWATCHED,
    ) -> None:
        self._contracts = contracts
        self._sessions = sessions
        self._clock = clock
        self._execute = execute
        self._watcher = watcher

    async def attempt(self, plan: Plan, channel: Channel, watcher: Watcher | None = None) -> Attempt:
        """Make one attempt. A provider's failure becomes an outcome; nothing of the model raises.

        Tools run in a thread of the attempt's own, so that the time limit can end the attempt while one is at work: a
        thread cannot be stopped, but it ends with its call, and its session is looked at no more.

        Raises:
            FcbenchError: the fixture does not open, or a tool has no implementation.
            Exception: a fault of ours in a tool; the engine makes a `harness_error` of it.
        """
        offered = {candidate.name: self._contracts[candidate.name] for candidate in plan.candidates}
        session = self._sessions.session(plan.task.fixture)
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fcbench-tools")
        try:
            tools = RealTools(session, self._clock, self._execute)
            loop = Loop(plan, offered, tools, channel, self._clock, worker)
            attempt = await loop.run(watcher or self._watcher)
            return attempt if loop.abandoned else replace(attempt, end_state=end_state(session))
        finally:
            worker.shutdown(wait=False, cancel_futures=True)
            session.files.close()
