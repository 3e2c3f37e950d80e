"""Golden runs on the real tools: recorded, found again, and judged at every tier with what really came back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.cli.main import main
from fcbench.core.canonical import digest
from fcbench.core.cases import Case
from fcbench.core.findings import Finding
from fcbench.core.names import CaseId, Digest, StepId
from fcbench.errors import NotFoundError, UsageError
from fcbench.evaluator import applicable_tiers, judge
from fcbench.suites import GoldenEntry
from fcbench.suites.golden import is_played
from fcbench.workflows.check_project import check_suites
from fcbench.workflows.golden_drift import drift
from fcbench.workflows.golden_runs import GoldenRuns, StumbledError, runs_of
from fcbench.workflows.judge_cases import judge_cases
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.record_suites import record_suites

ROOT = Path(__file__).resolve().parents[2]
SUITE = """\
suite: phage
title: Phage
registry: genomics
language: en
fixture: phage
canary: fcbench canary 0d3f1b5e-8a53-4bb8-9b68-2d3e3a8d2a11
ethics: reviewed
"""
COLLECTIONS = """\
collections:
  phage:
    title: Phage
    suites: [phage]
    harness: workbench
    mode: production-parity
    retrieval: "lexical:24"
    headline_tier: task-completion-execution
"""
FIXTURE = "title: Phage\nopen: genomes/NC_001422.gbk\nfiles: [genomes/NC_001422.gbk]\n"
READ = """\
- id: p-read
  task: {instruction: "Bases 101 to 120 as the minus strand reads them, please."}
  oracle:
    decision: call
    calls: [{step: read, tool: get_sequence, arguments: {start: 101, end: 120, strand: "-"}}]
    alternatives:
      - - {step: plus, tool: get_sequence, arguments: {start: 101, end: 120, strand: "+"}, may_omit: [strand]}
        - step: turn
          tool: reverse_complement
          arguments: {sequence: {$from: {step: plus, pointer: /sequence}}}
    rationale: The range is stated.
    labels: {category: sequence}
"""
MARK = """\
- id: p-mark
  task:
    instruction: Add a misc_feature named spot over 200 to 260 on no strand, then save the record as out/spot.gbk.
  oracle:
    decision: call
    calls:
      - step: add
        tool: create_annotation
        arguments: {name: spot, feature_type: misc_feature, start: 200, end: 260, strand: none}
        may_omit: [strand]
      - {step: save, tool: export_genbank, arguments: {file_path: {$path: out/spot.gbk}}, after: [add]}
    rationale: A feature that is part of the record, and then the file.
    labels: {category: annotation}
