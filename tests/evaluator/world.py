"""A small world to judge in: eight gene tools, one complex function, and short ways to write cases and attempts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fcbench.core.canonical import digest_text, parse_json
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, Candidate, Phase, Round
from fcbench.core.names import CaseId, ToolName
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.errors import JsonError

TEXT = {"type": "string", "minLength": 1}
PLACE = {"type": "integer", "minimum": 1}


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def contract(name: str, effect: str, parameters: dict[str, Any], **more: Any) -> ToolContract:
    return ToolContract(
        **{
            "name": ToolName(name),
            "version": 1,
            "category": "test",
            "description": f"What {name} does.",
            "parameters": parameters,
            "returns": {"type": "object"},
            "effect": effect,
            "capability": name,
            **more,
        }
    )


FILTERS = {
    "type": "array",
    "items": {
        "oneOf": [
            closed({"soort": {"const": "bedrag"}, "minimum": {"type": "number"}}, "soort", "minimum"),
            closed({"soort": {"const": "plaats"}, "naam": TEXT}, "soort", "naam"),
        ]
    },
}
APPLICATION = closed(
    {
        "dossier_id": {"type": "string", "pattern": "^DOS-[0-9]{5}$"},
        "bedrag": {"type": "number", "minimum": 0, "maximum": 1000000},
        "klant": closed(
            {
                "voornaam": TEXT,
                "tussenvoegsel": TEXT,
                "achternaam": TEXT,
                "geboortedatum": {"type": "string", "format": "date"},
                "soort": {"type": "string", "enum": ["PRIVATE", "BUSINESS"]},
            },
            "achternaam",
        ),
        "delen": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": closed({"vorm": {"enum": ["annuitair", "lineair"]}, "hoofdsom": {"type": "integer"}}, "hoofdsom"),
        },
        "filters": FILTERS,
        "code": {"type": "string", "maxLength": 4},
        "betaald": {"type": "boolean"},
    },
    "dossier_id",
    **{"if": {"properties": {"betaald": {"const": True}}, "required": ["betaald"]}, "then": {"required": ["code"]}},
)

_ALL = [
    contract(
        "search_gene",
        "reads",
        closed({"name": TEXT, "limit": {"type": "integer", "default": 20}, "strict": {"type": "boolean"}}, "name"),
        neutral_arguments=("limit",),
        lookalikes=("search_feature",),
        equivalents=(
            Equivalent(
                tool=ToolName("search_feature"),
                when={"strict": None},
                arguments={"query": FormValue(argument="name"), "kind": FormValue(constant="gene")},
                reason="a feature search for genes finds the same genes",
            ),
        ),
    ),
    contract("search_feature", "reads", closed({"query": TEXT, "kind": {"enum": ["gene", "cds"]}}, "query")),
    contract(
        "get_bases",
        "reads",
        closed(
            {
                "start": PLACE,
                "end": PLACE,
                "strand": {"enum": ["+", "-"], "default": "+"},
                "offset": {"type": "integer"},
            },
        ),
        argument_forms=(
            ArgumentForm(
                name="zero_based",
                replaces=("start",),
                uses={"offset": FormValue(argument="start", offset=-1)},
                reason="an offset counts from 0",
            ),
        ),
    ),
    contract("go_to", "view", closed({"position": PLACE}, "position")),
    contract("insert", "project", closed({"position": PLACE, "sequence": TEXT}, "position"), follow_ups=("apply",)),
    contract("apply", "project", closed({})),
    contract("drop", "project", closed({"name": TEXT}, "name")),
    contract("bookmark", "session", closed({"name": TEXT}, "name")),
    contract("save", "file", closed({"path": TEXT}, "path")),
    contract("aanvraag", "project", APPLICATION, language="nl", portability="full"),
    contract(
        "pick",
        "reads",
        closed({"a": {"type": "integer", "not": {"const": 9}}, "b": PLACE}, **{"not": {"required": ["a", "b"]}}),
    ),
    contract("afwijzing", "project", closed({"dossier_id": TEXT}, "dossier_id")),
]
CONTRACTS: dict[ToolName, ToolContract] = {each.name: each for each in _ALL}
OFFERED = tuple(name for name in CONTRACTS if name != "drop")


def step(name: str, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> ExpectedCall:
    return ExpectedCall(**{"step": name, "tool": ToolName(tool), "arguments": arguments or {}, **more})


def case(*calls: ExpectedCall, **more: Any) -> Case:
    """A case; `task` and `oracle` take further fields, `decision` and `missing` go where they belong."""
    task = {"id": CaseId("t-1"), "instruction": "Do it.", "language": "en", "registry": "test", **more.pop("task", {})}
    labels = Labels(category="test", missing=more.pop("missing", ()))
    oracle = {"decision": more.pop("decision", "call"), "calls": calls, "labels": labels, **more.pop("oracle", {})}
    return Case(**{"suite": "test", "task": Task(**task), "oracle": Oracle(**oracle), **more})


def dutch(instruction: str, *calls: ExpectedCall, **more: Any) -> Case:
    """A complex-schema case: one function, one declared distractor, judged by its first reply."""
    task = {
        "instruction": instruction,
        "language": "nl",
        "single_call": True,
        "tools": (ToolName("aanvraag"), ToolName("afwijzing")),
        **more.pop("task", {}),
    }
    return case(*calls, task=task, harnesses=("contract",), **more)


def call(
    tool: str, arguments: dict[str, Any] | str | None = None, status: str | None = None, content: Any = None
) -> Call:
    """A call as a harness records it: rejected where the arguments do not parse or break the schema."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    parsed, error = None, None
    try:
        found = parse_json(raw)
        parsed, error = (found, None) if isinstance(found, dict) else (None, "not an object")
    except JsonError as problem:
        error = problem.found
    made = Call(
        id="c",
        name=tool,
        raw_arguments=raw,
        arguments=parsed,
        parse_error=error,
        result=CallResult(status="ok", content=content),
    )
    known = CONTRACTS.get(ToolName(tool))
    usual = "not_offered" if tool not in OFFERED else "ok" if _is_valid(made, known) else "invalid"
    return Call(**{**_fields(made), "result": CallResult(status=status or usual, content=content)})  # type: ignore[arg-type]


