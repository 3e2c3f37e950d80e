"""Recording what golden runs give on the real tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.findings import Finding, sorted_findings
from fcbench.core.names import CaseId, JsonObject
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError, UsageError
from fcbench.suites.golden import ABOUT, FORMAT, GoldenEntry, GoldenFile, is_played, write_golden
from fcbench.suites.model import nearest
from fcbench.workbench.engines import TOLERANT
from fcbench.workflows.golden_runs import GoldenRuns, StumbledError, case_finding, run_name, runs_of
from fcbench.workflows.project import Material, find_project, load


@dataclass(frozen=True, kw_only=True)
class RecordedSuite:
    """One file that was written."""

    suite: str
    path: Path
    cases: int
    runs: int
    changed: int
    """Cases whose entry is new or other than before."""

    def line(self) -> str:
        """One line for a terminal."""
        return f"written {self.path}: {self.cases} cases, {self.runs} runs, {self.changed} changed"


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What was recorded; nothing is written where a finding stands."""

    findings: tuple[Finding, ...]
    suites: tuple[RecordedSuite, ...]

    @property
    def failed(self) -> bool:
        """Whether nothing was written."""
        return bool(self.findings)

    def text(self) -> str:
        """One line a finding, or one line a file."""
        if self.findings:
            return "\n".join([*(f"error: {one}" for one in self.findings), "nothing was written"])
        return "\n".join(one.line() for one in self.suites) or "no case is played on the workbench"

    def data(self) -> JsonObject:
        """As plain JSON values."""
        files: list[JsonObject] = [
            {"suite": one.suite, "path": str(one.path), "cases": one.cases, "runs": one.runs, "changed": one.changed}
            for one in self.suites
        ]
        return {"failed": self.failed, "findings": [to_plain(one) for one in self.findings], "written": [*files]}


def record_suites(folder: Path | None, names: Iterable[str] = ()) -> Recording:
    """Play the golden runs of suites and write what they give; all of them or nothing.

    Args:
        folder: the project.
        names: suites; without any, all that have a case for the workbench.

    Raises:
        UsageError: the project is the embedded default, where nothing is written.
        NotFoundError: there is no such suite.
        WriteError: a file cannot be written.
    """
    project = find_project(folder)
    if project.embedded:
        raise UsageError("the embedded suites are not yours to record", next_step="name a project with --project")
    material = load(project)
    runs = GoldenRuns(material)
    findings: list[Finding] = []
    files: dict[str, GoldenFile] = {}
    for name in _chosen(material, names):
        entries: dict[CaseId, GoldenEntry] = {}
        for case in filter(is_played, material.suites.of_suite(name)):
            try:
                entries[case.id] = _entry(runs, case)
            except _UnfitError as error:
                findings.append(case_finding(material, case, error.rule, error.message))
        files[name] = GoldenFile(format=FORMAT, about=ABOUT, without_results=tuple(sorted(TOLERANT)), cases=entries)
    if findings:
        return Recording(findings=sorted_findings(findings), suites=())
    return Recording(findings=(), suites=tuple(_written(material, name, file) for name, file in files.items()))


class _UnfitError(Exception):
    """A case that cannot be recorded."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


def _chosen(material: Material, names: Iterable[str]) -> list[str]:
    wanted = sorted(set(names))
    for name in wanted:
        if name not in material.suites.suites:
            raise NotFoundError(
                "there is no suite of this name",
                wanted=", ".join(material.suites.suites),
                found=name,
                next_step=nearest(name, material.suites.suites),
            )
    return wanted or [name for name in material.suites.suites if any(map(is_played, material.suites.of_suite(name)))]


def _entry(runs: GoldenRuns, case: Case) -> GoldenEntry:
    played = []
    for run in range(len(runs_of(case))):
        try:
            played.append(runs.play(case, run))
        except StumbledError as error:
            where = f"{run_name(run)}, step {error.step}"
            raise _UnfitError("golden-run", f"{where}: {error.code}: {error.message}") from error
    for run, other in enumerate(played[1:], 1):
        parts = _other_parts(played[0].end_state, other.end_state, _effects(runs, case))
        if parts:
            message = f"{run_name(run)} leaves another end state than the golden run: {', '.join(parts)}"
            raise _UnfitError("golden-end-state", message)
    return GoldenEntry(
        end_state=played[0].end_state,
        results=played[0].digests,
        alternatives=tuple(one.digests for one in played[1:]),
        engines=tuple(sorted(frozenset[str]().union(*(one.engines for one in played)))),
    )


def _effects(runs: GoldenRuns, case: Case) -> set[str]:
    contracts = contracts_of(case.task, runs.material.registries[case.task.registry].contracts)
    return {contracts[step.tool].effect for run in runs_of(case) for step in run}


def _other_parts(one: JsonObject, other: JsonObject, effects: set[str]) -> list[str]:
    """Parts that differ, of those that a verdict compares: view and session only where a tool changes them."""
    return [
        part
        for part in dict.fromkeys((*one, *other))
        if (part not in ("view", "session") or part in effects)
        and not (part in one and part in other and json_equal(one[part], other[part]))
    ]


def _written(material: Material, name: str, file: GoldenFile) -> RecordedSuite:
    before = material.suites.golden.get(name)
    known = before.cases if before else {}
    path = write_golden(material.project.suites / name, file)
    return RecordedSuite(
        suite=name,
        path=path,
        cases=len(file.cases),
        runs=sum(1 + len(entry.alternatives) for entry in file.cases.values()),
        changed=sum(known.get(case) != entry for case, entry in file.cases.items()),
    )
