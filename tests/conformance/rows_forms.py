"""Lines on argument forms, equivalents, defaults and what may be left out (PROTOCOL 3)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, STRICT, attempt, call, case, fault, row, step


def _reads(name: str, about: str, expected: dict[str, Any], found: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A call of `read` that passes at the completion tier."""
    judged = case(step("read", "read", expected, may_omit=more.get("may_omit", ())))
    return row(name, about, judged, attempt(call("read", found)), more.get("tier", COMPLETE))


def _fails(name: str, about: str, expected: dict[str, Any], found: dict[str, Any], wanted: Any, **more: Any) -> Any:
    judged = case(step("read", "read", expected, may_omit=more.pop("may_omit", ())))
    tier, failing = more.pop("tier", COMPLETE), more.pop("failing", ("arguments",))
    return row(
        name,
        about,
        judged,
        attempt(call("read", found)),
        tier,
        *failing,
        faults=wanted,
        roles=["expected:read"],
        **more,
    )


def _on_read(kind: str, at: str, expected: Any = None, found: Any = None) -> dict[str, Any]:
    return fault(kind, "read", "read", 0, pointer=at, expected=expected, found=found)


FIND = case(step("find", "find", {"name": "araA"}))
LOOKED = call("lookup", {"term": "araA", "kind": "gene"})

