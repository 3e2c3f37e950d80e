"""The run engine beside a bare loop over the same SDK and beside inspect_ai, over one server that answers at once.

All three ask the same cases with the same 24 tools, 64 in flight, two rounds an attempt: a call, its result, a text.
They take turns in one process; the server has a process of its own. Ours is the whole way from the first attempt to the
sealed package: schemas, answers, a journal flushed to disk. The bare loop records nothing and checks nothing.

The peer needs `pip install inspect_ai`; without it only the bare loop is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import logging
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from openai import AsyncOpenAI

from fcbench.core.samples import sample
from fcbench.engine.events import Event, RunBegun, RunEnded
from fcbench.errors import BadInputError
from fcbench.harnesses.prompts import SYSTEM
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import Progress, RunRequest, prepare, run
from tests.benchmarks.engine_server import running

IN_FLIGHT = 64
KEY = "none-needed"
REQUEST = RunRequest(
    target="genomics",
    model="openai_chat:bench",
    harness="contract",
    mode="production-parity",
    retrieval="lexical:24",
    repeats=1,
    concurrency=IN_FLIGHT,
)


@dataclass(frozen=True)
class Taken:
    """What one way took: wall time, and processor time of this process, which a busy machine disturbs less."""

    wall_s: float
    cpu_s: float


def now() -> Taken:
    """Both clocks."""
    return Taken(time.perf_counter(), time.process_time())


def since(begun: Taken) -> Taken:
    """What has passed on both clocks."""
    return Taken(time.perf_counter() - begun.wall_s, time.process_time() - begun.cpu_s)


@dataclass(frozen=True)
class Asked:
    """One attempt as the peers need it."""

    name: str
    instruction: str
    tools: list[dict[str, Any]]


def asked(material: Material, request: RunRequest) -> list[Asked]:
    """The whole plan, with the tools as they go out."""
    plan = prepare(material, request).plan
    found = []
    for case, repeat in plan.first_stage():
        known = plan.contracts_of(case)
        tools = [
            {
                "name": one.wire_name or one.name,
                "description": known[one.name].description,
                "parameters": known[one.name].parameters,
            }
            for one in plan.candidates[case.id]
        ]
        text = f"{case.task.context}\n\n{case.task.instruction}" if case.task.context else case.task.instruction
        found.append(Asked(f"{case.id}-{repeat}", text, tools))
    return found


def arguments(material: Material) -> dict[str, str]:
    """Arguments that each contract's schema lets through, by name on the wire."""
    found = {}
    for registry in material.registries.values():
        for name, contract in registry.contracts.items():
            with contextlib.suppress(BadInputError):
                found[str(name)] = json.dumps(sample(contract.parameters, random.Random(0), optional=0.0))
    return found


def ours(material: Material, url: str, request: RunRequest) -> Taken:
    """Time from the first attempt to the sealed package."""
    marks: list[Taken] = []

    def mark(event: Event) -> None:
        if isinstance(event, RunBegun | RunEnded):
            marks.append(now())

    with tempfile.TemporaryDirectory() as folder:
        package = run(material, at(url, request), Path(folder), tell=mark)
        assert package.manifest.complete
        assert all(len(attempt.rounds) == 2 for attempt in list(package.attempts())[:5])
    return Taken(marks[1].wall_s - marks[0].wall_s, marks[1].cpu_s - marks[0].cpu_s)


def at(url: str, request: RunRequest) -> RunRequest:
    """The request to this server."""
    return replace(request, options=ProviderOptions(base_url=url))


def bare(jobs: Sequence[Asked], url: str) -> Taken:
    """Time of the bare loop."""

    async def attempt(client: AsyncOpenAI, job: Asked) -> None:
        tools: Any = [{"type": "function", "function": tool} for tool in job.tools]
        messages: Any = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": job.instruction}]
        while True:
            reply = await client.chat.completions.create(
                model="bench", messages=messages, tools=tools, tool_choice="auto", temperature=0, max_tokens=1024
            )
            message = reply.choices[0].message
            if not message.tool_calls:
                return
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": '{"ok": true, "result": {}}'})

    async def all_of_them() -> Taken:
        client = AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0)
        waiting = iter(jobs)

        async def worker() -> None:
            for job in waiting:
                await attempt(client, job)

        begun = now()
        await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
        taken = since(begun)
        await client.close()
        return taken

    return asyncio.run(all_of_them())