def _is_valid(made: Call, known: ToolContract | None) -> bool:
    return known is not None and made.arguments is not None and parameters_schema(known).is_valid(made.arguments)


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


PHASES = tuple(
    Phase(name=name, at_s=0.0)
    for name in ("prepared", "retrieved", "requested", "replied", "executed", "ended")  # type: ignore[arg-type]
)


def attempt(*rounds: Call | Sequence[Call] | str, **more: Any) -> Attempt:
    """One round a part: a call, several calls of one reply, or a text."""
    turns = [_round(number, part) for number, part in enumerate(rounds, 1)]
    last = turns[-1].text if turns else ""
    return Attempt(
        **{
            "task_id": CaseId("t-1"),
            "repeat": 1,
            "outcome": "completed",
            "candidates": tuple(Candidate(name=name, rank=rank) for rank, name in enumerate(OFFERED, 1)),
            "rounds": tuple(turns),
            "final_text": last,
            "started_at": "2026-11-30T12:00:00.000Z",
            "duration_s": 1.0,
            "phases": PHASES,
            **more,
        }
    )


def _round(number: int, part: Call | Sequence[Call] | str) -> Round:
    calls: Iterable[Call] = () if isinstance(part, str) else (part,) if isinstance(part, Call) else part
    return Round(
        number=number,
        started_at="2026-11-30T12:00:00.000Z",
        duration_s=1.0,
        reply_s=1.0,
        text=part if isinstance(part, str) else "",
        finish_reason="stop" if isinstance(part, str) else "tool_calls",
        calls=tuple(calls),
        request_sha256=digest_text("request"),
        reply_sha256=digest_text("reply"),
    )
