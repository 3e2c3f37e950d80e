r"""Arguments for the example cases of a new suite, for any schema that compiles, inside the contract subset or not.

The sampler knows the subset. What companies write beside it (`\d`, `format: email`, `date-time`) is put in the words of
the subset before a value is proposed; what is proposed must satisfy the schema as it was written.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

from fcbench.core.cases import contains_comparator
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.errors import BadInputError, JsonError

MAX_LETTERS = 6000
"""Largest example, as JSON: what nobody reads is no example."""
_MAPS, _LISTS = ("properties", "$defs", "definitions"), ("oneOf", "anyOf", "allOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_FORMATS = {
    "email": "^[a-z]{4,8}@example[.]org$",
    "idn-email": "^[a-z]{4,8}@example[.]org$",
    "date-time": "^20[2-3][0-9]-0[1-9]-[1-2][0-9]T(?:09|1[0-7]):[0-5][0-9]:00Z$",
    "time": "^(?:09|1[0-7]):[0-5][0-9]:00Z$",
    "duration": "^P[1-9]D$",
    "uri": "^https://example[.]org/[a-z]{4,8}$",
    "iri": "^https://example[.]org/[a-z]{4,8}$",
    "uri-reference": "^https://example[.]org/[a-z]{4,8}$",
    "hostname": "^[a-z]{4,8}[.]example[.]org$",
    "ipv4": "^192[.]0[.]2[.][1-9][0-9]$",
    "ipv6": "^2001:db8::[1-9a-f]$",
}
"""Formats beside date and uuid; names and addresses are those that are reserved for documentation."""
_CLASSES = (
    (re.compile(r"\\d(?![^\[]*\])"), "[0-9]"),
    (re.compile(r"\\w(?![^\[]*\])"), "[A-Za-z0-9_]"),
    (re.compile(r"\\d"), "0-9"),
    (re.compile(r"\\w"), "A-Za-z0-9_"),
    (re.compile(r"\\s"), " "),
)


def proposals(schema: JsonObject, seed: int, optional: float, tries: int) -> Iterator[JsonObject]:
    """Arguments that satisfy a schema, the same for the same seed; none where none are found.

    Args:
        schema: of the arguments; it compiles.
        seed: of the draws.
        optional: chance, 0 to 1, of each property that is not required.
        tries: draws at most.
    """
    known, compiled = easier(schema), compile_schema(schema)
    for number in range(tries):
        # The seed alone decides: which draws failed before changes nothing.
        try:
            value = sample(known, random.Random(seed * 1000 + number), optional=optional)
        except BadInputError:
            continue  # Where conditions are nested the sampler gives up on some seeds and not on others.
        if isinstance(value, dict) and _is_small(value) and not contains_comparator(value) and compiled.is_valid(value):
            yield value


def _is_small(value: JsonObject) -> bool:
    try:
        return len(json.dumps(value)) <= MAX_LETTERS
    except (ValueError, RecursionError, JsonError):  # pragma: no cover - the sampler draws finite, shallow values
        return False


def other_value(schema: JsonObject, name: str, value: JsonValue) -> JsonValue:
    """Another plain value of one argument, for a slip that the text takes back; None where none is found."""
    properties = schema.get("properties")
    part = properties.get(name) if isinstance(properties, dict) else None
    if not isinstance(part, dict):
        return None
    alone = {**{key: schema[key] for key in ("$defs", "definitions") if key in schema}, **part}
    for seed in range(8):
        try:
            other = sample(easier(alone), random.Random(seed))
        except BadInputError:
            return None
        if isinstance(other, str | int | float) and not isinstance(other, bool) and other != value:
            return other
    return None


def easier(schema: JsonObject) -> JsonObject:
    """The schema in words that the sampler knows; texts and numbers that have examples take one of them."""
    made: JsonObject = {}
    for keyword, value in schema.items():
        if keyword in _MAPS and isinstance(value, dict):
            made[keyword] = {name: _part(part) for name, part in value.items()}
        elif keyword in _LISTS and isinstance(value, list):
            made[keyword] = [_part(part) for part in value]
        elif keyword in _SINGLES:
            made[keyword] = _part(value)
        else:
            made[keyword] = value
    return _plain_words(made)


def _part(value: JsonValue) -> JsonValue:
    return easier(value) if isinstance(value, dict) else value


def _plain_words(schema: JsonObject) -> JsonObject:
    examples, pattern, form = schema.get("examples"), schema.get("pattern"), schema.get("format")
    if isinstance(examples, list) and "enum" not in schema and "const" not in schema:
        check = compile_schema({key: value for key, value in schema.items() if key in _LEAF})
        fitting = [one for one in examples if isinstance(one, str | int | float) and check.is_valid(one)]
        if fitting:
            return {**schema, "enum": fitting}
    if isinstance(pattern, str):
        for found, plain in _CLASSES:
            pattern = found.sub(lambda _, plain=plain: plain, pattern)  # type: ignore[misc]
        return {**schema, "pattern": pattern}
    if isinstance(form, str) and form in _FORMATS:
        return {**{key: value for key, value in schema.items() if key != "format"}, "pattern": _FORMATS[form]}
    return schema


_LEAF = frozenset(("type", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf"))
