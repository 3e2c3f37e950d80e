"""Lines on values, argument forms, equivalents and what may be left out (PROTOCOL 3)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, OPEN, STRICT, attempt, call, case, fault, row, step


def _right(name: str, about: str, expected: Any, found: Any) -> dict[str, Any]:
    judged = case(step("take", "take", {"value": expected}))
    return row(name, about, judged, attempt(call("take", {"value": found})), STRICT)


def _wrong(name: str, about: str, expected: Any, found: Any, **more: Any) -> dict[str, Any]:
    """One fault. `at`, `want` and `got` say where, what is shown as expected, and what as found."""
    wanted = fault(
        more.get("kind", "wrong_value"),
        "take",
        "take",
        0,
        pointer=more.get("at", "/value"),
        expected=more.get("want", expected),
        found=more.get("got", found),
    )
    judged = case(step("take", "take", {"value": expected}))
    rest = {"parts": (1, 0, 1), "dims": more.get("dims", "TTFT"), "roles": ["expected:take"]}
    rest |= {"fields": more["fields"]} if "fields" in more else {}
    found_attempt = attempt(call("take", {"value": found}))
    return row(name, about, judged, found_attempt, STRICT, "argument_values", faults=[wanted], **rest)


VALUES: list[dict[str, Any]] = [
    _right("one-kind-of-number", "1 equals 1.0.", 1, 1.0),
    _wrong("true-is-not-one", "true is not 1.", 1, True, fields=(0.0, 0.0)),
    _wrong("one-is-not-true", "1 is not true.", True, 1),
    _wrong("text-is-not-a-number", '"1" is not 1.', 1, "1"),
    _wrong("null-is-not-false", "null is not false.", False, None),
    _wrong("null-is-a-value", "null where null is not expected is a wrong value, not a missing one.", 5, None),
    _right("null", "null equals null.", None, None),
    _right("nfc", "Texts are compared after NFC.", "é", "e\u0301"),
    _wrong("case-counts", "The case of letters counts in plain texts.", "araA", "ARAA"),
    _wrong("white-space-counts", "White space counts in plain texts.", "a", "a "),
    _right("order-of-keys", "The order of keys does not count.", {"a": 1, "b": 2}, {"b": 2, "a": 1}),
    _wrong(
        "order-of-items",
        "The order of items counts.",
        ["a", "b", "c"],
        ["a", "x", "c"],
        at="/value/1",
        want="b",
        got="x",
        fields=(2 / 3, 2 / 3),
    ),
    _wrong(
        "extra-key-below",
        "A key beyond the expected ones below the root is invented; fidelity looks at expected keys only.",
        {"a": 1},
        {"a": 1, "b": 2},
        kind="invented_optional",
        at="/value/b",
        want=None,
        got=2,
        dims="TTTF",
        fields=(1 / 2, 1.0),
    ),
    _wrong(
        "extra-item",
        "An item beyond the expected ones is invented, and the list is not the expected value.",
        [1],
        [1, 2],
        kind="invented_optional",
        at="/value/1",
        want=None,
        got=2,
        dims="TTFF",
        fields=(1 / 2, 1.0),
    ),
    _wrong(
        "missing-key-below",
        "A key that the schema does not require is a missing argument.",
        {"a": 1, "b": 2},
        {"a": 1},
        kind="missing_argument",
        at="/value/b",
        want=2,
        got=None,
        fields=(1.0, 1 / 2),
    ),
    _wrong(
        "missing-item",
        "A list that is too short holds a wrong value.",
        [1, 2],
        [1],
        at="/value/1",
        want=2,
        got=None,
        fields=(1.0, 1 / 2),
    ),
    _wrong("list-for-object", "A list where an object is expected is one wrong value.", {"a": 1}, [1]),
    _wrong("empty-list", "An empty list is not null.", None, []),
    _right("exact", "The body of $exact is compared as JSON.", {"$exact": {"a": [1]}}, {"a": [1.0]}),
    _right("casefold", "$casefold leaves the case out.", {"$casefold": "araA"}, "ARAA"),
    _right("casefold-is-unicode", "$casefold folds as Unicode does.", {"$casefold": "STRASSE"}, "straße"),
    _wrong("casefold-wants-text", "$casefold matches texts only.", {"$casefold": "1"}, 1, want="1"),
    _right(
        "one-of", "$one_of takes any of its items, comparators included.", {"$one_of": [1, {"$casefold": "x"}]}, "X"
    ),
    _wrong("none-of", "$one_of takes no other value.", {"$one_of": [1, 2]}, 3),
    _right("regex", "$regex matches the whole text.", {"$regex": {"pattern": "a+", "example": "a"}}, "aaa"),
    _wrong("regex-part", "A part is not enough for $regex.", {"$regex": {"pattern": "a+", "example": "a"}}, "aab"),
    _wrong("regex-number", "$regex matches texts only.", {"$regex": {"pattern": "1", "example": "1"}}, 1),
    _right("any", "$any takes everything, null too.", {"$any": {"example": 1}}, None),
    _right("set", "$set takes its items in any order.", {"$set": [1, 2, 2]}, [2, 1, 2]),
    _right("set-large", "So does a large set.", {"$set": list(range(50))}, list(range(49, -1, -1))),
    _right("set-not-greedy", "The items of $set are matched one to one.", {"$set": [{"$one_of": [1, 2]}, 1]}, [1, 2]),
    _wrong(
        "set-wrong-item",
        "A wrong item of a $set stands at its own place.",
        {"$set": [1, 2, 3]},
        [3, 1, 4],
        at="/value/2",
        want=2,
        got=4,
        fields=(2 / 3, 2 / 3),
    ),
    _wrong(
        "set-item-too-many",
        "An item beyond a $set is invented.",
        {"$set": [1, 2]},
        [2, 3, 1],
        kind="invented_optional",
        at="/value/1",
        want=None,
        got=3,
        dims="TTFF",
        fields=(2 / 3, 1.0),
    ),
    _wrong(
        "set-item-missing",
        "An item of a $set that is missing is a wrong value.",
        {"$set": [1, 2]},
        [2],
        at=OPEN,
        want=1,
        got=None,
        fields=(1.0, 1 / 2),
    ),
    _wrong("set-wants-a-list", "$set matches lists only.", {"$set": [1]}, 1, want=[1]),
    _right("tolerance-end", "$tolerance includes its end.", {"$tolerance": {"value": 10, "absolute": 0.3}}, 10.3),
    _wrong("tolerance-beyond", "Beyond it nothing matches.", {"$tolerance": {"value": 10, "absolute": 0.3}}, 10.31),
    _right("tolerance-relative", "A share is of the size.", {"$tolerance": {"value": -100, "relative": 0.1}}, -91),
    _wrong("tolerance-true", "true is no number.", {"$tolerance": {"value": 1, "absolute": 5}}, True),
    _right("path", "$path compares normalised paths.", {"$path": "out/a.gb"}, "./out/x/..//a.gb"),
    _wrong("path-absolute", "An absolute path is another one.", {"$path": "out/a.gb"}, "/out/a.gb", want="out/a.gb"),
    _right("dna", "$dna leaves out case, white space and U for T.", {"$dna": "ACGT"}, "ac gu\n"),
    _wrong("dna-letter", "Another letter is another sequence.", {"$dna": "ACGT"}, "ACGA", want="ACGT"),
    _right("date", "$date compares calendar dates.", {"$date": "2026-03-04"}, "20260304"),
    _wrong("date-in-words", "$date wants ISO 8601.", {"$date": "2026-03-04"}, "4 March 2026", want="2026-03-04"),
    _right("comparator-below", "A comparator may stand at any depth.", {"a": [{"$dna": "AC"}]}, {"a": ["ac"]}),
]


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
