"""What `fcbench sweep` says: the plan, each run as it begins, what became of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from fcbench.cli.live import Watch, following
from fcbench.cli.output import Output, table
from fcbench.engine.events import Tell
from fcbench.engine.prices import PriceList, price_facts
from fcbench.workflows.judging import Onlooker
from fcbench.workflows.project import Material
from fcbench.workflows.sweep import Follow, SweepState, state_file
from fcbench.workflows.sweep_plan import PlannedRun

_HEADER = ("run", "status", "attempts", "input tokens", "output tokens", "cost")


def follower(material: Material, watch: Watch, printer: Output) -> Follow:
    """Who is told of each run: one line at its start, then what the terminal allows."""

    def follow(planned: PlannedRun, place: int, number: int) -> AbstractContextManager[Tell]:
        if watch.events != "-":
            printer.note(f"run {place} of {number}: {planned.combination.label}")
        return following(watch, printer, Onlooker(material, planned.combination.request.target))

    return follow


def plan_text(planned: Sequence[PlannedRun], prices: PriceList | None) -> str:
    """A table of the plan, its sums, and what the estimates are worth."""
    todo = [one for one in planned if one.is_open]
    lines = [table(_HEADER, [_cells(one, prices) for one in planned]), ""]
    lines.append(
        f"{len(todo)} of {len(planned)} runs to make, {_range(todo)} attempts, about "
        f"{sum(one.input_tokens for one in todo):,} tokens in and {sum(one.output_tokens for one in todo):,} out"
    )
    lines.append(_cost_line(todo, prices))
    lines.append(
        "tokens are estimates, as of `fcbench cost`: the first requests in bytes, then golden runs, one call a round"
    )
    return "\n".join(lines)


def _cells(one: PlannedRun, prices: PriceList | None) -> tuple[str, ...]:
    label = one.combination.label
    if one.combination.excluded:
        return (label, f"excluded: {one.combination.excluded}", "", "", "", "")
    if one.problem:
        return (label, f"cannot be run: {one.problem}", "", "", "", "")
    cost = "unknown" if one.cost is None or prices is None else f"{one.cost:.4f} {prices.currency}"
    status = "sealed" if one.sealed else "to run"
    return (label, status, _range([one]), f"{one.input_tokens:,}", f"{one.output_tokens:,}", cost)


def _range(runs: Sequence[PlannedRun]) -> str:
    least, most = sum(one.attempts_least for one in runs), sum(one.attempts_most for one in runs)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _cost_line(todo: Sequence[PlannedRun], prices: PriceList | None) -> str:
    known = [one.cost for one in todo if one.cost is not None]
    if prices is None or not known:
        return "cost unknown: no price" + ("" if prices else "; give a price file with --prices")
    told = f"cost about {sum(known):.4f} {prices.currency}, prices of {prices.date}"
    unknown = len(todo) - len(known)
    return told + (f", and {unknown} runs of unknown price on top" if unknown else "")


def plan_data(planned: Sequence[PlannedRun], prices: PriceList | None) -> object:
    """The plan as plain JSON; an unknown cost is null."""
    rows = [
        {
            "run": one.combination.label,
            "run_id": one.run_id,
            "excluded": one.combination.excluded,
            "problem": one.problem or None,
            "sealed": one.sealed,
            "attempts_least": one.attempts_least,
            "attempts_most": one.attempts_most,
            "estimated_input_tokens": one.input_tokens,
            "estimated_output_tokens": one.output_tokens,
            "estimated_cost": one.cost,
        }
        for one in planned
    ]
    return {"runs": rows, "prices": price_facts(prices) if prices else None}


def state_text(state: SweepState, runs: Path) -> str:
    """What became of each run."""
    rows = [(one.run, one.status, one.package or one.message) for one in state.runs]
    done = sum(one.status == "sealed" for one in state.runs)
    lines = [table(("run", "status", "package or reason"), rows), ""]
    lines.append(f"{done} of {len(state.runs)} runs sealed; state in {state_file(runs, state.name)}")
    if state.exit_code:
        lines.append("next: mend what failed and repeat the command: sealed runs are skipped, stopped ones go on")
    else:
        lines.append(f"next: fcbench tables {runs}")
    return "\n".join(lines)
