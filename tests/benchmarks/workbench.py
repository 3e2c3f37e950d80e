"""`python -m tests.benchmarks.workbench [CALLS]`: every tool with engine, provenance and time per call.

Calls have realistic arguments over five fixtures (`tests.workbench.hints`), each on a fresh session, so that a tool
meets whole genomes as well as its own errors. A Markdown table goes to stdout.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import Counter

from fcbench.core.contracts import ToolContract
from fcbench.workbench.dispatch import call
from fcbench.workbench.engines import engine_label
from fcbench.workbench.tools import implementations
from tests.workbench.hints import realistic
from tests.workbench.worlds import contracts, fixtures, fresh

FIXTURES = ("ecoli-d10483", "ecoli-d10483-reads", "chloroplast", "phix174", "sars-cov-2")


def measure(contract: ToolContract, calls: int) -> tuple[list[float], Counter[str]]:
    """Seconds of each call, and how many had which status."""
    rng, times, statuses = random.Random(20261130), [], Counter[str]()
    for number in range(calls):
        session = fresh(FIXTURES[number % len(FIXTURES)])
        arguments = realistic(contract, rng, session)
        begun = time.perf_counter()
        result = call(session, contract, arguments)
        times.append(time.perf_counter() - begun)
        statuses[result.status] += 1
        session.files.close()
    return times, statuses


def fresh_session(calls: int) -> str:
    """What a fresh session of the main fixture costs."""
    times = []
    for _ in range(calls):
        begun = time.perf_counter()
        fixtures().session("ecoli-d10483")
        times.append(time.perf_counter() - begun)
    return f"A fresh session: median {1000 * statistics.median(times):.3f} ms over {calls}."


def table(calls: int) -> str:
    """The table, tools by category."""
    lines = [
        "| category | tool | effect | engine | provenance | calls | coded errors | median ms | worst ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    worst = ("", 0.0)
    known = sorted(contracts().values(), key=lambda contract: (contract.category, contract.name))
    for contract in (each for each in known if each.name in implementations()):
        tool = implementations()[contract.name]
        times, statuses = measure(contract, calls)
        worst = max(worst, (contract.name, max(times)), key=lambda pair: pair[1])
        facts = (contract.category, contract.name, contract.effect, engine_label(tool.engine), tool.provenance)
        numbers = (calls, statuses["error"], f"{1000 * statistics.median(times):.2f}", f"{1000 * max(times):.1f}")
        lines.append("| " + " | ".join(map(str, (*facts, *numbers))) + " |")
    return "\n".join([*lines, "", f"Worst: {worst[0]}, {1000 * worst[1]:.1f} ms.", fresh_session(200)])


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
