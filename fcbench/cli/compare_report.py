"""What `fcbench diff` says."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.cli.change_report import change_data, change_lines, cut
from fcbench.cli.output import table
from fcbench.core.names import CaseId, JsonObject
from fcbench.core.records import to_plain
from fcbench.workflows.compare_evaluators import EvaluatorComparison
from fcbench.workflows.compare_packages import CaseDifference, PackageComparison, Rate, Side, TierDifference

_WORDS = {
    "lost": "lost (A passes, B fails)",
    "gained": "gained (A fails, B passes)",
    "fewer": "pass in fewer repeats of B",
    "more": "pass in more repeats of B",
    "same": "the same",
}
_SHOWN_IDS = 12


def package_lines(found: PackageComparison) -> Iterator[str]:
    """Two packages for a terminal."""
    yield from (_side(letter, side) for letter, side in (("A", found.a), ("B", found.b)))
    run = found.run
    yield (
        f"board: {run.collection}, {run.harness} harness, {run.harness_mode}, retrieval {run.retrieval}, decoding "
        f"{run.decoding}, registry {run.registry_hash[:12]}, oracle {found.oracle_hash[:12]}"
    )
    yield f"verdicts: of evaluator {found.evaluator_version}, computed now from the evidence of both"
    yield from (f"note: {note}" for note in found.notes)
    for tier in found.tiers:
        yield ""
        yield from _tier(tier)


def package_data(found: PackageComparison) -> JsonObject:
    """Two packages as plain JSON values."""
    return {
        "compared": "packages",
        "differs": found.differs,
        "a": to_plain(found.a),
        "b": to_plain(found.b),
        "board": {
            **to_plain(found.run),
            "oracle_hash": found.oracle_hash,
            "evaluator_version": found.evaluator_version,
        },
        "notes": list(found.notes),
        "tiers": [{**to_plain(tier), "counts": dict(tier.counts), "differs": tier.differs} for tier in found.tiers],
    }


def evaluator_lines(found: EvaluatorComparison) -> Iterator[str]:
    """Two evaluator versions for a terminal."""
    yield found.folder
    yield f"  before: {found.before}, {found.verdicts_before} verdicts"
    yield f"  after:  {found.after}, {found.verdicts_after} verdicts"
    if found.differs:
        yield f"{len(found.changes.flips)} flips"
        yield from change_lines(found.changes)
    else:
        yield "no difference"


def evaluator_data(found: EvaluatorComparison) -> JsonObject:
    """Two evaluator versions as plain JSON values."""
    return {
        "compared": "evaluators",
        "differs": found.differs,
        "folder": found.folder,
        "run_id": found.run_id,
        "before": {"verdicts_of": found.before, "verdicts": found.verdicts_before},
        "after": {"verdicts_of": found.after, "verdicts": found.verdicts_after},
        **change_data(found.changes),
    }


def _side(letter: str, side: Side) -> str:
    control = " (control)" if side.control else ""
    return f"{letter}: {cut(side.model)}{control}, {side.cases} cases x {side.repeats}, {side.folder}"


def _tier(tier: TierDifference) -> Iterator[str]:
    yield tier.tier
    if tier.strict:
        yield f"  strict accuracy: {_rate(tier.strict, 'call cases')}"
        yield f"  {_test(tier)}"
    if tier.restraint:
        yield f"  restraint accuracy: {_rate(tier.restraint, 'restraint cases')}"
    counted = [f"{count} {_WORDS[change]}" for change, count in tier.counts.items() if count]
    yield f"  cases: {', '.join(counted) or 'none is judged on both sides'}"
    for name, ids in (("only in A", tier.only_in_a), ("only in B", tier.only_in_b), ("in neither", tier.in_neither)):
        if ids:
            yield f"  judged {name}: {len(ids)} cases, {_ids(ids)}"
    rows = [_cells(one) for one in tier.cases if one.change != "same"]
    if rows:
        yield from (f"  {line}" for line in table(("case", "change", "A", "B", "reason"), rows).splitlines())


def _rate(rate: Rate, cases: str) -> str:
    return (
        f"A {100 * rate.a:.1f} %, B {100 * rate.b:.1f} %, difference {100 * rate.difference:+.1f} points over the "
        f"{rate.cases} {cases} judged on both sides"
    )


def _test(tier: TierDifference) -> str:
    if tier.mcnemar_p is None:
        if tier.sign_flip_p is None:
            return "no test: no call case was judged on both sides"
        return (
            f"sign-flip test on the shares of passing repeats: two-sided p = {tier.sign_flip_p:.3g} (of this one "
            "comparison, not corrected for others)"
        )
    lost, gained = (
        sum(one.change == change and one.decision == "call" for one in tier.cases) for change in ("lost", "gained")
    )
    return (
        f"exact McNemar test over these: {lost} lost, {gained} gained, two-sided p = {tier.mcnemar_p:.3g} (of this one "
        "comparison, not corrected for others)"
    )


def _ids(ids: tuple[CaseId, ...]) -> str:
    more = f" and {len(ids) - _SHOWN_IDS} more (all with --json)" if len(ids) > _SHOWN_IDS else ""
    return ", ".join(cut(one) for one in ids[:_SHOWN_IDS]) + more


def _cells(one: CaseDifference) -> tuple[str, ...]:
    shares = f"{one.passed_a}/{one.judged_a}", f"{one.passed_b}/{one.judged_b}"
    return cut(one.task_id), one.change, *shares, _reason(one)


def _reason(one: CaseDifference) -> str:
    why = one.reason
    if why is None:
        return ""
    place = f" in repeat {why.repeat}" if max(one.judged_a, one.judged_b) > 1 else ""
    condition = f" `{why.condition}`" if why.condition else ""
    return cut(f"{why.side} fails{condition}{place}: {why.sentence}")
