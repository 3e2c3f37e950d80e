"""A sample of an Inspect log as an attempt: each reply is a round, and each answer of a tool the result of its call.

Calls are checked against our contracts as in a run; where a tool was really called, its answer is the log's, not ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args

from msgspec.structs import replace

from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.canonical import digest_text, parse_json
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, AttemptError, Call, CallResult, Candidate, Round, Usage
from fcbench.core.names import JsonObject, JsonValue, Outcome, ToolName
from fcbench.errors import BadInputError, UnavailableError
from fcbench.harnesses.answers import Answerer, SyntheticTools
from fcbench.harnesses.clock import iso
from fcbench.harnesses.loop import MAX_CALLS
from fcbench.packages.replay import same_json
from fcbench.providers.base import Reply, ReplyCall
from fcbench.workflows.imported import STARTED

_NOTHING = digest_text("")
_TIME = ("time", "working")
"""Limits of Inspect that are our time limit."""


@dataclass(frozen=True)
class Sample:
    """A sample, and the case that it is of."""

    case: Case
    epoch: int
    plain: JsonObject


def attempt_of(sample: Sample, contracts: Mapping[ToolName, ToolContract], offered: Sequence[Candidate]) -> Attempt:
    """The attempt of a sample.

    Args:
        sample: as read.
        contracts: of its case.
        offered: the tools that the case offers.
    """
    plain, candidates = sample.plain, tuple(offered)
    known = {one.name: contracts[one.name] for one in candidates if one.name in contracts}
    turns = tuple(_counted(plain, list(_rounds(plain, known))))
    error, outcome = _error(plain), _outcome(plain)
    return Attempt(
        task_id=sample.case.id,
        repeat=sample.epoch,
        outcome=outcome,
        candidates=candidates,
        rounds=turns,
        final_text=turns[-1].text if turns and not turns[-1].calls else "",
        started_at=_moment(plain.get("started_at")),
        duration_s=seconds(plain.get("total_time")),
        usage=_sum(turn.usage for turn in turns),
        stop=_stop(plain) if error is None else "",
        error=error,
    )


def first_words(plain: JsonObject) -> str:
    """What was said to the model before its first reply, on one line."""
    said = []
    for message in _messages(plain):
        if message.get("role") == "assistant":
            break
        said.append(text_of(message.get("content")))
    return " ".join(" ".join(said).split())


def offered_in(plain: JsonObject) -> frozenset[str] | None:
    """Names of the tools that were offered: of our own metadata, or of the first request; None where none is told."""
    own, events = _dict(plain.get("metadata")).get("offered_tools"), plain.get("events")
    asked = [one for one in (events if isinstance(events, list) else []) if _dict(one).get("event") == "model"]
    listed = own if isinstance(own, list) else _dict(asked[0]).get("tools") if asked else None
    return frozenset(str(_dict(one).get("name", one)) for one in listed) if isinstance(listed, list) else None


def text_of(content: JsonValue) -> str:
    """Text of a message: a text, or a list of parts of which only texts are read (reasoning and pictures are not)."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if _dict(part).get("type") == "text" and _dict(part))


def seconds(value: JsonValue) -> float:
    """A duration; 0 where the log has none that can be one."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known and isinstance(value, int | float) and 0 <= value < 1e6 else 0.0


def _messages(plain: JsonObject) -> list[JsonObject]:
    found = plain.get("messages")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _rounds(plain: JsonObject, offered: Mapping[ToolName, ToolContract]) -> Iterator[Round]:
    """One round for each reply, with the answers and the words that follow it."""
    messages = _messages(plain)
    starts = [place for place, message in enumerate(messages) if message.get("role") == "assistant"]
    ends = [*starts[1:], len(messages)][: len(starts)]
    answerer = Answerer(offered, _Answers())
    room = MAX_CALLS
    for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1):
        message, behind = messages[start], messages[start + 1 : end]
        reply = _reply(message, is_last=end == len(messages), plain=plain)
        answered = answerer.answer(reply, number, room)
        room = max(0, room - len(answered))
        nudges = [text_of(one.get("content")) for one in behind if one.get("role") == "user"]
        yield Round(
            number=number,
            started_at=_moment(plain.get("started_at")),
            duration_s=0.0,
            reply_s=0.0,
            text=reply.text,
            finish_reason=reply.finish_reason,
            calls=tuple(_with_answer(call, behind) for call in answered),
            request_sha256=_NOTHING,
            reply_sha256=_NOTHING,
            nudge="\n".join(nudges) or None,
        )


class _Answers(SyntheticTools):
    """Answers that hold where the log has none: ours, or nothing where we could only compute one."""

    def run(self, contract: ToolContract, arguments: JsonObject) -> CallResult:
        """As `SyntheticTools.run`."""
        try:
            return super().run(contract, arguments)
        except UnavailableError:
            return CallResult(status="ok", content=None)


def _reply(message: JsonObject, *, is_last: bool, plain: JsonObject) -> Reply:
    calls = tuple(_calls(message))
    said = _dict(message.get("metadata")).get("finish_reason")
    ended = _stop_reason(plain) if is_last else ""
    return Reply(
        text=text_of(message.get("content")),
        calls=calls,
        finish_reason=str(said)[:80] if said else ended or ("tool_calls" if calls else "stop"),
        request_sha256=_NOTHING,
        reply_sha256=_NOTHING,
    )


def _calls(message: JsonObject) -> Iterator[ReplyCall]:
    """The calls of a reply. Only our own logs hold the text of arguments; else it is written from what Inspect read."""
    listed = message.get("tool_calls")
    calls = [_dict(one) for one in listed] if isinstance(listed, list) else []
    raw = _dict(message.get("metadata")).get("raw_arguments")
    texts = raw if isinstance(raw, list) and len(raw) == len(calls) else [None] * len(calls)
    for call, text in zip(calls, texts, strict=True):
        name, identity, arguments = call.get("function"), call.get("id"), call.get("arguments")
        yield ReplyCall(
            id=identity if isinstance(identity, str) else None,
            name=name if isinstance(name, str) else "",
            raw_arguments=text if isinstance(text, str) else _written(arguments, call.get("parse_error")),
        )


def _written(arguments: JsonValue, parse_error: JsonValue) -> str:
    """Arguments as text. What Inspect could not parse must not read as an object here, so it stays no JSON."""
    if parse_error:
        return f"not parsed by Inspect: {str(parse_error)[:400]}"
    return arguments if isinstance(arguments, str) else json_text(arguments)


def _with_answer(call: Call, behind: Sequence[JsonObject]) -> Call:
    """The call with the log's answer in place of ours, where the tool was called at all."""
    if not call.executed:
        return call
    for message in behind:
        if message.get("role") == "tool" and message.get("tool_call_id") == call.id:
            answer = _answer(message)
            is_ours = answer.status == call.result.status and same_json(answer.content, call.result.content)
            return call if is_ours else replace(call, result=answer)
    return call


