"""Example cases for a function of the user's: drafts whose values come from the schema and whose words are a list.

A draft is a starting point. The workflow above judges it (golden run, mutations, gates) before it is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, Mix
from fcbench.core.records import Record
from fcbench.core.schema import resolve_reference
from fcbench.suites.example_values import other_value, proposals
from fcbench.suites.scaffold_words import WORDS, Language, Words

SHARES: dict[Mix, tuple[float, ...]] = {
    "explicit": (0.7, 0.3, 0.0, 0.9),
    "noise": (0.2, 0.0, 0.9),
    "edge": (0.4, 0.0, 0.9),
}
"""Chance that an optional part is there, tried in turn: large or refused drafts are followed by smaller ones, and by
nearly whole ones at last."""
TRIES = 3
"""Draws for each of them."""
_SEEDS: dict[Mix, int] = {"explicit": 1, "noise": 2, "edge": 3}
_LONG_NOTE = 160


class Draft(Record, frozen=True, kw_only=True):
    """One example case, before it is judged."""

    mix: Mix
    case: JsonObject
    """As it stands in a file of cases."""


class Style(Record, frozen=True, kw_only=True):
    """How a value is introduced."""

    described: bool = False
    """Whether the field's description stands in parentheses behind its name."""
    joint: str = ":"
    """Between the two."""


def drafts(contract: ToolContract, mix: Mix, language: Language, prefix: str) -> Iterator[Draft]:
    """Drafts for one kind of instruction, the preferred ones first.

    None where the schema leaves no room for the kind, or where no arguments that satisfy it are found.

    Args:
        contract: the function.
        mix: which kind.
        language: of the words around the values.
        prefix: of the case ids.
    """
    words, droppable = WORDS[language], missable(contract)
    for share in SHARES[mix] if mix != "edge" or droppable else ():
        for count, arguments in enumerate(proposals(contract.parameters, _SEEDS[mix], share, TRIES)):
            # Descriptions may name the function, which no instruction may.
            described = mix == "explicit" and count < TRIES - 1
            if mix == "explicit":
                yield _explicit(contract, arguments, words, (prefix, described))
            elif mix == "noise":
                yield _noise(contract, arguments, words, prefix)
            else:
                yield _edge(contract, arguments, words, (prefix, droppable[count % len(droppable)]))


def missable(contract: ToolContract) -> tuple[str, ...]:
    """Required arguments that a text can leave out: those with one possible value can be told without it."""
    return tuple(name for name in contract.required if name in contract.properties and not _is_fixed(contract, name))


def _is_fixed(contract: ToolContract, name: str) -> bool:
    try:
        part = resolve_reference(contract.parameters, contract.properties[name])
    except KeyError:
        return True
    if not isinstance(part, dict):
        return False
    words = part.get("enum")
    return "const" in part or "default" in part or (isinstance(words, list) and len(words) < 2)


def _explicit(contract: ToolContract, arguments: JsonObject, words: Words, form: tuple[str, bool]) -> Draft:
    prefix, described = form
    lines = _lines(contract, arguments, words, Style(described=described))
    return _call_draft(contract, arguments, "explicit", (prefix, _text(words.explicit, lines), words.all_given, []))


def _noise(contract: ToolContract, arguments: JsonObject, words: Words, prefix: str) -> Draft:
    opening, traps, why = [words.noise[0]], [], words.small_talk
    for name, value in arguments.items():
        other = other_value(contract.parameters, name, value) if isinstance(value, str | int | float) else None
        if other is not None:
            opening.append(words.slip.format(field=_spoken(name), value=_scalar(other, words)))
            traps, why = ["superseded_value"], f"{words.small_talk} {words.taken_back}"
            break
    lines = _lines(contract, arguments, words, Style(joint=" ="))
    text = _text((" ".join(opening), words.noise[1]), lines)
    return _call_draft(contract, arguments, "noise", (prefix, text, why, traps))


def _edge(contract: ToolContract, arguments: JsonObject, words: Words, form: tuple[str, str]) -> Draft:
    prefix, missing = form
    left = {name: value for name, value in arguments.items() if name != missing}
    lines = _lines(contract, left, words, Style(joint=f" {words.of}"))
    oracle: JsonObject = {
        "decision": "ask",
        "rationale": words.missing.format(field=missing),
        "labels": {
            "category": prefix,
            "mix": "edge",
            "traps": ["missing_required"],
            "missing": [missing],
            "target": contract.name,
        },
    }
    return _draft("edge", prefix, _text(words.edge, lines), oracle)


