"""Laws of a verdict, over drawn contracts, cases and call lists (PROTOCOL 3 and 4)."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, Round, Usage
from fcbench.core.names import StepId, Tier, ToolName
from fcbench.core.verdicts import Verdict
from fcbench.evaluator import applicable_tiers, golden_attempt, judge, mutations
from tests.evaluator.world import CONTRACTS, attempt, call, case, step
from tests.strategies import judged_cases, rich_cases

Judged = tuple[Case, dict[ToolName, ToolContract]]
STRICT: Tier = "native-function-contract"
COMPLETE: Tier = "task-completion-contract"
STRICT_TIERS = (STRICT, "real-tool-execution")
drawn = judged_cases() | rich_cases()
few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def verdicts(judged: Judged, found: Attempt) -> list[Verdict]:
    """At every tier, on both harnesses."""
    case, contracts = judged
    return [
        judge(case, found, contracts, harness, tier)
        for harness in case.harnesses
        for tier in applicable_tiers(case, harness)
    ]


def strict_verdicts(judged: Judged, found: Attempt) -> list[Verdict]:
    return [verdict for verdict in verdicts(judged, found) if verdict.tier in STRICT_TIERS]


def made(name: str, arguments: dict[str, Any] | None = None) -> Call:
    """A successful call."""
    arguments = arguments or {}
    result = CallResult(status="ok", content={"at": 1})
    return Call(id="new", name=name, raw_arguments=json.dumps(arguments), arguments=arguments, result=result)


def with_round(found: Attempt, position: int, calls: list[Call]) -> Attempt:
    """The attempt with one more round of calls."""
    rounds = list(found.rounds)
    rounds.insert(position, replace(found.rounds[0], calls=tuple(calls), text="", finish_reason="tool_calls"))
    return replace(found, rounds=tuple(replace(turn, number=number) for number, turn in enumerate(rounds, 1)))


def with_calls(found: Attempt, edit: Any) -> Attempt:
    """The attempt with the calls of every round that `edit` returns; it is given them with the first one's position."""
    rounds: list[Round] = []
    seen = 0
    for turn in found.rounds:
        rounds.append(replace(turn, calls=tuple(edit(list(turn.calls), seen))))
        seen += len(turn.calls)
    return replace(found, rounds=tuple(rounds))


def with_one(found: Attempt, at: int, other: Call) -> Attempt:
    """The attempt with another call at one position."""
    return with_calls(found, lambda calls, first: [other if n == at else each for n, each in enumerate(calls, first)])


@given(drawn, st.data())
@few
def test_at_a_strict_tier_a_call_less_fails(judged: Judged, data: st.DataObject) -> None:
    golden = golden_attempt(*judged)
    gone = data.draw(st.integers(0, len(golden.calls) - 1))
    left = with_calls(golden, lambda calls, first: [each for at, each in enumerate(calls, first) if at != gone])
    assert not any(verdict.passed for verdict in strict_verdicts(judged, left))


@given(drawn, st.data())
@few
def test_at_a_strict_tier_a_call_more_fails(judged: Judged, data: st.DataObject) -> None:
    golden = golden_attempt(*judged)
    extra = data.draw(st.sampled_from([*golden.calls, made("look"), made("wipe")]))
    more = with_round(golden, data.draw(st.integers(0, len(golden.rounds))), [extra])
    assert not any(verdict.passed for verdict in strict_verdicts(judged, more))


@given(drawn, st.data())
@few
def test_at_a_strict_tier_an_altered_or_lost_argument_fails(judged: Judged, data: st.DataObject) -> None:
    case = judged[0]
    # Where two steps share a tool, the altered call may be the one that the other step wants.
    assume(len({step.tool for step in case.oracle.calls}) == len(case.oracle.calls))
    golden = golden_attempt(*judged)
    at = data.draw(st.integers(0, len(golden.calls) - 1))
    arguments = dict(golden.calls[at].arguments or {})
    key = data.draw(st.sampled_from([*sorted(arguments), "a_new_key"]))
    if key in arguments and data.draw(st.booleans()):
        del arguments[key]
    else:
        value = data.draw(st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=2) | st.just([]))
        assume(key not in arguments or not json_equal(arguments[key], value))
        arguments[key] = value
    changed = replace(golden.calls[at], arguments=arguments, raw_arguments=json.dumps(arguments))
    other = with_one(golden, at, changed)
    assert not any(verdict.passed for verdict in strict_verdicts(judged, other))


