"""Checks for authors: contracts, cases, the golden run and every mutation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fcbench.core.findings import Finding, errors_of
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError, UsageError
from fcbench.registry import check_lock, lint, load_registries, write_lock
from fcbench.suites import check
from fcbench.workflows.golden_drift import drift
from fcbench.workflows.golden_runs import GoldenRuns
from fcbench.workflows.judge_cases import judge_cases
from fcbench.workflows.project import find_project, load
from fcbench.workflows.seal_suite import seal_findings
from fcbench.workflows.workbench import uncomputed_findings


@dataclass(frozen=True)
class Checked:
    """Findings over what was checked."""

    findings: tuple[Finding, ...]
    summary: str

    @property
    def failed(self) -> bool:
        """Whether a finding is an error."""
        return bool(errors_of(self.findings))

    def text(self) -> str:
        """One line a finding, then the summary."""
        lines = [f"{found.severity}: {found}" for found in self.findings]
        return "\n".join([*lines, f"{self.summary}: {len(errors_of(self.findings))} errors, {len(lines)} findings"])

    def data(self) -> object:
        """As plain JSON values."""
        return {"summary": self.summary, "failed": self.failed, "findings": [to_plain(one) for one in self.findings]}


def check_registries(folder: Path | None) -> Checked:
    """Every gate for contracts, and the lock file."""
    root = find_project(folder).tools_registry
    registries = load_registries(root)
    found = [finding for registry in registries.values() for finding in lint(registry)]
    found += [finding for registry in registries.values() for finding in uncomputed_findings(registry)]
    try:
        found += check_lock(root, registries)
    except NotFoundError as error:
        found.append(Finding(rule="lock", message=f"{error.message}; {error.next_step}", file="registry.lock.json"))
    contracts = sum(len(registry.contracts) for registry in registries.values())
    return Checked(tuple(found), f"{contracts} contracts in {len(registries)} registries")


def lock_registries(folder: Path | None) -> tuple[Path, dict[str, str]]:
    """Write the lock file.

    Raises:
        UsageError: the project is the embedded default, where nothing is written.
    """
    project = find_project(folder)
    if project.embedded:
        raise UsageError("the embedded registry is not yours to lock", next_step="name a project with --project")
    registries = load_registries(project.tools_registry)
    path = write_lock(project.tools_registry, registries)
    return path, {name: registry.hash for name, registry in registries.items()}


def check_suites(folder: Path | None) -> Checked:
    """Every gate for cases, the golden run at every tier that applies, and every mutation of it.

    Golden runs are played on the workbench where it has what they need, and compared with what was recorded.
    """
    material = load(find_project(folder))
    runs = GoldenRuns(material)
    found = [*check(material.suites, material.registries), *drift(material, runs), *judge_cases(material, runs)]
    found += seal_findings(material)
    return Checked(tuple(found), f"{len(material.suites.cases)} cases in {len(material.suites.suites)} suites")
