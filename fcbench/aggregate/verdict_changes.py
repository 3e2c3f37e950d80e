"""What differs between two sets of verdicts over the same attempts, and why a verdict flipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fcbench.core.canonical import clean_text
from fcbench.core.names import CaseId
from fcbench.core.records import Record
from fcbench.core.verdicts import Condition, Fault, Verdict

VerdictKey = tuple[str, int, str]
MAX_SENTENCE = 600
"""Letters of one sentence that a reason keeps; a verdict file is foreign input and the sentence stands there whole."""
_NO_CONDITION = "no condition changed: one of the two verdicts does not follow from its own conditions"


class ConditionChange(Record, frozen=True, kw_only=True):
    """A condition that two verdicts answer differently; None on the side that does not ask it."""

    name: str
    before: bool | None
    after: bool | None
    sentence_before: str | None
    sentence_after: str | None


class Flip(Record, frozen=True, kw_only=True):
    """An attempt whose verdict is another one than before, and why."""

    task_id: CaseId
    repeat: int
    tier: str
    before: bool
    after: bool
    condition: ConditionChange | None
    """The first condition that changed in the direction of the flip; None where none did."""
    appeared: tuple[str, ...]
    """Fault kinds of which there are more than before."""
    vanished: tuple[str, ...]
    """Fault kinds of which there are fewer than before."""
    reason: str
    """One sentence for a reader."""


class Changed(Record, frozen=True, kw_only=True):
    """A verdict that did not flip and is yet another one."""

    task_id: CaseId
    repeat: int
    tier: str
    passed: bool
    parts: tuple[str, ...]
    """Fields of the verdict that differ; the words of reasons and sentences are not compared."""
    conditions: tuple[str, ...]
    """Names of conditions that differ."""
    dimensions: tuple[str, ...]
    """Names of dimensions that differ."""
    score_before: float
    """The partial score."""
    score_after: float
    appeared: tuple[str, ...]
    vanished: tuple[str, ...]


class VerdictChanges(Record, frozen=True, kw_only=True):
    """What differs between two sets of verdicts, each list sorted by task, repeat and tier."""

    flips: tuple[Flip, ...] = ()
    changed: tuple[Changed, ...] = ()
    only_before: tuple[VerdictKey, ...] = ()
    only_after: tuple[VerdictKey, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.flips or self.changed or self.only_before or self.only_after)


def verdict_key(verdict: Verdict) -> VerdictKey:
    """What is unique in a verdict file: task, repeat and tier."""
    return verdict.task_id, verdict.repeat, verdict.tier


def compare_verdicts(before: Iterable[Verdict], after: Iterable[Verdict]) -> VerdictChanges:
    """Compare two sets of verdicts by key. The evaluator version and the words of reasons do not count."""
    old = {verdict_key(one): one for one in before}
    new = {verdict_key(one): one for one in after}
    flips, changed = [], []
    for key in sorted(old.keys() & new):
        if old[key].passed != new[key].passed:
            flips.append(_flip(old[key], new[key]))
        elif one := _changed(old[key], new[key]):
            changed.append(one)
    return VerdictChanges(
        flips=tuple(flips),
        changed=tuple(changed),
        only_before=tuple(sorted(old.keys() - new)),
        only_after=tuple(sorted(new.keys() - old)),
    )


def one_sentence(text: str, limit: int = MAX_SENTENCE) -> str:
    """A text on one line, cut after `limit` letters."""
    line = " ".join(clean_text(text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _flip(before: Verdict, after: Verdict) -> Flip:
    condition = _first_changed(before, after)
    appeared, vanished = _kinds(before, after)
    return Flip(
        task_id=after.task_id,
        repeat=after.repeat,
        tier=after.tier,
        before=before.passed,
        after=after.passed,
        condition=condition,
        appeared=appeared,
        vanished=vanished,
        reason=_reason(condition, before, after),
    )


def _changed(before: Verdict, after: Verdict) -> Changed | None:
    old, new = _substance(before), _substance(after)
    parts = tuple(name for name in new if old[name] != new[name])
    if not parts:
        return None
    appeared, vanished = _kinds(before, after)
    return Changed(
        task_id=after.task_id,
        repeat=after.repeat,
        tier=after.tier,
        passed=after.passed,
        parts=parts,
        conditions=_differing(_answers(before), _answers(after)),
        dimensions=tuple(
            name
            for name in after.dimensions.__struct_fields__
            if getattr(before.dimensions, name) != getattr(after.dimensions, name)
        ),
        score_before=before.partial.score,
        score_after=after.partial.score,
        appeared=appeared,
        vanished=vanished,
    )


def _substance(verdict: Verdict) -> dict[str, object]:
    """What a verdict says by name of its field, without the words that it says it in."""
    return {
        "conditions": _answers(verdict),
        "dimensions": verdict.dimensions,
        "partial": verdict.partial,
        "faults": Counter(fault.kind for fault in verdict.faults),
        "judgements": [(one.call, one.step, one.role) for one in verdict.judgements],
        "passed_with_recovery": verdict.passed_with_recovery,
        "conforming_replies": verdict.conforming_replies,
        "expected_tools_offered": verdict.expected_tools_offered,
        "anomalies": sorted(verdict.anomalies),
    }


def _answers(verdict: Verdict) -> dict[str, bool]:
    return {condition.name: condition.passed for condition in verdict.conditions}


def _differing(before: Mapping[str, bool], after: Mapping[str, bool]) -> tuple[str, ...]:
    return tuple(name for name in {**after, **before} if before.get(name) != after.get(name))


def _kinds(before: Verdict, after: Verdict) -> tuple[tuple[str, ...], tuple[str, ...]]:
    old = Counter(fault.kind for fault in before.faults)
    new = Counter(fault.kind for fault in after.faults)
    return tuple(new - old), tuple(old - new)


def _first_changed(before: Verdict, after: Verdict) -> ConditionChange | None:
    """The first condition that fails on the failing side and does not fail on the passing one."""
    failing, passing = (before, after) if after.passed else (after, before)
    fine = {condition.name: condition for condition in passing.conditions}
    for condition in failing.conditions:
        other = fine.get(condition.name)
        if not condition.passed and (other is None or other.passed):
            old, new = (condition, other) if after.passed else (other, condition)
            return ConditionChange(
                name=condition.name,
                before=old.passed if old else None,
                after=new.passed if new else None,
                sentence_before=one_sentence(old.reason) if old else None,
                sentence_after=one_sentence(new.reason) if new else None,
            )
    return None


def _reason(condition: ConditionChange | None, before: Verdict, after: Verdict) -> str:
    if condition is None:
        return _NO_CONDITION
    name = one_sentence(condition.name)
    failing, passing = (before, after) if after.passed else (after, before)
    why = failure_sentence(_named(failing, condition.name), _telling_faults(failing, passing))
    if after.passed:
        now = condition.sentence_after or "this condition is asked no more"
        return f"failed `{name}` before: {_unstopped(why)}; passes now: {now}"
    if condition.sentence_before is None:
        return f"fails `{name}` now: {_unstopped(why)}; this condition was not asked before"
    return f"fails `{name}` now: {_unstopped(why)}; passed before: {condition.sentence_before}"


def _named(verdict: Verdict, name: str) -> Condition | None:
    return next((one for one in verdict.conditions if one.name == name and not one.passed), None)


def _telling_faults(failing: Verdict, passing: Verdict) -> list[Fault]:
    """Faults of kinds that only the failing verdict has; all of its faults where there is no such kind."""
    shared = {fault.kind for fault in passing.faults}
    return [fault for fault in failing.faults if fault.kind not in shared] or list(failing.faults)


def failure_sentence(condition: Condition | None, faults: Iterable[Fault]) -> str:
    """Why an attempt fails, in words: the condition's reason and the sentence of the first fault."""
    said = [condition.reason] if condition else []
    said += [fault.sentence for fault in faults][:1]
    return " ".join(one_sentence(text) for text in said) or "no condition and no fault says why"


def _unstopped(sentence: str) -> str:
    return sentence.removesuffix(".")
