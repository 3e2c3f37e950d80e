"""Results in the form of the Hugging Face hub: `eval.yaml` of a benchmark, `.eval_results/*.yaml` of models.

Shape only: the hub takes an `eval.yaml` only where its own list has the framework, and fcbench is not on it.
"""

from __future__ import annotations

import re
from pathlib import Path

from fcbench.core.canonical import digest_text
from fcbench.core.records import Record
from fcbench.errors import UsageError
from fcbench.export.judged import JudgedRun
from fcbench.export.rows import Row
from fcbench.packages.files import write_error, write_whole
from fcbench.suites.scaffold_files import yaml_of

FRAMEWORK = "fcbench"
FRAMEWORK_WARNING = (
    "the hub's list of evaluation frameworks has no entry for fcbench, "
    "so it will not take this eval.yaml, nor show a result of it"
)
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class HubReport(Record, frozen=True, kw_only=True):
    """What was written."""

    files: tuple[str, ...]
    left_out: dict[str, str]
    """Run ids with the reason: what is never ranked is no model's result."""


class HubResults:
    """The newest result of each model on each board, gathered run by run."""

    def __init__(self, dataset: str) -> None:
        """Take the repository that hosts the leaderboard.

        Raises:
            UsageError: it is no OWNER/NAME.
        """
        if not _REPO.fullmatch(dataset):
            raise UsageError(
                "this is no dataset repository", wanted="OWNER/NAME", found=dataset[:120], where="--dataset"
            )
        self._dataset = dataset
        self._tasks: dict[str, str] = {}
        self._entries: dict[str, dict[str, tuple[str, Row]]] = {}
        self._left_out: dict[str, str] = {}

    def add(self, run: JudgedRun) -> None:
        """Take in one run."""
        manifest, header = run.package.manifest, run.package.header
        reason = _unranked(run)
        if reason is not None:
            self._left_out[header.run_id] = reason
            return
        for tier, row in run.boards.items():
            if row["strict"] is None:
                continue
            task = run.slugs[tier]
            self._tasks[task] = f"{header.key.collection}, {tier}"
            entry: Row = {
                "dataset": {"id": self._dataset, "task_id": task},
                "value": row["strict"],
                "date": header.created_at,
                "notes": f"{header.key.harness_mode}; retrieval {header.key.retrieval}; run {header.run_id}",
            }
            kept = self._entries.setdefault(header.provider.model, {})
            if task not in kept or kept[task][0] < manifest.sealed_at:
                kept[task] = (manifest.sealed_at, entry)

    def write(self, folder: Path) -> HubReport:
        """Write all files.

        Raises:
            UsageError: no run was ranked.
            WriteError: the folder cannot be written.
        """
        if not self._entries:
            raise UsageError(
                "there is no result to write",
                wanted="a complete run of purpose board, no control, with call cases",
                found="; ".join(f"{run}: {reason}" for run, reason in self._left_out.items())[:300] or "no call case",
            )
        files = {folder / "eval.yaml": yaml_of(self._benchmark())}
        name = f"{_PLAIN.sub('-', self._dataset.partition('/')[2])}.yaml"
        for model, kept in sorted(self._entries.items()):
            entries = [entry for _, (_, entry) in sorted(kept.items())]
            files[folder / "models" / _folder(model) / ".eval_results" / name] = yaml_of(entries)
        for path, text in files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, text.encode())
            except OSError as error:
                raise write_error(path, error) from error
        return HubReport(files=tuple(map(str, files)), left_out=self._left_out)

    def _benchmark(self) -> Row:
        boards = "; ".join(f"{task}: {meaning}" for task, meaning in sorted(self._tasks.items()))
        return {
            "name": self._dataset.partition("/")[2],
            "description": f"Function calling. A task is one board, its value the strict accuracy (0 to 1). {boards}.",
            "evaluation_framework": FRAMEWORK,
            "tasks": [{"id": task, "config": "cases"} for task in sorted(self._tasks)],
        }


def _unranked(run: JudgedRun) -> str | None:
    """Why a run stands on no ranking; None where it does."""
    manifest, header = run.package.manifest, run.package.header
    if header.provider.control:
        return "a control"
    if header.purpose != "board":
        return f"of purpose {header.purpose}"
    return None if manifest.complete else "incomplete"


def _folder(model: str) -> str:
    """A model's name as one part of a path; where signs were lost, its digest keeps it apart from others."""
    plain = _PLAIN.sub("-", model).strip(".-")[:100]
    return plain if plain == model else f"{plain or 'model'}-{digest_text(model)[:8]}"
