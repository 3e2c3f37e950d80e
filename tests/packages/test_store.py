"""Packages: crash safety, sealing, resume and refusal."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fcbench.core.boards import RunKey
from fcbench.core.canonical import digest_text
from fcbench.core.evidence import Attempt
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import CaseId, RegistryHash
from fcbench.errors import NotFoundError, PackageError, WriteError
from fcbench.packages.integrity import file_problems
from fcbench.packages.manifest import Assistance, RunHeader
from fcbench.packages.run_directory import RunDirectory, create_run, end_run, find_sealed, find_unfinished
from fcbench.packages.store import Package, open_package
from fcbench.providers.base import ProviderInfo, Sampling
from tests.doubles import CONTRACTS, case

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CASES = [case(1), case(2)]


def header(run_id: str = "run-1", model: str = "m", repeats: int = 1) -> RunHeader:
    return RunHeader(
        run_id=run_id,
        purpose="board",
        created_at="2026-11-30T12:00:00.000Z",
        registry="test",
        key=RunKey(
            collection="test",
            task_hash=task_hash(CASES),
            registry_hash=RegistryHash(digest_text("r")),
            fixture_hash=digest_text("f"),
            prompt_hash=digest_text("p"),
            harness="contract",
            harness_mode="production-parity",
            retrieval="given",
            decoding="free",
        ),
        oracle_hash=oracle_hash(CASES),
        provider=ProviderInfo(provider="scripted", model=model, endpoint="none"),
        sampling=Sampling(),
        assistance=Assistance(step_count_disclosed=False, round_budget="10"),
        repeats=repeats,
        cases=tuple(one.id for one in CASES),
    )


def attempt(case_id: str, repeat: int = 1, try_number: int = 1, outcome: str = "completed") -> Attempt:
    return Attempt(
        task_id=CaseId(case_id),
        repeat=repeat,
        try_number=try_number,
        outcome=outcome,  # type: ignore[arg-type]
        started_at="2026-11-30T12:00:00.000Z",
        duration_s=1.0,
    )


def begin(root: Path, **parts: object) -> RunDirectory:
    return create_run(root / "run-1.partial", header(**parts), CASES, CONTRACTS.values(), "prompt")  # type: ignore[arg-type]


def seal(run: RunDirectory, *, allow_incomplete: bool = False) -> Path:
    return run.seal(NOW, repeats_done=1, deterministic=None, allow_incomplete=allow_incomplete).folder


def test_a_sealed_package_reads_back_and_is_intact(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-2"))
    run.journal.append(attempt("t-1"))
    package = open_package(seal(run))
    assert tuple(file_problems(package)) == ()
    assert [one.task_id for one in package.attempts()] == ["t-1", "t-2"], "in the order of the plan"
    assert list(package.cases) == ["t-1", "t-2"]
    assert set(package.contracts) == set(CONTRACTS)
    assert not (tmp_path / "run-1.partial").exists()
    assert sorted(path.name for path in package.folder.iterdir()) == [
        "attempts.jsonl",
        "cases.jsonl",
        "contracts.jsonl",
        "manifest.json",
        "prompt.txt",
    ]


def test_a_torn_last_line_is_cut_on_resume(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1"))
    run.close()
    journal = tmp_path / "run-1.partial" / "attempts.jsonl"
    whole = journal.read_bytes()
    for torn in (b"{", whole[:-1], b'{"task_id":"t-2","rep'):
        journal.write_bytes(whole + torn)
        again = begin(tmp_path)
        assert [one.task_id for one in again.attempts()] == ["t-1"]
        assert journal.read_bytes() == whole
        again.close()


def test_damage_before_the_last_line_is_no_crash_and_is_refused(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1"))
    run.close()
    journal = tmp_path / "run-1.partial" / "attempts.jsonl"
    journal.write_bytes(b"{damaged\n" + journal.read_bytes())
    with pytest.raises(PackageError, match="damaged") as caught:
        begin(tmp_path)
    assert caught.value.where is not None
    assert caught.value.where.endswith("attempts.jsonl:1")


def test_resume_refuses_another_model_and_names_what_differs(tmp_path: Path) -> None:
    begin(tmp_path).close()
    with pytest.raises(PackageError, match="another run") as caught:
        begin(tmp_path, model="other")
    assert caught.value.found == "different provider"


def test_a_run_under_way_is_found_by_equal_parameters_only(tmp_path: Path) -> None:
    begin(tmp_path).close()
    assert find_unfinished(tmp_path, header(run_id="another-id")) == tmp_path / "run-1.partial"
    assert find_unfinished(tmp_path, header(repeats=3)) is None


class Killed(BaseException):
    """What a signal does to the command, in a test."""


def killed_after_sealing(root: Path) -> Path:
    """A package whose command was killed when it was sealed and not yet told of."""

    def die(package: Package) -> None:
        raise Killed

    run = begin(root)
    with pytest.raises(Killed):
        run.seal(NOW, repeats_done=1, deterministic=None, allow_incomplete=True, then=die)
    run.close()
    return root / "run-1"


def test_a_run_that_was_killed_after_sealing_is_found_and_brought_to_its_end(tmp_path: Path) -> None:
    folder = killed_after_sealing(tmp_path)
    assert find_unfinished(tmp_path, header(run_id="another-id")) == folder
    assert find_unfinished(tmp_path, header(model="other")) is None
    judged: list[Path] = []
    assert end_run(folder, lambda package: judged.append(package.folder)).folder == folder
    assert judged == [folder]
    assert find_unfinished(tmp_path, header(run_id="another-id")) is None, "the next command makes a new run"
    assert {"run.json", "run.lock"}.isdisjoint(path.name for path in folder.iterdir())


def test_a_run_that_ended_is_not_gone_on_with(tmp_path: Path) -> None:
    seal(begin(tmp_path), allow_incomplete=True)
    assert find_unfinished(tmp_path, header()) is None


def test_while_a_command_judges_what_it_sealed_another_is_refused(tmp_path: Path) -> None:
    refused: list[str] = []

    def meanwhile(package: Package) -> None:
        found = find_unfinished(tmp_path, header(run_id="another-id"))
        assert found == package.folder
        with pytest.raises(WriteError, match="another process") as caught:
            end_run(found)
        refused.append(caught.value.message)

    begin(tmp_path).seal(NOW, repeats_done=1, deterministic=None, allow_incomplete=True, then=meanwhile)
    assert len(refused) == 1


def test_a_header_without_a_package_or_a_run_is_none_to_go_on_with(tmp_path: Path) -> None:
    folder = killed_after_sealing(tmp_path)
    (folder / "manifest.json").unlink()
    assert find_unfinished(tmp_path, header()) is None


def test_the_log_is_beside_the_evidence_and_not_sealed(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.log(NOW, "first\nline \ud800")
    package = open_package(seal(run, allow_incomplete=True))
    assert (package.folder / "run.log").read_text() == "2026-11-30T12:00:00.000Z first line \ufffd\n"
    assert "run.log" not in package.manifest.files


def test_two_processes_cannot_hold_one_run(tmp_path: Path) -> None:
    run = begin(tmp_path)
    with pytest.raises(WriteError, match="another process"):
        begin(tmp_path)
    run.close()


def test_an_incomplete_run_does_not_seal_unless_asked(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1"))
    run.journal.append(attempt("t-2", outcome="provider_error"))
    with pytest.raises(PackageError, match="incomplete"):
        seal(run)
    package = open_package(seal(run, allow_incomplete=True))
    assert package.manifest.complete is False
    assert package.manifest.counts == {"completed": 1, "provider_error": 1}


def test_the_last_try_counts_and_the_earlier_one_is_kept(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1", outcome="provider_error"))
    run.journal.append(attempt("t-1", try_number=2))
    run.journal.append(attempt("t-2"))
    package = open_package(seal(run))
    assert [(one.task_id, one.try_number) for one in package.attempts()] == [("t-1", 2), ("t-2", 1)]
    assert len(package.manifest.attempts) == 3


@pytest.mark.parametrize("name", ["attempts.jsonl", "cases.jsonl", "contracts.jsonl", "prompt.txt"])
def test_an_altered_or_missing_file_is_named(tmp_path: Path, name: str) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1"))
    run.journal.append(attempt("t-2"))
    folder = seal(run)
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert any(problem.startswith(name) for problem in file_problems(open_package(folder)))
    path.unlink()
    assert any(problem.startswith(name) for problem in file_problems(open_package(folder)))


def test_a_package_from_the_future_is_refused_by_name(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1"))
    folder = seal(run, allow_incomplete=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["format_version"] = 99
    manifest["unknown_part"] = "of a later time"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(PackageError, match="another format") as caught:
        open_package(folder)
    assert caught.value.found == "format version 99"


def test_a_torn_manifest_is_refused(tmp_path: Path) -> None:
    run = begin(tmp_path)
    folder = seal(run, allow_incomplete=True)
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(PackageError, match="torn or damaged"):
        open_package(folder)


def test_a_run_under_way_is_no_package(tmp_path: Path) -> None:
    begin(tmp_path).close()
    with pytest.raises(PackageError, match="not sealed"):
        open_package(tmp_path / "run-1.partial")
    with pytest.raises(NotFoundError):
        open_package(tmp_path)


def test_an_id_that_another_run_took_is_refused_and_the_same_run_is_found(tmp_path: Path) -> None:
    run = begin(tmp_path)
    folder = seal(run, allow_incomplete=True)
    found = find_sealed(folder, header())
    assert found is not None
    with pytest.raises(PackageError, match="taken"):
        find_sealed(folder, header(model="other"))


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Root may write everywhere: for the time of a test it is nobody."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield
    if is_root:
        os.seteuid(0)


def test_a_folder_without_permission_gives_one_clear_error(tmp_path: Path, unprivileged: None) -> None:
    if os.geteuid() != 65534:
        tmp_path.chmod(0o500)
    with pytest.raises(WriteError, match="cannot be written") as caught:
        begin(tmp_path / "runs")
    assert caught.value.found == "Permission denied"
    assert caught.value.next_step is not None
    with pytest.raises(WriteError, match="cannot be written"):
        find_sealed(tmp_path / "runs" / "run-1", header())


def test_a_file_in_the_place_of_the_folder_gives_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(WriteError) as caught:
        create_run(tmp_path / "runs" / "x.partial", header(), CASES, CONTRACTS.values(), "prompt")
    assert caught.value.exit_code == 73


def test_every_manifest_and_header_says_its_format_version(tmp_path: Path) -> None:
    run = begin(tmp_path)
    assert json.loads((run.folder / "run.json").read_text())["format_version"] == 1
    folder = seal(run, allow_incomplete=True)
    assert json.loads((folder / "manifest.json").read_text())["format_version"] == 1


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no file size limit here")
def test_a_full_disk_takes_the_line_back_and_the_run_goes_on(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.journal.append(attempt("t-1"))
    whole = run.journal.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, hard))
        with pytest.raises(WriteError):
            run.journal.append(attempt("t-2"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    run.close()
    assert run.journal.path.read_bytes() == whole
    again = begin(tmp_path)
    again.journal.append(attempt("t-2"))
    assert open_package(seal(again)).manifest.complete


def test_a_broken_run_of_somebody_else_blocks_no_new_one(tmp_path: Path) -> None:
    begin(tmp_path).close()
    other = tmp_path / "zzz.partial"
    other.mkdir()
    (other / "run.json").write_text('{"format_version": 99}')
    assert find_unfinished(tmp_path, header()) == tmp_path / "run-1.partial"


def test_a_taken_place_is_noticed_before_the_first_request(tmp_path: Path) -> None:
    (tmp_path / "run-1").mkdir()
    with pytest.raises(WriteError, match="taken"):
        begin(tmp_path)


def test_a_manifest_without_a_format_version_is_one_of_version_one(tmp_path: Path) -> None:
    folder = seal(begin(tmp_path), allow_incomplete=True)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["format_version"]
    path.write_text(json.dumps(manifest))
    assert open_package(folder).manifest.format_version == 1
