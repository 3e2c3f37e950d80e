"""Generators of the project's values, for every test that draws them."""

from __future__ import annotations

import random
from typing import Any, get_args

from hypothesis import strategies as st

from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.names import CaseId, Effect, StepId, ToolName
from fcbench.core.samples import sample

MAX_SAFE = 2**53 - 1

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
"""Unicode texts without lone surrogates."""
numbers = st.integers(-MAX_SAFE, MAX_SAFE) | st.floats(-1e15, 1e15) | st.floats(1e22, allow_infinity=False)
"""Numbers that come back from their canonical form. Whole doubles from 2^53 to 1e21 are written as integers, which no
longer have one when they are read again (`test_canonical` shows it)."""
scalars = st.none() | st.booleans() | numbers | texts
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
"""JSON values that have a canonical form."""
json_objects = st.dictionaries(texts, json_values, max_size=4)

names = st.from_regex(r"[a-z][a-z0-9]{0,5}(_[a-z0-9]{1,4})?", fullmatch=True)
PATTERNS = (
    "^DOS-[0-9]{5}$",
    "^[A-Z]{2}[0-9]{2}$",
    "^[1-9][0-9]{3} ?[A-Z]{2}$",
    "^(?:a|bc|[d-f]+)$",
    "^[^@ ]{1,8}@[a-z]{1,5}\\.[a-z]{2}$",
    "^[ACGTN]*$",
    "^[+-]?[0-9]+$",
)


def _bounded(low: int, high: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda pair: (min(pair), max(pair)))


_strings = st.one_of(
    st.just({"type": "string"}),
    st.sampled_from(PATTERNS).map(lambda pattern: {"type": "string", "pattern": pattern}),
    st.sampled_from(("date", "uuid")).map(lambda name: {"type": "string", "format": name}),
    _bounded(0, 6).map(lambda pair: {"type": "string", "minLength": pair[0], "maxLength": pair[1]}),
    st.lists(texts, min_size=1, max_size=4, unique=True).map(lambda words: {"type": "string", "enum": words}),
)
_numbers = st.one_of(
    _bounded(-50, 50).map(lambda pair: {"type": "integer", "minimum": pair[0], "maximum": pair[1]}),
    _bounded(-50, 50).map(lambda pair: {"type": "number", "minimum": pair[0], "exclusiveMaximum": pair[1] + 1}),
    st.integers(1, 9).map(lambda step: {"type": "integer", "multipleOf": step, "minimum": 0, "maximum": 1000}),
)
_plain = st.one_of(
    _strings, _numbers, st.just({"type": "boolean"}), st.just({"type": ["string", "null"]}), st.just({"const": 7})
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    def build(properties: dict[str, Any], asked: set[str]) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": properties,
            "required": sorted(asked & properties.keys()),
            "additionalProperties": False,
        }

    keys = st.sampled_from(("a", "b", "c_d", "kind"))
    return st.builds(build, st.dictionaries(keys, inner, min_size=1, max_size=3), st.sets(keys))


def _arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda items, least, unique: (
            {"type": "array", "items": items, "minItems": least, "maxItems": 3}
            | ({"uniqueItems": True} if unique else {})
        ),
        inner,
        st.integers(0, 1),
        st.booleans(),
    )


