"""Lines on rules that a review of the first evaluator found in need of words, by topic."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from tests.conformance.world import COMPLETE, STRICT, attempt, call, case, fault, row, single, step


def _seen(*rounds: Any) -> Attempt:
    """An attempt whose candidates are not listed."""
    return attempt(*rounds, offered=())


def _one(
    name: str, about: str, tool: str, expected: Any, by: str, found: Any, *failing: str, **more: Any
) -> dict[str, Any]:
    """One step, and one call of its tool or of an equivalent."""
    judged = case(step("one", tool, expected, may_omit=more.pop("may_omit", ())))
    role = "expected" if by == tool else "equivalent"
    more.setdefault("roles", [f"{role}:one"])
    return row(name, about, judged, _seen(call(by, found)), more.pop("tier", COMPLETE), *failing, **more)


FIND = step("find", "find", {"name": "araA"})
GENE = {"kind": "gene"}
PUT = case(step("put", "put", {"at": 1}))
AT = {"$from": {"step": "find", "pointer": "/at"}}


def _wrong(kind: str, tool: str, at: str, expected: Any = None, found: Any = None, **more: Any) -> dict[str, Any]:
    return fault(kind, tool, more.pop("step", "one"), 0, pointer=at, expected=expected, found=found, **more)


FORMS: list[dict[str, Any]] = [
    _one(
        "form-of-alternatives",
        "A form keeps the alternatives of an expected value, each with the offset.",
        "read",
        {"start": {"$one_of": [10, 20]}},
        "read",
        {"skip": 19},
    ),
    _one(
        "form-of-alternatives-without-the-offset",
        "The alternatives themselves are not those of the form.",
        "read",
        {"start": {"$one_of": [10, 20]}},
        "read",
        {"skip": 20},
        "arguments",
        parts=(1, 0, 1),
        dims="TTFT",
        fields=(0.0, 0.0),
        faults=[_wrong("wrong_value", "read", "/skip", {"$one_of": [9, 19]}, 20)],
    ),
    _one(
        "form-of-a-tolerance",
        "A form moves a tolerance by the offset and keeps its width.",
        "read",
        {"start": {"$tolerance": {"value": 10, "absolute": 1}}},
        "read",
        {"skip": 8},
    ),
    _one(
        "second-equivalent-of-one-tool",
        "Of two equivalents by one tool the one with the fewest faults is meant.",
        "list",
        GENE,
        "browse",
        {"table": "gene"},
    ),
    _one(
        "may-omit-in-an-equivalent",
        "What a case lets be left out may be left out of an equivalent too.",
        "list",
        {**GENE, "limit": 5},
        "browse",
        {"genes": True},
        may_omit=("limit",),
    ),
    _one(
        "equivalent-of-what-nobody-expects",
        "An argument that the case does not expect is not carried over: in the equivalent it is invented.",
        "list",
        GENE,
        "browse",
        {"genes": True, "most": 5},
        "arguments",
        dims="TTTF",
        fields=(1 / 2, 1.0),
        faults=[_wrong("invented_optional", "browse", "/most", None, 5)],
    ),
    _one(
        "equivalent-where-a-default-is-said",
        "A condition of absence holds where the case says the default.",
        "list",
        {**GENE, "exact": False},
        "browse",
        {"genes": True},
    ),
    _one(
        "default-behind-a-reference",
        "A default counts that stands behind a reference of the schema; what is left out counts as no field.",
        "turn",
        {"strand": "+"},
        "turn",
        {},
        fields=(None, None),
    ),
]
REFERENCES: list[dict[str, Any]] = [
    row(
        "from-offset-of-7.0",
        "JSON has one kind of number: an offset is added to 7.0 as to 7.",
        case(FIND, step("read", "read", {"start": {"$from": {"step": "find", "pointer": "/at", "offset": 2}}})),
        attempt(call("find", {"name": "araA"}, content={"at": 7.0}), call("read", {"start": 9})),
        STRICT,
    ),
]
TIERS: list[dict[str, Any]] = [
    row(
        "extra-of-an-equivalent-that-stands",
        "Another call of the equivalent that stands for a step is another instance of its capability.",
        PUT,
        _seen(call("place", {"at": 1}), call("place", {"at": 2})),
        COMPLETE,
        roles=["equivalent:put", "tolerated"],
    ),
    row(
        "extra-of-the-capability-that-stands",
        "So is another tool of the capability of the equivalent that stands.",
        PUT,
        _seen(call("place", {"at": 1}), call("set", {"at": 2})),
        COMPLETE,
        roles=["equivalent:put", "tolerated"],
    ),
    row(
        "extra-by-a-declared-equivalent",
        "A declared equivalent of a step is an instance as well, also where the step's own tool stands.",
        PUT,
        _seen(call("put", {"at": 1}), call("place", {"at": 2})),
        COMPLETE,
        roles=["expected:put", "tolerated"],
    ),
    row(
        "extra-of-a-capability-that-stands-nowhere",
        "A tool of the capability of an equivalent that stands nowhere is one change too many.",
        PUT,
        _seen(call("put", {"at": 1}), call("set", {"at": 2})),
        COMPLETE,
        "extras_tolerated",
        extras=1,
        dims="TTTF",
        fields=(1.0, 1.0),
        faults=[fault("extra_state_changing_call", "set", None, 1)],
        roles=["expected:put", "unexpected"],
    ),
    row(
        "extra-follow-up-of-an-equivalent",
        "A follow-up may be declared by the equivalent that stands for the step.",
        PUT,
        _seen(call("place", {"at": 1}), call("polish")),
        COMPLETE,
        roles=["equivalent:put", "tolerated"],
    ),
    row(
        "extra-read-not-offered",
        "A call of a tool that was not offered fails at every tier, also where the tool only reads.",
        case(FIND),
        attempt(call("find", {"name": "araA"}), call("read", {"start": 1}, "not_offered"), offered=("find",)),
        COMPLETE,
        "tools_offered",
        dims="TTTF",
        fields=(1.0, 1.0),
        faults=[fault("tool_not_offered", "read", None, 1)],
        roles=["expected:find", "tolerated"],
    ),
]


def _ends(reason: str) -> Attempt:
    found = attempt("Which gene?")
    return replace(found, rounds=(replace(found.rounds[0], finish_reason=reason),))


_SILENT = [fault("no_text_reply")]
_TALKING = attempt(call("find", {"name": "araA"}), final_text="Which one?")
DECISIONS: list[dict[str, Any]] = [
    *(
        row(
            f"ask-{name}",
            about,
            case(decision="ask"),
            _ends(reason),
            COMPLETE,
            "text_reply",
            dims="---T",
            faults=_SILENT,
        )
        for name, about, reason in (
            ("refused", "A reply that the provider refused did not end normally.", "refusal"),
            ("filtered", "Nor did one that a filter ended.", "SAFETY"),
        )
    ),
    row(
        "ask-in-capitals",
        "The word for a normal end is read in small letters.",
        case(decision="ask"),
        _ends("STOP"),
        COMPLETE,
        dims="---T",
    ),
    row(
        "ask-beside-a-call-single",
        "On a single-call task the first reply is the last that counts: text beside a call does not ask.",
        case(decision="ask", single_call=True),
        replace(_TALKING, rounds=(replace(_TALKING.rounds[0], text="Which one?", finish_reason="stop"),)),
        COMPLETE,
        "text_reply",
        dims="T--T",
        faults=_SILENT,
        roles=["unexpected"],
    ),
]


def _take(name: str, about: str, expected: Any, found: Any, *failing: str, **more: Any) -> dict[str, Any]:
    return _one(name, about, "take", {"value": expected}, "take", {"value": found}, *failing, tier=STRICT, **more)


_WRONG: dict[str, Any] = {"parts": (1, 0, 1), "dims": "TTFT", "fields": (0.0, 0.0)}
VALUES: list[dict[str, Any]] = [
    _take(
        "path-empty",
        "An empty text is no path, not even the folder itself.",
        {"$path": "."},
        "",
        "argument_values",
        **_WRONG,
        faults=[_wrong("wrong_value", "take", "/value", ".", "")],
    ),
    _take(
        "tolerance-of-huge-numbers",
        "Whole numbers are compared as such, however large.",
        {"$tolerance": {"value": 2**60, "absolute": 0.5}},
        2**60 + 1,
        "argument_values",
        **_WRONG,
        faults=[_wrong("wrong_value", "take", "/value", {"$tolerance": {"value": 2**60, "absolute": 0.5}}, 2**60 + 1)],
    ),
    _take(
        "empty-list-with-an-item",
        "An empty list is a field: an item in it is invented, and the field is lost.",
        [],
        [1],
        "argument_values",
        parts=(1, 0, 1),
        dims="TTFF",
        fields=(0.0, 0.0),
        faults=[_wrong("invented_optional", "take", "/value/0", None, 1)],
    ),
    _take(
        "keys-letter-by-letter",
        "Keys are compared letter by letter, without NFC, as a schema compares them.",
        {"caf\u00e9": 1},
        {"cafe\u0301": 1},
        "argument_values",
        parts=(1, 0, 1),
        dims="TTFF",
        fields=(0.0, 0.0),
        faults=[
            _wrong("missing_argument", "take", "/value/caf\u00e9", 1),
            _wrong("invented_optional", "take", "/value/cafe\u0301", None, 1),
        ],
    ),
]


def _shape(name: str, about: str, expected: Any, found: Any, *failing: str, **more: Any) -> dict[str, Any]:
    return _one(name, about, "shape", expected, "shape", found, *failing, tier=STRICT, **more)


def _order(name: str, about: str, said: str, expected: Any, found: Any, *failing: str, **more: Any) -> dict[str, Any]:
    judged = single(said, {"order_id": "ORD-1234", **expected})
    calls = attempt(call("order", {"order_id": "ORD-1234", **found}, more.pop("status", "ok")))
    wanted = {"parts": (1, 1 / 2, 1), "dims": "TTFT", "fields": (1 / 2, 1 / 2), "conforming": [True], **more}
    return row(name, about, judged, calls, STRICT, *failing, roles=["expected:fill"], **wanted)


def _fill(kind: str, at: str, expected: Any = None, found: Any = None) -> dict[str, Any]:
    return _wrong(kind, "order", at, expected, found, step="fill")


FAULTS: list[dict[str, Any]] = [
    _shape(
        "nullable-object",
        "Of an object that may be null the object is meant where an object stands, however much is wrong in it.",
        {"owner": {"last": "Bos"}},
        {"owner": {"age": 3}},
        "argument_values",
        "schema_valid",
        parts=(1, 0, 0),
        dims="TFFF",
        fields=(0.0, 0.0),
        faults=[
            _wrong("missing_required_key", "shape", "/owner/last", depth=2),
            _wrong("unknown_key", "shape", "/owner/age", None, 3),
        ],
    ),
    _shape(
        "open-union",
        "A key of another branch is a confusion of branches also where the branches are not closed.",
        {"rule": {"kind": "level", "least": 1}},
        {"rule": {"kind": "level", "least": 1, "word": "x"}},
        "argument_values",
        parts=(1, 0, 1),
        dims="TTTF",
        fields=(2 / 3, 1.0),
        faults=[_wrong("branch_confusion", "shape", "/rule/word", None, "x")],
    ),
    _shape(
        "required-by-another-key",
        "A key that another one wants is a missing required key.",
        {"a": 1, "b": 2},
        {"a": 1},
        "argument_keys",
        "schema_valid",
        parts=(1, 1 / 2, 0),
        dims="TFFT",
        fields=(1.0, 1 / 2),
        faults=[_wrong("missing_required_key", "shape", "/b", depth=1)],
    ),
    _order(
        "surname-prefix-in-its-own-field",
        "The prefix is lost from the field that is its own.",
        "Voor Van der Berg.",
        {"customer": {"prefix": "van der", "last": "Berg"}},
        {"customer": {"last": "Berg"}},
        "argument_values",
        fields=(1.0, 2 / 3),
        faults=[_fill("surname_prefix", "/customer/prefix", "van der")],
    ),
    _order(
        "thousands-mark-after-a-year",
        "A year before an amount is no part of it.",
        "In 2024 52.300 euro.",
        {"amount": 52300},
        {"amount": 52.3},
        "argument_values",
        faults=[_fill("thousands_mark", "/amount", 52300, 52.3)],
    ),
    _order(
        "thousands-mark-within-a-tolerance",
        "The number inside a tolerance counts as the expected one.",
        "350.000 euro.",
        {"amount": {"$tolerance": {"value": 350000, "absolute": 1}}},
        {"amount": 350},
        "argument_values",
        faults=[_fill("thousands_mark", "/amount", {"$tolerance": {"value": 350000, "absolute": 1}}, 350)],
    ),
    _order(
        "enum-part-of-a-word",
        "A part of a word of the instruction is no word of it.",
        "Een privately klant.",
        {"customer": {"last": "Bos", "kind": "PRIVATE"}},
        {"customer": {"last": "Bos", "kind": "privat"}},
        "argument_values",
        "schema_valid",
        status="invalid",
        parts=(1, 1 / 2, 0),
        dims="TFFT",
        fields=(2 / 3, 2 / 3),
        conforming=[False],
        faults=[_fill("enum_out_of_vocabulary", "/customer/kind", ["PRIVATE", "BUSINESS"], "privat")],
    ),
    row(
        "dummy-at-a-position",
        "A label may name a position: the same field elsewhere is no dummy.",
        single("Bestel twee delen.", decision="ask", missing=("parts[1].item",)),
        attempt(call("order", {"order_id": "ORD-1234", "parts": [{"item": 1}, {"item": 2}]})),
        STRICT,
        "no_call",
        "text_reply",
        dims="T--F",
        faults=[
            fault("call_not_due", "order", None, 0),
            fault("dummy_for_missing_data", "order", None, 0, pointer="/parts/1/item", found=2),
            fault("no_text_reply"),
        ],
        roles=["unexpected"],
    ),
]
MANY = {f"k{index:02}": index for index in range(30, 0, -1)}
HOSTILE: list[dict[str, Any]] = [
    _take(
        "many-keys",
        "Of an object with more than 20 keys the first 20 by name are shown.",
        1,
        MANY,
        "argument_values",
        parts=(1, 0, 1),
        dims="TTFT",
        fields=(0.0, 0.0),
        faults=[_wrong("wrong_value", "take", "/value", 1, {f"k{index:02}": index for index in range(1, 21)})],
    ),
]
RECOVERY: list[dict[str, Any]] = [
    row(
        "recovered-by-a-reference",
        "What follows may take its value from an earlier step.",
        case(FIND, step("read", "read", {"start": AT})),
        attempt(
            call("find", {"name": "araA"}, content={"at": 7}),
            call("read", {"start": 0}, "invalid"),
            call("read", {"start": 7}),
        ),
        COMPLETE,
        "schema_valid",
        recovery=True,
        parts=(1, 1, 2 / 3),
        dims="TFTT",
        fields=(1.0, 1.0),
        faults=[fault("range_violation", "read", None, 1, pointer="/start", expected={"minimum": 1}, found=0)],
        roles=["expected:find", "recovered", "expected:read"],
    ),
]
FURTHER: dict[str, list[dict[str, Any]]] = {
    "forms-and-equivalents": FORMS,
    "references": REFERENCES,
    "tiers": TIERS,
    "decisions": DECISIONS,
    "values": VALUES,
    "faults": FAULTS,
    "hostile": HOSTILE,
    "recovery": RECOVERY,
}
