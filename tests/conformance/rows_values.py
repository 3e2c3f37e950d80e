"""Lines on values: JSON equality and every comparator (PROTOCOL 3)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import OPEN, STRICT, attempt, call, case, fault, row, step


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
