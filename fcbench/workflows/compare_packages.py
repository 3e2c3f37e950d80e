"""Compare two packages of one board case by case: what one passes and the other fails, and why.

Verdicts are computed now, by this evaluator and for both sides alike, so that stored verdict files of different
evaluators never meet. Nothing is written. Packages of different boards are refused (PROTOCOL 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

from fcbench.aggregate.mcnemar import exact_mcnemar
from fcbench.aggregate.sign_flip import sign_flip
from fcbench.aggregate.verdict_changes import failure_sentence, one_sentence
from fcbench.aggregate.verdict_files import read_info, verdict_files
from fcbench.core.boards import RunKey
from fcbench.core.names import TIERS_OF_HARNESS, CaseId, Decision, Digest, Tier
from fcbench.core.records import Record
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError, MixedBoardsError, NotFoundError
from fcbench.evaluator import EVALUATOR_VERSION, applicable_tiers
from fcbench.packages.integrity import refuse_altered
from fcbench.packages.store import Package, open_package
from fcbench.workflows.score import judge_package

Letter = Literal["A", "B"]
Change = Literal["lost", "gained", "fewer", "more", "same"]
"""`lost`: A passes in every judged repeat and B in none; `gained`: the other way round; `fewer` and `more`: B passes in
a smaller or larger share of its repeats; `same`: in the same share."""
CHANGES: tuple[Change, ...] = ("lost", "gained", "fewer", "more", "same")
MAX_FAULTS = 3
"""Faults that the reason of a failure quotes."""
_Repeats = dict[CaseId, list[Verdict]]


class Side(Record, frozen=True, kw_only=True):
    """One of the two packages."""

    folder: str
    run_id: str
    model: str
    control: bool
    purpose: str
    complete: bool
    cases: int
    repeats: int
    """Repeats that every case has; only those are compared, as in the tables."""


class Failure(Record, frozen=True, kw_only=True):
    """Why one side fails a case: its first failing attempt."""

    side: Letter
    repeat: int
    condition: str | None
    """The first condition that fails."""
    sentence: str
    """That condition's reason and the first fault."""
    faults: tuple[str, ...]
    """Sentences of the first faults."""
    fault_kinds: tuple[str, ...]
    """Kinds of all its faults, each once."""


class CaseDifference(Record, frozen=True, kw_only=True):
    """One case at one tier, judged on both sides."""

    task_id: CaseId
    decision: Decision
    change: Change
    passed_a: int
    judged_a: int
    passed_b: int
    judged_b: int
    reason: Failure | None
    """Of the side that does worse; None where nothing changed."""


class Rate(Record, frozen=True, kw_only=True):
    """A share of both sides over the same cases: the mean over cases of the share of passing repeats."""

    cases: int
    a: float
    b: float
    difference: float
    """B less A."""


class TierDifference(Record, frozen=True, kw_only=True):
    """One tier."""

    tier: Tier
    cases: tuple[CaseDifference, ...]
    """In the order of the plan."""
    only_in_a: tuple[CaseId, ...]
    """Cases that only A has a verdict of."""
    only_in_b: tuple[CaseId, ...]
    in_neither: tuple[CaseId, ...]
    """Cases that this tier could judge and no side has a verdict of."""
    strict: Rate | None
    """Strict accuracy, over call cases judged on both sides; None without such a case."""
    restraint: Rate | None
    """Restraint accuracy, over the other cases judged on both sides."""
    mcnemar_p: float | None
    """Exact two-sided p over those call cases, uncorrected; None unless each was judged once on either side."""
    sign_flip_p: float | None
    """Two-sided p of the sign-flip test on per-case differences, for any repeats, uncorrected; None without a case."""

    @property
    def counts(self) -> dict[Change, int]:
        """Cases by change, all five."""
        return {change: sum(one.change == change for one in self.cases) for change in CHANGES}

    @property
    def differs(self) -> bool:
        """Whether a case passes more or less often, or has a verdict on one side only."""
        return bool(self.only_in_a or self.only_in_b) or any(one.change != "same" for one in self.cases)


