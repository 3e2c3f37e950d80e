"""Model pages: the profile of one model and every attempt of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcbench.core.names import SCORABLE, CaseId
from fcbench.site.case_page import Cell
from fcbench.site.data import BoardRow, BoardView, RunView, SiteData
from fcbench.site.difference import told
from fcbench.site.environment import render
from fcbench.site.figures import Figure
from fcbench.site.model_figures import own_detail, run_figures
from fcbench.site.pages import HubPage, LeanPage, key_of
from fcbench.site.slugs import attempt_path, case_path, model_path, relative, slug


@dataclass(frozen=True, kw_only=True)
class CaseAttempts:
    """All repeats of one case."""

    case_id: str
    path: str
    category: str
    cells: tuple[Cell, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One run on one board."""

    board: BoardView
    row: BoardRow
    path: str


@dataclass(frozen=True, kw_only=True)
class RunSection:
    """One run of the model."""

    run: RunView
    is_newest: bool
    """Whether no later run stands on the same headline board: then its figures are shown."""
    figures: tuple[Figure, ...]
    cases: tuple[CaseAttempts, ...]
    outcomes: tuple[tuple[str, int], ...]


def model_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each model, not yet rendered."""
    for model, runs in data.models.items():
        yield _page(data, model, sorted(runs, key=lambda run: run.manifest.header.created_at, reverse=True))


def _page(data: SiteData, model: str, runs: Sequence[RunView]) -> LeanPage:
    path = model_path(model)
    standings = tuple(one for run in runs for one in _standings(data, run))
    boards = [_headline(data, run) for run in runs]
    numbers = [(board.rows, board.detail) if board else None for board in boards]
    parts = [(run.manifest, [run.verdict(*key) for key in run.entries]) for run in runs]
    return LeanPage(
        path=path,
        title=f"Model {slug(model)}",
        key=key_of("model", parts, numbers, [(one.path, one.row) for one in standings]),
        body=lambda: render(
            "model",
            root=relative("", path),
            model=model,
            standings=standings,
            sections=tuple(_sections(runs, boards)),
        ),
    )


def _standings(data: SiteData, run: RunView) -> Iterator[Standing]:
    for board in data.boards:
        if board.key.run == run.manifest.header.key:
            for row in board.rows:
                if row.run_id == run.manifest.run_id:
                    yield Standing(board=board, row=row, path=f"boards/{slug(board.key.slug)}.html")


def _headline(data: SiteData, run: RunView) -> BoardView | None:
    """The board of a run's headline tier, with this run alone."""
    for one in _standings(data, run):
        if one.board.key.tier == run.headline:
            return replace(one.board, rows=(one.row,), detail=own_detail(one.board, one.row.run_id))
    return None


def _sections(runs: Sequence[RunView], boards: Sequence[BoardView | None]) -> Iterator[RunSection]:
    """The newest run first; only the newest on a board has figures, so that a page does not grow with every run."""
    shown: set[str] = set()
    for number, (run, board) in enumerate(zip(runs, boards, strict=True), 1):
        key = board.key.slug if board else run.slug
        is_newest = key not in shown
        shown.add(key)
        yield RunSection(
            run=run,
            is_newest=is_newest,
            figures=run_figures(run, board, f"run-{number}-") if is_newest else (),
            cases=_cases(run),
            outcomes=tuple(sorted(run.manifest.counts.items())),
        )


def _cases(run: RunView) -> tuple[CaseAttempts, ...]:
    lines = []
    for task_id, case in run.package.cases.items():
        keys = [(task_id, repeat) for repeat in range(1, run.manifest.repeats_done + 1)]
        cells = tuple(
            Cell(path=attempt_path(run.slug, *key), repeat=key[1], status=run.status(*key))
            for key in keys
            if key in run.entries
        )
        lines.append(
            CaseAttempts(
                case_id=task_id,
                path=case_path(task_id),
                category=case.oracle.labels.category,
                cells=cells,
                why=next((said for key in keys if (said := _said(run, key))), ""),
            )
        )
    return tuple(lines)


def _said(run: RunView, key: tuple[CaseId, int]) -> str:
    """The first fault's sentence of a failed attempt."""
    entry = run.entries.get(key)
    if entry is None or entry.outcome not in SCORABLE:
        return ""
    verdict = run.verdict(entry.task_id, entry.repeat)
    return told(verdict.faults[0]) if verdict and not verdict.passed and verdict.faults else ""


def models_page(data: SiteData) -> HubPage:
    """The list of all models with their runs."""
    path = "models/index.html"
    models = tuple((model, model_path(model), runs) for model, runs in data.models.items())
    return HubPage(path=path, title="Models", body=render("models", root=relative("", path), models=models))
