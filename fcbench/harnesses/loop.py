"""The round loop: one task against one model, with the budgets, nudges and stop rules of PROTOCOL 2."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Protocol

import msgspec

from fcbench.core.canonical import clean_text
from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt, AttemptError, Call, Candidate, Phase, PhaseName, Round, Usage
from fcbench.core.names import HarnessMode, Outcome, ToolName
from fcbench.core.records import Record
from fcbench.errors import FcbenchError
from fcbench.evaluator.scene import CUT_SHORT
from fcbench.harnesses.answers import Answerer, SyntheticTools, Tools, abandoned_calls, shown
from fcbench.harnesses.assistance import Assistance
from fcbench.harnesses.channel import Channel, Exchange, OutOfTimeError
from fcbench.harnesses.clock import Clock, iso
from fcbench.harnesses.prompts import GUIDANCE, REPAIR, SYSTEM, nudge
from fcbench.harnesses.watching import UNWATCHED, Watcher
from fcbench.providers.base import (
    Message,
    ProviderFailure,
    Reply,
    ReplyCall,
    Request,
    Sampling,
    SchemaRefused,
    ToolSpec,
)
from fcbench.providers.wire_names import WireNames

PARITY_ROUNDS = 10
ASSISTED_EXTRA_ROUNDS = 4
MAX_CALLS = 64
MAX_RESULT_BYTES = 1 << 20
MAX_REPAIR_TURNS = 2
OUT_OF_TIME, OUT_OF_TIME_BETWEEN = "time limit", "time limit between requests"
"""Why an attempt ended: while a request was out, which the provider may have charged, or while none was."""
MAX_ERROR_REPLIES = 2
"""Error results that a single-call task (complex-schema) gets before its attempt ends."""


class Plan(Record, frozen=True, kw_only=True):
    """One attempt to be made."""

    task: Task
    repeat: int
    try_number: int = 1
    candidates: tuple[Candidate, ...]
    sampling: Sampling = Sampling()
    time_scale: float = 1.0
    mode: HarnessMode
    assistance: Assistance | None = None
    """Only in mode `oracle-assisted`."""


class Harness(Protocol):
    """Makes attempts."""

    async def attempt(self, plan: Plan, channel: Channel, watcher: Watcher | None = None) -> Attempt:
        """Make one attempt.

        Args:
            plan: what is asked.
            channel: the provider.
            watcher: told of the rounds of this attempt; without one, who watches the harness is told.
        """
        ...


class ContractHarness:
    """Tools answer with synthetic results from their contracts."""

    def __init__(
        self,
        contracts: Mapping[ToolName, ToolContract],
        clock: Clock,
        watcher: Watcher = UNWATCHED,
        tools: Tools | None = None,
    ) -> None:
        """Take the contracts, the clock, who looks on, and what answers: by default nothing that computes."""
        self._contracts = contracts
        self._clock = clock
        self._watcher = watcher
        self._tools = tools or SyntheticTools()

    async def attempt(self, plan: Plan, channel: Channel, watcher: Watcher | None = None) -> Attempt:
        """Make one attempt. A provider's failure becomes an outcome; nothing of the model raises."""
        known = contracts_of(plan.task, self._contracts)
        offered = {candidate.name: known[candidate.name] for candidate in plan.candidates}
        return await Loop(plan, offered, self._tools, channel, self._clock).run(watcher or self._watcher)


