"""How the workbench's tools and calls look on the terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from fcbench.cli.call_report import badge, result_line
from fcbench.cli.output import table
from fcbench.cli.screen import Line, block, json_text
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.schema import resolve_reference
from fcbench.workflows.validated import counted
from fcbench.workflows.workbench_call import STATE_PARTS, Answer
from fcbench.workflows.workbench_list import ToolRow

_MAX_WORDS = 12
"""Allowed words of an enumeration that the help shows."""


def tools_text(rows: Sequence[ToolRow]) -> str:
    """A table of tools by category, and what was counted."""
    cells = [(row.category, row.name, row.effect, row.engine or "none", row.provenance or "none") for row in rows]
    shown = table(("category", "tool", "effect", "engine", "provenance"), cells)
    parts = [", ".join((counted(len(rows), "tool"), *_few_categories(rows)))]
    for column in (2, 4):
        counts = Counter(row[column] for row in cells)
        parts.append(", ".join(f"{number} {name}" for name, number in counts.most_common()))
    return shown + "\n\n" + "; ".join(parts)


def _few_categories(rows: Sequence[ToolRow]) -> list[str]:
    number = len({row.category for row in rows})
    return [f"{number} categories"] if number > 1 else []


def answer_lines(answer: Answer) -> list[Line]:
    """One call: badge, arguments, then what is wrong with them or what came of it. Nothing is cut."""
    contract = answer.contract
    lines: list[Line] = [badge(contract.name, contract.effect)]
    if answer.arguments is not None:
        lines += block(json_text(answer.arguments), "  ", cut=False)
    if answer.result is None:
        lines += block(answer.checked.text(), "  ", "red", cut=False)
        return lines
    lines.append(result_line(answer.result, "  "))
    style = "" if answer.succeeded else "red"
    lines += block(json_text(answer.result.content), "    ", style, cut=False)
    if answer.changed:
        lines.append((("  changed: ", "dim"), (", ".join(answer.changed), "")))
    lines += [(("  written: ", "dim"), (str(path), "")) for path in answer.written]
    return lines


def state_lines(state: JsonObject) -> list[Line]:
    """The parts of the end state with the first letters of their digests, then the facts."""
    lines: list[Line] = [((part.ljust(8), "bold"), (str(state[part])[:12], "")) for part in STATE_PARTS]
    return lines + block(json.dumps(state["facts"], ensure_ascii=False, indent=2), "  ", cut=False)


def help_lines(contract: ToolContract) -> list[Line]:
    """A tool as its contract describes it: what it does, and each argument with type, default and meaning."""
    lines: list[Line] = [badge(contract.name, contract.effect), ((f"  {contract.description}", ""),)]
    for name, schema in contract.properties.items():
        found = _resolved(contract, schema)
        needed = "required" if name in contract.required else "optional"
        default = f", default {json_text(found['default'])}" if "default" in found else ""
        lines.append((("  " + name, "bold"), (f"  {needed}, {type_text(contract, found)}{default}", "")))
        if found.get("description"):
            lines.append((("      " + str(found["description"]), "dim"),))
    if not contract.properties:
        lines.append((("  no arguments", "dim"),))
    return lines


def _resolved(contract: ToolContract, schema: JsonValue) -> JsonObject:
    """A schema with its reference followed; keys beside the reference win."""
    try:
        found = resolve_reference(contract.parameters, schema)
    except KeyError:
        found = schema
    return {**(found if isinstance(found, dict) else {}), **(schema if isinstance(schema, dict) else {})}


def type_text(contract: ToolContract, schema: JsonObject, depth: int = 0) -> str:
    """What a value has to be, in a few words."""
    allowed = schema.get("enum")
    if isinstance(allowed, list):
        shown = ", ".join(json_text(word) for word in allowed[:_MAX_WORDS])
        return f"one of {shown}" + (f" and {len(allowed) - _MAX_WORDS} more" if len(allowed) > _MAX_WORDS else "")
    kind = str(schema.get("type", "value"))
    if kind == "array" and depth < 2:
        items = type_text(contract, _resolved(contract, schema.get("items")), depth + 1)
        return f"list{_limits(schema, 'minItems', 'maxItems')} of {items}"
    if kind == "object" and isinstance(schema.get("properties"), dict):
        return "object with " + ", ".join(_keys(schema))
    pattern = f" matching {schema['pattern']}" if "pattern" in schema else ""
    limits = _limits(schema, "minimum", "maximum") or _limits(schema, "minLength", "maxLength", " letters")
    return kind + limits + pattern


def _keys(schema: JsonObject) -> list[str]:
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, dict) else []
    needed = required if isinstance(required, list) else []
    return [name if name in needed else f"{name}?" for name in names]


def _limits(schema: JsonObject, least: str, most: str, unit: str = "") -> str:
    low, high = schema.get(least), schema.get(most)
    if low is None and high is None:
        return ""
    if high is None:
        return f" from {low}{unit}"
    return f" up to {high}{unit}" if low is None else f" {low} to {high}{unit}"
