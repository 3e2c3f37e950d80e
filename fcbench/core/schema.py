"""JSON Schema 2020-12: jsonschema-rs decides, jsonschema words the message.

The two agree on the contract subset of PROTOCOL 8 (a Hypothesis test shows it) but for one thing: under `$`, a string
that ends in a newline. There jsonschema-rs decides, and where jsonschema finds no error our own message names the
keyword and the pointer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

import jsonschema_rs
from jsonschema import Draft202012Validator, FormatChecker

from fcbench.core.canonical import MAX_DEPTH, canonical_bytes, parse_json, pointer, resolve_pointer
from fcbench.core.names import JsonObject, JsonValue, Pointer
from fcbench.core.records import Record
from fcbench.errors import BadInputError

UNION_KEYWORDS = ("oneOf", "anyOf")
WORDED = frozenset(
    {
        *("type", "enum", "const", "pattern", "format", "multipleOf", "dependentRequired"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    }
)
"""Keywords that jsonschema words, each in time linear in the value; our own words serve for the others."""
CLOSING = ("additionalProperties", "unevaluatedProperties")
"""Keywords that forbid keys."""
OWN_WORDS = {
    "uniqueItems": "the items are not all different",
    "oneOf": "the value fits none, or more than one, of the alternatives",
    "anyOf": "the value fits none of the alternatives",
    "not": "the value is one that is ruled out",
    "false schema": "nothing is allowed",
    "contains": "no item is of the kind that is wanted",
    "pattern": "the text does not match its pattern",
}
MAX_VIOLATIONS = 100
"""Violations reported for one value: a hostile array of a million wrong items must not become a million records."""
MAX_MESSAGE = 300
"""Letters of a message that are kept: the libraries quote the whole instance."""


class Violation(Record, frozen=True, kw_only=True):
    """One way in which a value breaks its schema."""

    pointer: Pointer
    """Where in the value (RFC 6901); for a missing or unknown key, the object that lacks or holds it."""
    keyword: str
    """The JSON Schema keyword that failed, such as `required` or `pattern`."""
    schema_pointer: Pointer
    """Where in the schema, references followed as written."""
    message: str
    """One English sentence, cut at `MAX_MESSAGE` letters."""
    key: str | None = None
    """The missing or unknown key, for `required` and for what forbids keys (`CLOSING`); one violation a key."""


class Breach:
    """One violation, unworded.

    Attributes:
        keyword: the JSON Schema keyword that failed.
        path: where in the value; for a missing or unknown key, the object that lacks or holds it.
        key: the missing or unknown key.
        limit: what the schema says under the keyword: a type, the words of an enum, a pattern, a bound.
        schema_path: where in the schema, for unions only.
    """

    __slots__ = ("key", "keyword", "limit", "path", "schema_path")

    def __init__(
        self,
        keyword: str,
        path: tuple[str | int, ...],
        key: str | None = None,
        limit: JsonValue = None,
        schema_path: tuple[str | int, ...] = (),
    ) -> None:
        self.keyword = keyword
        self.path = path
        self.key = key
        self.limit = limit
        self.schema_path = schema_path


def _breach(error: Any, found: list[Breach]) -> None:
    """Read one error of jsonschema-rs; its `kind` knows the keyword, its value and the keys."""
    kind = error.kind
    keyword = kind.name
    path = tuple(error.instance_path)
    if keyword == "required":
        found.append(Breach(keyword, path, kind.property))
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        # By name, so that the keys that are kept do not depend on the order of a model's keys.
        for key in sorted(kind.unexpected):
            found.append(Breach(keyword, path, key))
    elif keyword in UNION_KEYWORDS:
        found.append(Breach(keyword, path, schema_path=tuple(error.schema_path)))
    elif keyword == "type":
        types = kind.types
        found.append(Breach(keyword, path, limit=types[0] if len(types) == 1 else types))
    else:
        found.append(Breach(keyword, path, limit=getattr(kind, "value", None)))


class CompiledSchema:
    """A schema made ready for many values.

    Raises:
        BadInputError: the schema is not a valid JSON Schema 2020-12, or a `$ref` leads nowhere.
    """

    def __init__(self, schema: JsonValue, *, where: str | None = None) -> None:
        if not isinstance(schema, dict | bool):
            raise BadInputError(
                "a JSON Schema must be an object", found=type(schema).__name__, where=where, wanted="an object"
            )
        self.schema = schema
        try:
            self._decider = jsonschema_rs.Draft202012Validator(schema, validate_formats=True, retriever=_fetch_nothing)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
            raise BadInputError(
                "the JSON Schema does not compile",
                wanted="a valid JSON Schema 2020-12 whose $ref values all resolve inside it",
                found=str(error).splitlines()[0][:MAX_MESSAGE],
                where=where,
            ) from error
        self._wording = Draft202012Validator(schema, format_checker=FormatChecker(["date", "uuid"]))

    def is_valid(self, value: JsonValue) -> bool:
        """Whether the value conforms. A value too deep for the decider does not."""
        try:
            return self._decider.is_valid(value)
        except (ValueError, OverflowError):
            return False

    def violations(self, value: JsonValue) -> tuple[Violation, ...]:
        """Every violation, at most `MAX_VIOLATIONS`, in the order of the schema; empty when the value conforms."""
        # jsonschema-rs reports each missing key by an error of its own, but all unknown keys by one: `_split` names all
        # keys of either, and a dict keeps each violation once.
        found: dict[Violation, None] = {}
        for violation in self._each(value):
            found.setdefault(violation)
            if len(found) == MAX_VIOLATIONS:
                break
        return tuple(found)

    def breaches(self, value: JsonValue) -> list[Breach]:
        """Every violation as the decider reports it, at most `MAX_VIOLATIONS`: a tenth of the time of `violations`."""
        found: list[Breach] = []
        try:
            for error in self._decider.iter_errors(value):
                _breach(error, found)
                if len(found) >= MAX_VIOLATIONS:
                    break
        except (ValueError, OverflowError):
            found.append(Breach("unreadable", ()))
        return found[:MAX_VIOLATIONS]

    def _each(self, value: JsonValue) -> Iterator[Violation]:
        try:
            errors = self._decider.iter_errors(value)
            for error in errors:
                path = tuple(error.instance_path)
                schema_path = tuple(error.schema_path)
                keyword = _keyword(schema_path)
                text = self._word(path, schema_path, value) or _own_words(keyword, pointer(*path))
                keys = _unexpected(keyword, error) or _keys(path, schema_path, keyword, value, self.schema)
                yield from _split(path, schema_path, keyword, text, keys)
        except (ValueError, OverflowError):
            yield Violation(
                pointer=Pointer(""), keyword="type", schema_pointer=Pointer(""), message="the value cannot be validated"
            )

    def _word(self, path: tuple[str | int, ...], schema_path: tuple[str | int, ...], value: JsonValue) -> str | None:
        """What jsonschema says of one violation: one keyword, on the part of the value that it is about.

        Asked of the whole value it would work through every other part as well, and its `uniqueItems` is quadratic: a
        reply of 12 kB held the process for seconds.
        """
        keyword = _keyword(schema_path)
        owner = follow(self.schema, schema_path[:-1])
        if keyword not in WORDED or not isinstance(owner, dict):
            return None
        try:
            part = resolve_pointer(value, pointer(*path))
            if keyword == "pattern":
                return _pattern_words(part, owner[keyword])
            found = next(self._wording.evolve(schema={keyword: owner[keyword]}).iter_errors(part), None)
        except (KeyError, ValueError, OverflowError):
            return None
        return found.message[:MAX_MESSAGE] if found else None


def _own_words(keyword: str, place: Pointer) -> str:
    said = OWN_WORDS.get(keyword, f"the value does not satisfy {keyword}")
    return f"{said} at {place or 'the root'}"


def _keyword(schema_path: tuple[str | int, ...]) -> str:
    return str(schema_path[-1]) if schema_path else "false schema"


def _pattern_words(part: JsonValue, pattern: JsonValue) -> str | None:
    """The words of jsonschema without its search, which takes for ever where a pattern backtracks.

    None where jsonschema would find no error: where only a newline at the end stands behind the `$`.
    """
    if isinstance(part, str) and part.endswith("\n"):
        decider = jsonschema_rs.Draft202012Validator({"pattern": pattern})
        if decider.is_valid(part[:-1]):
            return None
    return f"{part!r} does not match {pattern!r}"[:MAX_MESSAGE]


def _fetch_nothing(address: str) -> NoReturn:
    """Stands in for the validator's own retriever, which would ask the network or read any file of this machine."""
    raise ValueError(f"{address} lies outside the schema, and nothing is fetched")