class Loop:
    """The state of one attempt under way."""

    def __init__(
        self,
        plan: Plan,
        offered: Mapping[ToolName, ToolContract],
        tools: Tools,
        channel: Channel,
        clock: Clock,
        worker: Executor | None = None,
    ) -> None:
        """Begin an attempt.

        Args:
            plan: what is asked.
            offered: the tools on offer.
            tools: what executes valid calls.
            channel: the provider.
            clock: for every time in the record.
            worker: where calls are executed, so that the time limit can end the attempt meanwhile; without one they
                are executed at once, for tools that only compute an answer.
        """
        self._plan = plan
        self._offered = offered
        self._wire = WireNames({one.name: one.wire_name or one.name for one in plan.candidates})
        self._answerer = Answerer(offered, tools, self._wire)
        self._channel = channel
        self._clock = clock
        self._worker = worker
        self.abandoned = False
        """Whether a call was still at work when the time limit ended the attempt."""
        self._is_asking = False
        self._begun = clock.monotonic()
        self._started_at = iso(clock.now())
        self._rounds: list[Round] = []
        self._retries = 0
        self._used_s = 0.0
        self._phases: dict[PhaseName, float] = {}
        self._messages = _opening(plan.task)
        self._specs = tuple(
            ToolSpec(name=self._wire.sent(name), description=one.description, parameters=one.parameters)
            for name, one in offered.items()
        )

    async def run(self, watcher: Watcher = UNWATCHED) -> Attempt:
        """Go round until the model stops, a rule ends the attempt or the provider fails."""
        self._reach("prepared")
        self._reach("retrieved")
        try:
            outcome, stop = await self._go_round(watcher)
            error = None
        except OutOfTimeError as late:
            outcome, stop, error = "timeout", OUT_OF_TIME if self._is_asking else OUT_OF_TIME_BETWEEN, None
            self._retries += late.retries
        except SchemaRefused as refusal:
            outcome, stop = "schema_refused", "schema refused"
            error = AttemptError(kind="schema_refused", message=_said(refusal), status=getattr(refusal, "status", None))
            self._retries += refusal.retries
        except ProviderFailure as failure:
            full = failure.kind == "context_full" and bool(self._rounds)
            outcome, stop = ("budget_exhausted", "context full") if full else ("provider_error", "provider error")
            error = AttemptError(kind=failure.kind, message=_said(failure), status=failure.status)
            self._retries += failure.retries
        return self._record(outcome, stop, error)

    async def _go_round(self, watcher: Watcher) -> tuple[Outcome, str]:
        while len(self._rounds) < self._budget:
            watcher.begins(len(self._rounds) + 1)
            exchange, request_at, started_at = await self._ask()
            calls = await self._execute(exchange)
            self._note(exchange, calls, request_at, started_at)
            ended = None if self.abandoned else self._after(exchange, calls)
            watcher.ended(self._rounds[-1])
            if self.abandoned:
                raise OutOfTimeError
            if ended:
                return ended
        return "budget_exhausted", "round budget"

    @property
    def _budget(self) -> int:
        assistance = self._plan.assistance
        return assistance.expected_steps + ASSISTED_EXTRA_ROUNDS if assistance else PARITY_ROUNDS

    @property
    def _left_s(self) -> float:
        return self._plan.task.time_limit_s * self._plan.time_scale - self._used_s

    async def _ask(self) -> tuple[Exchange, float, str]:
        left = self._left_s
        if left <= 0:
            raise OutOfTimeError
        request = Request(
            messages=tuple(self._messages),
            tools=self._specs,
            sampling=self._plan.sampling,
            task_id=self._plan.task.id,
            repeat=self._plan.repeat,
            round=len(self._rounds) + 1,
            timeout_s=left,
        )
        self._reach("requested")
        begun, started_at = self._clock.monotonic(), iso(self._clock.now())
        self._is_asking = True
        exchange = await self._channel.ask(request)
        self._is_asking = False
        self._used_s += exchange.reply_s
        self._retries += exchange.retries
        self._reach("replied")
        return exchange, begun, started_at

    async def _execute(self, exchange: Exchange) -> tuple[Call, ...]:
        begun = self._clock.monotonic()
        calls = await self._answer(exchange.reply, len(self._rounds) + 1)
        self._used_s += self._clock.monotonic() - begun
        if any(call.executed for call in calls):
            self._reach("executed")
        return calls

    async def _answer(self, reply: Reply, number: int) -> tuple[Call, ...]:
        room = MAX_CALLS - sum(len(turn.calls) for turn in self._rounds)
        if self._worker is None or not reply.calls:
            return self._answerer.answer(reply, number, room)
        work = asyncio.get_running_loop().run_in_executor(self._worker, self._answerer.answer, reply, number, room)
        try:
            async with asyncio.timeout(max(self._left_s, 0)) as timer:
                return await work
        except TimeoutError:
            if not timer.expired():
                raise  # a tool's own: a fault of ours
            self.abandoned = True
            return abandoned_calls(reply, number)

    def _note(self, exchange: Exchange, calls: tuple[Call, ...], begun: float, started_at: str) -> None:
        reply = exchange.reply
        self._rounds.append(
            Round(
                number=len(self._rounds) + 1,
                started_at=started_at,
                duration_s=_seconds(self._clock.monotonic() - begun),
                reply_s=_seconds(exchange.reply_s),
                text=reply.text,
                finish_reason=reply.finish_reason,
                calls=calls,
                request_sha256=reply.request_sha256,
                reply_sha256=reply.reply_sha256,
                usage=reply.usage,
            )
        )

    def _after(self, exchange: Exchange, calls: tuple[Call, ...]) -> tuple[Outcome, str] | None:
        """Whether the attempt ends here; if not, the messages for the next round are ready."""
        was_cut = exchange.reply.finish_reason.casefold() in CUT_SHORT
        if calls and (ended := self._after_calls(calls)):
            return ended
        if not calls and not was_cut and (ended := self._after_text(exchange.reply)):
            return ended
        if was_cut and self._repairs() > MAX_REPAIR_TURNS:
            return "completed", "cut at the output limit"
        if calls:
            self._reply_to(exchange, calls)
            return self._after_results()
        if was_cut:
            self._say(exchange.reply, REPAIR)
        return None

    def _after_calls(self, calls: tuple[Call, ...]) -> tuple[Outcome, str] | None:
        if any(call.result.status == "over_limit" for call in calls):
            return "budget_exhausted", "call limit"
        if self._plan.task.single_call:
            if any(call.executed for call in calls):
                return "completed", "conforming call"
            if len(self._rounds) > MAX_ERROR_REPLIES:
                return "budget_exhausted", "error replies used up"
        return None

    def _after_results(self) -> tuple[Outcome, str] | None:
        results = (message.content for message in self._messages if message.role == "tool")
        if sum(len(content.encode()) for content in results) > MAX_RESULT_BYTES:
            return "budget_exhausted", "size of results"
        return None

    def _after_text(self, reply: Reply) -> tuple[Outcome, str] | None:
        assistance = self._plan.assistance
        if assistance is None or not assistance.nudges or self._plan.task.single_call:
            return "completed", "model stopped"
        made = [call for turn in self._rounds for call in turn.calls]
        remaining = assistance.remaining(made, self._offered)
        if remaining == 0:
            return "completed", "all steps covered"
        if len(self._rounds) < self._budget:
            self._say(reply, nudge(remaining, assistance.expected_steps))
        return None

    def _say(self, reply: Reply, words: str) -> None:
        """Answer the model's text with words of the harness, and note them in the evidence."""
        said = Message(role="assistant", content=reply.text, carried=reply.carried)
        self._messages += [said, Message(role="user", content=words)]
        last = self._rounds[-1]
        self._rounds[-1] = msgspec.structs.replace(last, nudge=words)

    def _reply_to(self, exchange: Exchange, calls: tuple[Call, ...]) -> None:
        reply = exchange.reply
        made = tuple(
            ReplyCall(id=one.id, name=self._wire.sent(one.name), raw_arguments=one.raw_arguments or "{}")
            for one in calls
        )
        self._messages.append(Message(role="assistant", content=reply.text, calls=made, carried=reply.carried))
        for position, call in enumerate(calls, start=1):
            # Once a round, on the last result: the same words after each of ten results would drown them.
            guidance = GUIDANCE if position == len(calls) and self._plan.mode == "production-parity" else None
            self._messages.append(Message(role="tool", content=shown(call, guidance), call_id=call.id))

    def _repairs(self) -> int:
        return sum(turn.finish_reason.casefold() in CUT_SHORT for turn in self._rounds)

    def _reach(self, name: PhaseName) -> None:
        # The first time it is reached, but for the end: later rounds have times of their own.
        if name == "ended" or name not in self._phases:
            self._phases[name] = _seconds(self._clock.monotonic() - self._begun)

    def _record(self, outcome: Outcome, stop: str, error: AttemptError | None) -> Attempt:
        self._reach("ended")
        usage = Usage()
        for turn in self._rounds:
            usage = usage.plus(turn.usage)
        return Attempt(
            task_id=self._plan.task.id,
            repeat=self._plan.repeat,
            try_number=self._plan.try_number,
            outcome=outcome,
            candidates=self._plan.candidates,
            rounds=tuple(self._rounds),
            final_text=self._rounds[-1].text if self._rounds and not self._rounds[-1].calls else "",
            started_at=self._started_at,
            duration_s=_seconds(self._clock.monotonic() - self._begun),
            usage=usage,
            phases=tuple(Phase(name=name, at_s=at) for name, at in self._phases.items()),
            retries=self._retries,
            stop=stop,
            error=error,
        )


def _opening(task: Task) -> list[Message]:
    asked = f"{task.context}\n\n{task.instruction}" if task.context else task.instruction
    return [Message(role="system", content=SYSTEM), Message(role="user", content=asked)]


def _said(error: FcbenchError) -> str:
    """The error in one line: the message, and what was found."""
    return clean_text(f"{error.message}: {error.found}" if error.found else error.message)[:2000]


def _seconds(value: float) -> float:
    return round(value, 6)
