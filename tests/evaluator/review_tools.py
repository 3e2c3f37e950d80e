"""Contracts for `test_review.py`: forms, equivalents, unions and defaults."""

from __future__ import annotations

from typing import Any

from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.names import ToolName
from tests.evaluator.world import TEXT, closed, contract

_NUMBER = {"type": "number"}
_WHOLE = {"type": "integer"}
_STRANDS = {"plus": "forward", "minus": "reverse"}


def _form(name: str, replaces: str, uses: str, **value: Any) -> ArgumentForm:
    form_value = FormValue(argument=replaces, **value)
    return ArgumentForm(name=name, replaces=(replaces,), uses={uses: form_value}, reason=f"{uses} says it as well")


def _browse(when: dict[str, Any], **arguments: FormValue) -> Equivalent:
    carried = {"most": FormValue(argument="limit"), **arguments}
    return Equivalent(tool=ToolName("browse"), when=when, arguments=carried, reason="browsing lists the same")


def _branch(kind: str, open_ended: bool, *keys: str) -> dict[str, Any]:
    properties = {"kind": {"const": kind}, "unit": {"enum": ["mm", "cm"]}, **dict.fromkeys(keys, _WHOLE)}
    schema = closed(properties, "kind", *keys)
    return {key: value for key, value in schema.items() if not (open_ended and key == "additionalProperties")}


_PROBE = closed(
    {
        "at": {"type": ["number", "boolean"]},
        "skip": _NUMBER,
        "many": {"type": "array", "items": _WHOLE},
        "skips": {"type": "array", "items": _WHOLE},
        "strand": {"type": "string"},
        "direction": {"enum": ["forward", "reverse"]},
        "value": {},
    }
)
_LIST = closed(
    {
        "kind": {"enum": ["gene", "cds", "tRNA"]},
        "limit": _WHOLE,
        "strict": {"type": "boolean", "default": False},
    },
    "kind",
)
_PERSON = closed({"first": TEXT, "last": TEXT}, "last")
_SHAPE = {
    **closed(
        {
            "form": {"oneOf": [_branch("a", False, "x", "y", "z"), _branch("b", False, "w")]},
            "owner": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
        }
    ),
    "$defs": {"person": _PERSON},
}
_OPEN = closed({"form": {"anyOf": [_branch("a", True, "x"), _branch("b", True, "w")]}})
_TURN = {
    **closed({"at": _WHOLE, "strand": {"$ref": "#/$defs/strand"}}, "at"),
    "$defs": {"strand": {"enum": ["plus", "minus"], "default": "plus"}},
}
_PAIRED = closed({"a": _WHOLE, "b": _WHOLE, "c": _WHOLE, "never": False}, dependentRequired={"a": ["b", "c"]})
_AT = closed({"at": _WHOLE}, "at")

_ALL = [
    contract(
        "probe",
        "reads",
        _PROBE,
        argument_forms=(
            _form("from_zero", "at", "skip", offset=-1),
            _form("all_from_zero", "many", "skips", offset=-1),
            _form("in_words", "strand", "direction", values=_STRANDS),
        ),
    ),
    contract(
        "list",
        "reads",
        _LIST,
        equivalents=(
            _browse({"kind": "gene", "strict": None}, genes=FormValue(constant=True)),
            _browse({"strict": None}, table=FormValue(argument="kind")),
        ),
    ),
    contract("browse", "reads", closed({"genes": {"type": "boolean"}, "table": TEXT, "most": _WHOLE})),
    contract("turn", "reads", _TURN),
    contract(
        "describe",
        "reads",
        closed({"omschrijving": TEXT, "plaatsnaam": TEXT, "code": {"type": "string", "pattern": "^[AB][0-9]{3}$"}}),
    ),
    contract("shape", "reads", _SHAPE),
    contract("open", "reads", _OPEN),
    contract("paired", "reads", _PAIRED),
    contract(
        "put",
        "project",
        _AT,
        follow_ups=("apply",),
        equivalents=(
            Equivalent(
                tool=ToolName("place_in"), arguments={"at": FormValue(argument="at")}, reason="placing puts it there"
            ),
        ),
    ),
    contract("place_in", "project", _AT, capability="placing", follow_ups=("polish",)),
    contract("set_in", "project", _AT, capability="placing"),
    contract("polish", "project", closed({})),
]
TOOLS: dict[ToolName, ToolContract] = {each.name: each for each in _ALL}
