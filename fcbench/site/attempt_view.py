"""One attempt, arranged for reading: what the attempt page's template shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, Round
from fcbench.core.names import SCORABLE, ToolName
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.core.records import Record
from fcbench.core.schema import Violation
from fcbench.core.verdicts import CallJudgement, Fault, Verdict
from fcbench.errors import BadInputError
from fcbench.site.difference import Difference, compare, told
from fcbench.site.text import Shown, cut, pretty
from fcbench.site.violation_tree import Place, violation_tree

MAX_VIOLATIONS_SHOWN = 20
OPEN_ROUNDS = 4
"""An attempt of at most so many rounds is shown unfolded; a longer one unfolds so many of the rounds with faults."""


class Badge(Record, frozen=True, kw_only=True):
    """How a call went, as sign, word and colour."""

    css: str
    """`ran`, `synthetic`, `bad` or `none`."""
    sign: str
    word: str


@dataclass(frozen=True, kw_only=True)
class CallView:
    """One observed call."""

    anchor: str
    index: int
    """Position in the attempt, from 0."""
    name: str
    badge: Badge
    raw: Shown
    parse_error: str | None
    step: str | None
    role: str | None
    reason: str
    difference: Difference | None
    broken: Place | None
    """Where the arguments break the schema of the tool."""
    violations: int
    """How many violations there are; the tree shows the first of them."""
    faults: tuple[Fault, ...]
    """All faults of the call."""
    told: tuple[Fault, ...]
    """Those that no row of the difference shows."""
    result: Shown
    duration_s: float
    provenance: str | None
    same_as: str = ""
    """Anchor of an earlier call of the same tool with the same arguments: this one, of no step, is not shown again."""
    same_result: bool = False
    """Whether it was answered as that one was."""


@dataclass(frozen=True, kw_only=True)
class RoundView:
    """One request and its reply."""

    record: Round
    text: Shown
    calls: tuple[CallView, ...]
    badges: tuple[tuple[str, Badge], ...]
    """(tool, badge) of every call, or the one yellow badge of a round without calls."""
    is_open: bool


@dataclass(frozen=True, kw_only=True)
class StepView:
    """One step of the golden run and where it was found."""

    expected: ExpectedCall
    arguments: str
    anchor: str | None
    """Anchor of the observed call that was assigned to it."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The records that one page is made of."""

    case: Case
    attempt: Attempt
    verdict: Verdict | None
    contracts: Mapping[ToolName, ToolContract]
    """Those of the task, by the names that it uses."""


def why(attempt: Attempt, verdict: Verdict | None) -> str:
    """One plain sentence: why the attempt stands as it does."""
    if attempt.outcome not in SCORABLE:
        said = f": {attempt.error.message}" if attempt.error else ""
        return f"Not judged, because the attempt ended with {attempt.outcome.replace('_', ' ')}{said}"[:400]
    if verdict is None:
        return "Not judged at this tier."
    if verdict.passed:
        return "Every condition of the tier holds."
    if verdict.faults:
        return told(verdict.faults[0])
    return next((one.reason for one in verdict.conditions if not one.passed), "A condition of the tier does not hold.")


def rounds(reading: Reading) -> tuple[RoundView, ...]:
    """All rounds, with every call compared with the step that the evaluator assigned it to."""
    assigned = _assignments(reading)
    faults = reading.verdict.faults if reading.verdict else ()
    views: list[RoundView] = []
    # A model that is lost often repeats one call until its rounds are used up.
    first: dict[tuple[str, str, int], CallView] = {}
    index = 0
    for turn in reading.attempt.rounds:
        calls = []
        for position, call in enumerate(turn.calls, start=1):
            view = _call(reading, call, f"r{turn.number}c{position}", index, assigned)
            earlier = first.setdefault((view.name, view.raw.text, view.raw.hidden), view)
            if earlier is not view and view.step is None:
                view = replace(view, same_as=earlier.anchor, same_result=view.result == earlier.result)
            calls.append(view)
            index += 1
        concerned = any(fault.round == turn.number for fault in faults) or any(view.faults for view in calls)
        concerned = concerned and sum(view.is_open for view in views) < OPEN_ROUNDS
        views.append(
            RoundView(
                record=turn,
                text=cut(turn.text),
                calls=tuple(calls),
                badges=tuple((view.name, view.badge) for view in calls) or (("", NO_CALL),),
                is_open=concerned or len(reading.attempt.rounds) <= OPEN_ROUNDS,
            )
        )
    return tuple(views)