def _split(
    path: tuple[str | int, ...], schema_path: tuple[str | int, ...], keyword: str, text: str, keys: tuple[str, ...]
) -> Iterator[Violation]:
    """One violation for each missing or unknown key, so that every fault has one pointer and one key."""
    place, schema_place = pointer(*path), pointer(*schema_path)
    if not keys:
        yield Violation(pointer=place, keyword=keyword, schema_pointer=schema_place, message=text)
    for key in keys:
        said = f"'{key}' is {'a required property' if keyword == 'required' else 'not a property of this object'}"
        yield Violation(
            pointer=place, keyword=keyword, schema_pointer=schema_place, message=said[:MAX_MESSAGE], key=key
        )


def _unexpected(keyword: str, error: jsonschema_rs.ValidationError) -> tuple[str, ...]:
    """Keys that the decider itself names: what a pattern or another part of the schema allows is not among them."""
    found = getattr(error.kind, "unexpected", None) if keyword in CLOSING else None
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _keys(
    path: tuple[str | int, ...], schema_path: tuple[str | int, ...], keyword: str, value: JsonValue, schema: JsonValue
) -> tuple[str, ...]:
    if keyword not in ("required", "additionalProperties"):
        return ()
    owner = follow(schema, schema_path[:-1])
    try:
        instance = resolve_pointer(value, pointer(*path))
    except KeyError:  # pragma: no cover - the decider's own paths resolve
        return ()
    if not isinstance(owner, dict) or not isinstance(instance, dict):
        return ()
    if keyword == "required":
        return tuple(key for key in owner.get("required", ()) if key not in instance)
    # The decider names the unknown keys but where the schema has no `properties`: there each key is one.
    return tuple(key for key in instance if key not in owner.get("properties", {}))


