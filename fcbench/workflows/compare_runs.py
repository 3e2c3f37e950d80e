"""Two runs of one board against each other at one tier: difference, interval, test, segments, and what it costs.

`compare_packages` says case by case what changed and why; here the cases are weighed. The question behind it is mostly
whether a cheaper model is good enough (PROTOCOL 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from fcbench.aggregate.bootstrap import bootstrap
from fcbench.aggregate.cluster import FAMILIES, family_name
from fcbench.aggregate.holm import holm
from fcbench.aggregate.mcnemar import exact_mcnemar
from fcbench.aggregate.noninferiority import GoodEnough, good_enough
from fcbench.aggregate.paired import CasePair, PairedSums, interval, paired_sums
from fcbench.aggregate.power import detectable
from fcbench.aggregate.sign_flip import sign_flip
from fcbench.core.boards import RunKey
from fcbench.core.cases import Case
from fcbench.core.names import CaseId, Digest, HarnessName, Tier
from fcbench.core.records import Record
from fcbench.engine.prices import PriceList
from fcbench.errors import UsageError
from fcbench.packages.store import Package, open_package
from fcbench.workflows.compare_packages import CaseDifference, PackageComparison, Side, TierDifference, compare_packages
from fcbench.workflows.spent import currency_of, spending

Axis = Literal["category", "level", "mix", "trap", "suite"]
Test = Literal["mcnemar", "sign-flip"]
HEADLINE: dict[HarnessName, Tier] = {
    "contract": "native-function-contract",
    "workbench": "task-completion-execution",
}
"""The tier that is compared where none is named (PROTOCOL 2)."""
NO_LABEL = "(none)"


class CompareRequest(Record, frozen=True, kw_only=True):
    """What is asked."""

    tier: str | None = None
    """None: the headline tier of the harness."""
    margin: float | None = None
    """How much worse B may be, as a share; None: not asked."""
    axes: tuple[Axis, ...] = get_args(Axis)
    """Which segments are shown."""


class Difference(Record, frozen=True, kw_only=True):
    """B less A over cases judged on both sides."""

    cases: int
    a: float
    b: float
    difference: float
    low: float
    """95 %, Tango's score interval over the effective number of cases."""
    high: float
    lost: int
    """Cases that pass less often in B."""
    gained: int
    test: Test
    p: float
    """Two-sided, of this one comparison."""
    effective: float
    """Independent cases with one repeat that would tell as much."""


class SegmentDifference(Record, frozen=True, kw_only=True):
    """One segment of the call cases."""

    axis: Axis
    segment: str
    difference: Difference
    p_holm: float
    """p after Holm over the segments of this axis."""


class Money(Record, frozen=True, kw_only=True):
    """What the call cases of one side cost, all tries."""

    passed: int
    """Attempts that passed."""
    tokens: int | None
    """Read and written; None where a reply was not counted."""
    cost: float | None
    """None: the price, or the tokens of a reply, are unknown."""
    currency: str
    per_success: float | None
    """Cost of all attempts over those that passed; None where it is unknown, or none passed."""
    tokens_per_success: float | None


class RunComparison(Record, frozen=True, kw_only=True):
    """Two runs of one board at one tier."""

    a: Side
    b: Side
    run: RunKey
    oracle_hash: Digest
    evaluator_version: int
    notes: tuple[str, ...]
    tier: Tier
    other_tiers: tuple[Tier, ...]
    strict: Difference | None
    """Over call cases; None where none was judged on both sides."""
    bootstrap: tuple[float, float] | None
    """A second interval of the same difference, as a check."""
    detectable: float | None
    """The smallest difference of strict accuracy that these cases show with 80 % power, at 5 % two-sided."""
    restraint: Difference | None
    """Over the other cases."""
    segments: tuple[SegmentDifference, ...]
    good_enough: GoodEnough | None
    """Of strict accuracy; None where no margin was asked for."""
    restraint_good_enough: GoodEnough | None
    money_a: Money
    money_b: Money
    lost: tuple[CaseId, ...]
    """Cases that pass less often in B, restraint cases too."""
    gained: tuple[CaseId, ...]
    left_out: tuple[CaseId, ...]
    """Cases that were not judged on both sides."""


def compare_runs(a: Path, b: Path, asked: CompareRequest, prices: PriceList | None = None) -> RunComparison:
    """Compare two packages of one board at one tier. Verdicts are computed now, of both sides alike.

    Raises:
        NotFoundError: one folder is no package.
        PackageError: one package does not open, or its evidence was altered.
        MixedBoardsError: they belong to different boards; the message names the parts that differ.
        UsageError: the board has no such tier.
    """
    found = compare_packages(a, b)
    tier = _tier(found, asked.tier)
    left, right = open_package(a), open_package(b)
    calls, others = (_Weighed.of(tier, left.cases, call=call) for call in (True, False))
    return RunComparison(
        a=found.a,
        b=found.b,
        run=found.run,
        oracle_hash=found.oracle_hash,
        evaluator_version=found.evaluator_version,
        notes=found.notes,
        tier=tier.tier,
        other_tiers=tuple(one.tier for one in found.tiers if one.tier != tier.tier),
        strict=calls.difference(),
        bootstrap=calls.bootstrap(),
        detectable=calls.detectable(),
        restraint=others.difference(),
        segments=tuple(segment for axis in asked.axes for segment in _segments(calls, axis)),
        good_enough=calls.good_enough(asked.margin),
        restraint_good_enough=others.good_enough(asked.margin),
        money_a=_money(left, calls, sum(one.passed_a for one in calls.listed), prices),
        money_b=_money(right, calls, sum(one.passed_b for one in calls.listed), prices),
        lost=tuple(one.task_id for one in tier.cases if one.change in ("lost", "fewer")),
        gained=tuple(one.task_id for one in tier.cases if one.change in ("gained", "more")),
        left_out=(*tier.only_in_a, *tier.only_in_b, *tier.in_neither),
    )


