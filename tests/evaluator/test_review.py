"""What a hostile review of version 1 found: small situations with the verdict that is right.

The rows stand in `review_rows.py` and `review_slips.py`. `mutation_run.py` breaks the rules behind them one at a time
and runs these tests too.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt, Call
from fcbench.core.names import JsonValue, Tier
from fcbench.core.verdicts import Verdict
from fcbench.evaluator.matching import MAX_CALLS
from fcbench.evaluator.observed import observe
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.scene import ENDED
from fcbench.evaluator.search import MAX_WORK, Search
from tests.evaluator.review_rows import (
    COMPLETE,
    END,
    EXTRA,
    FIND,
    KNOWN,
    MATCHING,
    STRICT,
    WRITING,
    Situation,
    at,
    made,
    seen,
    verdict_of,
)
from tests.evaluator.review_slips import FORM, VALUES
from tests.evaluator.world import attempt, call, case, dutch, step

ROWS = [*MATCHING, *WRITING, *EXTRA, *END, *FORM, *VALUES]
TIERS: tuple[Tier, ...] = (STRICT, COMPLETE)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_the_situation_gets_the_right_verdict(row: Situation) -> None:
    verdict = verdict_of(row.case, row.attempt, row.tier)
    said = [fault.sentence for fault in verdict.faults]
    assert Counter(fault.kind for fault in verdict.faults) == Counter(row.kinds), said
    assert verdict.passed is (not row.kinds)
    assert row.pointers <= {fault.pointer for fault in verdict.faults}


def test_every_situation_has_its_own_name() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)


# --- recovery -------------------------------------------------------------------------------------------------------

CHAIN = case(FIND, step("read", "get_bases", {"start": at("/at"), "end": 90}))
FOUND = call("search_gene", {"name": "araA"}, content={"at": 7})
REFUSED = call("get_bases", {"start": 0, "end": 90})
RIGHT = call("get_bases", {"start": 7, "end": 90})


@pytest.mark.parametrize(
    ("calls", "recovered"),
    [
        pytest.param((FOUND, REFUSED, RIGHT), True, id="the-right-call-follows"),
        pytest.param((FOUND, REFUSED, call("get_bases", {"start": 8, "end": 90})), False, id="a-wrong-value-follows"),
        pytest.param((FOUND, RIGHT, REFUSED, RIGHT), True, id="a-second-right-call-follows"),
        pytest.param((FOUND, RIGHT, REFUSED), False, id="nothing-follows"),
        pytest.param((REFUSED, FOUND, RIGHT), True, id="the-source-lies-between"),
    ],
)
def test_a_rejected_call_is_recovered_where_a_reference_says_what_is_right(
    calls: tuple[Call, ...], recovered: bool
) -> None:
    verdict = verdict_of(CHAIN, attempt(*calls))
    assert not verdict.passed
    assert verdict.passed_with_recovery is recovered
    assert ("recovered" in {each.role for each in verdict.judgements}) is recovered


# --- decision ask ---------------------------------------------------------------------------------------------------

ASK = case(decision="ask")
CUT = (
    "length",
    "MAX_TOKENS",
    "SAFETY",
    "model_length",
    "error",
    "refusal",
    "incomplete",
    "content_filter",
    "tool_calls",
)


def _ending(reason: str) -> Attempt:
    found = attempt("Which gene?")
    return replace(found, rounds=(replace(found.rounds[0], finish_reason=reason),))


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("reason", ["stop", "STOP", "end_turn", "COMPLETE", "eos", "stop_sequence", "unknown", ""])
def test_a_reply_that_ended_normally_asks(reason: str, tier: Tier) -> None:
    assert reason.casefold() in ENDED
    assert verdict_of(ASK, _ending(reason), tier).passed


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("reason", CUT)
def test_a_reply_that_did_not_end_normally_does_not_ask(reason: str, tier: Tier) -> None:
    verdict = verdict_of(ASK, _ending(reason), tier)
    assert [fault.kind for fault in verdict.faults] == ["no_text_reply"]


@pytest.mark.parametrize("single", [True, False])
def test_a_reply_with_text_and_a_call_does_not_ask(single: bool) -> None:
    judged = case(decision="ask", task={"single_call": single})
    talking = attempt(call("search_gene", {"name": "a"}), final_text="Which gene?")
    found = replace(talking, rounds=(replace(talking.rounds[0], text="Which gene?", finish_reason="stop"),))
    assert [fault.kind for fault in verdict_of(judged, found).faults] == ["no_text_reply"]


def test_a_later_reply_of_a_single_call_task_asks_nothing() -> None:
    judged = case(decision="ask", task={"single_call": True})
    found = attempt(call("search_gene", {"name": "a"}), "Which gene?")
    assert not verdict_of(judged, found).passed
    assert verdict_of(ASK, found).passed
    assert verdict_of(judged, attempt("Which gene?", call("search_gene", {"name": "a"}))).passed


DUMMY = {"dossier_id": "DOS-12345", "delen": [{"hoofdsom": 5}, {"hoofdsom": 6}], "klant": {"achternaam": "Bos"}}


@pytest.mark.parametrize(
    ("label", "places"),
    [
        ("delen[0].hoofdsom", {"/delen/0/hoofdsom"}),
        ("/delen/1/hoofdsom", {"/delen/1/hoofdsom"}),
        ("delen[1]", {"/delen/1/hoofdsom"}),
        ("delen.hoofdsom", {"/delen/0/hoofdsom", "/delen/1/hoofdsom"}),
        ("hoofdsom", {"/delen/0/hoofdsom", "/delen/1/hoofdsom"}),
        ("klant", {"/klant/achternaam"}),
        ("klant.voornaam", set()),
    ],
)
def test_a_label_names_the_filled_in_fields_by_key_and_position(label: str, places: set[str]) -> None:
    judged = dutch("Vraag een lening aan.", decision="ask", missing=(label,))
    verdict = verdict_of(judged, attempt(call("aanvraag", DUMMY)), STRICT)
    assert {fault.pointer for fault in verdict.faults if fault.kind == "dummy_for_missing_data"} == places


# --- dimensions -----------------------------------------------------------------------------------------------------


def test_restraint_knows_an_invented_key_among_more_differences_than_are_named() -> None:
    many = list(range(60))
    judged = case(step("one", "probe", {"value": many}))
    wrong = [number + 1 for number in many]
    assert verdict_of(judged, seen(made("probe", {"value": wrong})), STRICT).dimensions.restraint is True
    more = verdict_of(judged, seen(made("probe", {"value": wrong, "strand": "plus"})), STRICT)
    assert len(more.faults) == 50
    assert more.dimensions.restraint is False


def test_a_value_that_mends_the_text_breaks_restraint() -> None:
    judged = dutch("Dossier DOS-1234S.", step("vul", "aanvraag", {"dossier_id": "DOS-99999"}))
    assert (
        verdict_of(judged, attempt(call("aanvraag", {"dossier_id": "DOS-12345"})), STRICT).dimensions.restraint is False
    )
    assert (
        verdict_of(judged, attempt(call("aanvraag", {"dossier_id": "DOS-77777"})), STRICT).dimensions.restraint is True
    )


@pytest.mark.parametrize("tier", TIERS)
def test_arguments_that_cannot_be_read_hold_nothing_that_may_be_left_out(tier: Tier) -> None:
    judged = case(step("one", "turn", {"at": 3, "strand": "plus"}, may_omit=("at", "strand")))
    verdict = verdict_of(judged, seen(made("turn", '{"at": 3', status="invalid")), tier)
    assert verdict.partial.arguments == 0.0
    assert (verdict.dimensions.syntactic_validity, verdict.dimensions.argument_fidelity) == (False, None)


@pytest.mark.parametrize(
    ("expected", "found", "recall", "precision"),
    [
        pytest.param([], [1], 0.0, 0.0, id="an-empty-list-that-is-not"),
        pytest.param([], [1, 2], 0.0, 0.0, id="an-empty-list-that-holds-two"),
        pytest.param([1], [1, 2], 1.0, 1 / 2, id="an-item-too-many"),
        pytest.param([], [], 1.0, 1.0, id="an-empty-list"),
        pytest.param({}, {"a": 1}, 1.0, 1 / 2, id="an-extra-key-leaves-the-object"),
    ],
)
def test_recall_counts_an_empty_list_as_a_field_of_its_own(
    expected: JsonValue, found: JsonValue, recall: float, precision: float
) -> None:
    judged = case(step("one", "probe", {"value": expected}))
    verdict = verdict_of(judged, seen(made("probe", {"value": found})), STRICT)
    assert (verdict.dimensions.field_recall, verdict.dimensions.field_precision) == (recall, precision)
    if isinstance(expected, list):
        assert verdict.dimensions.argument_fidelity is (expected == found)
    assert {(fault.kind, fault.expected) for fault in verdict.faults} <= {("invented_optional", None)}


@pytest.mark.parametrize(
    ("found", "named"),
    [("500000", True), ("500.000", True), (" 7 ", True), ("een half miljoen", False), ("", False), ("12a", False)],
)
def test_only_a_text_that_reads_as_a_number_was_rejected_by_its_type_alone(found: str, named: bool) -> None:
    judged = case(step("one", "turn", {"at": 500000}))
    verdict = verdict_of(judged, seen(made("turn", {"at": found}, status="invalid")), STRICT)
    assert ("rejected_only_by_type" in verdict.anomalies) is named


# --- bounds ---------------------------------------------------------------------------------------------------------


def _reads(count: int) -> list[Call]:
    """Calls that are all alike and each returns another place: every one may be every step's source."""
    return [call("get_bases", {"start": 1 + index % 5}, content={"at": 1 + (index * 7) % 6}) for index in range(count)]


