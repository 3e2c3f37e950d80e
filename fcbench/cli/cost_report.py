"""A cost in words: an estimate before a run, true figures after it."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.cli.output import table
from fcbench.core.records import to_plain
from fcbench.workflows.cost import CostPlan, CostReport, Sum

INDENT = "  "


def plan_lines(plan: CostPlan) -> Iterator[str]:
    """The estimate for a terminal."""
    total = plan.total
    yield (
        f"{plan.target}: {total.cases:,} cases x {plan.repeats} repeats = {total.attempts:,} attempts, "
        f"about {total.tokens:,} tokens ({total.tokens // max(total.attempts, 1):,} an attempt)"
    )
    head = ["suite", "cases", "attempts", "requests", "input tokens", "output tokens"]
    rows = [_cells(one) for one in plan.suites]
    yield from _indented(table(head, [*rows, _cells(total)] if len(rows) > 1 else rows))
    if plan.models:
        cells = [[one.model, money(one.cost, one.currency, about=True)] for one in plan.models]
        yield from _indented(table(["model", "cost"], cells))
    yield f"{INDENT}{plan.source}"
    yield (
        f"{INDENT}estimated: the real first requests, counted in bytes; then the golden runs, one call a round. "
        "Errors, repairs, reasoning and the provider's cache are not in it"
    )


def plan_data(plan: CostPlan) -> object:
    """As plain JSON values."""
    return to_plain(plan)


def report_lines(report: CostReport) -> Iterator[str]:
    """True figures beside the estimate, for a terminal."""
    made, told = report.estimated, report.recorded
    yield f"{report.model}: {report.package}"
    rows = [
        ["attempts", f"{made.attempts:,}", f"{told.attempts:,}", ""],
        ["requests", f"{made.requests:,}", f"{told.requests:,}", _ratio(made.requests, told.requests)],
        [
            "input tokens",
            f"{made.input_tokens:,}",
            f"{told.input_tokens:,}",
            _ratio(made.input_tokens, told.input_tokens),
        ],
        ["of these cached", "-", f"{told.cached_input_tokens:,}", ""],
        [
            "output tokens",
            f"{made.output_tokens:,}",
            f"{told.output_tokens:,}",
            _ratio(made.output_tokens, told.output_tokens),
        ],
        ["cost", money(report.estimated_cost, report.currency), money(report.cost, report.currency), ""],
    ]
    yield from _indented(table(["", "estimated", "recorded", "estimated / recorded"], rows))
    if told.uncounted:
        yield f"{INDENT}{told.uncounted:,} of {told.requests:,} replies were not counted: the sums are lower bounds"


def report_data(report: CostReport) -> object:
    """As plain JSON values."""
    return to_plain(report)


def money(amount: float | None, currency: str, *, about: bool = False) -> str:
    """An amount, or that it is unknown."""
    return "unknown" if amount is None else f"{'about ' if about else ''}{amount:,.4f} {currency}".rstrip()


def _cells(one: Sum) -> list[str]:
    counts = (one.cases, one.attempts, one.requests, one.input_tokens, one.output_tokens)
    return [one.name, *(f"{count:,}" for count in counts)]


def _ratio(estimated: int, recorded: int) -> str:
    return f"{estimated / recorded:.2f}" if recorded else "-"


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield INDENT + line
