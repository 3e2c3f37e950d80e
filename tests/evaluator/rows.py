"""Data rows: a case, an attempt, a tier, and the fault kinds that the verdict must name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import HarnessName, Tier, ToolName
from fcbench.core.verdicts import FaultKind
from tests.evaluator.world import attempt, call, case, dutch, step

STRICT: Tier = "native-function-contract"
COMPLETE: Tier = "task-completion-contract"
REAL: Tier = "real-tool-execution"
DONE: Tier = "task-completion-execution"


@dataclass(frozen=True)
class Row:
    """One row; `kinds` are all fault kinds of the verdict, in any order, and `pointers` some of their places."""

    id: str
    case: Case
    attempt: Attempt
    kinds: set[str]
    tier: Tier = STRICT
    pointers: set[str] = field(default_factory=set)

    @property
    def harness(self) -> HarnessName:
        return "workbench" if self.tier in (REAL, DONE) else "contract"


FIND = step("find", "search_gene", {"name": "araA"})
BASES = step("read", "get_bases", {"start": 10, "end": 20})
CHAIN = case(FIND, step("read", "get_bases", {"start": {"$from": {"step": "find", "pointer": "/start"}}, "end": 90}))
FOUND = call("search_gene", {"name": "araA"}, content={"start": 7})
FULL = {"dossier_id": "DOS-12345"}


def nl(instruction: str, expected: dict[str, Any], found: dict[str, Any] | str, **more: Any) -> dict[str, Any]:
    return {
        "case": dutch(instruction, step("vul", "aanvraag", expected), **more),
        "attempt": attempt(call("aanvraag", found)),
    }


def _only(*names: str) -> tuple[Candidate, ...]:
    return tuple(Candidate(name=ToolName(name), rank=rank) for rank, name in enumerate(names, 1))


ROWS = [
    Row("no-call", case(FIND), attempt("I would look it up."), {"no_call"}),
    Row("no-call-empty-attempt", case(FIND), attempt(), {"no_call"}, COMPLETE),
    Row("wrong-tool", case(FIND), attempt(call("search_feature", {"query": "araA"})), {"wrong_tool"}),
    Row("wrong-tool-that-only-reads", case(FIND), attempt(call("get_bases", {"start": 1})), {"wrong_tool"}, COMPLETE),
    Row("missing-call", case(FIND, BASES), attempt(FOUND), {"missing_call"}),
    Row("missing-call-after-duplicate", case(FIND, BASES), attempt(FOUND, FOUND), {"missing_call"}, COMPLETE),
    Row("extra-change-strict", case(FIND), attempt([FOUND, call("drop", {"name": "x"})]), {"tool_not_offered"}),
    Row(
        "extra-change",
        case(FIND),
        attempt(FOUND, call("insert", {"position": 3})),
        {"extra_state_changing_call"},
        COMPLETE,
    ),
    Row("extra-change-at-strict", case(FIND), attempt(FOUND, call("apply")), {"extra_state_changing_call"}),
    Row(
        "view-change-where-the-view-is-the-task",
        case(step("mark", "bookmark", {"name": "a"})),
        attempt(call("bookmark", {"name": "a"}), call("go_to", {"position": 4})),
        {"extra_state_changing_call"},
        COMPLETE,
    ),
    Row("extra-read", case(FIND), attempt(FOUND, call("get_bases", {"start": 1})), {"unexpected_call"}),
    Row("extra-view", case(FIND), attempt(FOUND, call("go_to", {"position": 1})), {"unexpected_call"}),
    Row("duplicate", case(FIND), attempt([FOUND, FOUND]), {"duplicate_call"}),
    Row(
        "duplicate-not-executed",
        case(step("put", "insert", {"position": 3})),
        attempt([call("insert", {"position": 3}), call("insert", {"position": 3}, "duplicate")]),
        {"duplicate_call"},
    ),
    Row(
        "swapped",
        case(FIND, BASES),
        attempt(call("get_bases", {"start": 10, "end": 20}), FOUND),
        {"wrong_order"},
    ),
    Row(
        "needed-step-in-the-same-round",
        case(step("put", "insert", {"position": 3}), step("run", "apply", after=("put",))),
        attempt([call("insert", {"position": 3}), call("apply")]),
        {"wrong_order"},
        COMPLETE,
    ),
    Row("not-offered", case(FIND), attempt(FOUND, call("drop", {"name": "a"})), {"tool_not_offered"}, COMPLETE),
    Row("tool-that-does-not-exist", case(FIND), attempt(FOUND, call("fly", {})), {"tool_not_offered"}),
    Row(
        "retrieval-miss",
        case(FIND),
        attempt(call("get_bases", {"start": 1}), candidates=_only("get_bases")),
        {"retrieval_miss"},
        COMPLETE,
    ),
    Row(
        "retrieval-miss-of-one-step",
        case(FIND, BASES),
        attempt(FOUND, candidates=_only("search_gene")),
        {"retrieval_miss"},
    ),
    Row(
        "source-in-the-same-round",
        CHAIN,
        attempt([FOUND, call("get_bases", {"start": 7, "end": 90})]),
        {"unresolved_reference"},
        pointers={"/start"},
    ),
    Row(
        "source-failed",
        CHAIN,
        attempt(
            call("search_gene", {"name": "araA"}, "error", {"start": 7}), call("get_bases", {"start": 7, "end": 90})
        ),
        {"unresolved_reference"},
    ),
    Row(
        "source-says-something-else",
        CHAIN,
        attempt(FOUND, call("get_bases", {"start": 8, "end": 90})),
        {"wrong_value"},
        pointers={"/start"},
    ),
    Row("cut-json", case(FIND), attempt(call("search_gene", '{"name": "ara')), {"malformed_json"}),
    Row("duplicate-key", case(FIND), attempt(call("search_gene", '{"name": "a", "name": "araA"}')), {"malformed_json"}),
    Row("not-an-object", case(FIND), attempt(call("search_gene", "[]")), {"malformed_json"}, COMPLETE),
    Row("missing-key", **nl("Dossier DOS-12345.", FULL, {}), kinds={"missing_required_key"}, pointers={"/dossier_id"}),
    Row(
        "missing-key-at-level-2",
        **nl("…", {**FULL, "klant": {"achternaam": "Bos"}}, {**FULL, "klant": {}}),
        kinds={"missing_required_key"},
        pointers={"/klant/achternaam"},
    ),
    Row(
        "missing-key-by-condition",
        **nl("…", {**FULL, "betaald": True, "code": "A1"}, {**FULL, "betaald": True}),
        kinds={"missing_required_key"},
        pointers={"/code"},
    ),
    Row("missing-argument", case(BASES), attempt(call("get_bases", {"start": 10})), {"missing_argument"}, COMPLETE),
    Row(
        "missing-optional-below-the-root",
        **nl("…", {**FULL, "klant": {"voornaam": "An", "achternaam": "Bos"}}, {**FULL, "klant": {"achternaam": "Bos"}}),
        kinds={"missing_argument"},
        pointers={"/klant/voornaam"},
    ),
    Row("unknown-key", **nl("…", FULL, {**FULL, "soort_huis": "vrij"}), kinds={"unknown_key"}),
    Row(
        "unknown-key-plain",
        case(FIND),
        attempt(call("search_gene", {"name": "araA", "x": 1})),
        {"unknown_key"},
        COMPLETE,
    ),
    Row("wrong-type", **nl("…", {**FULL, "bedrag": 5}, {**FULL, "bedrag": "5"}), kinds={"wrong_type"}),
    Row("boolean-for-number", case(BASES), attempt(call("get_bases", {"start": True, "end": 20})), {"wrong_type"}),
    Row(
        "enum",
        **nl(
            "Ja.",
            {**FULL, "klant": {"achternaam": "Bos", "soort": "PRIVATE"}},
            {**FULL, "klant": {"achternaam": "Bos", "soort": "OTHER"}},
        ),
        kinds={"enum_out_of_vocabulary"},
        pointers={"/klant/soort"},
    ),
    Row(
        "enum-plain",
        case(BASES),
        attempt(call("get_bases", {"start": 10, "end": 20, "strand": "x"})),
        {"enum_out_of_vocabulary"},
    ),
    Row("pattern", **nl("…", FULL, {"dossier_id": "12345"}), kinds={"pattern_violation"}),
    Row(
        "format",
        **nl(
            "Geboren 4-3-1980.",
            {**FULL, "klant": {"achternaam": "Bos", "geboortedatum": "1980-03-04"}},
            {**FULL, "klant": {"achternaam": "Bos", "geboortedatum": "4-3-1980"}},
        ),
        kinds={"pattern_violation"},
    ),
    Row("range", **nl("…", {**FULL, "bedrag": 5}, {**FULL, "bedrag": -5}), kinds={"range_violation"}),
    Row("range-plain", case(BASES), attempt(call("get_bases", {"start": 0, "end": 20})), {"range_violation"}, COMPLETE),
    Row("length-of-text", **nl("…", {**FULL, "code": "ABCD"}, {**FULL, "code": "ABCDE"}), kinds={"length_violation"}),
    Row(
        "length-of-list",
        **nl("…", {**FULL, "delen": [{"hoofdsom": 1}]}, {**FULL, "delen": []}),
        kinds={"length_violation", "wrong_value"},
    ),
    Row(
        "unique-items",
        **nl("…", {**FULL, "delen": [{"hoofdsom": 1}]}, {**FULL, "delen": [{"hoofdsom": 1}, {"hoofdsom": 1}]}),
        kinds={"unique_items_violation", "invented_optional"},
    ),
    Row(
        "unique-items-in-place-of-another",
        **nl(
            "…",
            {**FULL, "delen": [{"hoofdsom": 1}, {"hoofdsom": 2}]},
            {**FULL, "delen": [{"hoofdsom": 1}, {"hoofdsom": 1}]},
        ),
        kinds={"unique_items_violation", "wrong_value"},
    ),
    Row(
        "branch-confusion",
        **nl(
            "…",
            {**FULL, "filters": [{"soort": "bedrag", "minimum": 5}]},
            {**FULL, "filters": [{"soort": "bedrag", "minimum": 5, "naam": "Ede"}]},
        ),
        kinds={"branch_confusion"},
        pointers={"/filters/0/naam"},
    ),
    Row(
        "branch-confusion-and-its-own-key-missing",
        **nl(
            "…",
            {**FULL, "filters": [{"soort": "plaats", "naam": "Ede"}]},
            {**FULL, "filters": [{"soort": "plaats", "minimum": 5}]},
        ),
        kinds={"branch_confusion", "missing_required_key"},
        pointers={"/filters/0/minimum", "/filters/0/naam"},
    ),
    Row(
        "global-field",
        **nl(
            "…",
            {**FULL, "klant": {"achternaam": "Bos"}},
            {**FULL, "klant": {"achternaam": "Bos", "dossier_id": "DOS-12345"}},
        ),
        kinds={"global_field_repeated"},
        pointers={"/klant/dossier_id"},
    ),
    Row(
        "global-field-in-a-list",
        **nl("…", {**FULL, "delen": [{"hoofdsom": 1}]}, {**FULL, "delen": [{"hoofdsom": 1, "bedrag": 1}]}),
        kinds={"global_field_repeated"},
    ),
    Row("dependent-schema", **nl("…", FULL, {**FULL, "filters": [7]}), kinds={"wrong_type", "invented_optional"}),
    Row(
        "both-of-two-that-exclude-each-other",
        case(step("pick", "pick", {"a": 1})),
        attempt(call("pick", {"a": 1, "b": 2})),
        {"other_schema_violation", "invented_optional"},
    ),
    Row(
        "excluded-value",
        case(step("pick", "pick", {"a": 1})),
        attempt(call("pick", {"a": 9})),
        {"other_schema_violation"},
        COMPLETE,
    ),
    Row("invented-optional", **nl("…", FULL, {**FULL, "betaald": False}), kinds={"invented_optional"}),
    Row(
        "dormer-forced-in",
        **nl(
            "De dakkapel kost 12.000 euro, maar het gaat om 350.000 euro.",
            {**FULL, "delen": [{"hoofdsom": 350000}]},
            {**FULL, "delen": [{"hoofdsom": 350000}, {"hoofdsom": 12000}]},
        ),
        kinds={"invented_optional"},
        pointers={"/delen/1"},
    ),
    Row(
        "extra-argument",
        case(FIND),
        attempt(call("search_gene", {"name": "araA", "strict": True})),
        {"invented_optional"},
        COMPLETE,
    ),
    Row(
        "distractor",
        dutch("…", step("vul", "aanvraag", FULL)),
        attempt(call("afwijzing", {"dossier_id": "DOS-12345"})),
        {"distractor_used"},
    ),
    Row(
        "distractor-beside-the-right-call",
        case(FIND, task={"tools": (ToolName("search_gene"), ToolName("get_bases"))}),
        attempt([FOUND, call("get_bases", {"start": 4})]),
        {"distractor_used"},
    ),
    Row(
        "dummy",
        dutch("Vraag het aan voor de klant.", decision="ask", missing=("dossier_id",)),
        attempt(call("aanvraag", {"dossier_id": "DOS-00000"})),
        {"call_not_due", "dummy_for_missing_data", "no_text_reply"},
        pointers={"/dossier_id"},
    ),
    Row(
        "dummy-below-the-root",
        dutch("Dossier DOS-12345.", decision="ask", missing=("klant.achternaam",)),
        attempt(call("aanvraag", {**FULL, "klant": {"achternaam": "Onbekend"}})),
        {"call_not_due", "dummy_for_missing_data", "no_text_reply"},
        COMPLETE,
    ),
    Row(
        "repaired",
        dutch("Het dossier is DOS-1234.", decision="ask", missing=("dossier_id",)),
        attempt(call("aanvraag", {"dossier_id": "DOS-12340"})),
        {"call_not_due", "value_repaired", "no_text_reply"},
        pointers={"/dossier_id"},
    ),
    Row(
        "repaired-letter",
        dutch("Het dossier is DOS-12O45.", decision="ask", missing=("dossier_id",)),
        attempt(call("aanvraag", {"dossier_id": "DOS-12045"})),
        {"call_not_due", "value_repaired", "no_text_reply"},
    ),
    Row(
        "refused",
        dutch("Dossier DOS-12345.", step("vul", "aanvraag", FULL)),
        attempt("Welk dossier?"),
        {"refused_although_complete"},
    ),
    Row(
        "refused-at-completion",
        dutch("…", step("vul", "aanvraag", FULL)),
        attempt("Dat kan niet."),
        {"refused_although_complete"},
        COMPLETE,
    ),
    Row("call-not-due", case(decision="no_call"), attempt(FOUND, "araA lies there."), {"call_not_due"}),
    Row(
        "call-not-due-change", case(decision="unavailable"), attempt(call("apply"), "Done."), {"call_not_due"}, COMPLETE
    ),
    Row("wrong-value", case(FIND), attempt(call("search_gene", {"name": "araB"})), {"wrong_value"}, pointers={"/name"}),
    Row(
        "wrong-value-in-a-list",
        **nl("…", {**FULL, "delen": [{"hoofdsom": 5}]}, {**FULL, "delen": [{"hoofdsom": 6}]}),
        kinds={"wrong_value"},
        pointers={"/delen/0/hoofdsom"},
    ),
    Row(
        "decimal-mark-cut",
        **nl("Een bedrag van 150.000,50 euro.", {**FULL, "bedrag": 150000.5}, {**FULL, "bedrag": 150}),
        kinds={"decimal_mark"},
    ),
    Row(
        "decimal-mark-dropped",
        **nl("De rente is 3,75.", {**FULL, "bedrag": 3.75}, {**FULL, "bedrag": 375}),
        kinds={"decimal_mark"},
    ),
    Row(
        "thousands-mark",
        **nl("Een lening van 350.000 euro.", {**FULL, "bedrag": 350000}, {**FULL, "bedrag": 350}),
        kinds={"thousands_mark"},
    ),
    Row(
        "thousands-mark-as-decimal",
        **nl("Totaal 12.345 euro.", {**FULL, "bedrag": 12345}, {**FULL, "bedrag": 12.345}),
        kinds={"thousands_mark"},
    ),
    Row(
        "date-order",
        **nl(
            "Geboren op 04-03-1980.",
            {**FULL, "klant": {"achternaam": "Bos", "geboortedatum": "1980-03-04"}},
            {**FULL, "klant": {"achternaam": "Bos", "geboortedatum": "1980-04-03"}},
        ),
        kinds={"date_order"},
        pointers={"/klant/geboortedatum"},
    ),
    Row(
        "date-order-comparator",
        **nl(
            "Geboren op 5-6-1990.",
            {**FULL, "klant": {"achternaam": "Bos", "geboortedatum": {"$date": "1990-06-05"}}},
            {**FULL, "klant": {"achternaam": "Bos", "geboortedatum": "1990-05-06"}},
        ),
        kinds={"date_order"},
    ),
    Row(
        "word-not-translated",
        **nl(
            "Mevrouw Bos, particulier.",
            {**FULL, "klant": {"achternaam": "Bos", "soort": "PRIVATE"}},
            {**FULL, "klant": {"achternaam": "Bos", "soort": "particulier"}},
        ),
        kinds={"enum_word_not_translated"},
    ),
    Row(
        "word-not-translated-in-a-list",
        **nl(
            "Een annuïteitenlening van 5.",
            {**FULL, "delen": [{"vorm": "annuitair", "hoofdsom": 5}]},
            {**FULL, "delen": [{"vorm": "annuïteitenlening", "hoofdsom": 5}]},
        ),
        kinds={"enum_word_not_translated"},
    ),
    Row(
        "surname-prefix-lost",
        **nl(
            "Jan van der Berg",
            {**FULL, "klant": {"achternaam": "van der Berg"}},
            {**FULL, "klant": {"achternaam": "Berg"}},
        ),
        kinds={"surname_prefix"},
        pointers={"/klant/achternaam"},
    ),
    Row(
        "surname-prefix-not-split-off",
        **nl(
            "Jan van der Berg",
            {**FULL, "klant": {"tussenvoegsel": "van der", "achternaam": "Berg"}},
            {**FULL, "klant": {"achternaam": "van der Berg"}},
        ),
        kinds={"surname_prefix"},
        pointers={"/klant/tussenvoegsel", "/klant/achternaam"},
    ),
    Row(
        "execution-failed",
        case(FIND),
        attempt(call("search_gene", {"name": "araA"}, "error")),
        {"execution_failed"},
        REAL,
    ),
    Row(
        "execution-failed-at-completion",
        case(FIND),
        attempt(call("search_gene", {"name": "araA"}, "over_limit")),
        {"execution_failed"},
        COMPLETE,
    ),
    Row(
        "end-state",
        case(step("run", "apply"), oracle={"end_state": {"project": "a", "view": "v"}}),
        attempt(call("apply"), end_state={"project": "b", "view": "w"}),
        {"end_state_differs"},
        DONE,
    ),
    Row(
        "end-state-not-recorded",
        case(step("see", "go_to", {"position": 4}), oracle={"end_state": {"view": "v"}}),
        attempt(call("go_to", {"position": 4})),
        {"end_state_differs"},
        DONE,
    ),
    Row("timed-out", case(FIND), replace(attempt(FOUND), outcome="timeout"), {"timed_out"}),
    Row(
        "timed-out-without-a-call",
        case(decision="no_call"),
        replace(attempt(), outcome="timeout"),
        {"timed_out"},
        COMPLETE,
    ),
    Row("no-text", case(decision="ask"), attempt(""), {"no_text_reply"}),
    Row(
        "text-cut-off",
        case(decision="ask"),
        replace(attempt("Which"), outcome="budget_exhausted"),
        {"no_text_reply"},
        COMPLETE,
    ),
]
KINDS: tuple[str, ...] = get_args(FaultKind)
