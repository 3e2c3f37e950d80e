"""What a run will cost, before it is made; and what it did cost, beside the estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from fcbench.core.evidence import Usage
from fcbench.core.names import HarnessMode, HarnessName
from fcbench.core.records import Record
from fcbench.engine.prices import Price, PriceList, cost_of, price_of
from fcbench.packages.integrity import refuse_altered
from fcbench.packages.store import Package, open_package
from fcbench.providers.spec import parse_model
from fcbench.workflows.estimate import Asked, CaseEstimate, asked_by, estimates
from fcbench.workflows.planning import RunRequest, prepare
from fcbench.workflows.project import Material
from fcbench.workflows.spent import Spending, currency_of, spending


class CostRequest(Record, frozen=True, kw_only=True):
    """What is to be run. None means: as the collection says."""

    target: str
    models: tuple[str, ...]
    """Each `provider:model`."""
    repeats: int | None = None
    harness: HarnessName | None = None
    mode: HarnessMode | None = None
    retrieval: str | None = None


class Sum(Record, frozen=True, kw_only=True):
    """Estimated tokens of a number of attempts."""

    name: str
    cases: int
    attempts: int
    requests: int
    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class ModelCost(Record, frozen=True, kw_only=True):
    """What one model asks for a sum."""

    model: str
    price: Price | None
    """None: unknown, never 0."""
    currency: str
    cost: float | None


class CostPlan(Record, frozen=True, kw_only=True):
    """The estimate of a run that is not made."""

    target: str
    repeats: int
    suites: tuple[Sum, ...]
    total: Sum
    models: tuple[ModelCost, ...]
    source: str
    """Of the prices."""


class CostReport(Record, frozen=True, kw_only=True):
    """A sealed run: what was recorded, beside what would have been estimated for its attempts."""

    package: str
    model: str
    estimated: Sum
    recorded: Spending
    currency: str
    estimated_cost: float | None
    cost: float | None


def plan_cost(material: Material, request: CostRequest, prices: PriceList | None, day: date) -> CostPlan:
    """The estimate of a run, by suite, with the cost for each model. Nothing is asked or sent.

    Args:
        material: the loaded project.
        request: what is to be run.
        prices: the user's price file.
        day: whose prices hold.

    Raises:
        UsageError: the target, a setting or the name of a model does not fit.
    """
    for model in request.models:
        parse_model(model)
    asked = RunRequest(
        target=request.target,
        model=next(iter(request.models), ""),
        repeats=request.repeats,
        harness=request.harness,
        mode=request.mode,
        retrieval=request.retrieval,
    )
    plan = prepare(material, asked).plan
    return priced(request, estimates(asked_by(plan)), plan.repeats, (prices, day))


def priced(
    request: CostRequest, cases: Sequence[CaseEstimate], repeats: int, prices: tuple[PriceList | None, date]
) -> CostPlan:
    """Estimates of single attempts times repeats, by suite and in all, with money."""
    names = dict.fromkeys(one.suite for one in cases)
    total = _sum("all", cases, repeats)
    listed, day = prices
    return CostPlan(
        target=request.target,
        repeats=repeats,
        suites=tuple(_sum(name, [one for one in cases if one.suite == name], repeats) for name in names),
        total=total,
        models=tuple(_model_cost(model, total, listed, day) for model in request.models),
        source=_source(listed),
    )


def package_cost(folder: Path, prices: PriceList | None) -> CostReport:
    """The true figures of a sealed run beside the estimate for the same attempts.

    Raises:
        NotFoundError: there is no package.
        PackageError: it does not open, or its evidence was altered.
    """
    package = refuse_altered(open_package(folder))
    recorded = spending(package, None, prices)
    one_each = estimates(_attempted(package))
    estimated = _sum("all", one_each, 1)
    estimated = Sum(
        name="all",
        cases=len({one.task_id for one in one_each}),
        attempts=estimated.attempts,
        requests=estimated.requests,
        input_tokens=estimated.input_tokens,
        output_tokens=estimated.output_tokens,
    )
    return CostReport(
        package=str(folder),
        model=package.header.provider.model,
        estimated=estimated,
        recorded=recorded,
        currency=currency_of(recorded.price, prices),
        estimated_cost=cost_of(_usage(estimated), recorded.price),
        cost=recorded.cost,
    )


def _attempted(package: Package) -> Iterator[Asked]:
    """What each attempt of a package was asked with, in the order of the file."""
    for attempt in package.attempts():
        yield Asked(
            case=package.cases[attempt.task_id],
            candidates=attempt.candidates,
            contracts=package.contracts,
            mode=package.header.key.harness_mode,
        )


def _sum(name: str, cases: Sequence[CaseEstimate], repeats: int) -> Sum:
    return Sum(
        name=name,
        cases=len(cases),
        attempts=len(cases) * repeats,
        requests=repeats * sum(one.requests for one in cases),
        input_tokens=repeats * sum(one.input_tokens for one in cases),
        output_tokens=repeats * sum(one.output_tokens for one in cases),
    )


def _usage(total: Sum) -> Usage:
    return Usage(input_tokens=total.input_tokens, output_tokens=total.output_tokens)


def _model_cost(model: str, total: Sum, prices: PriceList | None, day: date) -> ModelCost:
    provider, _, name = model.partition(":")
    price = price_of(provider, name, day, prices)
    return ModelCost(model=model, price=price, currency=currency_of(price, prices), cost=cost_of(_usage(total), price))


def _source(prices: PriceList | None) -> str:
    if prices is None:
        return "no price file: only the invented example models have a price"
    return f"prices of {prices.date}" + (f", {prices.source}" if prices.source else "")
