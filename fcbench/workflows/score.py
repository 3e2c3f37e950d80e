"""Score packages: judge evidence, write a verdict file, list what flips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from fcbench.aggregate.verdict_changes import Flip, VerdictChanges, compare_verdicts
from fcbench.aggregate.verdict_files import (
    read_info,
    read_verdicts,
    verdict_file_name,
    verdict_files,
    verdict_records,
    write_verdicts,
)
from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import SCORABLE, CaseId, Digest, ToolName
from fcbench.core.records import Record
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError, NotFoundError, PackageError, SuiteError
from fcbench.evaluator import EVALUATOR_VERSION, applicable_tiers, judge
from fcbench.packages.integrity import checked_attempts, evidence_without_manifest, refuse_altered
from fcbench.packages.redacted import sealed_cases
from fcbench.packages.store import Package, find_packages, open_package


class Scored(Record, frozen=True, kw_only=True):
    """What scoring one package gave."""

    run_id: str
    path: Path
    verdicts: int
    changes: VerdictChanges = VerdictChanges()
    """Against the newest earlier verdict file of the package's own oracle; where another oracle judged, against what
    this evaluator says with the package's own. Empty where there was nothing to compare with."""
    compared_with: str | None = None
    """The name of that file, or `own oracle`; None where there was nothing to compare with."""

    @property
    def flips(self) -> tuple[Flip, ...]:
        """Every verdict that is another one than before, with its reason."""
        return self.changes.flips


def judge_package(package: Package, cases: Mapping[CaseId, Case] | None = None) -> Iterator[Verdict]:
    """Verdicts of this evaluator over a package, at every tier that its harness supports and the case allows.

    Args:
        package: the evidence; each record's digest is compared before it is judged.
        cases: oracles to judge with; the package's own without.

    Raises:
        PackageError: a record is not the one that the manifest lists.
    """
    known = package.cases if cases is None else cases
    harness = package.header.key.harness
    for attempt in checked_attempts(package):
        case = known.get(attempt.task_id)
        if case is None or case.commitment is not None or attempt.outcome not in SCORABLE:
            continue
        for tier in applicable_tiers(case, harness):
            yield judge(case, attempt, contracts_of(case.task, package.contracts), harness, tier)


def score(package: Package, cases: Mapping[CaseId, Case] | None = None) -> Scored:
    """Write the verdict file of this evaluator, with the package's own oracle or with today's.

    Args:
        package: a sealed package.
        cases: today's cases by id (`--oracle current`); those of other tasks are ignored.

    Raises:
        PackageError: the evidence is not what was sealed.
        SuiteError: today's suites lack a case of the package, ask another task under its id, or expect a tool whose
            contract the package does not hold.
        WriteError: the package's folder cannot be written.
    """
    refuse_altered(package)
    if cases is not None and sealed_cases(package):
        raise PackageError(
            "a redacted package cannot be judged with today's oracle",
            wanted="the full package",
            found=f"{len(sealed_cases(package))} sealed cases",
            where=str(package.folder),
            next_step="leave out `--oracle current`",
        )
    own = package.cases
    current = own if cases is None else _current(package, cases)
    verdicts = [*judge_package(package, current), *_of_sealed_cases(package)]
    name, before = _earlier(package) if cases is None else ("own oracle", list(judge_package(package)))
    changes = VerdictChanges() if name is None else compare_verdicts(before, verdicts)
    path = write_verdicts(
        package, verdicts, oracle_hash=_oracle_hash(package, current), evaluator_version=EVALUATOR_VERSION
    )
    return Scored(
        run_id=package.manifest.run_id, path=path, verdicts=len(verdicts), changes=changes, compared_with=name
    )


def _oracle_hash(package: Package, cases: Mapping[CaseId, Case]) -> Digest:
    # Of a redacted package the hash of the full one, whose verdicts it holds: the stand-ins have another.
    return package.header.oracle_hash if sealed_cases(package) else oracle_hash(cases.values())


