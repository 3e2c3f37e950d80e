"""Figures of a board that set its runs against each other: pairs, cost, runs over time, and disputed cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcbench.site.board_compare import SIGNIFICANT, Effort, Fall, Pair
from fcbench.site.board_detail import Share
from fcbench.site.board_runs import BoardRun, BoardRuns
from fcbench.site.chart_bars import percent
from fcbench.site.chart_canvas import ChartHead
from fcbench.site.chart_scatter import Point, amount, scatter_chart
from fcbench.site.data import BoardView, Rate
from fcbench.site.figures import NOTHING, CellView, Figure, joined, name_cell, rate_cell, table
from fcbench.site.slugs import case_path, compare_path
from fcbench.site.text import clip, plural, seconds

MAX_NAMED = 5
"""Cases that a cell names."""
_FINDINGS = {"significant fall": "fc-mark--fail", "cases lost": "fc-mark--none", "no fall": "fc-mark--pass"}
_SIGNS = {"significant fall": "✗", "cases lost": "~", "no fall": "✓"}
UNKNOWN = Rate(value=None)


def pairwise(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Each ranked run against each, as a matrix of differences."""
    if not board.detail.pairs:
        return None
    found = {(one.first, one.second): one for one in board.detail.pairs}
    ranked = [run for run in runs.columns if any(run.run_id in pair for pair in found)]
    rows = [(name_cell(run.heading, run.path), *(_pair_cell(found, run, other) for other in ranked)) for run in ranked]
    return Figure(
        anchor=f"{runs.prefix}pairs",
        title="Each against each",
        note=f"Strict accuracy of the run of the line less that of the run of the column, in points. A tick marks a "
        f"difference that is more than chance: p below {percent(SIGNIFICANT)} after Holm's correction over all pairs. "
        f"Every pair with its test stands on the page that compares runs.",
        tables=(table("Differences in points", ("Run", *(run.heading for run in ranked)), rows),),
        more=("Compare two runs", compare_path(board.key.slug)),
    )


def _pair_cell(found: dict[tuple[str, str], Pair], run: BoardRun, other: BoardRun) -> CellView:
    if run is other:
        return CellView(text="·")
    one = found.get((other.run_id, run.run_id))
    difference = one.difference if one else None
    if one is None:
        one = found.get((run.run_id, other.run_id))
        difference = -one.difference if one else None
    if one is None or difference is None:
        return CellView(text=NOTHING)
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    text = f"{'✓ ' if one.is_significant else ''}{sign}{abs(difference) * 100:.1f}"
    css = ("fc-mark--pass" if difference > 0 else "fc-mark--fail") if one.is_significant else ""
    return CellView(text=text, css=css)


def costs(board: BoardView, runs: BoardRuns) -> Figure | None:
    """What a success costs against how often there is one."""
    found = {one.run: one for one in board.detail.efforts}
    charted = [run for run in runs.series if run.run_id in found]
    currencies = {found[run.run_id].currency for run in charted}
    in_money = len(currencies) == 1 and "" not in currencies
    points = []
    for run in charted:
        effort, rate = found[run.run_id], run.row.rates.get("strict", UNKNOWN).value
        cost = effort.cost_per_success if in_money else effort.tokens_per_success
        if cost is not None and rate is not None:
            points.append(Point(letter=run.letter, x=cost, y=rate, control=run.control))
    if not points and all(one.output_tokens is None for one in found.values()):
        return None
    unit = next(iter(currencies)) if in_money else "tokens"
    head = ChartHead(
        name=f"{runs.prefix}cost-chart",
        title="Cost against accuracy",
        description=f"One dot a run: {unit} for each success from left to right, strict accuracy from below to above. "
        f"The same numbers stand in the table beside it.",
    )
    money = "" if in_money else " No price is known for all of these runs, so the chart counts tokens."
    columns = ("Run", "Strict accuracy", "Tokens per success", "Cost per success", "Latency", "Tokens in and out")
    rows = [(name_cell(run.heading, run.path), *effort_cells(run, found[run.run_id])) for run in runs.every]
    return Figure(
        anchor=f"{runs.prefix}cost",
        title="Cost against accuracy",
        note="What the attempts of call cases took, failed ones too, over those that passed. Further up is better, "
        f"further left is cheaper. A run without a success, or whose provider counted no tokens, has no dot.{money}",
        chart=scatter_chart(head, points, f"{clip(unit, 12)} per success") if points else None,
        tables=(table("Cost and accuracy by run", columns, rows),),
    )


