"""Schema violations of a call, each named as a fault kind (PROTOCOL 5).

Of a union that fails, the branch that was meant says what is wrong (`evaluator.unions`), and a key that another branch
knows is a confusion of branches.
"""

from __future__ import annotations

from typing import Final

from fcbench.core.canonical import pointer_parts
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonValue, Pointer
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.core.schema import UNION_KEYWORDS, Breach
from fcbench.core.verdicts import Fault, FaultKind
from fcbench.evaluator.misreadings import is_word_of
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.unions import Found, of_union
from fcbench.evaluator.wording import bounded, place_of, quoted

KIND_OF_KEYWORD: Final[dict[str, FaultKind]] = {
    "required": "missing_required_key",
    "dependentRequired": "missing_required_key",
    "additionalProperties": "unknown_key",
    "unevaluatedProperties": "unknown_key",
    "falseSchema": "unknown_key",
    "type": "wrong_type",
    "enum": "enum_out_of_vocabulary",
    "const": "enum_out_of_vocabulary",
    "pattern": "pattern_violation",
    "format": "pattern_violation",
    "minimum": "range_violation",
    "maximum": "range_violation",
    "exclusiveMinimum": "range_violation",
    "exclusiveMaximum": "range_violation",
    "multipleOf": "range_violation",
    "minLength": "length_violation",
    "maxLength": "length_violation",
    "minItems": "length_violation",
    "maxItems": "length_violation",
    "minProperties": "length_violation",
    "maxProperties": "length_violation",
    "uniqueItems": "unique_items_violation",
}
MAX_FAULTS: Final = 50
"""Faults that are named for the schema of one call."""


def schema_faults(observed: Observed, text: str, step: str | None = None) -> list[Fault]:
    """Every way in which a call breaks the schema of its tool; empty for a valid call or an unknown tool.

    Args:
        observed: the call.
        text: the instruction, to tell a word that was not translated from one that was invented.
        step: the expected step that the call stands for.
    """
    contract, arguments = observed.contract, observed.arguments
    if observed.valid:
        return []
    if arguments is None:
        return [_malformed(observed, step)]
    faults: list[Fault] = []
    for breach in parameters_schema(contract).breaches(arguments) if contract is not None else ():
        if breach.keyword in UNION_KEYWORDS and contract is not None:
            faults += [named(observed, found, text, step) for found in of_union(contract, arguments, breach)]
        else:
            faults.append(_fault(observed, breach, text, step))
        if len(faults) >= MAX_FAULTS:
            break
    if len(faults) > 1:
        # By place, so that the order of a model's keys never shows in a verdict.
        faults.sort(key=_place_and_kind)
    return faults[:MAX_FAULTS]


def _place_and_kind(fault: Fault) -> tuple[str, str]:
    return fault.pointer or "", fault.kind


def _malformed(observed: Observed, step: str | None) -> Fault:
    reason = observed.call.parse_error or "the arguments are not one JSON object"
    return Fault(
        kind="malformed_json",
        sentence=f"The arguments of the call to {observed.name[:80]} cannot be read: {reason[:200]}.",
        tool=observed.name[:80],
        step=step,
        round=observed.round,
        call=observed.index,
        found=bounded(observed.call.raw_arguments),
    )


def named(observed: Observed, found: Found, text: str, step: str | None = None) -> Fault:
    """The fault kind of one violation of a call; `text` is the instruction."""
    violation = found.violation
    breach = Breach(violation.keyword, pointer_parts(found.place), violation.key, found.limit)
    return _fault(observed, breach, text, step, found.other_keys)


