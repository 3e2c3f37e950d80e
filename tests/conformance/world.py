"""The world of the conformance set, and short ways to write one line. Nothing here imports the evaluator.

What a line expects is written by hand in the `rows_*` modules from PROTOCOL 3 to 5. This module only spells it out:
names of the conditions that a tier has, the weights of the partial score, and default places.
"""

from __future__ import annotations

import json
from typing import Any

from fcbench.core.canonical import digest_text, parse_json
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, Candidate, Round
from fcbench.core.names import CaseId, StepId, ToolName
from fcbench.core.records import to_plain
from fcbench.errors import JsonError

STRICT = "native-function-contract"
REAL = "real-tool-execution"
DONE = "task-completion-execution"
COMPLETE = "task-completion-contract"
_TEXT = {"type": "string", "minLength": 1}
_PLACE = {"type": "integer", "minimum": 1}


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """A closed object schema."""
    found = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, **({"required": list(required)} if required else {}), **more}


def contract(name: str, effect: str, parameters: dict[str, Any], **more: Any) -> ToolContract:
    """A contract with plain words around what matters."""
    fields = {
        "name": ToolName(name),
        "version": 1,
        "category": "test",
        "description": f"What {name} does.",
        "parameters": parameters,
        "returns": {"type": "object"},
        "effect": effect,
        "capability": name,
    }
    return ToolContract(**{**fields, **more})


