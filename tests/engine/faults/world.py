"""One attempt of one case over the real SDK client, the real channel and gate, and a real loop."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from fcbench.engine.budget import Ceilings, Meter
from fcbench.engine.events import Event, Spent, Waiting
from fcbench.engine.halt import Halt
from fcbench.engine.pace import Pace, PacePolicy
from fcbench.engine.plan import RunPlan, Settings
from fcbench.engine.retry import PacedChannel, RetryPolicy
from fcbench.engine.schedule import RefusedError, Terms, run_jobs
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import SystemClock
from fcbench.harnesses.loop import ContractHarness
from fcbench.providers.openai_chat import ChatEndpoint, OpenAIChat
from tests.doubles import CONTRACTS, case

LONGEST_S = 120.0
"""No attempt of the table may take as long: a hang fails and does not stop the tests."""


@dataclass
class Made:
    """What became of it."""

    attempts: list[Attempt] = field(default_factory=list)
    refusal: RefusedError | None = None
    halt: Halt = field(default_factory=Halt)
    waits: list[Waiting] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)


def make(url: str, *, limit_s: float = 60.0, now_s: float = 0.0, pause: bool = False) -> Made:
    """Run one attempt.

    Args:
        url: base URL of the server.
        limit_s: time limit of the attempt.
        now_s: the provider's clock, for a Retry-After that is a date.
        pause: whether failures in a row open the breaker, as in a run; its pauses are short.
    """
    return asyncio.run(asyncio.wait_for(_make(url, limit_s, now_s, pause), LONGEST_S))


async def _make(url: str, limit_s: float, now_s: float, pause: bool) -> Made:
    made, clock = Made(), SystemClock()

    def tell(event: Event) -> None:
        if isinstance(event, Waiting):
            made.waits.append(event)

    one = case(1)
    one = replace(one, task=replace(one.task, time_limit_s=limit_s))
    settings = Settings(mode="production-parity", retrieval="given")
    plan = RunPlan([one], CONTRACTS, settings)
    provider = OpenAIChat(ChatEndpoint(model="m-1", base_url=url), environment={}, clock=lambda: now_s)
    breaker = {} if pause else {"failures_to_open": 1000}
    pace = Pace(PacePolicy(first_pause_s=0.01, longest_pause_s=0.02, **breaker), clock, made.halt, tell)
    meter = Meter(Ceilings(), made.halt)
    # As in a run, but for the waits between tries.
    policy = RetryPolicy(first_wait_s=0.0)
    direct = DirectChannel(provider, clock)
    channel = PacedChannel(direct, pace, meter, policy, random.Random(1), lambda *_: None)
    jobs = [plan.job(one, repeat, 1) for one, repeat in plan.first_stage()]
    try:
        terms = Terms(halt=made.halt)
        async for attempt in run_jobs(jobs, ContractHarness(CONTRACTS, clock), channel, clock, terms):
            made.attempts.append(attempt)
    except RefusedError as refusal:
        made.refusal = refusal
    finally:
        await provider.aclose()
    made.spent = meter.spent
    return made