def _answer(message: JsonObject) -> CallResult:
    text, error = text_of(message.get("content")), _dict(message.get("error"))
    value = _parsed(text)
    body = _dict(value)
    if isinstance(body.get("ok"), bool) and ("result" in body or "error" in body):
        # As our own harness shows a result to a model. Where it came from is not taken over: nobody could verify it.
        content = body.get("result") if body["ok"] else body.get("error")
        return CallResult(status="ok" if body["ok"] else "error", content=content)
    if error:
        return CallResult(status="error", content={"code": str(error.get("type", "")), "message": text or str(error)})
    return CallResult(status="ok", content=value)


def _parsed(text: str) -> JsonValue:
    """What a tool answered: a JSON value where it is one, else the text."""
    try:
        return parse_json(text, max_bytes=1 << 24)
    except BadInputError:
        return text


def _outcome(plain: JsonObject) -> Outcome:
    own = _dict(plain.get("metadata")).get("outcome")
    if own in get_args(Outcome):
        return own  # type: ignore[return-value]
    if plain.get("error"):
        return "provider_error"
    limit = _dict(plain.get("limit")).get("type")
    return "completed" if not limit else "timeout" if limit in _TIME else "budget_exhausted"


def _stop(plain: JsonObject) -> str:
    own, limit = _dict(plain.get("metadata")).get("stop"), _dict(plain.get("limit")).get("type")
    return str(own)[:80] if isinstance(own, str) else f"{limit} limit"[:80] if limit else "model stopped"


def _stop_reason(plain: JsonObject) -> str:
    choices = _dict(plain.get("output")).get("choices")
    last = _dict(choices[-1]) if isinstance(choices, list) and choices else {}
    return str(last.get("stop_reason") or "")[:80]


def _error(plain: JsonObject) -> AttemptError | None:
    error = plain.get("error")
    if not error:
        return None
    said = _dict(error).get("message", error)
    return AttemptError(kind="unavailable", message=str(said)[:500])


def _counted(plain: JsonObject, turns: list[Round]) -> Iterator[Round]:
    """The rounds with their tokens: each its own where the log's requests tell them, else all of them at the last."""
    events = plain.get("events")
    asked = [one for one in (events if isinstance(events, list) else []) if _dict(one).get("event") == "model"]
    each = [_usage(_dict(_dict(_dict(one).get("output")).get("usage"))) for one in asked]
    total = _sum(map(_usage, map(_dict, _dict(plain.get("model_usage")).values())))
    if len(each) != len(turns) or _sum(each) != total:
        each = [*[Usage()] * (len(turns) - 1), total]
    for turn, usage in zip(turns, each[: len(turns)], strict=True):
        yield replace(turn, usage=usage)


def _sum(parts: Iterable[Usage]) -> Usage:
    total = Usage()
    for part in parts:
        total = total.plus(part)
    return total


def _usage(used: JsonObject) -> Usage:
    return Usage(
        input_tokens=_count(used.get("input_tokens")),
        output_tokens=_count(used.get("output_tokens")),
        cached_input_tokens=_count(used.get("input_tokens_cache_read")),
    )


def _count(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def _moment(value: JsonValue) -> str:
    try:
        return iso(datetime.fromisoformat(str(value)).astimezone(UTC))
    except (ValueError, OverflowError):
        return STARTED


def _dict(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}
