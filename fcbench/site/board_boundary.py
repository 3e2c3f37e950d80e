"""Figures of a board that say how sure one may be: reliability, repair, scores over time, and cases by run."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.aggregate.reliability import THRESHOLD
from fcbench.site.board_detail import MAX_ROWS, Boundary, Outcome, Repair
from fcbench.site.board_runs import BoardRun, BoardRuns, letter_of
from fcbench.site.chart_bars import Bar, Group, Scale, bar_chart, percent
from fcbench.site.chart_canvas import ChartHead
from fcbench.site.chart_lines import Series, Spread, line_chart, spread_chart
from fcbench.site.data import BoardView, Rate
from fcbench.site.figures import NOTHING, CellView, Figure, between, joined, name_cell, of, rate_cell, table
from fcbench.site.slugs import case_path
from fcbench.site.text import clip

MAX_SPREADS = 12
"""Runs of one model in one chart, the newest."""
MAX_HISTORIES = 10
"""Models with a chart of their runs."""
_SIGNS = {"meets": "✓", "fails": "✗"}
_CSS = {"meets": "fc-mark--pass", "fails": "fc-mark--fail"}
UNKNOWN = Rate(value=None)


def reliability(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Whether a threshold is met, level by level (PROTOCOL 6)."""
    found = {(one.run, one.level): one for one in board.detail.boundaries}
    levels = list(dict.fromkeys(one.level for one in board.detail.boundaries))
    if not levels:
        return None
    groups = [
        Group(
            heading=level,
            bars=tuple(_boundary_bar(found.get((run.run_id, level)), runs, run) for run in runs.series),
        )
        for level in levels
    ]
    threshold = percent(THRESHOLD)
    head = ChartHead(
        name=f"{runs.prefix}reliability-chart",
        title="Reliability boundary by level",
        description=f"For each level and run a dot at the rate, a line from the highest rate that can be claimed to "
        f"the highest that is tenable, a broken line at {threshold}. The same numbers stand in the table beside it.",
    )
    rows = [
        (name_cell(level), *(_boundary_cell(found.get((run.run_id, level))) for run in runs.columns))
        for level in levels
    ]
    return Figure(
        anchor=f"{runs.prefix}reliability",
        title="Reliability boundary",
        note=f"Does the call conform to its schema in {threshold} of cases? The unit is the case: it fails if one of "
        f"its repeats fails. Lines end at exact one-sided 95 % bounds. A run meets the threshold where its lower bound "
        f"reaches it, and fails where its upper bound lies below; in between nothing can be told, and the number says "
        f"how many more cases without a failure a claim needs.",
        chart=bar_chart(head, groups, Scale(threshold=THRESHOLD, right=200)),
        tables=(table("Reliability by level", ("Level", *(run.heading for run in runs.columns)), rows),),
    )


def _said(one: Boundary) -> str:
    sign = _SIGNS.get(one.standing, "?")
    return f"{sign} {one.standing}" + (f", {one.more_cases:,} more" if one.more_cases else "")


def _boundary_bar(one: Boundary | None, runs: BoardRuns, run: BoardRun) -> Bar:
    letter = letter_of(runs.series, run)
    if one is None:
        return Bar(letter=letter, value=None, text=NOTHING)
    low, high = one.claim, one.ceiling
    return Bar(letter=letter, value=one.rate, text=_said(one), low=low, high=high, hollow=run.control, dot=True)


def _boundary_cell(one: Boundary | None) -> CellView:
    if one is None:
        return CellView(text=NOTHING, detail="no case")
    detail = joined((of(one.cases - one.failed, one.cases), between(one.claim, one.ceiling)))
    return CellView(text=_said(one), detail=detail, css=_CSS.get(one.standing, "fc-mark--none"))


def repair(board: BoardView, runs: BoardRuns) -> Figure | None:
    """The repair curve: how many cases conform after error replies, and what a success costs."""
    found = {(one.run, one.error_replies): one for one in board.detail.repairs}
    if not found:
        return None
    replies = sorted({number for _, number in found})
    labels = [
        "no error reply" if not number else f"{number} error repl{'y' if number == 1 else 'ies'}" for number in replies
    ]
    series = [
        Series(
            letter=run.letter,
            values=tuple(_rate_of(found.get((run.run_id, number))) for number in replies),
            control=run.control,
        )
        for run in runs.series
    ]
    head = ChartHead(
        name=f"{runs.prefix}repair-chart",
        title="Repair curve",
        description="One line a run: the share of cases that conform after no, one and two error replies. The same "
        "numbers stand in the table beside it.",
    )
    rows = [
        (name_cell(run.heading, run.path), *(_repair_cell(found.get((run.run_id, number))) for number in replies))
        for run in runs.every
    ]
    return Figure(
        anchor=f"{runs.prefix}repair",
        title="Repair curve",
        note="Share of single-call cases whose call conforms to its schema, first at once, then after error replies of "
        "the harness; below it what a success costs in tokens, failures paid for as well.",
        chart=line_chart(head, labels, series),
        tables=(table("Conformance after error replies", ("Run", *labels), rows),),
    )


