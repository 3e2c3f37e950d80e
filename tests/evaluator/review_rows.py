"""Situations of a hostile review of version 1: matching, other writings, calls beyond the steps, end states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import HarnessName, Tier, ToolName
from fcbench.core.verdicts import Verdict
from fcbench.evaluator import judge
from tests.evaluator.review_tools import TOOLS
from tests.evaluator.world import CONTRACTS, attempt, call, case, step

STRICT: Tier = "native-function-contract"
COMPLETE: Tier = "task-completion-contract"
REAL: Tier = "real-tool-execution"
DONE: Tier = "task-completion-execution"
KNOWN: dict[ToolName, ToolContract] = {**CONTRACTS, **TOOLS}


@dataclass(frozen=True)
class Situation:
    """One situation. Without `kinds` the attempt passes; else these are all of its faults."""

    id: str
    case: Case
    attempt: Attempt
    kinds: tuple[str, ...] = ()
    tier: Tier = COMPLETE
    pointers: frozenset[str] = field(default_factory=frozenset)


def verdict_of(judged: Case, found: Attempt, tier: Tier = COMPLETE) -> Verdict:
    harness: HarnessName = "workbench" if tier in (REAL, DONE) else "contract"
    return judge(judged, found, KNOWN, harness, tier)


def seen(*rounds: Any, **more: Any) -> Attempt:
    """An attempt whose candidates nobody listed."""
    return attempt(*rounds, **{"candidates": (), **more})


def made(tool: str, arguments: dict[str, Any] | str | None = None, content: Any = None, status: str = "ok") -> Any:
    """One call as the harness took it."""
    return call(tool, arguments, status, content)


def one(name: str, tool: str, expected: dict[str, Any], found: Any, *kinds: str, **more: Any) -> Situation:
    """One step and one call; `by` is the tool that was called, where it is another one."""
    by, omitted = more.pop("by", tool), more.pop("may_omit", ())
    pointers = frozenset(more.pop("at", ()))
    judged = case(step("one", tool, expected, may_omit=omitted))
    return Situation(name, judged, seen(made(by, found)), kinds, pointers=pointers, **more)


def at(pointer: str, **more: Any) -> dict[str, Any]:
    """A reference to what the step `find` returned."""
    return {"$from": {"step": "find", "pointer": pointer, **more}}


FIND = step("find", "search_gene", {"name": "araA"})
READS = tuple(step(f"r{index}", "get_bases", {"start": at("/at", offset=index)}) for index in range(5))
OTHER = step("other", "search_feature", {"query": "b"})
OTHER_READS = tuple(
    step(
        f"o{index}", "get_bases", {"start": {"$from": {"step": "other", "pointer": "/at", "offset": index}}, "end": 900}
    )
    for index in range(4)
)


def _read(*starts: int, **more: int) -> list[Any]:
    return [made("get_bases", {"start": start, **more}) for start in starts]


def _search(place: int) -> Any:
    return made("search_gene", {"name": "araA"}, {"at": place})


def _feature(place: int) -> Any:
    return made("search_feature", {"query": "b"}, {"at": place})


# Which call stands for a step, and what a reference means there.
MATCHING = [
    Situation(
        "a-source-called-twice-and-the-second-was-used",
        case(FIND, *READS),
        seen(_search(500), _search(40), _read(*range(40, 45))),
    ),
    Situation(
        "a-source-called-twice-and-the-first-was-used",
        case(FIND, *READS),
        seen(_search(40), _search(500), _read(*range(40, 45))),
    ),
    Situation(
        "two-sources-called-twice-each",
        case(FIND, OTHER, *READS, *OTHER_READS),
        seen(
            [_search(500), _feature(60)],
            [_search(40), _feature(700)],
            _read(*range(40, 45)),
            _read(60, 61, 62, 63, end=900),
        ),
    ),
    Situation(
        "reads-that-mix-two-calls-of-one-source",
        case(FIND, *READS),
        seen(_search(500), _search(40), _read(40, 41, 42, 503, 504)),
        ("wrong_value", "wrong_value"),
    ),
    Situation(
        "offset-on-a-whole-number-written-as-7.0",
        case(FIND, step("read", "get_bases", {"start": at("/at", offset=2)})),
        seen(made("search_gene", {"name": "araA"}, {"at": 7.0}), made("get_bases", {"start": 9})),
    ),
    Situation(
        "no-offset-on-a-broken-number",
        case(FIND, step("read", "get_bases", {"start": at("/at", offset=2)})),
        seen(made("search_gene", {"name": "araA"}, {"at": 7.5}), made("get_bases", {"start": 9})),
        ("unresolved_reference",),
    ),
    Situation(
        "no-offset-on-true",
        case(FIND, step("read", "get_bases", {"start": at("/at", offset=2)})),
        seen(made("search_gene", {"name": "araA"}, {"at": True}), made("get_bases", {"start": 3})),
        ("unresolved_reference",),
    ),
]

# Forms keep comparators; equivalents lose no expected value.
GENE = {"kind": "gene"}
WRITING = [
    one("form-of-alternatives", "probe", {"at": {"$one_of": [10, 20]}}, {"skip": 19}),
    one(
        "form-of-alternatives-wrong", "probe", {"at": {"$one_of": [10, 20]}}, {"skip": 20}, "wrong_value", at=["/skip"]
    ),
    one("form-of-a-tolerance", "probe", {"at": {"$tolerance": {"value": 10, "absolute": 0.5}}}, {"skip": 9.4}),
    one(
        "form-of-a-tolerance-wrong",
        "probe",
        {"at": {"$tolerance": {"value": 10, "absolute": 0.5}}},
        {"skip": 10},
        "wrong_value",
    ),
    one("form-of-any", "probe", {"at": {"$any": {"example": 1}}}, {"skip": 77}),
    one("form-of-a-float", "probe", {"at": 10.5}, {"skip": 9.5}),
    one("form-of-a-float-wrong", "probe", {"at": 10.5}, {"skip": 10.5}, "wrong_value"),
    one("form-of-exact", "probe", {"at": {"$exact": 10}}, {"skip": 9}),
    one("form-of-a-set", "probe", {"many": {"$set": [3, 5]}}, {"skips": [4, 2]}),
    one("form-of-a-set-wrong", "probe", {"many": {"$set": [3, 5]}}, {"skips": [4, 3]}, "wrong_value"),
    one("form-of-casefold", "probe", {"strand": {"$casefold": "PLUS"}}, {"direction": "forward"}),
    one("form-of-casefold-wrong", "probe", {"strand": {"$casefold": "PLUS"}}, {"direction": "reverse"}, "wrong_value"),
    one("form-of-words", "probe", {"strand": {"$one_of": ["plus", "minus"]}}, {"direction": "reverse"}),
    one("true-has-no-offset", "probe", {"at": True}, {"skip": 0}, "wrong_value"),
    Situation(
        "form-of-a-reference",
        case(FIND, step("probe", "probe", {"at": at("/at")})),
        seen(_search(10), made("probe", {"skip": 9})),
    ),
    Situation(
        "form-of-a-reference-wrong",
        case(FIND, step("probe", "probe", {"at": at("/at")})),
        seen(_search(10), made("probe", {"skip": 10})),
        ("wrong_value",),
    ),
    one(
        "equivalent-may-not-lose-an-argument",
        "search_gene",
        {"name": "a", "limit": 5},
        {"query": "a", "kind": "gene"},
        "wrong_tool",
        by="search_feature",
    ),
    one(
        "equivalent-may-lose-a-default",
        "search_gene",
        {"name": "a", "limit": 20},
        {"query": "a", "kind": "gene"},
        by="search_feature",
    ),
    one("first-of-two-equivalents-by-one-tool", "list", GENE, {"genes": True}, by="browse"),
    one("second-of-two-equivalents-by-one-tool", "list", GENE, {"table": "gene"}, by="browse"),
    Situation(
        "the-better-of-two-calls-by-the-second-equivalent",
        case(step("one", "list", GENE)),
        seen(made("browse", {"genes": False}), made("browse", {"table": "gene"})),
    ),
    one("neither-of-two-equivalents", "list", GENE, {"table": "cds"}, "wrong_value", by="browse", at=["/table"]),
    one("equivalent-under-its-condition-only", "list", {"kind": "cds"}, {"table": "cds"}, by="browse"),
    one(
        "condition-of-an-equivalent-holds-for-one-alternative",
        "list",
        {"kind": {"$one_of": ["cds", "gene"]}},
        {"genes": True},
        by="browse",
    ),
    one(
        "condition-of-an-equivalent-holds-for-no-alternative",
        "list",
        {"kind": {"$one_of": ["cds", "tRNA"]}},
        {"genes": True},
        "missing_argument",
        "invented_optional",
        by="browse",
    ),
    one(
        "what-may-be-left-out-may-be-in-an-equivalent",
        "list",
        {**GENE, "limit": 5},
        {"genes": True},
        by="browse",
        may_omit=("limit",),
    ),
    one(
        "what-may-be-left-out-is-not-free-in-an-equivalent",
        "list",
        {**GENE, "limit": 5},
        {"genes": True, "most": 6},
        "wrong_value",
        by="browse",
        may_omit=("limit",),
    ),
    one(
        "an-expected-argument-of-an-equivalent",
        "list",
        {**GENE, "limit": 5},
        {"genes": True},
        "missing_argument",
        by="browse",
    ),
    one(
        "an-argument-nobody-expects-in-an-equivalent",
        "list",
        GENE,
        {"genes": True, "most": 5},
        "invented_optional",
        by="browse",
    ),
    one("condition-of-absence-and-the-default-said", "list", {**GENE, "strict": False}, {"genes": True}, by="browse"),
    one(
        "condition-of-absence-and-another-value",
        "list",
        {**GENE, "strict": True},
        {"genes": True},
        "wrong_tool",
        by="browse",
    ),
    one("default-behind-a-reference", "turn", {"at": 3, "strand": "plus"}, {"at": 3}),
    one("default-behind-a-reference-said", "turn", {"at": 3}, {"at": 3, "strand": "plus"}),
    one("not-the-default-behind-a-reference", "turn", {"at": 3}, {"at": 3, "strand": "minus"}, "invented_optional"),
    one(
        "broken-json-leaves-nothing-out",
        "probe",
        {"at": 3},
        '{"at": 3',
        "malformed_json",
        may_omit=("at",),
    ),
]

# Calls beyond the expected ones.
PUT = case(step("put", "put", {"at": 1}))
EXTRA = [
    Situation(
        "another-of-the-equivalent-that-stands", PUT, seen(made("place_in", {"at": 1}), made("place_in", {"at": 2}))
    ),
    Situation("another-by-a-declared-equivalent", PUT, seen(made("put", {"at": 1}), made("place_in", {"at": 2}))),
    Situation("another-of-its-capability", PUT, seen(made("place_in", {"at": 1}), made("set_in", {"at": 2}))),
    Situation(
        "not-of-a-capability-that-stands-nowhere",
        PUT,
        seen(made("put", {"at": 1}), made("set_in", {"at": 2})),
        ("extra_state_changing_call",),
    ),
    Situation("follow-up-of-the-step", PUT, seen(made("put", {"at": 1}), made("apply"))),
    Situation("follow-up-of-the-step-by-an-equivalent", PUT, seen(made("place_in", {"at": 1}), made("apply"))),
    Situation("follow-up-of-the-equivalent-that-stands", PUT, seen(made("place_in", {"at": 1}), made("polish"))),
    Situation(
        "follow-up-of-an-equivalent-that-does-not-stand",
        PUT,
        seen(made("put", {"at": 1}), made("polish")),
        ("extra_state_changing_call",),
    ),
    Situation(
        "follow-up-before-its-step", PUT, seen(made("apply"), made("put", {"at": 1})), ("extra_state_changing_call",)
    ),
    Situation(
        "a-read-that-was-not-offered",
        case(FIND),
        attempt(call("search_gene", {"name": "araA"}), call("pick", {"a": 1}, "not_offered")),
        ("tool_not_offered",),
    ),
    Situation(
        "the-same-call-with-other-white-space-and-order",
        case(step("read", "get_bases", {"start": 1, "end": 2})),
        seen([made("get_bases", '{"start": 1, "end": 2}'), made("get_bases", '{"end":2,"start":1}')]),
        ("duplicate_call",),
        STRICT,
    ),
]
STATE = case(step("put", "insert", {"position": 3}), oracle={"end_state": {"project": {"length": 10}}})
PUT_IN = call("insert", {"position": 3})
END = [
    Situation("end-state-reached", STATE, attempt(PUT_IN, end_state={"project": {"length": 10}}), tier=DONE),
    Situation(
        "end-state-with-a-part-too-many",
        STATE,
        attempt(PUT_IN, end_state={"project": {"length": 10}, "file": ["a.fa"]}),
        ("end_state_differs",),
        DONE,
    ),
    Situation(
        "view-that-no-step-is-about",
        STATE,
        attempt(PUT_IN, end_state={"project": {"length": 10}, "view": {"at": 3}}),
        tier=DONE,
    ),
    Situation(
        "no-end-state-in-the-case",
        case(step("put", "insert", {"position": 3})),
        attempt(PUT_IN, end_state={"project": {"length": 9}}),
        tier=DONE,
    ),
]
