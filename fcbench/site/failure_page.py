"""The failures explorer: every failed attempt in one compact data script, filtered in the reader's browser."""

from __future__ import annotations

from fcbench.core.names import JsonValue
from fcbench.site.data import RunView, SiteData
from fcbench.site.difference import told
from fcbench.site.environment import render
from fcbench.site.pages import Asset, HubPage
from fcbench.site.scripts import js_data
from fcbench.site.slugs import attempt_path, relative
from fcbench.site.text import clip

PATH = "failures.html"
DATA = "data/failures.js"


class _Numbers:
    """Texts as numbers: a model's name stands in the data once, not once a row."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))


def failures_page(data: SiteData) -> tuple[HubPage, Asset]:
    """The explorer page and its data script, models' failures first and controls' last."""
    names = {name: _Numbers() for name in ("model", "board", "kind", "category")}
    rows = [row for model in data.models.values() for run in model for row in _rows(run, names)]
    plain: JsonValue = {"names": {name: list(found.texts) for name, found in names.items()}, "rows": rows}
    page = HubPage(
        path=PATH, title="Failures", body=render("failures", root=relative("", PATH), count=len(rows), data=DATA)
    )
    return page, Asset(path=DATA, content=js_data("failures", plain))


def _rows(run: RunView, names: dict[str, _Numbers]) -> list[JsonValue]:
    """One row a failed attempt: path, case, repeat, sentence, model, board, category, kinds."""
    board = names["board"].of(
        f"{run.manifest.header.key.collection}, {run.headline}, {run.manifest.header.key.harness_mode}"
    )
    model = names["model"].of(clip(run.model) + (" (control)" if run.is_control else ""))
    rows: list[JsonValue] = []
    for task_id, repeat in run.entries:
        verdict, case = run.verdict(task_id, repeat), run.case(task_id)
        if case is None or verdict is None or run.status(task_id, repeat).kind != "fail":
            continue
        kinds = dict.fromkeys(fault.kind.replace("_", " ") for fault in verdict.faults)
        sentence = clip(told(verdict.faults[0]), 200) if verdict.faults else ""
        category = names["category"].of(clip(case.oracle.labels.category))
        place = attempt_path(run.slug, task_id, repeat)
        found = [names["kind"].of(kind) for kind in kinds]
        rows.append([place, clip(task_id), repeat, sentence, model, board, category, found])
    return rows
