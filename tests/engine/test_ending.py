"""How a run ends before its plan is done: ceilings, requests to end, grace, what is dropped. In virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt, Usage
from fcbench.engine.budget import Ceilings, Meter, spent_by
from fcbench.engine.events import AttemptBegun, AttemptDropped, Event, Spent
from fcbench.engine.halt import GRACE_S, Halt, HaltReason
from fcbench.engine.plan import RunPlan, Settings
from fcbench.engine.prices import Price, cost_of, read_prices
from fcbench.engine.schedule import Terms, run_jobs
from fcbench.errors import BadInputError, UsageError
from fcbench.harnesses.channel import Exchange
from fcbench.harnesses.loop import ContractHarness
from fcbench.providers.base import Request
from tests.doubles import CONTRACTS, calls, case, says
from tests.engine.virtual_time import LoopClock, in_virtual_time

CEILING = HaltReason(kind="ceiling", message="enough")
INTERRUPT = HaltReason(kind="interrupted", message="stop")


class Slow:
    """Answers after some seconds, in two rounds: a call, then a text."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def ask(self, request: Request) -> Exchange:
        await asyncio.sleep(self._seconds)
        reply = calls(("find_gene", '{"gene": "araC"}')) if request.round == 1 else says("done")
        return Exchange(reply=reply, reply_s=self._seconds)


def make(
    halts: dict[float, HaltReason], *, seconds: float, cases: int = 10, concurrency: int = 2, delay_s: float = 0.0
) -> tuple[list[Attempt], list[Event], float]:
    """Run cases against a slow model, and ask for the end at some times."""
    plan = RunPlan(
        [case(number) for number in range(1, cases + 1)], CONTRACTS, Settings(mode="production-parity", retrieval="all")
    )
    events: list[Event] = []

    async def work() -> tuple[list[Attempt], float]:
        halt, clock = Halt(), LoopClock()
        terms = Terms(concurrency=concurrency, delay_s=delay_s, halt=halt, tell=events.append)
        loop = asyncio.get_running_loop()
        for at, reason in halts.items():
            loop.call_later(at, halt.ask, reason)
        jobs = [plan.job(one, repeat, 1) for one, repeat in plan.first_stage()]
        harness = ContractHarness(CONTRACTS, clock)
        return [made async for made in run_jobs(jobs, harness, Slow(seconds), clock, terms)], loop.time()

    made, ended_at = in_virtual_time(work())
    return made, events, ended_at


def test_at_a_ceiling_no_attempt_begins_and_those_in_flight_finish_however_long_they_take() -> None:
    made, events, ended_at = make({5.0: CEILING}, seconds=100)
    assert [one.outcome for one in made] == ["completed"] * 2
    assert [type(one) for one in events if isinstance(one, AttemptBegun)] == [AttemptBegun] * 2
    assert ended_at == 200


def test_after_an_interrupt_what_takes_longer_than_the_grace_is_dropped_and_told() -> None:
    made, events, ended_at = make({5.0: INTERRUPT}, seconds=100)
    assert made == []
    assert ended_at == pytest.approx(5 + GRACE_S)
    assert sorted(one.task_id for one in events if isinstance(one, AttemptDropped)) == ["t-1", "t-10"]


def test_after_an_interrupt_what_is_nearly_done_is_kept() -> None:
    made, events, ended_at = make({5.0: INTERRUPT}, seconds=4)
    assert len(made) == 2
    assert ended_at == 8
    assert not [one for one in events if isinstance(one, AttemptDropped)]


def test_an_interrupt_hurries_a_run_that_finishes_for_a_ceiling_but_not_the_other_way_round() -> None:
    assert make({5.0: CEILING, 20.0: INTERRUPT}, seconds=100)[2] == pytest.approx(20 + GRACE_S)
    assert make({5.0: INTERRUPT, 8.0: CEILING}, seconds=100)[2] == pytest.approx(5 + GRACE_S)


def test_a_rest_before_an_attempt_ends_with_the_run() -> None:
    made, events, ended_at = make({5.0: INTERRUPT}, seconds=1, delay_s=3600)
    assert (made, ended_at) == ([], 5.0)
    assert not [one for one in events if isinstance(one, AttemptBegun)]


def test_a_rest_lies_before_each_attempt() -> None:
    made, _, ended_at = make({}, seconds=1, cases=3, concurrency=1, delay_s=60)
    assert len(made) == 3
    assert ended_at == 3 * 62


def metered(ceilings: Ceilings, *, price: Price | None = None, before: Spent | None = None) -> tuple[Meter, Halt]:
    halt = Halt()
    return Meter(ceilings, halt, price, before), halt


def found(halt: Halt) -> str | None:
    return halt.reason.found if halt.reason else None


