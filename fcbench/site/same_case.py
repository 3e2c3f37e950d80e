"""How every run of a case stands, as one small script a case.

An attempt page shows the other runs of its case. Were they part of the page, a new run would change the page of every
attempt at its cases; so the page holds its own run and a link to the case, and a script adds the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.names import CaseId, JsonValue
from fcbench.site.data import RunView, SiteData
from fcbench.site.pages import Asset
from fcbench.site.scripts import js_data
from fcbench.site.slugs import attempt_path, model_path, same_case_path
from fcbench.site.text import clip

MAX_RUNS = 13
"""Runs that an attempt page lists, its own among them; the case page lists all."""


def same_case_files(data: SiteData) -> Iterator[Asset]:
    """One script for each case: its runs, with model, harness, date and the verdict of each repeat."""
    for task_id, runs in data.runs_of_case.items():
        rows: list[JsonValue] = [_row(run, task_id) for run in runs]
        yield Asset(path=same_case_path(task_id), content=js_data("same", {"most": MAX_RUNS, "runs": rows}))


def _row(run: RunView, task_id: CaseId) -> JsonValue:
    keys = [(task_id, repeat) for repeat in range(1, run.manifest.repeats_done + 1)]
    marks: list[JsonValue] = []
    for key in keys:
        if key in run.entries:
            status = run.status(*key)
            marks.append([attempt_path(run.slug, *key), key[1], status.kind, status.sign, status.word])
    asked = run.manifest.header.key
    return {
        "run": run.slug,
        "model": clip(run.model, 60),
        "control": run.is_control,
        "path": model_path(run.model),
        "board": f"{asked.harness}, {asked.harness_mode}",
        "date": run.manifest.header.created_at[:10],
        "attempts": marks,
    }
