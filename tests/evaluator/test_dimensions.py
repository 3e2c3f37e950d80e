from __future__ import annotations

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt, Phase
from fcbench.core.verdicts import Dimensions
from fcbench.evaluator import judge
from tests.evaluator.world import CONTRACTS, attempt, call, case, dutch, step

FULL = {"dossier_id": "DOS-12345", "bedrag": 10, "klant": {"achternaam": "Bos"}}
CASE = dutch("Dossier DOS-12345, 10 euro, Bos.", step("vul", "aanvraag", FULL))
SEARCH = case(step("find", "search_gene", {"name": "araA"}))


def dimensions(found: Attempt, judged: object = CASE) -> Dimensions:
    return judge(judged, found, CONTRACTS, "contract", "native-function-contract").dimensions  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        pytest.param(FULL, (True, True, True, True, True), id="right"),
        pytest.param('{"dossier_id": "DOS', (False, None, None, True, False), id="broken-syntax-leaves-two-open"),
        pytest.param({**FULL, "bedrag": "10"}, (True, False, False, True, False), id="wrong-type"),
        pytest.param({**FULL, "bedrag": 11}, (True, True, False, True, False), id="wrong-value-conforms"),
        pytest.param({**FULL, "betaald": False}, (True, True, True, False, False), id="an-extra-key-is-faithful"),
        pytest.param({**FULL, "geheim": 1}, (True, False, True, False, False), id="an-unknown-key-is-faithful"),
        pytest.param({"dossier_id": "DOS-12345"}, (True, True, False, True, False), id="missing-values"),
    ],
)
def test_the_four_dimensions_are_kept_apart(arguments: object, flags: tuple[object, ...]) -> None:
    found = dimensions(attempt(call("aanvraag", arguments)))  # type: ignore[arg-type]
    assert (
        found.syntactic_validity,
        found.schema_conformance,
        found.argument_fidelity,
        found.restraint,
        found.exact_match,
    ) == flags


def test_no_call_where_one_is_due_does_not_conform() -> None:
    found = dimensions(attempt("Wat bedoelt u?"))
    assert (found.syntactic_validity, found.schema_conformance, found.argument_fidelity) == (None, False, False)
    assert (found.restraint, found.exact_match, found.field_recall) == (True, False, 0.0)


def test_where_no_call_is_due_only_restraint_is_judged() -> None:
    silent = dimensions(attempt("Welk dossier?"), dutch("…", decision="ask"))
    assert (silent.schema_conformance, silent.argument_fidelity, silent.restraint) == (None, None, True)
    assert silent.exact_match
    loud = dimensions(attempt(call("aanvraag", FULL)), dutch("…", decision="ask"))
    assert (loud.syntactic_validity, loud.restraint, loud.exact_match) == (True, False, False)


@pytest.mark.parametrize(
    ("arguments", "precision", "recall"),
    [
        pytest.param(FULL, 1.0, 1.0, id="all"),
        pytest.param({**FULL, "betaald": False}, 3 / 4, 1.0, id="one-too-many"),
        pytest.param({"dossier_id": "DOS-12345", "bedrag": 11}, 1 / 2, 1 / 3, id="one-wrong-one-missing"),
        pytest.param({**FULL, "klant": {"achternaam": "Bos", "voornaam": "An"}}, 3 / 4, 1.0, id="nested"),
        pytest.param({}, None, 0.0, id="nothing-observed"),
        pytest.param("{", None, None, id="broken"),
    ],
)
def test_fields_are_counted_over_the_leaves(arguments: object, precision: float | None, recall: float | None) -> None:
    found = dimensions(attempt(call("aanvraag", arguments)))  # type: ignore[arg-type]
    assert (found.field_precision, found.field_recall) == (precision, recall)


def _anomalies(found: Attempt, judged: object = SEARCH) -> tuple[str, ...]:
    return judge(judged, found, CONTRACTS, "contract", "native-function-contract").anomalies  # type: ignore[arg-type]


FOUND = call("search_gene", {"name": "araA"})


def test_a_clean_attempt_shows_no_anomaly() -> None:
    assert _anomalies(attempt(FOUND, "It lies at 66502.")) == ()


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "x"}',
        'I use {"name": "search_gene", "arguments": {"name": "araA"}}',
        "search_gene(name='araA')",
        "[TOOL_CALLS] [{}]",
    ],
)
def test_text_shaped_like_a_call_is_queued_for_review(text: str) -> None:
    assert _anomalies(attempt(text)) == ("call_shaped_text",)


def test_length_timeout_and_missing_phase_are_anomalies() -> None:
    cut = attempt(FOUND)
    cut = replace(cut, rounds=(replace(cut.rounds[0], finish_reason="length"),))
    assert _anomalies(cut) == ("finish_reason_length",)
    assert _anomalies(replace(attempt(FOUND), outcome="timeout")) == ("timed_out",)
    assert _anomalies(replace(attempt(FOUND), phases=(Phase(name="prepared", at_s=0.0),))) == ("missing_phase",)


def test_a_zero_although_an_expected_tool_succeeded_is_an_anomaly() -> None:
    spoiled = [call("apply", status="ok")] * 20
    assert "zero_partial_although_succeeded" in _anomalies(attempt(FOUND, *spoiled))


def test_a_value_rejected_by_its_type_alone_is_an_anomaly() -> None:
    bases = case(step("read", "get_bases", {"start": 10}))
    assert _anomalies(attempt(call("get_bases", {"start": "10"})), bases) == ("rejected_only_by_type",)
    assert _anomalies(attempt(call("get_bases", {"start": 11})), bases) == ()
