"""A log of Inspect as a package of purpose `imported`: judged by this evaluator, and never ranked.

Its samples are matched to cases by their id, and each must have asked what the case asks. The tools of a log are not
ours, so the evidence is that of the contract harness, whatever the log says of its own scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import CaseId, JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.errors import BadInputError, UsageError
from fcbench.harnesses.clock import Clock, SystemClock
from fcbench.packages.store import Package
from fcbench.providers.base import ProviderInfo, Sampling
from fcbench.suites.model import nearest
from fcbench.workflows.header import Prepared
from fcbench.workflows.imported import write_imported
from fcbench.workflows.inspect_attempts import Sample, attempt_of, first_words, offered_in
from fcbench.workflows.inspect_files import InspectFile, read_log
from fcbench.workflows.planning import RunRequest, check_run_id, prepare
from fcbench.workflows.project import Material, find_project, load

MAX_EPOCHS = 100


class InspectRequest(Record, frozen=True, kw_only=True):
    """What to import."""

    file: Path
    """A `.eval` or `.json` log."""
    project: Path | None = None
    """Whose cases were run; the current or embedded project without."""
    target: str | None = None
    """A collection, `collection/subset` or suite; what the log names without."""
    run_id: str | None = None


class ImportedLog(Record, frozen=True, kw_only=True):
    """What an import gave."""

    run_id: str
    folder: str
    target: str
    attempts: int
    unknown: int
    """Samples of other cases than those of the target."""
    missing: int
    """Planned attempts without a sample: the package is incomplete."""
    errors: int
    """Samples that ended in an error of their own, which are not judged."""


def import_inspect_log(
    request: InspectRequest, runs: Path, *, material: Material | None = None, clock: Clock | None = None
) -> tuple[ImportedLog, Package]:
    """Read a log, write the package and seal it; it is not judged yet.

    Args:
        request: what to import.
        runs: the folder of packages.
        material: the project, where it is loaded already.
        clock: the machine's clock unless given.

    Raises:
        NotFoundError: the log cannot be read.
        BadInputError: it is no log; a sample comes twice, or asks or offers something else than its case; none is
            of the target.
        UsageError: the target, the project or the run id is none.
        UnavailableError: the log needs Zstandard, and nothing here can read it.
        WriteError: the folder cannot be written.
    """
    check_run_id(request.run_id)
    log = read_log(request.file)
    material, moment = material or load(find_project(request.project)), clock or SystemClock()
    target = request.target or _named(log, material)
    samples, unknown = _samples(log, {case.id: case for case in material.suites.case_set(target)}, request.file)
    if not samples:
        raise BadInputError(
            "no sample is of a case of the target",
            wanted=f"samples whose ids are those of cases of {target}",
            found=f"{unknown} samples of other ids",
            where=str(request.file),
            next_step="name the target with --target, and the project with --project",
        )
    prepared = prepare(material, _asked(log, target, max(one.epoch for one in samples)))
    attempts = list(_attempts(samples, prepared))
    package = write_imported(prepared, _info(log), attempts, runs, moment, request.run_id)
    report = ImportedLog(
        run_id=package.manifest.run_id,
        folder=str(package.folder),
        target=target,
        attempts=len(attempts),
        unknown=unknown,
        missing=len(prepared.plan.cases) * prepared.plan.repeats - len(attempts),
        errors=sum(one.error is not None for one in attempts),
    )
    return report, package


def _named(log: InspectFile, material: Material) -> str:
    """The target that a log names: the board of our own export, or a task called as a collection or suite."""
    board = _dict(_dict(log.spec.get("metadata")).get("board"))
    names = [str(one) for one in (board.get("collection"), log.spec.get("task")) if one]
    known = [*material.suites.collections, *material.suites.suites]
    for name in names:
        if name.partition("/")[0] in known:
            return name
    raise UsageError(
        "the log does not say of which cases it is",
        wanted="--target: a collection, collection/subset or suite",
        found=f"the task {names[-1][:80]!r}" if names else "a log without a task",
        next_step=nearest(names[-1][:80], known) if names else None,
    )


def _samples(log: InspectFile, cases: dict[CaseId, Case], file: Path) -> tuple[list[Sample], int]:
    found: dict[tuple[CaseId, int], Sample] = {}
    unknown = 0
    for plain in log.samples:
        name, epoch = str(plain.get("id")), plain.get("epoch", 1)
        where = f"{file.name}, sample {name[:80]}, epoch {str(epoch)[:20]}"
        case = cases.get(CaseId(name))
        if case is None:
            unknown += 1
            continue
        if not isinstance(epoch, int) or isinstance(epoch, bool) or not 1 <= epoch <= MAX_EPOCHS:
            raise BadInputError("the epoch is none", wanted=f"1 to {MAX_EPOCHS}", found=str(epoch)[:40], where=where)
        if (case.id, epoch) in found:
            raise BadInputError("a sample comes twice", wanted="one for each id and epoch", where=where)
        _check_words(case, plain, where)
        found[(case.id, epoch)] = Sample(case, epoch, plain)
    return list(found.values()), unknown


def _check_words(case: Case, plain: JsonObject, where: str) -> None:
    """A sample that asked something else is no attempt at the case, however it is called."""
    wanted, said = " ".join(case.task.instruction.split()), first_words(plain)
    if wanted not in said:
        raise BadInputError(
            "the sample does not ask what the case of its id asks",
            wanted=f"the instruction of {case.id}, word for word: {wanted[:120]!r}",
            found=repr(said[:120]),
            where=where,
            next_step="import it against the version of the suite that was run",
        )


def _asked(log: InspectFile, target: str, repeats: int) -> RunRequest:
    config = _dict(log.spec.get("model_generate_config"))
    seed, temperature, limit = (config.get(name) for name in ("seed", "temperature", "max_tokens"))
    # Our own logs say how tools were chosen; for others it is as the collection says.
    retrieval = _dict(_dict(log.spec.get("metadata")).get("board")).get("retrieval")
    return RunRequest(
        target=target,
        model=f"imported:{_model(log)}",
        harness="contract",
        retrieval=retrieval if isinstance(retrieval, str) else None,
        repeats=repeats,
        sampling=Sampling(
            seed=seed if isinstance(seed, int) and not isinstance(seed, bool) else None,
            temperature=float(temperature) if isinstance(temperature, int | float) and 0 <= temperature <= 10 else 0.0,
            max_output_tokens=limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else 1024,
        ),
    )


def _info(log: InspectFile) -> ProviderInfo:
    config = _dict(log.spec.get("model_generate_config"))
    version = _dict(log.spec.get("packages")).get("inspect_ai")
    said = {
        "source": "a log of Inspect",
        "source sha256": log.sha256,
        "inspect_ai": str(version)[:40] if version else "not said",
        "temperature": "as said" if config.get("temperature") is not None else "not said",
    }
    return ProviderInfo(provider="inspect-log", model=_model(log), endpoint="none", attributes=said)


def _model(log: InspectFile) -> str:
    return str(log.spec.get("model") or "unknown")[:200]


def _attempts(samples: list[Sample], prepared: Prepared) -> Iterator[Attempt]:
    planned = prepared.plan.candidates
    for sample in samples:
        if sample.case.id in planned:
            known = contracts_of(sample.case.task, prepared.registry.contracts)
            _check_offer(sample, planned[sample.case.id])
            yield attempt_of(sample, known, planned[sample.case.id])


def _check_offer(sample: Sample, planned: Sequence[Candidate]) -> None:
    """A sample that offered other tools than the case is another task too."""
    wanted, found = {str(one.name) for one in planned}, offered_in(sample.plain)
    if found is not None and found != wanted:
        missing, more = sorted(wanted - found), sorted(found - wanted)
        raise BadInputError(
            "the sample offered other tools than its case",
            wanted=f"{len(wanted)} tools, among them {missing[0]}" if missing else f"{len(wanted)} tools",
            found=f"{len(found)} tools, among them {more[0][:80]}" if more else f"{len(found)} tools",
            where=f"sample {sample.case.id}, epoch {sample.epoch}",
            next_step="offer what the dataset's `tasks` list; a list of an older ranking cannot be imported",
        )


def _dict(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}
