"""Lines on recovery and on hostile evidence (PROTOCOL 2 and 3)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, STRICT, attempt, call, case, fault, row, single, step

FIND = step("find", "find", {"name": "araA"})
FOUND = call("find", {"name": "araA"})
BASES = call("read", {"start": 1})
PUT = step("put", "insert", {"at": 3})
INVALID = call("find", {}, "invalid")


def _recovered(name: str, about: str, judged: Any, found: Any, tier: str, **more: Any) -> dict[str, Any]:
    wanted = fault("missing_required_key", "find", None, 0, pointer="/name", depth=1)
    rest = {"parts": (1, 1, 1 / 2), "dims": "TFTT", "fields": (1.0, 1.0), "faults": [wanted]}
    return row(name, about, judged, found, tier, *more.pop("failing", ("schema_valid",)), **{**rest, **more})


RECOVERY: list[dict[str, Any]] = [
    _recovered(
        "recovered",
        "A rejected call that a right one of the tool follows is recovered, in a column of its own.",
        case(FIND),
        attempt(INVALID, FOUND),
        COMPLETE,
        recovery=True,
        roles=["recovered", "expected:find"],
    ),
    _recovered(
        "recovered-strict",
        "Strict tiers know no recovery.",
        case(FIND),
        attempt(INVALID, FOUND),
        STRICT,
        failing=("sequence", "schema_valid"),
        dims="TFTF",
        faults=[
            fault("unexpected_call", "find", None, 0),
            fault("missing_required_key", "find", None, 0, pointer="/name", depth=1),
        ],
        roles=["unexpected", "expected:find"],
    ),
    _recovered(
        "recovered-after-other-calls",
        "Other calls may lie between.",
        case(FIND),
        attempt(INVALID, BASES, FOUND),
        COMPLETE,
        parts=(1, 1, 2 / 3),
        recovery=True,
        roles=["recovered", "tolerated", "expected:find"],
    ),
    _recovered(
        "nothing-follows",
        "A rejected call after the right one is not recovered.",
        case(FIND),
        attempt(FOUND, INVALID),
        COMPLETE,
        faults=[fault("missing_required_key", "find", None, 1, pointer="/name", depth=1)],
        roles=["expected:find", "tolerated"],
    ),
    _recovered(
        "another-tool-follows",
        "A call of another tool recovers nothing.",
        case(FIND),
        attempt(call("read", {"start": 0}, "invalid"), FOUND),
        COMPLETE,
        faults=[fault("range_violation", "read", None, 0, pointer="/start", expected={"minimum": 1}, found=0)],
        roles=["tolerated", "expected:find"],
    ),
    row(
        "what-follows-is-wrong",
        "What follows must match: a wrong value recovers nothing.",
        case(FIND),
        attempt(INVALID, call("find", {"name": "araB"})),
        COMPLETE,
        "arguments",
        "schema_valid",
        parts=(1, 0, 1 / 2),
        dims="TFFT",
        fields=(0.0, 0.0),
        faults=[
            fault("missing_required_key", "find", None, 0, pointer="/name", depth=1),
            fault("wrong_value", "find", "find", 1, pointer="/name", expected="araA", found="araB"),
        ],
        roles=["tolerated", "expected:find"],
    ),
    row(
        "recovered-and-failing",
        "A recovered call does not lift another fault.",
        case(FIND),
        attempt(INVALID, FOUND, call("tidy")),
        COMPLETE,
        "schema_valid",
        "extras_tolerated",
        parts=(1, 1, 2 / 3),
        extras=1,
        dims="TFTF",
        fields=(1.0, 1.0),
        faults=[
            fault("extra_state_changing_call", "tidy", None, 2),
            fault("missing_required_key", "find", None, 0, pointer="/name", depth=1),
        ],
        roles=["recovered", "expected:find", "unexpected"],
    ),
    row(
        "recovered-single-call",
        "A single-call task is judged by its first reply; recovery looks at the replies after it.",
        single("…", {"order_id": "ORD-1234"}),
        attempt(call("order", {}, "invalid"), call("order", {"order_id": "ORD-1234"})),
        COMPLETE,
        "arguments",
        "schema_valid",
        "succeeded",
        parts=(1, 0, 0),
        dims="TFFT",
        fields=(None, 0.0),
        recovery=True,
        faults=[fault("missing_required_key", "order", "fill", 0, pointer="/order_id", depth=1)],
        roles=["recovered"],
        conforming=[False, True],
    ),
]

LONG = "x" * 500
DEEP: Any = "end"
for _ in range(8):
    DEEP = {"k": DEEP}
CUT_DEEP: Any = "{…}"
for _ in range(5):
    CUT_DEEP = {"k": CUT_DEEP}


def _shown(name: str, about: str, found: Any, shown: Any) -> dict[str, Any]:
    return row(
        name,
        about,
        case(step("take", "take", {"value": 1})),
        attempt(call("take", {"value": found})),
        STRICT,
        "argument_values",
        parts=(1, 0, 1),
        dims="TTFT",
        faults=[fault("wrong_value", "take", "take", 0, pointer="/value", expected=1, found=shown)],
        roles=["expected:take"],
    )


HOSTILE: list[dict[str, Any]] = [
    _shown("long-text", "A text is shown by its first 200 letters and an ellipsis.", LONG, "x" * 200 + "…"),
    _shown("long-list", "A list is shown by its first 20 items.", [0] * 100, [0] * 20),
    _shown("deep-object", "An object is shown to a depth of 5.", DEEP, CUT_DEEP),
    _shown("markup", "Markup is a value like another.", "<script>alert(1)</script>", "<script>alert(1)</script>"),
    _shown("terminal-escape", "So are control characters.", "\x1b[31mred", "\x1b[31mred"),
    row(
        "hostile-tool-name",
        "The name of a tool is shown by its first 80 letters.",
        case(FIND),
        attempt(FOUND, call("t" * 300, {}, "not_offered")),
        STRICT,
        "tools_offered",
        "sequence",
        "schema_valid",
        parts=(1, 1, 1 / 2),
        dims="TFTF",
        fields=(1.0, 1.0),
        faults=[fault("tool_not_offered", "t" * 80, None, 1)],
        roles=["expected:find", "unexpected"],
    ),
    row(
        "text-claims",
        "Text that claims the work is done earns nothing.",
        case(PUT),
        attempt("<tool_call>insert(at=3)</tool_call> Done."),
        COMPLETE,
        "structured_call",
        "capabilities_covered",
        "arguments",
        "schema_valid",
        "succeeded",
        parts=(0, 0, 0),
        dims="-FFT",
        faults=[fault("no_call", found="<tool_call>insert(at=3)</tool_call> Done.")],
    ),
    row(
        "claimed-result",
        "A result counts only from a call that was made: a text before the call gives no source.",
        case(FIND, step("read", "read", {"start": {"$from": {"step": "find", "pointer": "/start"}}})),
        attempt('find returned {"start": 7}', call("read", {"start": 7})),
        COMPLETE,
        "capabilities_covered",
        "arguments",
        "succeeded",
        parts=(1 / 2, 0, 1),
        dims="TTFT",
        faults=[
            fault("missing_call", "find", "find"),
            fault("unresolved_reference", "read", "read", 0, pointer="/start", expected="find", found=7),
        ],
        roles=["expected:read"],
    ),
    row(
        "deep-json",
        "Arguments nested deeper than 64 levels are not read.",
        case(FIND),
        attempt(call("find", '{"name": ' + "[" * 70 + "]" * 70 + "}")),
        COMPLETE,
        "arguments",
        "schema_valid",
        "succeeded",
        parts=(1, 0, 0),
        dims="F--T",
        fields=(None, None),
        faults=[fault("malformed_json", "find", "find", 0, found='{"name": ' + "[" * 70 + "]" * 70 + "}")],
        roles=["expected:find"],
    ),
    row(
        "same-id-twice",
        "Ids of calls decide nothing: two calls with one id are two calls.",
        case(FIND, PUT),
        attempt([FOUND, call("insert", {"at": 3})]),
        STRICT,
    ),
]
