"""Lines on tiers, tolerated extras and the end state (PROTOCOL 3)."""

from __future__ import annotations

from typing import Any

from tests.conformance.world import COMPLETE, DONE, REAL, STRICT, attempt, call, case, fault, row, single, step

FIND = step("find", "find", {"name": "araA"})
FOUND = call("find", {"name": "araA"})
READ = step("read", "read", {"start": 10, "end": 20})
BASES = call("read", {"start": 10, "end": 20})
PUT = step("put", "insert", {"at": 3})
INSERTED = call("insert", {"at": 3})
MARK = step("mark", "mark", {"name": "a"})
MARKED = call("mark", {"name": "a"})
FAILED = call("find", {"name": "araA"}, "error")


def _tolerated(name: str, about: str, judged: Any, found: Any, tier: str = COMPLETE) -> dict[str, Any]:
    step_name = judged.oracle.calls[0].step
    return row(name, about, judged, found, tier, roles=[f"expected:{step_name}", "tolerated"])


def _refused(name: str, about: str, judged: Any, found: Any, tool: str, tier: str = COMPLETE) -> dict[str, Any]:
    return row(
        name,
        about,
        judged,
        found,
        tier,
        "extras_tolerated",
        extras=1,
        dims="TTTF",
        fields=(1.0, 1.0),
        faults=[fault("extra_state_changing_call", tool, None, 1)],
        roles=[f"expected:{judged.oracle.calls[0].step}", "unexpected"],
    )


EXTRAS = [
    _tolerated("extra-read", "A call that only reads is tolerated.", case(FIND), attempt(FOUND, BASES)),
    _tolerated(
        "extra-view",
        "A view change is tolerated where no step is about view or session.",
        case(PUT),
        attempt(INSERTED, call("show", {"at": 1})),
    ),
    _refused(
        "extra-view-of-a-session-case",
        "Not where a step changes the session.",
        case(MARK),
        attempt(MARKED, call("show", {"at": 1})),
        "show",
    ),
    _tolerated(
        "extra-instance",
        "Another call of the same capability is tolerated.",
        case(PUT),
        attempt(INSERTED, call("insert", {"at": 9})),
    ),
    _tolerated(
        "extra-of-the-capability",
        "So is another tool of the capability.",
        case(PUT),
        attempt(INSERTED, call("paste", {"at": 9})),
    ),
    _tolerated(
        "extra-follow-up", "The declared follow-up of a step is tolerated.", case(PUT), attempt(INSERTED, call("tidy"))
    ),
    row(
        "extra-follow-up-before",
        "A follow-up stands behind the step that it follows.",
        case(PUT),
        attempt(call("tidy"), INSERTED),
        COMPLETE,
        "extras_tolerated",
        extras=1,
        dims="TTTF",
        fields=(1.0, 1.0),
        faults=[fault("extra_state_changing_call", "tidy", None, 0)],
        roles=["unexpected", "expected:put"],
    ),
    _refused(
        "extra-follow-up-of-nothing", "Not where no step declares it.", case(FIND), attempt(FOUND, call("tidy")), "tidy"
    ),
    _refused(
        "extra-file",
        "A file that nobody asked for fails.",
        case(FIND),
        attempt(FOUND, call("save", {"path": "a"})),
        "save",
    ),
    _refused("extra-session", "So does a change of the session.", case(FIND), attempt(FOUND, MARKED), "mark"),
    row(
        "extra-view-strict",
        "A strict tier tolerates nothing; a view change is no state change where no step is about it.",
        case(FIND),
        attempt(FOUND, call("show", {"at": 1})),
        STRICT,
        "sequence",
        dims="TTTF",
        fields=(1.0, 1.0),
        faults=[fault("unexpected_call", "show", None, 1)],
        roles=["expected:find", "unexpected"],
    ),
    row(
        "extra-follow-up-strict",
        "At a strict tier a declared follow-up is one change too many.",
        case(PUT),
        attempt(INSERTED, call("tidy")),
        STRICT,
        "sequence",
        extras=1,
        dims="TTTF",
        fields=(1.0, 1.0),
        faults=[fault("extra_state_changing_call", "tidy", None, 1)],
        roles=["expected:put", "unexpected"],
    ),
    row(
        "extra-read-invalid",
        "A read that breaks its schema fails, although it only reads.",
        case(FIND),
        attempt(FOUND, call("read", {"start": 0}, "invalid")),
        COMPLETE,
        "schema_valid",
        parts=(1, 1, 1 / 2),
        dims="TFTT",
        fields=(1.0, 1.0),
        faults=[fault("range_violation", "read", None, 1, pointer="/start", expected={"minimum": 1}, found=0)],
        roles=["expected:find", "tolerated"],
    ),
]

