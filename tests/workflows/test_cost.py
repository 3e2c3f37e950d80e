"""What a run costs: the article's sum, the real first request, the errors that the reference states, unknown prices."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.names import CaseId
from fcbench.engine.prices import Price, PriceList
from fcbench.errors import UsageError
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import SystemClock
from fcbench.packages.store import Package, open_package
from fcbench.providers.base import ProviderFailure, Reply, Request
from fcbench.workflows.cost import CostRequest, package_cost, plan_cost, priced
from fcbench.workflows.estimate import Asked, CaseEstimate, estimates, first_request, request_bytes
from fcbench.workflows.planning import RunRequest, harness_of, prepare
from fcbench.workflows.price_files import find_prices
from fcbench.workflows.project import Material, find_project, load
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed

ROOT = Path(__file__).resolve().parents[2]
DAY = date(2026, 12, 1)
REAL = [
    path.parent
    for path in sorted(ROOT.glob("runs/*/*qwen2-5-coder-1-5b*/manifest.json"))
    if "-pilot-" not in path.parent.name
]
"""The runs on which the figures were fitted."""
LATER = [path.parent for path in sorted(ROOT.glob("runs/*/*twins-qwen2-5-coder-0-5b*/manifest.json"))]
"""A run of another size on other cases, made afterwards."""


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


def case_estimate(place: int, tokens: int, *, suite: str = "s") -> CaseEstimate:
    return CaseEstimate(
        task_id=CaseId(f"c-{place}"),
        suite=suite,
        language="en",
        requests=1,
        request_bytes=0,
        first_tokens=tokens,
        input_tokens=tokens * 8 // 10,
        output_tokens=tokens - tokens * 8 // 10,
    )


def test_two_hundred_cases_three_times_at_about_a_thousand_tokens_are_six_hundred_thousand() -> None:
    cases = [case_estimate(place, 1_000) for place in range(200)]
    request = CostRequest(target="article", models=("example:cheap", "openai_chat:nobody-knows"))
    plan = priced(request, cases, 3, (None, DAY))
    assert (plan.total.attempts, plan.total.tokens) == (600, 600_000)
    cheap, unknown = plan.models
    # 480,000 tokens in at 1 and 120,000 out at 4 for a million.
    assert (cheap.cost, cheap.currency) == (pytest.approx(0.96), "XTS")
    assert (unknown.price, unknown.cost) == (None, None)


def test_the_articles_sum_holds_of_a_real_suite(material: Material) -> None:
    plan = plan_cost(material, CostRequest(target="complex-schema-nl", models=(), repeats=3), None, DAY)
    assert (plan.total.cases, plan.total.attempts) == (200, 600)
    assert plan.total.tokens == sum(one.tokens for one in plan.suites)
    # A thousand tokens an attempt is the order of magnitude: real schemas and prompts take a few thousand.
    assert 600_000 < plan.total.tokens < 6_000_000


class Recording:
    """A provider that keeps what it is asked and does not answer."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        raise ProviderFailure("no", kind="refused")


@pytest.mark.parametrize("target", ["complex-schema-nl/quick", "genomics/quick"])
def test_the_counted_request_is_the_one_that_the_engines_harness_sends(material: Material, target: str) -> None:
    prepared = prepare(material, RunRequest(target=target, model="scripted:null"))
    plan, clock = prepared.plan, SystemClock()
    harness = harness_of(prepared, clock)
    for case in plan.cases[:4]:
        provider = Recording()
        asyncio.run(harness.attempt(plan.job(case, 1, 1), DirectChannel(provider, clock)))  # type: ignore[arg-type]
        asked = Asked(case=case, candidates=plan.candidates[case.id], contracts=plan.contracts, mode=plan.settings.mode)
        counted, sent = first_request(asked), provider.asked[0]
        assert (counted.messages, counted.tools) == (sent.messages, sent.tools)
        assert request_bytes(counted) > len(case.task.instruction.encode())


def _first_requests(package: Package) -> tuple[list[int], list[int]]:
    """Tokens of each first request: as estimated and as recorded."""
    attempts = list(package.attempts())
    asked = [
        Asked(
            case=package.cases[one.task_id],
            candidates=one.candidates,
            contracts=package.contracts,
            mode=package.header.key.harness_mode,
        )
        for one in attempts
    ]
    told = [one.first_tokens for one in estimates(asked)]
    return told, [one.rounds[0].usage.input_tokens or 0 for one in attempts]