"""
PRIMER = """\
- id: p-primer
  task: {instruction: "At which temperature does ggggctggcaaatctgaaag melt?"}
  oracle:
    decision: call
    calls: [{step: heat, tool: analyze_primer, arguments: {sequence: {$dna: ggggctggcaaatctgaaag}}}]
    rationale: One primer.
    labels: {category: cloning}
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the real tools and one small genome, still without a suite."""
    root = tmp_path_factory.mktemp("tools")
    shutil.copytree(ROOT / "tools_registry", root / "tools_registry")
    genomes = root / "suites" / "fixtures" / "genomics" / "genomes"
    genomes.mkdir(parents=True)
    shutil.copy(ROOT / "suites" / "fixtures" / "genomics" / "genomes" / "NC_001422.gbk", genomes)
    (genomes.parent / "phage.yaml").write_text(FIXTURE, encoding="utf-8")
    return root


Make = Callable[..., Path]


@pytest.fixture
def make(tools: Path, tmp_path: Path) -> Make:
    """Makes a project of some cases."""

    def made(*cases: str) -> Path:
        root = tmp_path / "project"
        if not root.exists():
            shutil.copytree(tools, root)
        folder = root / "suites" / "phage"
        folder.mkdir(exist_ok=True)
        (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
        (folder / "cases.yaml").write_text("".join(cases), encoding="utf-8")
        (root / "suites" / "collections.yaml").write_text(COLLECTIONS, encoding="utf-8")
        return root

    return made


def material(root: Path) -> Material:
    return load(find_project(root))


def drifted(root: Path, change: Callable[[GoldenEntry], GoldenEntry]) -> list[tuple[str, str]]:
    """The findings where one entry of the record is another."""
    loaded = material(root)
    recorded = loaded.suites.golden["phage"]
    (case,) = recorded.cases
    loaded.suites.golden["phage"] = replace(recorded, cases={case: change(recorded.cases[case])})
    return told(drift(loaded, GoldenRuns(loaded)))


def told(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    return [(one.rule, one.message) for one in findings]


def test_what_is_recorded_is_found_again_and_passes_the_whole_check(make: Make) -> None:
    root = make(READ, MARK)
    assert {rule for rule, _ in told(check_suites(root).findings)} == {"golden-missing"}
    recording = record_suites(root)
    assert [(one.cases, one.runs, one.changed) for one in recording.suites] == [(2, 3, 2)]
    assert told(check_suites(root).findings) == []
    text = (root / "suites" / "phage" / "golden.json").read_bytes()
    assert [one.changed for one in record_suites(root, ["phage"]).suites] == [0]
    assert (root / "suites" / "phage" / "golden.json").read_bytes() == text
    assert str(root).encode() not in text


def test_the_record_holds_digests_of_every_run_and_the_end_state_of_an_attempt(make: Make) -> None:
    root = make(READ, MARK)
    record_suites(root)
    loaded = material(root)
    entries = loaded.suites.golden["phage"].cases
    runs = GoldenRuns(loaded)
    read, mark = loaded.suites.cases[CaseId("p-read")], loaded.suites.cases[CaseId("p-mark")]
    assert {*entries[read.id].results} == {"read"}
    assert [{*steps} for steps in entries[read.id].alternatives] == [{"plus", "turn"}]
    assert entries[read.id].results[StepId("read")] == digest(runs.play(read).results[StepId("read")])
    turned, straight = runs.play(read, 1).results[StepId("turn")], runs.play(read).results[StepId("read")]
    assert turned["sequence"] == straight["sequence"]  # type: ignore[index,call-overload]
    assert mark.oracle.end_state == entries[mark.id].end_state == runs.play(mark).end_state
    assert mark.oracle.end_state is not None
    assert mark.oracle.end_state["facts"]["files"] == ["out/spot.gbk"]  # type: ignore[index,call-overload]
    assert read.oracle.end_state is not None
    assert mark.oracle.end_state["project"] != read.oracle.end_state["project"]
    assert entries[mark.id].engines[-1] == "session"


OTHER = Digest("0" * 64)


@pytest.mark.parametrize(
    ("case", "change", "says"),
    [
        pytest.param(
            MARK,
            lambda entry: replace(entry, results={**entry.results, StepId("save"): OTHER}),
            ["p-mark: step save: its result is not the recorded one"],
            id="a result",
        ),
        pytest.param(
            READ,
            lambda entry: replace(entry, alternatives=({**entry.alternatives[0], StepId("turn"): OTHER},)),
            ["p-read: alternative 1, step turn: its result is not the recorded one"],
            id="a result of an alternative",
        ),
        pytest.param(
            MARK,
            lambda entry: replace(entry, end_state={**entry.end_state, "files": OTHER}),
            ["p-mark: after step save: what the end state says of files is not what was recorded"],
            id="a part of the end state",
        ),
        pytest.param(
            MARK,
            lambda entry: replace(
                entry, end_state={part: value for part, value in entry.end_state.items() if part != "view"}
            ),
            ["p-mark: after step save: what the end state says of view is not what was recorded"],
            id="a part that was not recorded",
        ),
        pytest.param(
            MARK,
            lambda entry: replace(entry, results={StepId("add"): entry.results[StepId("add")], StepId("old"): OTHER}),
            [
                "p-mark: step old: a result is recorded, and the run gives none to compare",
                "p-mark: step save: its result is not recorded",
            ],
            id="other steps",
        ),
        pytest.param(
            READ,
            lambda entry: replace(entry, alternatives=()),
            ["p-read: 0 alternatives were recorded, and the case has 1"],
            id="an alternative that came later",
        ),
    ],
)
def test_what_is_no_longer_so_is_told_with_case_and_step(
    make: Make, case: str, change: Callable[[GoldenEntry], GoldenEntry], says: list[str]
) -> None:
    root = make(case)
    record_suites(root)
    assert drifted(root, lambda entry: entry) == []
    assert drifted(root, change) == [("golden-drift", message) for message in says]


def test_a_run_that_fails_after_it_was_recorded_is_drift(make: Make) -> None:
    record_suites(make(READ))
    loaded = material(make(READ.replace("end: 120", "end: 9120")))
    ((rule, message),) = told(drift(loaded, GoldenRuns(loaded)))
    assert rule == "golden-drift"
    assert message.startswith("p-read: step read: bad_range: ")


@pytest.mark.parametrize(
    ("cases", "rule", "says"),
    [
        pytest.param(
            READ.replace('end: 120, strand: "-"', 'end: 9120, strand: "-"'),
            "golden-run",
            "p-read: the golden run, step read: bad_range: ",
            id="a call that fails",
        ),
        pytest.param(
            READ.replace('end: 120, strand: "+"', 'end: 9120, strand: "+"'),
            "golden-run",
            "p-read: alternative 1, step plus: bad_range: ",
            id="a call of an alternative",
        ),
        pytest.param(
            READ.replace("pointer: /sequence", "pointer: /letters"),
            "golden-run",
            "p-read: alternative 1, step turn: reference: ",
            id="a reference to nothing",
        ),
        pytest.param(
            READ.replace("pointer: /sequence", "pointer: /length"),
            "golden-run",
            "p-read: alternative 1, step turn: invalid: ",
            id="a value that breaks the schema",
        ),
        pytest.param(
            READ.replace("  task: {", "  task: {fixture: nowhere, "),
            "golden-run",
            "p-read: the golden run, step read: fixture: ",
            id="a fixture that is not there",
        ),
        pytest.param(
            MARK.replace(
                "    rationale",
                "    alternatives:\n      - - {tool: export_genbank, arguments: {file_path: {$path: out/spot.gbk}}}\n"
                "    rationale",
            ),
            "golden-end-state",
            "p-mark: alternative 1 leaves another end state than the golden run: project, files, facts",
            id="another end state",
        ),
    ],
)
def test_a_run_that_does_not_hold_is_told_and_nothing_is_written(make: Make, cases: str, rule: str, says: str) -> None:
    root = make(cases, READ.replace("p-read", "p-sound"))
    recording = record_suites(root)
    assert recording.failed
    assert recording.suites == ()
    ((found, message),) = told(recording.findings)
    assert found == rule
    assert message.startswith(says)
    assert "nothing was written" in recording.text()
    assert not (root / "suites" / "phage" / "golden.json").exists()


def test_a_golden_run_that_the_real_tools_refuse_fails_the_check(make: Make) -> None:
    loaded = material(make(READ.replace('end: 120, strand: "-"', 'end: 9120, strand: "-"')))
    (finding,) = {(rule, message) for rule, message in told(judge_cases(loaded)) if rule == "golden-run"}
    assert finding[1].startswith("p-read: step read fails on the workbench: bad_range: ")


def test_a_golden_run_that_leaves_another_end_state_than_the_oracle_says_fails_its_tier(make: Make) -> None:
    root = make(MARK.replace("    decision: call\n", "    decision: call\n    end_state: {project: other}\n"))
    messages = [message for _, message in told(judge_cases(material(root)))]
    assert any("the golden run fails at task-completion-execution" in message for message in messages)


def test_results_of_an_engine_with_a_tolerance_have_no_digest(make: Make) -> None:
    pytest.importorskip("primer3")
    root = make(PRIMER)
    record_suites(root)
    recorded = material(root).suites.golden["phage"]
    (entry,) = recorded.cases.values()
    assert entry.results == {}
    assert entry.engines[0].startswith("primer3-py ")
    assert "primer3-py" in recorded.without_results
    assert told(check_suites(root).findings) == []


def test_a_case_whose_engine_is_missing_is_passed_over_and_said_and_judged_on_synthetic_results(make: Make) -> None:
    root = make(READ, PRIMER)
    pytest.importorskip("primer3")
    record_suites(root)
    loaded = material(root)
    runs = GoldenRuns(loaded, lambda engine: None if engine == "primer3-py" else "1")
    (skipped,) = drift(loaded, runs)
    assert (skipped.rule, skipped.severity) == ("golden-skipped", "warning")
    assert skipped.message == (
        "p-primer: its golden run was not played: primer3-py is not installed (extra workbench-gpl)"
    )
    assert told(judge_cases(loaded, runs)) == []


def test_the_command_writes_the_file_or_says_why_not(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "record", "phage", "--project", str(make(MARK)), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["failed"] is False
    assert [(one["suite"], one["cases"], one["runs"]) for one in written["written"]] == [("phage", 1, 1)]
    assert main(["suite", "record", "--project", str(make(MARK.replace("end: 260", "end: 9260")))]) == 1
    assert "p-mark: the golden run, step add: bad_range" in capsys.readouterr().out


def test_the_embedded_suites_are_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="not yours"):
        record_suites(None)


def test_a_suite_that_is_not_there_is_named_with_the_nearest(make: Make) -> None:
    with pytest.raises(NotFoundError) as caught:
        record_suites(make(READ), ["phages"])
    assert caught.value.next_step == "did you mean phage?"


@lru_cache(maxsize=1)
def real() -> tuple[Material, GoldenRuns]:
    loaded = load(find_project(ROOT))
    return loaded, GoldenRuns(loaded)


def real_runs() -> list[object]:
    cases = [case for case in real()[0].suites.cases.values() if is_played(case)]
    return [pytest.param(case, run, id=f"{case.id}-{run}") for case in cases for run in range(len(runs_of(case)))]


@pytest.mark.parametrize(("case", "run"), real_runs())
def test_every_golden_run_of_the_suites_passes_at_every_tier_with_real_results(case: Case, run: int) -> None:
    loaded, runs = real()
    if missing := runs.missing_engines(case):
        pytest.skip(f"not installed: {', '.join(missing)}")
    contracts = loaded.registries[case.task.registry].contracts
    attempt = runs.attempt(case, contracts, run)
    assert case.oracle.end_state is not None or case.suite not in loaded.suites.golden
    for tier in applicable_tiers(case, "workbench"):
        verdict = judge(case, attempt, contracts, "workbench", tier)
        assert verdict.passed, (tier, [fault.sentence for fault in verdict.faults])
        assert verdict.partial.score == 1.0


def test_nothing_that_the_suites_record_has_drifted() -> None:
    assert [one for one in told(drift(*real())) if one[0] != "golden-skipped"] == []


def test_a_stumble_is_the_same_when_it_is_asked_for_again(make: Make) -> None:
    loaded = material(make(READ.replace('end: 120, strand: "-"', 'end: 9120, strand: "-"')))
    runs = GoldenRuns(loaded)
    for _ in range(2):
        with pytest.raises(StumbledError, match="bad_range"):
            runs.play(loaded.suites.cases[CaseId("p-read")])
