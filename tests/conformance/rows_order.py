"""Lines on order, free blocks and references (PROTOCOL 3)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, REAL, STRICT, attempt, call, case, fault, row, step

FIND = step("find", "find", {"name": "araA"})
READ = step("read", "read", {"start": 10, "end": 20})
FOUND = call("find", {"name": "araA"})
BASES = call("read", {"start": 10, "end": 20})
PUT = step("put", "insert", {"at": 3})
INSERTED = call("insert", {"at": 3})
GONE = ("sequence", "argument_keys", "argument_values")
BLOCK = (step("find", "find", {"name": "araA"}, block=1), step("read", "read", {"start": 10, "end": 20}, block=1))
NEEDED = case(PUT, step("run", "tidy", after=("put",)))
TIDY = call("tidy")


def _order(
    name: str, about: str, judged: Any, found: Any, strict: str | None, complete: str | None, **more: Any
) -> Any:
    """Two lines, one a tier: which condition of the order fails there, and the fault of one exchange."""
    lines = []
    for tier, failing in ((STRICT, strict), (COMPLETE, complete)):
        names = (failing,) if failing else ()
        faults = [more["fault"]] if failing else []
        where = "strict" if tier == STRICT else "completion"
        lines.append(
            row(
                f"{name}-{where}",
                about,
                judged,
                found,
                tier,
                *names,
                fields=(1.0, 1.0),
                faults=faults,
                roles=more["roles"],
            )
        )
    return lines


ORDER: list[dict[str, Any]] = [
    *_order(
        "other-order",
        "The order of the case counts at the strict tiers only.",
        case(FIND, READ),
        attempt(BASES, FOUND),
        "sequence",
        None,
        fault=fault("wrong_order", "read", "read", 0),
        roles=["expected:read", "expected:find"],
    ),
    *_order(
        "position-in-one-reply",
        "Calls of one reply are ordered by their position.",
        case(FIND, READ),
        attempt([BASES, FOUND]),
        "sequence",
        None,
        fault=fault("wrong_order", "read", "read", 0),
        roles=["expected:read", "expected:find"],
    ),
    row("one-reply", "Calls of one reply, in their order, pass.", case(FIND, READ), attempt([FOUND, BASES]), STRICT),
    row(
        "free-block",
        "Steps of one block come in any order.",
        case(*BLOCK),
        attempt(BASES, FOUND),
        STRICT,
        roles=["expected:read", "expected:find"],
    ),
    row(
        "free-block-in-one-reply",
        "Steps of one block come in any order inside a reply.",
        case(*BLOCK),
        attempt([BASES, FOUND]),
        REAL,
        roles=["expected:read", "expected:find"],
    ),
    *_order(
        "after-a-block",
        "A step outside the block keeps its place behind it.",
        case(*BLOCK, PUT),
        attempt(BASES, INSERTED, FOUND),
        "sequence",
        None,
        fault=fault("wrong_order", "insert", "put", 1),
        roles=["expected:read", "expected:put", "expected:find"],
    ),
    *_order(
        "needed-in-the-same-reply",
        "A step that another one needs lies in an earlier round, not in the same reply.",
        NEEDED,
        attempt([INSERTED, TIDY]),
        "sequence",
        "needed_steps_first",
        fault=fault("wrong_order", "tidy", "run", 1),
        roles=["expected:put", "expected:run"],
    ),
    *_order(
        "needed-later",
        "A step before the one that it needs is out of order at every tier.",
        NEEDED,
        attempt(TIDY, INSERTED),
        "sequence",
        "needed_steps_first",
        fault=fault("wrong_order", "tidy", "run", 0),
        roles=["expected:run", "expected:put"],
    ),
    row("needed-earlier", "A needed step in an earlier round passes.", NEEDED, attempt(INSERTED, TIDY), STRICT),
    row(
        "needed-inside-a-block",
        "A block does not lift what a step needs.",
        case(step("put", "insert", {"at": 3}, block=1), step("run", "tidy", block=1, after=("put",))),
        attempt([TIDY, INSERTED]),
        STRICT,
        "sequence",
        fields=(1.0, 1.0),
        faults=[fault("wrong_order", "tidy", "run", 0)],
        roles=["expected:run", "expected:put"],
    ),
    row(
        "rounds-between",
        "Rounds of text between the calls change nothing.",
        case(FIND, READ),
        attempt(FOUND, "I read on.", BASES, "Done."),
        STRICT,
    ),
]

HITS = {"hits": [{"id": "x", "at": 5}, {"id": "y", "at": 40}], "start": 7, "a/b": 9, "word": "w"}
SOURCE = call("find", {"name": "araA"}, content=HITS)


def chain(**reference: Any) -> Any:
    return case(FIND, step("read", "read", {"start": {"$from": {"step": "find", **reference}}}))


def _resolves(name: str, about: str, value: int, **reference: Any) -> Any:
    return row(name, about, chain(**reference), attempt(SOURCE, call("read", {"start": value})), STRICT)


def _unresolved(name: str, about: str, judged: Any, found: Any, **more: Any) -> Any:
    wanted = fault("unresolved_reference", "read", "read", 1, pointer="/start", expected="find", found=more["value"])
    rest = {
        "parts": (1, 1 / 2, 1),
        "dims": "TTFT",
        "fields": (1 / 2, 1 / 2),
        "roles": ["expected:find", "expected:read"],
    }
    failing = more.get("failing", ("argument_values",))
    return row(
        name, about, judged, found, more.get("tier", STRICT), *failing, faults=[wanted, *more.get("also", [])], **rest
    )


REFERENCES: list[dict[str, Any]] = [
    _resolves("from-a-pointer", "A reference is what the pointer finds in the result.", 7, pointer="/start"),
    _resolves("from-an-escaped-key", "A pointer follows RFC 6901: ~1 stands for a slash.", 9, pointer="/a~1b"),
    _resolves("from-a-list", "A pointer may take an item by its position.", 40, pointer="/hits/1/at"),
    _resolves("from-where", "An item is chosen by its fields.", 40, pointer="/hits", where={"id": "y"}, item="/at"),
    _resolves("from-offset", "An offset is added to an integer.", 6, pointer="/start", offset=-1),
    _resolves(
        "from-where-and-offset",
        "Choice and offset work together.",
        41,
        pointer="/hits",
        where={"id": "y"},
        item="/at",
        offset=1,
    ),
    row(
        "from-says-otherwise",
        "A value that is not the one that the source returned is a wrong value.",
        chain(pointer="/start"),
        attempt(SOURCE, call("read", {"start": 8})),
        STRICT,
        "argument_values",
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1 / 2, 1 / 2),
        faults=[fault("wrong_value", "read", "read", 1, pointer="/start", expected=7, found=8)],
        roles=["expected:find", "expected:read"],
    ),
    _unresolved(
        "from-the-same-reply",
        "A source in the same reply is no source.",
        chain(pointer="/start"),
        attempt([SOURCE, call("read", {"start": 7})]),
        value=7,
    ),
    _unresolved(
        "from-the-same-reply-completion",
        "The same at a completion tier, where the arguments fail.",
        chain(pointer="/start"),
        attempt([SOURCE, call("read", {"start": 7})]),
        value=7,
        tier=COMPLETE,
        failing=("arguments",),
    ),
    _unresolved(
        "from-a-failed-call",
        "A source that failed is no source, whatever it returned.",
        chain(pointer="/start"),
        attempt(call("find", {"name": "araA"}, "error", HITS), call("read", {"start": 7})),
        value=7,
    ),
    _unresolved(
        "from-nothing-there",
        "A pointer that finds nothing gives no value.",
        chain(pointer="/end"),
        attempt(SOURCE, call("read", {"start": 7})),
        value=7,
    ),
    _unresolved(
        "from-no-such-item",
        "A choice that no item fits gives no value.",
        chain(pointer="/hits", where={"id": "z"}, item="/at"),
        attempt(SOURCE, call("read", {"start": 5})),
        value=5,
    ),
    _unresolved(
        "from-offset-of-a-text",
        "An offset to something that is no integer gives no value.",
        chain(pointer="/word", offset=1),
        attempt(SOURCE, call("read", {"start": 5})),
        value=5,
    ),
    row(
        "from-a-missing-call",
        "Where the source was not called, its step is missing and the reference unresolved.",
        chain(pointer="/start"),
        attempt(call("read", {"start": 7})),
        STRICT,
        *GONE,
        parts=(1 / 2, 0, 1),
        dims="TTFT",
        fields=(0.0, 0.0),
        faults=[
            fault("missing_call", "find", "find"),
            fault("unresolved_reference", "read", "read", 0, pointer="/start", expected="find", found=7),
        ],
        roles=["expected:read"],
    ),
    row(
        "from-the-right-source",
        "Of two calls that fit the source, the one is assigned whose result the later call used.",
        case(
            step("find", "find", {"name": {"$any": {"example": "a"}}}),
            step("read", "read", {"start": {"$from": {"step": "find", "pointer": "/at"}}}),
        ),
        attempt(
            call("find", {"name": "a"}, content={"at": 5}),
            call("find", {"name": "b"}, content={"at": 40}),
            call("read", {"start": 40}),
        ),
        COMPLETE,
        roles=["tolerated", "expected:find", "expected:read"],
    ),
    row(
        "from-inside-a-list",
        "A reference may stand inside a list of an object.",
        case(FIND, step("take", "take", {"value": {"k": [1, {"$from": {"step": "find", "pointer": "/start"}}]}})),
        attempt(SOURCE, call("take", {"value": {"k": [1, 7]}})),
        STRICT,
    ),
    row(
        "from-a-chain",
        "A reference to a step that itself has a reference is resolved in that order.",
        case(
            FIND,
            step("read", "read", {"start": {"$from": {"step": "find", "pointer": "/start"}}}),
            step("again", "read", {"start": {"$from": {"step": "read", "pointer": "/end"}}}),
        ),
        attempt(SOURCE, call("read", {"start": 7}, content={"end": 9}), call("read", {"start": 9})),
        STRICT,
    ),
    row(
        "from-true-is-not-one",
        "A source that returned true does not give the value 1.",
        case(FIND, step("take", "take", {"value": {"$from": {"step": "find", "pointer": "/yes"}}})),
        attempt(call("find", {"name": "araA"}, content={"yes": True}), call("take", {"value": 1})),
        STRICT,
        "argument_values",
        parts=(1, 1 / 2, 1),
        dims="TTFT",
        fields=(1 / 2, 1 / 2),
        faults=[fault("wrong_value", "take", "take", 1, pointer="/value", expected=True, found=1)],
        roles=["expected:find", "expected:take"],
    ),
]
