"""Random values that satisfy a schema of the contract subset: for synthetic answers and for the `random` control.

Only `rng.random()` is drawn from, whose sequence is the same in every version of Python, and nothing depends on the
order of a set. Conditionals, `not`, `contains` and overlapping unions are met by proposing and checking.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

from fcbench.core.canonical import json_equal
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.patterns import Pattern, PatternError, pick
from fcbench.core.schema import compile_schema, compile_subschema, resolve_reference
from fcbench.errors import BadInputError

MAX_TRIES = 200
"""Proposals for the whole value before the sampler gives up."""
MAX_LOCAL_TRIES = 40
"""Proposals for one item or one object with a condition."""
DEEP = 6
"""Levels after which nothing optional is added and the shallowest branch is taken, so that recursion ends."""
MAX_LEVELS = 40
_EXTRA_ITEMS = 2
_LONGEST = 10_000
_WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "juniper",
    "kestrel",
    "larch",
    "maple",
    "north",
    "otter",
    "pine",
)
_FIRST_DAY, _DAYS = date(1950, 1, 1), 30_000
_NEEDS_CHECK = ("if", "not", "contains", "oneOf", "dependentSchemas", "minProperties", "maxProperties")
_HEX = "0123456789abcdef"


def sample(schema: JsonValue, rng: random.Random, *, optional: float = 0.5) -> JsonValue:
    """A random value that satisfies a schema.

    Args:
        schema: JSON Schema 2020-12 inside the contract subset (PROTOCOL 8).
        rng: the source of chance; the same state gives the same value.
        optional: the chance, 0 to 1, that a property which is not required is there.

    Raises:
        BadInputError: the schema does not compile, or no conforming value was found: it is contradictory, or uses
            something that the sampler does not know.
    """
    compiled = compile_schema(schema)
    sampler = _Sampler(schema, rng, optional)
    for _ in range(MAX_TRIES):
        try:
            value = sampler.value(schema, 0)
        except _DeadEndError:
            continue
        if compiled.is_valid(value):
            return value
    raise BadInputError(
        "no value that satisfies the schema was found",
        wanted="a schema of the contract subset that some value satisfies",
        found=f"{MAX_TRIES} proposals, none of which conforms",
        next_step="check patterns against lengths, uniqueItems against enum, and conditions against properties",
    )


class _DeadEndError(Exception):
    """This proposal cannot be finished; another one may."""


class _Sampler:
    def __init__(self, root: JsonValue, rng: random.Random, optional: float) -> None:
        self.root = root
        self.rng = rng
        self.optional = optional

    def value(self, schema: JsonValue, level: int) -> JsonValue:
        """One proposal; where the schema has a condition, one that was checked against it."""
        if schema is False or level > MAX_LEVELS:
            raise _DeadEndError
        if not isinstance(schema, dict):
            return self._word()
        if not any(keyword in schema for keyword in _NEEDS_CHECK) or level == 0:
            return self._propose(schema, level)
        check = compile_subschema(self.root, schema)
        for _ in range(MAX_LOCAL_TRIES):
            value = self._propose(schema, level)
            if check.is_valid(value):
                return value
        raise _DeadEndError

    def _propose(self, schema: JsonObject, level: int) -> JsonValue:
        flat = self._flatten(schema, level)
        if "const" in flat:
            return flat["const"]
        options = _list(flat.get("enum"))
        if options:
            return options[pick(self.rng, len(options))]
        return self._writers()[self._type(flat)](flat, level)

    def _writers(self) -> dict[str, Callable[[JsonObject, int], JsonValue]]:
        return {
            "object": self._object,
            "array": self._array,
            "string": lambda schema, _: self._string(schema),
            "integer": lambda schema, _: self._number(schema, whole=True),
            "number": lambda schema, _: self._number(schema, whole=False),
            "boolean": lambda schema, _: self._chance(0.5),
            "null": lambda schema, _: None,
        }

    def _flatten(self, schema: JsonObject, level: int) -> JsonObject:
        """The schema with its reference, one branch of each union and one side of its condition merged in."""
        flat: JsonObject = dict(schema)
        for _ in range(MAX_LEVELS):
            if "$ref" in flat:
                target = resolve_reference(self.root, {"$ref": flat.pop("$ref")})
                flat = _merge(target, flat)
            elif "allOf" in flat:
                parts = _list(flat.pop("allOf"))
                for part in parts:
                    flat = _merge(flat, part)
            elif "oneOf" in flat or "anyOf" in flat:
                branches = _list(flat.pop("oneOf" if "oneOf" in flat else "anyOf"))
                flat = _merge(flat, self._branch(branches, level))
            elif "if" in flat:
                condition, yes, no = flat.pop("if"), flat.pop("then", {}), flat.pop("else", {})
                # The condition's properties are what decide; where they are absent it often holds for nothing's sake.
                flat = _merge(_merge(flat, condition), yes) if self._chance(0.5) else _merge(flat, no)
            else:
                return flat
        raise _DeadEndError

    def _branch(self, branches: list[JsonValue], level: int) -> JsonValue:
        if not branches:
            raise _DeadEndError
        if level < DEEP:
            return branches[pick(self.rng, len(branches))]
        costs = [_height(self.root, branch, ()) for branch in branches]
        return branches[costs.index(min(costs))]

    def _type(self, schema: JsonObject) -> str:
        kind = schema.get("type")
        if isinstance(kind, str):
            return kind
        kinds = [str(each) for each in _list(kind)]
        if kinds:
            return kinds[pick(self.rng, len(kinds))]
        for keyword, implied in (("properties", "object"), ("items", "array"), ("minimum", "number")):
            if keyword in schema:
                return implied
        return "string"

    def _object(self, schema: JsonObject, level: int) -> JsonValue:
        properties = schema.get("properties")
        known: JsonObject = properties if isinstance(properties, dict) else {}
        required = dict.fromkeys(str(name) for name in _list(schema.get("required")))
        chance = self.optional if level < DEEP else 0.0
        wanted = [name for name in known if name in required or self._chance(chance)]
        wanted += [name for name in required if name not in known]
        pairs = schema.get("dependentRequired")
        for name in list(wanted):
            more = _list(pairs.get(name)) if isinstance(pairs, dict) else []
            wanted += [str(other) for other in more if other not in wanted]
        value: JsonObject = {name: self.value(known.get(name, {}), level + 1) for name in wanted}
        self._fill(schema, value, level)
        return value

    def _fill(self, schema: JsonObject, value: JsonObject, level: int) -> None:
        """Keys beyond the declared ones, for maps (`additionalProperties` with a schema)."""
        extra = schema.get("additionalProperties")
        least = _whole(schema.get("minProperties"), 0)
        if not isinstance(extra, dict):
            return
        count = max(least - len(value), 1 if not value and self._chance(self.optional) else 0)
        for _ in range(count * 4):
            if count <= 0:
                return
            name = self.value(schema.get("propertyNames", {"type": "string"}), level + 1)
            if isinstance(name, str) and name not in value:
                value[name] = self.value(extra, level + 1)
                count -= 1

    def _array(self, schema: JsonObject, level: int) -> JsonValue:
        least = _whole(schema.get("minItems"), 0)
        most = _whole(schema.get("maxItems"), least + _EXTRA_ITEMS)
        most = min(most, max(least, 1) + _EXTRA_ITEMS)
        if least > _LONGEST or most < least:
            raise _DeadEndError
        count = least + (pick(self.rng, most - least + 1) if level < DEEP else 0)
        firsts, rest = _list(schema.get("prefixItems")), schema.get("items", {})
        if rest is False:
            count = min(count, len(firsts))
        items: list[JsonValue] = []
        for index in range(count):
            item = self._item(firsts[index] if index < len(firsts) else rest, schema, items, level)
            if item is _NOTHING and len(items) >= least:
                break
            if item is _NOTHING:
                raise _DeadEndError
            items.append(item)
        return items

    def _item(self, schema: JsonValue, array: JsonObject, before: list[JsonValue], level: int) -> JsonValue:
        for _ in range(MAX_LOCAL_TRIES):
            item = self.value(schema, level + 1)
            if array.get("uniqueItems") is not True or not any(json_equal(item, other) for other in before):
                return item
        return _NOTHING

    def _string(self, schema: JsonObject) -> str:
        least, most = _whole(schema.get("minLength"), 0), _whole(schema.get("maxLength"), _LONGEST)
        if least > _LONGEST or most < least:
            raise _DeadEndError
        for _ in range(MAX_LOCAL_TRIES):
            text = self._text(schema, least, most)
            if least <= len(text) <= most:
                return text
        raise _DeadEndError

    def _text(self, schema: JsonObject, least: int, most: int) -> str:
        if schema.get("format") == "date":
            return (_FIRST_DAY + timedelta(days=pick(self.rng, _DAYS))).isoformat()
        if schema.get("format") == "uuid":
            letters = "".join(_HEX[pick(self.rng, 16)] for _ in range(30))
            return f"{letters[:8]}-{letters[8:12]}-4{letters[12:15]}-a{letters[15:18]}-{letters[18:30]}"
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            try:
                return Pattern(pattern).sample(self.rng)
            except PatternError:
                examples = [text for text in _list(schema.get("examples")) if isinstance(text, str)]
                if not examples:
                    raise _DeadEndError from None
                return examples[pick(self.rng, len(examples))]
        text = self._word()
        while len(text) < least:
            text += " " + self._word()
        return text[: max(most, 0)] if text[: max(most, 0)].strip() or not least else text

    def _number(self, schema: JsonObject, *, whole: bool) -> int | float:
        step = schema.get("multipleOf")
        unit = step if isinstance(step, int | float) and step > 0 else 1 if whole else 0.01
        low = _limit(schema, "minimum", "exclusiveMinimum", unit)
        high = _limit(schema, "maximum", "exclusiveMaximum", -unit)
        if low is None:
            low = 0.0 if high is None or high >= 0 else high - 100
        if high is None:
            high = max(low * 2, low + 100)
        if high < low:
            raise _DeadEndError
        if not whole and step is None:
            number = round(low + self.rng.random() * (high - low), 2)
            return min(max(number, low), high)
        first, last = int(-(-low // unit)), int(high // unit)
        if last < first:
            raise _DeadEndError
        count = (first + pick(self.rng, last - first + 1)) * unit
        return int(count) if whole else count

    def _word(self) -> str:
        return f"{_WORDS[pick(self.rng, len(_WORDS))]}{pick(self.rng, 100)}"

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share


_NOTHING = object()


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _whole(value: JsonValue, otherwise: int) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


def _limit(schema: JsonObject, closed: str, opened: str, inward: float) -> float | None:
    """The bound of a range as a closed one; an open bound moves inward by one unit."""
    found = [float(bound) for bound in (schema.get(closed),) if isinstance(bound, int | float)]
    found += [float(bound) + inward for bound in (schema.get(opened),) if isinstance(bound, int | float)]
    return None if not found else max(found) if inward > 0 else min(found)


def _merge(left: JsonValue, right: JsonValue) -> JsonObject:
    """Both schemas at once, near enough for a proposal: properties united, required added, the right one wins."""
    if left is False or right is False:
        raise _DeadEndError
    one: JsonObject = left if isinstance(left, dict) else {}
    two: JsonObject = right if isinstance(right, dict) else {}
    merged: JsonObject = {**one, **two}
    ours, theirs = one.get("properties"), two.get("properties")
    if isinstance(ours, dict) and isinstance(theirs, dict):
        merged["properties"] = {
            **ours,
            **{name: _merge(ours[name], part) if name in ours else part for name, part in theirs.items()},
        }
    if "required" in one and "required" in two:
        merged["required"] = [*_list(one["required"]), *_list(two["required"])]
    if "enum" in one and "enum" in two:
        merged["enum"] = [item for item in _list(two["enum"]) if any(json_equal(item, o) for o in _list(one["enum"]))]
    return merged


def _height(root: JsonValue, schema: JsonValue, trail: tuple[int, ...]) -> int:
    """Levels that a value of this schema needs at least: to leave a recursion by its shortest way."""
    place = resolve_reference(root, schema)
    if not isinstance(place, dict):
        return 0
    if id(place) in trail or len(trail) > MAX_LEVELS:
        return 1000
    here = (*trail, id(place))
    branches = [branch for keyword in ("oneOf", "anyOf") for branch in _list(place.get(keyword))]
    least = min((_height(root, branch, here) for branch in branches), default=0)
    properties = place.get("properties")
    known: JsonObject = properties if isinstance(properties, dict) else {}
    needed = [known[str(name)] for name in _list(place.get("required")) if name in known]
    if _whole(place.get("minItems"), 0) > 0:
        needed.append(place.get("items"))
    return max([least, *(_height(root, part, here) + 1 for part in needed)])