def _of_sealed_cases(package: Package) -> Iterator[Verdict]:
    """The verdicts of sealed cases, which nobody can make anew, as they came with a redacted package.

    Raises:
        PackageError: they are of another evaluator.
    """
    sealed = sealed_cases(package)
    if not sealed:
        return
    path = package.folder / verdict_file_name(EVALUATOR_VERSION, package.header.oracle_hash)
    if not path.is_file() or not read_info(path).belongs_to(package):
        raise PackageError(
            "the sealed cases of this package cannot be judged by this evaluator",
            wanted=f"its verdicts of evaluator {EVALUATOR_VERSION}",
            found=", ".join(one.name for one in verdict_files(package)) or "no verdict file",
            where=str(package.folder),
            next_step="whoever holds the full package redacts it anew; the verdicts that are here stay as they are",
        )
    yield from (one for one in verdict_records(read_verdicts(path)[1]) if one.task_id in sealed)


def _earlier(package: Package) -> tuple[str | None, list[Verdict]]:
    """The newest verdict file of the package's own oracle that was there before, this evaluator's own included.

    A damaged one, or one under another name than its own, is passed over: scoring mends the first, and `fcbench verify`
    names both.
    """
    for path in reversed(verdict_files(package)):
        try:
            info = read_info(path)
            named = path.name == verdict_file_name(info.evaluator_version, package.header.oracle_hash)
            own = info.oracle_hash == package.header.oracle_hash and info.belongs_to(package)
            if named and own and info.evaluator_version <= EVALUATOR_VERSION:
                return path.name, list(verdict_records(read_verdicts(path)[1]))
        except (BadInputError, NotFoundError):
            continue
    return None, []


def _current(package: Package, cases: Mapping[CaseId, Case]) -> dict[CaseId, Case]:
    for case_id, case in package.cases.items():
        if case_id not in cases or task_hash([cases[case_id]]) != task_hash([case]):
            raise SuiteError(
                "today's suites do not hold this task",
                wanted="the same task under the same id",
                found="another task" if case_id in cases else "no such case",
                where=case_id,
                next_step="judge with the package's own oracle: leave out `--oracle current`",
            )
        lacking = sorted(_expected_tools(cases[case_id]) - contracts_of(case.task, package.contracts).keys())
        if lacking:
            raise SuiteError(
                "today's oracle expects a tool that this run did not know",
                wanted="only tools whose contract lies in the package's contracts.jsonl",
                found=", ".join(lacking),
                where=f"{case_id}, {package.folder}",
                next_step="run the case again with `fcbench run`, or judge with the package's own oracle: leave out "
                "`--oracle current`",
            )
    return {case_id: cases[case_id] for case_id in package.cases}


def _expected_tools(case: Case) -> set[ToolName]:
    return {step.tool for run in (case.oracle.calls, *case.oracle.alternatives) for step in run}


def open_all(root: Path) -> list[Package]:
    """Every sealed package below a folder, its files compared with their digests.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: it holds none; one of them does not open, or its evidence was altered or lacks its manifest.
    """
    return list(open_each(root))


def open_each(root: Path) -> Iterator[Package]:
    """The same, each package opened when it is asked for.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: it holds none; one of them does not open, or its evidence was altered or lacks its manifest.
    """
    stray = evidence_without_manifest(root)
    if stray:
        raise PackageError(
            "a folder holds evidence and no manifest",
            wanted="manifest.json beside cases.jsonl and attempts.jsonl",
            found=f"{len(stray)} such folders",
            where=str(stray[0]),
            next_step="take the package again from where it came, or move the folder away",
        )
    folders = find_packages(root)
    if not folders:
        raise PackageError(
            "there is no sealed package here",
            wanted="folders with manifest.json",
            found="none below this folder",
            where=str(root),
            next_step="make one with `fcbench run` or `fcbench quickstart`",
        )
    for folder in folders:
        yield refuse_altered(open_package(folder))