def inspecting(jobs: Sequence[Asked], url: str) -> Taken:
    """Time of inspect_ai, its log of samples included, as it is unless one switches it off."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import get_model
    from inspect_ai.solver import Generate, TaskState, generate, solver, system_message
    from inspect_ai.tool import ToolDef, ToolParams

    async def answer(**kwargs: Any) -> str:
        return '{"ok": true, "result": {}}'

    def made(tool: dict[str, Any]) -> Any:
        parameters = ToolParams.model_validate(_plain_object(tool["parameters"]))
        return ToolDef(answer, name=tool["name"], description=tool["description"], parameters=parameters).as_tool()

    # Each tool is made once, before the time begins to count.
    known = {tool["name"]: made(tool) for job in jobs for tool in job.tools}
    tools = {job.name: [known[tool["name"]] for tool in job.tools] for job in jobs}

    @solver
    def with_tools() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.tools = tools[str(state.sample_id)]
            return state

        return solve

    samples = [Sample(id=job.name, input=job.instruction) for job in jobs]
    task = Task(dataset=samples, solver=[system_message(SYSTEM), with_tools(), generate()])
    model = get_model("openai/bench", base_url=url, api_key=KEY, responses_api=False, memoize=False)
    with tempfile.TemporaryDirectory() as folder:
        begun = now()
        (log,) = evaluate(
            task,
            model=model,
            max_connections=IN_FLIGHT,
            max_samples=IN_FLIGHT,
            max_retries=0,
            temperature=0,
            max_tokens=1024,
            display="none",
            log_realtime=False,  # without it the peer also keeps a database for viewers
            log_level="error",
            log_dir=folder,
        )
        taken = since(begun)
        assert log.status == "success", log.error
        samples_made = log.samples or []  # read from the log file, which is still there
        assert len(samples_made) == len(jobs)
        assert all(sum(one.role == "assistant" for one in each.messages) == 2 for each in samples_made[:5])
    return taken


def _plain_object(schema: dict[str, Any]) -> dict[str, Any]:
    """What inspect_ai's record of parameters can hold of a schema."""
    return {
        "type": "object",
        "properties": schema.get("properties", {}),
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class Report:
    """Several lines for a terminal."""

    text: str

    def line(self) -> str:
        """All of them."""
        return self.text


def measure(rounds: int = 5) -> Report:
    """Attempts per second of each, and the ratios of ours to each, round by round."""
    logging.disable(logging.WARNING)
    material = load(find_project())
    jobs = asked(material, REQUEST)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "arguments.json"
        table.write_text(json.dumps(arguments(material)))
        with running(table) as url:
            ways: dict[str, Callable[[], Taken]] = {
                "ours": lambda: ours(material, url, REQUEST),
                "bare loop": lambda: bare(jobs, url),
            }
            if importlib.util.find_spec("inspect_ai"):
                ways["inspect_ai"] = lambda: inspecting(jobs, url)
            taken = in_turn(ways, rounds)
    lines = [f"engine: {len(jobs)} attempts of two rounds with 24 tools, {IN_FLIGHT} in flight, {rounds} rounds"]
    for name, times in taken.items():
        rates = [len(jobs) / one.wall_s for one in times]
        cpu = [1000 * one.cpu_s / len(jobs) for one in times]
        lines.append(
            f"  {name}: {_spread(rates, '.0f')} attempts/s; processor time {_spread(cpu, '.1f')} ms an attempt"
        )
    for name in list(taken)[1:]:
        pairs = list(zip(taken["ours"], taken[name], strict=True))
        wall, cpu = (
            [peer.wall_s / mine.wall_s for mine, peer in pairs],
            [peer.cpu_s / mine.cpu_s for mine, peer in pairs],
        )
        lines.append(f"  ours over {name}, attempts/s: {_spread(wall, '.2f')}")
        lines.append(f"  ours over {name}, attempts per processor second: {_spread(cpu, '.2f')}")
    return Report("\n".join(lines))


def in_turn(ways: dict[str, Callable[[], Taken]], rounds: int) -> dict[str, list[Taken]]:
    """Times of each way, `rounds` times after one warm-up; the order rotates, so that drift hits all."""
    for way in ways.values():
        way()
    taken: dict[str, list[Taken]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            taken[name].append(ways[name]())
    return taken


def _spread(values: Sequence[float], form: str) -> str:
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"median {middle:{form}} (minimum {low:{form}}, maximum {high:{form}})"


def memory(attempts: int = 50_000) -> Report:
    """Resident memory of the process after every fifth of many attempts over HTTP."""
    material = load(find_project())
    cases = len(
        prepare(material, replace(REQUEST, target="complex-schema-nl", retrieval="given", repeats=1)).plan.cases
    )
    request = replace(REQUEST, target="complex-schema-nl", retrieval="given", repeats=-(-attempts // cases))
    seen: list[str] = []
    begun = time.perf_counter()

    def look(progress: Progress) -> None:
        if progress.done % (attempts // 5) == 0:
            seen.append(f"{progress.done:,}: {resident_mb():.0f} MB")

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "arguments.json"
        table.write_text(json.dumps(arguments(material)))
        with running(table) as url:
            package = run(material, at(url, request), Path(folder) / "runs", listen=look)
        done = len(package.manifest.attempts)
        size = (package.folder / "attempts.jsonl").stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << (10 if sys.platform != "darwin" else 20))
    return Report(
        f"engine-memory: {done:,} attempts in {time.perf_counter() - begun:.0f} s, journal {size:.0f} MB; resident "
        "after " + ", ".join(seen) + f"; peak, sealing included, {peak:.0f} MB"
    )


def resident_mb() -> float:
    """What this process holds in memory now (Linux), else the most that it ever held."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