def _call_draft(
    contract: ToolContract, arguments: JsonObject, mix: Mix, told: tuple[str, str, str, list[str]]
) -> Draft:
    prefix, text, why, traps = told
    labels: JsonObject = {"category": prefix, "mix": mix, **({"traps": traps} if traps else {})}
    oracle: JsonObject = {
        "decision": "call",
        "calls": [{"tool": contract.name, "arguments": arguments}],
        "rationale": why,
        "labels": labels,
    }
    return _draft(mix, prefix, text, oracle)


def _draft(mix: Mix, prefix: str, text: str, oracle: JsonObject) -> Draft:
    return Draft(mix=mix, case={"id": f"{prefix}-{mix}", "task": {"instruction": text}, "oracle": oracle})


def _text(around: tuple[str, str], lines: list[str]) -> str:
    return "\n".join([around[0], "", *lines, "", around[1]] if lines else list(around))


def _lines(contract: ToolContract, arguments: JsonObject, words: Words, style: Style) -> list[str]:
    writer = _Writer(contract.parameters, words, style)
    return list(writer.fields(contract.parameters, arguments, 0))


class _Writer:
    """Values as lines of a list: one field a line, what lies inside it indented below."""

    def __init__(self, root: JsonObject, words: Words, style: Style) -> None:
        self.root = root
        self.words = words
        self.style = style

    def fields(self, schema: JsonValue, value: JsonObject, level: int) -> Iterator[str]:
        known = self._properties(schema)
        for name, item in value.items():
            yield from self._labelled(self._label(name, known.get(name)), known.get(name), item, level)

    def _labelled(self, label: str, schema: JsonValue, value: JsonValue, level: int) -> Iterator[str]:
        start = f"{'  ' * level}- {label}"
        if isinstance(value, dict) and value:
            yield f"{start}:"
            yield from self.fields(schema, value, level + 1)
        elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
            yield f"{start}:"
            items = self._items(schema)
            for number, item in enumerate(value, 1):
                yield from self._labelled(str(number), items, item, level + 1)
        elif isinstance(value, list) and value:
            yield f"{start}{self.style.joint} {'; '.join(_scalar(item, self.words) for item in value)}"
        else:
            yield f"{start}{self.style.joint} {_scalar(value, self.words)}"

    def _label(self, name: str, schema: JsonValue) -> str:
        part = self._resolved(schema)
        note = next((_note(each) for each in (schema, part) if isinstance(each, dict) and _note(each)), "")
        return f"{_spoken(name)} ({note})" if note and self.style.described else _spoken(name)

    def _properties(self, schema: JsonValue) -> JsonObject:
        """Declared properties, those of every branch of a union included: only their descriptions are read."""
        part = self._resolved(schema)
        if not isinstance(part, dict):
            return {}
        found: JsonObject = {}
        for keyword in ("allOf", "oneOf", "anyOf"):
            branches = part.get(keyword)
            for branch in branches if isinstance(branches, list) else ():
                own = branch.get("properties") if isinstance(branch := self._resolved(branch), dict) else None
                found.update(own if isinstance(own, dict) else {})
        own = part.get("properties")
        return {**found, **(own if isinstance(own, dict) else {})}

    def _items(self, schema: JsonValue) -> JsonValue:
        part = self._resolved(schema)
        return part.get("items") if isinstance(part, dict) else None

    def _resolved(self, schema: JsonValue) -> JsonValue:
        try:
            return resolve_reference(self.root, schema)
        except KeyError:
            return None


def _note(schema: JsonObject) -> str:
    """The description in one line, its first sentence where it is long."""
    text = schema.get("description")
    line = " ".join(text.split()) if isinstance(text, str) else ""
    if len(line) > _LONG_NOTE:
        line = line.partition(". ")[0][:_LONG_NOTE]
    return line.rstrip(".")


def _spoken(name: str) -> str:
    return " ".join(name.replace("_", " ").split()) or name


def _scalar(value: JsonValue, words: Words) -> str:
    if isinstance(value, bool):
        return words.yes if value else words.no
    if value is None or value in ("", [], {}):
        return words.nothing
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
