"""The redacted form of a package: of held-out cases it holds commitments, outcomes and verdicts, and nothing else.

The other cases stay as they are. Every record keeps the SHA-256 that it has in the full package, so that the full one,
once it is published, can be held against what was shown before.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.canonical import digest_bytes
from fcbench.core.cases import Case, Labels, Oracle, Task
from fcbench.core.contracts import ToolContract, contract_digest, contracts_of
from fcbench.core.evidence import Attempt, AttemptError
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import encode_line
from fcbench.errors import PackageError
from fcbench.packages.files import digest_file, is_there, sync_folder, write_error, write_whole
from fcbench.packages.integrity import checked_records, refuse_altered, sealed_names
from fcbench.packages.manifest import REDACTED_FORMAT, AttemptEntry, Manifest, Redaction
from fcbench.packages.run_directory import pretty
from fcbench.packages.store import MANIFEST, Package, open_package
from fcbench.suites.commitments import Commitment, keeps

SEALED = "sealed"
"""Stands where a redacted record has a text."""


def write_redacted(package: Package, commitments: Mapping[CaseId, Commitment], target: Path) -> Package:
    """Write the redacted form of a package, without verdicts.

    Args:
        package: the full one.
        commitments: of its held-out cases, with their salts.
        target: a folder that does not exist yet.

    Raises:
        PackageError: it was altered, holds no held-out case, or one that no commitment fits.
        WriteError: the folder cannot be written or exists.
    """
    refuse_altered(package)
    stubs = _stubs(package, commitments)
    if is_there(target):
        raise write_error(target, FileExistsError(17, "it exists already"))
    scratch = target.with_name(f".{target.name}.tmp")
    try:
        scratch.mkdir(parents=True)
        _write(package, stubs, scratch)
        scratch.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise write_error(target, error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return open_package(target)


def _stubs(package: Package, commitments: Mapping[CaseId, Commitment]) -> dict[CaseId, Case]:
    secret = [case for case in package.cases.values() if case.is_secret]
    if not secret:
        raise PackageError(
            "there is nothing to redact",
            wanted="a package with held-out cases in the clear",
            found="no such case",
            where=str(package.folder),
            next_step="publish it as it is",
        )
    families: dict[str, str] = {}
    found: dict[CaseId, Case] = {}
    for case in secret:
        where = f"{package.folder}, case {case.id}"
        commitment = commitments.get(case.id)
        if commitment is None or not keeps(case, commitment, where=where):
            raise PackageError(
                "no commitment fits a held-out case of this package",
                wanted="the secret file that was written when the case was sealed",
                found="a commitment to another case" if commitment else "no commitment to it",
                where=where,
                next_step="name that file with --secrets; seal cases before they are run",
            )
        name = case.oracle.labels.family
        family = families.setdefault(name, f"{SEALED}-{len(families) + 1}") if name else None
        found[case.id] = stub_case(case, commitment.commitment, family)
    return found


def stub_case(case: Case, commitment: Digest, family: str | None) -> Case:
    """What stands for a held-out case: enough to count it, nothing of what it asks or expects.

    The decision stays, since cases with and without calls are two columns; the family is a number, since intervals need
    to know which cases belong together.
    """
    task = Task(
        id=case.id,
        instruction=f"This case is sealed. Commitment: {commitment}",
        language=case.task.language,
        registry=case.task.registry,
        single_call=case.task.single_call,
    )
    oracle = Oracle(
        decision=case.oracle.decision,
        call_only=case.oracle.call_only,
        rationale="This case is sealed.",
        labels=Labels(category=SEALED, family=family),
    )
    return Case(
        suite=case.suite, task=task, oracle=oracle, harnesses=case.harnesses, held_out=True, commitment=commitment
    )


def stub_attempt(attempt: Attempt) -> Attempt:
    """What stands for an attempt at a held-out case: how it ended and how long it took."""
    error = attempt.error
    return Attempt(
        task_id=attempt.task_id,
        repeat=attempt.repeat,
        try_number=attempt.try_number,
        outcome=attempt.outcome,
        started_at=attempt.started_at,
        duration_s=attempt.duration_s,
        retries=attempt.retries,
        stop=SEALED,
        error=AttemptError(kind=error.kind, message=SEALED, status=error.status) if error else None,
    )


def _write(package: Package, stubs: Mapping[CaseId, Case], folder: Path) -> None:
    manifest = package.manifest
    cases = (stubs.get(case.id, case) for case in package.cases.values())
    write_whole(folder / "cases.jsonl", b"".join(map(encode_line, cases)))
    kept = sorted(_contracts(package, stubs), key=contract_digest)
    write_whole(folder / "contracts.jsonl", b"".join(map(encode_line, kept)))
    entries: list[AttemptEntry] = []
    write_whole(folder / "attempts.jsonl", _attempts(package, stubs, entries))
    for name in sealed_names(manifest):
        if not (folder / name).exists():
            write_whole(folder / name, (package.folder / name).read_bytes())
    redacted = replace(
        manifest,
        format_version=REDACTED_FORMAT,
        header=replace(manifest.header, format_version=REDACTED_FORMAT),
        files={name: digest_file(folder / name) for name in sealed_names(manifest)},
        attempts=tuple(entries),
        redaction=Redaction(cases=len(stubs), manifest_sha256=digest_file(package.folder / MANIFEST)),
    )
    write_whole(folder / MANIFEST, pretty(redacted))


def _attempts(package: Package, stubs: Mapping[CaseId, Case], entries: list[AttemptEntry]) -> Iterator[bytes]:
    records = zip(checked_records(package), package.raw_attempts(), strict=True)
    for (entry, attempt), line in records:
        if attempt.task_id not in stubs:
            entries.append(entry)
            yield line + b"\n"
            continue
        stub = encode_line(stub_attempt(attempt))
        entries.append(replace(entry, redacted_sha256=digest_bytes(stub.removesuffix(b"\n"))))
        yield stub


def _contracts(package: Package, stubs: Mapping[CaseId, Case]) -> list[ToolContract]:
    """The contracts that open cases name or were offered: which others the run knew would tell of the sealed ones."""
    offered: dict[CaseId, set[str]] = {}
    for attempt in package.attempts():
        offered.setdefault(attempt.task_id, set()).update(one.name for one in attempt.candidates)
    used: dict[Digest, ToolContract] = {}
    for case in package.cases.values():
        if case.id in stubs:
            continue
        known = contracts_of(case.task, package.contracts)
        runs = (case.oracle.calls, *case.oracle.alternatives)
        names = {*case.task.tools, *(step.tool for steps in runs for step in steps), *offered.get(case.id, ())}
        for name in tuple(names):
            if name in known:
                names.update(one.tool for one in known[name].equivalents)
                names.update(known[name].follow_ups)
        used.update((contract_digest(known[name]), known[name]) for name in names if name in known)
    return list(used.values())


def sealed_cases(package: Package) -> dict[CaseId, Digest]:
    """The cases of a redacted package that stand there by commitment only, with their commitments."""
    return {case.id: case.commitment for case in package.cases.values() if case.commitment is not None}


def is_redacted(manifest: Manifest) -> bool:
    """Whether a package is the redacted form of another."""
    return manifest.redaction is not None


__all__ = ["SEALED", "is_redacted", "sealed_cases", "stub_attempt", "stub_case", "write_redacted"]