@pytest.mark.parametrize("folder", LATER, ids=lambda path: path.name[:36])
def test_the_errors_hold_on_a_run_that_they_were_not_fitted_on(folder: Path) -> None:
    told, counted = _first_requests(open_package(folder))
    assert 1.0 < sum(told) / sum(counted) < 1.04
    assert all(0.9 < ours / theirs < 1.14 for ours, theirs in zip(told, counted, strict=True))
    report = package_cost(folder, None)
    assert 0.8 < report.estimated.input_tokens / report.recorded.input_tokens < 0.82
    assert 0.73 < report.estimated.output_tokens / report.recorded.output_tokens < 0.75


@pytest.mark.parametrize("folder", REAL, ids=lambda path: path.name[:36])
def test_the_errors_that_the_reference_states_hold_on_the_recorded_runs(folder: Path) -> None:
    package: Package = open_package(folder)
    attempts = list(package.attempts())
    told, counted = _first_requests(package)
    assert sum(told) / sum(counted) == pytest.approx(1, abs=0.005)
    assert all(0.9 < ours / theirs < 1.1 for ours, theirs in zip(told, counted, strict=True))
    report = package_cost(folder, None)
    assert report.recorded.input_tokens == sum(one.usage.input_tokens or 0 for one in attempts)
    assert 0.7 < report.estimated.input_tokens / report.recorded.input_tokens < 1
    assert 0.85 < report.estimated.output_tokens / report.recorded.output_tokens < 1
    assert report.cost is None


def test_there_are_recorded_runs_to_check_against() -> None:
    assert (len(REAL), len(LATER)) == (2, 1)


def test_true_figures_stand_beside_the_estimate(tmp_path: Path) -> None:
    package = sealed(tmp_path, [call_case("t-1")], [attempt_of("t-1", arguments={"start": 1})], model="m")
    prices = PriceList(date="2026-05-01", currency="EUR", models={"scripted:m": Price(input=10_000, output=20_000)})
    report = package_cost(package.folder, prices)
    assert (report.recorded.input_tokens, report.recorded.output_tokens) == (100, 20)
    assert (report.cost, report.currency) == (pytest.approx(1.4), "EUR")
    assert report.estimated.requests == 2
    assert report.estimated_cost is not None


def test_an_uncounted_reply_makes_the_cost_unknown_and_never_0(tmp_path: Path) -> None:
    attempts = [attempt_of("t-1", arguments={"start": 1}), attempt_of("t-2", outcome="provider_error")]
    package = sealed(tmp_path, [call_case("t-1"), call_case("t-2")], attempts, model="m")
    assert package_cost(package.folder, None).cost is None
    early = PriceList(
        date="2027-01-01",
        currency="EUR",
        models={"scripted:m": (Price(input=1, output=1, valid_from="2027-01-01"),)},
    )
    assert package_cost(package.folder, early).cost is None  # it did not hold on the day of the run


def test_the_projects_own_price_file_is_found(tmp_path: Path, material: Material) -> None:
    project = replace(material.project, root=tmp_path, embedded=False)
    assert find_prices(None, project) is None
    (tmp_path / "prices.yaml").write_text("date: 2026-12-01\ncurrency: USD\n")
    found = find_prices(None, project)
    assert found is not None
    assert found.currency == "USD"
    assert find_prices(None, replace(project, embedded=True)) is None


@pytest.mark.parametrize("model", ["", "example", ":cheap", "example:"])
def test_a_model_without_a_provider_is_refused(material: Material, model: str) -> None:
    with pytest.raises(UsageError, match="provider and a model"):
        plan_cost(material, CostRequest(target="genomics/quick", models=(model,)), None, DAY)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10**6)), min_size=1, max_size=20), st.integers(1, 9))
def test_suites_add_up_to_the_whole(cases: list[tuple[str, int]], repeats: int) -> None:
    listed = [case_estimate(place, tokens, suite=suite) for place, (suite, tokens) in enumerate(cases)]
    plan = priced(CostRequest(target="t", models=("example:dear",)), listed, repeats, (None, DAY))
    assert plan.total.tokens == repeats * sum(tokens for _, tokens in cases)
    for name in ("cases", "attempts", "requests", "input_tokens", "output_tokens"):
        assert sum(getattr(one, name) for one in plan.suites) == getattr(plan.total, name)
