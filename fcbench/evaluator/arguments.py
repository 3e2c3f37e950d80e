"""The arguments of one call against one expected call (PROTOCOL 3, rule 3).

Strict tiers want exactly the expected keys. Completion tiers read the contract: an omitted argument whose default is
the expected value is right, an extra one that says its default or is declared neutral is no fault, and a declared
argument form or equivalent tool may carry the same value under another name.
"""

from __future__ import annotations

from msgspec.structs import replace

from fcbench.core.canonical import json_equal
from fcbench.core.comparators import concrete
from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.evaluator.values import Difference, Open, Unresolved, differences, matches


class Reading(Record, frozen=True, kw_only=True):
    """How one call's arguments were read against one expected call."""

    expected: JsonObject
    """The expected arguments that were compared, after forms, equivalents and omissions."""
    differences: tuple[Difference, ...]
    keys: int
    """Expected keys at the root."""
    right: int
    """Expected keys whose whole value is right."""
    how: str | None = None
    """Why another form or tool means the same, where one was used."""


class Underivable(Exception):
    """A form or an equivalent needs an argument that the expected call does not have."""


def read_strictly(expected: JsonObject, arguments: JsonObject | None, may_omit: tuple[str, ...] = ()) -> Reading:
    """Compare with exactly the expected keys; those in `may_omit` may be left out."""
    observed = arguments if arguments is not None else {}
    wanted = {key: value for key, value in expected.items() if key in observed or key not in may_omit}
    found = differences(wanted, observed)
    return _reading(wanted, tuple(found), keys=len(expected), omitted=len(expected) - len(wanted))


def read_for_completion(
    expected: JsonObject, arguments: JsonObject | None, contract: ToolContract, may_omit: tuple[str, ...] = ()
) -> Reading:
    """Compare by what the contract declares; the best of the plain reading and every argument form."""
    plain = _read_leniently(expected, arguments, contract, may_omit)
    readings = [plain]
    if plain.differences and arguments is not None:
        for form in contract.argument_forms:
            if not _uses(form, arguments):
                continue
            try:
                other = in_form(expected, form, contract)
            except Underivable:
                continue
            reading = _read_leniently(other, arguments, contract, may_omit)
            readings.append(replace(reading, how=form.reason))
    return min(readings, key=lambda reading: len(reading.differences))


def read_as_equivalent(
    expected: JsonObject, arguments: JsonObject | None, equivalent: Equivalent, ours: ToolContract, other: ToolContract
) -> Reading | None:
    """Compare a call of a declared equivalent tool; None where the equivalent does not stand for this expected call."""
    if not is_applicable(equivalent, expected, ours):
        return None
    try:
        wanted = {name: derived(value, expected, ours) for name, value in equivalent.arguments.items()}
    except Underivable:
        return None
    reading = read_for_completion(wanted, arguments, other)
    return replace(reading, how=equivalent.reason)


def is_applicable(equivalent: Equivalent, expected: JsonObject, ours: ToolContract) -> bool:
    """Whether the condition of an equivalent holds for the expected arguments (null: the argument must be absent)."""
    for key, wanted in equivalent.when.items():
        if wanted is None:
            if key in expected:
                return False
            continue
        value = expected.get(key, ours.defaults.get(key))
        if isinstance(value, Open):
            continue
        if isinstance(value, Unresolved) or not json_equal(concrete(value), wanted):
            return False
    return True


def in_form(expected: JsonObject, form: ArgumentForm, contract: ToolContract) -> JsonObject:
    """The expected arguments, written in another form.

    Raises:
        Underivable: the form takes a value from an argument that is neither expected nor has a default.
    """
    kept = {key: value for key, value in expected.items() if key not in form.replaces}
    return {**kept, **{name: derived(value, expected, contract) for name, value in form.uses.items()}}


def derived(value: FormValue, expected: JsonObject, contract: ToolContract) -> JsonValue:
    """One argument of a form or an equivalent.

    Raises:
        Underivable: see `in_form`.
    """
    if value.argument is None:
        return {"$exact": value.constant}
    if value.argument in expected:
        found = expected[value.argument]
    elif value.argument in contract.defaults:
        found = {"$exact": contract.defaults[value.argument]}
    else:
        raise Underivable(value.argument)
    if not (value.values or value.offset) or isinstance(found, Unresolved | Open):
        return found
    plain = concrete(found)
    if isinstance(plain, str) and plain in value.values:
        return {"$exact": value.values[plain]}
    if value.offset and isinstance(plain, int) and not isinstance(plain, bool):
        return {"$exact": plain + value.offset}
    return found


def _uses(form: ArgumentForm, arguments: JsonObject) -> bool:
    return all(key in arguments for key in form.uses) and not any(
        key in arguments for key in form.replaces if key not in form.uses
    )


def _read_leniently(
    expected: JsonObject, arguments: JsonObject | None, contract: ToolContract, may_omit: tuple[str, ...]
) -> Reading:
    observed = arguments if arguments is not None else {}
    defaults = contract.defaults
    wanted = {
        key: value
        for key, value in expected.items()
        if key in observed
        or (key not in may_omit and not (arguments is not None and key in defaults and matches(value, defaults[key])))
    }
    shown = {
        key: value
        for key, value in observed.items()
        if key in wanted
        or not (key in contract.neutral_arguments or (key in defaults and json_equal(value, defaults[key])))
    }
    found = differences(wanted, shown)
    return _reading(wanted, tuple(found), keys=len(expected), omitted=len(expected) - len(wanted))


def _reading(wanted: JsonObject, found: tuple[Difference, ...], *, keys: int, omitted: int) -> Reading:
    wrong = {item.path[0] for item in found if item.path}
    return Reading(
        expected=wanted,
        differences=found,
        keys=keys,
        right=omitted + sum(key not in wrong for key in wanted),
    )
