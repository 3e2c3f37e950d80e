"""Write packages in the formats of other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from fcbench.core.records import Record, to_plain
from fcbench.errors import UsageError
from fcbench.export.eee import write_eee
from fcbench.export.hub_results import FRAMEWORK_WARNING, HubResults
from fcbench.export.inspect_log import write_inspect_log
from fcbench.export.judged import JudgedRun
from fcbench.packages.held_out import lifted
from fcbench.suites.commitments import revealed_in
from fcbench.workflows.boards import each_scored
from fcbench.workflows.project import find_project


@dataclass(frozen=True)
class Written:
    """What an export wrote: one record a run, and what a reader must know of the format."""

    lines: tuple[str, ...]
    reports: tuple[Record, ...]
    warnings: tuple[str, ...] = ()

    def text(self) -> str:
        """For a terminal."""
        return "\n".join(self.lines)

    def data(self) -> object:
        """As plain JSON values."""
        return {"written": [to_plain(one) for one in self.reports], "warnings": list(self.warnings)}


def export_inspect(
    runs: Path, output: Path, project: Path | None = None, *, on_run: Callable[[int], None] | None = None
) -> Written:
    """Write an Inspect log of every package below a folder.

    Args:
        runs: a package, or a folder with packages below it.
        output: the folder for the logs.
        project: whose revealed cases are no secret any more; the current or the embedded one without.
        on_run: told the number of runs written so far, for a progress display.

    Raises:
        NotFoundError: `runs` does not exist.
        PackageError: it holds no sealed package, or one holds held-out cases or was altered.
        WriteError: the output cannot be written.
        UsageError: `project` holds no project.
    """
    reports = []
    for run in _runs(runs, project):
        reports.append(write_inspect_log(run, output))
        if on_run is not None:
            on_run(len(reports))
    lines = tuple(f"wrote  {one.path}: {one.samples} samples, {one.errors} with an error" for one in reports)
    return Written(lines, tuple(reports))


class EeeRequest(Record, frozen=True, kw_only=True):
    """What the records of Every Eval Ever say beyond their package."""

    organisation: str
    """Who evaluated."""
    relationship: Literal["first_party", "third_party", "collaborative", "other"] = "other"
    """Of the organisation to the model."""
    project: Path | None = None
    """As for `export_inspect`."""


def export_eee(
    runs: Path, output: Path, request: EeeRequest, *, on_run: Callable[[int], None] | None = None
) -> Written:
    """Write the aggregate and the instance file of every package below a folder.

    Args:
        runs: a package, or a folder with packages below it.
        output: the folder below which `data/` begins.
        request: what the records say of who evaluated.
        on_run: told the number of runs written so far, for a progress display.

    Raises:
        UsageError: the organisation is empty, or `project` holds no project.
        NotFoundError, PackageError, WriteError: as `export_inspect`.
    """
    if not request.organisation.strip():
        raise UsageError("nobody is named who evaluated", wanted="a name", where="--organisation")
    reports = []
    for run in _runs(runs, request.project):
        reports.append(
            write_eee(run, output, organisation=request.organisation.strip(), relationship=request.relationship)
        )
        if on_run is not None:
            on_run(len(reports))
    lines = tuple(f"wrote  {one.aggregate}\n       {one.instances}: {one.lines} lines" for one in reports)
    return Written(lines, tuple(reports))


def export_hf_results(
    runs: Path,
    output: Path,
    dataset: str,
    project: Path | None = None,
    *,
    on_run: Callable[[int], None] | None = None,
) -> Written:
    """Write `eval.yaml` and `.eval_results/*.yaml`, as the Hugging Face hub has them, over all packages below a folder.

    Args:
        runs: a package, or a folder with packages below it.
        output: the folder.
        dataset: OWNER/NAME of the dataset repository that hosts the leaderboard.
        project: as for `export_inspect`.
        on_run: told the number of runs read so far, for a progress display.

    Raises:
        UsageError: the dataset is no OWNER/NAME, or `project` holds no project.
        NotFoundError, PackageError, WriteError: as `export_inspect`.
    """
    results = HubResults(dataset)
    for number, run in enumerate(_runs(runs, project), 1):
        results.add(run)
        if on_run is not None:
            on_run(number)
    report = results.write(output)
    lines = [f"wrote  {path}" for path in report.files]
    lines += [f"left out  {run_id}: {reason}" for run_id, reason in report.left_out.items()]
    return Written((*lines, f"warning  {FRAMEWORK_WARNING}"), (report,), (FRAMEWORK_WARNING,))


def _runs(runs: Path, project: Path | None) -> Iterator[JudgedRun]:
    revealed = revealed_in(find_project(project).suites)
    for source in each_scored(runs):
        yield JudgedRun(replace(source, package=lifted(source.package, revealed)))