@given(drawn, st.data())
@few
def test_a_read_more_never_takes_a_pass_at_the_completion_tiers(judged: Judged, data: st.DataObject) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    mutated = [
        found for operator, found in mutations(case, golden, contracts) if operator in ("duplicate", "extra_read")
    ]
    found = data.draw(st.sampled_from([golden, *mutated]))
    reads = [made("look")] * data.draw(st.integers(1, 3))
    more = with_round(found, data.draw(st.integers(0, len(found.rounds))), reads)
    for before, after in zip(verdicts(judged, found), verdicts(judged, more), strict=True):
        if before.tier not in STRICT_TIERS:
            assert before.passed
            assert after.passed, [fault.sentence for fault in after.faults]
            assert after.partial == before.partial


@given(drawn, st.data())
@few
def test_ids_times_tokens_and_provenance_decide_nothing(judged: Judged, data: st.DataObject) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    found = data.draw(st.sampled_from([golden, *[mutated for _, mutated in mutations(case, golden, contracts)]]))
    second = data.draw(st.floats(0, 1e6))
    other = with_calls(
        found,
        lambda calls, first: [
            replace(
                each,
                id="same" if second > 5 else f"{first}-{number}",
                id_given=not each.id_given,
                result=replace(each.result, duration_s=second, provenance="computed"),
            )
            for number, each in enumerate(calls)
        ],
    )
    usage = Usage(input_tokens=data.draw(st.integers(0, 10**9)), output_tokens=7)
    turns = [
        replace(
            turn, duration_s=second, reply_s=second / 2, usage=usage, started_at="2031-05-06T07:08:09.000Z", nudge="…"
        )
        for turn in other.rounds
    ]
    other = replace(
        other,
        rounds=tuple(replace(turn, request_sha256="0" * 64, reply_sha256="f" * 64) for turn in turns),
        started_at="1999-01-01T00:00:00.000Z",
        duration_s=second,
        usage=usage,
        try_number=3,
        retries=4,
        stop="round budget",
    )
    assert verdicts(judged, other) == verdicts(judged, found)


@given(drawn, st.data())
@few
def test_a_partial_score_is_bounded_and_a_change_costs_five_hundredths(judged: Judged, data: st.DataObject) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    found = data.draw(st.sampled_from([golden, *[mutated for _, mutated in mutations(case, golden, contracts)]]))
    count = data.draw(st.integers(1, 25))
    more = with_round(found, len(found.rounds), [made("wipe")] * count)
    for before, after in zip(verdicts(judged, found), verdicts(judged, more), strict=True):
        for verdict in (before, after):
            assert 0 <= verdict.partial.score <= (1 if verdict.passed else 0.99)
            assert bool(verdict.faults) is not verdict.passed
        changes = after.partial.unexpected_state_changes - before.partial.unexpected_state_changes
        assert changes == count
        assert not after.passed
        if before.partial.schema_validity == 1 and before.partial.score != 0.99:
            assert after.partial.score == pytest.approx(max(0.0, before.partial.score - 0.05 * count))


def renamed(case: Case, names: dict[str, str]) -> Case:
    """The case with other names of steps, in references and needs too."""

    def value(found: Any) -> Any:
        if isinstance(found, dict) and set(found) == {"$from"}:
            return {"$from": {**found["$from"], "step": names[found["$from"]["step"]]}}
        if isinstance(found, dict):
            return {key: value(item) for key, item in found.items()}
        return [value(item) for item in found] if isinstance(found, list) else found

    calls = tuple(
        replace(
            each,
            step=StepId(names[each.step]),
            arguments=value(each.arguments),
            after=tuple(StepId(names[name]) for name in each.after),
        )
        for each in case.oracle.calls
    )
    return replace(case, oracle=replace(case.oracle, calls=calls))