def follow(schema: JsonValue, path: tuple[str | int, ...]) -> JsonValue:
    """The subschema at a path of the schema, `$ref` followed where the path walks through one."""
    place: Any = schema
    for part in path:
        if part == "$ref":
            place = resolve_reference(schema, place)
        elif isinstance(place, list):
            place = place[int(part)]
        elif isinstance(place, dict) and str(part) in place:
            place = place[str(part)]
        else:
            return None
    return place


def resolve_reference(root: JsonValue, subschema: JsonValue) -> JsonValue:
    """What a subschema's local `$ref` (`#` or `#/...`) points at; the subschema itself where it has none."""
    hops = 0
    while isinstance(subschema, dict) and isinstance(subschema.get("$ref"), str) and hops < MAX_DEPTH:
        reference = subschema["$ref"]
        if not reference.startswith("#"):
            raise KeyError(reference)
        subschema = resolve_pointer(root, reference[1:])
        hops += 1
    return subschema


@lru_cache(maxsize=4096)
def _compiled(canonical: bytes) -> CompiledSchema:
    return CompiledSchema(parse_json(canonical))


def compile_schema(schema: JsonValue, *, where: str | None = None) -> CompiledSchema:
    """The compiled form of a schema, from a cache keyed by its canonical JSON.

    Raises:
        BadInputError: see `CompiledSchema`.
    """
    try:
        return _compiled(canonical_bytes(schema))
    except BadInputError as error:
        error.where = error.where or where
        raise


_ROOT = "_root"


def compile_subschema(root: JsonValue, subschema: JsonValue) -> CompiledSchema:
    """One branch or item schema of `root`, compiled with the `$defs` of its root, so that its references resolve.

    References to the root itself (`#`, `#/properties/...`) are bound to a copy of it under `$defs`.
    """
    if not isinstance(root, dict) or not isinstance(subschema, dict):
        return compile_schema(subschema)
    definitions = root.get("$defs")
    known: JsonObject = definitions if isinstance(definitions, dict) else {}
    if not _refers_beyond(subschema) and not _refers_beyond(known):
        return compile_schema({**subschema, "$defs": {**known, **_definitions(subschema)}} if known else subschema)
    whole = {name: part for name, part in root.items() if name != "$defs"}
    return compile_schema({**_bound(subschema), "$defs": {**_bound(known), _ROOT: _bound(whole)}})


def _definitions(schema: JsonObject) -> JsonObject:
    found = schema.get("$defs")
    return found if isinstance(found, dict) else {}


def _is_beyond(key: str, value: JsonValue) -> bool:
    return key == "$ref" and isinstance(value, str) and value.startswith("#") and not value.startswith("#/$defs/")


def _refers_beyond(value: JsonValue) -> bool:
    """Whether a reference inside leads to a part of the root other than its `$defs`."""
    if isinstance(value, dict):
        return any(_is_beyond(key, item) or _refers_beyond(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_refers_beyond, value))


def _bound(value: JsonObject) -> JsonObject:
    return {
        key: f"#/$defs/{_ROOT}{str(item)[1:]}" if _is_beyond(key, item) else _bound_value(item)
        for key, item in value.items()
    }


def _bound_value(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return _bound(value)
    return [_bound_value(item) for item in value] if isinstance(value, list) else value


def branches(root: JsonValue, subschema: JsonValue) -> tuple[JsonObject, ...]:
    """The branches of a oneOf or anyOf, references resolved; empty where there is no union."""
    place = resolve_reference(root, subschema)
    if not isinstance(place, dict):
        return ()
    found = [branch for keyword in UNION_KEYWORDS for branch in place.get(keyword, ())]
    resolved = [resolve_reference(root, branch) for branch in found]
    return tuple(branch for branch in resolved if isinstance(branch, dict))
