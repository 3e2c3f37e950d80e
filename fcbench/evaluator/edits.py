"""Small edits of an attempt, for the mutation operators."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, Round
from fcbench.core.names import JsonObject, ToolName
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.core.records import Record
from fcbench.core.samples import sample
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import BadInputError
from fcbench.evaluator.golden import STARTED_AT, made_call


class Stage(Record, frozen=True, kw_only=True):
    """A golden attempt with all that an operator needs."""

    case: Case
    attempt: Attempt
    contracts: Mapping[ToolName, ToolContract]

    @property
    def expected(self) -> frozenset[ToolName]:
        """Tools of all golden runs."""
        oracle = self.case.oracle
        return frozenset(step.tool for run in (oracle.calls, *oracle.alternatives) for step in run)

    def others(self) -> Iterator[ToolContract]:
        """Offered tools that no golden run and no declared equivalent of one names, by name."""
        equivalents = {other.tool for name in self.expected for other in self.contracts[name].equivalents}
        for name in sorted(candidate.name for candidate in self.attempt.candidates):
            if name in self.contracts and name not in self.expected and name not in equivalents:
                yield self.contracts[name]

    def made(self, contract: ToolContract) -> Call | None:
        """A valid, successful call of a tool; None where the sampler finds no arguments."""
        try:
            arguments = sample(contract.parameters, random.Random(7), optional=0.0)
            if not isinstance(arguments, dict):
                return None
            return made_call("extra", contract.name, arguments, synthetic_result(contract, arguments))
        except BadInputError:
            return None

    def step_of(self, call: Call) -> ExpectedCall | None:
        """The step that a golden call plays."""
        return next((step for step in self.case.oracle.calls if call.id == f"made-{step.step}"), None)


def with_calls(attempt: Attempt, calls: list[list[Call]]) -> Attempt:
    """The attempt with other calls, one list a round, and then its closing text."""
    rounds: list[Round] = []
    shape = attempt.rounds[0]
    closing = [turn for turn in attempt.rounds if not turn.calls]
    for group in calls:
        if group:
            rounds.append(
                replace(shape, number=len(rounds) + 1, calls=tuple(group), text="", finish_reason="tool_calls")
            )
    for turn in closing:
        rounds.append(replace(turn, number=len(rounds) + 1))
    if not rounds:
        rounds = [replace(shape, number=1, calls=(), text="", finish_reason="stop", started_at=STARTED_AT)]
    return replace(attempt, rounds=tuple(rounds))


def grouped(attempt: Attempt) -> list[list[Call]]:
    """The calls of every round that has some."""
    return [list(turn.calls) for turn in attempt.rounds if turn.calls]


def positions(attempt: Attempt) -> list[tuple[int, int]]:
    """Round and place of every call, in the lists that `grouped` gives."""
    return [(turn, place) for turn, group in enumerate(grouped(attempt)) for place in range(len(group))]


def changed(attempt: Attempt, at: tuple[int, int], calls: list[Call]) -> Attempt:
    """The attempt with one call replaced by none, one or more calls of the same reply."""
    groups = grouped(attempt)
    groups[at[0]][at[1] : at[1] + 1] = calls
    return with_calls(attempt, groups)


def with_arguments(call: Call, arguments: JsonObject, contract: ToolContract) -> Call:
    """The call with other arguments; answered as a harness would: rejected where they break the schema."""
    text = json.dumps(arguments, ensure_ascii=False)
    if parameters_schema(contract).is_valid(arguments):
        return replace(call, arguments=arguments, raw_arguments=text)
    refused = CallResult(status="invalid", content={"error": "the arguments break the schema"})
    return replace(call, arguments=arguments, raw_arguments=text, result=refused)
