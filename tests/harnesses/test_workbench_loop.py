"""The loop policy of PROTOCOL 2 over real tools: what is recorded, refused, repeated, limited, ended and kept apart."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import threading
import typing
from pathlib import Path

import msgspec
import pytest

from fcbench.core import cases
from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, CallResult, Candidate
from fcbench.core.names import CaseId, HarnessMode, JsonObject, ToolName
from fcbench.harnesses import answers, loop, workbench
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import SystemClock
from fcbench.harnesses.loop import Plan
from fcbench.harnesses.prompts import REPAIR, SYSTEM
from fcbench.harnesses.workbench import Execute, WorkbenchHarness
from fcbench.providers.base import Reply, Request
from fcbench.workbench.dispatch import call
from fcbench.workbench.engines import engine_label
from fcbench.workbench.errors import ToolError
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from tests.doubles import Puppet, calls, says
from tests.workbench.worlds import content, contracts, fixtures, fresh

OFFERED = (
    "get_sequence",
    "search_gene_by_name",
    "insert_sequence",
    "list_actions",
    "execute_actions",
    "add_task",
    "go_to_gene",
    "export_region_fasta",
    "get_multiple_coding_sequences",
)
INSERT = ("insert_sequence", '{"position": 1000, "sequence": "GAATTC"}')
READ = ("get_sequence", '{"start": 1, "end": 6}')


def planned(instruction: str = "Insert GAATTC.", fixture: str = "ecoli-d10483", time_limit_s: float = 60.0) -> Plan:
    candidates = tuple(Candidate(name=ToolName(name), rank=rank) for rank, name in enumerate(OFFERED, start=1))
    task = Task(
        id=CaseId("t-1"),
        instruction=instruction,
        language="en",
        registry="genomics",
        fixture=fixture,
        time_limit_s=time_limit_s,
    )
    mode: HarnessMode = "production-parity"
    return Plan(task=task, repeat=1, candidates=candidates, mode=mode)


def attempt(
    replies: list[Reply | Exception], *, execute: Execute = call, plan: Plan | None = None
) -> tuple[Attempt, Puppet]:
    puppet, clock = Puppet(replies), SystemClock()
    harness = WorkbenchHarness(contracts(), fixtures(), clock, execute)
    return asyncio.run(harness.attempt(plan or planned(), DirectChannel(puppet, clock))), puppet


def code(result: CallResult) -> object:
    assert isinstance(result.content, dict)
    return result.content.get("code")


def test_every_call_is_recorded_with_arguments_round_result_duration_engine_and_provenance() -> None:
    made, puppet = attempt(
        [
            calls(("search_gene_by_name", '{"name": "araA"}'), ("go_to_gene", '{"gene_name": "araA"}')),
            calls(("get_sequence", '{"start": 1, "end": 999999}')),
            says("araA lies at 66502 to 68004."),
        ]
    )
    assert [len(turn.calls) for turn in made.rounds] == [2, 1, 0]
    assert [turn.number for turn in made.rounds] == [1, 2, 3]
    search, go, outside = made.calls
    assert (search.name, search.arguments, search.raw_arguments) == (
        "search_gene_by_name",
        {"name": "araA"},
        '{"name": "araA"}',
    )
    found = search.result.content
    assert isinstance(found, dict)
    assert isinstance(found["genes"], list)
    assert isinstance(found["genes"][0], dict)
    assert (found["genes"][0]["start"], found["genes"][0]["end"]) == (66502, 68004)
    assert (search.result.engine, search.result.provenance) == (engine_label("python"), "computed")
    assert (go.result.engine, go.result.provenance) == (engine_label("session"), "state")
    assert (outside.result.status, code(outside.result)) == ("error", "bad_range")
    assert (outside.result.engine, outside.result.provenance) == (engine_label("python"), "computed")
    assert all(one.result.duration_s > 0 for one in made.calls)
    assert sum(one.result.duration_s for one in made.rounds[0].calls) <= made.rounds[0].duration_s
    assert made.final_text == "araA lies at 66502 to 68004."
    assert [request.round for request in puppet.requests] == [1, 2, 3]
    assert [name.name for name in made.phases] == [
        "prepared", "retrieved", "requested", "replied", "executed", "ended",
    ]  # fmt: skip


def test_a_tool_that_was_not_offered_is_rejected_and_changes_nothing() -> None:
    made, puppet = attempt([calls(("delete_sequence", '{"start": 1, "end": 99}')), says("")])
    assert (made.calls[0].result.status, code(made.calls[0].result)) == ("not_offered", "unknown_function")
    assert "insert_sequence" in puppet.requests[1].messages[-1].content
    assert made.end_state == end_state(fresh())


@pytest.mark.parametrize(
    ("raw", "says_what"),
    [
        pytest.param('{"position": 0, "sequence": "A"}', "/position", id="below the minimum"),
        pytest.param('{"position": 5, "sequence": "ATX!"}', "/sequence", id="no bases"),
        pytest.param('{"position": "5", "sequence": "A"}', "/position", id="a string for a number"),
        pytest.param('{"position": 5}', "'sequence' is a required property", id="missing"),
        pytest.param('{"position": 5, "sequence": "A", "confirm": true}', "confirm", id="unknown"),
        pytest.param('{"position": 5, "sequence": "A"', "not one JSON object", id="cut"),
    ],
)
def test_invalid_arguments_are_answered_with_what_is_wrong_and_never_executed(raw: str, says_what: str) -> None:
    made, puppet = attempt([calls(("insert_sequence", raw)), calls(INSERT), says("done")])
    assert [one.result.status for one in made.calls] == ["invalid", "ok"]
    assert made.calls[0].result.engine is None
    assert says_what in puppet.requests[1].messages[-1].content
    session = fresh()
    content(session, "insert_sequence", position=1000, sequence="GAATTC")
    assert made.end_state == end_state(session)


def test_an_output_that_is_cut_gets_two_repair_turns_and_each_uses_a_round() -> None:
    cut = says("I will now", finish_reason="length")
    made, puppet = attempt([cut, cut, cut, cut])
    assert (made.outcome, made.stop, len(made.rounds)) == ("completed", "cut at the output limit", 3)
    assert [turn.nudge for turn in made.rounds] == [REPAIR, REPAIR, None]
    assert len(puppet.requests) == 3


def test_a_cut_call_is_not_executed_and_can_be_made_again() -> None:
    cut = calls(("insert_sequence", '{"position": 1000, "seq'), finish_reason="length")
    made, _ = attempt([cut, calls(INSERT), says("done")])
    assert [one.result.status for one in made.calls] == ["invalid", "ok"]


STATE_CHANGES = [
    pytest.param(INSERT, ("insert_sequence", '{"sequence": "GAATTC", "position": 1000.0}'), id="project"),
    pytest.param(("add_task", '{"title": "x"}'), ("add_task", '{ "title":"x" }'), id="session"),
    pytest.param(("go_to_gene", '{"gene_name": "araA"}'), ("go_to_gene", '{"gene_name": "araA"}'), id="view"),
    pytest.param(
        ("export_region_fasta", '{"start": 1, "end": 9, "file_path": "a.fa"}'),
        ("export_region_fasta", '{"end": 9, "start": 1, "file_path": "a.fa"}'),
        id="file",
    ),
]


@pytest.mark.parametrize(("first", "again"), STATE_CHANGES)
def test_an_identical_state_changing_call_of_one_reply_is_executed_once(
    first: tuple[str, str], again: tuple[str, str]
) -> None:
    executed = []

    def counted(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        executed.append(contract.name)
        return call(session, contract, arguments)

    made, _ = attempt([calls(first, again, READ, READ), says("")], execute=counted)
    assert [one.result.status for one in made.calls] == ["ok", "duplicate", "ok", "ok"]
    assert executed == [first[0], "get_sequence", "get_sequence"]
    once, _ = attempt([calls(first), says("")])
    assert made.end_state == once.end_state


def test_the_same_call_in_a_later_reply_is_a_call_of_its_own() -> None:
    made, _ = attempt([calls(INSERT), calls(INSERT), calls(("list_actions", "{}")), says("")])
    assert [one.result.status for one in made.calls] == ["ok", "ok", "ok"]
    listed = made.calls[2].result.content
    assert isinstance(listed, dict)
    assert listed["count"] == 2


def test_no_more_than_64_calls_are_executed_whatever_a_reply_asks_for() -> None:
    task = ("add_task", '{"title": "t%d"}')
    made, _ = attempt([calls(*[(task[0], task[1] % number) for number in range(100)])])
    statuses = [one.result.status for one in made.calls]
    assert statuses == ["ok"] * 64 + ["over_limit"] * 36
    assert (made.outcome, made.stop) == ("budget_exhausted", "call limit")
    assert made.end_state is not None, "it is judged on its evidence"


def test_no_more_than_ten_rounds_are_gone() -> None:
    made, puppet = attempt([calls(READ)])
    assert (made.outcome, made.stop, len(made.rounds)) == ("budget_exhausted", "round budget", 10)
    assert len(puppet.requests) == 10


def test_no_more_than_a_megabyte_of_results_goes_back_to_the_model() -> None:
    names = [gene.name for gene in fresh().genes.genes if gene.coding][:20]
    many = ("get_multiple_coding_sequences", json.dumps({"gene_names": names}))
    made, puppet = attempt([calls(*[many] * 12)])
    assert (made.outcome, made.stop) == ("budget_exhausted", "size of results")
    assert len(made.rounds) < 10
    sent = [one.content for one in puppet.requests[-1].messages if one.role == "tool"]
    assert sum(len(one.encode()) for one in sent) <= 1 << 20


def test_the_model_ends_the_attempt_with_a_reply_without_calls() -> None:
    made, puppet = attempt([calls(INSERT), says("queued, not applied"), calls(READ)])
    assert (made.outcome, made.stop, len(made.rounds)) == ("completed", "model stopped", 2)
    assert made.rounds[1].nudge is None
    assert puppet.requests[0].messages[0].content == SYSTEM


def test_what_a_cancelled_tool_does_afterwards_reaches_nobody() -> None:
    release, late = threading.Event(), threading.Event()
    seen: dict[str, object] = {}

    def stuck(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
        session.files.write_text("early.txt", "x")
        seen["place"] = session.files.output_path("early.txt")
        release.wait(30)
        try:
            session.files.write_text("late.txt", "x")
        except ToolError as error:
            seen["code"] = error.code
        late.set()
        return call(session, contract, arguments)

    made, puppet = attempt([calls(INSERT), says("never asked")], execute=stuck, plan=planned(time_limit_s=0.2))
    release.set()
    assert late.wait(30)
    assert (made.outcome, made.stop, made.end_state) == ("timeout", "time limit between requests", None)
    assert made.calls[0].result.status == "over_limit"
    assert len(puppet.requests) == 1
    place = seen["place"]
    assert isinstance(place, Path)
    assert not place.exists()
    assert seen["code"] == "path_refused"
    after, _ = attempt([calls(("list_actions", "{}")), says("")])
    listed = after.calls[0].result.content
    assert isinstance(listed, dict)
    assert listed["count"] == 0


def test_attempts_at_the_same_time_never_share_state() -> None:
    """Each edits at a place of its own, in step with the others, and ends where it would have ended alone."""

    async def together(numbers: range) -> list[Attempt]:
        clock = SystemClock()
        harness = WorkbenchHarness(contracts(), fixtures(), clock)
        barrier = asyncio.Barrier(len(numbers))

        class InStep(Puppet):
            async def complete(self, request: Request) -> Reply:
                await barrier.wait()
                return await super().complete(request)

        puppets = [InStep(script(number)) for number in numbers]
        return await asyncio.gather(*(harness.attempt(planned(), DirectChannel(each, clock)) for each in puppets))

    def script(number: int) -> list[Reply | Exception]:
        edit = ("insert_sequence", json.dumps({"position": 1000 + number, "sequence": "A" * (number + 1)}))
        return [
            calls(edit, ("add_task", json.dumps({"title": f"t{number}"}))),
            calls(("list_actions", "{}")),
            calls(("execute_actions", "{}")),
            calls(("export_region_fasta", '{"start": 990, "end": 1010, "file_path": "a.fa"}')),
            says("done"),
        ]

    made = asyncio.run(together(range(4)))
    alone = [attempt(script(number))[0] for number in range(4)]
    assert [one.end_state for one in made] == [one.end_state for one in alone]
    assert len({json.dumps(one.end_state, sort_keys=True) for one in made}) == 4
    for number, one in enumerate(made):
        listed, executed = one.calls[2].result.content, one.calls[3].result.content
        assert isinstance(listed, dict)
        assert isinstance(executed, dict)
        assert listed["count"] == 1
        assert executed["length_after"] == 111_408 + number + 1


def reachable(kind: object, found: set[type]) -> set[type]:
    """Every record type that a record holds, at any depth."""
    for inner in typing.get_args(kind):
        reachable(inner, found)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in found:
        found.add(kind)
        for annotation in typing.get_type_hints(kind).values():
            reachable(annotation, found)
    return found


def test_nothing_that_a_harness_is_given_holds_the_oracle() -> None:
    given = reachable(Plan, set()) | reachable(Request, set())
    assert Task in given, "the walk goes through the records"
    assert not given & {cases.Case, cases.Oracle, cases.ExpectedCall}
    for harness in (workbench.WorkbenchHarness, loop.ContractHarness):
        assert list(inspect.signature(harness.attempt).parameters) == ["self", "plan", "channel", "watcher"]


@pytest.mark.parametrize("module", [loop, workbench, answers], ids=lambda module: module.__name__)
def test_no_module_of_the_loop_names_the_oracle(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))  # type: ignore[attr-defined]
    names = {each.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for each in node.names}
    assert not names & {"Case", "Oracle", "ExpectedCall", "assistance_for"}
