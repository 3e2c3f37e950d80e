"""The gate: one package against thresholds and a baseline. Pass, fail, or cannot tell; nothing in between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Frame, Scored, verdict_frame
from fcbench.aggregate.gate import (
    SHARES,
    Figure,
    Standing,
    case_ids,
    claimed,
    completion,
    failing_cases,
    fall,
    latency,
    passes,
    segment_of,
    segment_values,
    share,
)
from fcbench.aggregate.verdict_changes import failure_sentence
from fcbench.aggregate.verdict_files import read_verdicts, verdict_records
from fcbench.core.boards import BoardKey, RunKey
from fcbench.core.names import TIERS_OF_HARNESS, CaseId, JsonObject, Tier
from fcbench.core.records import Record
from fcbench.engine.prices import read_prices
from fcbench.errors import MixedBoardsError, UsageError
from fcbench.packages.integrity import refuse_altered
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.workflows.boards import scored
from fcbench.workflows.gate_rules import GateRegression, GateRequest, GateRule, Share, find_segment
from fcbench.workflows.spent import Spending, currency_of, spending

EXIT: dict[Standing, int] = {"pass": 0, "fail": 1, "cannot tell": 2}
_COMPARED: tuple[Share, ...] = ("strict", "restraint")


class RuleResult(Record, frozen=True, kw_only=True):
    """What became of one rule."""

    name: str
    """Such as `schema-conformance level:L3 >= 0.99, claimed`."""
    standing: Standing
    sentence: str
    """The figures and what follows from them."""
    facts: JsonObject
    """The same figures for programs."""


class FailingCase(Record, frozen=True, kw_only=True):
    """A case that fails in at least one repeat."""

    task_id: CaseId
    passed: int
    judged: int
    reason: str
    """Of the first failing repeat; it may quote a model."""


class GateReport(Record, frozen=True, kw_only=True):
    """A whole gate."""

    package: str
    run_id: str
    model: str
    board: BoardKey
    baseline: str | None
    standing: Standing
    rules: tuple[RuleResult, ...]
    failing: tuple[FailingCase, ...]
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 cannot tell."""
        return EXIT[self.standing]


def gate(folder: Path, request: GateRequest) -> GateReport:
    """Hold a package to its rules.

    Args:
        folder: a sealed package, or a folder with exactly one below it.
        request: the rules.

    Raises:
        UsageError: no rule, a segment that is not there, a tier that the harness does not support, several packages.
        NotFoundError: there is no package.
        PackageError: one does not open, or its evidence was altered.
        MixedBoardsError: the baseline belongs to another board; the message names the parts that differ.
    """
    if not (request.rules or request.baseline):
        raise UsageError(
            "a gate without a rule lets everything through",
            wanted="a threshold, or a baseline",
            found="neither",
            next_step="give --min strict=0.9, --baseline PACKAGE, or --config FILE",
        )
    package = _only_package(folder)
    tier = _tier(package, request.tier)
    one = scored([package])[0]
    key, frame = _board(one, tier)
    results = [_held(rule, package, frame, request) for rule in request.rules]
    base = None
    if request.baseline:
        base = _only_package(request.baseline)
        results += _regressions(frame, _same_board(package, base, tier), request)
    standings = {result.standing for result in results}
    overall: Standing = "fail" if "fail" in standings else "cannot tell" if "cannot tell" in standings else "pass"
    return GateReport(
        package=str(package.folder),
        run_id=package.header.run_id,
        model=package.header.provider.model,
        board=key,
        baseline=str(base.folder) if base else None,
        standing=overall,
        rules=tuple(results),
        failing=tuple(_failing(one, frame, tier)),
        notes=tuple(_notes(package, base)),
    )


def _only_package(folder: Path) -> Package:
    found = [folder] if (folder / "manifest.json").is_file() else find_packages(folder)
    if len(found) > 1:
        raise UsageError(
            "a gate is for one package",
            wanted="one package, or a folder with one below it",
            found=f"{len(found)} packages",
            where=str(folder),
            next_step=f"name one of them, such as {found[-1]}",
        )
    return refuse_altered(open_package(found[0] if found else folder))


def _tier(package: Package, asked: Tier | None) -> Tier:
    possible = TIERS_OF_HARNESS[package.header.key.harness]
    if asked is not None and asked not in possible:
        raise UsageError(
            "this harness does not support the tier", wanted=", ".join(possible), found=asked, where="--tier"
        )
    return asked or possible[0]


