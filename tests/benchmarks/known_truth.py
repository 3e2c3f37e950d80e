"""Do the statistics keep their promises? Runs whose truth is known, drawn many times.

    python -m tests.benchmarks.known_truth [DRAWS]

Prints a Markdown table: coverage of each interval, false claims of rank intervals and Holm, size and power of the
non-inferiority test, and the power at the smallest difference that a board says it can show. 2,000 draws a line unless
said; seeds are fixed, so the same numbers come again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import polars as pl

from fcbench.aggregate.bootstrap import bootstrap
from fcbench.aggregate.intervals import ClusterSums, cluster_robust, wilson
from fcbench.aggregate.mcnemar import exact_mcnemar
from fcbench.aggregate.noninferiority import good_enough
from fcbench.aggregate.paired import CasePair, PairedSums, paired_sums, score
from fcbench.aggregate.pairwise import Passes, compare_all
from fcbench.aggregate.power import detectable
from fcbench.aggregate.ranks import rank_intervals
from fcbench.aggregate.sign_flip import sign_flip_of_steps

DRAWS = 2000
Z = NormalDist().inv_cdf(0.975)
Line = tuple[str, str, str]


@dataclass(frozen=True)
class Cases:
    """How cases come about."""

    families: int
    size: int = 1
    """Cases of a family: from 1 to twice as many less one, on average so many."""
    repeats: int = 1
    accuracy: float = 0.8
    likeness: float = 0.5
    """0: a family's chance is the mean; 1: it passes wholly or not at all."""

    def draw(self, rng: np.random.Generator) -> list[list[int]]:
        """Passing repeats, by family and case."""
        sizes = rng.integers(1, 2 * self.size, self.families) if self.size > 1 else np.ones(self.families, dtype=int)
        if self.likeness == 0:
            chances = np.full(self.families, self.accuracy)
        elif self.likeness == 1:
            chances = (rng.random(self.families) < self.accuracy).astype(float)
        else:
            spread = (1 - self.likeness) / self.likeness
            chances = rng.beta(self.accuracy * spread, (1 - self.accuracy) * spread, self.families)
        return [rng.binomial(self.repeats, one, n).tolist() for one, n in zip(chances, sizes, strict=True)]

    def sums(self, families: Sequence[Sequence[int]]) -> ClusterSums:
        """What the interval needs of them."""
        totals, sizes = [sum(one) / self.repeats for one in families], [len(one) for one in families]
        return ClusterSums(
            total=sum(totals),
            cases=sum(sizes),
            attempts=self.repeats * sum(sizes),
            clusters=len(sizes),
            squares=sum(one * one for one in totals),
            products=sum(one * n for one, n in zip(totals, sizes, strict=True)),
            sizes=float(sum(n * n for n in sizes)),
        )


def coverage(draws: int) -> Iterator[Line]:
    """Of intervals of one accuracy."""
    kinds = [
        *(("Wilson", Cases(n, accuracy=p, likeness=0)) for n in (25, 172) for p in (0.5, 0.9)),
        *(("repeats", Cases(100, repeats=3, likeness=like)) for like in (0, 0.5, 1)),
        *(("families", Cases(g, size=3, likeness=like)) for g in (20, 60) for like in (0, 0.5, 1)),
        *(("families", Cases(60, size=3, repeats=3, accuracy=p)) for p in (0.5, 0.95)),
    ]
    for name, kind in kinds:
        rng, held, naive, drawn = np.random.default_rng(1), 0, 0, 0
        for number in range(draws):
            families = kind.draw(rng)
            sums = kind.sums(families)
            held += _holds(cluster_robust(sums), kind.accuracy)
            naive += _holds(wilson(sums.total, sums.cases), kind.accuracy)
            # The bootstrap takes long: a fifth of the draws.
            if number % 5 == 0:
                by_family = [(sum(one) / kind.repeats, len(one)) for one in families]
                drawn += _holds(bootstrap(by_family, draws=400), kind.accuracy)
        found = f"{_percent(held, draws)}; Wilson over all cases {_percent(naive, draws)}"
        yield f"interval, {name}", _words(kind), f"{found}; bootstrap {_percent(drawn, len(range(0, draws, 5)))}"


def pairs(draws: int) -> Iterator[Line]:
    """Of intervals of a difference; size and power of the question whether B is good enough."""
    for cases, repeats, accuracy, alike in (
        (60, 1, 0.7, 0.8),
        (172, 1, 0.9, 0.95),
        (172, 1, 0.6, 0.0),
        (100, 3, 0.8, 0.8),
    ):
        words = f"{cases} cases x {repeats}, accuracy {accuracy}, {alike:.0%} of cases equally hard for both"
        rng = np.random.default_rng(2)

        kind = (cases, repeats, accuracy, alike)
        for difference in (0.0, -0.1):
            held = sum(abs(score(_pair(rng, kind, difference), difference)) <= Z for _ in range(draws))
            yield "interval, difference", f"{words}, true difference {difference:+.0%}", _percent(held, draws)
        for difference, what in ((-0.05, "size"), (0.0, "power")):
            answers = [good_enough(_pair(rng, kind, difference), 0.05).answer for _ in range(draws)]
            shares = ", ".join(f"{one} {_percent(answers.count(one), draws)}" for one in ("yes", "no", "cannot tell"))
            yield f"good enough, {what}", f"{words}, margin 5 %, true difference {difference:+.0%}", shares


