"""Lines on decisions, recovery and hostile evidence (PROTOCOL 2, 3 and 5)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, OPEN, REAL, STRICT, attempt, call, case, fault, row, single, step

FIND = step("find", "find", {"name": "araA"})
FOUND = call("find", {"name": "araA"})
BASES = call("read", {"start": 1})
PUT = step("put", "insert", {"at": 3})
INVALID = call("find", {}, "invalid")


def _quiet(name: str, about: str, decision: str, found: Any, tier: str, **more: Any) -> dict[str, Any]:
    """A restraint case that passes."""
    judged = case(decision=decision)
    dims = "T--T" if found.calls else "---T"
    return row(name, about, judged, found, tier, dims=dims, roles=["tolerated"] * len(found.calls), **more)


def _loud(name: str, about: str, decision: str, found: Any, tier: str, *failing: str, **more: Any) -> dict[str, Any]:
    """A restraint case that fails."""
    judged = more.pop("judged", None) or case(decision=decision)
    calls = found.rounds[0].calls if judged.task.single_call else found.calls
    rest = {"roles": ["unexpected"] * len(calls), "dims": "T--F" if calls else "---T"}
    return row(name, about, judged, found, tier, *failing, **{**rest, **more})


def _not_due(tool: str, position: int = 0) -> dict[str, Any]:
    return fault("call_not_due", tool, None, position)


DECISIONS: list[dict[str, Any]] = [
    _quiet("no-call-text", "Where no call is due a text is right.", "no_call", attempt("It is 4."), STRICT),
    _quiet("no-call-nothing", "So is nothing at all.", "no_call", attempt(), COMPLETE),
    _quiet(
        "unavailable-text", "Where the tool is not there a text is right.", "unavailable", attempt("I cannot."), STRICT
    ),
    _quiet("no-call-real", "The same on the workbench.", "no_call", attempt("It is 4."), REAL),
    _loud(
        "no-call-read-strict",
        "A strict tier wants no call at all.",
        "no_call",
        attempt(FOUND, "There."),
        STRICT,
        "no_call",
        faults=[_not_due("find")],
    ),
    _quiet("no-call-read", "A completion tier tolerates a read.", "no_call", attempt(FOUND, "There."), COMPLETE),
    _loud(
        "no-call-invalid-read",
        "A read that breaks its schema fails.",
        "no_call",
        attempt(INVALID, "There."),
        COMPLETE,
        "schema_valid",
        dims="T--T",
        faults=[fault("missing_required_key", "find", None, 0, pointer="/name", depth=1)],
    ),
    _loud(
        "no-call-change",
        "A change fails.",
        "no_call",
        attempt(call("tidy"), "Done."),
        COMPLETE,
        "only_reads",
        faults=[_not_due("tidy")],
    ),
    _loud(
        "unavailable-view",
        "A view change is not only reading.",
        "unavailable",
        attempt(call("show", {"at": 1})),
        COMPLETE,
        "only_reads",
        faults=[_not_due("show")],
    ),
    _loud(
        "no-call-not-offered",
        "A read that was not offered fails.",
        "no_call",
        attempt(call("find", {"name": "a"}, "not_offered"), "There.", offered=("read",)),
        COMPLETE,
        "tools_offered",
        faults=[fault("tool_not_offered", "find", None, 0)],
    ),
    _loud(
        "no-call-two-calls",
        "Every call that is not due is a fault of its own.",
        "no_call",
        attempt([FOUND, call("tidy")]),
        STRICT,
        "no_call",
        faults=[_not_due("find"), _not_due("tidy", 1)],
    ),
    _loud(
        "no-call-timeout",
        "A timeout fails here as well.",
        "no_call",
        attempt(outcome="timeout"),
        STRICT,
        "in_time",
        faults=[fault("timed_out")],
    ),
    _quiet("ask", "Where something is missing the reply asks for it.", "ask", attempt("Which gene?"), STRICT),
    _quiet("ask-after-a-read", "A read before it is tolerated.", "ask", attempt(FOUND, "Which of the two?"), COMPLETE),
    _quiet("ask-about-anything", "What it asks is not judged.", "ask", attempt("Nice weather."), STRICT),
    _loud(
        "ask-silent",
        "A reply without text does not ask.",
        "ask",
        attempt(""),
        STRICT,
        "text_reply",
        faults=[fault("no_text_reply")],
    ),
    _loud(
        "ask-white-space",
        "White space is no text.",
        "ask",
        attempt(" \n"),
        STRICT,
        "text_reply",
        faults=[fault("no_text_reply")],
    ),
    _loud(
        "ask-nothing",
        "No reply at all does not ask.",
        "ask",
        attempt(),
        COMPLETE,
        "text_reply",
        faults=[fault("no_text_reply")],
    ),
    _loud(
        "ask-exhausted",
        "An attempt that ran out of budget did not end normally.",
        "ask",
        attempt("Which", outcome="budget_exhausted"),
        STRICT,
        "text_reply",
        faults=[fault("no_text_reply")],
    ),
    _loud(
        "ask-dummy",
        "A value for what the instruction leaves out is a dummy.",
        "ask",
        attempt(call("order", {"order_id": "ORD-0000"})),
        STRICT,
        "no_call",
        "text_reply",
        judged=single("Bestel het.", decision="ask", missing=("order_id",)),
        faults=[
            _not_due("order"),
            fault("dummy_for_missing_data", "order", None, 0, pointer="/order_id", found="ORD-0000"),
            fault("no_text_reply"),
        ],
    ),
    _loud(
        "ask-repaired",
        "A word that breaks its pattern may not be mended.",
        "ask",
        attempt(call("order", {"order_id": "ORD-1230"})),
        STRICT,
        "no_call",
        "text_reply",
        judged=single("Order ORD-123.", decision="ask", missing=("order_id",)),
        faults=[
            _not_due("order"),
            fault("value_repaired", "order", None, 0, pointer="/order_id", expected="ORD-123", found="ORD-1230"),
            fault("no_text_reply"),
        ],
    ),
]


ANY = case(decision="any_call")
DECISIONS += [
    row(
        "any-call",
        "Imported data may only ask whether anything was called.",
        ANY,
        attempt(FOUND),
        STRICT,
        dims="TT-T",
        roles=["tolerated"],
    ),
    row(
        "any-call-completion",
        "At every tier; several calls are as right.",
        ANY,
        attempt([FOUND, BASES], FOUND),
        COMPLETE,
        dims="TT-T",
        roles=["tolerated"] * 3,
    ),
    row(
        "any-call-real",
        "On the workbench as well, also where the call failed.",
        ANY,
        attempt(call("find", {"name": "a"}, "error")),
        REAL,
        dims="TT-T",
        roles=["tolerated"],
    ),
    row(
        "any-call-invalid",
        "Whether it conforms stands in the dimensions.",
        ANY,
        attempt(INVALID),
        STRICT,
        dims="TF-T",
        roles=["tolerated"],
    ),
    row(
        "any-call-broken",
        "Arguments that cannot be read leave conformance open.",
        ANY,
        attempt(call("find", "{")),
        STRICT,
        dims="F--T",
        roles=["tolerated"],
    ),
    row(
        "any-call-text",
        "Text is no call.",
        ANY,
        attempt("find(name='araA')"),
        STRICT,
        "structured_call",
        dims="-F-T",
        faults=[fault("no_call", found=OPEN)],
    ),
    row(
        "any-call-timeout",
        "A timeout fails.",
        ANY,
        attempt(FOUND, outcome="timeout"),
        COMPLETE,
        "in_time",
        dims="TT-T",
        faults=[fault("timed_out")],
        roles=["unexpected"],
    ),
]


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