def _board(one: Scored, tier: Tier) -> tuple[BoardKey, Frame]:
    for key, frame in boards(verdict_frame([one])).items():
        if key.tier == tier:
            return key, frame
    raise UsageError("no case of this package can be judged at the tier", found=tier, where=str(one.package.folder))


def _segment(frame: Frame, name: str | None) -> tuple[str, Frame]:
    if name is None:
        return "", frame
    kind, value = find_segment(name, segment_values(frame))
    return f" {kind}:{value}", segment_of(frame, kind, value)


def _held(rule: GateRule, package: Package, frame: Frame, request: GateRequest) -> RuleResult:
    said, rows = _segment(frame, rule.segment)
    if rule.claim and rule.min is not None:
        return _claimed(rule, said, rows)
    if rule.measure in SHARES:
        return _least(rule, said, share(rows, rule.measure))
    if rule.measure == "completion":
        return _least(rule, said, completion(rows))
    if rule.measure in ("latency-p50", "latency-p95"):
        return _most(rule, said, latency(rows, rule.measure), "s")
    prices = read_prices(request.prices) if request.prices else None
    spent = spending(package, case_ids(rows), prices)
    unit = "tokens" if rule.measure == "tokens" else currency_of(spent.price, prices)
    return _most(rule, said, _spent_figure(rule, spent, rows), unit)


def _claimed(rule: GateRule, segment: str, rows: Frame) -> RuleResult:
    assert rule.min is not None
    found = claimed(rows, rule.measure, rule.min)
    sentence = f"{found.failed} of {found.cases} cases failed; {_percent(found.claim)} can be claimed (exact, 95 %)"
    if found.open:
        sentence += f"; {found.open} cases are open"
    if found.standing == "cannot tell":
        sentence += f"; {found.more_cases} more cases without a failure are needed"
    return RuleResult(
        name=f"{rule.measure}{segment} >= {rule.min:g}, claimed",
        standing=found.standing,
        sentence=sentence,
        facts={
            "measure": rule.measure,
            "min": rule.min,
            "claim": found.claim,
            "cases": found.cases,
            "failed": found.failed,
            "open": found.open,
            "more_cases": found.more_cases,
        },
    )


def _least(rule: GateRule, segment: str, figure: Figure) -> RuleResult:
    assert rule.min is not None
    standing: Standing = "cannot tell"
    if figure.least is not None and figure.most is not None:
        # The mean of shares may miss the threshold by the last bit where both are equal on paper.
        standing = "pass" if figure.least >= rule.min - 1e-12 else "fail" if figure.most < rule.min else "cannot tell"
    sentence = f"{_percent(figure.value)} over {figure.cases} cases"
    if figure.least != figure.most:
        sentence += f"; between {_percent(figure.least)} and {_percent(figure.most)} with the missing attempts"
    return RuleResult(
        name=f"{rule.measure}{segment} >= {rule.min:g}",
        standing=standing,
        sentence=sentence if figure.cases else "no case to measure it on",
        facts={"measure": rule.measure, "min": rule.min, **_figure_facts(figure)},
    )


def _most(rule: GateRule, segment: str, figure: Figure, unit: str) -> RuleResult:
    assert rule.max is not None
    standing: Standing = "cannot tell"
    if figure.least is not None and figure.least > rule.max:
        standing = "fail"
    elif figure.most is not None and figure.most <= rule.max:
        standing = "pass"
    value = figure.value if figure.value is not None else figure.least
    said = f"the {rule.measure} is unknown" if value is None else f"{value:,.6g}{' ' + unit if unit else ''}"
    if value is not None and figure.most is None:
        said += " of what is known; the rest is unknown"
    return RuleResult(
        name=f"{rule.measure}{segment} <= {rule.max:g}{' ' + unit if unit else ''}",
        standing=standing,
        sentence=said,
        facts={"measure": rule.measure, "max": rule.max, "unit": unit, **_figure_facts(figure)},
    )


def _figure_facts(figure: Figure) -> JsonObject:
    return {"value": figure.value, "least": figure.least, "most": figure.most, "cases": figure.cases}


def _spent_figure(rule: GateRule, spent: Spending, rows: Frame) -> Figure:
    cases = len(case_ids(rows))
    known = float(spent.tokens) if rule.measure == "tokens" else spent.cost_of_known
    if rule.measure == "cost-per-success":
        won, missing = passes(rows)
        known = known / won if known is not None and won and not missing else None
    whole = known if not spent.uncounted else None
    return Figure(whole, known, whole, cases)


