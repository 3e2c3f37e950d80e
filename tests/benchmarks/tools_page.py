"""`python -m tests.benchmarks.tools_page [CALLS]`: write docs/reference/tools.md, with times of CALLS calls a tool.

Without CALLS the times on the page are kept, and the rest is written anew from registry and implementations.
"""

from __future__ import annotations

import re
import statistics
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.workbench.tools import implementations
from tests.benchmarks.workbench import measure
from tests.workbench.worlds import contracts

PAGE = Path(__file__).parents[2] / "docs/reference/tools.md"
LONGEST = 160
"""Letters of a description on the page."""
Times = Mapping[str, tuple[str, str]]
"""Tool -> median and worst time in milliseconds, as the page shows them."""
INTRODUCTION = """# Tools of the genome workbench

{count} tools in {categories} categories. The [effect](workbench.md#end-state) says which part of the session a call
changes; engine and provenance stand in every [result](workbench.md#results). This page is written by
`python -m tests.benchmarks.tools_page` from the registry and the implementations, and a test compares them.

Times are milliseconds for one call on a fresh session, over realistic arguments on five genomes, calls that end in an
error included; [Measurements](../explanation/measurements.md) says when and where. The worst one is often the first,
which loads an engine. `fcbench workbench list` prints the same tools, `fcbench workbench call` tries one.
"""
HEAD = (
    "| tool | effect | engine | provenance | what it does | median ms | worst ms |",
    "|---|---|---|---|---|--:|--:|",
)
ROW = re.compile(r"^\| `([a-z0-9_]+)` \| .* \| ([0-9.,]+) \| ([0-9.,]+) \|$", re.MULTILINE)


def facts(contract: ToolContract) -> tuple[str, ...]:
    """The columns of a tool that follow from registry and implementation."""
    tool = implementations()[contract.name]
    return (f"`{contract.name}`", contract.effect, tool.engine, tool.provenance, first_words(contract.description))


def first_words(description: str) -> str:
    """The first sentence or clause of a description, on one line, ready for a table."""
    words = " ".join(description.split())
    sentence = re.split(r"(?<=[\w)])(?:\.(?= |$)|;(?= ))", words)[0].rstrip(".")
    if len(sentence) > LONGEST:
        sentence = sentence[:LONGEST].rsplit(" ", 1)[0] + " ..."
    return sentence.replace("|", "\\|")


def known_times() -> Times:
    """The times on the page as it is."""
    text = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    return {name: (median, worst) for name, median, worst in ROW.findall(text)}


def measured(calls: int) -> Times:
    """Times of every tool, measured now."""
    found = {}
    implementations()  # or the first tool's time would hold the import of all of them
    for name, contract in contracts().items():
        times, _ = measure(contract, calls)
        found[str(name)] = (_shown(statistics.median(times)), _shown(max(times)))
    return found


def _shown(seconds: float) -> str:
    return f"{1000 * seconds:.3f}" if seconds < 0.001 else f"{1000 * seconds:.1f}"


def page(times: Times) -> str:
    """The whole page."""
    ordered = sorted(contracts().values(), key=lambda contract: (contract.category, contract.name))
    categories = {name: list(group) for name, group in groupby(ordered, key=lambda contract: contract.category)}
    parts = [INTRODUCTION.format(count=len(ordered), categories=len(categories))]
    for name, group in categories.items():
        rows = [(*facts(each), *times.get(each.name, ("", ""))) for each in group]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        parts.append("\n".join([f"## {name.replace('_', ' and ').capitalize()}", "", *HEAD, *lines]) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(measured(int(sys.argv[1])) if len(sys.argv) > 1 else known_times()), "utf-8")
