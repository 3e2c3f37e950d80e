"""Other ways to write the same request: declared argument forms and equivalent tools (PROTOCOL 3, rules 2 and 3)."""

from __future__ import annotations

from collections.abc import Collection

from fcbench.core.canonical import json_equal
from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.evaluator.nodes import Open, Unresolved
from fcbench.evaluator.values import matches


class Underivable(Exception):
    """A form needs an argument that the expected call does not have."""


def as_equivalent(
    equivalent: Equivalent, expected: JsonObject, ours: ToolContract, may_omit: Collection[str] = ()
) -> JsonObject | None:
    """What a call of the equivalent tool must carry; None where it cannot stand for this expected call.

    It can stand where its condition holds and no expected value would get lost: each is carried over, is named by the
    condition, is the default of its argument, or may be omitted. What the case does not expect is not carried.
    """
    if not _is_applicable(equivalent, expected, ours):
        return None
    carried = {value.argument for value in equivalent.arguments.values()} | equivalent.when.keys()
    for key, value in expected.items():
        is_default = key in ours.defaults and _fits(value, ours.defaults[key])
        if key not in carried and key not in may_omit and not is_default:
            return None
    written: JsonObject = {}
    for name, form_value in equivalent.arguments.items():
        try:
            written[name] = derived(form_value, expected, ours)
        except Underivable:
            continue
    return written


def _is_applicable(equivalent: Equivalent, expected: JsonObject, ours: ToolContract) -> bool:
    """Whether the condition holds for the expected arguments (null: the argument must be absent or say its default)."""
    for key, wanted in equivalent.when.items():
        if wanted is None:
            if key in expected and not (key in ours.defaults and _fits(expected[key], ours.defaults[key])):
                return False
        elif not _fits(expected.get(key, ours.defaults.get(key)), wanted):
            return False
    return True


def _fits(expected: JsonValue, value: JsonValue) -> bool:
    return isinstance(expected, Open) or matches(expected, value)


def in_form(form: ArgumentForm, expected: JsonObject, contract: ToolContract) -> JsonObject | None:
    """The expected arguments, written in another form.

    None where the form takes a value from an argument that is neither expected nor has a default.
    """
    kept = {key: value for key, value in expected.items() if key not in form.replaces}
    try:
        return {**kept, **{name: derived(value, expected, contract) for name, value in form.uses.items()}}
    except Underivable:
        return None


def derived(value: FormValue, expected: JsonObject, contract: ToolContract) -> JsonValue:
    """One argument of a form or an equivalent.

    Raises:
        Underivable: it takes the value of an argument that is neither expected nor has a default.
    """
    if value.argument is None:
        return {"$exact": value.constant}
    if value.argument in expected:
        found = expected[value.argument]
    elif value.argument in contract.defaults:
        found = {"$exact": contract.defaults[value.argument]}
    else:
        raise Underivable(value.argument)
    return _mapped(value, found) if value.values or value.offset else found


def _mapped(value: FormValue, found: JsonValue) -> JsonValue:
    """An expected value by the form's own words and offset; a comparator keeps its meaning."""
    if isinstance(found, Unresolved | Open):
        return found
    if not isinstance(found, dict) or len(found) != 1:
        return _mapped_plain(value, found)
    ((name, body),) = found.items()
    if name in ("$one_of", "$set") and isinstance(body, list):
        return {name: [_mapped(value, option) for option in body]}
    if name == "$tolerance" and isinstance(body, dict):
        return {name: {**body, "value": _mapped_plain(value, body.get("value"))}}
    if name == "$exact":
        return {name: _mapped_plain(value, body)}
    if name == "$casefold" and isinstance(body, str):
        words = {word.casefold(): other for word, other in value.values.items()}
        return {"$exact": words[body.casefold()]} if body.casefold() in words else found
    return found


def _mapped_plain(value: FormValue, plain: JsonValue) -> JsonValue:
    for word, other in value.values.items():
        if json_equal(plain, word):
            return {"$exact": other} if isinstance(other, dict | list) else other
    is_number = isinstance(plain, int | float) and not isinstance(plain, bool)
    return plain + value.offset if is_number and isinstance(plain, int | float) else plain


def uses(form: ArgumentForm, arguments: JsonObject) -> bool:
    """Whether a call carries a form: all of its keys, and none that it replaces."""
    return all(key in arguments for key in form.uses) and not any(
        key in arguments for key in form.replaces if key not in form.uses
    )