def _regressions(frame: Frame, theirs: Frame, request: GateRequest) -> Iterator[RuleResult]:
    every = tuple(GateRegression(measure=measure, margin=request.margin) for measure in _COMPARED)
    rules = request.regression or tuple(rule for rule in every if share(frame, rule.measure).cases)
    for rule in rules:
        said, ours = _segment(frame, rule.segment)
        before = _segment(theirs, rule.segment)[1]
        found = fall(ours, before, rule.measure, rule.margin)
        difference = "no case in both" if found.difference is None else f"{100 * found.difference:+.1f} points"
        sentence = f"{difference} over {found.cases} cases"
        if found.low is not None and found.high is not None and found.p is not None:
            sentence += f", between {100 * found.low:+.1f} and {100 * found.high:+.1f} (exact, 95 %), p = {found.p:.3g}"
        if found.standing == "cannot tell":
            more = f"about {found.more_cases} more cases like these are needed" if found.more_cases else ""
            sentence += f"; {more}" if more else "; more cases like these would not rule the fall out"
        yield RuleResult(
            name=f"{rule.measure}{said} no more than {100 * rule.margin:g} points below the baseline",
            standing=found.standing,
            sentence=sentence,
            facts={
                "measure": rule.measure,
                "margin": rule.margin,
                "cases": found.cases,
                "difference": found.difference,
                "low": found.low,
                "high": found.high,
                "p": found.p,
                "more_cases": found.more_cases,
            },
        )


def _same_board(package: Package, base: Package, tier: Tier) -> Frame:
    ours, theirs = package.header.key, base.header.key
    parts = [
        f"{name} {_short(getattr(ours, name))} and {_short(getattr(theirs, name))}"
        for name in RunKey.__struct_fields__
        if getattr(ours, name) != getattr(theirs, name)
    ]
    if package.header.oracle_hash != base.header.oracle_hash:
        parts.append(f"oracle_hash {_short(package.header.oracle_hash)} and {_short(base.header.oracle_hash)}")
    if parts:
        raise MixedBoardsError(
            "the baseline belongs to another board",
            wanted="a baseline of the same board",
            found="; ".join(parts),
            where=str(base.folder),
            next_step="make a baseline in which these parts are the same",
        )
    if package.manifest.run_id == base.manifest.run_id:
        raise UsageError(
            "a package is no baseline of itself",
            wanted="another run",
            found=base.manifest.run_id,
            where=str(base.folder),
        )
    return _board(scored([base])[0], tier)[1]


def _short(value: object) -> str:
    return str(value)[:60] if len(str(value)) != 64 else str(value)[:12]


def _failing(one: Scored, frame: Frame, tier: Tier) -> Iterator[FailingCase]:
    wanted = set(failing_cases(frame))
    if not wanted:
        return
    _, verdicts = read_verdicts(one.verdicts)
    kept: dict[CaseId, tuple[int, int, str]] = {}
    for verdict in verdict_records(verdicts):
        if verdict.tier != tier or verdict.task_id not in wanted or verdict.repeat > one.package.manifest.repeats_done:
            continue
        passed, judged, reason = kept.get(verdict.task_id, (0, 0, ""))
        if not verdict.passed and not reason:
            broken = next((condition for condition in verdict.conditions if not condition.passed), None)
            reason = failure_sentence(broken, verdict.faults)
        kept[verdict.task_id] = (passed + verdict.passed, judged + 1, reason)
    for case in failing_cases(frame):
        passed, judged, reason = kept[case]
        yield FailingCase(task_id=case, passed=passed, judged=judged, reason=reason)


def _notes(package: Package, base: Package | None) -> Iterator[str]:
    for name, one in (("the package", package), ("the baseline", base)):
        if one is None:
            continue
        if not one.manifest.complete:
            yield f"{name} was sealed incomplete: a pass holds with its missing attempts at their worst"
        if one.header.purpose != "board":
            yield f"{name} was run with the purpose {one.header.purpose} and is never ranked"
        if one.header.provider.control:
            yield f"{name} is a control"
    differing = package.header.differences(base.header) if base else ()
    if differing:
        yield f"package and baseline differ in attributes that are no part of the board: {', '.join(differing)}"


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"