def effort_cells(run: BoardRun, effort: Effort) -> Iterator[CellView]:
    """What one run took, after its name."""
    yield rate_cell(run.row.rates.get("strict", UNKNOWN).value)
    tokens, cost = effort.tokens_per_success, effort.cost_per_success
    yield CellView(text=NOTHING if tokens is None else f"{tokens:,.0f}", detail="unknown" if tokens is None else "")
    told = f"{amount(cost)} {effort.currency}" if cost is not None else NOTHING
    yield CellView(text=clip(told, 24), detail="" if cost is not None else "no price")
    median, slow = effort.latency_p50_s, effort.latency_p95_s
    yield CellView(
        text=NOTHING if median is None else seconds(median), detail="" if slow is None else f"95 %: {seconds(slow)}"
    )
    read, written = effort.input_tokens, effort.output_tokens
    known = read is not None and written is not None
    yield CellView(text=f"{read:,} + {written:,}" if known else NOTHING, detail="" if known else "unknown")


def over_time(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Each run of a model beside the one before it: a fall that is more than chance, and the cases it lost."""
    named = {run.run_id: run for run in runs.every}
    found = [one for one in board.detail.falls if one.first in named and one.second in named]
    if not found:
        return None
    rows = [(_fall_name(one, named), *_fall_cells(one)) for one in found]
    columns = ("Run after run", "Cases", "Before", "After", "Reading", "Cases lost", "Cases gained")
    return Figure(
        anchor=f"{runs.prefix}falls",
        title="Run after run",
        note="A later run of a model beside the one before it. A fall counts where p, after Holm over the board, is "
        "at most 5 %; cases lost passed in all repeats before and in none now.",
        tables=(table("Runs of one model, in the order of their dates", columns, rows),),
    )


def _fall_name(one: Fall, named: dict[str, BoardRun]) -> CellView:
    first, second = named[one.first], named[one.second]
    what = "call cases" if one.decision == "call" else "cases that ask for no call"
    return name_cell(f"{first.letter} → {second.letter}: {clip(one.model, 40)}", second.path, what)


def _fall_cells(one: Fall) -> Iterator[CellView]:
    yield CellView(text=str(one.cases))
    yield rate_cell(one.first_rate)
    yield rate_cell(one.second_rate)
    p = "no test of a control" if one.p_holm is None else f"p {one.p_holm:.3f}"
    css = _FINDINGS.get(one.finding, "")
    yield CellView(text=f"{_SIGNS.get(one.finding, '')} {one.finding}", detail=p, css=css, is_number=False)
    for cases in (one.lost, one.gained):
        href = case_path(cases[0]) if len(cases) == 1 else ""
        yield CellView(text=_listed(cases), detail=plural(len(cases), "case"), href=href, is_number=False)


def _listed(cases: Sequence[str]) -> str:
    if not cases:
        return "none"
    more = f" and {len(cases) - MAX_NAMED} more" if len(cases) > MAX_NAMED else ""
    return ", ".join(clip(case, 30) for case in cases[:MAX_NAMED]) + more


def disputed(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Both scores, while a claim about a case of the board is open."""
    if not board.detail.disputed:
        return None
    named = {run.run_id: run for run in runs.every}
    cases = board.detail.disputed_cases
    listed = [(name_cell(case, case_path(case)),) for case in cases]
    rows = [
        (
            name_cell(named[one.run].heading, named[one.run].path),
            *(_share_cell(share) for share in (one.strict, one.strict_without, one.restraint, one.restraint_without)),
        )
        for one in board.detail.disputed
        if one.run in named
    ]
    columns = ("Run", "Strict, all cases", "Strict, without", "Restraint, all cases", "Restraint, without")
    return Figure(
        anchor=f"{runs.prefix}disputed",
        title="Disputed cases",
        note=f"{plural(len(cases), 'case')} of this board {'has' if len(cases) == 1 else 'have'} an open claim. Until "
        f"it is ruled on, both scores stand here; rank and charts count all cases.",
        tables=(table("With and without the disputed cases", columns, rows), table("Disputed", ("Case",), listed)),
    )


def _share_cell(share: Share) -> CellView:
    return rate_cell(share.value, joined([plural(share.count, "case")]) if share.count else "no case")
