"""The round loop: budgets, nudges, stop rules and hostile replies of PROTOCOL 2."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import HarnessMode, ToolName
from fcbench.core.records import decode_line, encode_line
from fcbench.engine.plan import on_the_wire
from fcbench.harnesses.assistance import Assistance, assistance_for
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.loop import MAX_CALLS, ContractHarness, Plan
from fcbench.harnesses.prompts import GUIDANCE, REPAIR, SYSTEM, prompt_hash, texts
from fcbench.providers.base import ProviderFailure, Reply, SchemaRefused
from tests.doubles import CONTRACTS, FakeClock, Puppet, calls, case, contract, says, task

RIGHT = ("find_gene", '{"gene": "araC"}')


def attempt(
    replies: list[Reply | Exception],
    *,
    mode: HarnessMode = "production-parity",
    assistance: Assistance | None = None,
    single_call: bool = False,
    time_limit_s: float = 1000.0,
) -> tuple[Attempt, Puppet]:
    puppet, clock = Puppet(replies), FakeClock()
    plan = Plan(
        task=task(single_call=single_call, time_limit_s=time_limit_s),
        repeat=1,
        candidates=tuple(Candidate(name=name, rank=rank) for rank, name in enumerate(CONTRACTS, start=1)),
        mode=mode,
        assistance=assistance,
    )
    made = asyncio.run(ContractHarness(CONTRACTS, clock).attempt(plan, DirectChannel(puppet, clock)))
    return made, puppet


def assisted(*steps: str) -> Assistance:
    return assistance_for(case(1, *steps).oracle, CONTRACTS)


def test_a_model_that_calls_and_then_answers_completes() -> None:
    made, puppet = attempt([calls(RIGHT), says("It starts at 7.")])
    assert (made.outcome, made.stop, made.final_text) == ("completed", "model stopped", "It starts at 7.")
    assert [call.result.status for call in made.calls] == ["ok"]
    assert made.calls[0].result.provenance == "synthetic"
    assert puppet.requests[0].messages[0].content == SYSTEM
    assert [phase.name for phase in made.phases] == [
        "prepared",
        "retrieved",
        "requested",
        "replied",
        "executed",
        "ended",
    ]


def test_the_same_arguments_get_the_same_synthetic_answer_in_every_attempt() -> None:
    first, _ = attempt([calls(RIGHT), says("")])
    second, _ = attempt([calls(("find_gene", '{ "gene":"araC" }')), says("")])
    assert first.calls[0].result.content == second.calls[0].result.content


def test_production_parity_has_ten_rounds_and_guidance_on_the_last_result_of_each() -> None:
    made, puppet = attempt([calls(RIGHT, ("look_up", '{"gene": "araC"}'))])
    assert (made.outcome, made.stop, len(made.rounds)) == ("budget_exhausted", "round budget", 10)
    tool_messages = [one.content for one in puppet.requests[1].messages if one.role == "tool"]
    assert [GUIDANCE in content for content in tool_messages] == [False, True]


def test_oracle_assisted_nudges_until_the_steps_are_covered() -> None:
    made, puppet = attempt(
        [says("Shall I?"), calls(RIGHT), says("done")], mode="oracle-assisted", assistance=assisted("find_gene")
    )
    assert made.stop == "all steps covered"
    assert made.rounds[0].nudge == "1 of 1 expected steps remain."
    assert puppet.requests[1].messages[-1].content == "1 of 1 expected steps remain."
    assert not any(GUIDANCE in message.content for message in puppet.requests[2].messages)


def test_oracle_assisted_budget_is_expected_steps_plus_four() -> None:
    made, _ = attempt([says("no")], mode="oracle-assisted", assistance=assisted("find_gene", "mark_gene"))
    assert (made.outcome, len(made.rounds)) == ("budget_exhausted", 6)


def test_a_restraint_case_is_never_nudged() -> None:
    made, _ = attempt([says("no")], mode="oracle-assisted", assistance=Assistance(covering=(), nudges=False))
    assert (made.outcome, len(made.rounds), made.rounds[0].nudge) == ("completed", 1, None)


@pytest.mark.parametrize(
    ("raw", "status", "says_what"),
    [
        pytest.param('{"gene": ', "invalid", "not one JSON object", id="cut"),
        pytest.param('{"gene": "a", "gene": "b"}', "invalid", "stands twice", id="duplicate key"),
        pytest.param('{"gene": NaN}', "invalid", "NaN", id="NaN"),
        pytest.param("[1]", "invalid", "an array", id="array"),
        pytest.param("{}", "invalid", "'gene' is a required property", id="missing key"),
        pytest.param('{"gene": "araC", "limit": 99}', "invalid", "/limit", id="out of range"),
        pytest.param("[" * 100_000, "invalid", "levels of nesting", id="deep"),
        pytest.param("", "invalid", "'gene' is a required property", id="empty means no arguments"),
    ],
)
def test_wrong_arguments_come_back_as_an_error_that_says_what_is_wrong(raw: str, status: str, says_what: str) -> None:
    made, puppet = attempt([calls(("find_gene", raw)), says("sorry")])
    assert made.calls[0].result.status == status
    assert made.calls[0].raw_arguments == raw
    assert says_what in puppet.requests[1].messages[-1].content


def test_a_tool_that_was_not_offered_is_rejected() -> None:
    made, puppet = attempt([calls(("drop_table", "{}")), says("")])
    assert made.calls[0].result.status == "not_offered"
    assert "find_gene, look_up, mark_gene" in puppet.requests[1].messages[-1].content


def test_an_identical_state_changing_call_of_one_reply_runs_once() -> None:
    mark = ("mark_gene", '{"gene": "araC"}')
    made, _ = attempt([calls(mark, ("mark_gene", '{"gene":"araC"}'), RIGHT, RIGHT), says("")])
    assert [call.result.status for call in made.calls] == ["ok", "duplicate", "ok", "ok"]


def test_calls_beyond_the_limit_are_recorded_and_not_executed() -> None:
    made, _ = attempt([calls(*[RIGHT] * 200)])
    statuses = [call.result.status for call in made.calls]
    assert (statuses.count("ok"), statuses.count("over_limit")) == (MAX_CALLS, 200 - MAX_CALLS)
    assert (made.outcome, made.stop) == ("budget_exhausted", "call limit")


@pytest.mark.parametrize("word", ["length", "max_tokens", "max_output_tokens", "MAX_TOKENS"])
def test_a_reply_cut_at_the_token_limit_gets_two_repair_turns_whatever_the_provider_calls_it(word: str) -> None:
    made, puppet = attempt([says("I would", finish_reason=word)])
    assert (made.outcome, made.stop, len(made.rounds)) == ("completed", "cut at the output limit", 3)
    assert puppet.requests[1].messages[-1].content == REPAIR


def test_what_a_reply_carries_goes_back_with_its_turn_and_is_not_stored() -> None:
    carried = ({"type": "thinking", "thinking": "hm", "signature": "s"},)
    made, puppet = attempt([replace(calls(RIGHT), carried=carried), replace(says("Cut", "length"), carried=carried)])
    assert [one.carried for one in puppet.requests[2].messages if one.role == "assistant"] == [carried, carried]
    assert b"thinking" not in encode_line(made)


def test_a_single_call_task_ends_at_its_first_conforming_call() -> None:
    made, _ = attempt([calls(("find_gene", "{}")), calls(RIGHT), says("never asked")], single_call=True)
    assert (made.outcome, made.stop, len(made.rounds)) == ("completed", "conforming call", 2)


def test_a_single_call_task_gets_at_most_two_error_replies() -> None:
    made, _ = attempt([calls(("find_gene", "{}"))], single_call=True)
    assert (made.stop, len(made.rounds)) == ("error replies used up", 3)


def test_the_time_limit_ends_an_attempt_as_the_models_failure() -> None:
    made, _ = attempt([calls(RIGHT)], time_limit_s=5)
    assert (made.outcome, made.stop) == ("timeout", "time limit between requests")
    assert made.rounds, "what happened before is kept as evidence"


@pytest.mark.parametrize(
    ("failure", "outcome", "kind"),
    [
        pytest.param(
            ProviderFailure("down", kind="unavailable", status=503), "provider_error", "unavailable", id="503"
        ),
        pytest.param(SchemaRefused("oneOf is not supported"), "schema_refused", "schema_refused", id="schema"),
    ],
)
def test_a_providers_failure_is_an_outcome_of_its_own(failure: Exception, outcome: str, kind: str) -> None:
    made, _ = attempt([calls(RIGHT), failure])
    assert made.outcome == outcome
    assert made.error is not None
    assert made.error.kind == kind


def test_a_declared_equivalent_covers_a_step_but_only_once() -> None:
    assistance = assisted("find_gene", "find_gene")
    made, _ = attempt([calls(("look_up", '{"gene": "x"}')), says("")])
    assert assistance.remaining(made.calls, CONTRACTS) == 1


def test_invalid_calls_cover_nothing() -> None:
    made, _ = attempt([calls(("find_gene", "{}")), says("")])
    assert assisted("find_gene").remaining(made.calls, CONTRACTS) == 1


def test_a_call_cut_before_its_arguments_is_not_a_call_without_arguments() -> None:
    made, _ = attempt([calls(("find_gene", ""), finish_reason="length"), says("done")])
    assert made.calls[0].arguments is None
    assert made.calls[0].result.status == "invalid"


def test_the_deepest_arguments_that_are_parsed_read_back_from_a_record() -> None:
    deepest = '{"gene": ' + "[" * 47 + "]" * 47 + "}"
    made, _ = attempt([calls(("find_gene", deepest)), says("")])
    assert made.calls[0].arguments is not None
    assert decode_line(encode_line(made), Attempt) == made
    deeper, _ = attempt([calls(("find_gene", "[" + deepest + "]")), says("")])
    assert deeper.calls[0].arguments is None


def test_the_model_reads_its_own_broken_arguments_in_the_history() -> None:
    _, puppet = attempt([calls(("find_gene", '{"gene": ')), says("sorry")])
    assert puppet.requests[1].messages[-2].calls[0].raw_arguments == '{"gene": '


def test_a_full_context_ends_an_attempt_on_its_evidence_and_not_as_the_providers_fault() -> None:
    full = ProviderFailure("exceeds the context", kind="context_full", status=400)
    made, _ = attempt([calls(RIGHT), full])
    assert (made.outcome, made.stop) == ("budget_exhausted", "context full")
    first, _ = attempt([full])
    assert first.outcome == "provider_error", "a prompt of ours that is too long is not the model's fault"


def test_results_are_bounded_in_bytes_in_the_round_in_which_they_grow() -> None:
    wide = replace(CONTRACTS[ToolName("find_gene")], returns={"type": "string", "const": "\u00e9" * 20_000})
    puppet, clock = Puppet([calls(*[RIGHT] * 60)]), FakeClock()
    plan = Plan(
        task=task(),
        repeat=1,
        candidates=(Candidate(name=wide.name, rank=1),),
        mode="production-parity",
    )
    made = asyncio.run(ContractHarness({wide.name: wide}, clock).attempt(plan, DirectChannel(puppet, clock)))
    assert (made.outcome, made.stop, len(made.rounds)) == ("budget_exhausted", "size of results", 1)


def test_a_single_call_task_stops_at_text_in_both_modes() -> None:
    made, _ = attempt([says("no")], mode="oracle-assisted", assistance=assisted("find_gene"), single_call=True)
    assert (made.outcome, len(made.rounds)) == ("completed", 1)


def test_an_alternative_golden_run_counts_as_covered() -> None:
    oracle = case(1, "find_gene", "find_gene").oracle
    other = replace(oracle, alternatives=(case(1, "mark_gene").oracle.calls,))
    assistance = assistance_for(other, CONTRACTS)
    assert (assistance.expected_steps, assistance.remaining((), CONTRACTS)) == (2, 1)
    made, _ = attempt(
        [calls(("mark_gene", '{"gene": "araC"}')), says("done")], mode="oracle-assisted", assistance=assistance
    )
    assert made.stop == "all steps covered"


def test_a_phase_has_the_time_when_it_was_first_reached() -> None:
    made, _ = attempt([calls(RIGHT), calls(RIGHT), says("done")])
    times = [phase.at_s for phase in made.phases]
    assert times == sorted(times)


def test_what_a_provider_said_is_kept() -> None:
    refusal = SchemaRefused("the schema is refused")
    refusal.found = "oneOf is not supported in tool zoek"
    made, _ = attempt([refusal])
    assert made.error is not None
    assert "oneOf is not supported in tool zoek" in made.error.message


def test_a_providers_own_time_out_is_not_the_models() -> None:
    made, _ = attempt([TimeoutError("socket")])  # type: ignore[list-item]
    assert made.outcome == "provider_error"


def test_every_word_and_rule_is_in_the_prompt_hash() -> None:
    parity = texts("production-parity")
    assert {"system", "guidance", "not valid", "rules"} <= parity.keys()
    assert prompt_hash("production-parity") != prompt_hash("oracle-assisted")


def test_a_name_that_providers_refuse_never_goes_out_and_never_stays_in_the_evidence() -> None:
    contracts = {ToolName("find.gene"): contract("find.gene"), ToolName("find_gene"): contract("find_gene")}
    offered = on_the_wire(tuple(Candidate(name=name, rank=rank) for rank, name in enumerate(contracts, start=1)))
    puppet = Puppet([calls(("find_gene_2", '{"gene": "araC"}'), ("find.gene", "{}"), ("find-gene", "{}")), says("")])
    clock = FakeClock()
    plan = Plan(task=task(), repeat=1, candidates=offered, mode="production-parity")
    made = asyncio.run(ContractHarness(contracts, clock).attempt(plan, DirectChannel(puppet, clock)))
    assert [one.wire_name for one in made.candidates] == ["find_gene_2", None]
    assert [(call.name, call.result.status) for call in made.calls] == [
        ("find.gene", "ok"),
        ("find.gene", "invalid"),  # the model may write the tool's own name: no other tool has it
        ("find-gene", "not_offered"),
    ]
    assert [tool.name for tool in puppet.requests[0].tools] == ["find_gene_2", "find_gene"]
    sent = puppet.requests[1].messages
    assert [call.name for message in sent for call in message.calls] == ["find_gene_2", "find_gene_2", "find-gene"]
    assert "Offered: find_gene, find_gene_2." in sent[-1].content
