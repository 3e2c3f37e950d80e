"""What a sweep would do: each combination planned, its attempts counted, tokens and cost estimated."""

from __future__ import annotations

from pathlib import Path, PurePath

from fcbench.core.canonical import digest
from fcbench.core.evidence import Usage
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import JsonObject
from fcbench.core.records import Record, to_plain
from fcbench.engine.plan import AUTO_CASES, AUTO_REPEATS, RunPlan
from fcbench.engine.prices import PriceList, cost_of
from fcbench.errors import FcbenchError
from fcbench.harnesses.prompts import prompt_hash
from fcbench.packages.manifest import Manifest
from fcbench.packages.store import MANIFEST, open_package
from fcbench.workflows.estimate import asked_by, estimates
from fcbench.workflows.header import Prepared, slug
from fcbench.workflows.planning import prepare
from fcbench.workflows.project import Material
from fcbench.workflows.sweep_file import Combination


class PlannedRun(Record, frozen=True, kw_only=True):
    """One combination of a sweep, planned."""

    combination: Combination
    run_id: str = ""
    """Follows from what is run: changed cases or settings give another id, so no finished run is taken for them."""
    folder: str = ""
    """Where the package is, or will be."""
    attempts_least: int = 0
    attempts_most: int = 0
    """Under `repeats: auto` only the run itself tells how many it takes."""
    input_tokens: int = 0
    """Estimated, for the most attempts: each plays the golden run, one call a round."""
    output_tokens: int = 0
    cost: float | None = None
    """Of the estimated tokens; None: the price is unknown."""
    problem: str = ""
    """Why it cannot be run; else empty."""
    exit_code: int = 0
    """Of that problem."""
    sealed: bool = False
    """Whether its package is there already."""

    @property
    def is_open(self) -> bool:
        """Whether it is still to be run."""
        return not (self.combination.excluded or self.problem or self.sealed)


def plan_runs(
    material: Material, combinations: tuple[Combination, ...], runs: Path, *, name: str, prices: PriceList | None
) -> tuple[PlannedRun, ...]:
    """Plan every combination; one that cannot be run says why and stops no other. Nothing is asked or written."""
    planned = []
    for combination in combinations:
        if combination.excluded:
            planned.append(PlannedRun(combination=combination))
            continue
        try:
            planned.append(_planned(material, combination, runs, name, prices))
        except FcbenchError as error:
            problem = "; ".join(part for part in (error.message, error.found, error.next_step) if part)
            planned.append(PlannedRun(combination=combination, problem=problem, exit_code=error.exit_code))
    return tuple(planned)


def _planned(
    material: Material, combination: Combination, runs: Path, name: str, prices: PriceList | None
) -> PlannedRun:
    request = combination.request
    price = prices.price_of(request.model) if prices else None
    request.ceilings.check(price, request.model)
    prepared = prepare(material, request)
    run_id = _run_id(prepared, combination, name)
    folder = runs / prepared.registry.hash[:12] / run_id
    plan = prepared.plan
    least, most = _attempts(plan)
    each = estimates(asked_by(plan))
    usage = Usage(
        input_tokens=plan.repeats * sum(one.input_tokens for one in each),
        output_tokens=plan.repeats * sum(one.output_tokens for one in each),
    )
    return PlannedRun(
        combination=combination,
        run_id=run_id,
        folder=str(folder),
        attempts_least=least,
        attempts_most=most,
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cost=cost_of(usage, price),
        sealed=is_sealed(folder, run_id),
    )


def is_sealed(folder: Path, run_id: str) -> bool:
    """Whether the package of a run is there.

    Raises:
        PackageError: what is there does not open.
    """
    if not (folder / MANIFEST).is_file():
        return False
    manifest: Manifest = open_package(folder).manifest
    return manifest.run_id == run_id and manifest.complete


def _run_id(prepared: Prepared, combination: Combination, name: str) -> str:
    plan, request = prepared.plan, combination.request
    told: JsonObject = {
        "tasks": task_hash(plan.cases),
        "oracles": oracle_hash(plan.cases),
        "registry": prepared.registry.hash,
        "fixtures": prepared.fixture_hash,
        "prompt": prompt_hash(plan.settings.mode),
        "harness": prepared.harness,
        "settings": {**to_plain(plan.settings), "retrieval": plan.retrieval},
        "model": request.model,
        "options": to_plain(request.options),
    }
    model = slug(PurePath(request.model.partition(":")[2]).name)[:24]
    return f"{name[:24]}-{slug(request.target)[:28]}-{model}-{digest(told)[:10]}"


def _attempts(plan: RunPlan) -> tuple[int, int]:
    most = len(plan.cases) * plan.repeats
    if not plan.settings.auto_repeats:
        return most, most
    probed = min(len(plan.cases), AUTO_CASES)
    return probed * AUTO_REPEATS + len(plan.cases) - probed, most


__all__ = ["PlannedRun", "is_sealed", "plan_runs"]
