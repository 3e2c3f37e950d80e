"""Synthetic answers of the contract harness: stateless, seeded by the call, inside the contract's result schema.

The answer depends on the tool's name and the canonical arguments alone, so the same call has the same answer in every
run, on every machine and in every version of Python.
"""

from __future__ import annotations

import json
import random

from fcbench.core.canonical import canonical_text, digest_text, pointer_parts
from fcbench.core.contracts import Derived, Repeated, ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.patterns import pick
from fcbench.core.samples import sample
from fcbench.errors import BadInputError, JsonError

OPTIONAL_SHARE = 0.8
"""Chance that an optional part of a result is there: answers should look whole."""
MAX_LETTERS = 2000
"""Letters that are drawn at most, whatever a contract says."""
MAX_ENTRIES = 100
"""Entries that a repeated list has at most."""


def synthetic_result(contract: ToolContract, arguments: JsonObject) -> JsonValue:
    """The answer of the contract harness to one schema-valid call.

    Places named in `contract.synthetic.echo` hold the argument's value (where the call gave it, else the declared
    default, else what was there); places in `constants` hold their fixed value. Constants come first, so that an
    echo may stand inside a list that is constant.

    Raises:
        BadInputError: the result schema has no value that the sampler can find.
    """
    rng = random.Random(_seed(contract, arguments))
    result = sample(contract.returns, rng, optional=OPTIONAL_SHARE)
    for place, constant in contract.synthetic.constants.items():
        result = _put(result, pointer_parts(place), constant)
    for place, name in contract.synthetic.echo.items():
        found = arguments.get(name, contract.defaults.get(name))
        if found is not None:
            result = _put(result, pointer_parts(place), found)
    for place, rule in contract.synthetic.derived.items():
        follows = _derive(contract, arguments, rule, place)
        if follows is not None:
            result = _put(result, pointer_parts(place), follows)
    for place, each in contract.synthetic.repeated.items():
        entries, models = arguments.get(each.argument), _at(result, pointer_parts(place))
        if isinstance(entries, list) and isinstance(models, list) and models:
            made = [_entry(models[at % len(models)], entry, each, at) for at, entry in enumerate(entries[:MAX_ENTRIES])]
            result = _put(result, pointer_parts(place), made)
    return result


def _at(value: JsonValue, parts: tuple[str, ...]) -> JsonValue:
    """What stands at a place, down through objects only."""
    for part in parts:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _entry(model: JsonValue, entry: JsonValue, each: Repeated, at: int) -> JsonValue:
    if not isinstance(model, dict):
        return entry
    made: JsonObject = dict(model)
    if isinstance(entry, dict):
        made.update({key: value for key, value in entry.items() if key in made})
    elif each.key is not None:
        made[each.key] = entry
    if each.numbered is not None:
        made[each.numbered] = f"{str(made.get(each.numbered, '')).rstrip('0123456789')}{at + 1}"
    return made


def _derive(contract: ToolContract, arguments: JsonObject, rule: Derived, place: str) -> JsonValue:
    """What follows from the arguments; None where they do not tell."""
    given: JsonObject = {**contract.defaults, **arguments}
    if rule.dna is not None:
        letters = given.get(rule.dna)
        return letters.upper().replace("U", "T") if isinstance(letters, str) else None
    number = _number(given, rule)
    if number is None or number < rule.least:
        return None
    if rule.above is not None:
        return number > rule.above
    number = number if rule.most is None else min(number, rule.most)
    if rule.letters is None:
        return number
    # A source of chance of its own: what else the answer holds changes no letter.
    rng = random.Random(int(digest_text(f"{place} {_seed(contract, arguments)}"), 16))
    return "".join(rule.letters[pick(rng, len(rule.letters))] for _ in range(min(number, MAX_LETTERS)))


def _number(given: JsonObject, rule: Derived) -> int | None:
    """The sum that a rule describes; None where an argument that it names gives no number."""
    total = rule.offset
    for names, sign in ((rule.plus, 1), (rule.minus, -1)):
        for name in names:
            found = given.get(name)
            if not isinstance(found, int | float) or isinstance(found, bool):
                return None
            total += sign * int(found)
    if rule.size is not None:
        counted = given.get(rule.size)
        if not isinstance(counted, str | list):
            return None
        total += len(counted)
    return total


def _seed(contract: ToolContract, arguments: JsonObject) -> int:
    try:
        text = canonical_text(arguments)
    except JsonError:
        # RFC 8785 cannot write integers beyond 2^53 - 1; a model may still send one.
        text = json.dumps(arguments, sort_keys=True)
    return int(digest_text(f"{contract.name}\n{text}"), 16)


def _put(value: JsonValue, parts: tuple[str, ...], item: JsonValue) -> JsonValue:
    """The value with `item` at a place; objects on the way are made where they are missing, list items are not."""
    if not parts:
        return item
    head, rest = parts[0], parts[1:]
    if isinstance(value, list):
        if not (head.isascii() and head.isdigit() and int(head) < len(value)):
            return value
        index = int(head)
        return [*value[:index], _put(value[index], rest, item), *value[index + 1 :]]
    if value is not None and not isinstance(value, dict):
        raise BadInputError(
            "a place of the synthetic answer lies inside a plain value",
            wanted="a JSON Pointer into the result schema",
            found="/" + "/".join(parts),
        )
    found: JsonObject = value if isinstance(value, dict) else {}
    return {**found, head: _put(found.get(head), rest, item)}
