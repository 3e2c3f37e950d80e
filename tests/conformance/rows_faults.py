"""Lines on fault kinds about the form of a call (PROTOCOL 5)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, STRICT, attempt, call, case, fault, row, single, step

ID = {"order_id": "ORD-1234"}
FIND = step("find", "find", {"name": "araA"})


def fill(kind: str, at: str, expected: Any = None, found: Any = None, depth: int | None = None) -> dict[str, Any]:
    return fault(kind, "order", "fill", 0, pointer=at, expected=expected, found=found, depth=depth)


def form(name: str, about: str, expected: Any, found: Any, *failing: str, **more: Any) -> dict[str, Any]:
    """One complex call that breaks its schema: rejected, so `schema_valid` fails beside what is given."""
    judged = single(more.pop("said", "…"), expected)
    status = "ok" if more.pop("valid", False) else "invalid"
    names = failing if status == "ok" else (*failing, "schema_valid")
    parts = (1, more.pop("right", 1), float(status == "ok"))
    rest = {"parts": parts, "roles": ["expected:fill"], "conforming": [status == "ok"], **more}
    return row(name, about, judged, attempt(call("order", found, status)), STRICT, *names, **rest)


FORM: list[dict[str, Any]] = [
    form(
        "required-key",
        "A key that the schema requires is missing: level 1 is the root.",
        ID,
        {},
        "argument_keys",
        right=0,
        dims="TFFT",
        fields=(None, 0.0),
        faults=[fill("missing_required_key", "/order_id", depth=1)],
    ),
    form(
        "required-key-level-2",
        "Below the root the level is 2.",
        {**ID, "customer": {"last": "Bos"}},
        {**ID, "customer": {}},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        fields=(1.0, 1 / 2),
        faults=[fill("missing_required_key", "/customer/last", depth=2)],
    ),
    form(
        "required-key-in-a-list",
        "Lists are transparent: an object in a list of the root is at level 2.",
        {**ID, "parts": [{"item": 1, "shape": "round"}]},
        {**ID, "parts": [{"shape": "round"}]},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        fields=(1.0, 2 / 3),
        faults=[fill("missing_required_key", "/parts/0/item", depth=2)],
    ),
    form(
        "required-by-condition",
        "A key that a condition requires is a missing required key.",
        {**ID, "paid": True, "code": "A"},
        {**ID, "paid": True},
        "argument_keys",
        right=2 / 3,
        dims="TFFT",
        fields=(1.0, 2 / 3),
        faults=[fill("missing_required_key", "/code", depth=1)],
    ),
    form(
        "unknown-key",
        "A key that a closed object does not have.",
        ID,
        {**ID, "colour": "red"},
        "argument_keys",
        dims="TFTF",
        fields=(1 / 2, 1.0),
        faults=[fill("unknown_key", "/colour", found="red")],
    ),
    form(
        "root-field-repeated",
        "An unknown key below the root that is a field of the root.",
        {**ID, "customer": {"last": "Bos"}},
        {**ID, "customer": {"last": "Bos", "order_id": "ORD-1234"}},
        "argument_values",
        right=1 / 2,
        dims="TFTF",
        fields=(2 / 3, 1.0),
        faults=[fill("global_field_repeated", "/customer/order_id", found="ORD-1234")],
    ),
    form(
        "branch-confusion",
        "A key of another branch: the discriminator says which branch was meant.",
        {**ID, "filters": [{"by": "sum", "least": 5}]},
        {**ID, "filters": [{"by": "sum", "least": 5, "name": "Ede"}]},
        "argument_values",
        right=1 / 2,
        dims="TFTF",
        fields=(3 / 4, 1.0),
        faults=[fill("branch_confusion", "/filters/0/name", found="Ede")],
    ),
    form(
        "branch-confusion-and-missing",
        "The key of the branch itself is missing beside it.",
        {**ID, "filters": [{"by": "town", "name": "Ede"}]},
        {**ID, "filters": [{"by": "town", "least": 5}]},
        "argument_values",
        right=1 / 2,
        dims="TFFF",
        fields=(2 / 3, 2 / 3),
        faults=[
            fill("missing_required_key", "/filters/0/name", depth=2),
            fill("branch_confusion", "/filters/0/least", found=5),
        ],
    ),
    form(
        "wrong-type",
        "A text for a number; the place is not named a second time as a wrong value.",
        {**ID, "amount": 5},
        {**ID, "amount": "5"},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        fields=(1 / 2, 1 / 2),
        faults=[fill("wrong_type", "/amount", {"type": "number"}, "5")],
    ),
    form(
        "enum",
        "A word outside the vocabulary; the allowed words are shown.",
        {**ID, "customer": {"last": "Bos", "kind": "PRIVATE"}},
        {**ID, "customer": {"last": "Bos", "kind": "OTHER"}},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        fields=(2 / 3, 2 / 3),
        faults=[fill("enum_out_of_vocabulary", "/customer/kind", ["PRIVATE", "BUSINESS"], "OTHER")],
    ),
    form(
        "enum-in-another-case",
        "A word of the vocabulary in other letters is out of it, also where the instruction writes it so.",
        {**ID, "customer": {"last": "Bos", "kind": "PRIVATE"}},
        {**ID, "customer": {"last": "Bos", "kind": "private"}},
        "argument_values",
        said="Een klant, private.",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("enum_out_of_vocabulary", "/customer/kind", ["PRIVATE", "BUSINESS"], "private")],
    ),
    form(
        "enum-not-translated",
        "A word that was copied from the instruction.",
        {**ID, "customer": {"last": "Bos", "kind": "PRIVATE"}},
        {**ID, "customer": {"last": "Bos", "kind": "particulier"}},
        "argument_values",
        said="Bos is een particulier.",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("enum_word_not_translated", "/customer/kind", ["PRIVATE", "BUSINESS"], "particulier")],
    ),
    form(
        "pattern",
        "A text that breaks its pattern.",
        ID,
        {"order_id": "1234"},
        "argument_values",
        right=0,
        dims="TFFT",
        fields=(0.0, 0.0),
        faults=[fill("pattern_violation", "/order_id", {"pattern": "^ORD-[0-9]{4}$"}, "1234")],
    ),
    form(
        "pattern-whole",
        "Patterns are anchored: more text after it breaks it.",
        ID,
        {"order_id": "ORD-12345"},
        "argument_values",
        right=0,
        dims="TFFT",
        faults=[fill("pattern_violation", "/order_id", {"pattern": "^ORD-[0-9]{4}$"}, "ORD-12345")],
    ),
    form(
        "format",
        "A date that is not ISO 8601 breaks its format; formats are asserted.",
        {**ID, "customer": {"last": "Bos", "born": "1980-03-04"}},
        {**ID, "customer": {"last": "Bos", "born": "4-3-1980"}},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("pattern_violation", "/customer/born", {"format": "date"}, "4-3-1980")],
    ),
    form(
        "range",
        "A number below its minimum.",
        {**ID, "amount": 5},
        {**ID, "amount": -5},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("range_violation", "/amount", {"minimum": 0}, -5)],
    ),
    form(
        "range-above",
        "A number above its maximum.",
        {**ID, "amount": 5},
        {**ID, "amount": 1000001},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("range_violation", "/amount", {"maximum": 1000000}, 1000001)],
    ),
    form(
        "length",
        "A text that is too long.",
        {**ID, "code": "ABC"},
        {**ID, "code": "ABCD"},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("length_violation", "/code", {"maxLength": 3}, "ABCD")],
    ),
    form(
        "length-of-a-list",
        "An empty list where one item is the least; the item is a wrong value beside it.",
        {**ID, "parts": [{"item": 1}]},
        {**ID, "parts": []},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        faults=[
            fill("length_violation", "/parts", {"minItems": 1}, []),
            fill("wrong_value", "/parts/0", {"item": 1}),
        ],
    ),
    form(
        "unique-items",
        "Two equal items in a list of different ones.",
        {**ID, "parts": [{"item": 1}, {"item": 2}]},
        {**ID, "parts": [{"item": 1}, {"item": 1}]},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        fields=(2 / 3, 2 / 3),
        faults=[
            fill("unique_items_violation", "/parts", found=[{"item": 1}, {"item": 1}]),
            fill("wrong_value", "/parts/1/item", 2, 1),
        ],
    ),
    form(
        "unique-items-one-and-true",
        "1 and true are different items; the type is wrong all the same.",
        {**ID, "parts": [{"item": 1}, {"item": 2}]},
        {**ID, "parts": [{"item": 1}, {"item": True}]},
        "argument_values",
        right=1 / 2,
        dims="TFFT",
        faults=[fill("wrong_type", "/parts/1/item", {"type": "integer"}, True)],
    ),
    row(
        "other-keyword",
        "A keyword without a kind of its own; the extra argument is named beside it.",
        case(step("pair", "pair", {"a": 1})),
        attempt(call("pair", {"a": 1, "b": 2}, "invalid")),
        STRICT,
        "argument_keys",
        "schema_valid",
        parts=(1, 1, 0),
        dims="TFTF",
        fields=(1 / 2, 1.0),
        faults=[
            fault(
                "other_schema_violation",
                "pair",
                "pair",
                0,
                pointer="",
                expected={"not": {"required": ["a", "b"]}},
                found={"a": 1, "b": 2},
            ),
            fault("invented_optional", "pair", "pair", 0, pointer="/b", found=2),
        ],
        roles=["expected:pair"],
    ),
    row(
        "cut-json",
        "Cut JSON leaves conformance and fidelity open.",
        single("…", ID),
        attempt(call("order", '{"order_id": "ORD')),
        STRICT,
        "argument_keys",
        "schema_valid",
        parts=(1, 0, 0),
        dims="F--T",
        fields=(None, None),
        faults=[fault("malformed_json", "order", "fill", 0, found='{"order_id": "ORD')],
        roles=["expected:fill"],
        conforming=[False],
    ),
]


def _broken(name: str, about: str, raw: str) -> dict[str, Any]:
    return row(
        name,
        about,
        case(FIND),
        attempt(call("find", raw)),
        COMPLETE,
        "arguments",
        "schema_valid",
        "succeeded",
        parts=(1, 0, 0),
        dims="F--T",
        fields=(None, None),
        faults=[fault("malformed_json", "find", "find", 0, found=raw)],
        roles=["expected:find"],
    )


SYNTAX = [
    _broken(
        "duplicate-key", "A key that stands twice makes the arguments unreadable.", '{"name": "a", "name": "araA"}'
    ),
    _broken("nan", "NaN is not JSON.", '{"name": "araA", "limit": NaN}'),
    _broken("array", "The arguments are one object, not a list.", '["araA"]'),
    _broken("two-values", "Text behind the object makes it unreadable.", '{"name": "araA"} done'),
    _broken("empty", "An empty argument string is no object.", ""),
]


ARGUMENTS: list[dict[str, Any]] = [*FORM, *SYNTAX]
