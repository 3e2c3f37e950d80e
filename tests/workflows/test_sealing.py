"""Held-out cases from sealing to proof, as their author and the public meet them."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.aggregate.verdict_files import read_verdicts, verdict_records, write_verdicts
from fcbench.cli.main import main
from fcbench.errors import PackageError
from fcbench.packages.held_out import refuse_secret, secret_cases
from fcbench.packages.store import open_package
from fcbench.site.build import BuildOptions, build_site
from fcbench.suites.commitments import commitment_of
from fcbench.workflows.project import find_project, load
from fcbench.workflows.score import score
from fcbench.workflows.seal_suite import seal, seal_findings
from fcbench.workflows.verify import verify
from tests.site.conftest import stub_of_documentation
from tests.workflows.sealing_project import HELD_OUT, WORDS, make_project

Capture = pytest.CaptureFixture[str]
SAME = (
    *("strict", "exact_match", "partial", "pass_hat_2", "flip_rate", "completion", "recovered", "tool_coverage"),
    *("syntactic_validity", "schema_conformance", "argument_fidelity", "restraint", "conforming_after_2"),
)
"""Columns that a redacted package must show as the full one does."""
IDS = ("h-001", "h-002", "h-003")


def told(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    found = capsys.readouterr()
    return code, found.out, found.err


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def secrets(tmp_path: Path, project: Path) -> Path:
    """The project sealed; its secret file."""
    path = tmp_path / "private.json"
    seal(project, ("tiny",), path)
    return path


@pytest.fixture
def full(tmp_path: Path, project: Path, secrets: Path, capsys: Capture) -> Path:
    """A package over open and held-out cases."""
    options = ["--project", project, "--held-out", secrets, "--output", tmp_path / "runs", "--run-id", "one"]
    assert told(capsys, "run", "all", "--model", "scripted:random", *options)[0] == 0
    (manifest,) = (tmp_path / "runs").glob("*/one/manifest.json")
    return manifest.parent


@pytest.fixture
def redacted(tmp_path: Path, full: Path, secrets: Path, capsys: Capture) -> Path:
    assert told(capsys, "package", "redact", full, "--secrets", secrets, "--output", tmp_path / "public")[0] == 0
    (manifest,) = (tmp_path / "public").glob("*/one/manifest.json")
    return manifest.parent


def words_in(folder: Path) -> list[str]:
    """Files below a folder that give a held-out case away, in clear or in the bytes of a Parquet file."""
    return [
        f"{path.relative_to(folder)}: {word}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for word in (*WORDS, "place 501", "place 502", "place 503", "secretfamily")
        if word.encode() in path.read_bytes()
    ]


def test_sealing_publishes_commitments_and_takes_every_trace_of_the_cases_out_of_the_project(
    tmp_path: Path, project: Path, capsys: Capture
) -> None:
    assert len(words_in(project)) >= 7
    code, out, _ = told(capsys, "suite", "seal", "--project", project, "--secrets", tmp_path / "private.json")
    assert code == 0
    assert "sealed  3 cases" in out
    assert "Keep it" in out
    assert words_in(project) == []
    published = json.loads((project / "suites/tiny/sealed.json").read_text())
    assert [one["id"] for one in published["cases"]] == list(IDS)
    assert all(set(one) == {"id", "commitment"} for one in published["cases"])
    assert (tmp_path / "private.json").stat().st_mode & 0o077 == 0, "for its owner alone"
    suites = load(find_project(project)).suites
    assert sorted(suites.cases) == ["t-001", "t-002", "t-003"]
    assert [one.id for one in suites.sealed_in("all")] == list(IDS)
    assert [one.id for one in suites.sealed_in("all/quick")] == ["h-001"], "a subset may list sealed cases"
    assert [one.id for one in suites.case_set("all/quick")] == ["t-001"]


def test_a_commitment_is_the_hmac_that_anybody_computes(project: Path, secrets: Path) -> None:
    opened = json.loads(secrets.read_text())["suites"][0]
    (secret,) = [one for one in opened["cases"] if one["id"] == "h-002"]
    # RFC 2104 by hand, and RFC 8785 for this plain value by the standard library.
    message = json.dumps(
        {
            "suite": "tiny",
            "harnesses": ["contract"],
            "task": {
                "id": "h-002",
                "instruction": "Show me what lies from place 502 on, and call it Quillwort.",
                "language": "en",
                "registry": "parts",
                "single_call": True,
                "tools": ["get_part"],
            },
            "oracle": {
                "decision": "call",
                "calls": [{"step": "s1", "tool": "get_part", "arguments": {"start": 502, "label": "Quillwort"}}],
                "rationale": "The words give 502 and Quillwort.",
                "labels": {"category": "parts", "family": "secretfamily"},
            },
        },
        sort_keys=True,
        separators=(",", ":"),
    ).encode()
    key = bytes.fromhex(secret["salt"]).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    assert secret["commitment"] == hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()


def test_salts_are_drawn_anew_for_every_case_and_have_256_bits(project: Path, secrets: Path) -> None:
    salts = [one["salt"] for one in json.loads(secrets.read_text())["suites"][0]["cases"]]
    assert len(set(salts)) == len(salts) == 3
    assert {len(salt) for salt in salts} == {64}
    case = load(find_project(project)).suites.cases
    with pytest.raises(ValueError, match="32 bytes"):
        commitment_of(next(iter(case.values())), b"short")


@pytest.mark.parametrize(
    "place", ["project/private.json", "project/suites/tiny/private.json", "clone/deep/private.json"]
)
def test_a_secret_file_inside_a_repository_is_refused_and_nothing_changes(
    tmp_path: Path, project: Path, capsys: Capture, place: str
) -> None:
    (tmp_path / "clone/.git").mkdir(parents=True)
    (tmp_path / "clone/deep").mkdir()
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    code, _, err = told(capsys, "suite", "seal", "--project", project, "--secrets", tmp_path / place)
    assert code == 64
    assert "would lie in a repository" in err
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_a_secret_file_is_never_overwritten(tmp_path: Path, project: Path, secrets: Path, capsys: Capture) -> None:
    code, _, err = told(capsys, "suite", "seal", "--project", project, "--secrets", secrets)
    assert code == 73
    assert "exists already" in err


def test_a_file_of_held_out_and_open_cases_is_refused_by_name(tmp_path: Path, project: Path, capsys: Capture) -> None:
    path = project / "suites/tiny/cases.yaml"
    path.write_text(path.read_text() + HELD_OUT.replace("h-00", "h-10"))
    code, _, err = told(capsys, "suite", "seal", "--project", project, "--secrets", tmp_path / "private.json")
    assert code == 65
    assert "suites/tiny/cases.yaml" in err
    assert not (tmp_path / "private.json").exists()


def test_without_the_secret_file_the_open_cases_are_run_and_the_user_is_told(
    tmp_path: Path, project: Path, secrets: Path, capsys: Capture
) -> None:
    options = ["--project", project, "--output", tmp_path / "runs", "--run-id", "open"]
    code, _, err = told(capsys, "run", "all", "--model", "scripted:oracle", *options)
    assert code == 0
    assert "3 sealed cases of all are not run" in err
    (manifest,) = (tmp_path / "runs").glob("*/open/manifest.json")
    assert sorted(open_package(manifest.parent).cases) == ["t-001", "t-002", "t-003"]


SWEEP = """\
name: night
targets: [all]
models:
  - model: scripted:oracle