_SUM = closed({"by": {"const": "sum"}, "least": {"type": "number"}}, "by", "least")
_TOWN = closed({"by": {"const": "town"}, "name": _TEXT}, "by", "name")
_CUSTOMER = closed(
    {
        "first": _TEXT,
        "prefix": _TEXT,
        "last": _TEXT,
        "born": {"type": "string", "format": "date"},
        "kind": {"type": "string", "enum": ["PRIVATE", "BUSINESS"]},
    },
    "last",
)
_PART = closed({"item": {"type": "integer"}, "shape": {"enum": ["round", "square"]}}, "item")
_ORDER = closed(
    {
        "order_id": {"type": "string", "pattern": "^ORD-[0-9]{4}$"},
        "amount": {"type": "number", "minimum": 0, "maximum": 1000000},
        "customer": _CUSTOMER,
        "parts": {"type": "array", "minItems": 1, "uniqueItems": True, "items": _PART},
        "filters": {"type": "array", "items": {"oneOf": [_SUM, _TOWN]}},
        "code": {"type": "string", "maxLength": 3},
        "paid": {"type": "boolean"},
    },
    "order_id",
    **{"if": {"properties": {"paid": {"const": True}}, "required": ["paid"]}, "then": {"required": ["code"]}},
)
_FIND = contract(
    "find",
    "reads",
    closed({"name": _TEXT, "limit": {"type": "integer", "default": 20}, "exact": {"type": "boolean"}}, "name"),
    neutral_arguments=("limit",),
    equivalents=(
        Equivalent(
            tool=ToolName("lookup"),
            when={"exact": None},
            arguments={"term": FormValue(argument="name"), "kind": FormValue(constant="gene")},
            reason="a lookup of genes finds the same",
        ),
    ),
)
_READ = contract(
    "read",
    "reads",
    closed(
        {
            "start": _PLACE,
            "end": _PLACE,
            "strand": {"enum": ["+", "-"], "default": "+"},
            "skip": {"type": "integer"},
            "direction": {"enum": ["forward", "reverse"]},
        }
    ),
    argument_forms=(
        ArgumentForm(
            name="from_zero",
            replaces=("start",),
            uses={"skip": FormValue(argument="start", offset=-1)},
            reason="skip counts from 0",
        ),
        ArgumentForm(
            name="in_words",
            replaces=("strand",),
            uses={"direction": FormValue(argument="strand", values={"+": "forward", "-": "reverse"})},
            reason="the direction is the strand in words",
        ),
    ),
)
_ALL = [
    _FIND,
    contract("lookup", "reads", closed({"term": _TEXT, "kind": {"enum": ["gene", "cds"]}}, "term")),
    _READ,
    contract("take", "reads", closed({"value": {}, "note": {"type": "string"}})),
    contract("pair", "reads", closed({"a": {"type": "integer"}, "b": _PLACE}, **{"not": {"required": ["a", "b"]}})),
    contract("show", "view", closed({"at": _PLACE}, "at")),
    contract("mark", "session", closed({"name": _TEXT}, "name")),
    contract("insert", "project", closed({"at": _PLACE, "bases": _TEXT}, "at"), follow_ups=("tidy",)),
    contract("paste", "project", closed({"at": _PLACE}, "at"), capability="insert"),
    contract("tidy", "project", closed({})),
    contract("erase", "project", closed({"name": _TEXT}, "name")),
    contract("save", "file", closed({"path": _TEXT}, "path")),
    contract("order", "project", _ORDER, portability="full"),
    contract("refuse", "project", closed({"order_id": _TEXT}, "order_id")),
]
_AT = closed({"at": _PLACE}, "at")
_LEVEL = closed({"kind": {"const": "level"}, "least": {"type": "integer"}}, "kind", "least")
_WORD = closed({"kind": {"const": "word"}, "word": _TEXT}, "kind", "word")
_FURTHER = [
    contract(
        "list",
        "reads",
        closed(
            {"kind": {"enum": ["gene", "cds"]}, "limit": _PLACE, "exact": {"type": "boolean", "default": False}}, "kind"
        ),
        equivalents=(
            Equivalent(
                tool=ToolName("browse"),
                when={"kind": "gene", "exact": None},
                arguments={"genes": FormValue(constant=True), "most": FormValue(argument="limit")},
                reason="browsing genes lists them",
            ),
            Equivalent(
                tool=ToolName("browse"),
                when={"exact": None},
                arguments={"table": FormValue(argument="kind"), "most": FormValue(argument="limit")},
                reason="browsing a table lists it",
            ),
        ),
    ),
    contract("browse", "reads", closed({"genes": {"type": "boolean"}, "table": _TEXT, "most": _PLACE})),
    contract(
        "turn",
        "reads",
        {**closed({"strand": {"$ref": "#/$defs/strand"}}), "$defs": {"strand": {"enum": ["+", "-"], "default": "+"}}},
    ),
    contract(
        "put",
        "project",
        _AT,
        equivalents=(
            Equivalent(tool=ToolName("place"), arguments={"at": FormValue(argument="at")}, reason="placing puts it"),
        ),
    ),
    contract("place", "project", _AT, capability="placing", follow_ups=("polish",)),
    contract("set", "project", _AT, capability="placing"),
    contract("polish", "project", closed({})),
    contract(
        "shape",
        "reads",
        closed(
            {
                "owner": {"anyOf": [closed({"last": _TEXT}, "last"), {"type": "null"}]},
                "rule": {
                    "anyOf": [
                        {key: value for key, value in branch.items() if key != "additionalProperties"}
                        for branch in (_LEVEL, _WORD)
                    ]
                },
                "a": {"type": "integer"},
                "b": {"type": "integer"},
            },
            dependentRequired={"a": ["b"]},
        ),
    ),
]
"""Tools of a few lines only: they are not among the candidates unless a line lists them."""
CONTRACTS: dict[str, ToolContract] = {each.name: each for each in (*_ALL, *_FURTHER)}