class PackageComparison(Record, frozen=True, kw_only=True):
    """Two packages of one board, at each of its tiers."""

    a: Side
    b: Side
    run: RunKey
    oracle_hash: Digest
    evaluator_version: int
    notes: tuple[str, ...]
    tiers: tuple[TierDifference, ...]

    @property
    def differs(self) -> bool:
        """Whether any tier differs."""
        return any(tier.differs for tier in self.tiers)


def compare_packages(a: Path, b: Path) -> PackageComparison:
    """Compare two packages of one board.

    Raises:
        NotFoundError: one folder is no package.
        PackageError: one package does not open, or its evidence was altered.
        MixedBoardsError: they belong to different boards; the message names the parts that differ.
    """
    left, right = (refuse_altered(open_package(folder)) for folder in (a, b))
    _refuse_other_board(left, right)
    verdicts = [_by_tier(package) for package in (left, right)]
    harness = left.header.key.harness
    possible = {tier for case in left.cases.values() for tier in applicable_tiers(case, harness)}
    tiers = [tier for tier in TIERS_OF_HARNESS[harness] if tier in possible]
    return PackageComparison(
        a=_side(left),
        b=_side(right),
        run=left.header.key,
        oracle_hash=left.header.oracle_hash,
        evaluator_version=EVALUATOR_VERSION,
        notes=tuple(_notes(left, right)),
        tiers=tuple(_tier(left, tier, *(one.get(tier, {}) for one in verdicts)) for tier in tiers),
    )


def _refuse_other_board(left: Package, right: Package) -> None:
    old, new = ({**_key_parts(one), "oracle_hash": one.header.oracle_hash} for one in (left, right))
    differing = [
        f"{name} {_short(name, old[name])} and {_short(name, new[name])}" for name in old if old[name] != new[name]
    ]
    if differing:
        raise MixedBoardsError(
            "these packages belong to different boards",
            wanted="two packages of one board",
            found="; ".join(differing),
            where=f"{left.folder} and {right.folder}",
            next_step=_next_step({name for name in old if old[name] != new[name]}),
        )


def _next_step(differing: set[str]) -> str:
    side_by_side = "`fcbench tables` shows different boards side by side, without a difference or a test"
    if differing & {"harness", "harness_mode"}:
        return f"harness and mode change what is measured, so no command compares over them; {side_by_side}"
    if differing in ({"decoding"}, {"retrieval"}):
        return f"`fcbench contrast --axis {min(differing)}` sets two such boards side by side; else {side_by_side}"
    return f"compare runs whose key is the same; {side_by_side}"


def _key_parts(package: Package) -> dict[str, str]:
    return {name: str(getattr(package.header.key, name)) for name in RunKey.__struct_fields__}


def _short(name: str, value: str) -> str:
    return one_sentence(value, 13 if name.endswith("_hash") else 60)


def _side(package: Package) -> Side:
    header, manifest = package.header, package.manifest
    return Side(
        folder=str(package.folder),
        run_id=header.run_id,
        model=header.provider.model,
        control=header.provider.control,
        purpose=header.purpose,
        complete=manifest.complete,
        cases=len(header.cases),
        repeats=manifest.repeats_done,
    )


def _notes(left: Package, right: Package) -> Iterator[str]:
    for letter, package in zip("AB", (left, right), strict=True):
        stored = _stored_version(package)
        if stored is not None and stored != EVALUATOR_VERSION:
            yield (
                f"the newest verdict file of {letter} is of evaluator {stored}: both packages were judged anew with "
                f"evaluator {EVALUATOR_VERSION}, and that file was not used"
            )
        if not package.manifest.complete:
            yield f"{letter} was sealed incomplete: only what was judged on both sides is compared"
        if package.header.purpose != "board":
            yield f"{letter} was run with the purpose {package.header.purpose} and is never ranked"
    attributes = left.header.differences(right.header)
    if attributes:
        yield f"A and B differ in attributes of a row, which are no part of the board: {', '.join(attributes)}"