def steps(reading: Reading, found: Sequence[RoundView]) -> tuple[StepView, ...]:
    """The golden run, each step with the call that covers it."""
    anchors = {view.step: view.anchor for turn in found for view in turn.calls if view.step}
    return tuple(
        StepView(expected=step, arguments=pretty(step.arguments), anchor=anchors.get(step.step))
        for step in reading.case.oracle.calls
    )


NO_CALL = Badge(css="none", sign="○", word="no tool call in this round")
_REJECTED = {
    "invalid": "rejected: invalid arguments",
    "not_offered": "rejected: tool not offered",
    "duplicate": "duplicate, not executed",
    "over_limit": "over the limit, not executed",
}


def badge(call: Call) -> Badge:
    """How a call went."""
    status = call.result.status
    if status == "ok" and call.result.provenance == "synthetic":
        return Badge(css="synthetic", sign="✓", word="answered, synthetic")
    if status == "ok":
        return Badge(css="ran", sign="✓", word="executed")
    if status == "error":
        return Badge(css="bad", sign="✗", word="executed, failed")
    return Badge(css="bad", sign="✗", word=_REJECTED[status])


def _assignments(reading: Reading) -> dict[int, CallJudgement]:
    return {one.call: one for one in reading.verdict.judgements} if reading.verdict else {}


def _call(reading: Reading, call: Call, anchor: str, index: int, assigned: dict[int, CallJudgement]) -> CallView:
    judgement = assigned.get(index)
    step = _step_of(reading, call, judgement, assigned)
    faults = tuple(fault for fault in (reading.verdict.faults if reading.verdict else ()) if fault.call == index)
    violations = _violations(reading, call)
    difference = None
    if step is not None and call.arguments is not None:
        difference = compare(step.arguments, call.arguments, faults)
    shown = {row.pointer for row in difference.changed} if difference else set()
    return CallView(
        anchor=anchor,
        index=index,
        name=call.name,
        badge=badge(call),
        raw=cut(_readable(call)),
        parse_error=call.parse_error,
        step=judgement.step if judgement else None,
        role=judgement.role if judgement else None,
        reason=judgement.reason if judgement else "",
        difference=difference,
        broken=_broken(reading, call, violations[:MAX_VIOLATIONS_SHOWN]),
        violations=len(violations),
        faults=faults,
        told=tuple(fault for fault in faults if fault.pointer not in shown),
        result=cut(call.result.content if isinstance(call.result.content, str) else pretty(call.result.content)),
        duration_s=call.result.duration_s,
        provenance=call.result.provenance,
    )


def _readable(call: Call) -> str:
    """The arguments as received: the letters of the model, never our own spelling of them."""
    return call.raw_arguments


def _step_of(
    reading: Reading, call: Call, judgement: CallJudgement | None, assigned: dict[int, CallJudgement]
) -> ExpectedCall | None:
    """The step to compare with: the assigned one, else the only open step of the same tool."""
    calls = reading.case.oracle.calls
    if judgement is not None and judgement.step is not None:
        return next((step for step in calls if step.step == judgement.step), None)
    taken = {one.step for one in assigned.values() if one.step}
    open_steps = [step for step in calls if step.tool == call.name and step.step not in taken]
    return open_steps[0] if len(open_steps) == 1 else None


def _broken(reading: Reading, call: Call, violations: tuple[Violation, ...]) -> Place | None:
    contract = reading.contracts.get(ToolName(call.name))
    if contract is None or call.arguments is None:
        return None
    return violation_tree(contract.parameters, call.arguments, violations)


def _violations(reading: Reading, call: Call) -> tuple[Violation, ...]:
    contract = reading.contracts.get(ToolName(call.name))
    if contract is None or call.arguments is None:
        return ()
    try:
        schema = parameters_schema(contract)
        return () if schema.is_valid(call.arguments) else schema.violations(call.arguments)
    except BadInputError:  # an imported contract of a package from elsewhere may not compile
        return ()
