"""Slot filling by rule: which mention of an instruction goes into which argument of a schema.

The writing half of the rule-based control `lexical`. Each leaf of the schema is scored against each mention by form
(type, format, pattern, limits) and by nearness of the argument's own words; the best pairs are taken first, each
mention once. Nothing is invented: a required argument without a fitting mention is left out, and the call is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.core.schema import compile_subschema, resolve_reference
from fcbench.errors import FcbenchError
from fcbench.providers.mentions import Mention, Reading
from fcbench.retrieval.terms import terms

Path = tuple[str | int, ...]
MAX_LEAVES = 400
MAX_DEPTH = 12
_NAME_WEIGHT, _TEXT_WEIGHT = 3.0, 1.0
_OPTIONAL_NEEDS = 1.4
"""Least score at which an optional argument is filled in: its own words stand close by."""
_NO = re.compile(r"\b(?:no|not|without|never|leave|geen|niet|zonder)\b", re.IGNORECASE)


class Leaf(Record, frozen=True, kw_only=True):
    """One place of a schema that takes a single value."""

    path: Path
    schema: JsonObject
    is_required: bool
    """Required, as are all objects above it."""
    in_list: bool = False
    """Whether several mentions may go in, as items of a list."""


def fill(schema: JsonObject, reading: Reading) -> JsonObject:
    """Arguments for a schema from what an instruction mentions."""
    leaves = list(_leaves(schema, schema, (), is_required=True))[:MAX_LEAVES]
    chosen: list[tuple[Path, JsonValue]] = []
    open_leaves = []
    for leaf in leaves:
        named = _by_words(leaf, reading)
        if named is None:
            open_leaves.append(leaf)
        else:
            chosen += named
    chosen += _assigned(schema, open_leaves, reading)
    order = {leaf.path: index for index, leaf in enumerate(leaves)}
    value: JsonObject = {}
    for path, item in sorted(chosen, key=lambda pair: order.get(pair[0], order.get(pair[0][:-1], 0))):
        _put(value, path, item)
    return value


def _leaves(root: JsonObject, schema: JsonValue, path: Path, *, is_required: bool) -> Iterator[Leaf]:
    place = resolve_reference(root, schema) if isinstance(schema, dict) else None
    if not isinstance(place, dict) or len(path) > MAX_DEPTH:
        return
    for keyword in ("oneOf", "anyOf"):
        branches = place.get(keyword)
        if isinstance(branches, list) and branches and "properties" not in place:
            yield from _leaves(root, branches[0], path, is_required=is_required)
            return
    properties, items = place.get("properties"), place.get("items")
    if isinstance(properties, dict):
        required = place.get("required")
        needed = required if isinstance(required, list) else []
        for name, inner in properties.items():
            yield from _leaves(root, inner, (*path, name), is_required=is_required and name in needed)
    elif isinstance(items, dict):
        inner_items = resolve_reference(root, items)
        is_flat = isinstance(inner_items, dict) and not ({"properties", "oneOf", "anyOf"} & inner_items.keys())
        if is_flat and isinstance(inner_items, dict):
            words = {"description": f"{place.get('description', '')} {inner_items.get('description', '')}"}
            yield Leaf(path=path, schema={**inner_items, **words}, is_required=is_required, in_list=True)
        else:
            yield from _leaves(root, items, (*path, 0), is_required=is_required)
    else:
        yield Leaf(path=path, schema=place, is_required=is_required)


def _by_words(leaf: Leaf, reading: Reading) -> list[tuple[Path, JsonValue]] | None:
    """Value of a leaf that words decide (const, enum, boolean); None for one that takes a mention."""
    schema = leaf.schema
    if "const" in schema:
        return [(leaf.path, schema["const"])] if leaf.is_required else []
    enum = schema.get("enum")
    if isinstance(enum, list):
        return _enum(leaf, enum, reading)
    if schema.get("type") == "boolean":
        return _boolean(leaf, reading)
    return None


def _enum(leaf: Leaf, enum: Sequence[JsonValue], reading: Reading) -> list[tuple[Path, JsonValue]]:
    known = set(reading.stems)
    scored = [(_overlap(str(option), known), -index, option) for index, option in enumerate(enum)]
    found = [option for share, _, option in scored if share == 1.0]
    if leaf.in_list and found:
        return [((*leaf.path, index), option) for index, option in enumerate(found)]
    share, _, best = max(scored, key=lambda entry: entry[:2], default=(0.0, 0, None))
    is_good = share == 1.0 or (leaf.is_required and share > 0)
    return [((*leaf.path, 0) if leaf.in_list else leaf.path, best)] if is_good else []


def _overlap(option: str, known: set[str]) -> float:
    words = terms(option) or (option.lower(),)
    return sum(word in known for word in words) / len(words)


def _boolean(leaf: Leaf, reading: Reading) -> list[tuple[Path, JsonValue]]:
    words = set(terms(str(leaf.path[-1]))) if leaf.path else set()
    places = [index for index, word in enumerate(reading.stems) if word in words]
    if not places:
        return [(leaf.path, False)] if leaf.is_required else []
    before = " ".join(reading.stems[max(0, places[0] - 3) : places[0]])
    return [(leaf.path, _NO.search(before) is None)]


def _assigned(root: JsonObject, leaves: Sequence[Leaf], reading: Reading) -> Iterator[tuple[Path, JsonValue]]:
    """The best pairs of leaf and mention first, each mention once."""
    pairs = []
    for index, leaf in enumerate(leaves):
        words = _words(leaf)
        for number, mention in enumerate(reading.mentions):
            value = _fitting(root, leaf.schema, mention)
            if value is None:
                continue
            score = _form(leaf, mention) + _nearness(words, mention, reading)
            if leaf.is_required or score >= _OPTIONAL_NEEDS:
                pairs.append((-score, not leaf.is_required, number, index, value))
    used_mentions, items = set[int](), dict[int, int]()
    for _, _, number, index, value in sorted(pairs, key=lambda pair: pair[:4]):
        leaf = leaves[index]
        if number in used_mentions or (index in items and not leaf.in_list):
            continue
        used_mentions.add(number)
        items[index] = items.get(index, 0) + 1
        yield ((*leaf.path, items[index] - 1) if leaf.in_list else leaf.path), value


def _fitting(root: JsonObject, schema: JsonObject, mention: Mention) -> JsonValue:
    """The mention as a value that the leaf's schema allows, or None."""
    wanted = schema.get("type")
    is_numeric = wanted in ("integer", "number")
    if is_numeric != (mention.kind == "number"):
        return None
    if (schema.get("format") == "date") != (mention.kind == "date"):
        return None
    try:
        is_valid = compile_subschema(root, schema).is_valid(mention.value)
    except FcbenchError:
        return None
    return mention.value if is_valid else None


