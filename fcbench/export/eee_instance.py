"""Attempts as instances of Every Eval Ever: one line for each attempt at each tier."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.canonical import digest_text
from fcbench.core.evidence import Attempt, Call
from fcbench.core.verdicts import Verdict
from fcbench.export.inspect_sample import target_of
from fcbench.export.judged import Judged, JudgedRun
from fcbench.export.rows import Row

SCHEMA_VERSION = "0.3.0"


def instances(run: JudgedRun, evaluation: str, model: str) -> Iterator[Row]:
    """The lines of a run, in the order of its evidence; attempts that may not be judged have none.

    Args:
        run: whose attempts are written.
        evaluation: id of the aggregate record.
        model: its name as DEVELOPER/MODEL.
    """
    collection = run.package.header.key.collection
    for judged in run.attempts():
        for verdict in judged.verdicts:
            yield {
                "schema_version": SCHEMA_VERSION,
                "evaluation_id": evaluation,
                "model_id": model,
                "evaluation_name": f"{collection}/{verdict.tier}/{_metric(judged)}",
                "evaluation_result_id": f"{verdict.tier}/{_metric(judged)}",
                **_shared(judged),
                "evaluation": _evaluation(judged.attempt, verdict),
                "metadata": _metadata(judged, verdict),
            }


def _metric(judged: Judged) -> str:
    """The result of the aggregate that this attempt counts in."""
    return "strict" if judged.case.oracle.decision == "call" else "restraint_accuracy"


def _shared(judged: Judged) -> Row:
    task, reference = judged.case.task, target_of(judged)
    asked = f"{task.context}\n\n{task.instruction}" if task.context else task.instruction
    messages = _messages(judged)
    told = judged.attempt.usage
    usage = None
    if told.input_tokens is not None and told.output_tokens is not None:
        usage = {
            "input_tokens": told.input_tokens,
            "output_tokens": told.output_tokens,
            "total_tokens": told.input_tokens + told.output_tokens,
            "input_tokens_cache_read": told.cached_input_tokens,
        }
    return {
        "sample_id": task.id,
        "sample_hash": digest_text(asked + "".join(reference)),
        "interaction_type": "agentic",
        "input": {"raw": asked, "reference": reference},
        "output": None,
        "messages": messages,
        "answer_attribution": [
            {
                "turn_idx": turn,
                "source": "messages[turn_idx].tool_calls" if message["tool_calls"] else "messages[turn_idx].content",
                "extracted_value": json_text(message["tool_calls"]) if message["tool_calls"] else message["content"],
                "extraction_method": "structured calls, as the provider returned them",
                "is_terminal": turn == _last(messages),
            }
            for turn, message in enumerate(messages)
            if message["role"] == "assistant"
        ],
        "token_usage": usage,
        "performance": {"latency_ms": judged.attempt.duration_s * 1000},
        "error": None if judged.attempt.outcome == "completed" else judged.attempt.outcome,
    }


def _last(messages: list[Row]) -> int:
    return max((turn for turn, one in enumerate(messages) if one["role"] == "assistant"), default=-1)


def _messages(judged: Judged) -> list[Row]:
    turns, found = iter(judged.attempt.rounds), []
    for place, message in enumerate(judged.messages):
        calls = next(turns).calls if message["role"] == "assistant" else ()
        answered = message["tool_call_id"]
        found.append(
            {
                "turn_idx": place,
                "role": message["role"],
                "content": message["content"],
                "tool_calls": [_call(call) for call in calls] or None,
                "tool_call_id": None if answered is None else [answered],
            }
        )
    return found


def _call(call: Call) -> Row:
    """A call; values of arguments are JSON texts, since the schema takes strings only."""
    arguments = {name: json_text(value) for name, value in (call.arguments or {}).items()}
    return {"id": call.id, "name": call.name, "arguments": None if call.arguments is None else arguments}


def _evaluation(attempt: Attempt, verdict: Verdict) -> Row:
    return {
        "score": 1.0 if verdict.passed else 0.0,
        "is_correct": verdict.passed,
        "num_turns": max(len(attempt.rounds), 1),
        "tool_calls_count": len(attempt.calls),
    }


def _metadata(judged: Judged, verdict: Verdict) -> Row:
    case = judged.case
    return {
        "suite": case.suite,
        "language": case.task.language,
        "repeat": str(judged.attempt.repeat),
        "tier": verdict.tier,
        "decision": case.oracle.decision,
        "outcome": judged.attempt.outcome,
        "partial": json_text(verdict.partial.score),
        "faults": " ".join(fault.kind for fault in verdict.faults),
        "canary": case.canary,
    }
