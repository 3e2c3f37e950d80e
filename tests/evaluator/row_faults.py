"""What each row of `rows.py` must say: its whole list of faults, in order, but for the sentences.

`SAYS` tells which of these the sentence of a kind must hold.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Wanted(NamedTuple):
    """One fault; positions of calls count from 0."""

    kind: str
    tool: str | None = None
    step: str | None = None
    call: int | None = None
    pointer: str | None = None
    expected: Any = None
    found: Any = None
    depth: int | None = None


SAYS: dict[str, tuple[str, ...]] = {
    "no_call": (),
    "refused_although_complete": (),
    "timed_out": (),
    "no_text_reply": (),
    "end_state_differs": (),
    "wrong_tool": ("step", "expected", "found"),
    "distractor_used": ("tool",),
    "missing_call": ("step", "tool"),
    "retrieval_miss": ("step", "tool"),
    "extra_state_changing_call": ("tool",),
    "unexpected_call": ("tool",),
    "duplicate_call": ("tool",),
    "tool_not_offered": ("tool",),
    "call_not_due": ("tool",),
    "wrong_order": ("step",),
    "execution_failed": ("step",),
    "malformed_json": ("tool",),
    "missing_required_key": ("pointer", "depth"),
    "missing_argument": ("pointer", "expected"),
    "unknown_key": ("pointer",),
    "wrong_type": ("pointer", "found"),
    "enum_out_of_vocabulary": ("pointer", "found"),
    "enum_word_not_translated": ("pointer", "found"),
    "pattern_violation": ("pointer", "found"),
    "range_violation": ("pointer", "found"),
    "length_violation": ("pointer", "found"),
    "unique_items_violation": ("pointer",),
    "branch_confusion": ("pointer",),
    "global_field_repeated": ("pointer",),
    "other_schema_violation": ("pointer",),
    "invented_optional": ("pointer", "found"),
    "dummy_for_missing_data": ("pointer", "found"),
    "value_repaired": ("pointer", "expected", "found"),
    "wrong_value": ("pointer", "expected", "found"),
    "decimal_mark": ("pointer", "expected", "found"),
    "thousands_mark": ("pointer", "expected", "found"),
    "date_order": ("pointer", "expected", "found"),
    "surname_prefix": ("pointer", "expected", "found"),
    "unresolved_reference": ("pointer",),
}

FAULTS: dict[str, list[Wanted]] = {
    "no-call": [
        Wanted("no_call", found="I would look it up."),
    ],
    "no-call-empty-attempt": [
        Wanted("no_call"),
    ],
    "wrong-tool": [
        Wanted("wrong_tool", "search_feature", "find", 0, expected="search_gene", found="search_feature"),
    ],
    "wrong-tool-that-only-reads": [
        Wanted("wrong_tool", "get_bases", "find", 0, expected="search_gene", found="get_bases"),
    ],
    "missing-call": [
        Wanted("missing_call", "get_bases", "read"),
    ],
    "missing-call-after-duplicate": [
        Wanted("missing_call", "get_bases", "read"),
    ],
    "extra-change-strict": [
        Wanted("tool_not_offered", "drop", call=1),
    ],
    "extra-change": [
        Wanted("extra_state_changing_call", "insert", call=1),
    ],
    "extra-change-at-strict": [
        Wanted("extra_state_changing_call", "apply", call=1),
    ],
    "view-change-where-the-view-is-the-task": [
        Wanted("extra_state_changing_call", "go_to", call=1),
    ],
    "extra-read": [
        Wanted("unexpected_call", "get_bases", call=1),
    ],
    "extra-view": [
        Wanted("unexpected_call", "go_to", call=1),
    ],
    "duplicate": [
        Wanted("duplicate_call", "search_gene", call=1),
    ],
    "duplicate-not-executed": [
        Wanted("duplicate_call", "insert", call=1),
    ],
    "swapped": [
        Wanted("wrong_order", "get_bases", "read", 0),
    ],
    "needed-step-in-the-same-round": [
        Wanted("wrong_order", "apply", "run", 1),
    ],
    "not-offered": [
        Wanted("tool_not_offered", "drop", call=1),
    ],
    "tool-that-does-not-exist": [
        Wanted("tool_not_offered", "fly", call=1),
    ],
    "retrieval-miss": [
        Wanted("retrieval_miss", "search_gene", "find"),
    ],
    "retrieval-miss-of-one-step": [
        Wanted("retrieval_miss", "get_bases", "read"),
    ],
    "source-in-the-same-round": [
        Wanted("unresolved_reference", "get_bases", "read", 1, "/start", "find", 7),
    ],
    "source-failed": [
        Wanted("unresolved_reference", "get_bases", "read", 1, "/start", "find", 7),
    ],
    "source-says-something-else": [
        Wanted("wrong_value", "get_bases", "read", 1, "/start", 7, 8),
    ],
    "cut-json": [
        Wanted("malformed_json", "search_gene", "find", 0, found='{"name": "ara'),
    ],
    "duplicate-key": [
        Wanted("malformed_json", "search_gene", "find", 0, found='{"name": "a", "name": "araA"}'),
    ],
    "not-an-object": [
        Wanted("malformed_json", "search_gene", "find", 0, found="[]"),
    ],
    "missing-key": [
        Wanted("missing_required_key", "aanvraag", "vul", 0, "/dossier_id", depth=1),
    ],
    "missing-key-at-level-2": [
        Wanted("missing_required_key", "aanvraag", "vul", 0, "/klant/achternaam", depth=2),
    ],
    "missing-key-by-condition": [
        Wanted("missing_required_key", "aanvraag", "vul", 0, "/code", depth=1),
    ],
    "missing-argument": [
        Wanted("missing_argument", "get_bases", "read", 0, "/end", 20),
    ],
    "missing-optional-below-the-root": [
        Wanted("missing_argument", "aanvraag", "vul", 0, "/klant/voornaam", "An"),
    ],
    "unknown-key": [
        Wanted("unknown_key", "aanvraag", "vul", 0, "/soort_huis", found="vrij"),
    ],
    "unknown-key-plain": [
        Wanted("unknown_key", "search_gene", "find", 0, "/x", found=1),
    ],
    "wrong-type": [
        Wanted("wrong_type", "aanvraag", "vul", 0, "/bedrag", {"type": "number"}, "5"),
    ],
    "boolean-for-number": [
        Wanted("wrong_type", "get_bases", "read", 0, "/start", {"type": "integer"}, True),
    ],
    "enum": [
        Wanted("enum_out_of_vocabulary", "aanvraag", "vul", 0, "/klant/soort", ["PRIVATE", "BUSINESS"], "OTHER"),
    ],
    "enum-plain": [
        Wanted("enum_out_of_vocabulary", "get_bases", "read", 0, "/strand", ["+", "-"], "x"),
    ],
    "pattern": [
        Wanted("pattern_violation", "aanvraag", "vul", 0, "/dossier_id", {"pattern": "^DOS-[0-9]{5}$"}, "12345"),
    ],
    "format": [
        Wanted("pattern_violation", "aanvraag", "vul", 0, "/klant/geboortedatum", {"format": "date"}, "4-3-1980"),
    ],
    "range": [
        Wanted("range_violation", "aanvraag", "vul", 0, "/bedrag", {"minimum": 0}, -5),
    ],
    "range-plain": [
        Wanted("range_violation", "get_bases", "read", 0, "/start", {"minimum": 1}, 0),
    ],
    "length-of-text": [
        Wanted("length_violation", "aanvraag", "vul", 0, "/code", {"maxLength": 4}, "ABCDE"),
    ],
    "length-of-list": [
        Wanted("length_violation", "aanvraag", "vul", 0, "/delen", {"minItems": 1}, []),
        Wanted("wrong_value", "aanvraag", "vul", 0, "/delen/0", {"hoofdsom": 1}),
    ],
    "unique-items": [
        Wanted("unique_items_violation", "aanvraag", "vul", 0, "/delen", found=[{"hoofdsom": 1}, {"hoofdsom": 1}]),
        Wanted("invented_optional", "aanvraag", "vul", 0, "/delen/1", found={"hoofdsom": 1}),
    ],
    "unique-items-in-place-of-another": [
        Wanted("unique_items_violation", "aanvraag", "vul", 0, "/delen", found=[{"hoofdsom": 1}, {"hoofdsom": 1}]),
        Wanted("wrong_value", "aanvraag", "vul", 0, "/delen/1/hoofdsom", 2, 1),
    ],
    "branch-confusion": [
        Wanted("branch_confusion", "aanvraag", "vul", 0, "/filters/0/naam", found="Ede"),
    ],
    "branch-confusion-and-its-own-key-missing": [
        Wanted("branch_confusion", "aanvraag", "vul", 0, "/filters/0/minimum", found=5),
        Wanted("missing_required_key", "aanvraag", "vul", 0, "/filters/0/naam", depth=2),
    ],
    "global-field": [
        Wanted("global_field_repeated", "aanvraag", "vul", 0, "/klant/dossier_id", found="DOS-12345"),
    ],
    "global-field-in-a-list": [
        Wanted("global_field_repeated", "aanvraag", "vul", 0, "/delen/0/bedrag", found=1),
    ],
    "dependent-schema": [
        Wanted("wrong_type", "aanvraag", "vul", 0, "/filters/0", {"type": "object"}, 7),
        Wanted("invented_optional", "aanvraag", "vul", 0, "/filters", found=[7]),
    ],
    "both-of-two-that-exclude-each-other": [
        Wanted("other_schema_violation", "pick", "pick", 0, "", {"not": {"required": ["a", "b"]}}, {"a": 1, "b": 2}),
        Wanted("invented_optional", "pick", "pick", 0, "/b", found=2),
    ],
    "excluded-value": [
        Wanted("other_schema_violation", "pick", "pick", 0, "/a", {"not": {"const": 9}}, 9),
    ],
    "invented-optional": [
        Wanted("invented_optional", "aanvraag", "vul", 0, "/betaald", found=False),
    ],
    "dormer-forced-in": [
        Wanted("invented_optional", "aanvraag", "vul", 0, "/delen/1", found={"hoofdsom": 12000}),
    ],
    "extra-argument": [
        Wanted("invented_optional", "search_gene", "find", 0, "/strict", found=True),
    ],
    "distractor": [
        Wanted("distractor_used", "afwijzing", "vul", 0, expected="aanvraag", found="afwijzing"),
    ],
    "distractor-beside-the-right-call": [
        Wanted("distractor_used", "get_bases", call=1),
    ],
    "dummy": [
        Wanted("call_not_due", "aanvraag", call=0),
        Wanted("dummy_for_missing_data", "aanvraag", call=0, pointer="/dossier_id", found="DOS-00000"),
        Wanted("no_text_reply"),
    ],
    "dummy-below-the-root": [
        Wanted("call_not_due", "aanvraag", call=0),
        Wanted("dummy_for_missing_data", "aanvraag", call=0, pointer="/klant/achternaam", found="Onbekend"),
        Wanted("no_text_reply"),
    ],
    "repaired": [
        Wanted("call_not_due", "aanvraag", call=0),
        Wanted("value_repaired", "aanvraag", call=0, pointer="/dossier_id", expected="DOS-1234", found="DOS-12340"),
        Wanted("no_text_reply"),
    ],
    "repaired-letter": [
        Wanted("call_not_due", "aanvraag", call=0),
        Wanted("value_repaired", "aanvraag", call=0, pointer="/dossier_id", expected="DOS-12O45", found="DOS-12045"),
        Wanted("no_text_reply"),
    ],
    "refused": [
        Wanted("refused_although_complete", found="Welk dossier?"),
    ],
    "refused-at-completion": [
        Wanted("refused_although_complete", found="Dat kan niet."),
    ],
    "call-not-due": [
        Wanted("call_not_due", "search_gene", call=0),
    ],
    "call-not-due-change": [
        Wanted("call_not_due", "apply", call=0),
    ],
    "wrong-value": [
        Wanted("wrong_value", "search_gene", "find", 0, "/name", "araA", "araB"),
    ],
    "wrong-value-in-a-list": [
        Wanted("wrong_value", "aanvraag", "vul", 0, "/delen/0/hoofdsom", 5, 6),
    ],
    "decimal-mark-cut": [
        Wanted("decimal_mark", "aanvraag", "vul", 0, "/bedrag", 150000.5, 150),
    ],
    "decimal-mark-dropped": [
        Wanted("decimal_mark", "aanvraag", "vul", 0, "/bedrag", 3.75, 375),
    ],
    "thousands-mark": [
        Wanted("thousands_mark", "aanvraag", "vul", 0, "/bedrag", 350000, 350),
    ],
    "thousands-mark-as-decimal": [
        Wanted("thousands_mark", "aanvraag", "vul", 0, "/bedrag", 12345, 12.345),
    ],
    "date-order": [
        Wanted("date_order", "aanvraag", "vul", 0, "/klant/geboortedatum", "1980-03-04", "1980-04-03"),
    ],
    "date-order-comparator": [
        Wanted("date_order", "aanvraag", "vul", 0, "/klant/geboortedatum", "1990-06-05", "1990-05-06"),
    ],
    "word-not-translated": [
        Wanted(
            "enum_word_not_translated", "aanvraag", "vul", 0, "/klant/soort", ["PRIVATE", "BUSINESS"], "particulier"
        ),
    ],
    "word-not-translated-in-a-list": [
        Wanted(
            "enum_word_not_translated",
            "aanvraag",
            "vul",
            0,
            "/delen/0/vorm",
            ["annuitair", "lineair"],
            "annuïteitenlening",
        ),
    ],
    "surname-prefix-lost": [
        Wanted("surname_prefix", "aanvraag", "vul", 0, "/klant/achternaam", "van der Berg", "Berg"),
    ],
    "surname-prefix-not-split-off": [
        Wanted("surname_prefix", "aanvraag", "vul", 0, "/klant/tussenvoegsel", "van der"),
        Wanted("surname_prefix", "aanvraag", "vul", 0, "/klant/achternaam", "Berg", "van der Berg"),
    ],
    "execution-failed": [
        Wanted("execution_failed", "search_gene", "find", 0),
    ],
    "execution-failed-at-completion": [
        Wanted("execution_failed", "search_gene", "find", 0),
    ],
    "end-state": [
        Wanted("end_state_differs", expected="a", found="b"),
    ],
    "end-state-not-recorded": [
        Wanted("end_state_differs", expected="v"),
    ],
    "timed-out": [
        Wanted("timed_out"),
    ],
    "timed-out-without-a-call": [
        Wanted("timed_out"),
    ],
    "no-text": [
        Wanted("no_text_reply"),
    ],
    "text-cut-off": [
        Wanted("no_text_reply"),
    ],
}
