"""Score packages, and verify them from themselves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from fcbench.aggregate.verdict_files import read_verdicts, verdict_files, verdict_records, write_verdicts
from fcbench.core.cases import Case
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import SCORABLE, CaseId, Digest
from fcbench.core.records import Record
from fcbench.core.verdicts import Verdict
from fcbench.errors import FcbenchError, PackageError, SuiteError
from fcbench.evaluator import EVALUATOR_VERSION, applicable_tiers, judge
from fcbench.packages.store import Package, find_packages, open_package

VerdictKey = tuple[str, int, str]


class Flip(Record, frozen=True, kw_only=True):
    """An attempt whose verdict is another one than before."""

    task_id: CaseId
    repeat: int
    tier: str
    before: bool
    after: bool


class Scored(Record, frozen=True, kw_only=True):
    """What scoring one package gave."""

    run_id: str
    path: Path
    verdicts: int
    flips: tuple[Flip, ...] = ()
    """Against the package's own oracle, where another one judged."""


class Verified(Record, frozen=True, kw_only=True):
    """What verifying one package found."""

    folder: Path
    run_id: str
    attempts: int = 0
    verdicts: int = 0
    """Verdicts that were recomputed and compared."""
    verdict_files: int = 0
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def judge_package(package: Package, cases: Mapping[CaseId, Case] | None = None) -> Iterator[Verdict]:
    """Verdicts of this evaluator over a package, at every tier that its harness supports and the case allows.

    Args:
        package: the evidence.
        cases: oracles to judge with; the package's own without.
    """
    known = package.cases if cases is None else cases
    harness = package.header.key.harness
    for attempt in package.attempts():
        case = known.get(attempt.task_id)
        if case is None or attempt.outcome not in SCORABLE:
            continue
        for tier in applicable_tiers(case, harness):
            yield judge(case, attempt, package.contracts, harness, tier)


def score(package: Package, cases: Mapping[CaseId, Case] | None = None) -> Scored:
    """Write the verdict file of this evaluator, with the package's own oracle or with today's.

    Args:
        package: a sealed package.
        cases: today's cases by id (`--oracle current`); those of other tasks are ignored.

    Raises:
        SuiteError: today's suites lack a case of the package, or ask another task under its id.
        WriteError: the package's folder cannot be written.
    """
    own = package.cases
    current = own if cases is None else _current(own, cases)
    verdicts = list(judge_package(package, current))
    path = write_verdicts(
        package, verdicts, oracle_hash=oracle_hash(current.values()), evaluator_version=EVALUATOR_VERSION
    )
    flips = () if cases is None else tuple(_flips(list(judge_package(package)), verdicts))
    return Scored(run_id=package.manifest.run_id, path=path, verdicts=len(verdicts), flips=flips)


def _current(own: Mapping[CaseId, Case], cases: Mapping[CaseId, Case]) -> dict[CaseId, Case]:
    for case_id, case in own.items():
        if case_id not in cases or task_hash([cases[case_id]]) != task_hash([case]):
            raise SuiteError(
                "today's suites do not hold this task",
                wanted="the same task under the same id",
                found="another task" if case_id in cases else "no such case",
                where=case_id,
                next_step="judge with the package's own oracle: leave out `--oracle current`",
            )
    return {case_id: cases[case_id] for case_id in own}


def _flips(before: list[Verdict], after: list[Verdict]) -> Iterator[Flip]:
    old = {_key(verdict): verdict for verdict in before}
    for verdict in after:
        earlier = old.get(_key(verdict))
        if earlier is not None and earlier.passed != verdict.passed:
            yield Flip(
                task_id=verdict.task_id,
                repeat=verdict.repeat,
                tier=verdict.tier,
                before=earlier.passed,
                after=verdict.passed,
            )


def _key(verdict: Verdict) -> VerdictKey:
    return verdict.task_id, verdict.repeat, verdict.tier


def verify_all(root: Path) -> list[Verified]:
    """Verify every sealed package below a folder. A package that does not open is a finding, not an exception.

    Raises:
        NotFoundError: the folder does not exist.
    """
    return [verify(folder) for folder in find_packages(root)]


def verify(folder: Path) -> Verified:
    """Verify one package from itself alone: digests, hashes, and every verdict recomputed."""
    try:
        package = open_package(folder)
        problems = [*package.check_digests()]
        if problems:
            return Verified(folder=folder, run_id=package.manifest.run_id, problems=tuple(problems))
        return _verify_content(package)
    except FcbenchError as error:
        return Verified(folder=folder, run_id=folder.name, problems=(str(error),))


def _verify_content(package: Package) -> Verified:
    problems = [*_wrong_hashes(package)]
    recomputed = {_key(verdict): verdict for verdict in judge_package(package)}
    compared, files, notes = 0, 0, []
    own = oracle_hash(package.cases.values())
    for path in verdict_files(package):
        info, frame = read_verdicts(path)
        if not info.belongs_to(package):
            problems.append(f"{path.name}: judges other evidence than this package's")
        elif (info.oracle_hash, info.evaluator_version) != (own, EVALUATOR_VERSION):
            notes.append(f"{path.name}: of another oracle or evaluator version, not recomputed here")
        else:
            files += 1
            compared += info.rows
            problems += _differences(path.name, {_key(one): one for one in verdict_records(frame)}, recomputed)
    return Verified(
        folder=package.folder,
        run_id=package.manifest.run_id,
        attempts=len(package.manifest.attempts),
        verdicts=compared,
        verdict_files=files,
        problems=tuple(problems),
        notes=tuple(notes),
    )


def _wrong_hashes(package: Package) -> Iterator[str]:
    header, cases = package.header, package.cases
    if tuple(cases) != header.cases:
        yield "cases.jsonl: holds other cases than the manifest lists"
    expected: tuple[tuple[str, Digest, Digest], ...] = (
        ("task hash", header.key.task_hash, task_hash(cases.values())),
        ("oracle hash", header.oracle_hash, oracle_hash(cases.values())),
    )
    for name, wanted, found in expected:
        if wanted != found:
            yield f"{name}: wanted {wanted[:12]}, found {found[:12]}"
    for attempt in package.attempts():
        unknown = [one.name for one in attempt.candidates if one.name not in package.contracts]
        if unknown:
            yield f"{attempt.task_id}: was offered {unknown[0]}, which contracts.jsonl does not hold"


def _differences(
    name: str, stored: Mapping[VerdictKey, Verdict], recomputed: Mapping[VerdictKey, Verdict]
) -> Iterator[str]:
    for key in sorted(stored.keys() | recomputed.keys()):
        if stored.get(key) != recomputed.get(key):
            yield f"{name}: the verdict of {key[0]}, repeat {key[1]}, {key[2]} is not what recomputing gives"


def open_all(root: Path) -> list[Package]:
    """Every sealed package below a folder.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: it holds none, or one of them does not open.
    """
    folders = find_packages(root)
    if not folders:
        raise PackageError(
            "there is no sealed package here",
            where=str(root),
            next_step="make one with `fcbench run` or `fcbench quickstart`",
        )
    return [open_package(folder) for folder in folders]