FORMS: list[dict[str, Any]] = [
    _reads(
        "default-left-out",
        "An argument may be left out whose default is the expected value.",
        {"start": 1, "strand": "+"},
        {"start": 1},
    ),
    _fails(
        "default-left-out-strict",
        "A strict tier wants the key itself.",
        {"start": 1, "strand": "+"},
        {"start": 1},
        [_on_read("missing_argument", "/strand", "+")],
        tier=STRICT,
        failing=("argument_keys",),
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1.0, 1 / 2),
    ),
    _fails(
        "default-is-another",
        "An argument may not be left out whose default is another value.",
        {"start": 1, "strand": "-"},
        {"start": 1},
        [_on_read("missing_argument", "/strand", "-")],
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1.0, 1 / 2),
    ),
    _reads(
        "default-said", "An extra argument is allowed that says its default.", {"start": 1}, {"start": 1, "strand": "+"}
    ),
    _fails(
        "default-said-strict",
        "A strict tier wants exactly the expected keys.",
        {"start": 1},
        {"start": 1, "strand": "+"},
        [_on_read("invented_optional", "/strand", None, "+")],
        tier=STRICT,
        failing=("argument_keys",),
        dims="TTTF",
        fields=(1 / 2, 1.0),
    ),
    _fails(
        "extra-not-the-default",
        "An extra argument with another value than its default is invented.",
        {"start": 1},
        {"start": 1, "strand": "-"},
        [_on_read("invented_optional", "/strand", None, "-")],
        dims="TTTF",
        fields=(1 / 2, 1.0),
    ),
    _reads(
        "may-omit",
        "An argument that the case declares may be left out.",
        {"start": 1, "end": 2},
        {"start": 1},
        may_omit=("end",),
        tier=STRICT,
    ),
    _reads(
        "may-omit-completion",
        "The same at the completion tiers.",
        {"start": 1, "end": 2},
        {"start": 1},
        may_omit=("end",),
    ),
    _fails(
        "may-omit-but-wrong",
        "Where it is given, its value must match.",
        {"start": 1, "end": 2},
        {"start": 1, "end": 3},
        [_on_read("wrong_value", "/end", 2, 3)],
        may_omit=("end",),
        tier=STRICT,
        failing=("argument_values",),
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1 / 2, 1 / 2),
    ),
    row(
        "neutral",
        "An argument that the contract declares neutral may be added.",
        FIND,
        attempt(call("find", {"name": "araA", "limit": 5})),
        COMPLETE,
    ),
    row(
        "neutral-strict",
        "Not at a strict tier.",
        FIND,
        attempt(call("find", {"name": "araA", "limit": 5})),
        STRICT,
        "argument_keys",
        dims="TTTF",
        fields=(1 / 2, 1.0),
        faults=[fault("invented_optional", "find", "find", 0, pointer="/limit", found=5)],
        roles=["expected:find"],
    ),
    _reads(
        "form",
        "A declared form carries the same value under another name.",
        {"start": 10, "end": 20},
        {"skip": 9, "end": 20},
    ),
    _fails(
        "form-by-presence",
        "A form is compared by its value, not by the presence of its key.",
        {"start": 10},
        {"skip": 8},
        [_on_read("wrong_value", "/skip", 9, 8)],
        parts=(1, 0, 1),
        dims="TTFT",
        fields=(0.0, 0.0),
    ),
    _fails(
        "both-forms",
        "Both forms at once are one argument too many.",
        {"start": 10},
        {"start": 10, "skip": 9},
        [_on_read("invented_optional", "/skip", None, 9)],
        dims="TTTF",
        fields=(1 / 2, 1.0),
    ),
    _reads(
        "form-in-words", "A form may map values.", {"start": 1, "strand": "-"}, {"start": 1, "direction": "reverse"}
    ),
    _fails(
        "form-wrong-word",
        "The mapped value counts.",
        {"strand": "-"},
        {"direction": "forward"},
        [_on_read("wrong_value", "/direction", "reverse", "forward")],
        parts=(1, 0, 1),
        dims="TTFT",
        fields=(0.0, 0.0),
    ),
    _reads(
        "form-of-a-default",
        "A form may take its value from a default.",
        {"start": 1},
        {"start": 1, "direction": "forward"},
    ),
    _fails(
        "form-strict",
        "Strict tiers know no forms.",
        {"start": 10},
        {"skip": 9},
        [_on_read("missing_argument", "/start", 10), _on_read("invented_optional", "/skip", None, 9)],
        tier=STRICT,
        failing=("argument_keys",),
        parts=(1, 0, 1),
        dims="TTFF",
        fields=(0.0, 0.0),
    ),
    row(
        "equivalent",
        "A declared equivalent tool covers the step.",
        FIND,
        attempt(LOOKED),
        COMPLETE,
        roles=["equivalent:find"],
    ),
    row(
        "equivalent-strict",
        "Strict tiers know no equivalents.",
        FIND,
        attempt(LOOKED),
        STRICT,
        "sequence",
        "argument_keys",
        "argument_values",
        parts=(0, 0, 1),
        dims="TTFT",
        fields=(None, 0.0),
        faults=[fault("wrong_tool", "lookup", "find", 0, expected="find", found="lookup")],
        roles=["unexpected"],
    ),
    row(
        "equivalent-wrong-value",
        "An equivalent is compared by value.",
        FIND,
        attempt(call("lookup", {"term": "araB", "kind": "gene"})),
        COMPLETE,
        "arguments",
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1 / 2, 1 / 2),
        faults=[fault("wrong_value", "lookup", "find", 0, pointer="/term", expected="araA", found="araB")],
        roles=["equivalent:find"],
    ),
    row(
        "equivalent-without-its-constant",
        "An equivalent carries the constant that makes it one.",
        FIND,
        attempt(call("lookup", {"term": "araA"})),
        COMPLETE,
        "arguments",
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1.0, 1 / 2),
        faults=[fault("missing_argument", "lookup", "find", 0, pointer="/kind", expected="gene")],
        roles=["equivalent:find"],
    ),
    row(
        "equivalent-condition",
        "An equivalent stands only under its condition.",
        case(step("find", "find", {"name": "araA", "exact": True})),
        attempt(LOOKED),
        COMPLETE,
        "capabilities_covered",
        "arguments",
        "succeeded",
        parts=(0, 0, 1),
        dims="TTFT",
        fields=(None, 0.0),
        faults=[fault("wrong_tool", "lookup", "find", 0, expected="find", found="lookup")],
        roles=["tolerated"],
    ),
    row(
        "equivalent-loses-a-value",
        "An equivalent that would lose an expected value does not stand for the step.",
        case(step("find", "find", {"name": "araA", "limit": 5})),
        attempt(LOOKED),
        COMPLETE,
        "capabilities_covered",
        "arguments",
        "succeeded",
        parts=(0, 0, 1),
        dims="TTFT",
        fields=(None, 0.0),
        faults=[fault("wrong_tool", "lookup", "find", 0, expected="find", found="lookup")],
        roles=["tolerated"],
    ),
    row(
        "equivalent-leaves-a-default",
        "An expected value that is a default is not lost.",
        case(step("find", "find", {"name": "araA", "limit": 20})),
        attempt(LOOKED),
        COMPLETE,
        roles=["equivalent:find"],
    ),
    row(
        "equivalent-not-mutual",
        "An equivalent works in the direction that is declared.",
        case(step("look", "lookup", {"term": "araA", "kind": "gene"})),
        attempt(call("find", {"name": "araA"})),
        COMPLETE,
        "capabilities_covered",
        "arguments",
        "succeeded",
        parts=(0, 0, 1),
        dims="TTFT",
        fields=(None, 0.0),
        faults=[fault("wrong_tool", "find", "look", 0, expected="lookup", found="find")],
        roles=["tolerated"],
    ),
    row(
        "equivalent-of-any-value",
        "A comparator goes through an equivalent.",
        case(step("find", "find", {"name": {"$casefold": "araA"}})),
        attempt(call("lookup", {"term": "ARAA", "kind": "gene"})),
        COMPLETE,
        roles=["equivalent:find"],
    ),
]
