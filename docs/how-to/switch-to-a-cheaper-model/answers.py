"""Answers of a model that does not exist: right but for some cases, which are drawn by their ids."""

import hashlib
import json
import sys

from fcbench.core.comparators import concrete
from fcbench.workflows.project import find_project, load

CASES = {case.task.instruction: case for case in load(find_project()).suites.cases.values()}


def drawn(case, salt):
    """A number from 0 to 99 that belongs to the case."""
    return int(hashlib.sha256(f"{salt} {case.id}".encode()).hexdigest(), 16) % 100


def answer(case, wrong, tokens):
    """The golden call, with its last argument left out where the case is among the wrong ones."""
    reply = {"usage": {"input_tokens": tokens, "output_tokens": 180}}
    if not case.oracle.calls:
        return {**reply, "text": "Which value do you mean?"}
    call = case.oracle.calls[0]
    arguments = concrete(call.arguments)
    if wrong(case):
        arguments.popitem()
    return {**reply, "calls": [{"name": call.tool, "arguments": arguments}]}


def serve(wrong, tokens):
    """Answer one request a line until stdin ends."""
    for line in sys.stdin:
        request = json.loads(line)
        said = next(one["content"] for one in request["messages"] if one["role"] == "user")
        reply = {"id": request["id"], **answer(CASES[said], wrong, tokens)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
