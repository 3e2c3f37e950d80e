"""Makes `quick.eval` and `quick.json` with inspect_ai itself; run by hand, in an environment of its own.

    python make_log.py CASES.jsonl CONTRACTS.jsonl

The two files are those of any package over `complex-schema-nl/quick` (`fcbench run complex-schema-nl/quick --model
scripted:oracle`). The model is Inspect's mock, which replies what is written below; the tools answer one sentence.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver
from inspect_ai.tool import ToolDef, ToolParams

HERE = Path(__file__).parent


def lines(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def tool_of(contract):
    async def execute(**arguments):
        return json.dumps({"received": sorted(arguments)})

    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": True}
    named = {name: {"description": name} for name in contract["parameters"].get("properties", {})}
    parameters = ToolParams.model_validate({**schema, "properties": named})
    return ToolDef(execute, name=contract["name"], description=contract["description"], parameters=parameters).as_tool()


def sample_of(case):
    task = case["task"]
    said = "\n\n".join(filter(None, [task.get("context", ""), task["instruction"]]))
    messages = [ChatMessageSystem(content="You may call functions."), ChatMessageUser(content=said)]
    return Sample(id=task["id"], input=messages, target="none", metadata={"tools": task["tools"]})


@solver
def offered(tools):
    """Each case offers its own tools."""

    async def solve(state, generate):
        state.tools = [tools[name] for name in state.metadata["tools"]]
        return state

    return solve


def replies(case):
    """The right call for one, a wrong argument for the next, words for the others."""
    number = replies.count = getattr(replies, "count", -1) + 1
    calls = case["oracle"].get("calls", [])
    if not calls or number > 2:
        return [counted(ModelOutput.from_content("mockllm/model", "I would rather ask."))]
    arguments = dict(calls[0]["arguments"])
    if number == 1:
        arguments[next(iter(arguments))] = "iets anders"
    called = ModelOutput.for_tool_call("mockllm/model", calls[0]["tool"], arguments)
    return [counted(called), counted(ModelOutput.from_content("mockllm/model", "Done."))]


def counted(output):
    """With tokens that are said; Inspect would count them with a table from the network."""
    output.usage = ModelUsage(input_tokens=90, output_tokens=9, total_tokens=99)
    return output


def main(cases, contracts):
    known = lines(cases)
    plain = [case for case in known if "$" not in json.dumps(case["oracle"].get("calls", []))][:4]
    task = Task(
        dataset=MemoryDataset([sample_of(case) for case in plain], name="quick"),
        solver=[offered({one["name"]: tool_of(one) for one in lines(contracts)}), generate()],
        scorer=includes(),
        name="quick",
    )
    for form in ("eval", "json"):
        replies.count = -1
        model = get_model(
            "mockllm/model", custom_outputs=[one for case in plain for one in replies(case)], memoize=False
        )
        (log,) = evaluate(task, model=model, log_dir=str(HERE / "made"), log_format=form, display="none", max_samples=1)
        assert log.status == "success", log.error
        (made,) = (HERE / "made").glob(f"*.{form}")
        made.replace(HERE / f"quick.{form}")


if __name__ == "__main__":
    main(*sys.argv[1:])