@pytest.mark.parametrize("tier", TIERS)
def test_five_hundred_calls_in_a_chain_of_references_end_within_the_limit_of_work(tier: Tier) -> None:
    links = [{"$from": {"step": f"s{index - 1}", "pointer": "/at"}} if index else 1 for index in range(9)]
    steps = tuple(step(f"s{index}", "get_bases", {"start": link}) for index, link in enumerate(links))
    rules = Rules(tier, KNOWN)
    found = attempt(*_reads(511))
    search = Search(RunPlan(steps, rules), observe(found.rounds, (), rules)[0][:MAX_CALLS], rules)
    search.run()
    assert search.work <= MAX_WORK * 1.1
    assert len(verdict_of(case(*steps), found, tier).judgements) == 511


def test_a_call_beyond_the_limit_stands_for_no_step() -> None:
    judged = case(step("read", "get_bases", {"start": 3}))
    wrong, right = call("get_bases", {"start": 4}), call("get_bases", {"start": 3})
    assert verdict_of(judged, attempt(*[wrong] * (MAX_CALLS - 1), right)).passed
    assert not verdict_of(judged, attempt(*[wrong] * MAX_CALLS, right)).passed


def test_of_many_filled_in_fields_three_hundred_are_looked_at() -> None:
    judged = dutch("Vraag een lening aan.", decision="ask", missing=("hoofdsom",))
    parts = [{"hoofdsom": index} for index in range(1_000)]
    verdict = verdict_of(judged, attempt(call("aanvraag", {"dossier_id": "DOS-12345", "delen": parts})), STRICT)
    assert len(verdict.faults) == 200