def test_each_ceiling_asks_for_the_end_when_it_is_reached_and_not_before() -> None:
    meter, halt = metered(Ceilings(max_requests=3))
    for _ in range(2):
        meter.sent()
    assert not halt.is_asked
    meter.sent()
    assert found(halt) == "3 requests"

    meter, halt = metered(Ceilings(max_tokens=100))
    meter.answered(Usage(input_tokens=60, output_tokens=39))
    assert not halt.is_asked
    meter.answered(Usage(input_tokens=1, output_tokens=0))
    assert found(halt) == "100 tokens"

    meter, halt = metered(Ceilings(max_cost=0.5), price=Price(input=1.0, output=10.0))
    meter.answered(Usage(input_tokens=100_000, output_tokens=30_000))
    assert not halt.is_asked
    meter.answered(Usage(input_tokens=100_000, output_tokens=0))
    assert found(halt) == "a cost of 0.5000"
    assert halt.reason is not None
    assert "--max-cost" in (halt.reason.next_step or "")


def test_what_earlier_parts_of_the_run_used_counts() -> None:
    meter, halt = metered(Ceilings(max_requests=10), before=Spent(requests=10))
    meter.check()
    assert found(halt) == "10 requests"


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_a_ceiling_on_tokens_that_nobody_counts_ends_the_run_with_that_reason(usage: Usage) -> None:
    meter, halt = metered(Ceilings(max_tokens=1000))
    meter.answered(usage)
    assert halt.reason is not None
    assert "does not count" in halt.reason.message
    meter, halt = metered(Ceilings(max_requests=1000))
    meter.answered(usage)
    assert not halt.is_asked
    assert meter.spent.uncounted == 1


def test_a_negative_count_of_tokens_lowers_no_sum() -> None:
    meter, _ = metered(Ceilings())
    meter.answered(Usage(input_tokens=-(10**18), output_tokens=-1))
    assert (meter.spent.input_tokens, meter.spent.output_tokens) == (0, 0)


@pytest.mark.parametrize("ceilings", [Ceilings(per_minute=0), Ceilings(max_time_s=-1), Ceilings(max_requests=0)])
def test_a_ceiling_that_is_no_number_above_zero_is_refused(ceilings: Ceilings) -> None:
    with pytest.raises(UsageError, match="above 0"):
        ceilings.check(None, "m")


def test_a_ceiling_on_money_needs_a_price() -> None:
    with pytest.raises(UsageError, match="price of this model is unknown"):
        Ceilings(max_cost=1.0).check(None, "openai_chat:m")
    Ceilings(max_cost=1.0).check(Price(input=1, output=1), "openai_chat:m")
    Ceilings(max_tokens=1).check(None, "openai_chat:m")


def test_cached_tokens_cost_what_the_file_says_and_an_unknown_count_costs_an_unknown_amount() -> None:
    price = Price(input=2.0, output=8.0, cached_input=0.5)
    million = 1_000_000
    assert cost_of(Usage(input_tokens=million, output_tokens=0), price) == 2.0
    assert cost_of(Usage(input_tokens=million, output_tokens=million, cached_input_tokens=million), price) == 8.5
    assert cost_of(Usage(input_tokens=million, output_tokens=0, cached_input_tokens=2 * million), price) == 0.5
    assert cost_of(Usage(input_tokens=1), price) is None
    assert cost_of(Usage(input_tokens=1, output_tokens=1), None) is None


PRICES = """
format_version: 1
date: 2026-12-01
currency: USD
source: the price page of the provider
models:
  openai_chat:small: {input: 0.5, output: 2}
  openai_chat:large: {input: 5, output: 20, cached_input: 0.5}
"""


def test_a_price_file_is_dated_and_knows_models_by_the_name_that_a_run_uses(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES)
    prices = read_prices(path)
    assert prices.price_of("openai_chat:small") == Price(input=0.5, output=2)
    assert prices.price_of("openai_chat:other") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("2026-12-01", "yesterday", id="no day"),
        pytest.param("2026-12-01", "20261201", id="another form of a day"),
        pytest.param("format_version: 1", "format_version: 2", id="a later format"),
        pytest.param("currency: USD", "currency: ''", id="no currency"),
        pytest.param("input: 0.5,", "input: -0.5,", id="negative"),
        pytest.param("input: 0.5,", "input: free,", id="a word"),
        pytest.param("input: 0.5,", "inputs: 0.5,", id="an unknown field"),
        pytest.param("output: 20,", "output: 1e999,", id="too large a number"),
    ],
)
def test_a_price_file_that_does_not_read_is_refused_by_name(tmp_path: Path, old: str, new: str) -> None:
    assert old in PRICES
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES.replace(old, new))
    with pytest.raises(BadInputError) as caught:
        read_prices(path)
    assert "prices.yaml" in (caught.value.where or "")


def test_what_a_resumed_run_has_used_is_summed_over_all_its_tries() -> None:
    made = make({}, seconds=1, cases=3)[0]
    spent = spent_by(made, None)
    assert (spent.requests, spent.uncounted, spent.cost) == (6, 6, None)


@pytest.mark.parametrize(
    ("stop", "requests"),
    [
        pytest.param("time limit", 3, id="the third request was out"),
        pytest.param("time limit between requests", 2, id="none was out: time was up before it, or in a tool"),
    ],
)
def test_a_time_out_counts_a_request_without_a_reply_only_where_one_was_out(stop: str, requests: int) -> None:
    made = make({}, seconds=1, cases=1)[0]
    late = replace(made[0], outcome="timeout", stop=stop)
    assert len(late.rounds) == 2
    assert spent_by([late], None).requests == requests
