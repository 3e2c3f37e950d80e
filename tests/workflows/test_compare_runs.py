"""Two runs weighed: difference, test, segments, money and the answer, from hand-made packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from statsmodels.stats.contingency_tables import mcnemar

from fcbench.aggregate.holm import holm
from fcbench.aggregate.paired import CasePair, interval, paired_sums
from fcbench.aggregate.power import detectable
from fcbench.engine.prices import example_prices
from fcbench.errors import MixedBoardsError, UsageError
from fcbench.workflows.compare_runs import CompareRequest, axes_named, compare_runs
from tests.site.sample_packages import make_package, mortgage_case, no_call, passing, wrong_tool

LEVELS = ("L2", "L3", "L4")


def case(number, **labels):
    made = mortgage_case(number, decision="no_call" if labels.pop("restraint", False) else "call")
    return replace(made, oracle=replace(made.oracle, labels=replace(made.oracle.labels, **labels)))


def attempt(one, repeat, *, right):
    if one.oracle.decision == "call":
        return passing(one, repeat) if right else wrong_tool(one, repeat)
    return no_call(one, repeat) if right else wrong_tool(one, repeat)


def package(runs, name, cases, marks, *, provider=None, **more):
    """A run over cases: for each a string of + and -, one mark a repeat."""
    repeats = len(marks[0])
    judged = [
        attempt(one, repeat, right=mark == "+")
        for one, each in zip(cases, marks, strict=True)
        for repeat, mark in enumerate(each, start=1)
    ]
    changes = {"provider": provider} if provider else None
    return make_package(runs, name, f"model {name}", cases, judged, repeats=repeats, header_changes=changes, **more)


def compared(runs, cases, a, b, **asked):
    first, second = package(runs, "a", cases, a), package(runs, "b", cases, b)
    return compare_runs(first.folder, second.folder, CompareRequest(**asked))


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs over sixty call cases: 30 whole, 24 of them kept and 6 lost, 2 gained."""
    root = tmp_path_factory.mktemp("sixty")
    cases = [case(number, level=LEVELS[number % 3], category="even" if number % 2 else "odd") for number in range(60)]
    package(root, "a", cases, ["+"] * 30 + ["-"] * 30)
    package(root, "b", cases, ["-"] * 6 + ["+"] * 26 + ["-"] * 28)
    package(root, "steered", cases, ["+"] * 60, mode="oracle-assisted")
    return next(root.iterdir())


def test_the_difference_has_its_test_its_interval_and_what_the_cases_can_show(sixty):
    found = compare_runs(sixty / "a", sixty / "b", CompareRequest())
    strict = found.strict
    assert found.tier == "native-function-contract"
    assert found.other_tiers == ("task-completion-contract",)
    assert (strict.cases, strict.a, strict.b) == (60, 0.5, pytest.approx(26 / 60))
    assert (strict.lost, strict.gained, strict.test) == (6, 2, "mcnemar")
    assert strict.p == pytest.approx(mcnemar([[0, 6], [2, 0]], exact=True).pvalue)
    sums = paired_sums([CasePair(a=1, b=0)] * 6 + [CasePair(a=0, b=1)] * 2 + [CasePair(a=1, b=1)] * 52)
    assert (strict.low, strict.high) == pytest.approx(interval(sums))
    assert found.bootstrap[0] < strict.difference < found.bootstrap[1]
    assert found.detectable == pytest.approx(detectable(60, 8 / 60))
    assert found.restraint is found.good_enough is found.restraint_good_enough is None
    assert (len(found.lost), len(found.gained), found.left_out) == (6, 2, ())


def test_segments_of_each_axis_have_their_own_holm(sixty):
    found = compare_runs(sixty / "a", sixty / "b", CompareRequest())
    by_axis = {
        axis: [one for one in found.segments if one.axis == axis] for axis in ("category", "level", "mix", "trap")
    }
    assert [one.segment for one in by_axis["category"]] == ["even", "odd"]
    assert [one.segment for one in by_axis["level"]] == list(LEVELS)
    # All cases bear one mix and one trap: such a table would say the same once more.
    assert by_axis["mix"] == by_axis["trap"] == []
    for segments in by_axis.values():
        assert [one.p_holm for one in segments] == holm([one.difference.p for one in segments])
        assert sum(one.difference.lost for one in segments) in (0, 6)
    assert compare_runs(sixty / "a", sixty / "b", CompareRequest(axes=axes_named("none"))).segments == ()
    only = compare_runs(sixty / "a", sixty / "b", CompareRequest(axes=axes_named("level")))
    assert {one.axis for one in only.segments} == {"level"}


def test_a_case_with_two_traps_counts_in_both(tmp_path):
    cases = [case(1, traps=("x", "y", "x")), case(2, traps=("y",)), case(3, traps=())]
    found = compared(tmp_path, cases, ["+", "+", "+"], ["-", "+", "+"])
    shown = {one.segment: (one.difference.cases, one.difference.lost) for one in found.segments if one.axis == "trap"}
    assert shown == {"(none)": (1, 0), "x": (1, 1), "y": (2, 1)}


