"""A tiny project of one registry and one suite, written to a folder and altered by each test."""

from __future__ import annotations

from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.registry import Registry, make_registry
from fcbench.suites import Suites, load_suites
from tests.strategies import make_contract

SUITE = """\
suite: tiny
title: Tiny
registry: parts
language: en
fixture: phage
single_call: true
time_limit_s: 60
canary: fcbench canary 46d4d4db-c1be-45cd-8ad4-f514c465dd05
ethics: reviewed
traps: {off_by_one: Counts from the other end.}
"""
CASES = """\
- id: t-001
  task:
    instruction: Show me what lies from place 17 on, and call it Xmas.
  oracle:
    decision: call
    calls:
      - tool: get_part
        arguments: {start: 17, label: Xmas}
    rationale: Both values stand in the words.
    labels: {category: parts, traps: [off_by_one]}
- id: t-002
  task:
    instruction: Fetch everything about the moon landing, would you?
    tools: [get_part]
  oracle:
    decision: unavailable
    rationale: No tool knows the moon.
    labels: {category: parts, mix: edge}
"""
COLLECTIONS = """\
collections:
  all:
    title: All of it
    suites: [tiny]
    harness: contract
    mode: production-parity
    retrieval: "lexical:24"
    headline_tier: native-function-contract
"""
SUBSET = "subset: quick\ncollections: {all: [t-002, t-001]}\n"
ROW = {
    "type": "object",
    "properties": {"kind": {"enum": ["a"], "description": "k"}, "size": {"type": "integer", "description": "n"}},
    "required": ["kind"],
    "additionalProperties": False,
}
DEEP = make_contract(
    name="file_rows",
    description="Files rows of a record and returns where they went.",
    parameters={
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": ROW, "minItems": 1, "description": "r"},
            "when": {"type": "string", "format": "date", "description": "d"},
            "at": {"type": "integer", "minimum": 1, "description": "n"},
        },
        "required": ["rows"],
        "additionalProperties": False,
    },
)


def registries() -> dict[str, Registry]:
    contracts: list[ToolContract] = [make_contract(), make_contract(name="get_whole", description="Returns all."), DEEP]
    return {"parts": make_registry("parts", contracts)}


def write(root: Path, **files: str | None) -> Path:
    """Write the project; `cases`, `suite`, `collections`, `subset` replace a file, None leaves it out."""
    texts = {"cases": CASES, "suite": SUITE, "collections": COLLECTIONS, "subset": SUBSET, **files}
    places = {
        "cases": "tiny/cases.yaml",
        "suite": "tiny/suite.yaml",
        "collections": "collections.yaml",
        "subset": "subsets/quick.yaml",
    }
    for name, text in texts.items():
        path = root / "suites" / places.get(name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")
    return root / "suites"


def load(root: Path, **files: str | None) -> Suites:
    return load_suites(write(root, **files), registries())


def one_case(oracle: str, *, task: str = "{instruction: Do it from place 17 on.}", more: str = "") -> str:
    """A file with one case; the oracle is a YAML flow or an indented block."""
    return f"- id: t-001\n  task: {task}\n{more}  oracle: {oracle}\n"
