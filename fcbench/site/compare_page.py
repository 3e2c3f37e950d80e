"""Pages that compare two runs of one board.

One page a board, with a script that compares any two of its runs from a data script, since a page for each pair would
be thousands. Without JavaScript the page shows every pair in one table, with difference and test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcbench.core.names import JsonValue
from fcbench.core.records import to_plain
from fcbench.site.board_compare import AXES_OF_CASES, SIGNIFICANT, Pair
from fcbench.site.board_detail import AXES
from fcbench.site.board_runs import BoardRun, BoardRuns, board_runs
from fcbench.site.chart_bars import percent
from fcbench.site.data import BoardView, SiteData
from fcbench.site.environment import render
from fcbench.site.figures import CellView, TableView, name_cell, table
from fcbench.site.pages import Asset, HubPage, LeanPage, key_of
from fcbench.site.scripts import js_data
from fcbench.site.slugs import case_path, compare_path, relative, slug
from fcbench.site.text import clip

INDEX = "compare/index.html"


def compare_pages(data: SiteData) -> tuple[HubPage, tuple[LeanPage, ...], tuple[Asset, ...]]:
    """The list of boards with two runs or more, a page for each, and their data scripts."""
    boards = [board for board in data.boards if len(board.rows) > 1]
    hub = HubPage(
        path=INDEX,
        title="Compare",
        description="Two runs of one board side by side: accuracy with a test, segments, and cases that differ.",
        body=render(
            "compare_index",
            root=relative("", INDEX),
            boards=[(board, compare_path(board.key.slug), _models(board)) for board in boards],
        ),
    )
    return hub, tuple(_page(board) for board in boards), tuple(_script(board) for board in boards)


def _models(board: BoardView) -> int:
    return sum(not row.control for row in board.rows)


def _page(board: BoardView) -> LeanPage:
    path = compare_path(board.key.slug)
    rows = [(row.model, row.run_id, row.date, row.control, row.rank) for row in board.rows]
    return LeanPage(
        path=path,
        title=f"Compare {slug(board.key.slug)}",
        key=key_of("compare", to_plain(board.key), rows, board.detail.pairs),
        body=lambda: render(
            "compare",
            root=relative("", path),
            board=board,
            board_page=f"boards/{slug(board.key.slug)}.html",
            data=_data_path(board),
            pairs=pair_table(board, board_runs(board)),
            level=percent(SIGNIFICANT),
        ),
    )


def pair_table(board: BoardView, runs: BoardRuns) -> TableView:
    """Every pair of ranked runs, the surest difference first."""
    named = {run.run_id: run for run in runs.every}
    ordered = sorted(board.detail.pairs, key=lambda one: (one.p_holm, -abs(one.difference)))
    return table(
        "Every pair of ranked runs, the surest difference first",
        ("Better", "Other", "Difference", "p after Holm", "Reading"),
        (_pair_cells(one, named[one.first], named[one.second]) for one in ordered),
    )


def _pair_cells(one: Pair, first: BoardRun, second: BoardRun) -> Sequence[CellView]:
    better, other = (second, first) if one.difference > 0 else (first, second)
    rates = (one.second_rate, one.first_rate) if one.difference > 0 else (one.first_rate, one.second_rate)
    reading = "✓ a difference" if one.is_significant else "? cannot tell"
    css = "fc-mark--pass" if one.is_significant else "fc-mark--none"
    return (
        name_cell(better.heading, better.path, percent(rates[0])),
        CellView(text=other.heading, href=other.path, detail=percent(rates[1]), is_number=False),
        CellView(text=f"{abs(one.difference) * 100:.1f} points", detail=f"{one.cases} cases"),
        CellView(text=p_text(one.p_holm), detail=f"{p_text(one.p)} before, {one.test}"),
        CellView(text=reading, css=css, is_number=False),
    )


def p_text(value: float) -> str:
    """A probability for people."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _data_path(board: BoardView) -> str:
    return f"data/compare-{slug(board.key.slug)}.js"


def _script(board: BoardView) -> Asset:
    runs = board_runs(board)
    found = board.detail.compared
    chosen = {run.run_id: run for run in runs.every if run.run_id in found.runs}
    place = {run: number for number, run in enumerate(found.runs)}
    names = [list(dict.fromkeys(case.labels[at] for case in found.cases)) for at in range(len(AXES_OF_CASES))]
    plain: JsonValue = {
        "runs": [_run(chosen[run]) for run in found.runs],
        "axes": [
            [AXES[axis], [label.replace("_", " ") for label in names[at]]] for at, axis in enumerate(AXES_OF_CASES)
        ],
        "cases": [
            [
                clip(case.task_id),
                case_path(case.task_id),
                int(case.is_call),
                [names[at].index(label) for at, label in enumerate(case.labels)],
                [number for outcome in case.outcomes for number in outcome],
            ]
            for case in found.cases
        ],
        "pairs": list(_tests(board, place)),
        "level": SIGNIFICANT,
    }
    return Asset(path=_data_path(board), content=js_data("compare", plain))


def _run(run: BoardRun) -> JsonValue:
    return {"id": run.run_id, "name": run.heading, "date": run.row.date, "path": run.path, "control": run.control}


def _tests(board: BoardView, place: dict[str, int]) -> Iterator[JsonValue]:
    for one in board.detail.pairs:
        if one.first in place and one.second in place:
            yield [place[one.first], place[one.second], one.test, one.p, one.p_holm]