@given(drawn, st.data())
@few
def test_names_of_steps_decide_nothing(judged: Judged, data: st.DataObject) -> None:
    case, contracts = judged
    names = [each.step for each in case.oracle.calls]
    others = dict(zip(names, data.draw(st.permutations([*names, "zz", "a0"])), strict=False))
    golden = golden_attempt(case, contracts)
    found = data.draw(st.sampled_from([golden, *[mutated for _, mutated in mutations(case, golden, contracts)]]))

    def shown(verdict: Verdict, names: dict[str, str] | None = None) -> Any:
        def name(step: str | None) -> str | None:
            return names[step] if names is not None and step is not None else step

        faults = [
            (fault.kind, fault.tool, name(fault.step), fault.call, fault.pointer, repr(fault.found))
            for fault in verdict.faults
        ]
        flags = [(condition.name, condition.passed) for condition in verdict.conditions]
        roles = [(each.call, name(each.step), each.role) for each in verdict.judgements]
        return verdict.passed, flags, verdict.partial, verdict.dimensions, faults, roles

    before, after = verdicts(judged, found), verdicts((renamed(case, others), contracts), found)
    assert [shown(verdict, others) for verdict in before] == [shown(verdict) for verdict in after]


# What follows is written from PROTOCOL 3 alone: an assignment is judged by the steps that it leaves without a call, and
# then by the faults of its calls. Nothing of the matching is used.


def _faults(
    step: ExpectedCall, made: tuple[int, Call], given: dict[str, tuple[int, Call] | None], success: bool
) -> int:
    """Faults of one call in the place of one step; calls stand with their rounds."""
    turn, found = made
    arguments = found.arguments or {}
    count = int(success and found.result.status != "ok")
    for key, value in step.arguments.items():
        wanted, known = value, True
        if isinstance(value, dict):
            source = given[value["$from"]["step"]]  # type: ignore[index]
            known = source is not None and source[0] < turn and source[1].result.status == "ok"
            wanted = source[1].result.content["at"] if known and source else None  # type: ignore[index]
        count += int(key not in arguments or not known or not json_equal(wanted, arguments[key]))
    return count + sum(key not in step.arguments for key in arguments)


def _cost(steps: tuple[ExpectedCall, ...], way: list[tuple[int, Call] | None], success: bool) -> tuple[int, int] | None:
    """Steps without a call and faults; None where a call stands for a step of another tool."""
    given = {step.step: made for step, made in zip(steps, way, strict=True)}
    if any(made is not None and made[1].name != step.tool for step, made in zip(steps, way, strict=True)):
        return None
    faults = [
        _faults(step, made, given, success)
        for step, made in zip(steps, way, strict=True)
        if made is not None  # type: ignore[arg-type]
    ]
    return len(steps) - len(faults), sum(faults)


_value = st.integers(1, 3)
_wanted_steps = st.lists(
    st.tuples(
        st.sampled_from(["get_bases", "get_bases", "go_to"]), _value, st.sampled_from([None, None, 0, 1]), _value
    ),
    min_size=1,
    max_size=3,
)
_made_calls = st.lists(
    st.tuples(
        st.sampled_from(["get_bases", "get_bases", "go_to"]),
        st.dictionaries(st.sampled_from(["start", "end"]), _value, min_size=1, max_size=2),
        _value,
        st.booleans(),
        st.sampled_from(["ok", "ok", "error"]),
    ),
    max_size=4,
)