@dataclass(frozen=True)
class _Weighed:
    """Cases of one kind that both sides judged."""

    listed: Sequence[CaseDifference]
    cases: Mapping[CaseId, Case]
    sums: PairedSums | None

    @classmethod
    def of(cls, tier: TierDifference, cases: Mapping[CaseId, Case], *, call: bool) -> _Weighed:
        return cls.over([one for one in tier.cases if (one.decision == "call") == call], cases)

    @classmethod
    def over(cls, listed: Sequence[CaseDifference], cases: Mapping[CaseId, Case]) -> _Weighed:
        return cls(listed, cases, paired_sums(_pair(one, cases[one.task_id]) for one in listed) if listed else None)

    def difference(self) -> Difference | None:
        if self.sums is None:
            return None
        n = len(self.listed)
        low, high = interval(self.sums)
        once = all((one.judged_a, one.judged_b) == (1, 1) for one in self.listed) and len(self.sums.families) == n
        lost = sum(one.change in ("lost", "fewer") for one in self.listed)
        gained = sum(one.change in ("gained", "more") for one in self.listed)
        return Difference(
            cases=n,
            a=sum(one.passed_a / one.judged_a for one in self.listed) / n,
            b=sum(one.passed_b / one.judged_b for one in self.listed) / n,
            difference=self.sums.difference,
            low=low,
            high=high,
            lost=lost,
            gained=gained,
            test="mcnemar" if once else "sign-flip",
            p=exact_mcnemar(lost, gained) if once else sign_flip(self.sums.moved),
            effective=self.sums.effective,
        )

    def bootstrap(self) -> tuple[float, float] | None:
        return bootstrap([(float(total), n) for total, n in self.sums.families]) if self.sums else None

    def detectable(self) -> float | None:
        if self.sums is None:
            return None
        square = float(sum(total * total for total in self.sums.moved)) / self.sums.cases
        repeats = max(max(one.judged_a, one.judged_b) for one in self.listed)
        return detectable(self.sums.cases, min(1.0, square), unit=repeats)

    def good_enough(self, margin: float | None) -> GoodEnough | None:
        return good_enough(self.sums, margin) if self.sums and margin is not None else None


def axes_named(by: str) -> tuple[Axis, ...]:
    """The segments that an option names: one kind, `all` or `none`."""
    return tuple(axis for axis in get_args(Axis) if by in ("all", axis))


def _tier(found: PackageComparison, asked: str | None) -> TierDifference:
    wanted = asked or HEADLINE[found.run.harness]
    for one in found.tiers:
        if one.tier == wanted:
            return one
    raise UsageError(
        "these runs have no such tier",
        wanted=", ".join(one.tier for one in found.tiers),
        found=wanted,
        where="--tier",
        next_step="leave --tier out, or choose one of these; a tier is a board of its own, and no two are compared",
    )


def _pair(one: CaseDifference, case: Case) -> CasePair:
    labels = case.oracle.labels
    return CasePair(
        a=Fraction(one.passed_a, one.judged_a),
        b=Fraction(one.passed_b, one.judged_b),
        repeats=min(one.judged_a, one.judged_b),
        family=family_name({name: getattr(labels, name) for name in FAMILIES}),
    )


def _segments(calls: _Weighed, axis: Axis) -> list[SegmentDifference]:
    """Those of one axis, in the order of their names; none where all cases are in one."""
    groups: dict[str, list[CaseDifference]] = {}
    for one in calls.listed:
        for name in _named(calls.cases[one.task_id], axis):
            groups.setdefault(name, []).append(one)
    if len(groups) < 2:
        return []
    found = {name: _Weighed.over(groups[name], calls.cases).difference() for name in sorted(groups)}
    known = {name: one for name, one in found.items() if one}
    adjusted = holm([one.p for one in known.values()])
    return [
        SegmentDifference(axis=axis, segment=name, difference=one, p_holm=p)
        for (name, one), p in zip(known.items(), adjusted, strict=True)
    ]


def _named(case: Case, axis: Axis) -> Iterable[str]:
    labels = case.oracle.labels
    if axis == "trap":
        return dict.fromkeys(labels.traps) or [NO_LABEL]
    if axis == "suite":
        return [case.suite]
    value = {"category": labels.category, "level": labels.level, "mix": labels.mix}[axis]
    return [value or NO_LABEL]


def _money(package: Package, calls: _Weighed, passed: int, prices: PriceList | None) -> Money:
    spent = spending(package, {one.task_id for one in calls.listed}, prices)
    tokens = None if spent.uncounted or not spent.requests else spent.tokens
    return Money(
        passed=passed,
        tokens=tokens,
        cost=spent.cost if tokens is not None else None,
        currency=currency_of(spent.price, prices),
        per_success=None if spent.cost is None or tokens is None or not passed else spent.cost / passed,
        tokens_per_success=None if tokens is None or not passed else tokens / passed,
    )