def _stored_version(package: Package) -> int | None:
    """The evaluator of the newest verdict file of the package's own oracle; a damaged file is passed over."""
    for path in reversed(verdict_files(package)):
        try:
            info = read_info(path)
        except (BadInputError, NotFoundError):
            continue
        if info.oracle_hash == package.header.oracle_hash:
            return info.evaluator_version
    return None


def _by_tier(package: Package) -> dict[str, _Repeats]:
    found: dict[str, _Repeats] = {}
    for verdict in judge_package(package):
        if verdict.repeat <= package.manifest.repeats_done:
            found.setdefault(verdict.tier, {}).setdefault(verdict.task_id, []).append(verdict)
    return found


def _tier(package: Package, tier: Tier, a: _Repeats, b: _Repeats) -> TierDifference:
    cases = [one for one in package.cases.values() if tier in applicable_tiers(one, package.header.key.harness)]
    both = tuple(
        _case(one.id, one.oracle.decision, a[one.id], b[one.id]) for one in cases if one.id in a and one.id in b
    )
    calls = [one for one in both if one.decision == "call"]
    return TierDifference(
        tier=tier,
        cases=both,
        only_in_a=tuple(one.id for one in cases if one.id in a and one.id not in b),
        only_in_b=tuple(one.id for one in cases if one.id in b and one.id not in a),
        in_neither=tuple(one.id for one in cases if one.id not in a and one.id not in b),
        strict=_rate(calls),
        restraint=_rate([one for one in both if one.decision != "call"]),
        mcnemar_p=_mcnemar(calls),
        sign_flip_p=sign_flip([_gain(one) for one in calls]) if calls else None,
    )


def _case(task_id: CaseId, decision: Decision, a: Sequence[Verdict], b: Sequence[Verdict]) -> CaseDifference:
    passed_a, passed_b = (sum(verdict.passed for verdict in side) for side in (a, b))
    change = _change((passed_a, len(a)), (passed_b, len(b)))
    worse: tuple[Letter, Sequence[Verdict]] = ("A", a) if change in ("gained", "more") else ("B", b)
    return CaseDifference(
        task_id=task_id,
        decision=decision,
        change=change,
        passed_a=passed_a,
        judged_a=len(a),
        passed_b=passed_b,
        judged_b=len(b),
        reason=None if change == "same" else _failure(*worse),
    )


def _change(a: tuple[int, int], b: tuple[int, int]) -> Change:
    """The change from (passed, judged) of A to that of B; shares are compared as integers, without rounding."""
    less, more = a[0] * b[1], b[0] * a[1]
    if less == more:
        return "same"
    whole = (a[0] in (0, a[1])) and (b[0] in (0, b[1]))
    if more < less:
        return "lost" if whole else "fewer"
    return "gained" if whole else "more"


def _failure(side: Letter, verdicts: Sequence[Verdict]) -> Failure:
    first = min((one for one in verdicts if not one.passed), key=lambda one: one.repeat)
    condition = next((one for one in first.conditions if not one.passed), None)
    return Failure(
        side=side,
        repeat=first.repeat,
        condition=condition.name if condition else None,
        sentence=failure_sentence(condition, first.faults),
        faults=tuple(one_sentence(fault.sentence) for fault in first.faults[:MAX_FAULTS]),
        fault_kinds=tuple(dict.fromkeys(fault.kind for fault in first.faults)),
    )


def _rate(cases: Sequence[CaseDifference]) -> Rate | None:
    if not cases:
        return None
    a = sum(one.passed_a / one.judged_a for one in cases) / len(cases)
    b = sum(one.passed_b / one.judged_b for one in cases) / len(cases)
    return Rate(cases=len(cases), a=a, b=b, difference=b - a)


def _mcnemar(calls: Sequence[CaseDifference]) -> float | None:
    if not calls or any((one.judged_a, one.judged_b) != (1, 1) for one in calls):
        return None
    return exact_mcnemar(sum(one.change == "lost" for one in calls), sum(one.change == "gained" for one in calls))


def _gain(case: CaseDifference) -> Fraction:
    """Share of passing repeats of B minus that of A."""
    return Fraction(case.passed_b, case.judged_b) - Fraction(case.passed_a, case.judged_a)
