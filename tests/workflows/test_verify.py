"""One tampering a test: each must be found, also where the forger recomputes every digest that he can."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from fcbench.aggregate.verdict_files import read_info, read_verdicts, verdict_files, verdict_records, write_verdicts
from fcbench.cli.main import main
from fcbench.core.canonical import digest, digest_bytes
from fcbench.core.records import to_plain
from fcbench.errors import PackageError, SuiteError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.header_facts import prompt_texts
from fcbench.packages.store import find_packages, open_package
from fcbench.workflows.boards import scored, scored_below
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify, verify_all

V1 = Path(__file__).parents[1] / "golden" / "packages" / "v1"
HASH = "7252ac108e0c"
Record = dict[str, Any]
Tamper = Callable[[Path], None]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A copy of the golden package, scored by today's evaluator."""
    shutil.copytree(V1, tmp_path / "runs")
    folder = package_of(tmp_path / "runs")
    for path in folder.glob("verdicts-*"):
        path.unlink()
    score(open_package(folder))
    return tmp_path / "runs"


def package_of(runs: Path) -> Path:
    return runs / HASH / "golden-v1"


def edit_manifest(folder: Path, edit: Callable[[Record], object]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    edit(manifest)
    path.write_bytes(msgspec.json.encode(manifest))


def seal_again(folder: Path) -> None:
    """What a forger can do without a key: every digest and entry recomputed, and all verdicts written anew."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for name in manifest["files"]:
        manifest["files"][name] = digest_bytes((folder / name).read_bytes())
    lines = (folder / "attempts.jsonl").read_bytes().splitlines()
    entries = []
    for line in lines:
        record = json.loads(line)
        entry = {name: record[name] for name in ("task_id", "repeat", "try", "outcome") if name in record}
        entries.append({**entry, "sha256": digest_bytes(line)})
    manifest["attempts"] = entries
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    for path in folder.glob("verdicts-*"):
        path.unlink()
    try:
        score(open_package(folder))
    except Exception:
        return  # a forgery that cannot even be judged is left to verify


def on_lines(name: str, edit: Callable[[list[Record]], object], *, reseal: bool = True) -> Tamper:
    def tamper(folder: Path) -> None:
        path = folder / name
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        edit(records)
        path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))
        if reseal:
            seal_again(folder)

    return tamper


def on_attempts(edit: Callable[[list[Record]], object]) -> Tamper:
    return on_lines("attempts.jsonl", edit)


def on_manifest(edit: Callable[[Record], object]) -> Tamper:
    return lambda folder: edit_manifest(folder, edit)


def on_header(edit: Callable[[Record], object]) -> Tamper:
    return on_manifest(lambda manifest: edit(manifest["header"]))


def first_call(records: list[Record]) -> Record:
    call: Record = next(turn["calls"][0] for one in records for turn in one["rounds"] if turn.get("calls"))
    return call


def succeeded_call(records: list[Record]) -> Record:
    calls = [call for one in records for turn in one["rounds"] for call in turn.get("calls", [])]
    found: Record = next(call for call in calls if call["result"]["status"] == "ok")
    return found


def refused_call(records: list[Record]) -> Record:
    calls = [call for one in records for turn in one["rounds"] for call in turn.get("calls", [])]
    found: Record = next(call for call in calls if call["result"]["status"] == "invalid")
    return found


def copy_as_repeat(records: list[Record]) -> None:
    records.insert(1, {**records[0], "repeat": 2})


def two_repeats(folder: Path) -> None:
    """Every attempt copied as a second repeat, and a header that planned two."""
    on_attempts(lambda records: records.extend([{**one, "repeat": 2} for one in list(records)]))(folder)

    def edit(manifest: Record) -> None:
        manifest["header"]["repeats"] = manifest["repeats_done"] = 2
        manifest["counts"] = {"completed": 12}

    edit_manifest(folder, edit)
    seal_again(folder)


def misfile(records: list[Record]) -> None:
    records[0], records[1] = {**records[1], "task_id": records[0]["task_id"]}, records[1]


def other_prompt(folder: Path) -> None:
    path = folder / "prompt.txt"
    path.write_text(path.read_text() + "[hint]\nThe answer is 42.\n\n")
    seal_again(folder)


def link(name: str) -> Tamper:
    def tamper(folder: Path) -> None:
        outside = folder.parents[2] / f"outside-{name}"
        (folder / name).rename(outside)
        (folder / name).symlink_to(outside)

    return tamper


def read_elsewhere(manifest: Record) -> None:
    manifest["files"]["../registry.json"] = "0" * 64


def forge_verdicts(folder: Path) -> None:
    """Every failing verdict passes, in a file with the right metadata."""
    package = open_package(folder)
    (path,) = verdict_files(package)
    info, frame = read_verdicts(path)
    rows = list(verdict_records(frame.with_columns(passed=pl.lit(True))))
    write_verdicts(package, rows, oracle_hash=info.oracle_hash, evaluator_version=info.evaluator_version)


def rename_verdicts(folder: Path) -> None:
    (path,) = verdict_files(open_package(folder))
    path.rename(path.with_name("verdicts-v999-00000000.parquet"))


def other_registry(folder: Path) -> None:
    path = folder.parent / "registry.json"
    plain = json.loads(path.read_bytes())
    plain["tools"][0]["description"] += " Altered."
    path.write_bytes(msgspec.json.encode(plain))


def loosen(records: list[Record]) -> None:
    records[0]["description"] += " Pick me."


FILES = [
    pytest.param(on_lines("cases.jsonl", lambda r: r.pop(), reseal=False), "cases.jsonl", id="a case is dropped"),
    pytest.param(lambda f: (f / "attempts.jsonl").unlink(), "is missing", id="the attempts are gone"),
    pytest.param(on_manifest(lambda m: m["files"].clear()), "lists no digest", id="the manifest lists no file"),
    pytest.param(on_manifest(lambda m: m["files"].pop("prompt.txt")), "lists no digest", id="one file is not listed"),
    pytest.param(on_manifest(read_elsewhere), "no sealed file", id="a listed file lies elsewhere"),
    pytest.param(link("attempts.jsonl"), "is a link", id="the attempts are a link"),
    pytest.param(link("manifest.json"), "is a link", id="the manifest is a link"),
    pytest.param(link("run.log"), "is a link", id="the log is a link"),
    pytest.param(lambda f: (f / "notes.txt").write_text("x"), "is no part", id="a foreign file lies there"),
    pytest.param(lambda f: (f / "chat_template.jinja").write_text("x"), "is no part", id="an undeclared template"),
    pytest.param(lambda f: os.mkfifo(f / "verdicts-v1-00000000.parquet"), "is a link", id="a pipe as a verdict file"),
    pytest.param(lambda f: (f / "manifest.json").write_text("{"), "torn", id="the manifest is torn"),
    pytest.param(lambda f: (f / "manifest.json").unlink(), "is missing", id="the manifest is gone"),
]
MANIFEST = [
    pytest.param(on_manifest(lambda m: m["counts"].update(completed=7)), "counts", id="counts"),
    pytest.param(on_manifest(lambda m: m.update(complete=False)), "complete", id="complete"),
    pytest.param(on_manifest(lambda m: m.update(repeats_done=10**12)), "repeats_done", id="repeats without end"),
    pytest.param(on_manifest(lambda m: m.update(deterministic="20/20")), "deterministic", id="deterministic"),
    pytest.param(on_manifest(lambda m: m["attempts"][0].update(outcome="timeout")), "lists", id="outcome of an entry"),
    pytest.param(on_manifest(lambda m: m["attempts"][0].update(repeat=2)), "lists", id="repeat of an entry"),
    pytest.param(on_manifest(lambda m: m["attempts"][0].update(task_id="cs-nl-004")), "lists", id="case of an entry"),
    pytest.param(on_manifest(lambda m: m["attempts"].pop()), "lists", id="an entry is dropped"),
]
HEADER = [
    pytest.param(on_header(lambda h: h.update(run_id="other")), "run id", id="run id"),
    pytest.param(on_header(lambda h: h["key"].update(registry_hash="0" * 64)), "registry hash", id="registry hash"),
    pytest.param(on_header(lambda h: h["key"].update(task_hash="0" * 64)), "task hash", id="task hash"),
    pytest.param(on_header(lambda h: h.update(oracle_hash="0" * 64)), "oracle hash", id="oracle hash"),
    pytest.param(on_header(lambda h: h["key"].update(fixture_hash="0" * 64)), "fixture hash", id="fixture hash"),
    pytest.param(on_header(lambda h: h["key"].update(prompt_hash="0" * 64)), "prompt hash", id="prompt hash"),
    pytest.param(other_prompt, "prompt hash", id="prompt, digests recomputed"),
    pytest.param(on_header(lambda h: h["key"].update(decoding="strict")), "decoding", id="decoding"),
    pytest.param(on_header(lambda h: h["key"].update(harness_mode="oracle-assisted")), "assistance", id="mode"),
    pytest.param(on_header(lambda h: h["assistance"].update(step_count_disclosed=True)), "assistance", id="assistance"),
    pytest.param(on_header(lambda h: h["key"].update(retrieval="lexical:1")), "under lexical:1", id="fewer candidates"),
    pytest.param(on_header(lambda h: h["key"].update(retrieval="magic")), "does not exist", id="unknown retrieval"),
    pytest.param(on_header(lambda h: h["provider"].update(control=False)), "control", id="a control made a model"),
    pytest.param(on_header(lambda h: h["provider"].update(provider="openai_chat")), "control", id="a model as control"),
    pytest.param(on_header(lambda h: h.update(registry="genomics")), "is of the registry", id="registry name"),
    pytest.param(on_header(lambda h: h["cases"].reverse()), "other cases", id="order of the cases"),
    pytest.param(other_registry, "do not give the registry hash", id="the registry beside the package"),
    pytest.param(on_lines("contracts.jsonl", loosen), "not the contract", id="a contract, digests recomputed"),
]
RECORDS = [
    pytest.param(on_attempts(lambda r: r.pop()), "counts", id="an attempt is dropped, digests recomputed"),
    pytest.param(on_attempts(lambda r: r.append(r[0])), "each once", id="an attempt comes twice, digests recomputed"),
    pytest.param(on_attempts(copy_as_repeat), "repeat 2 of 1", id="an unplanned repeat, digests recomputed"),
    pytest.param(two_repeats, "is a copy", id="a second repeat by copying, digests and counts recomputed"),
    pytest.param(on_attempts(misfile), "is a copy", id="the record of another case, digests recomputed"),
    pytest.param(
        on_attempts(lambda r: r[0].update(task_id="cs-nl-999")), "no case of this run", id="foreign, digests recomputed"
    ),
    pytest.param(
        on_attempts(lambda r: r[0].update(outcome="provider_error")), "no error says", id="outcome, digests recomputed"
    ),
    pytest.param(
        on_attempts(lambda r: r[-1].update(final_text="Welke afdeling?")), "final text", id="text, digests recomputed"
    ),
    pytest.param(
        on_attempts(lambda r: r[0].update(usage={"output_tokens": 1})), "usage", id="tokens, digests recomputed"
    ),
    pytest.param(
        on_attempts(lambda r: r[0]["candidates"].pop()), "than its task gives", id="candidates, digests recomputed"
    ),
    pytest.param(
        on_attempts(lambda r: first_call(r).update(raw_arguments='{"a": 1}')),
        "not those of its raw string",
        id="raw arguments, digests recomputed",
    ),
    pytest.param(
        on_attempts(lambda r: first_call(r).update(arguments={})),
        "not those of its raw string",
        id="parsed arguments, digests recomputed",
    ),
    pytest.param(
        on_attempts(lambda r: first_call(r).update(parse_error="no")), "parse error", id="error, digests recomputed"
    ),
    pytest.param(
        on_attempts(lambda r: refused_call(r)["result"].update(status="ok", provenance="synthetic")),
        "the contract gives invalid",
        id="a refused call made good, digests recomputed",
    ),
    pytest.param(
        on_attempts(lambda r: succeeded_call(r)["result"].update(content={"ok": 1})),
        "another result",
        id="a result, digests recomputed",
    ),
    pytest.param(
        on_attempts(lambda r: first_call(r).update(name="invented")), "not_offered", id="a tool, digests recomputed"
    ),
]
VERDICTS = [
    pytest.param(forge_verdicts, "not what recomputing gives", id="verdicts, metadata kept"),
    pytest.param(rename_verdicts, "named after another", id="a verdict file under another name"),
]


@pytest.mark.parametrize(("tamper", "told"), [*FILES, *MANIFEST, *HEADER, *RECORDS, *VERDICTS])
def test_tampering_is_found(runs: Path, tamper: Tamper, told: str) -> None:
    tamper(package_of(runs))
    found = verify_all(runs)
    (one,) = found.packages
    assert found.exit_code == 1
    assert any(told in problem for problem in one.problems), one.problems


def test_the_untouched_copy_is_intact(runs: Path) -> None:
    (one,) = verify_all(runs).packages
    assert (one.problems, one.open_questions, one.notes) == ((), (), ())
    assert (one.attempts, one.verdicts, one.verdict_files, one.status) == (6, 12, 1, "intact")


def test_one_bad_package_does_not_stop_the_others(runs: Path) -> None:
    bad = runs / HASH / "another"
    shutil.copytree(package_of(runs), bad)
    edit_manifest(bad, lambda manifest: manifest["files"].clear())
    assert [one.status for one in verify_all(runs).packages] == ["failed", "intact"]


def test_without_a_verdict_file_nothing_was_recomputed_and_nobody_can_tell(runs: Path) -> None:
    for path in package_of(runs).glob("verdicts-*"):
        path.unlink()
    found = verify_all(runs)
    assert found.exit_code == 2
    assert found.packages[0].verdicts == 0
    assert "fcbench score" in found.packages[0].open_questions[0]


def newer_file(folder: Path) -> Path:
    """A well-formed verdict file of an evaluator that does not exist yet, in which everything passes."""
    package = open_package(folder)
    (path,) = verdict_files(package)
    info, frame = read_verdicts(path)
    frame = frame.with_columns(passed=pl.lit(True), evaluator_version=pl.lit(99, dtype=pl.Int32))
    rows = list(verdict_records(frame.cast({"evaluator_version": frame.schema["evaluator_version"]})))
    return write_verdicts(package, rows, oracle_hash=info.oracle_hash, evaluator_version=99)


def test_verdicts_of_a_newer_evaluator_leave_it_open_and_feed_no_table(runs: Path) -> None:
    forged = newer_file(package_of(runs))
    found = verify_all(runs)
    assert found.exit_code == 2
    assert any("newer than this one" in text for text in found.packages[0].open_questions)
    (used,) = scored_below(runs)
    assert used.verdicts != forged
    assert read_info(used.verdicts).evaluator_version == EVALUATOR_VERSION


def test_a_moved_package_says_what_could_not_be_compared(runs: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    package_of(runs).rename(moved)
    found = verify(moved)
    assert found.status == "intact"
    assert "registry" in found.notes[0]


def test_what_an_interrupted_sealing_leaves_behind_is_a_note(runs: Path) -> None:
    (package_of(runs) / "run.json").write_text("{}")
    found = verify(package_of(runs))
    assert (found.status, len(found.notes)) == ("intact", 1)


def test_altered_evidence_feeds_no_table_and_is_not_judged(runs: Path) -> None:
    on_lines("attempts.jsonl", lambda records: first_call(records).update(name="x"), reseal=False)(package_of(runs))
    with pytest.raises(PackageError, match="not what was sealed") as caught:
        scored_below(runs)
    assert caught.value.next_step
    with pytest.raises(PackageError, match="not what was sealed"):
        score(open_package(package_of(runs)))


def test_a_damaged_verdict_file_is_named_and_then_written_anew(runs: Path) -> None:
    package = open_package(package_of(runs))
    (path,) = verdict_files(package)
    path.write_bytes(b"PAR1 torn")
    assert any(path.name in problem for problem in verify(package.folder).problems)
    scored([package])
    assert verify(package.folder).status == "intact"


def test_scoring_again_lists_what_flips_against_the_file_before(runs: Path) -> None:
    package = open_package(package_of(runs))
    before = score(package)
    assert (before.flips, before.compared_with) == ((), before.path.name)
    _, frame = read_verdicts(before.path)
    failed = frame.filter(~pl.col("passed")).height
    forge_verdicts(package.folder)
    after = score(package)
    assert failed
    assert len(after.flips) == failed
    assert {(flip.before, flip.after) for flip in after.flips} == {(True, False)}


def test_todays_oracle_with_a_tool_that_the_run_did_not_know_says_what_to_do(runs: Path) -> None:
    package = open_package(package_of(runs))
    cases = dict(package.cases)
    name, case = next((name, case) for name, case in cases.items() if case.oracle.calls)
    step = msgspec.structs.replace(case.oracle.calls[0], tool="brand_new")
    cases[name] = msgspec.structs.replace(case, oracle=msgspec.structs.replace(case.oracle, calls=(step,)))
    with pytest.raises(SuiteError, match="did not know") as caught:
        score(package, cases)
    assert caught.value.found == "brand_new"
    assert caught.value.next_step


def test_the_prompt_file_reads_back_to_its_hash() -> None:
    (folder,) = find_packages(V1)
    texts = prompt_texts((folder / "prompt.txt").read_text())
    assert {"guidance", "repair", "rules", "system"} <= set(texts)
    assert digest(texts) == open_package(folder).header.key.prompt_hash
    assert to_plain(open_package(folder).manifest)["complete"] is True


def test_the_command_says_why_it_cannot_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "there is no execution package" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "nowhere")]) == 66


def test_the_command_exits_0_1_and_2(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(runs)]) == 0
    assert "1 of 1 packages intact" in capsys.readouterr().out
    for path in package_of(runs).glob("verdicts-*"):
        path.unlink()
    assert main(["verify", str(runs)]) == 2
    assert "cannot tell: no verdict file" in capsys.readouterr().out
    on_lines("attempts.jsonl", lambda records: records.pop(), reseal=False)(package_of(runs))
    assert main(["verify", str(runs), "--json"]) == 1
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["status"], told["intact"]) == ("failed", False)