TIERS: list[dict[str, Any]] = [
    row(
        "real-execution",
        "Real execution wants every expected call executed and successful.",
        case(FIND),
        attempt(FOUND),
        REAL,
    ),
    row("failed-strict", "The strict contract tier does not ask for success.", case(FIND), attempt(FAILED), STRICT),
    row(
        "failed-completion",
        "A completion tier does.",
        case(FIND),
        attempt(FAILED),
        COMPLETE,
        "succeeded",
        dims="TTTT",
        parts=(1, 1, 1),
        fields=(1.0, 1.0),
        faults=[fault("execution_failed", "find", "find", 0)],
        roles=["expected:find"],
    ),
    row("failed-call-only", "But not of a call-only case.", case(FIND, call_only=True), attempt(FAILED), COMPLETE),
    row(
        "failed-call-only-workbench",
        "Nor on the workbench, where the partial score still says that nothing succeeded.",
        case(FIND, call_only=True),
        attempt(FAILED),
        DONE,
        parts=(1, 1, 1, 1, 0),
    ),
    row(
        "over-limit",
        "A call beyond a limit was not executed.",
        case(FIND),
        attempt(call("find", {"name": "araA"}, "over_limit")),
        REAL,
        "executed",
        "succeeded",
        parts=(1, 1, 1, 0, 0),
        dims="TTTT",
        fields=(1.0, 1.0),
        faults=[fault("execution_failed", "find", "find", 0)],
        roles=["expected:find"],
    ),
    row(
        "strict-order-on-the-workbench",
        "Real execution has the order of the strict tier.",
        case(FIND, READ),
        attempt(BASES, FOUND),
        REAL,
        "sequence",
        dims="TTTT",
        faults=[fault("wrong_order", "read", "read", 0)],
        roles=["expected:read", "expected:find"],
    ),
    row(
        "free-order-on-the-workbench",
        "Completion on the workbench has a free order.",
        case(FIND, READ),
        attempt(BASES, FOUND),
        DONE,
        roles=["expected:read", "expected:find"],
    ),
    row(
        "end-state-equal",
        "View and session count only where a step changes them.",
        case(PUT, end_state={"project": "p", "view": "v", "session": "s"}),
        attempt(INSERTED, end_state={"project": "p", "view": "w", "session": "t"}),
        DONE,
    ),
    row(
        "end-state-view",
        "Where a step changes the view it counts.",
        case(step("see", "show", {"at": 4}), end_state={"view": "v", "session": "s"}),
        attempt(call("show", {"at": 4}), end_state={"view": "w", "session": "t"}),
        DONE,
        "end_state",
        dims="TTTT",
        faults=[fault("end_state_differs", expected="v", found="w")],
        roles=["expected:see"],
    ),
    row(
        "end-state-not-recorded",
        "A part that the attempt does not record differs.",
        case(PUT, end_state={"project": "p", "files": "f"}),
        attempt(INSERTED, end_state={"project": "p"}),
        DONE,
        "end_state",
        dims="TTTT",
        faults=[fault("end_state_differs", expected="f")],
        roles=["expected:put"],
    ),
    row(
        "end-state-more",
        "A part that only the attempt left behind differs as well.",
        case(PUT, end_state={"project": "p"}),
        attempt(INSERTED, end_state={"project": "p", "files": "f"}),
        DONE,
        "end_state",
        dims="TTTT",
        faults=[fault("end_state_differs", found="f")],
        roles=["expected:put"],
    ),
    row(
        "end-state-strict",
        "Strict tiers do not look at the end state.",
        case(PUT, end_state={"project": "p"}),
        attempt(INSERTED, end_state={"project": "q"}),
        REAL,
    ),
    row(
        "further-instance-and-end-state",
        "A further instance of a capability fails where the end state differs.",
        case(PUT, end_state={"project": "p"}),
        attempt(INSERTED, call("insert", {"at": 9}), end_state={"project": "q"}),
        DONE,
        "end_state",
        dims="TTTT",
        faults=[fault("end_state_differs", expected="p", found="q")],
        roles=["expected:put", "tolerated"],
    ),
    row(
        "second-golden-run",
        "Another golden run is as right as the first.",
        case(FIND, alternatives=((PUT,),)),
        attempt(INSERTED),
        STRICT,
        roles=["expected:put"],
    ),
    row(
        "half-of-each-run",
        "Half of one run and half of another is no run; the better verdict is kept.",
        case(FIND, READ, alternatives=((PUT, step("run", "tidy"), step("keep", "save", {"path": "a"})),)),
        attempt(FOUND, INSERTED),
        STRICT,
        "sequence",
        "argument_keys",
        "argument_values",
        parts=(1 / 2, 1 / 2, 1),
        extras=1,
        dims="TTFT",
        faults=[fault("wrong_tool", "insert", "read", 1, expected="read", found="insert")],
        roles=["expected:find", "unexpected"],
    ),
    row(
        "equally-bad-runs",
        "Of equally bad golden runs the first is kept.",
        case(FIND, alternatives=((step("other", "find", {"name": "araC"}),),)),
        attempt(call("find", {"name": "araB"})),
        STRICT,
        "argument_values",
        parts=(1, 0, 1),
        dims="TTFT",
        faults=[fault("wrong_value", "find", "find", 0, pointer="/name", expected="araA", found="araB")],
        roles=["expected:find"],
    ),
    row(
        "no-candidates",
        "Evidence without candidates is taken at the word of the harness.",
        case(FIND),
        attempt(FOUND, offered=()),
        STRICT,
    ),
    row(
        "first-reply-only",
        "A single-call task is judged by its first reply.",
        single("…", {"order_id": "ORD-1234"}),
        attempt(call("order", {"order_id": "ORD-1234"}), call("order", {"order_id": "ORD-9999"})),
        STRICT,
        conforming=[True, True],
    ),
    *EXTRAS,
]