repeats: 1
"""


def test_a_sweep_runs_the_sealed_cases_with_their_file_and_says_without_it_how_many_it_leaves(
    tmp_path: Path, project: Path, secrets: Path, capsys: Capture
) -> None:
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    command = ["sweep", tmp_path / "sweep.yaml", "--project", project, "--output", tmp_path / "swept"]
    code, _, err = told(capsys, *command, "--dry-run")
    assert code == 0
    assert "3 sealed cases of all are not run" in err
    code, _, err = told(capsys, *command, "--held-out", secrets)
    assert code == 0
    assert "sealed cases" not in err
    (manifest,) = (tmp_path / "swept").glob("*/*/manifest.json")
    assert sorted(open_package(manifest.parent).cases) == [*IDS, "t-001", "t-002", "t-003"]


def test_a_sealed_case_can_be_tried_priced_and_scored_anew_by_who_has_the_file(
    project: Path, secrets: Path, full: Path, capsys: Capture
) -> None:
    there = ["--project", project]
    tried = ["try", "h-001", "--model", "scripted:oracle", *there]
    code, _, err = told(capsys, *tried)
    assert code == 66
    assert "this case is sealed" in err
    code, out, _ = told(capsys, *tried, "--held-out", secrets)
    assert code == 0
    assert WORDS[0] in out
    cost = ["cost", "all", "--model", "example:cheap", *there, "--json"]
    few, every = (told(capsys, *cost, *more)[1] for more in ([], ["--held-out", secrets]))
    assert [json.loads(plan)["total"]["attempts"] for plan in (few, every)] == [6, 12]
    score = ["score", full, "--oracle", "current", *there, "--held-out", secrets]
    assert told(capsys, *score)[0] == 0


def test_a_target_of_sealed_cases_alone_says_what_is_needed(project: Path, secrets: Path, capsys: Capture) -> None:
    (project / "suites/subsets/secret.yaml").write_text("subset: secret\ncollections: {all: [h-001, h-002]}\n")
    code, _, err = told(capsys, "run", "all/secret", "--model", "scripted:oracle", "--project", project)
    assert code == 64
    assert "--held-out" in err


def test_a_full_package_is_refused_wherever_it_would_be_published(tmp_path: Path, full: Path, capsys: Capture) -> None:
    package = open_package(full)
    assert secret_cases(package) == IDS
    with pytest.raises(PackageError, match="held-out cases in the clear: it is not packed"):
        refuse_secret(package, "packed")
    runs = full.parents[1]
    assert verify(full).intact, "to its owner it is a package like any other"
    for command in (["site", "build", runs], ["dataset", "export", runs]):
        code, _, err = told(capsys, *command, "--output", tmp_path / "built")
        assert code == 65, command
        assert "held-out" in err
        assert not (tmp_path / "built").exists()


def test_a_redacted_package_gives_no_held_out_case_away_and_keeps_the_open_ones(full: Path, redacted: Path) -> None:
    assert words_in(full.parents[1]), "the words are found where they stand"
    assert words_in(redacted.parents[1]) == []
    assert not (redacted / "run.log").exists()
    package, whole = open_package(redacted), open_package(full)
    assert secret_cases(package) == ()
    sealed = {case.id: case.commitment for case in package.cases.values() if case.commitment}
    assert tuple(sealed) == IDS
    assert package.cases["t-002"] == whole.cases["t-002"]
    for mine, full_one in zip(package.attempts(), whole.attempts(), strict=True):
        assert (mine.task_id, mine.repeat, mine.outcome) == (full_one.task_id, full_one.repeat, full_one.outcome)
        assert (mine == full_one) == (mine.task_id not in IDS)
        assert mine.task_id not in IDS or (mine.rounds, mine.final_text, mine.candidates) == ((), "", ())
    assert [one.sha256 for one in package.manifest.attempts] == [one.sha256 for one in whole.manifest.attempts]
    assert package.header.key == whole.header.key, "the same board"


def test_verification_of_a_redacted_package_cannot_tell_and_says_why(redacted: Path) -> None:
    found = verify(redacted)
    assert (found.status, found.problems) == ("cannot tell", ())
    assert any("3 cases are sealed" in one for one in found.open_questions)
    assert found.verdicts == 12, "three open cases, two repeats, two tiers"
    assert (found.intact, found.is_intact_but_for_seals) == (False, True)
    (verdicts,) = redacted.glob("verdicts-*.parquet")
    verdicts.unlink()
    assert not verify(redacted).is_intact_but_for_seals, "more is open now than the seals"


def test_an_altered_record_of_a_redacted_package_is_noticed(redacted: Path) -> None:
    path = redacted / "attempts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"completed"', b'"timeout"', 1))
    assert verify(redacted).status == "failed"


def test_scoring_a_redacted_package_keeps_the_verdicts_that_nobody_can_make_anew(full: Path, redacted: Path) -> None:
    (path,) = redacted.glob("verdicts-*.parquet")
    before = path.read_bytes()
    score(open_package(redacted))
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(PackageError, match="cannot be judged"):
        score(open_package(redacted))


def test_tables_of_a_redacted_package_say_what_those_of_the_full_one_say(
    full: Path, redacted: Path, capsys: Capture
) -> None:
    def numbers(folder: Path) -> list[dict[str, object]]:
        code, out, _ = told(capsys, "tables", folder, "--json")
        assert code == 0
        boards = json.loads(out)
        assert boards
        return boards

    mine, whole = numbers(redacted.parents[1]), numbers(full.parents[1])
    assert len(mine) == len(whole) == 2
    for one, other in zip(mine, whole, strict=True):
        (row,), (full_row,) = one["rows"], other["rows"]
        assert "sealed" in str(row["badges"])
        for name in (*SAME, "strict_low", "strict_high", "strict_n", "strict_note", "cases_applicable"):
            assert row[name] == full_row[name], name
        assert (row["calls"], row["calls_n"]) == (1.0, 6), "over the open cases, for the others are not told of"
        assert (full_row["calls"], full_row["calls_n"]) == (1.0, 12)
        assert (row["rounds"], row["rounds_n"]) == (1.0, 6)
        assert row["partial"] == pytest.approx(0.65), "a model that calls the one tool with drawn values"


def test_site_and_dataset_of_a_redacted_package_give_nothing_away(
    tmp_path: Path, project: Path, redacted: Path, capsys: Capture
) -> None:
    runs = redacted.parents[1]
    assert told(capsys, "dataset", "export", runs, "--output", tmp_path / "dataset")[0] == 0
    assert words_in(tmp_path / "dataset") == []
    settings = Path(__file__).parents[2] / "site/mkdocs.yml"
    options = BuildOptions(docs=stub_of_documentation(tmp_path / "docs"))
    build_site(settings, [runs], tmp_path / "site", tmp_path / "cache", options)
    assert any("sealed" in path.read_text() for path in (tmp_path / "site").rglob("*.html")), "the badge is shown"
    assert words_in(tmp_path / "site") == []


def test_revealing_writes_back_every_byte_and_proves_what_was_published(
    tmp_path: Path, project: Path, secrets: Path, full: Path, redacted: Path, capsys: Capture
) -> None:
    code, out, _ = told(capsys, "package", "prove", redacted, full, "--project", project)
    assert code == 1
    assert "is not revealed" in out
    code, out, _ = told(capsys, "suite", "reveal", secrets, "--project", project)
    assert code == 0
    assert "revealed  3 cases" in out
    assert (project / "suites/tiny/held-out.yaml").read_text() == HELD_OUT
    code, out, _ = told(capsys, "package", "prove", redacted, full, "--project", project)
    assert (code, out.splitlines()[0]) == (0, f"proved  {redacted}")
    suites = load(find_project(project)).suites
    assert suites.sealed == {}
    assert not any(case.held_out for case in suites.cases.values()), "from now on they are cases like any others"
    code, _, err = told(capsys, "suite", "reveal", secrets, "--project", project)
    assert code == 65
    assert "revealed already" in err


def test_after_the_reveal_the_full_package_may_be_published(
    tmp_path: Path, project: Path, secrets: Path, full: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(capsys, "suite", "reveal", secrets, "--project", project)[0] == 0
    monkeypatch.chdir(project)
    code, _, err = told(capsys, "dataset", "export", full.parents[1], "--output", tmp_path / "dataset")
    assert code == 0, err


def test_a_case_that_was_changed_after_sealing_cannot_be_passed_off(
    project: Path, secrets: Path, capsys: Capture
) -> None:
    opened = json.loads(secrets.read_text())
    file = opened["suites"][0]["files"][0]
    file["text"] = file["text"].replace("Quillwort", "Quillwood")
    secrets.write_text(json.dumps(opened))
    before = (project / "suites/tiny/sealed.json").read_bytes()
    code, _, err = told(capsys, "suite", "reveal", secrets, "--project", project)
    assert code == 65
    assert "h-002" in err
    assert "not the one that was sealed" in err
    assert not (project / "suites/tiny/held-out.yaml").exists()
    assert (project / "suites/tiny/sealed.json").read_bytes() == before


def test_another_case_with_a_commitment_of_its_own_is_refused_too(
    tmp_path: Path, project: Path, secrets: Path, capsys: Capture
) -> None:
    other = make_project(tmp_path / "other")
    path = other / "suites/tiny/held-out.yaml"
    path.write_text(path.read_text().replace("Quillwort", "Quillwood"))
    seal(other, (), tmp_path / "other.json")
    code, _, err = told(capsys, "suite", "reveal", tmp_path / "other.json", "--project", project)
    assert code == 65
    assert "the published commitment is another one" in err
    code, _, err = told(
        capsys, "run", "all", "--model", "scripted:null", "--project", project, "--held-out", tmp_path / "other.json"
    )
    assert code == 65
    assert "opens another seal" in err


def test_a_forged_verdict_of_a_sealed_case_is_found_at_the_proof(
    tmp_path: Path, project: Path, secrets: Path, full: Path, redacted: Path, capsys: Capture
) -> None:

    (path,) = redacted.glob("verdicts-*.parquet")
    info, frame = read_verdicts(path)
    rows = [replace(one, passed=True) for one in verdict_records(frame)]
    assert any(not one.passed for one in verdict_records(frame))
    package = open_package(redacted)
    write_verdicts(package, rows, oracle_hash=info.oracle_hash, evaluator_version=info.evaluator_version)
    assert told(capsys, "suite", "reveal", secrets, "--project", project)[0] == 0
    code, out, _ = told(capsys, "package", "prove", redacted, full, "--project", project)
    assert code == 1
    assert "the verdict that was shown" in out


def test_a_sealed_case_that_stands_in_the_clear_is_an_error_and_not_a_leak(
    project: Path, secrets: Path, capsys: Capture
) -> None:
    (project / "suites/tiny/forgotten.yaml").write_text(HELD_OUT)
    code, _, err = told(capsys, "suite", "stats", "--project", project)
    assert code == 65
    assert "stands in the clear" in err


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("name", "../../outside.yaml", id="outside the suite"),
        pytest.param("name", "suite.yaml", id="the suite's own file"),
        pytest.param("name", "SUITE.YAML", id="the suite's own file, in other letters"),
        pytest.param("name", "notes.txt", id="no YAML"),
        pytest.param("name", "/etc/cases.yaml", id="an absolute path"),
    ],
)
def test_a_secret_file_writes_nowhere_but_beside_the_cases(
    project: Path, secrets: Path, capsys: Capture, field: str, value: str
) -> None:
    opened = json.loads(secrets.read_text())
    opened["suites"][0]["files"][0][field] = value
    secrets.write_text(json.dumps(opened))
    code, _, err = told(capsys, "suite", "reveal", secrets, "--project", project)
    assert code == 65
    assert "a place that is none for cases" in err


def test_golden_runs_of_held_out_cases_leave_with_them_and_come_back(tmp_path: Path, project: Path) -> None:
    golden = {
        "format": 1,
        "cases": {name: {"end_state": {"project": name}, "results": {"s1": "a" * 64}} for name in ("t-001", "h-001")},
    }
    path = project / "suites/tiny/golden.json"
    path.write_text(json.dumps(golden))
    secrets = tmp_path / "private.json"
    seal(project, ("tiny",), secrets)
    assert set(json.loads(path.read_text())["cases"]) == {"t-001"}
    assert main(["suite", "reveal", str(secrets), "--project", str(project)]) == 0
    assert set(json.loads(path.read_text())["cases"]) == {"t-001", "h-001"}


def test_the_embedded_suites_are_nobodys_to_seal(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = told(capsys, "suite", "seal", "--secrets", tmp_path / "private.json")
    assert code == 64
    assert "--project" in err


def test_a_moved_copy_of_a_redacted_package_still_reads(tmp_path: Path, redacted: Path) -> None:
    shutil.copytree(redacted, tmp_path / "copy" / "one")
    assert verify(tmp_path / "copy" / "one").problems == ()


def test_a_revealed_case_that_is_changed_or_removed_is_pointed_out(
    project: Path, secrets: Path, capsys: Capture
) -> None:
    assert told(capsys, "suite", "reveal", secrets, "--project", project)[0] == 0
    material = load(find_project(project))
    assert list(seal_findings(material)) == []
    path = project / "suites/tiny/held-out.yaml"
    path.write_text(path.read_text().replace("Quillwort", "Quillwood").replace("h-003", "h-004"))
    found = list(seal_findings(load(find_project(project))))
    assert [(one.severity, one.message[:5]) for one in found] == [("warning", "h-002"), ("warning", "h-003")]
    assert found[0].file == "suites/tiny/held-out.yaml"


def test_a_package_that_hides_cases_without_saying_so_fails(redacted: Path) -> None:
    path = redacted / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({name: part for name, part in manifest.items() if name != "redaction"}))
    found = verify(redacted)
    assert found.status == "failed"
    assert any("says 0 sealed cases, and 3 stand in cases.jsonl" in one for one in found.problems)