def test_with_repeats_it_is_the_sign_flip_test_over_shares(tmp_path):
    cases = [case(number) for number in range(4)]
    found = compared(tmp_path, cases, ["+++", "++-", "---", "+++"], ["+--", "+--", "---", "+++"])
    # Differences -2/3 and -1/3: all four choices of signs are 1/3 or 1 away; two of them as far as -1.
    assert (found.strict.test, found.strict.p) == ("sign-flip", 0.5)
    assert found.strict.difference == pytest.approx(-1 / 4)
    assert (found.strict.lost, found.strict.gained) == (2, 0)


def test_repeats_that_agree_over_the_cases_tell_as_much_as_single_ones_at_most(tmp_path):
    cases = [case(number) for number in range(12)]
    found = compared(tmp_path, cases, ["+++"] * 12, ["++-"] * 12)
    assert 12 < found.strict.effective <= 36


@pytest.mark.parametrize("label", ["family", "pair"])
def test_cases_of_one_family_are_flipped_together(tmp_path, label):
    apart = [case(number) for number in range(6)]
    together = [case(number, **{label: f"f{number // 3}"}) for number in range(6)]
    alone = compared(tmp_path / "alone", apart, ["+"] * 6, ["-"] * 6)
    families = compared(tmp_path / "families", together, ["+"] * 6, ["-"] * 6)
    assert (alone.strict.test, alone.strict.p) == ("mcnemar", pytest.approx(2 / 2**6))
    assert (families.strict.test, families.strict.p) == ("sign-flip", pytest.approx(2 / 2**2))
    assert families.strict.high > alone.strict.high
    assert families.strict.effective < 3 < alone.strict.effective


def test_restraint_stands_apart_and_has_an_answer_of_its_own(tmp_path):
    cases = [*(case(number) for number in range(60)), *(case(number, restraint=True) for number in range(60, 66))]
    found = compared(tmp_path, cases, ["+"] * 66, ["+"] * 60 + ["-"] * 6, margin=0.05)
    assert (found.strict.cases, found.restraint.cases, found.restraint.difference) == (60, 6, -1.0)
    assert (found.good_enough.answer, found.restraint_good_enough.answer) == ("yes", "no")
    assert len(found.lost) == 6


def test_tokens_and_money_are_those_of_the_call_cases_and_unknown_is_not_nought(tmp_path):
    cases = [*(case(number) for number in range(4)), case(9, restraint=True)]
    plain = package(tmp_path, "a", cases, ["+", "+", "-", "-", "+"])
    priced = replace(plain.header.provider, provider="example", model="cheap")
    b = package(tmp_path, "b", cases, ["+", "-", "-", "-", "+"], provider=priced)
    found = compare_runs(plain.folder, b.folder, CompareRequest())
    price = example_prices().price_of("example:cheap")
    used = sum(1 for attempt in b.attempts() if attempt.task_id != cases[-1].id for _ in attempt.rounds)
    tokens, cost = used * (812 + 96), used * (812 * price.input + 96 * price.output) / 1e6
    assert (found.money_b.passed, found.money_b.tokens) == (1, tokens)
    assert found.money_b.cost == pytest.approx(cost)
    assert (found.money_b.per_success, found.money_b.currency) == (pytest.approx(cost), "XTS")
    assert (found.money_a.passed, found.money_a.cost, found.money_a.per_success) == (2, None, None)
    assert found.money_a.tokens_per_success == pytest.approx(found.money_a.tokens / 2)


def test_no_success_has_no_price(tmp_path):
    cases = [case(1), case(2)]
    found = compared(tmp_path, cases, ["+", "+"], ["-", "-"])
    assert (found.money_b.passed, found.money_b.tokens_per_success) == (0, None)


def test_a_case_without_a_verdict_is_left_out_by_name(tmp_path):
    cases = [case(1), case(2), case(3)]
    a = package(tmp_path, "a", cases, ["+", "+", "+"])
    b = make_package(tmp_path, "b", "b", cases, [passing(cases[0], 1), no_call(cases[1], 1)])
    found = compare_runs(a.folder, b.folder, CompareRequest())
    assert found.left_out == (cases[2].id,)
    assert found.strict.cases == 2


def test_another_mode_is_refused_and_no_axis_is_offered(sixty):
    with pytest.raises(MixedBoardsError) as refused:
        compare_runs(sixty / "a", sixty / "steered", CompareRequest())
    assert refused.value.found == "harness_mode production-parity and oracle-assisted"
    assert "no command compares over them" in str(refused.value.next_step)


def test_another_retrieval_is_refused_and_the_contrast_is_named(tmp_path):
    cases = [case(1)]
    a = package(tmp_path, "a", cases, ["+"])
    key = replace(a.header.key, retrieval="all")
    b = make_package(tmp_path, "b", "b", cases, [passing(cases[0], 1)], header_changes={"key": key})
    with pytest.raises(MixedBoardsError) as refused:
        compare_runs(a.folder, b.folder, CompareRequest())
    assert "fcbench contrast --axis retrieval" in str(refused.value.next_step)


def test_a_tier_that_is_not_there_is_refused_with_those_that_are(sixty):
    other = compare_runs(sixty / "a", sixty / "b", CompareRequest(tier="task-completion-contract"))
    assert other.tier == "task-completion-contract"
    with pytest.raises(UsageError) as refused:
        compare_runs(sixty / "a", sixty / "b", CompareRequest(tier="real-tool-execution"))
    assert refused.value.wanted == "native-function-contract, task-completion-contract"