# --- the order of keys ----------------------------------------------------------------------------------------------


def _mixed(value: Any, rng: random.Random) -> Any:
    """The same content, every object's keys in another order."""
    if isinstance(value, list):
        return [_mixed(item, rng) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    rng.shuffle(keys)
    return {key: _mixed(value[key], rng) for key in keys}


def _with(found: Attempt, change: Any) -> Attempt:
    """The attempt with the arguments and results of every readable call changed."""

    def changed(one: Call) -> Call:
        if one.arguments is None:
            return one
        arguments = change(one.arguments)
        result = replace(one.result, content=_mixed(one.result.content, random.Random(1)))
        return replace(one, arguments=arguments, raw_arguments=json.dumps(arguments), result=result)

    return replace(found, rounds=tuple(replace(turn, calls=tuple(map(changed, turn.calls))) for turn in found.rounds))


def _told(judged: Case, found: Attempt, tier: Tier) -> Verdict:
    """The verdict without its sentences, which quote values as the model wrote them."""
    verdict = verdict_of(judged, found, tier)
    return replace(verdict, faults=tuple(replace(fault, sentence="") for fault in verdict.faults))


MANY = {f"k{index}": index for index in range(400)}


@pytest.mark.parametrize(
    ("judged", "tool", "arguments"),
    [
        pytest.param(
            case(step("one", "probe", {"value": 1})), "probe", {"value": MANY}, id="a-wrong-value-that-is-cut"
        ),
        pytest.param(case(step("one", "probe", {"value": {}})), "probe", {"value": MANY}, id="extra-keys-below"),
        pytest.param(case(step("one", "probe", {"value": 1})), "probe", {"value": 1, **MANY}, id="unknown-keys"),
        pytest.param(dutch("…", decision="ask", missing=("k0", "k399")), "aanvraag", MANY, id="filled-in-fields"),
    ],
)
def test_which_of_many_keys_a_verdict_keeps_does_not_depend_on_their_order(
    judged: Case, tool: str, arguments: dict[str, Any]
) -> None:
    first = seen(made(tool, arguments))
    second = _with(first, lambda found: {key: _mixed(found[key], random.Random(5)) for key in reversed(found)})
    assert _told(judged, first, STRICT) == _told(judged, second, STRICT)


ASKED = [
    Situation(
        "dummies", dutch("Dossier DOS-1234S.", decision="ask", missing=("hoofdsom",)), attempt(call("aanvraag", DUMMY))
    )
]
_SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["van der", "DOS-12345", "plus", "a"])
_KEYS = st.sampled_from(["kind", "x", "w", "first", "last", "hoofdsom", "soort", "naam", "vorm"]) | st.text(max_size=3)
_HOSTILE = st.dictionaries(
    _KEYS | st.sampled_from(["form", "owner", "filters", "klant", "delen", "value", "at", "skip", "most"]),
    st.recursive(
        _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5), max_leaves=12
    ),
    max_size=6,
)


@given(
    st.sampled_from([*ROWS, *ASKED]),
    _HOSTILE,
    st.sampled_from([0, 0, 0, 25, 130, 400]),
    st.integers(0, 999),
    st.sampled_from(TIERS),
)
@settings(max_examples=400, deadline=None)
def test_the_same_content_in_another_order_of_keys_gets_the_same_verdict(
    row: Situation, hostile: dict[str, Any], many: int, seed: int, tier: Tier
) -> None:
    rng = random.Random(seed)
    noise = {**{f"k{index}": index for index in range(many)}, **hostile}
    first = _with(row.attempt, lambda arguments: {**arguments, **noise})
    second = _with(first, lambda arguments: _mixed(arguments, rng))
    assert _told(row.case, first, tier) == _told(row.case, second, tier)
