"""Export packages as a dataset for others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fcbench.core.records import to_plain
from fcbench.export.hf_dataset import ExportReport, export_dataset
from fcbench.workflows.boards import scored_below


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
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return to_plain(self.report)


def export(runs: Path, output: Path) -> Exported:
    """Write every sealed package below a folder into one dataset.

    Raises:
        NotFoundError: `runs` does not exist.
        PackageError: it holds no sealed package, or one holds held-out cases.
        WriteError: the output cannot be written, or holds something else than an earlier export.
    """
    return Exported(export_dataset(scored_below(runs), output))
