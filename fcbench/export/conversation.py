"""An attempt as the conversation that it was: a system message, the request, replies and results.

The form is the one that chat templates of Hugging Face read: `messages` with `tool_calls`, and `tools` beside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Round
from fcbench.core.names import ToolName
from fcbench.export.rows import Row
from fcbench.harnesses.answers import shown

_ROLE = re.compile(r"^\[([a-z]+)\]\n", re.MULTILINE)


def prompt_texts(prompt: str) -> dict[str, str]:
    """The frozen texts of a package's `prompt.txt` by role; text outside a role is left out."""
    parts = _ROLE.split(prompt)
    return {role: text.strip("\n") for role, text in zip(parts[1::2], parts[2::2], strict=True)}


def messages(task: Task, attempt: Attempt, prompt: Mapping[str, str]) -> list[Row]:
    """The messages of an attempt, in order.

    Argument strings stand as the model wrote them, also where they are no JSON (a harness may have sent `{}` back to a
    server that refuses such a history).
    """
    opening = f"{task.context}\n\n{task.instruction}" if task.context else task.instruction
    found = [_message("system", prompt["system"])] if "system" in prompt else []
    found.append(_message("user", opening))
    for turn in attempt.rounds:
        found += _round(turn, prompt.get("guidance"))
    return found


def offered_tools(attempt: Attempt, contracts: Mapping[ToolName, ToolContract]) -> str:
    """The tools that were offered, in order, as the JSON text of a request's `tools`."""
    names = [candidate.name for candidate in attempt.candidates if candidate.name in contracts]
    return json_text([_function(contracts[name]) for name in names])


def _function(contract: ToolContract) -> Row:
    about = {"name": contract.name, "description": contract.description, "parameters": contract.parameters}
    return {"type": "function", "function": about}


def _round(turn: Round, guidance: str | None) -> list[Row]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.raw_arguments}}
        for call in turn.calls
    ]
    found = [{**_message("assistant", turn.text), "tool_calls": calls or None}]
    for position, call in enumerate(turn.calls, start=1):
        # The harness says its guidance once a round, on the last result.
        said = guidance if position == len(turn.calls) else None
        found.append({**_message("tool", shown(call, said)), "tool_call_id": call.id, "name": call.name})
    if turn.nudge is not None:
        found.append(_message("user", turn.nudge))
    return found


def _message(role: str, content: str) -> Row:
    return {"role": role, "content": content, "tool_calls": None, "tool_call_id": None, "name": None}
