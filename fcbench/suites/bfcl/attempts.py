"""The attempt of a pair as evidence: every call in one round, as if a provider had sent it."""

from __future__ import annotations

import json

from fcbench.core.canonical import clean_text, digest_text
from fcbench.core.evidence import Attempt, Call, CallResult, Candidate, Round
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.suites.bfcl.cases import case_id
from fcbench.suites.bfcl.rows import PairRow

_STARTED = "1970-01-01T00:00:00.000Z"
"""A pair has no time."""


def attempt_of(row: PairRow) -> Attempt:
    """What the row's model did. Nothing was executed: a call that could be offered counts as answered."""
    names = list(dict.fromkeys(str(function.get("name", "")) for function in row.source.functions))
    calls = tuple(_call(entry, position, names) for position, entry in enumerate(row.calls or (), 1))
    nothing = digest_text("")
    turn = Round(
        number=1,
        started_at=_STARTED,
        duration_s=0.0,
        reply_s=0.0,
        text=clean_text(row.text),
        finish_reason="tool_calls" if calls else "stop",
        calls=calls,
        request_sha256=nothing,
        reply_sha256=nothing,
    )
    return Attempt(
        task_id=case_id(row.source),
        repeat=1,
        outcome="completed",
        candidates=tuple(Candidate(name=ToolName(name), rank=rank) for rank, name in enumerate(names, 1)),
        rounds=(turn,),
        final_text=turn.text,
        started_at=_STARTED,
        duration_s=0.0,
        stop="model stopped",
    )


def _call(entry: JsonObject, position: int, names: list[str]) -> Call:
    """One entry of the source's list. An entry that names several functions, or none, is no call of one of them."""
    name, arguments = next(iter(entry.items()), ("", None))
    error = None
    if len(entry) != 1:
        arguments, error = entry, f"one entry names {len(entry)} functions"
    elif not isinstance(arguments, dict):
        error = f"the arguments are {type(arguments).__name__}, not an object"
    return Call(
        id=f"call-1-{position}",
        name=name,
        raw_arguments=_written(arguments),
        arguments=arguments if error is None and isinstance(arguments, dict) else None,
        parse_error=error,
        result=CallResult(
            status="invalid" if error else "ok" if name in names else "not_offered",
            content=None,
            provenance=None if error or name not in names else "synthetic",
        ),
        id_given=False,
    )


def _written(arguments: JsonValue) -> str:
    return json.dumps(arguments, ensure_ascii=False)
