"""Synthetic answers of the contract harness: stateless, seeded by the call, inside the contract's result schema.

The answer depends on the tool's name and the canonical arguments alone, so the same call has the same answer in every
run, on every machine and in every version of Python.
"""

from __future__ import annotations

import json
import random

from fcbench.core.canonical import canonical_text, digest_text, pointer_parts
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.samples import sample
from fcbench.errors import BadInputError, JsonError

OPTIONAL_SHARE = 0.8
"""Chance that an optional part of a result is there: answers should look whole."""


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
    return result


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
