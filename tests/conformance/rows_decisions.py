"""Lines on decisions: where no call is due, and where any is (PROTOCOL 3)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tests.conformance.world import COMPLETE, REAL, STRICT, attempt, call, case, fault, row, single

FOUND = call("find", {"name": "araA"})
BASES = call("read", {"start": 1})
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


ASKED = attempt("Which of the")
BOTH = attempt(FOUND)
DECISIONS += [
    _loud(
        "ask-cut",
        "A reply that the token limit cut did not end normally.",
        "ask",
        replace(ASKED, rounds=(replace(ASKED.rounds[0], finish_reason="length"),)),
        STRICT,
        "text_reply",
        faults=[fault("no_text_reply")],
    ),
    _loud(
        "ask-beside-a-call",
        "A last reply that still calls did not end with its text.",
        "ask",
        replace(BOTH, rounds=(replace(BOTH.rounds[0], text="Which?", finish_reason="stop"),), final_text="Which?"),
        COMPLETE,
        "text_reply",
        dims="T--T",
        faults=[fault("no_text_reply")],
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
        faults=[fault("no_call", found="find(name='araA')")],
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
