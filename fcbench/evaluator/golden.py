"""The attempt that plays a golden run: the quality gates and the tests judge it (PROTOCOL 8).

It is made, not measured: nothing here is evidence of any model, and no package ever holds such an attempt.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence

from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.comparators import concrete
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, Candidate, Phase, PhaseName, Round
from fcbench.core.names import HarnessName, JsonObject, JsonValue, StepId, ToolName
from fcbench.core.samples import sample
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import BadInputError
from fcbench.evaluator.plan import needed_steps, topological

STARTED_AT = "2000-01-01T00:00:00.000Z"
"""No clock is read: every such attempt starts at the same moment, long before any real one."""


def golden_attempt(
    case: Case,
    contracts: Mapping[ToolName, ToolContract],
    results: Mapping[StepId, JsonValue] | None = None,
    *,
    harness: HarnessName = "contract",
    run: int = 0,
) -> Attempt:
    """The attempt of a model that does exactly what the case expects.

    Args:
        case: the case.
        contracts: contracts by name; at least those of the expected tools.
        results: what each step returns; a step that is not listed is answered synthetically from its contract.
        harness: on `workbench` the attempt ends in the golden end state.
        run: 0 for the golden run, 1 for the first alternative, and so on.

    Raises:
        BadInputError: a reference finds nothing in the answer of its source.
    """
    steps = _any_step(case, contracts) if case.oracle.decision == "any_call" else _steps(case, run)
    rounds = [_round(number + 1, calls) for number, calls in enumerate(_grouped_calls(case, steps, contracts, results))]
    final_text = "" if case.task.single_call and rounds else _closing_text(case)
    if final_text:
        rounds.append(_round(len(rounds) + 1, (), text=final_text))
    return Attempt(
        task_id=case.id,
        repeat=1,
        outcome="completed",
        candidates=_candidates(case, steps, contracts),
        rounds=tuple(rounds),
        final_text=final_text,
        started_at=STARTED_AT,
        duration_s=float(len(rounds)),
        phases=_phases(bool(steps)),
        end_state=case.oracle.end_state if harness == "workbench" else None,
        stop="model stopped",
    )


def _steps(case: Case, run: int) -> tuple[ExpectedCall, ...]:
    return (case.oracle.calls, *case.oracle.alternatives)[run]


def _any_step(case: Case, contracts: Mapping[ToolName, ToolContract]) -> tuple[ExpectedCall, ...]:
    """For decision `any_call`: a call of the first offered tool, its arguments drawn from its schema."""
    name = next((name for name in (*case.task.tools, *contracts) if name in contracts), None)
    if name is None:
        return ()
    try:
        drawn = sample(contracts[name].parameters, random.Random(7), optional=0.0)
    except BadInputError:
        drawn = {}
    return (ExpectedCall(step=StepId("any"), tool=name, arguments=drawn if isinstance(drawn, dict) else {}),)


def _closing_text(case: Case) -> str:
    if case.oracle.decision == "ask":
        missing = ", ".join(case.oracle.labels.missing) or "a detail"
        return f"I need to know {missing} before I can do this."
    return (
        "Done."
        if case.oracle.decision in ("call", "any_call")
        else "I cannot do this with the tools at hand, or need none."
    )


def _candidates(
    case: Case, steps: Sequence[ExpectedCall], contracts: Mapping[ToolName, ToolContract]
) -> tuple[Candidate, ...]:
    names = case.task.tools or tuple(dict.fromkeys([*(step.tool for step in steps), *contracts]))
    return tuple(Candidate(name=name, rank=rank) for rank, name in enumerate(names, 1))


def _phases(executed: bool) -> tuple[Phase, ...]:
    names: list[PhaseName] = ["prepared", "retrieved", "requested", "replied"]
    names += ["executed", "ended"] if executed else ["ended"]
    return tuple(Phase(name=name, at_s=float(place)) for place, name in enumerate(names))


def _grouped_calls(
    case: Case,
    steps: tuple[ExpectedCall, ...],
    contracts: Mapping[ToolName, ToolContract],
    results: Mapping[StepId, JsonValue] | None,
) -> list[tuple[Call, ...]]:
    """One round a call, unless neighbours share a block and do not need one another."""
    answers: dict[StepId, JsonValue] = {}
    groups: list[list[Call]] = []
    members: list[ExpectedCall] = []
    for index in topological(steps):
        step = steps[index]
        call = golden_call(case, step, contracts[step.tool], answers, results)
        answers[step.step] = call.result.content
        together = members and step.block is not None and members[-1].block == step.block
        if together and not {member.step for member in members} & set(needed_steps(step)):
            groups[-1].append(call)
            members.append(step)
        else:
            groups.append([call])
            members = [step]
    return [tuple(group) for group in groups]


def golden_call(
    case: Case,
    step: ExpectedCall,
    contract: ToolContract,
    answers: dict[StepId, JsonValue],
    results: Mapping[StepId, JsonValue] | None = None,
) -> Call:
    """The call of one step, answered.

    Raises:
        BadInputError: a reference finds nothing in `answers`.
    """
    try:
        arguments = {key: concrete(value, answers) for key, value in step.arguments.items()}
    except KeyError as error:
        raise BadInputError(
            "a reference finds nothing in the answer of its source",
            wanted="a pointer that the result schema of the source always fills, or harnesses: [workbench]",
            found=str(error),
            where=f"case {case.id}, step {step.step}",
        ) from error
    given = results is not None and step.step in results
    content = results[step.step] if results is not None and given else synthetic_result(contract, arguments)
    return made_call(step.step, step.tool, arguments, content, synthetic=not given)


def made_call(identity: str, tool: str, arguments: JsonObject, content: JsonValue, *, synthetic: bool = True) -> Call:
    """A successful call with its arguments as JSON text."""
    return Call(
        id=f"made-{identity}",
        name=tool,
        raw_arguments=json.dumps(arguments, ensure_ascii=False),
        arguments=arguments,
        result=CallResult(status="ok", content=content, provenance="synthetic" if synthetic else "computed"),
        id_given=False,
    )


def _round(number: int, calls: tuple[Call, ...], text: str = "") -> Round:
    return Round(
        number=number,
        started_at=STARTED_AT,
        duration_s=1.0,
        reply_s=1.0,
        text=text,
        finish_reason="tool_calls" if calls else "stop",
        calls=calls,
        request_sha256=digest_text(f"request {number}"),
        reply_sha256=digest_text(f"reply {number}"),
    )
