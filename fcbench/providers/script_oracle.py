"""The control `oracle`: plays a case's golden run step by step, the ceiling of every board."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence

from fcbench.core.canonical import canonical_text, parse_json
from fcbench.core.cases import ExpectedCall, Oracle
from fcbench.core.comparators import concrete, references
from fcbench.core.names import CaseId, JsonValue, StepId
from fcbench.core.samples import sample
from fcbench.errors import BadInputError, JsonError, NotFoundError
from fcbench.providers.base import Message, ReplyCall, Request, ToolSpec
from fcbench.providers.scripted import Turn

_TEXTS = {
    "call": "The request has been carried out.",
    "no_call": "This needs no function: there is nothing to call.",
    "any_call": "The request has been carried out.",
    "unavailable": "None of the offered functions can do this, so I have changed nothing.",
}


class OracleScript:
    """Plays golden runs; it gets them from the workflow, never from the harness."""

    def __init__(self, oracles: Mapping[CaseId, Oracle]) -> None:
        """Take the oracles of the planned cases."""
        self._oracles = oracles

    def turn(self, request: Request) -> Turn:
        """The next step, or the text that ends the run.

        Raises:
            NotFoundError: there is no oracle for the request's case.
        """
        oracle = self._oracles.get(request.task_id)
        if oracle is None:
            raise NotFoundError("the control `oracle` has no golden run for this case", where=request.task_id)
        if oracle.decision == "ask":
            return Turn(text=_question(oracle))
        played = _played(request.messages)
        if oracle.decision == "any_call" and request.tools and not played:
            return _any_call(request.tools[0])
        done = 0
        for replies, steps in enumerate(reply_plan(oracle.calls)):
            if done == len(played):
                return _play(steps, _results(oracle.calls, played), replies)
            done += len(steps)
        return Turn(text=_TEXTS[oracle.decision])


def _any_call(tool: ToolSpec) -> Turn:
    """One call of an offered tool, its arguments drawn from the schema: imported data want no more."""
    try:
        arguments = sample(tool.parameters, random.Random(7), optional=0.0)
    except BadInputError:
        arguments = {}
    return Turn(calls=(ReplyCall(id="golden-any", name=tool.name, raw_arguments=_text(arguments)),))


def _question(oracle: Oracle) -> str:
    names = [name.replace("_", " ") for name in oracle.labels.missing]
    return f"Could you tell me {' and '.join(names)}?" if names else "Could you tell me what is missing?"


def reply_plan(calls: Sequence[ExpectedCall]) -> tuple[tuple[ExpectedCall, ...], ...]:
    """Which steps go into which reply: neighbours of one free-order block share one, unless one needs the other."""
    replies: list[list[ExpectedCall]] = []
    for call in calls:
        last = replies[-1] if replies else []
        shares = bool(last) and call.block is not None and last[-1].block == call.block
        needed = {*call.after, *(reference.step for reference in references(call.arguments))}
        if shares and not any(earlier.step in needed for earlier in last):
            last.append(call)
        else:
            replies.append([call])
    return tuple(map(tuple, replies))


def _played(messages: Sequence[Message]) -> list[str]:
    """Contents of the answers to all calls made so far, in their order; an unanswered call has an empty text."""
    answers = {message.call_id: message.content for message in messages if message.role == "tool"}
    return [answers.get(call.id, "") for message in messages for call in message.calls]


def _results(calls: Sequence[ExpectedCall], played: Sequence[str]) -> dict[StepId, JsonValue]:
    found: dict[StepId, JsonValue] = {}
    for call, content in zip(calls, played, strict=False):
        try:
            found[call.step] = result_of(content)
        except KeyError:
            continue
    return found


def result_of(content: str) -> JsonValue:
    """What a tool returned, from the content of a tool's message.

    Both harnesses wrap it: `{"ok": true, "result": ...}` or `{"ok": false, "error": ...}`.

    Raises:
        KeyError: the content is no JSON, or the call failed.
    """
    try:
        value = parse_json(content)
    except JsonError as error:
        raise KeyError("result") from error
    if isinstance(value, dict) and isinstance(value.get("ok"), bool):
        return value["result"]
    return value


def _play(steps: Sequence[ExpectedCall], results: dict[StepId, JsonValue], replies: int) -> Turn:
    calls = []
    for step in steps:
        try:
            arguments = concrete(step.arguments, results)
        except KeyError:
            # The evidence then shows an unfinished run: an invented value would look like a wrong golden run.
            return Turn(text=f"I cannot go on: the step {step.step} needs a value that no earlier result holds.")
        calls.append(ReplyCall(id=f"golden-{replies + 1}-{step.step}", name=step.tool, raw_arguments=_text(arguments)))
    return Turn(calls=tuple(calls))


def _text(arguments: JsonValue) -> str:
    try:
        return canonical_text(arguments)
    except JsonError:  # an integer beyond 2^53 has no canonical form
        return json.dumps(arguments, ensure_ascii=False, sort_keys=True)
