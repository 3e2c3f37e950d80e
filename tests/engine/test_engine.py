"""Retries, the schedule and the plan of repeats."""

from __future__ import annotations

import asyncio
import random

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from fcbench.engine.plan import RunPlan, Settings
from fcbench.engine.retry import RetryingChannel, RetryPolicy
from fcbench.engine.schedule import Answered, Terms, run_jobs
from fcbench.errors import ProviderError
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.loop import ContractHarness, Plan
from fcbench.providers.base import ProviderFailure, Request
from tests.doubles import CONTRACTS, FakeClock, Puppet, calls, case, says

REQUEST = Request(messages=(), tools=(), task_id=case().id, repeat=1, round=1)


def failure(kind: str = "rate_limited", retry_after_s: float | None = None) -> ProviderFailure:
    return ProviderFailure("no", kind=kind, status=429, retry_after_s=retry_after_s)  # type: ignore[arg-type]


def ask(replies: list[object], policy: RetryPolicy | None = None) -> tuple[object, list[float]]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    inner = DirectChannel(Puppet(replies), FakeClock())  # type: ignore[arg-type]
    channel = RetryingChannel(inner, policy or RetryPolicy(), random.Random(1), sleep)
    try:
        return asyncio.run(channel.ask(REQUEST)), waits
    except ProviderFailure as error:
        return error, waits


def test_a_transient_failure_is_tried_again_and_counted() -> None:
    exchange, waits = ask([failure(), failure("unavailable"), says("here")])
    assert exchange.retries == 2  # type: ignore[attr-defined]
    assert len(waits) == 2
    assert all(0 <= wait <= limit for wait, limit in zip(waits, (1.0, 2.0), strict=True))


def test_retry_after_is_honoured_to_the_second() -> None:
    _, waits = ask([failure(retry_after_s=17.0), says("here")])
    assert waits == [17.0]


def test_a_retry_after_beyond_the_cap_ends_the_try() -> None:
    error, waits = ask([failure(retry_after_s=3600.0)])
    assert isinstance(error, ProviderFailure)
    assert waits == []


def test_the_policy_gives_up_after_its_retries() -> None:
    error, waits = ask([failure()], RetryPolicy(max_retries=3))
    assert isinstance(error, ProviderFailure)
    assert len(waits) == 3


def test_what_cannot_get_better_is_not_tried_again() -> None:
    _, waits = ask([failure("authentication")])
    assert waits == []


def schedule(plan: RunPlan, replies: list[object], *, concurrency: int = 1) -> list[Attempt]:
    clock = FakeClock()
    channel = DirectChannel(Puppet(replies), clock)  # type: ignore[arg-type]
    jobs: list[Plan] = [plan.job(one, repeat, 1) for one, repeat in plan.first_stage()]
    harness = ContractHarness(CONTRACTS, clock)

    async def collect() -> list[Attempt]:
        terms = Terms(concurrency=concurrency)
        return [made async for made in run_jobs(jobs, harness, channel, clock, terms)]

    return asyncio.run(collect())