def _words(leaf: Leaf) -> dict[str, float]:
    words: dict[str, float] = {}
    for word in terms(str(leaf.schema.get("description", ""))):
        words[word] = _TEXT_WEIGHT
    names = [part for part in leaf.path if isinstance(part, str)]
    for depth, name in enumerate(reversed(names[-2:])):
        for word in terms(name):
            words[word] = max(words.get(word, 0.0), _NAME_WEIGHT / (depth + 1))
    return words


def _form(leaf: Leaf, mention: Mention) -> float:
    """How well the form of a mention suits what the leaf says of itself, -1 to 3."""
    about = f"{leaf.path[-1] if leaf.path else ''} {leaf.schema.get('description', '')}".lower()
    name = str(leaf.path[-1]).lower() if leaf.path else ""
    if mention.begins_range or mention.ends_range:
        low = any(word in name for word in ("start", "from", "begin", "min", "van"))
        high = any(word in name for word in ("end", "stop", "until", "max", "tot"))
        return 3.0 if (mention.begins_range and low) or (mention.ends_range and high) else 0.0
    suits = {
        "dna": ("sequence", "dna", "primer", "letters", "motif", "bases"),
        "gene": ("gene", "symbol", "locus", "feature", "name"),
        "file": ("file", "path"),
        "email": ("mail",),
        "date": ("date", "datum"),
        "code": ("code", "postcode", "number", "enzyme"),
        "quoted": ("text", "name", "label", "title", "note", "query", "term"),
        "name": ("name", "naam", "city", "plaats", "enzyme"),
    }
    suited = 2.0 if any(word in about for word in suits.get(mention.kind, ())) else 0.0
    return suited - 1.0 if mention.kind == "name" else suited  # a capital is the weakest form of all


def _nearness(words: dict[str, float], mention: Mention, reading: Reading) -> float:
    """Weights of the argument's words over their distance to the mention; words before it count double."""
    best: dict[str, float] = {}
    first, last = max(0, mention.at - 8), min(len(reading.stems), mention.at + 6)
    for place in range(first, last):
        word = reading.stems[place]
        if word in words:
            distance = abs(place - mention.at)
            side = 1.0 if place < mention.at else 0.5
            best[word] = max(best.get(word, 0.0), side * words[word] / (1 + distance))
    return sum(best.values())


def _put(value: JsonObject, path: Path, item: JsonValue) -> None:
    place: JsonValue = value
    for part, following in zip(path, [*path[1:], None], strict=True):
        fresh: JsonValue = item if following is None else [] if isinstance(following, int) else {}
        if isinstance(place, list):
            if len(place) <= int(part):
                place.append(fresh)
            place = place[int(part)] if int(part) < len(place) else place[-1]
        elif isinstance(place, dict):
            place = place.setdefault(str(part), fresh)