@given(_wanted_steps, _made_calls, st.sampled_from([STRICT, COMPLETE]))
@settings(max_examples=250, deadline=None)
def test_no_assignment_has_fewer_faults_than_the_one_of_the_verdict(wanted: Any, found: Any, tier: Tier) -> None:
    steps = []
    for index, (tool, start, source, end) in enumerate(wanted):
        reference = {"$from": {"step": f"s{source}", "pointer": "/at"}}
        first = reference if source is not None and source < index else start
        arguments = {"position": first} if tool == "go_to" else {"start": first, "end": end}
        # One block: only what the calls say decides, not their order.
        steps.append(step(f"s{index}", tool, arguments, block=1))
    rounds: list[list[Call]] = []
    for tool, arguments, content, joins, status in found:
        sent = {"position": arguments.get("start", 1)} if tool == "go_to" else arguments
        one = call(tool, sent, status, {"at": content})
        if joins and rounds:
            rounds[-1].append(one)
        else:
            rounds.append([one])
    verdict = judge(case(*steps), attempt(*rounds), CONTRACTS, "contract", tier)
    calls = [(number, one) for number, turn in enumerate(rounds, 1) for one in turn]
    by_step = {each.step: calls[each.call] for each in verdict.judgements if each.step is not None}
    ours = _cost(tuple(steps), [by_step.get(each.step) for each in steps], tier == COMPLETE)
    choices = [*range(len(calls)), *[-1] * len(steps)]
    ways = set(permutations(choices, len(steps)))
    costs = {
        way: cost
        for way in ways
        if (cost := _cost(tuple(steps), [calls[at] if at >= 0 else None for at in way], tier == COMPLETE))
    }
    best = min(costs.values())
    assert ours == best
    if all(isinstance(each.arguments.get("start", 0), int) for each in steps) and "$from" not in str(steps):
        # Without references ties go to the earliest calls.
        taken = sorted(each.call for each in verdict.judgements if each.step is not None)
        assert sum(taken) == min(sum(at for at in way if at >= 0) for way, cost in costs.items() if cost == best)


def declared_ways(made: Call) -> dict[str, Call]:
    """Other ways to write a call of a rich world that its contract declares."""
    arguments = dict(made.arguments or {})
    ways: dict[str, tuple[str, dict[str, Any]]] = {"neutral": (made.name, {**arguments, "limit": 3})}
    if "mode" not in arguments:
        ways["default said"] = (made.name, {**arguments, "mode": "near"})
    if arguments.get("mode") == "near":
        ways["default left out"] = (made.name, {key: item for key, item in arguments.items() if key != "mode"})
    if "place" in arguments:
        others = {key: item for key, item in arguments.items() if key != "place"}
        ways["form"] = (made.name, {**others, "offset": arguments["place"] - 1})
    elif "part" in arguments and "ref" not in arguments and arguments.get("mode", "near") == "near":
        ways["equivalent"] = (made.name.replace("tool", "twin"), {"what": arguments["part"], "kind": "same"})
    return {
        way: replace(made, name=name, arguments=found, raw_arguments=json.dumps(found))
        for way, (name, found) in ways.items()
    }


@given(rich_cases(), st.data())
@settings(few, max_examples=60)
def test_what_a_contract_declares_passes_at_the_completion_tiers_only(judged: Judged, data: st.DataObject) -> None:
    golden = golden_attempt(*judged)
    at = data.draw(st.integers(0, len(golden.calls) - 1))
    for way, other in declared_ways(golden.calls[at]).items():
        for verdict in verdicts(judged, with_one(golden, at, other)):
            wanted = verdict.tier not in STRICT_TIERS
            assert verdict.passed is wanted, (way, verdict.tier, [fault.sentence for fault in verdict.faults])


@given(rich_cases(), st.data())
@settings(few, max_examples=60)
def test_what_a_contract_does_not_declare_fails_at_every_tier(judged: Judged, data: st.DataObject) -> None:
    case = judged[0]
    assume(len({step.tool for step in case.oracle.calls}) == len(case.oracle.calls))
    golden = golden_attempt(*judged)
    at = data.draw(st.integers(0, len(golden.calls) - 1))
    made = golden.calls[at]
    arguments = dict(made.arguments or {})
    ways: list[tuple[str, dict[str, Any]]] = [
        (made.name, {**arguments, "mode": "near" if arguments.get("mode") == "far" else "far"}),
        (made.name, {**arguments, "offset": 3}),
        (made.name.replace("tool", "twin"), {"what": arguments.get("part"), "kind": "other"}),
        ("look", {}),
    ]
    if arguments.get("mode") == "far":
        ways.append((made.name, {key: item for key, item in arguments.items() if key != "mode"}))
    if "place" in arguments or "ref" in arguments:
        ways.append((made.name.replace("tool", "twin"), {"what": arguments.get("part"), "kind": "same"}))
    for name, other in ways:
        changed = replace(made, name=name, arguments=other, raw_arguments=json.dumps(other))
        for verdict in verdicts(judged, with_one(golden, at, changed)):
            assert not verdict.passed, (verdict.tier, name, other)