def step(name: str, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> ExpectedCall:
    """One expected call."""
    return ExpectedCall(**{"step": StepId(name), "tool": ToolName(tool), "arguments": arguments or {}, **more})


def case(*calls: ExpectedCall, decision: str = "call", **more: Any) -> Case:
    """A case; `instruction`, `tools`, `single_call` and `language` go to the task, the rest to the oracle."""
    words = {name: more.pop(name) for name in ("instruction", "tools", "single_call", "language") if name in more}
    task = {"id": CaseId("c"), "instruction": "Do it.", "language": "en", "registry": "conformance", **words}
    labels = Labels(category="conformance", missing=more.pop("missing", ()))
    oracle = Oracle(**{"decision": decision, "calls": calls, "labels": labels, **more})
    return Case(suite="conformance", task=Task(**task), oracle=oracle)


def single(instruction: str, arguments: dict[str, Any] | None = None, **more: Any) -> Case:
    """A case of one complex function in Dutch, judged by its first reply, with one tool beside it."""
    calls = () if arguments is None else (step("fill", "order", arguments),)
    given = {"tools": (ToolName("order"), ToolName("refuse")), "single_call": True, "language": "nl"}
    return case(*calls, instruction=instruction, **{**given, **more})


def call(tool: str, arguments: dict[str, Any] | str | None = None, status: str = "ok", content: Any = None) -> Call:
    """One call. A text is the raw argument string; what is not one strict JSON object was refused as invalid."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    parsed, error = None, None
    try:
        found = parse_json(raw)
        parsed, error = (found, None) if isinstance(found, dict) else (None, "not an object")
    except JsonError as problem:
        error = problem.found
    status = "invalid" if parsed is None else status
    result = CallResult(status=status, content=content)  # type: ignore[arg-type]
    return Call(id="c", name=tool, raw_arguments=raw, arguments=parsed, parse_error=error, result=result)


def attempt(*rounds: Call | list[Call] | str, **more: Any) -> Attempt:
    """One round a part: a call, the calls of one reply, or a text. `offered` names the candidates."""
    turns = tuple(_round(number, part) for number, part in enumerate(rounds, 1))
    offered = more.pop("offered", tuple(each.name for each in _ALL if each.name != "erase"))
    fields = {
        "task_id": CaseId("c"),
        "repeat": 1,
        "outcome": "completed",
        "candidates": tuple(Candidate(name=ToolName(name), rank=rank) for rank, name in enumerate(offered, 1)),
        "rounds": turns,
        "final_text": turns[-1].text if turns else "",
        "started_at": "2026-01-01T00:00:00.000Z",
        "duration_s": 1.0,
    }
    return Attempt(**{**fields, **more})


def _round(number: int, part: Call | list[Call] | str) -> Round:
    calls = () if isinstance(part, str) else (part,) if isinstance(part, Call) else tuple(part)
    return Round(
        number=number,
        started_at="2026-01-01T00:00:00.000Z",
        duration_s=1.0,
        reply_s=1.0,
        text=part if isinstance(part, str) else "",
        finish_reason="tool_calls" if calls else "stop",
        calls=calls,
        request_sha256=digest_text("request"),
        reply_sha256=digest_text("reply"),
    )


OPEN = object()
"""Stands for a field of a fault, or a step, that the protocol leaves open: the line does not hold it."""


def fault(kind: str, tool: Any = None, step: Any = None, call: Any = None, **more: Any) -> dict[str, Any]:
    """One expected fault: every field stands in the line but those that are open."""
    fields = {"kind": kind, "tool": tool, "step": step, "call": call}
    rest = {name: more.pop(name, None) for name in ("pointer", "expected", "found", "depth")}
    assert not more
    return {name: value for name, value in {**fields, **rest}.items() if value is not OPEN}


_COMMON = ("in_time", "structured_call", "tools_offered")
_STRICT = (*_COMMON, "sequence", "argument_keys", "argument_values", "schema_valid")
_COMPLETION = (*_COMMON, "capabilities_covered", "needed_steps_first", "arguments", "schema_valid", "extras_tolerated")


def condition_names(judged: Case, tier: str) -> tuple[str, ...]:
    """The conditions that a tier has for a case (docs/reference/scoring.md)."""
    strict = tier in (STRICT, REAL)
    if judged.oracle.decision == "any_call":
        return ("in_time", "structured_call")
    if judged.oracle.decision != "call":
        names = ("in_time", "tools_offered", *(("no_call",) if strict else ("only_reads", "schema_valid")))
        return (*names, "text_reply") if judged.oracle.decision == "ask" else names
    if tier == STRICT:
        return _STRICT
    if tier == REAL:
        return (*_STRICT, "executed", "succeeded")
    success = () if judged.oracle.call_only else ("succeeded",)
    return (*_COMPLETION, *success, *(("end_state",) if tier == DONE else ()))


def score(tier: str, parts: tuple[float, ...], extras: int, passed: bool) -> float:
    """The partial score of PROTOCOL 4 from its parts."""
    weights = (0.35, 0.25, 0.15, 0.10, 0.15) if tier in (REAL, DONE) else (0.45, 0.35, 0.20)
    total = sum(weight * part for weight, part in zip(weights, parts, strict=True)) - 0.05 * extras
    return round(max(0.0, total) if passed else min(0.99, max(0.0, total)), 12)


_FLAGS = {"T": True, "F": False, "-": None}


def row(name: str, about: str, judged: Case, found: Attempt, tier: str, *failing: str, **wanted: Any) -> dict[str, Any]:
    """One line.

    Args:
        name: its id.
        about: one sentence, the rule.
        judged: the case.
        found: the attempt.
        tier: the tier.
        failing: names of the conditions that fail; none for an attempt that passes.
        wanted: `parts` and `extras` of the partial score, `dims` (syntactic, conformance, fidelity, restraint as T, F
            or -), `fields` (precision and recall), `faults`, `roles` (`role` or `role:step`, one a call that counts),
            `recovery`, `conforming`.
    """
    names = condition_names(judged, tier)
    assert set(failing) <= set(names), name
    due, passed = judged.oracle.decision == "call", not failing
    whole = (1.0,) * (5 if tier in (REAL, DONE) else 3)
    dims = [_FLAGS[flag] for flag in wanted.pop("dims", "TTTT")]
    keys = ("syntactic_validity", "schema_conformance", "argument_fidelity", "restraint")
    dimensions: dict[str, Any] = dict(zip(keys, dims, strict=True))
    faults = wanted.pop("faults", [])
    dimensions["exact_match"] = all(dims[1:]) if due else not faults
    if judged.oracle.decision == "any_call":
        # No values are known: what is left of an exact match is that the call conforms.
        dimensions["exact_match"] = bool(dims[1])
    fields = wanted.pop("fields", (1.0, 1.0) if passed and due else None)
    if fields is not None:
        dimensions |= {"field_precision": fields[0], "field_recall": fields[1]}
    roles = wanted.pop("roles", [f"expected:{each.step}" for each in judged.oracle.calls] if passed else [])
    parts, extras = wanted.pop("parts", whole), wanted.pop("extras", 0)
    verdict = {
        "passed": passed,
        "passed_with_recovery": wanted.pop("recovery", passed),
        "conditions": {each: each not in failing for each in names},
        "partial": score(tier, parts, extras, passed) if due else float(passed),
        "dimensions": dimensions,
        "faults": faults,
        "roles": [_role(index, role) for index, role in enumerate(roles)],
    }
    if "conforming" in wanted:
        verdict["conforming_replies"] = wanted.pop("conforming")
    assert not wanted, wanted
    return {
        "id": name,
        "about": about,
        "case": to_plain(judged),
        "contracts": [to_plain(each) for each in CONTRACTS.values() if each.name in _needed(judged, found)],
        "harness": "workbench" if tier in (REAL, DONE) else "contract",
        "tier": tier,
        "attempt": to_plain(found),
        "verdict": verdict,
    }


def _role(call: int, text: str) -> dict[str, Any]:
    role, _, name = text.partition(":")
    return {"call": call, "role": role} | ({} if name == "?" else {"step": name or None})


def _needed(judged: Case, found: Attempt) -> set[str]:
    runs = (judged.oracle.calls, *judged.oracle.alternatives)
    return {each.tool for run in runs for each in run} | {each.name for each in found.calls} | set(judged.task.tools)
