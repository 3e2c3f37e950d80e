"""One attempt that is watched and judged, and never written."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Round
from fcbench.core.names import CaseId, HarnessName, Tier
from fcbench.errors import NotFoundError, UnavailableError, UsageError
from fcbench.evaluator import judge
from fcbench.retrieval.spec import RetrievalSpec
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.try_case import TryRequest, plan_trial, try_case
from tests.doubles import FakeClock

ORACLE = TryRequest(case="gs-007", model="scripted:oracle")


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


class Numbers:
    """Keeps what a watcher hears."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.rounds: list[Round] = []

    def begins(self, number: int) -> None:
        self.begun.append(number)

    def ended(self, turn: Round) -> None:
        self.rounds.append(turn)


def with_headline(material: Material, tier: Tier) -> Material:
    collections = dict(material.suites.collections)
    collections["genomics"] = replace(collections["genomics"], headline_tier=tier)
    return dataclasses.replace(material, suites=dataclasses.replace(material.suites, collections=collections))


@pytest.mark.parametrize("harness", ["contract", "workbench"])
def test_the_rounds_that_are_told_are_those_of_the_attempt_that_is_judged(
    material: Material, harness: HarnessName
) -> None:
    numbers = Numbers()
    tried = try_case(plan_trial(material, replace(ORACLE, harness=harness)), watcher=numbers, clock=FakeClock(0.001))
    assert tuple(numbers.rounds) == tried.attempt.rounds
    assert numbers.begun == [1, 2]
    assert tried.exit_code == 0
    trial = tried.trial
    for verdict in tried.verdicts:
        assert verdict == judge(trial.case, tried.attempt, trial.contracts, harness, verdict.tier)


@pytest.mark.parametrize(
    ("harness", "declared", "wanted"),
    [
        pytest.param("workbench", "task-completion-execution", "task-completion-execution", id="declared"),
        pytest.param("contract", "real-tool-execution", "native-function-contract", id="not of this harness"),
    ],
)
def test_the_headline_comes_first_and_decides(
    material: Material, harness: HarnessName, declared: Tier, wanted: Tier
) -> None:
    changed = with_headline(material, declared)
    tried = try_case(plan_trial(changed, replace(ORACLE, harness=harness, model="scripted:null")))
    assert tried.trial.headline == wanted
    assert tried.verdicts[0].tier == wanted
    assert len({verdict.tier for verdict in tried.verdicts}) == len(tried.verdicts) > 1
    assert tried.exit_code == 1


def test_settings_that_are_left_out_are_the_collections(material: Material) -> None:
    trial = plan_trial(material, ORACLE)
    collection = material.suites.collections["genomics"]
    settings = trial.prepared.plan.settings
    assert (trial.prepared.harness, settings.mode) == (collection.harness, collection.mode)
    assert trial.prepared.plan.retrieval == str(RetrievalSpec.parse(collection.retrieval))
    changed = plan_trial(material, replace(ORACLE, mode="production-parity", retrieval="all", time_scale=2.0))
    settings = changed.prepared.plan.settings
    assert (settings.mode, changed.prepared.plan.retrieval, settings.time_scale) == ("production-parity", "all", 2.0)
    assert len(changed.prepared.plan.candidates[CaseId("gs-007")]) == len(changed.contracts)


def test_expected_tools_that_retrieval_leaves_out_are_named(material: Material) -> None:
    assert plan_trial(material, ORACLE).missed == ()
    chain = next(
        case
        for case in material.suites.of_suite("genomics-complex")
        if "contract" in case.harnesses and len({step.tool for step in case.oracle.calls}) > 1
    )
    trial = plan_trial(material, replace(ORACLE, retrieval="lexical:1", case=chain.id))
    (offered,) = {candidate.name for candidate in trial.prepared.plan.candidates[chain.id]}
    assert set(trial.missed) == {step.tool for step in chain.oracle.calls} - {offered}
    assert trial.missed
    assert trial.data()["expected_tools_not_offered"] == list(trial.missed)


def test_a_case_whose_suite_is_in_no_collection_can_be_tried(material: Material) -> None:
    collections = {name: one for name, one in material.suites.collections.items() if name != "genomics"}
    alone = dataclasses.replace(material, suites=dataclasses.replace(material.suites, collections=collections))
    trial = plan_trial(alone, ORACLE)
    assert (trial.prepared.harness, trial.prepared.plan.settings.mode) == ("contract", "production-parity")
    assert trial.prepared.plan.retrieval == str(RetrievalSpec.parse("lexical"))
    assert try_case(trial).exit_code == 0
    collections = {name: one for name, one in material.suites.collections.items() if name != "complex-schema-nl"}
    alone = dataclasses.replace(material, suites=dataclasses.replace(material.suites, collections=collections))
    assert plan_trial(alone, replace(ORACLE, case="cs-nl-001")).prepared.plan.retrieval == "given"


@pytest.mark.parametrize(
    ("request_", "error", "said"),
    [
        pytest.param(replace(ORACLE, case="gs-0077"), NotFoundError, "no case", id="case"),
        pytest.param(replace(ORACLE, case="cs-nl-001", harness="workbench"), UsageError, "cannot carry", id="harness"),
        pytest.param(replace(ORACLE, harness="workbench", mode="oracle-assisted"), UsageError, "no hints", id="mode"),
        pytest.param(replace(ORACLE, retrieval="nonsense"), UsageError, "retrieval", id="retrieval"),
    ],
)
def test_what_cannot_be_tried_is_refused_before_anything_is_asked(
    material: Material, request_: TryRequest, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        plan_trial(material, request_)


def test_a_model_that_is_not_there_is_refused(material: Material) -> None:
    trial = plan_trial(material, replace(ORACLE, model="llama_server:nowhere.gguf"))
    with pytest.raises((NotFoundError, UnavailableError)):
        try_case(trial)
