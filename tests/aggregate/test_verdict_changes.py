"""What differs between two sets of verdicts, and the reason of a flip."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.aggregate.verdict_changes import MAX_SENTENCE, VerdictChanges, compare_verdicts, one_sentence
from fcbench.core.verdicts import Condition, Fault, Verdict
from tests.aggregate.tiny_runs import verdict_for

PASSED = verdict_for("gs-001", passed=True)
FAILED = verdict_for("gs-001", passed=False, faults=["wrong_value", "unknown_key", "wrong_value"])


def condition(name: str, passed: bool, reason: str) -> Condition:
    return Condition(name=name, passed=passed, reason=reason)


def fault(kind: str, sentence: str) -> Fault:
    return Fault(kind=kind, sentence=sentence)  # type: ignore[arg-type]


FAILING = replace(
    FAILED,
    conditions=(
        condition("in_time", True, "In time."),
        condition("sequence", False, "Another order."),
        condition("argument_values", False, "Values differ."),
    ),
    faults=(fault("wrong_value", "Wrong value at /start: expected 1, found 2."), fault("wrong_order", "b before a.")),
)
PASSING = replace(
    PASSED,
    conditions=(
        condition("in_time", True, "In time."),
        condition("sequence", True, "The calls are the expected ones."),
        condition("argument_values", True, "Every value matches."),
    ),
)


def test_a_flip_to_passed_says_what_failed_before_and_why_it_passes_now() -> None:
    (flip,) = compare_verdicts([FAILING], [PASSING]).flips
    assert (flip.before, flip.after) == (False, True)
    assert flip.condition is not None
    assert (flip.condition.name, flip.condition.before, flip.condition.after) == ("sequence", False, True)
    assert (flip.appeared, flip.vanished) == ((), ("wrong_value", "wrong_order"))
    assert flip.reason == (
        "failed `sequence` before: Another order. Wrong value at /start: expected 1, found 2; passes now: "
        "The calls are the expected ones."
    )


def test_a_flip_to_failed_says_what_fails_now_and_what_passed_before() -> None:
    (flip,) = compare_verdicts([PASSING], [FAILING]).flips
    assert (flip.before, flip.after) == (True, False)
    assert (flip.appeared, flip.vanished) == (("wrong_value", "wrong_order"), ())
    assert flip.reason == (
        "fails `sequence` now: Another order. Wrong value at /start: expected 1, found 2; passed before: "
        "The calls are the expected ones."
    )


def test_a_fault_that_both_sides_have_is_not_the_one_quoted() -> None:
    passing = replace(PASSING, faults=(fault("wrong_value", "Also here."),))
    (flip,) = compare_verdicts([FAILING], [passing]).flips
    assert "b before a; passes now" in flip.reason


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        pytest.param(
            PASSING,
            replace(FAILING, conditions=(*PASSING.conditions, condition("brand_new", False, "Not so."))),
            "expected 1, found 2; this condition was not asked before",
            id="a new condition",
        ),
        pytest.param(
            FAILING,
            replace(PASSING, conditions=PASSING.conditions[:1]),
            "passes now: this condition is asked no more",
            id="a condition that is gone",
        ),
        pytest.param(
            replace(PASSING, passed=False),
            PASSING,
            "no condition changed: one of the two verdicts does not follow from its own conditions",
            id="a verdict against its own conditions",
        ),
        pytest.param(
            replace(PASSING, conditions=()),
            replace(FAILING, conditions=FAILING.conditions[:2], faults=()),
            "fails `sequence` now: Another order; this condition was not asked before",
            id="no condition at all, and no fault",
        ),
    ],
)
def test_reasons_where_the_conditions_do_not_match(before: Verdict, after: Verdict, said: str) -> None:
    (flip,) = compare_verdicts([before], [after]).flips
    assert said in flip.reason


@pytest.mark.parametrize(
    ("edit", "parts"),
    [
        pytest.param(lambda one: replace(one, faults=one.faults[:1]), ("faults",), id="fewer faults"),
        pytest.param(
            lambda one: replace(one, partial=replace(one.partial, score=0.1)), ("partial",), id="another partial score"
        ),
        pytest.param(
            lambda one: replace(one, dimensions=replace(one.dimensions, restraint=False)),
            ("dimensions",),
            id="another dimension",
        ),
        pytest.param(
            lambda one: replace(one, conditions=(*one.conditions, condition("x", True, "Yes."))),
            ("conditions",),
            id="another condition",
        ),
        pytest.param(
            lambda one: replace(one, passed_with_recovery=True, anomalies=(), conforming_replies=(True,)),
            ("passed_with_recovery", "conforming_replies", "anomalies"),
            id="what only tables show",
        ),
        pytest.param(lambda one: replace(one, judgements=()), ("judgements",), id="calls read in another way"),
    ],
)
def test_what_changed_without_a_flip_is_named(edit: Callable[[Verdict], Verdict], parts: tuple[str, ...]) -> None:
    found = compare_verdicts([FAILED], [edit(FAILED)])
    (changed,) = found.changed
    assert found.flips == ()
    assert changed.parts == parts


def test_a_change_names_conditions_dimensions_scores_and_fault_kinds() -> None:
    after = replace(
        FAILING,
        conditions=(condition("sequence", True, "Yes."), *FAILING.conditions[2:]),
        faults=FAILING.faults[1:],
        dimensions=replace(FAILING.dimensions, restraint=False, field_recall=0.5),
        partial=replace(FAILING.partial, score=0.75),
    )
    (changed,) = compare_verdicts([FAILING], [after]).changed
    assert changed.conditions == ("sequence", "in_time")
    assert changed.dimensions == ("restraint", "field_recall")
    assert (changed.score_before, changed.score_after) == (0.55, 0.75)
    assert (changed.appeared, changed.vanished) == ((), ("wrong_value",))


def test_other_words_and_another_evaluator_version_are_no_change() -> None:
    worded = replace(
        FAILING,
        evaluator_version=7,
        conditions=tuple(replace(one, reason="Said otherwise.") for one in FAILING.conditions),
        faults=tuple(replace(one, sentence="Said otherwise.") for one in FAILING.faults),
    )
    assert not compare_verdicts([FAILING], [worded])


def test_a_verdict_on_one_side_only_is_listed_by_key() -> None:
    others = [verdict_for("gs-002", repeat, passed=True) for repeat in (2, 1)]
    found = compare_verdicts([PASSED, *others], [PASSED])
    assert found
    assert found.only_before == (
        ("gs-002", 1, "native-function-contract"),
        ("gs-002", 2, "native-function-contract"),
    )
    assert compare_verdicts([PASSED], [PASSED, *others]).only_after == found.only_before


def test_changes_come_sorted_by_task_repeat_and_tier() -> None:
    keys = [("b", 1), ("a", 2), ("a", 1)]
    before = [verdict_for(case, repeat, passed=True) for case, repeat in keys]
    after = [verdict_for(case, repeat, passed=False) for case, repeat in keys]
    assert [(one.task_id, one.repeat) for one in compare_verdicts(before, after).flips] == sorted(keys)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3), st.booleans()), max_size=12))
def test_verdicts_differ_in_nothing_from_themselves(rows: list[tuple[str, int, bool]]) -> None:
    verdicts = [verdict_for(case, repeat, passed=passed) for case, repeat, passed in rows]
    assert compare_verdicts(verdicts, verdicts[::-1] if len({row[:2] for row in rows}) == len(rows) else verdicts) == (
        VerdictChanges()
    )


@given(st.text(max_size=4000))
def test_a_sentence_is_one_short_line_that_every_encoder_takes(text: str) -> None:
    line = one_sentence(text + "\ud800")
    assert len(line) <= MAX_SENTENCE
    assert len(line.splitlines()) <= 1
    line.encode()


def test_hostile_sentences_are_cut_in_the_reason() -> None:
    hostile = replace(FAILING, faults=(fault("wrong_value", "x\n" * 1_000_000),))
    (flip,) = compare_verdicts([hostile], [PASSING]).flips
    assert len(flip.reason) < 3 * MAX_SENTENCE
    assert "\n" not in flip.reason
