"""Intervals that know repeats and families: against statsmodels, against Wilson, and against a known truth."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from fcbench.aggregate.bootstrap import bootstrap, with_bootstrap
from fcbench.aggregate.cluster import NOTES, cluster_sums, with_interval
from fcbench.aggregate.frames import FRAME_SCHEMA
from fcbench.aggregate.intervals import ClusterSums, cluster_robust, design_effect, wilson
from fcbench.aggregate.metrics import case_rates, per_case
from fcbench.aggregate.pairwise import call_shares
from fcbench.aggregate.tables import board_table, segment_table
from tests.aggregate.test_tables import BASE

BASE_KIND = FRAME_SCHEMA["run_id"]
FAMILIES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=25)
"""Families of cases, each with its passing repeats of three."""


def sums_of(families, repeats=3):
    """The sums as a reader would make them: family by family."""
    shares = [[passes / repeats for passes in family] for family in families]
    return ClusterSums(
        total=sum(map(sum, shares)),
        cases=sum(map(len, shares)),
        clusters=len(shares),
        attempts=repeats * sum(map(len, shares)),
        squares=sum(sum(family) ** 2 for family in shares),
        products=sum(sum(family) * len(family) for family in shares),
        sizes=sum(len(family) ** 2 for family in shares),
    )


def frame_of(families, repeats=3, *, named=True):
    """The rows of one run over the same families."""
    rows = [
        {**BASE, "task_id": f"t-{number}-{place}", "repeat": repeat, "repeats": repeats, "passed": repeat <= passes}
        | ({"family": f"f-{number}"} if named else {})
        for number, family in enumerate(families)
        for place, passes in enumerate(family)
        for repeat in range(1, repeats + 1)
    ]
    return pl.DataFrame(rows, schema=FRAME_SCHEMA, orient="row")


@given(FAMILIES)
@settings(deadline=None, max_examples=60)
def test_the_design_effect_is_statsmodels_cluster_variance_over_that_of_independent_cases(families):
    """With two passing and two failing clusters added, which here are families of the average size."""
    sums = sums_of(families)
    size = sums.cases / sums.clusters
    values = [passes / 3 for family in families for passes in family] + [1.0, 1.0, 0.0, 0.0]
    # A cluster that counts as `size` cases is one value with that weight.
    weights = [1.0] * sums.cases + [size] * 4
    groups = [number for number, family in enumerate(families) for _ in family] + [-1, -2, -3, -4]
    codes = np.unique(groups, return_inverse=True)[1]
    fit = sm.WLS(values, np.ones(len(values)), weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    mean, n = fit.params[0], sum(weights)
    assert design_effect(sums) == pytest.approx(fit.bse[0] ** 2 * n / (mean * (1 - mean)), rel=1e-9)


@given(FAMILIES, st.booleans())
@settings(deadline=None, max_examples=40)
def test_a_table_makes_its_sums_of_families_and_of_cases_alike(families, named):
    frame = frame_of(families, named=named)
    cases = per_case(frame, ["run_id"])
    table = case_rates(cases, ["run_id"], ["strict"]).join(cluster_sums(cases, ["run_id"], ["strict"]), on="run_id")
    row = with_interval(table, "strict").row(0, named=True)
    wanted = sums_of(families if named else [[passes] for family in families for passes in family])
    for name in ("clusters", "attempts", "squares", "products", "sizes"):
        assert row[f"strict_{name}"] == pytest.approx(getattr(wanted, name)), name
    assert (row["strict_low"], row["strict_high"]) == pytest.approx(cluster_robust(wanted))
    assert row["strict_note"] == NOTES["families" if wanted.clusters < wanted.cases else "repeats"]


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None, max_examples=60)
def test_independent_cases_with_one_repeat_have_wilsons_interval_as_in_statsmodels(counts):
    passed, n = counts
    sums = sums_of([[1]] * passed + [[0]] * (n - passed), repeats=1)
    assert sums.independent
    assert cluster_robust(sums) == wilson(passed, n)
    assert cluster_robust(sums) == pytest.approx(proportion_confint(passed, n, method="wilson"), abs=1e-9)
    assert design_effect(sums) == pytest.approx(1)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
@settings(deadline=None, max_examples=40)
def test_repeats_that_only_repeat_themselves_tell_nothing_new(passed):
    once, thrice = sums_of([[int(one)] for one in passed], 1), sums_of([[3 * int(one)] for one in passed], 3)
    assert cluster_robust(thrice) == pytest.approx(cluster_robust(once), abs=1e-9)


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(2, 5))
@settings(deadline=None, max_examples=40)
def test_cases_that_only_repeat_their_family_tell_nothing_new(passed, size):
    whole = sums_of([[int(one)] * size for one in passed], 1)
    assert cluster_robust(whole) == pytest.approx(wilson(sum(passed), len(passed)), abs=1e-9)


@given(FAMILIES)
@settings(deadline=None, max_examples=80)
def test_the_interval_lies_within_0_and_1_and_holds_the_mean(families):
    sums = sums_of(families)
    low, high = cluster_robust(sums)
    assert 0 <= low <= sums.total / sums.cases + 1e-12
    assert sums.total / sums.cases - 1e-12 <= high <= 1


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40))
@settings(deadline=None, max_examples=60)
def test_a_run_that_passes_once_more_never_has_a_much_lower_end(passes):
    """The lower end of 20 whole cases must not lie far below that of 19 whole ones and one that failed once."""
    better = sorted(passes)
    better[0] = min(3, better[0] + 1)
    low, raised = (cluster_robust(sums_of([[one] for one in each]))[0] for each in (sorted(passes), better))
    assert raised > low - 0.02


def test_repeats_never_count_for_more_than_so_many_independent_attempts():
    """Ten cases that each pass twice of three times: no spread at all between them is no proof of endless evidence."""
    assert cluster_robust(sums_of([[2]] * 10)) == pytest.approx(wilson(20, 30))


def test_no_case_has_no_interval():
    sums = sums_of([])
    assert cluster_robust(sums) is None
    with pytest.raises(ValueError, match="no case"):
        design_effect(sums)


def test_the_note_says_which_interval_stands_there():
    lone = board_table(frame_of([[1], [0], [1]], 1, named=False))
    repeated = board_table(frame_of([[1], [0], [3]], 3, named=False))
    families = board_table(frame_of([[1, 1], [0]], 1))
    notes = [table["strict_note"].item() for table in (lone, repeated, families)]
    assert notes == [NOTES["once"], NOTES["repeats"], NOTES["families"]]


def test_twins_on_one_board_are_a_family_and_a_family_goes_before_a_pair():
    frame = frame_of([[1], [1], [0], [0]], 1, named=False)
    pairs = pl.Series(["p1", "p1", "p2", "p2"], dtype=FRAME_SCHEMA["pair"])
    twins = frame.with_columns(pairs.alias("pair"))
    one, other = wilson(1, 2)
    row = board_table(twins).row(0, named=True)
    assert (row["strict_low"], row["strict_high"]) == pytest.approx((one, other))
    apart = twins.with_columns(pl.Series(["p1", "a", "b", "c"], dtype=FRAME_SCHEMA["family"]).alias("family"))
    assert board_table(apart)["strict_note"].item() == NOTES["once"]


def test_a_family_is_cut_where_a_segment_cuts_it():
    frame = frame_of([[1, 1], [0, 0]], 1).with_columns(
        pl.Series(["x", "y", "x", "y"], dtype=FRAME_SCHEMA["category"]).alias("category")
    )
    table = segment_table(frame, "category")
    assert table.select("strict_low", "strict_high").rows() == [pytest.approx(wilson(1, 2))] * 2


def test_the_bootstrap_stands_beside_the_interval_of_each_run():
    one = frame_of([[3, 2], [0], [3], [1, 1, 0]])
    other = frame_of([[3], [3], [3]], named=False).with_columns(pl.lit("run-b").cast(BASE_KIND).alias("run_id"))
    both = pl.concat([one, other])
    cases = per_case(both, ["run_id"])
    table = with_bootstrap(board_table(both), call_shares(cases)).select(
        "run_id", "strict_boot_low", "strict_boot_high"
    )
    wanted = bootstrap([(5 / 3, 2), (0.0, 1), (1.0, 1), (2 / 3, 3)])
    assert table.rows() == [("run-b", 1.0, 1.0), ("run-a", *(pytest.approx(end) for end in wanted))]


def shares(rng, n, accuracy, likeness):
    """True chances of n clusters with a mean: beta, as alike within a cluster as asked (0 none, 1 wholly)."""
    if likeness == 0:
        return np.full(n, accuracy)
    if likeness == 1:
        return (rng.random(n) < accuracy).astype(float)
    spread = (1 - likeness) / likeness
    return rng.beta(accuracy * spread, (1 - accuracy) * spread, n)


def coverage(rng, draws, *, clusters, accuracy, likeness, repeats, size):
    """How often the interval holds the truth, and how often Wilson's over all cases would."""
    held = naive = 0
    for _ in range(draws):
        sizes = rng.integers(1, 2 * size, clusters) if size > 1 else np.ones(clusters, dtype=int)
        chances = shares(rng, clusters, accuracy, likeness)
        families = [rng.binomial(repeats, chance, n).tolist() for chance, n in zip(chances, sizes, strict=True)]
        sums = sums_of(families, repeats)
        for found in ("robust", "wilson"):
            low, high = cluster_robust(sums) if found == "robust" else wilson(sums.total, sums.cases)
            holds = low - 1e-12 <= accuracy <= high + 1e-12
            held += holds and found == "robust"
            naive += holds and found == "wilson"
    return held / draws, naive / draws


@pytest.mark.parametrize("likeness", [0, 0.5, 1])
@pytest.mark.parametrize(("size", "repeats"), [(1, 3), (3, 1), (3, 3)])
@pytest.mark.parametrize("accuracy", [0.5, 0.85])
def test_the_interval_holds_the_truth_about_as_often_as_promised(likeness, size, repeats, accuracy):
    draws = 300
    held, _ = coverage(
        np.random.default_rng(4), draws, clusters=60, accuracy=accuracy, likeness=likeness, repeats=repeats, size=size
    )
    assert held > 0.95 - 0.01 - 3 * math.sqrt(0.95 * 0.05 / draws)


def test_wilson_over_all_cases_of_families_would_claim_too_much():
    held, naive = coverage(np.random.default_rng(4), 300, clusters=60, accuracy=0.8, likeness=0.5, repeats=1, size=3)
    assert naive < 0.88 < held
