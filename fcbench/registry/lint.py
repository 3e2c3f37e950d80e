"""The gates of PROTOCOL 8 for contracts. Imported contracts are exempt from naming, style and description."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

from fcbench.core.canonical import digest_text, pointer, pointer_parts
from fcbench.core.contracts import ToolContract
from fcbench.core.findings import Finding, sorted_findings
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema, resolve_reference
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import BadInputError
from fcbench.registry.model import Registry
from fcbench.registry.relations import relation_remarks
from fcbench.registry.shapes import (
    Remark,
    closed_remarks,
    default_remarks,
    description_remarks,
    is_full,
    root_remarks,
    shape_remarks,
)
from fcbench.registry.wording import naming_remarks, naming_styles, wording_remarks

SAMPLES = 8
"""Seeded calls for which the synthetic answer of a contract is checked."""


RULES = {
    "keyword": "Only keywords on which both validators agree.",
    "schema": "Parameters and result compile as JSON Schema 2020-12.",
    "ref": "A `$ref` leads to `#/$defs/...` of the same schema.",
    "root-object": "The root of the parameters is a plain `type: object`.",
    "closed-object": "Every object of the parameters is closed (`additionalProperties`).",
    "pattern-explicit": "Patterns use explicit classes: no `\\d`, `\\w`, `\\s`, `\\p`, `.`, look-around, reference.",
    "pattern-anchored": "Patterns begin with `^` and end with `$`, as a whole.",
    "multiple-of": "`multipleOf` is a whole number from 1.",
    "format": "`format` is `date` or `uuid`.",
    "description": "The tool and every property are described.",
    "default-on-required": "A required key has no default.",
    "default-valid": "A default conforms to its own schema.",
    "portability": "`portability` says whether the parameters use unions, conditionals or references.",
    "satisfiable": "Parameters, each argument and the result have at least one example that the sampler finds.",
    "synthetic": "The synthetic answer fits the result schema, with what is echoed, constant or derived.",
    "relation": "Relations name tools and arguments that exist, and map every required argument.",
    "tool-name": "Tool names match `[a-z0-9_]{1,64}`.",
    "naming-style": "One naming style of properties for each language of a registry.",
    "order-to-model": "Descriptions say what a tool or field is and do not speak to the model.",
    "copied-description": "No two tools share a description.",
    "file-name": "The file is called like the tool.",
    "category-folder": "The folder is called like the category, where there is one.",
}
"""Every rule of the lint, in one sentence."""


def lint(registry: Registry) -> tuple[Finding, ...]:
    """Every finding over all contracts of a registry, in the order of files and lines."""
    styles = naming_styles(each for each in registry.contracts.values() if each.imported_from is None)
    found: list[Finding] = []
    for key, contract in registry.contracts.items():
        style = styles.get(contract.language, "plain")
        found += [_finding(registry, key, remark) for remark in _remarks(registry, contract, style)]
    found += [_finding(registry, contract.name, remark) for contract, remark in _copies(registry)]
    return sorted_findings(found)


def _finding(registry: Registry, key: ToolName, remark: Remark) -> Finding:
    path, rule, message = remark
    assert rule in RULES, rule
    place, contract = pointer(*path), registry.contracts[key]
    source = registry.sources.get(key)
    return Finding(
        rule=rule,
        message=f"{contract.name}: {message}",
        file=source.document.file if source else f"{registry.name}/{key}",
        line=source.document.line_of(place) if source else 1,
        field=place,
    )


def _remarks(registry: Registry, contract: ToolContract, style: str) -> Iterator[Remark]:
    yield from _schema_remarks(contract)
    yield from relation_remarks(contract, registry.contracts)
    if contract.imported_from is None:
        yield from naming_remarks(contract, style)
        yield from wording_remarks(contract)
        yield from _below("parameters", description_remarks(contract.parameters))
        yield from _file_remarks(registry, contract)


def _below(field: str, remarks: Iterator[Remark]) -> Iterator[Remark]:
    for path, rule, message in remarks:
        yield (field, *path), rule, message


def _schema_remarks(contract: ToolContract) -> Iterator[Remark]:
    sound = True
    schemas: tuple[tuple[str, JsonObject], ...] = (("parameters", contract.parameters), ("returns", contract.returns))
    for field, schema in schemas:
        remarks = list(_below(field, shape_remarks(schema)))
        yield from remarks
        # Outside the subset the sampler does not know its way; its complaint would only repeat the remark.
        sound = sound and not remarks
        # A reference that leads nowhere was named already, with its place; the compiler would only say it again.
        if any(rule == "ref" for _, rule, _ in remarks):
            continue
        try:
            compile_schema(schema)
        except BadInputError as error:
            sound = False
            yield (field,), "schema", f"{error.message}: {error.found or ''}"
    yield from _below("parameters", root_remarks(contract.parameters))
    yield from _below("parameters", closed_remarks(contract.parameters))
    yield from _below("parameters", default_remarks(contract.parameters))
    wanted = "full" if is_full(contract.parameters) else "portable"
    if contract.portability != wanted:
        yield ("portability",), "portability", f"the parameters are {wanted}, the contract says {contract.portability}"
    if sound:
        yield from _each_argument(contract)
        yield from _synthetic(contract)


def _each_argument(contract: ToolContract) -> Iterator[Remark]:
    """Each argument by itself: can anybody give it, and does its default conform?"""
    rng = random.Random(0)
    for name in contract.properties:
        alone: JsonObject = {"type": "object", "properties": {name: contract.properties[name]}, "required": [name]}
        if "$defs" in contract.parameters:
            alone["$defs"] = contract.parameters["$defs"]
        path = ("parameters", "properties", name)
        try:
            sample(alone, rng)
        except BadInputError:
            yield path, "satisfiable", f"no value of the argument {name} was found"
        if name in contract.defaults and not compile_schema(alone).is_valid({name: contract.defaults[name]}):
            yield (*path, "default"), "default-valid", f"the default of {name} breaks its own schema"


def _synthetic(contract: ToolContract) -> Iterator[Remark]:
    """Whether the contract harness can answer: seeded calls, each answer checked against the result schema."""
    places = [("echo", place) for place in contract.synthetic.echo]
    places += [("constants", place) for place in contract.synthetic.constants]
    places += [("derived", place) for place in contract.synthetic.derived]
    places += [("repeated", place) for place in contract.synthetic.repeated]
    for kind, place in places:
        if not _leads(contract.returns, place):
            said = f"{place} is no place of the result schema"
            yield ("synthetic", kind, place), "synthetic", said
            return
    for place, name in contract.synthetic.echo.items():
        # Beside an argument that a call may leave out, the constant is what stands there then.
        if place in contract.synthetic.constants and (name in contract.required or name in contract.defaults):
            yield ("synthetic", "constants", place), "synthetic", f"{place} is echoed and constant at once"
    for place in contract.synthetic.echo.keys() & contract.synthetic.derived.keys():
        yield ("synthetic", "derived", place), "synthetic", f"{place} is echoed and derived at once"
    rng = random.Random(int(digest_text(contract.name), 16))
    returns = compile_schema(contract.returns)
    for _ in range(SAMPLES):
        try:
            arguments = sample(contract.parameters, rng)
        except BadInputError as error:
            yield ("parameters",), "satisfiable", f"no example of the parameters was found: {error.found}"
            return
        try:
            result = synthetic_result(contract, arguments if isinstance(arguments, dict) else {})
        except BadInputError as error:
            yield ("returns",), "satisfiable", f"no example of the result was found: {error.found}"
            return
        broken = returns.violations(result)
        if broken:
            said = f"the synthetic answer breaks the result schema at {broken[0].pointer or '/'}: {broken[0].message}"
            yield ("synthetic",), "synthetic", said
            return


def _leads(root: JsonValue, place: str) -> bool:
    """Whether a JSON Pointer leads to a declared place of a result schema."""
    try:
        parts = pointer_parts(place)
    except BadInputError:
        return False
    schema = resolve_reference(root, root)
    for part in parts:
        if not isinstance(schema, dict):
            return False
        properties, items = schema.get("properties"), schema.get("items")
        if isinstance(properties, dict) and part in properties:
            schema = resolve_reference(root, properties[part])
        elif items is not None and part.isascii() and part.isdigit():
            schema = resolve_reference(root, items)
        else:
            return False
    return True


def _file_remarks(registry: Registry, contract: ToolContract) -> Iterator[Remark]:
    source = registry.sources.get(contract.name)
    if source is None:
        return
    if source.stem != contract.name:
        yield ("name",), "file-name", f"the file is called {source.stem}, the tool {contract.name}"
    if source.folders and source.folders != (contract.category,):
        yield ("category",), "category-folder", f"the file lies in {'/'.join(source.folders)}"


def _copies(registry: Registry) -> Iterator[tuple[ToolContract, Remark]]:
    """Descriptions that two tools share word for word: a reader could not tell the tools apart."""
    by_text: dict[str, list[ToolContract]] = defaultdict(list)
    for contract in registry.contracts.values():
        if contract.imported_from is None:
            by_text[" ".join(contract.description.lower().split())].append(contract)
    for group in by_text.values():
        for contract in group[1:]:
            yield contract, (("description",), "copied-description", f"the same description as {group[0].name}")