def boards(draws: int) -> Iterator[Line]:
    """Of rank intervals and Holm's correction."""
    for runs, cases, repeats in ((6, 80, 1), (6, 80, 3), (12, 172, 1)):
        rng, wrong, single = np.random.default_rng(3), 0, 0
        for _ in range(draws // 4):
            table, p = _board(rng, [0.6] * runs, cases, repeats)
            wrong += table.filter((pl.col("rank_low") > 1) | (pl.col("rank_high") < runs)).height > 0
            single += p < 0.05
        words = f"{runs} equal runs, {cases} cases x {repeats}"
        told = f"{_percent(wrong, draws // 4)} of boards; without Holm {_percent(single, draws // 4)}"
        yield "a rank interval too narrow", words, told
    rng, missed = np.random.default_rng(4), 0
    truth = [0.9, 0.7, 0.7, 0.4]
    for _ in range(draws // 4):
        table, _ = _board(rng, truth, 172, 1)
        places = zip(table["rank_low"], table["rank_high"], [(1, 1), (2, 3), (2, 3), (4, 4)], strict=True)
        missed += any(low > best or high < worst for low, high, (best, worst) in places)
    yield (
        "a rank interval too narrow",
        "runs of 90, 70, 70 and 40 %, 172 cases",
        f"{_percent(missed, draws // 4)} of boards",
    )


def smallest(draws: int) -> Iterator[Line]:
    """Of the power at the smallest difference that a board can show."""
    for cases in (25, 60, 172, 400):
        for square in (0.1, 0.5):
            rng = np.random.default_rng(5)
            difference = detectable(cases, square)
            assert difference is not None
            apart = max(square, difference)
            chances = [(apart + difference) / 2, max(0.0, (apart - difference) / 2), max(0.0, 1 - apart)]
            drawn = rng.multinomial(cases, chances, draws)
            found = sum(exact_mcnemar(int(lost), int(gained)) < 0.05 for lost, gained, _ in drawn)
            words = f"{cases} cases once, {square:.0%} differ: {difference:.1%}"
            yield "power at the smallest difference", words, _percent(found, draws)
    rng, found, cases, repeats = np.random.default_rng(6), 0, 100, 3
    difference = detectable(cases, 0.1, unit=repeats)
    assert difference is not None
    for _ in range(draws):
        # Shares of thirds with a mean square of about 0.1 and this mean.
        moved = rng.choice([-2, -1, 0, 1, 2], cases, p=_thirds(difference, 0.1))
        sizes, counts = np.unique(np.abs(moved[moved != 0]), return_counts=True)
        steps = dict(zip(sizes.tolist(), counts.tolist(), strict=True))
        found += sign_flip_of_steps(steps, int(moved.sum())) < 0.05
    yield "power at the smallest difference", f"{cases} cases x 3: {difference:.1%}", _percent(found, draws)


def _thirds(mean: float, square: float) -> list[float]:
    """Chances of -2/3 to 2/3: as many differences of 2/3 as of 1/3, with this mean and mean square."""
    both = square / ((4 / 9 + 1 / 9) / 2) / 2
    tilt = mean / (2 / 3 + 1 / 3)
    return [(both - tilt) / 2, (both - tilt) / 2, 1 - 2 * both, (both + tilt) / 2, (both + tilt) / 2]


def _pair(rng: np.random.Generator, kind: tuple[int, int, float, float], difference: float) -> PairedSums:
    cases, repeats, accuracy, alike = kind
    first, second = rng.random(cases), rng.random(cases)
    second = np.where(rng.random(cases) < alike, first, second)
    a, b = (first < accuracy).astype(float), (second < accuracy + difference).astype(float)
    if repeats > 1:
        a = np.where(rng.random(cases) < 0.5, a, accuracy)
        b = np.where(rng.random(cases) < 0.5, b, accuracy + difference)
    drawn = zip(rng.binomial(repeats, a).tolist(), rng.binomial(repeats, b).tolist(), strict=True)
    shares = {passed: Fraction(passed, repeats) for passed in range(repeats + 1)}
    return paired_sums(CasePair(a=shares[one], b=shares[other], repeats=repeats) for one, other in drawn)


def _board(rng: np.random.Generator, truth: Sequence[float], cases: int, repeats: int) -> tuple[pl.DataFrame, float]:
    hardness, columns = rng.random(cases), {}
    for number, accuracy in enumerate(truth):
        own = np.where(rng.random(cases) < 0.8, hardness, rng.random(cases)) < accuracy
        columns[str(number)] = rng.binomial(repeats, np.where(own, 0.9, 0.1) if repeats > 1 else own.astype(float))
    names = [f"r{number}" for number in range(len(truth))]
    table = compare_all(Passes(names, pl.DataFrame(columns), [repeats] * len(truth), None))
    return rank_intervals(names, table), min(table["p"].to_list())


def _holds(ends: tuple[float, float] | None, truth: float) -> bool:
    return ends is not None and ends[0] - 1e-12 <= truth <= ends[1] + 1e-12


def _percent(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %"


def _words(kind: Cases) -> str:
    if kind.size == 1:
        cases = f"{kind.families} cases x {kind.repeats}"
    else:
        cases = f"{kind.families} families of 1 to {2 * kind.size - 1} cases x {kind.repeats}"
    like = "" if kind.size == 1 and kind.repeats == 1 else f", likeness {kind.likeness:g}"
    return f"{cases}, accuracy {kind.accuracy:g}{like}"


def main(draws: int = DRAWS) -> None:
    """Print every line as it is found."""
    parts: tuple[Callable[[int], Iterator[Line]], ...] = (coverage, pairs, boards, smallest)
    print("| what | of | found |\n|---|---|---|")
    for part in parts:
        for line in part(draws):
            print(f"| {' | '.join(line)} |", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
