"""Figures of one run on its model's page: what it does by label, where it breaks, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from fcbench.core.names import CaseId
from fcbench.core.verdicts import Verdict
from fcbench.site.board_boundary import reliability, repair
from fcbench.site.board_detail import BoardDetail
from fcbench.site.board_figures import dimensions, faults, segments
from fcbench.site.board_pairs import effort_cells
from fcbench.site.board_runs import BoardRun, BoardRuns
from fcbench.site.data import BoardView, RunView
from fcbench.site.figures import NOTHING, CellView, Figure, name_cell, of, rate_cell, table
from fcbench.site.slugs import attempt_path, case_path, tool_path
from fcbench.site.text import clip, plural

MAX_SCHEMAS = 15
MAX_FLAKY = 60
MAX_KINDS = 3
"""Kinds of faults that a line names."""


def own_detail(board: BoardView, run_id: str) -> BoardDetail:
    """What a board says of one of its runs."""
    detail = board.detail
    return BoardDetail(
        segments={
            axis: own for axis, found in detail.segments.items() if (own := tuple(x for x in found if x.run == run_id))
        },
        faults=tuple(one for one in detail.faults if one.run == run_id),
        boundaries=tuple(one for one in detail.boundaries if one.run == run_id),
        repairs=tuple(one for one in detail.repairs if one.run == run_id),
        efforts=tuple(one for one in detail.efforts if one.run == run_id),
    )


def run_figures(run: RunView, board: BoardView | None, prefix: str) -> tuple[Figure, ...]:
    """All figures of a run.

    Args:
        run: the run.
        board: its own rows and details only, of its headline board (`own_detail`); None where it stands on none.
        prefix: before every id, since a page shows several runs.
    """
    found: list[Figure | None] = []
    if board is not None and board.rows:
        one = BoardRuns(every=(BoardRun(letter="", row=board.rows[0]),), prefix=prefix)
        found = [
            *segments(board, one),
            dimensions(one),
            reliability(board, one),
            repair(board, one),
            faults(board, one),
        ]
    found += [worst_schemas(run, prefix), flaky(run, prefix)]
    if board is not None and board.rows and board.detail.efforts:
        found.append(_cost(board, prefix))
    return tuple(figure for figure in found if figure is not None)


@dataclass(kw_only=True)
class _SchemaCount:
    """Attempts of cases that expect one tool."""

    passed: int = 0
    conforming: int = 0
    judged: int = 0
    levels: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    example: str = ""


def worst_schemas(run: RunView, prefix: str) -> Figure | None:
    """The tools whose cases fail most often."""
    counts: dict[str, _SchemaCount] = {}
    for task_id, repeat in run.entries:
        case, verdict = run.case(task_id), run.verdict(task_id, repeat)
        if case is not None and verdict is not None:
            for tool in {str(step.tool) for step in case.oracle.calls}:
                count = counts.setdefault(tool, _SchemaCount())
                count.levels |= {case.oracle.labels.level} if case.oracle.labels.level else set()
                _add(count, verdict, attempt_path(run.slug, task_id, repeat))
    failing = [(tool, one) for tool, one in counts.items() if one.passed < one.judged]
    failing.sort(key=lambda each: (each[1].passed / each[1].judged, -each[1].judged, each[0]))
    if not failing:
        return None
    return Figure(
        anchor=f"{prefix}schemas",
        title="Worst schemas",
        note="Attempts of cases that expect a tool, the tool with the smallest share of passed ones first; conforming "
        f"says that the calls validate. {plural(len(counts), 'tool')} in all, {len(failing)} with a failure.",
        tables=(
            table(
                "Tools by share of attempts passed",
                ("Tool", "Passed", "Conforming", "Kinds of faults", "Example"),
                (tuple(_schema_cells(run, tool, one)) for tool, one in failing),
                MAX_SCHEMAS,
            ),
        ),
    )


def _add(count: _SchemaCount, verdict: Verdict, path: str) -> None:
    count.judged += 1
    count.passed += verdict.passed
    count.conforming += verdict.dimensions.schema_conformance is True
    if not verdict.passed:
        count.kinds.update(list(dict.fromkeys(fault.kind for fault in verdict.faults)))
        count.example = count.example or path


def _schema_cells(run: RunView, tool: str, one: _SchemaCount) -> Iterator[CellView]:
    href = tool_path(tool) if tool in run.package.contracts else ""
    yield name_cell(tool, href, f"schema {', '.join(sorted(one.levels))}" if one.levels else "")
    yield rate_cell(one.passed / one.judged, of(one.passed, one.judged))
    yield rate_cell(one.conforming / one.judged, of(one.conforming, one.judged))
    often = sorted(one.kinds.items(), key=lambda each: (-each[1], each[0]))[:MAX_KINDS]
    kinds = ", ".join(f"{kind.replace('_', ' ')} ({count})" for kind, count in often)
    yield CellView(text=kinds or NOTHING, is_number=False)
    yield CellView(text="an attempt", href=one.example, is_number=False)


def flaky(run: RunView, prefix: str) -> Figure | None:
    """Cases whose repeats do not agree."""
    counts: dict[CaseId, list[bool]] = {}
    for task_id, repeat in run.entries:
        verdict = run.verdict(task_id, repeat)
        if verdict is not None:
            counts.setdefault(task_id, []).append(verdict.passed)
    repeated = {task_id: passed for task_id, passed in counts.items() if len(passed) > 1}
    if not repeated:
        return None
    unsure = [(task_id, passed) for task_id, passed in repeated.items() if len(set(passed)) > 1]
    rows = [
        (name_cell(task_id, case_path(task_id)), CellView(text=f"{sum(passed)} of {len(passed)}"))
        for task_id, passed in unsure
    ]
    return Figure(
        anchor=f"{prefix}flaky",
        title="Flaky cases",
        note=f"{len(unsure)} of {plural(len(repeated), 'case')} with two verdicts or more passed in some repeats only.",
        tables=(table("Cases whose repeats disagree", ("Case", "Repeats passed"), rows, MAX_FLAKY),) if rows else (),
    )


def _cost(board: BoardView, prefix: str) -> Figure:
    run = BoardRun(letter="", row=board.rows[0])
    (effort,) = board.detail.efforts
    columns = ("Run", "Strict accuracy", "Tokens per success", "Cost per success", "Latency", "Tokens in and out")
    row = (name_cell(clip(run.row.run_id, 60)), *effort_cells(run, effort))
    return Figure(
        anchor=f"{prefix}cost",
        title="Cost",
        note="What the attempts of call cases took, failed ones too, over those that passed. What is not known is "
        "never counted as nought.",
        tables=(table("Cost of this run", columns, (row,)),),
    )
