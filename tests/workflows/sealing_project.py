"""A small project with one suite, three open cases and three held-out ones, and a collection over both."""

from __future__ import annotations

import json
from pathlib import Path

from fcbench.core.records import to_plain
from fcbench.registry import load_registries, write_lock
from tests.strategies import make_contract

CANARY = "fcbench canary 46d4d4db-c1be-45cd-8ad4-f514c465dd05"
SUITE = f"""\
suite: tiny
title: Tiny
registry: parts
language: en
single_call: true
harnesses: [contract]
tools: [get_part]
canary: {CANARY}
ethics: reviewed
"""
COLLECTIONS = """\
collections:
  all:
    title: All of it
    suites: [tiny]
    harness: contract
    mode: production-parity
    retrieval: given
    repeats: 2
    headline_tier: native-function-contract
"""
SUBSET = "subset: quick\ncollections: {all: [t-001, h-001]}\n"
WORDS = ("Zanzibar", "Quillwort", "Ozymandias")
"""Stand in the held-out cases and nowhere else: found in a file, they gave a case away."""


def case(case_id: str, label: str, start: int, *, held_out: bool = False) -> str:
    """One case, as its author writes it."""
    family = "{category: parts, family: " + ("secretfamily" if held_out else "openfamily") + "}"
    lines = [
        f"- id: {case_id}",
        *(["  held_out: true  # not for the public"] if held_out else []),
        "  task:",
        f"    instruction: Show me what lies from place {start} on, and call it {label}.",
        "  oracle:",
        "    decision: call",
        "    calls:",
        "      - tool: get_part",
        f"        arguments: {{start: {start}, label: {label}}}",
        f"    rationale: The words give {start} and {label}.",
        f"    labels: {family}",
    ]
    return "\n".join(lines) + "\n"


OPEN = "".join(case(f"t-00{number}", f"Part{number}", 10 + number) for number in (1, 2, 3))
HELD_OUT = "".join(case(f"h-00{number}", word, 500 + number, held_out=True) for number, word in enumerate(WORDS, 1))


def make_project(root: Path) -> Path:
    """Write the project to a folder."""
    tools = root / "tools_registry/parts/parts"
    suite = root / "suites/tiny"
    for folder in (tools, suite, root / "suites/subsets"):
        folder.mkdir(parents=True)
    for contract in (make_contract(), make_contract(name="get_whole", description="Returns all of a record.")):
        (tools / f"{contract.name}.yaml").write_text(json.dumps(to_plain(contract)), encoding="utf-8")
    write_lock(root / "tools_registry", load_registries(root / "tools_registry"))
    (suite / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (suite / "cases.yaml").write_text(OPEN, encoding="utf-8")
    (suite / "held-out.yaml").write_text(HELD_OUT, encoding="utf-8")
    (root / "suites/collections.yaml").write_text(COLLECTIONS, encoding="utf-8")
    (root / "suites/subsets/quick.yaml").write_text(SUBSET, encoding="utf-8")
    return root