def plan(cases: int = 3, **settings: object) -> RunPlan:
    return RunPlan(
        [case(number) for number in range(1, cases + 1)],
        CONTRACTS,
        Settings(mode="production-parity", retrieval="given", **settings),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("concurrency", [1, 2, 8])
def test_every_case_and_repeat_is_made_once_whatever_the_concurrency(concurrency: int) -> None:
    made = schedule(plan(3, repeats=2), [says("no")], concurrency=concurrency)
    assert sorted((one.task_id, one.repeat) for one in made) == [(f"t-{n}", r) for n in (1, 2, 3) for r in (1, 2)]


def test_a_fault_of_ours_is_an_outcome_and_ends_no_run() -> None:
    made = schedule(plan(1), [RuntimeError("bug")])
    assert [one.outcome for one in made] == ["harness_error"]
    assert made[0].error is not None
    assert made[0].error.message == "bug"


def test_a_refused_key_stops_the_run_with_a_clear_error() -> None:
    with pytest.raises(ProviderError, match="refuses this run") as caught:
        schedule(plan(3), [failure("authentication")])
    assert caught.value.next_step is not None


def test_a_plan_holds_at_most_the_disclosed_part_of_an_oracle() -> None:
    parity = plan(1).job(case(1), 1, 1)
    assert parity.assistance is None
    assisted = RunPlan([case(1)], CONTRACTS, Settings(mode="oracle-assisted", retrieval="given")).job(case(1), 1, 1)
    assert assisted.assistance is not None
    assert assisted.assistance.expected_steps == 1
    assert "araC" not in str(assisted.assistance)


def test_auto_repeats_go_on_with_one_repeat_where_twenty_cases_answered_alike() -> None:
    planned = plan(25, auto_repeats=True)
    made = {(one.task_id, one.repeat): one for one in schedule(planned, [says("no")])}
    assert len(made) == 60
    ending = planned.then(made)
    assert (ending.repeats, ending.deterministic, len(ending.stage)) == (1, "20/20", 5)


def test_auto_repeats_keep_three_where_one_reply_differs() -> None:
    planned = plan(25, auto_repeats=True)
    made = {(one.task_id, one.repeat): one for one in schedule(planned, [says("yes"), says("no")])}
    ending = planned.then(made)
    assert (ending.repeats, ending.deterministic, len(ending.stage)) == (3, None, 15)


def test_auto_repeats_ignore_ids_and_times_but_not_arguments() -> None:
    planned = plan(20, auto_repeats=True)
    replies = [calls(("find_gene", '{"gene": "a"}')), says("x")] * 30 + [
        calls(("find_gene", '{"gene":"a"}')),
        says("x"),
    ] * 30
    made = {(one.task_id, one.repeat): one for one in schedule(planned, list(replies))}
    assert planned.then(made).deterministic is None


def test_a_refusal_after_an_answer_is_one_attempts_outcome_and_no_end_of_the_run() -> None:
    made = schedule(plan(3), [says("fine"), failure("authentication"), says("fine")])
    assert [one.outcome for one in made] == ["completed", "provider_error", "completed"]


REFUSED = failure("authentication")


@pytest.mark.parametrize(
    ("answered", "try_number", "ends"),
    [
        pytest.param(Answered(), 1, True, id="nothing was ever answered"),
        pytest.param(Answered(), 2, True, id="nothing was ever answered, though it was tried"),
        pytest.param(Answered(earlier=True), 1, True, id="answered in an earlier command, and this is new: the key?"),
        pytest.param(Answered(earlier=True), 2, False, id="answered in an earlier command, and this failed before"),
        pytest.param(Answered(now=True), 1, False, id="answered in this command"),
    ],
)
def test_what_a_first_refusal_ends(answered: Answered, try_number: int, ends: bool) -> None:
    clock, planned = FakeClock(), plan(1)
    job = planned.job(planned.cases[0], 1, try_number)
    channel = DirectChannel(Puppet([REFUSED]), clock)  # type: ignore[arg-type]

    async def collect() -> list[Attempt]:
        terms = Terms(answered=answered)
        harness = ContractHarness(CONTRACTS, clock)
        return [made async for made in run_jobs([job], harness, channel, clock, terms)]

    if ends:
        with pytest.raises(ProviderError, match="refuses this run"):
            asyncio.run(collect())
    else:
        assert [one.outcome for one in asyncio.run(collect())] == ["provider_error"]


def test_a_server_that_is_gone_stops_the_run_but_not_before_what_ended_was_given() -> None:
    with pytest.raises(ProviderError, match="refuses this run"):
        schedule(plan(3), [says("fine"), failure("gone")])


def test_retries_of_an_attempt_that_failed_are_counted() -> None:
    error, waits = ask([failure()], RetryPolicy(max_retries=3))
    assert len(waits) == error.retries == 3  # type: ignore[attr-defined]


def test_auto_repeats_do_not_take_time_outs_without_a_reply_for_identical_replies() -> None:
    planned = plan(20, auto_repeats=True)
    made = {(one.task_id, one.repeat): replace(one, rounds=()) for one in schedule(planned, [says("no")])}
    assert planned.then(made).deterministic is None


def test_auto_repeats_never_shrink_below_what_a_resumed_run_has() -> None:
    planned = plan(21, auto_repeats=True)
    made = {(one.task_id, one.repeat): one for one in schedule(planned, [says("no")])}
    assert planned.then(made).repeats == 1
    made["t-9", 2] = made["t-1", 2]
    assert planned.then(made).repeats == 3
