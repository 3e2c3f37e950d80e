"""The workbench harness: real answers, fresh sessions, a time limit that ends a tool, faults that stay ours."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, CallResult, Candidate
from fcbench.core.names import CaseId, JsonObject, ToolName
from fcbench.core.records import decode_line, encode_line
from fcbench.engine.schedule import Terms, run_jobs
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import SystemClock
from fcbench.harnesses.loop import Plan
from fcbench.harnesses.prompts import GUIDANCE
from fcbench.harnesses.workbench import Execute, WorkbenchHarness
from fcbench.providers.base import Reply
from fcbench.workbench.dispatch import call
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from tests.doubles import Puppet, calls, says
from tests.workbench.worlds import contracts, fixtures, fresh

TOOLS = (ToolName("get_sequence"), ToolName("get_protein_sequence"))
READ = ("get_sequence", '{"start": 1, "end": 6}')


def plan(time_limit_s: float = 60.0) -> Plan:
    made = Task(
        id=CaseId("t-1"),
        instruction="Which bases are first?",
        language="en",
        registry="genomics",
        fixture="ecoli-d10483",
        time_limit_s=time_limit_s,
    )
    candidates = tuple(Candidate(name=name, rank=rank) for rank, name in enumerate(TOOLS, start=1))
    return Plan(task=made, repeat=1, candidates=candidates, mode="production-parity")


def attempt(
    replies: list[Reply | Exception], *, execute: Execute = call, time_limit_s: float = 60.0
) -> tuple[Attempt, Puppet]:
    puppet, clock = Puppet(replies), SystemClock()
    harness = WorkbenchHarness(contracts(), fixtures(), clock, execute)
    return asyncio.run(harness.attempt(plan(time_limit_s), DirectChannel(puppet, clock))), puppet


def test_a_call_is_executed_on_the_real_record_and_its_record_says_how() -> None:
    made, puppet = attempt([calls(READ), says("ATGCGA")])
    (one,) = made.calls
    assert (made.outcome, made.stop) == ("completed", "model stopped")
    assert one.result.content == {
        "start": 1,
        "end": 6,
        "strand": "+",
        "sequence": "ATGCGA",
        "length": 6,
        "truncated": False,
    }
    assert one.result.provenance == "computed"
    assert str(one.result.engine).startswith("fcbench ")
    assert one.result.duration_s > 0
    shown = json.loads(puppet.requests[1].messages[-1].content)
    assert (shown["ok"], shown["provenance"], shown["engine"]) == (True, "computed", one.result.engine)
    assert shown["guidance"] == GUIDANCE
    assert decode_line(encode_line(made), Attempt) == made


def test_errors_of_a_tool_are_real_and_the_attempt_goes_on() -> None:
    made, _ = attempt([calls(("get_protein_sequence", '{"gene_name": "lacZ"}')), calls(READ), says("done")])
    assert [one.result.status for one in made.calls] == ["error", "ok"]
    assert made.calls[0].result.content == {
        "code": "gene_not_found",
        "message": "no gene, synonym or locus tag of the open genome is lacZ",
    }


def test_what_was_not_offered_or_breaks_the_schema_never_reaches_a_tool() -> None:
    def never(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        raise AssertionError("reached")

    wrong = calls(("export_genbank", '{"file_path": "x.gbk"}'), ("get_sequence", '{"start": 0, "end": 6}'))
    made, _ = attempt([wrong, says("")], execute=never)
    assert [one.result.status for one in made.calls] == ["not_offered", "invalid"]


def test_the_end_state_is_that_of_the_session_and_every_attempt_starts_anew() -> None:
    def mint(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        session.state.folder += "x"
        session.files.write_text("x.txt", "x")
        return call(session, contract, arguments)

    untouched, _ = attempt([says("nothing to do")])
    first, _ = attempt([calls(READ), says("")], execute=mint)
    second, _ = attempt([calls(READ), says("")], execute=mint)
    assert untouched.end_state == end_state(fresh())
    assert first.end_state == second.end_state
    assert first.end_state is not None
    assert untouched.end_state is not None
    differing = [part for part, value in first.end_state.items() if value != untouched.end_state[part]]
    assert differing == ["files", "session", "facts"]


def test_the_time_limit_ends_a_tool_at_work_and_discards_its_session() -> None:
    release, entered = threading.Event(), threading.Event()

    def stuck(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        entered.set()
        release.wait(30)
        return call(session, contract, arguments)

    made, _ = attempt([calls(READ, READ)], execute=stuck, time_limit_s=0.2)
    release.set()
    assert entered.is_set()
    assert (made.outcome, made.stop, made.end_state) == ("timeout", "time limit between requests", None)
    assert [one.result.status for one in made.calls] == ["over_limit", "over_limit"]
    assert made.duration_s < 20


@pytest.mark.parametrize("fault", [TypeError("wrong"), TimeoutError("its own")], ids=["any", "its own time limit"])
def test_a_fault_of_ours_in_a_tool_is_a_harness_error(fault: Exception) -> None:
    def broken(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        raise fault

    async def run_one() -> list[Attempt]:
        clock = SystemClock()
        harness = WorkbenchHarness(contracts(), fixtures(), clock, broken)
        channel = DirectChannel(Puppet([calls(READ)]), clock)
        return [each async for each in run_jobs([plan()], harness, channel, clock, Terms())]

    (made,) = asyncio.run(run_one())
    assert made.outcome == "harness_error"
    assert made.error is not None
    assert made.error.kind == type(fault).__name__


def test_the_outputs_of_an_attempt_are_gone_when_it_ends() -> None:
    places = []

    def writes(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        session.files.write_text("a/b.txt", "x")
        places.append(session.files.output_path("a/b.txt"))
        return call(session, contract, arguments)

    attempt([calls(READ), says("")], execute=writes)
    assert len(places) == 1
    assert not places[0].exists()
