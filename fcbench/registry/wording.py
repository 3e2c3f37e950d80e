"""Gates on names and descriptions (PROTOCOL 8): one naming style, no orders to the model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonValue
from fcbench.registry.shapes import Path, Remark, property_names, subschemas

TOOL_NAME = re.compile(r"[a-z0-9_]{1,64}")
_STYLES = (
    ("plain", re.compile(r"[a-z][a-z0-9]*")),
    ("snake_case", re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")),
    ("camelCase", re.compile(r"[a-z][a-z0-9]*([A-Z][a-z0-9]*)+")),
    ("kebab-case", re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")),
)
# Sentences that speak to the model instead of about the tool. "Call variants" is a task of genomics and stays allowed.
_ORDERS = re.compile(
    r"""\b(?:you\s+(?:must|should|need\ to|have\ to|can|may|are)|your\s+(?:task|answer|reply|response)
        |make\ sure|be\ sure\ to|please|important|remember\ to|do\ not\ (?:call|use|ask|guess|invent|fill|assume)
        |don't|never\ (?:call|use|ask|guess|invent|fill|assume)|always\ (?:call|use|ask|fill|set)
        |must\ be\ called|should\ be\ called|(?:call|use|invoke)\ (?:this|the)\ (?:tool|function)|ask\ the\ user
        |prefer\ this|instead\ of\ guessing
        |(?:je|u)\ (?:moet|dient|kunt|mag)|let\ op|zorg\ (?:er|dat|voor)|alstublieft|belangrijk
        |gebruik\ deze|roep\ \w+\ aan|vraag\ de\ gebruiker|verzin\ (?:niet|geen|nooit)
        |(?:gebruik|vul|roep)\ (?:altijd|nooit))\b""",
    re.VERBOSE | re.IGNORECASE,
)


def style_of(name: str) -> str:
    """The naming style of a property; `plain` (one lower-case word) fits snake_case, camelCase and kebab-case."""
    return next((style for style, pattern in _STYLES if pattern.fullmatch(name)), "other")


def naming_styles(contracts: Iterable[ToolContract]) -> dict[str, str]:
    """The most used style of property names for each contract language; `plain` where no name tells."""
    counts: dict[str, Counter[str]] = {}
    for contract in contracts:
        found = counts.setdefault(contract.language, Counter())
        found.update(style for _, name in property_names(contract.parameters) if (style := style_of(name)) != "plain")
    return {
        language: min(found.items(), key=lambda pair: (-pair[1], pair[0]))[0] if found else "plain"
        for language, found in counts.items()
    }


def naming_remarks(contract: ToolContract, style: str) -> Iterator[Remark]:
    """Names that leave the alphabet or the style; paths start at the contract."""
    if not TOOL_NAME.fullmatch(contract.name):
        yield ("name",), "tool-name", f"the name {contract.name!r} must match [a-z0-9_]{{1,64}}"
    for path, name in property_names(contract.parameters):
        found = style_of(name)
        if found == "other" or (found not in ("plain", style)):
            yield (
                ("parameters", *path),
                "naming-style",
                f"the property {name} is {found}; the {contract.language} contracts of this registry use {style}",
            )


def wording_remarks(contract: ToolContract) -> Iterator[Remark]:
    """Descriptions that are missing or speak to the model; paths start at the contract."""
    if len(contract.description.split()) < 4:
        yield ("description",), "description", "the description must say what the tool does and returns"
    for path, text in _texts(contract):
        order = _ORDERS.search(text)
        if order:
            said = f"the description speaks to the model ({order.group(0)!r}); say what the tool or field is"
            yield path, "order-to-model", said


def _texts(contract: ToolContract) -> Iterator[tuple[Path, str]]:
    yield ("description",), contract.description
    for path, node in subschemas(contract.parameters):
        text: JsonValue = node.get("description")
        if isinstance(text, str):
            yield ("parameters", *path, "description"), text
