"""One attempt as a sample of an Inspect log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.canonical import digest_text
from fcbench.core.evidence import Attempt, Call, Round
from fcbench.core.records import to_plain
from fcbench.core.verdicts import Verdict
from fcbench.export.judged import Judged
from fcbench.export.rows import Row

_STOPS = {
    "stop": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}
"""Words of providers as Inspect's `stop_reason`; any other is `unknown`, and the metadata keeps it."""
_KEY = ("task_id", "repeat", "tier")
_SHOWN = 1000
"""Letters of an input that a summary shows."""


def sample_of(judged: Judged, run_id: str, model: str) -> Row:
    """A sample with messages, scores and, where the attempt has no scorable outcome, its error.

    Args:
        judged: the attempt with its verdicts.
        run_id: of the run.
        model: its name as asked for.
    """
    case, attempt = judged.case, judged.attempt
    ended = _later(attempt.started_at, attempt.duration_s)
    messages = _messages(judged, model)
    usage = usage_of(attempt)
    return {
        "id": case.id,
        "epoch": attempt.repeat,
        "input": messages[: 1 + (len(messages) > 0 and messages[0]["role"] == "system")],
        "target": target_of(judged),
        "messages": messages,
        "output": _output(attempt, messages, model),
        "scores": {one.tier: _score(one, attempt) for one in judged.verdicts},
        "metadata": {
            "suite": case.suite,
            "language": case.task.language,
            "decision": case.oracle.decision,
            "category": case.oracle.labels.category,
            "level": case.oracle.labels.level,
            "outcome": attempt.outcome,
            "stop": attempt.stop,
            "offered_tools": [one.name for one in attempt.candidates],
            "canary": case.canary,
        },
        "store": {},
        "events": [],
        "model_usage": {model: usage} if usage else {},
        "started_at": stamp(attempt.started_at),
        "completed_at": ended,
        "total_time": attempt.duration_s,
        "working_time": attempt.duration_s,
        "uuid": digest_text(f"{run_id} {case.id} {attempt.repeat}")[:22],
        "error": _error(attempt),
        "limit": _limit(judged),
        "attachments": {},
    }


def summary_of(sample: Row) -> Row:
    """What the list of samples shows of one, without opening it."""
    same = ("id", "epoch", "target", "model_usage", "started_at", "completed_at", "total_time", "working_time", "uuid")
    scores, error, limit, sent = sample["scores"], sample["error"], sample["limit"], sample["input"]
    asked = sent[-1]["content"] if isinstance(sent, list) and sent else ""
    messages = sample["messages"]
    return {
        **{name: sample[name] for name in same},
        "input": str(asked)[:_SHOWN],
        "metadata": {},
        "scores": {
            tier: {name: score[name] for name in ("value", "answer", "explanation")}
            for tier, score in (scores.items() if isinstance(scores, dict) else ())
        },
        "error": error["message"] if isinstance(error, dict) else None,
        "limit": limit["type"] if isinstance(limit, dict) else None,
        "completed": True,
        "message_count": len(messages) if isinstance(messages, list) else 0,
    }


def target_of(judged: Judged) -> list[str]:
    """What is right, one text an expected call, as the oracle has it; the decision where no call is due."""
    oracle = judged.case.oracle
    calls = [_call_text(step.tool, step.arguments) for step in oracle.calls]
    return calls or [oracle.decision]


def usage_of(attempt: Attempt) -> Row | None:
    """Tokens as Inspect counts them; None where the provider did not say."""
    read, written = attempt.usage.input_tokens, attempt.usage.output_tokens
    if read is None or written is None:
        return None
    return {
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
        "input_tokens_cache_read": attempt.usage.cached_input_tokens,
    }


def stamp(text: str) -> str:
    """A time of the evidence with an offset instead of `Z`."""
    return _time(text).isoformat()


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # evidence from elsewhere
        return datetime.fromtimestamp(0, UTC)


def _later(text: str, seconds: float) -> str:
    try:
        return (_time(text) + timedelta(seconds=seconds)).isoformat()
    except OverflowError:
        return stamp(text)


def _messages(judged: Judged, model: str) -> list[Row]:
    turns, calls = iter(judged.attempt.rounds), {}
    found: list[Row] = []
    for place, message in enumerate(judged.messages):
        role = str(message["role"])
        said: Row = {"id": f"m{place}", "role": role, "content": message["content"]}
        if role == "assistant":
            turn = next(turns)
            calls = {call.id: call for call in turn.calls}
            said |= _reply(turn, model)
        elif role == "tool":
            answered = calls.get(str(message["tool_call_id"]))
            said |= {"tool_call_id": message["tool_call_id"], "function": message["name"], "error": _refusal(answered)}
        found.append(said)
    return found


def _reply(turn: Round, model: str) -> Row:
    return {
        "source": "generate",
        "model": model,
        "tool_calls": [_tool_call(call) for call in turn.calls] or None,
        "metadata": {
            "round": turn.number,
            "finish_reason": turn.finish_reason,
            "raw_arguments": [call.raw_arguments for call in turn.calls],
            "statuses": [call.result.status for call in turn.calls],
        },
    }


def _tool_call(call: Call) -> Row:
    return {
        "id": call.id,
        "type": "function",
        "function": call.name,
        "arguments": call.arguments or {},
        "parse_error": call.parse_error,
    }


def _refusal(call: Call | None) -> Row | None:
    if call is None or call.result.status == "ok":
        return None
    content = call.result.content
    said = content.get("message") if isinstance(content, dict) else None
    return {"type": "parsing" if call.result.status == "invalid" else "unknown", "message": str(said or "refused")}


def _output(attempt: Attempt, messages: list[Row], model: str) -> Row:
    replies = [one for one in messages if one["role"] == "assistant"]
    if not replies:
        return {"model": model, "choices": []}
    reason = _STOPS.get(attempt.rounds[-1].finish_reason.casefold(), "unknown")
    return {
        "model": model,
        "choices": [{"message": replies[-1], "stop_reason": reason}],
        "completion": replies[-1]["content"],
        "usage": usage_of(attempt),
        "time": attempt.duration_s,
    }


def _score(verdict: Verdict, attempt: Attempt) -> Row:
    faults = [fault.sentence for fault in verdict.faults]
    failed = [one.reason for one in verdict.conditions if not one.passed]
    calls = "\n".join(f"{call.name}({call.raw_arguments})" for call in attempt.calls)
    return {
        "value": "C" if verdict.passed else "I",
        "answer": calls or attempt.final_text,
        "explanation": "\n".join(faults or failed) or "passed",
        "metadata": {
            name: part for name, part in to_plain(verdict).items() if name not in ("task_id", "repeat", "tier")
        },
    }


def _error(attempt: Attempt) -> Row | None:
    if attempt.error is None:
        return None
    said = f"{attempt.outcome}, {attempt.error.kind}: {attempt.error.message}"
    return {"message": said, "traceback": said, "traceback_ansi": said}


def _limit(judged: Judged) -> Row | None:
    if judged.attempt.outcome == "timeout":
        return {"type": "time", "limit": judged.case.task.time_limit_s}
    if judged.attempt.outcome == "budget_exhausted":
        return {"type": "custom", "limit": len(judged.attempt.rounds)}
    return None


def _call_text(tool: str, arguments: object) -> str:
    return f"{tool}({json_text(arguments)})"
