"""Case pages: one small page for each case, with its matrix of models and repeats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcbench.core.cases import Case
from fcbench.site.data import RunView, SiteData, Status
from fcbench.site.disputes import DisputedCase, disputed_case, disputed_key
from fcbench.site.environment import render
from fcbench.site.pages import HubPage, LeanPage, key_of
from fcbench.site.slugs import attempt_path, case_path, model_path, relative, slug, tool_path
from fcbench.site.text import pretty

MAX_TABLE = 500
"""Rows of a static table (SITE.md)."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One attempt in the matrix."""

    path: str
    repeat: int
    status: Status


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    """One run's attempts of a case."""

    run: RunView
    model_path: str
    cells: tuple[Cell, ...]


def case_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each case, not yet rendered."""
    for task_id, case in data.cases.items():
        rows = tuple(_row(run, case) for run in data.runs_of_case[task_id])
        yield _page(case, rows, disputed_case(data, task_id))


def _page(case: Case, rows: tuple[MatrixRow, ...], disputed: DisputedCase | None) -> LeanPage:
    path = case_path(case.id)
    tools = sorted({name for row in rows for name in row.run.package.contracts})
    shown = [(row.run.model, row.run.headline, [(c.path, c.status) for c in row.cells]) for row in rows]
    return LeanPage(
        path=path,
        title=f"Case {slug(case.id)}",
        key=key_of("case", case, shown, tools, disputed_key(disputed)),
        body=lambda: render(
            "case",
            root=relative("", path),
            case=case,
            rows=rows,
            repeats=max((len(row.cells) for row in rows), default=0),
            steps=tuple((step, pretty(step.arguments)) for step in case.oracle.calls),
            places={name: tool_path(name) for name in tools},
            disputed=disputed,
        ),
    )


def _row(run: RunView, case: Case) -> MatrixRow:
    repeats = range(1, run.manifest.repeats_done + 1)
    return MatrixRow(
        run=run,
        model_path=model_path(run.model),
        cells=tuple(
            Cell(path=attempt_path(run.slug, case.id, repeat), repeat=repeat, status=run.status(case.id, repeat))
            for repeat in repeats
            if (case.id, repeat) in run.entries
        ),
    )


@dataclass(frozen=True, kw_only=True)
class CaseLine:
    """One case in the list of a suite."""

    case: Case
    path: str
    passed: int
    judged: int
    is_disputed: bool


def cases_page(data: SiteData) -> HubPage:
    """The list of all cases, by suite, with how many judged attempts of models (controls left out) passed."""
    suites: dict[str, list[CaseLine]] = {}
    for task_id, case in data.cases.items():
        kinds = [
            run.status(*key).kind
            for run in data.runs_of_case[task_id]
            if not run.is_control
            for key in ((task_id, repeat) for repeat in range(1, run.manifest.repeats_done + 1))
        ]
        line = CaseLine(
            case=case,
            path=case_path(task_id),
            passed=kinds.count("pass"),
            judged=sum(kind != "none" for kind in kinds),
            is_disputed=task_id in data.claims,
        )
        suites.setdefault(case.suite, []).append(line)
    shown = {suite: lines[:MAX_TABLE] for suite, lines in suites.items()}
    left_out = {suite: max(0, len(lines) - MAX_TABLE) for suite, lines in suites.items()}
    path = "cases/index.html"
    body = render("cases", root=relative("", path), suites=shown, left_out=left_out)
    return HubPage(path=path, title="Cases", body=body)