def _unions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A discriminated union: each branch has another constant under `kind`, as contracts write it."""

    def branch(tag: str, part: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"kind": {"const": tag}, "value": part},
            "required": ["kind", "value"],
            "additionalProperties": False,
        }

    return st.lists(inner, min_size=2, max_size=3).map(
        lambda parts: {"oneOf": [branch(f"k{index}", part) for index, part in enumerate(parts)]}
    )


def _conditionals(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return inner.map(
        lambda part: {
            "type": "object",
            "properties": {"mode": {"type": "string", "enum": ["x", "y"]}, "extra": part},
            "required": ["mode"],
            "additionalProperties": False,
            "if": {"properties": {"mode": {"const": "x"}}, "required": ["mode"]},
            "then": {"required": ["extra"]},
            "else": {"properties": {"extra": False}},
        }
    )


subset_schemas = st.recursive(
    _plain,
    lambda inner: st.one_of(_objects(inner), _arrays(inner), _unions(inner), _conditionals(inner)),
    max_leaves=5,
)
"""JSON Schemas inside the contract subset of PROTOCOL 8 that some value satisfies."""


def make_contract(**changes: Any) -> ToolContract:
    """A small, sound contract with changes."""
    fields: dict[str, Any] = {
        "name": "get_part",
        "version": 1,
        "category": "parts",
        "description": "Returns the part of a record that lies between two places.",
        "parameters": {
            "type": "object",
            "properties": {
                "start": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "First place, from 1."},
                "label": {"type": "string", "description": "What to call it.", "minLength": 1},
            },
            "required": ["start"],
            "additionalProperties": False,
        },
        "returns": {
            "type": "object",
            "properties": {"start": {"type": "integer", "minimum": 1, "maximum": 1000}, "text": {"type": "string"}},
            "required": ["start", "text"],
            "additionalProperties": False,
        },
        "effect": "reads",
        "capability": "part",
    }
    return ToolContract(**{**fields, **changes})


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@st.composite
def tool_worlds(draw: st.DrawFn) -> dict[ToolName, ToolContract]:
    """Two to four tools with random parameters, one more that reads and one more that changes the project.

    Every tool returns a place, and may take one in `ref`, so that calls can be chained.
    """
    contracts = []
    for index in range(draw(st.integers(2, 4))):
        properties = draw(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), _plain | _arrays(_plain), max_size=3))
        required = draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
        contracts.append((f"tool_{index}", _closed({**properties, "ref": {"type": "integer"}}, required)))
    contracts += [("look", _closed({}, [])), ("wipe", _closed({}, []))]
    effects = {"look": "reads", "wipe": "project"}
    return {
        ToolName(name): make_contract(
            name=name,
            capability=name,
            parameters=parameters,
            effect=effects.get(name) or draw(st.sampled_from(get_args(Effect))),
            returns=_closed({"at": {"type": "integer", "minimum": 1, "maximum": 9}}, ["at"]),
        )
        for name, parameters in contracts
    }


@st.composite
def judged_cases(draw: st.DrawFn) -> tuple[Case, dict[ToolName, ToolContract]]:
    """A case of one to four steps in a random world, with references, needs and free-order blocks."""
    contracts = draw(tool_worlds())
    tools = sorted(name for name in contracts if name.startswith("tool_"))
    rng = random.Random(draw(st.integers(0, 999)))
    steps: list[ExpectedCall] = []
    for index in range(draw(st.integers(1, 4))):
        tool = draw(st.sampled_from(tools))
        arguments = sample(contracts[tool].parameters, rng, optional=0.5)
        assert isinstance(arguments, dict)
        arguments.pop("ref", None)
        earlier = [step.step for step in steps]
        if earlier and draw(st.booleans()):
            arguments["ref"] = {"$from": {"step": draw(st.sampled_from(earlier)), "pointer": "/at"}}
        after = (draw(st.sampled_from(earlier)),) if earlier and draw(st.integers(0, 3)) == 0 else ()
        block = draw(st.none() | st.just(index // 2))
        steps.append(ExpectedCall(step=StepId(f"s{index}"), tool=tool, arguments=arguments, block=block, after=after))
    oracle = Oracle(decision="call", calls=tuple(steps), labels=Labels(category="drawn"))
    task = Task(id=CaseId("drawn"), instruction="Do it.", language="en", registry="drawn")
    return Case(suite="drawn", task=task, oracle=oracle), contracts


PLACE_FORM = ArgumentForm(
    name="from_zero",
    replaces=("place",),
    uses={"offset": FormValue(argument="place", offset=-1)},
    reason="an offset counts from 0",
)


def _rich_contract(name: str, part: dict[str, Any], needed: bool, effect: Effect, more: dict[str, Any]) -> ToolContract:
    """A tool with a drawn part, a default, a neutral argument and a place that has a second form."""
    parameters = _closed(
        {
            "part": part,
            "mode": {"type": "string", "enum": ["near", "far"], "default": "near"},
            "limit": {"type": "integer"},
            "place": {"type": "integer", "minimum": 1},
            "offset": {"type": "integer", "minimum": 0},
            "ref": {"type": "integer"},
        },
        ["part"] if needed else [],
    )
    return make_contract(
        name=name,
        capability=name,
        parameters=parameters,
        effect=effect,
        returns=_closed({"at": {"type": "integer", "minimum": 1, "maximum": 9}}, ["at"]),
        neutral_arguments=("limit",),
        argument_forms=(PLACE_FORM,),
        **more,
    )


@st.composite
def rich_worlds(draw: st.DrawFn) -> dict[ToolName, ToolContract]:
    """Two or three tools of nested objects, lists, enums, unions and conditionals, with what a contract may declare.

    `tool_N` has the equivalent `twin_N` and, sometimes, the follow-up `tidy`; `look` only reads, `wipe` and `tidy`
    change the project.
    """
    changing = draw(st.sampled_from(get_args(Effect)))
    contracts = []
    for index in range(draw(st.integers(2, 3))):
        part, needed = draw(subset_schemas), draw(st.booleans())
        twin = Equivalent(
            tool=ToolName(f"twin_{index}"),
            when={"place": None, "ref": None},
            arguments={"what": FormValue(argument="part"), "kind": FormValue(constant="same")},
            reason="the twin gives the same part",
        )
        more = {"equivalents": (twin,), "follow_ups": (ToolName("tidy"),) if draw(st.booleans()) else ()}
        contracts.append(_rich_contract(f"tool_{index}", part, needed, "reads" if index else changing, more))
        kind = {"type": "string", "enum": ["same", "other"]}
        contracts.append(
            make_contract(
                name=f"twin_{index}",
                capability=f"twin_{index}",
                parameters=_closed({"what": {}, "kind": kind}, ["what", "kind"]),
            )
        )
    effects: dict[str, Effect] = {"look": "reads", "wipe": "project", "tidy": "project"}
    for name, effect in effects.items():
        contracts.append(make_contract(name=name, capability=name, parameters=_closed({}, []), effect=effect))
    return {contract.name: contract for contract in contracts}


@st.composite
def rich_cases(draw: st.DrawFn) -> tuple[Case, dict[ToolName, ToolContract]]:
    """A case of one to three steps in a rich world, with references, needs, blocks and keys that may be left out."""
    contracts = draw(rich_worlds())
    tools = sorted(name for name in contracts if name.startswith("tool_"))
    rng = random.Random(draw(st.integers(0, 999)))
    steps: list[ExpectedCall] = []
    for index in range(draw(st.integers(1, 3))):
        tool = draw(st.sampled_from(tools))
        arguments = sample(contracts[tool].parameters, rng, optional=0.5)
        assert isinstance(arguments, dict)
        for name in ("ref", "offset", "limit"):
            arguments.pop(name, None)
        earlier = [step.step for step in steps]
        if earlier and draw(st.booleans()):
            arguments["ref"] = {"$from": {"step": draw(st.sampled_from(earlier)), "pointer": "/at"}}
        after = (draw(st.sampled_from(earlier)),) if earlier and draw(st.integers(0, 3)) == 0 else ()
        steps.append(
            ExpectedCall(
                step=StepId(f"s{index}"),
                tool=tool,
                arguments=arguments,
                block=draw(st.none() | st.just(0)),
                after=after,
            )
        )
    oracle = Oracle(decision="call", calls=tuple(steps), labels=Labels(category="drawn"))
    task = Task(id=CaseId("drawn"), instruction="Do it.", language="en", registry="drawn")
    return Case(suite="drawn", task=task, oracle=oracle), contracts