def _rate_of(one: Repair | None) -> float | None:
    return one.rate if one else None


def _repair_cell(one: Repair | None) -> CellView:
    if one is None:
        return CellView(text=NOTHING, detail="no case")
    tokens = f"{one.tokens_per_success:,.0f} tokens" if one.tokens_per_success is not None else ""
    return rate_cell(one.rate, joined((of(one.cases - one.failed, one.cases), tokens)))


def histories(board: BoardView, runs: BoardRuns) -> Iterator[Figure]:
    """Scores over the runs of each model that has two or more on this board."""
    spreads = {one.run: one.quantiles for one in board.detail.spreads}
    models: dict[str, list[BoardRun]] = {}
    for run in runs.every:
        if run.run_id in spreads:
            models.setdefault(run.row.model, []).append(run)
    repeated = [found for found in models.values() if len(found) > 1][:MAX_HISTORIES]
    for number, found in enumerate(repeated, 1):
        ordered = sorted(found, key=lambda run: (run.row.date, run.run_id))[-MAX_SPREADS:]
        yield _history(f"history-{number}", ordered, spreads)


def _history(anchor: str, runs: list[BoardRun], spreads: dict[str, tuple[float, float, float, float, float]]) -> Figure:
    model = clip(runs[0].row.model, 60)
    points, rows = [], []
    for run in runs:
        rate, quantiles = run.row.rates.get("strict", UNKNOWN), spreads[run.run_id]
        label = f"{run.letter} {run.row.date}"
        points.append(Spread(label=label, quantiles=quantiles, rate=rate.value, low=rate.low, high=rate.high))
        strict = rate_cell(
            rate.value, joined((of(rate.numerator, rate.denominator or 0), between(rate.low, rate.high)))
        )
        rows.append((name_cell(label, run.path), strict, *(CellView(text=f"{value:.2f}") for value in quantiles)))
    head = ChartHead(
        name=f"{anchor}-chart",
        title=f"Scores over the runs of {model}",
        description="For each run a box of the partial scores of its call cases and a dot at the strict accuracy. The "
        "same numbers stand in the table beside it.",
    )
    return Figure(
        anchor=anchor,
        title=f"Over time: {model}",
        note="Boxes: the partial scores of call cases (from 25 to 75 % of them, the thin line from 10 to 90 %, the "
        "stroke at the median). Dots: strict accuracy with its interval. Oldest run first.",
        chart=spread_chart(head, points),
        tables=(table("Scores by run", ("Run", "Strict accuracy", "10 %", "25 %", "Median", "75 %", "90 %"), rows),),
    )


def flips(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Case by run: who passes which case, the cases that models disagree on first."""
    if not board.detail.cases:
        return None
    rows = []
    for case in board.detail.cases:
        found = {one.run: one for one in case.outcomes}
        cells = [_outcome_cell(found.get(run.run_id)) for run in runs.columns]
        rows.append((name_cell(case.task_id, case_path(case.task_id), case.category), *cells))
    made = table("Cases by run", ("Case", *(run.heading for run in runs.columns)), rows, MAX_ROWS)
    left = board.detail.cases_total - len(made.rows)
    return Figure(
        anchor=f"{runs.prefix}cases",
        title="Case by run",
        note="Repeats passed of those judged, at this board's tier. Cases on which the models differ most stand first."
        + (f" {left:,} more cases are left out here." if left else ""),
        tables=(made,),
    )


def _outcome_cell(one: Outcome | None) -> CellView:
    if one is None or not one.judged:
        return CellView(text=NOTHING, detail="", css="fc-mark--none")
    kind = "pass" if one.passed == one.judged else "none" if one.passed else "fail"
    sign = {"pass": "✓", "none": "~", "fail": "✗"}[kind]
    return CellView(text=f"{sign} {one.passed} of {one.judged}", css=f"fc-mark--{kind}")
