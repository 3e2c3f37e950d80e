"""A watcher hears each round as it stands in the evidence, changes nothing, and can end the attempt."""

from __future__ import annotations

import asyncio
import threading

import pytest

from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, CallResult, Candidate, Round
from fcbench.core.names import CaseId, HarnessMode, JsonObject, ToolName
from fcbench.engine.plan import RunPlan as EnginePlan
from fcbench.engine.plan import Settings
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import SystemClock
from fcbench.harnesses.loop import ContractHarness, Plan
from fcbench.harnesses.watching import UNWATCHED, Watcher
from fcbench.harnesses.workbench import WorkbenchHarness
from fcbench.providers.base import ProviderFailure, Reply
from fcbench.workbench.session import Session
from tests.doubles import CONTRACTS, FakeClock, Puppet, calls, case, says
from tests.workbench.worlds import contracts, fixtures

RIGHT = ("find_gene", '{"gene": "araC"}')


class Notes:
    """Keeps what it hears, in order."""

    def __init__(self) -> None:
        self.heard: list[int | Round] = []

    def begins(self, number: int) -> None:
        self.heard.append(number)

    def ended(self, turn: Round) -> None:
        self.heard.append(turn)

    @property
    def rounds(self) -> list[Round]:
        return [one for one in self.heard if isinstance(one, Round)]


def attempt(
    replies: list[Reply | Exception], watcher: Watcher, mode: HarnessMode = "production-parity"
) -> tuple[Attempt, Puppet]:
    puppet, clock = Puppet(replies), FakeClock()
    plan = EnginePlan((case(1, "find_gene", "mark_gene"),), CONTRACTS, Settings(mode=mode, retrieval="given"))
    job = plan.job(plan.cases[0], 1, 1)
    made = asyncio.run(ContractHarness(CONTRACTS, clock, watcher).attempt(job, DirectChannel(puppet, clock)))
    return made, puppet


def test_each_round_is_told_when_it_begins_and_when_it_is_over() -> None:
    notes = Notes()
    made, _ = attempt([calls(RIGHT), says("done")], notes)
    assert notes.heard == [1, made.rounds[0], 2, made.rounds[1]]


def test_a_watched_attempt_is_the_same_as_an_unwatched_one() -> None:
    replies: list[Reply | Exception] = [calls(RIGHT, RIGHT), calls(("nothing", "{")), says("done")]
    assert attempt([*replies], Notes())[0] == attempt([*replies], UNWATCHED)[0]


def test_the_words_of_the_harness_are_in_the_round_that_is_told() -> None:
    notes = Notes()
    made, _ = attempt([says("cut", "length"), says("I am done"), says("really")], notes, "oracle-assisted")
    assert [bool(turn.nudge) for turn in notes.rounds] == [True] * (len(made.rounds) - 1) + [False]
    assert tuple(notes.rounds) == made.rounds


def test_a_request_that_fails_has_a_beginning_only() -> None:
    notes = Notes()
    made, _ = attempt([calls(RIGHT), ProviderFailure("gone", kind="gone")], notes)
    assert notes.heard == [1, made.rounds[0], 2]
    assert made.outcome == "provider_error"


@pytest.mark.parametrize("place", [pytest.param("begins", id="begin"), pytest.param("ended", id="end")])
def test_what_a_watcher_raises_ends_the_attempt_and_reaches_the_caller(place: str) -> None:
    class Gone(Notes):
        pass

    def leave(self: Notes, *_: object) -> None:
        raise BrokenPipeError

    setattr(Gone, place, leave)
    puppet, clock = Puppet([calls(RIGHT)]), FakeClock()
    plan = EnginePlan((case(),), CONTRACTS, Settings(mode="production-parity", retrieval="given"))
    harness = ContractHarness(CONTRACTS, clock, Gone())
    with pytest.raises(BrokenPipeError):
        asyncio.run(harness.attempt(plan.job(plan.cases[0], 1, 1), DirectChannel(puppet, clock)))
    assert len(puppet.requests) == (0 if place == "begins" else 1)


def test_a_round_whose_tool_ran_out_of_time_is_told_as_well() -> None:
    release = threading.Event()

    def stuck(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        release.wait(30)
        return CallResult(status="ok", content={})

    task = Task(
        id=CaseId("t-1"), instruction="?", language="en", registry="genomics", fixture="ecoli-d10483", time_limit_s=0.2
    )
    plan = Plan(
        task=task,
        repeat=1,
        candidates=(Candidate(name=ToolName("get_sequence"), rank=1),),
        mode="production-parity",
    )
    notes, clock = Notes(), SystemClock()
    puppet = Puppet([calls(("get_sequence", '{"start": 1, "end": 6}'))])
    harness = WorkbenchHarness(contracts(), fixtures(), clock, stuck, notes)
    made = asyncio.run(harness.attempt(plan, DirectChannel(puppet, clock)))
    release.set()
    assert made.outcome == "timeout"
    assert tuple(notes.rounds) == made.rounds
    assert notes.rounds[0].calls[0].result.status == "over_limit"
