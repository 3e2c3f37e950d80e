"""Model pages: the profile of one model and every attempt of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fcbench.core.names import SCORABLE, CaseId
from fcbench.core.verdicts import FaultKind
from fcbench.site.case_page import Cell
from fcbench.site.data import RunView, SiteData
from fcbench.site.environment import render
from fcbench.site.pages import HubPage, LeanPage, key_of
from fcbench.site.slugs import attempt_path, case_path, model_path, relative, slug


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A share over attempts, with its numbers."""

    name: str
    passed: int
    judged: int


@dataclass(frozen=True, kw_only=True)
class CaseAttempts:
    """All repeats of one case."""

    case_id: str
    path: str
    category: str
    cells: tuple[Cell, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class RunSection:
    """One run of the model."""

    run: RunView
    segments: tuple[tuple[str, tuple[Segment, ...]], ...]
    dimensions: tuple[Segment, ...]
    faults: tuple[tuple[FaultKind, int], ...]
    cases: tuple[CaseAttempts, ...]
    outcomes: tuple[tuple[str, int], ...]


def model_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each model, not yet rendered."""
    for model, runs in data.models.items():
        yield _page(model, runs)


def _page(model: str, runs: tuple[RunView, ...]) -> LeanPage:
    path = model_path(model)
    parts = [(run.manifest, [run.verdict(*key) for key in run.entries]) for run in runs]
    return LeanPage(
        path=path,
        title=f"Model {slug(model)}",
        key=key_of("model", parts),
        body=lambda: render(
            "model", root=relative("", path), model=model, sections=tuple(_section(run) for run in runs)
        ),
    )


def _section(run: RunView) -> RunSection:
    kinds: Counter[FaultKind] = Counter()
    for key in run.entries:
        verdict = run.verdict(*key)
        kinds.update({fault.kind for fault in verdict.faults} if verdict else ())
    return RunSection(
        run=run,
        segments=_segments(run),
        dimensions=_dimensions(run),
        faults=tuple(sorted(kinds.items(), key=lambda one: (-one[1], one[0]))),
        cases=_cases(run),
        outcomes=tuple(sorted(run.manifest.counts.items())),
    )


def _segments(run: RunView) -> tuple[tuple[str, tuple[Segment, ...]], ...]:
    """Shares by suite, decision, level, mix and category; call and restraint cases are never pooled (PROTOCOL 3)."""
    found: dict[str, dict[str, list[bool]]] = {}
    for task_id, repeat in run.entries:
        case, verdict = run.case(task_id), run.verdict(task_id, repeat)
        if case is None or verdict is None:
            continue
        labels, is_call = case.oracle.labels, case.oracle.decision == "call"
        places: dict[str, str] = {"Decision": case.oracle.decision}
        if is_call:
            places |= {"Category": labels.category, "Mix": labels.mix, "Language": case.task.language}
            places |= {"Level": labels.level} if labels.level else {}
        for axis, name in places.items():
            found.setdefault(axis, {}).setdefault(name, []).append(verdict.passed)
    return tuple(
        (axis, tuple(Segment(name=name, passed=sum(all_), judged=len(all_)) for name, all_ in sorted(names.items())))
        for axis, names in found.items()
    )


def _dimensions(run: RunView) -> tuple[Segment, ...]:
    names = ("syntactic_validity", "schema_conformance", "argument_fidelity", "restraint", "exact_match")
    verdicts = [verdict for key in run.entries if (verdict := run.verdict(*key)) and _is_call(run, key[0])]
    return tuple(
        Segment(
            name=name.replace("_", " "),
            passed=sum(getattr(verdict.dimensions, name) is True for verdict in verdicts),
            judged=len(verdicts),
        )
        for name in names
    )


def _is_call(run: RunView, task_id: CaseId) -> bool:
    case = run.case(task_id)
    return case is not None and case.oracle.decision == "call"


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
    return verdict.faults[0].sentence if verdict and not verdict.passed and verdict.faults else ""


def models_page(data: SiteData) -> HubPage:
    """The list of all models with their runs."""
    path = "models/index.html"
    models = tuple((model, model_path(model), runs) for model, runs in data.models.items())
    return HubPage(path=path, title="Models", body=render("models", root=relative("", path), models=models))
