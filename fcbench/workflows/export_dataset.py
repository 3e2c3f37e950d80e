"""Export packages as a dataset for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fcbench.core.records import Record, to_plain
from fcbench.export.hf_dataset import ExportOptions, ExportReport, export_dataset
from fcbench.packages.held_out import lifted
from fcbench.registry import load_registries
from fcbench.suites.commitments import revealed_in
from fcbench.workflows.boards import scored_below
from fcbench.workflows.project import find_project


@dataclass(frozen=True)
class Exported:
    """What an export gave."""

    report: ExportReport

    @property
    def output(self) -> str:
        """The dataset's folder."""
        return self.report.output

    def text(self) -> str:
        """For a terminal: rows by config and split."""
        lines = [f"exported  {self.output}: {self.report.runs} runs"]
        for config, splits in self.report.counts.items():
            lines.append(f"  {config}: " + ", ".join(f"{split} {count}" for split, count in splits.items()))
        for reason, cases in (("held out", self.report.left_out_held_out), ("manual", self.report.left_out_manual)):
            if cases:
                lines.append(f"  left out ({reason}): {', '.join(cases)}")
        for key in self.report.partial_registries:
            lines.append(f"  not whole: the registry {key[:12]}; put its registry.json beside the packages")
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return to_plain(self.report)


class ExportRequest(Record, frozen=True, kw_only=True):
    """What to export, and how."""

    runs: Path
    """A folder with packages below it."""
    name: str | None = None
    """Title of the card."""
    licence: str | None = None
    leave_out_held_out: bool = False
    project: Path | None = None
    """Whose registries stand in for a missing `registry.json`, and whose revealed cases are no secret any more; the
    current or the embedded one without."""


def export(runs: Path, output: Path) -> Exported:
    """`export_as`, with nothing chosen."""
    return export_as(ExportRequest(runs=runs), output)


def export_as(request: ExportRequest, output: Path, *, on_attempt: Callable[[int], None] | None = None) -> Exported:
    """Write every sealed package below a folder into one dataset.

    Raises:
        NotFoundError: `runs` does not exist.
        PackageError: it holds no sealed package, or one holds held-out cases.
        WriteError: the output cannot be written, or holds something else than an earlier export.
        UsageError: `project` holds no project.
        RegistryError: a contract of the project is wrong.
    """
    project = find_project(request.project)
    registries, revealed = load_registries(project.tools_registry), revealed_in(project.suites)
    defaults = ExportOptions()
    options = ExportOptions(
        name=request.name or defaults.name,
        licence=request.licence or defaults.licence,
        leave_out_held_out=request.leave_out_held_out,
        registries={one.hash: tuple(one.contracts.values()) for one in registries.values()},
        on_attempt=on_attempt,
    )
    sources = [replace(one, package=lifted(one.package, revealed)) for one in scored_below(request.runs)]
    return Exported(export_dataset(sources, output, options))