def _fault(
    observed: Observed, breach: Breach, text: str, step: str | None, other_keys: frozenset[str] = frozenset()
) -> Fault:
    keyword, limit, arguments = breach.keyword, breach.limit, observed.arguments
    kind = KIND_OF_KEYWORD.get(keyword, "other_schema_violation")
    path = breach.path if breach.key is None else (*breach.path, breach.key)
    value = depth = None
    if kind == "missing_required_key":
        depth = _depth(arguments, breach.path)
    else:
        value = _value_at(arguments, path)
    if kind == "unknown_key":
        kind = _kind_of_key(observed.contract, path, other_keys)
    elif kind == "enum_out_of_vocabulary" and is_word_of(value, text) and not _is_recased(value, breach):
        kind = "enum_word_not_translated"
    place = place_of(path)
    return Fault(
        kind=kind,
        sentence=_sentence(kind, breach, place[:200] or "the root", value, depth),
        tool=observed.name[:80],
        step=step,
        round=observed.round,
        call=observed.index,
        pointer=place if len(place) <= 400 else Pointer(place[:400]),
        expected=None if limit is None else {"type": limit} if keyword == "type" else _expected(breach),
        found=bounded(value),
        depth=depth,
    )


def _kind_of_key(contract: ToolContract | None, path: tuple[str | int, ...], other_keys: frozenset[str]) -> FaultKind:
    if path and path[-1] in other_keys:
        return "branch_confusion"
    known = contract is not None and len(path) > 1 and path[-1] in contract.properties
    return "global_field_repeated" if known else "unknown_key"


def _value_at(arguments: JsonValue, path: tuple[str | int, ...]) -> JsonValue:
    """What stands at a place. Parts that come from a pointer are text, also where they count items."""
    for part in path:
        if isinstance(arguments, dict):
            arguments = arguments.get(part)
        elif isinstance(arguments, list) and str(part).isdecimal() and int(part) < len(arguments):
            arguments = arguments[int(part)]
        else:
            return None
    return arguments


def _is_recased(value: JsonValue, breach: Breach) -> bool:
    words = breach.limit if isinstance(breach.limit, list) else [breach.limit]
    return isinstance(value, str) and value.casefold() in {str(word).casefold() for word in words}


def _depth(arguments: JsonValue, path: tuple[str | int, ...]) -> int:
    """Levels of objects from the root (1) to the one at a place; arrays are transparent."""
    if not path:
        return 1
    places = [_value_at(arguments, path[:length]) for length in range(len(path) + 1)]
    return sum([isinstance(place, dict) for place in places])


def _expected(breach: Breach) -> JsonValue:
    """The allowed words, or the keyword with its value: `{"type": "integer"}`."""
    if breach.keyword == "enum":
        return bounded(breach.limit)
    return bounded([breach.limit] if breach.keyword == "const" else {breach.keyword: breach.limit})


_OF_A_KEY: Final[dict[str, str]] = {
    "unknown_key": "is not known to the schema here",
    "branch_confusion": "belongs to another branch of this union",
    "global_field_repeated": "repeats a field of the root inside a part that does not have it",
}


def _sentence(kind: FaultKind, breach: Breach, where: str, value: JsonValue, depth: int | None) -> str:
    if kind == "wrong_type" and isinstance(breach.limit, str):
        return f"At {where} stands {quoted(value)}; the schema wants {breach.limit}."
    if kind == "missing_required_key":
        return f"The required key {where} is missing, at level {depth} of the arguments."
    if kind in _OF_A_KEY:
        return f"The key {where} {_OF_A_KEY[kind]}."
    if kind == "unique_items_violation":
        return f"The items at {where} are not all different."
    if kind == "enum_word_not_translated":
        return f"At {where} stands {quoted(value)}, a word of the instruction, where the schema has a word of its own."
    return f"At {where} stands {quoted(value)}; the schema wants {_wanted(breach)}."


def _wanted(breach: Breach) -> str:
    keyword, limit = breach.keyword, breach.limit
    if keyword == "type":
        return " or ".join(map(str, limit)) if isinstance(limit, list) else str(limit)
    if keyword == "enum":
        return f"one of {quoted(limit)}"
    if keyword == "const":
        return quoted(limit)
    if keyword == "pattern":
        return f"a text that fits {str(limit)[:120]}"
    if keyword == "format":
        return f"the format {str(limit)[:40]}"
    return f"{keyword} {quoted(limit)}" if limit is not None else f"what {keyword} says"
