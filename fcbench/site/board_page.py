"""Board pages: everything about one board, charts with their numbers, and never a number of another one."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.records import to_plain
from fcbench.site.board_boundary import flips, histories, reliability, repair
from fcbench.site.board_figures import accuracy, dimensions, faults, heat_map, segments
from fcbench.site.board_pairs import costs, disputed, over_time, pairwise
from fcbench.site.board_runs import board_runs
from fcbench.site.data import BoardView, SiteData
from fcbench.site.environment import render
from fcbench.site.figures import Figure
from fcbench.site.pages import LeanPage, key_of
from fcbench.site.slugs import relative, slug


def board_path(board: BoardView) -> str:
    """Page of a board, beside its downloads."""
    return f"boards/{slug(board.key.slug)}.html"


def board_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each board, not yet rendered."""
    for board in data.boards:
        yield _page(board)


def _page(board: BoardView) -> LeanPage:
    path = board_path(board)
    numbers = (board.rows, board.detail, board.cases_applicable, board.cases_planned)
    return LeanPage(
        path=path,
        title=f"Board {slug(board.key.slug)}",
        key=key_of("board", to_plain(board.key), numbers),
        body=lambda: _body(board, path),
    )


def _body(board: BoardView, path: str) -> str:
    runs = board_runs(board)
    single = {
        axis: found[0].segment
        for axis, found in board.detail.segments.items()
        if len({one.segment for one in found}) == 1
    }
    return render(
        "board",
        root=relative("", path),
        board=board,
        name=path.removesuffix(".html"),
        anchor=slug(board.key.slug),
        runs=runs,
        single=single,
        models=sum(not run.control for run in runs.every),
        figures=_figures(board),
    )


def _figures(board: BoardView) -> tuple[Figure, ...]:
    runs = board_runs(board)
    found = [
        accuracy(board, runs),
        disputed(board, runs),
        pairwise(board, runs),
        heat_map(board, runs),
        *segments(board, runs),
        dimensions(runs),
        faults(board, runs),
        reliability(board, runs),
        repair(board, runs),
        costs(board, runs),
        *histories(board, runs),
        over_time(board, runs),
        flips(board, runs),
    ]
    return tuple(figure for figure in found if figure is not None)
