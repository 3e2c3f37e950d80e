"""`fcbench review` as a user calls it."""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from fcbench.cli.main import main
from fcbench.packages.store import find_packages, open_package
from fcbench.site.load import load_site
from fcbench.site.slugs import attempt_path, case_path
from tests.cli.test_commands import Capture, run

ROOT = Path(__file__).resolve().parents[2]


CHATTERBOX = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "text": "<tool_call> I would call a tool."}), flush=True)
"""
"""A model that writes what looks like a call, and never calls."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The control oracle, and a model that talks of calls, over the quick subset."""
    folder = tmp_path_factory.mktemp("review")
    (folder / "chatterbox.py").write_text(CHATTERBOX, encoding="utf-8")
    command = f"command:{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'chatterbox.py'))}"
    for name, model in (("oracle", "scripted:oracle"), ("talk", command)):
        arguments = ["run", "genomics/quick", "--model", model, "--output", str(folder / "runs"), "--run-id", name]
        assert main(arguments) == 0
    return folder / "runs"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that may be written."""
    for name in ("suites", "tools_registry"):
        shutil.copytree(ROOT / name, tmp_path / "project" / name)
    (tmp_path / "project/suites/reviews.yaml").unlink(missing_ok=True)
    return tmp_path / "project"


def items_of(capsys: Capture, *arguments: object) -> list[dict[str, object]]:
    code, out, _ = run(capsys, "review", "queue", *arguments, "--min-models", 1, "--json")
    assert code == 0
    return json.loads(out)["items"]  # type: ignore[no-any-return]


def test_the_queue_leads_to_pages_of_the_site(capsys: Capture, runs: Path, project: Path) -> None:
    items = items_of(capsys, runs, "--project", project)
    assert {(one["reason"], one["model"] is None) for one in items} == {
        ("call_shaped_text", False),
        ("no_model_passes", True),
    }
    data = load_site(find_packages(runs))
    slugs = {view.manifest.run_id: view.slug for view in data.runs}
    for item in items:
        case = str(item["case"])
        page = (
            case_path(case)
            if item["run"] is None
            else attempt_path(slugs[str(item["run"])], case, int(str(item["repeat"])))
        )
        assert item["link"] == page
    linked = items_of(capsys, runs, "--project", project, "--base-url", "https://example.org/bench")
    assert str(linked[0]["link"]) == f"https://example.org/bench/{items[0]['link']}"


def test_the_queue_is_narrowed_sorted_and_written(capsys: Capture, runs: Path, project: Path, tmp_path: Path) -> None:
    items = items_of(capsys, runs, "--project", project)
    reason, case = str(items[0]["reason"]), str(items[0]["case"])
    assert {one["case"] for one in items_of(capsys, runs, "--project", project, "--case", case)} == {case}
    assert {one["reason"] for one in items_of(capsys, runs, "--project", project, "--reason", reason)} == {reason}
    assert items_of(capsys, runs, "--project", project, "--run", "nobody") == []
    cases = [str(one["case"]) for one in items_of(capsys, runs, "--project", project, "--sort", "case")]
    assert cases == sorted(cases)
    target = tmp_path / "queue.csv"
    items_of(capsys, runs, "--project", project, "--output", target)
    assert len(list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"), newline="")))) == len(items)


@pytest.mark.parametrize(("option", "word"), [("--reason", "timed_out"), ("--sort", "suite")])
def test_the_queue_names_what_there_is(capsys: Capture, runs: Path, option: str, word: str) -> None:
    code, out, err = run(capsys, "review", "queue", runs, option, "beauty")
    assert (code, out) == (64, "")
    assert word in err


def test_what_is_decided_leaves_the_queue(capsys: Capture, runs: Path, project: Path) -> None:
    before = items_of(capsys, runs, "--project", project)
    item = next(one for one in before if one["run"])
    scope = ["--anomaly", item["reason"], "--run", item["run"], "--repeat", item["repeat"]]
    claim = ["review", "claim", item["case"], "--says", "looked at", "--by", "A", "--date", "2026-12-01", *scope]
    assert run(capsys, *claim, "--project", project)[0] == 0
    assert items_of(capsys, runs, "--project", project) == before
    assert (
        run(capsys, "review", "rule", "c0001", "rejected", "--reason", "as it is", "--by", "B", "--project", project)[0]
        == 0
    )
    after = items_of(capsys, runs, "--project", project)
    assert [one for one in before if one != item] == after
    assert items_of(capsys, runs, "--project", project, "--decided") == before
    assert not (project / "suites/run.lock").exists()


def test_an_item_is_decided_at_once(capsys: Capture, runs: Path, project: Path) -> None:
    item = items_of(capsys, runs, "--project", project)[0]
    claim = ["review", "claim", item["case"], "--says", "looked at", "--by", "A", "--anomaly", item["reason"]]
    assert run(capsys, *claim, "--ruling", "rejected", "--project", project)[0] == 64
    code, out, _ = run(capsys, *claim, "--ruling", "rejected", "--reason", "fine", "--project", project)
    assert code == 0
    assert out.startswith("c0001  rejected")
    assert item not in items_of(capsys, runs, "--project", project)


def test_both_scores_are_shown_until_the_claim_is_resolved(capsys: Capture, runs: Path, project: Path) -> None:
    assert "no board" in run(capsys, "review", "scores", runs, "--project", project)[1]
    case = next(iter(open_package(next(iter(find_packages(runs)))).header.cases))
    claim = ["review", "claim", case, "--says", "it is wrong", "--by", "A. Reader", "--project", project]
    assert run(capsys, *claim)[0] == 0
    code, out, _ = run(capsys, "review", "scores", runs, "--project", project, "--json")
    boards = json.loads(out)
    assert code == 0
    assert {tuple(board["disputed"]) for board in boards} == {(case,)}
    row = boards[0]["rows"][0]
    total = [row[f"{name}_n"] or 0 for name in ("strict", "restraint_accuracy")]
    without = [row[f"{name}_without_n"] or 0 for name in ("strict", "restraint_accuracy")]
    assert sum(total) - sum(without) == 1
    assert "disputed: " + case in run(capsys, "review", "scores", runs, "--project", project)[1]
    rule = ["review", "rule", "c0001", "upheld", "--reason", "so it is", "--by", "B", "--project", project]
    assert run(capsys, *rule)[0] == 65
    assert run(capsys, *rule, "--change", "the range was mended")[0] == 0
    assert "no board" in run(capsys, "review", "scores", runs, "--project", project)[1]
    code, out, _ = run(capsys, "review", "list", "--standing", "upheld", "--project", project)
    assert "Changed: the range was mended" in out
    assert run(capsys, "review", "list", "--standing", "open", "--project", project)[1] == "no claim\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["claim", "nothing", "--says", "x", "--by", "y"], 66, id="no such case"),
        pytest.param(["claim", "gs-017", "--says", " ", "--by", "y"], 65, id="nothing is said"),
        pytest.param(["claim", "gs-017", "--says", "x", "--by", "y", "--date", "today"], 65, id="no date"),
        pytest.param(["claim", "gs-017", "--says", "x", "--by", "y", "--anomaly", "odd"], 64, id="no such reason"),
        pytest.param(["rule", "c0001", "rejected", "--reason", "x", "--by", "y"], 65, id="no such claim"),
    ],
)
def test_a_wrong_entry_writes_nothing(capsys: Capture, project: Path, arguments: list[str], code: int) -> None:
    assert run(capsys, "review", *arguments, "--project", project)[0] == code
    assert not (project / "suites/reviews.yaml").exists()


def test_tables_say_which_cases_are_disputed(
    capsys: Capture, runs: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert "DISPUTED" not in run(capsys, "tables", runs)[1]
    assert run(capsys, "review", "claim", "gs-001", "--says", "wrong", "--by", "A")[0] == 0
    assert "DISPUTED: gs-001;" in run(capsys, "tables", runs)[1]
    _, out, _ = run(capsys, "tables", runs, "--json")
    assert {tuple(board["disputed"]) for board in json.loads(out)} == {("gs-001",)}
    (project / "suites/reviews.yaml").write_text("- claim: 1\n", encoding="utf-8")
    code, _, err = run(capsys, "tables", runs)
    assert code == 65
    assert "suites/reviews.yaml:1" in err


def test_terminal_escapes_in_a_claim_do_nothing(capsys: Capture, project: Path) -> None:
    claim = ["review", "claim", "gs-017", "--says", "\x1b[31mred\x1b]0;title\x07", "--by", "A", "--project", project]
    code, out, _ = run(capsys, *claim)
    assert code == 0
    assert "\x1b" not in out
    assert b"\x1b" not in (project / "suites/reviews.yaml").read_bytes()


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_manual_cases_from_collecting_to_the_outcome(
    capsys: Capture, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, session = tmp_path / "answers.jsonl", tmp_path / "session"
    for model in ("red", "blue"):
        collect = ["review", "collect", "--model", model, "--output", answers, "--project", project]
        typed(monkeypatch, "First line", "\x1b[2Jsecond line", ".", "quit")
        assert run(capsys, *collect)[0] == 0
        typed(monkeypatch, "Another.", ".")
        assert run(capsys, *collect)[1].startswith("1 answers added")
    assert run(capsys, "review", "blind", answers, "--output", session, "--project", project)[0] == 0
    # Four items of three criteria: the first rater leaves in the middle of an item and comes back.
    typed(monkeypatch, "3", "3", "3", "2", "2", "q")
    code, out, err = run(capsys, "review", "rate", session, "--rater", "anna")
    assert (code, out) == (0, "1 of 4 items rated\n")
    assert "\x1b" not in err
    assert not any(
        f'"{model}"' in path.read_text(encoding="utf-8") for path in session.iterdir() for model in ("red", "blue")
    )
    assert run(capsys, "review", "agree", session)[0] == 64
    typed(monkeypatch, "?", "9", "2", "2", "2", "3", "3", "3", "1", "1", "1")
    assert run(capsys, "review", "rate", session, "--rater", "anna")[1] == "4 of 4 items rated\n"
    sheet = tmp_path / "ben.csv"
    assert run(capsys, "review", "rate", session, "--rater", "ben", "--export", sheet)[0] == 0
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"), newline="")))
    with sheet.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "rating": "3"} for row in rows)
    assert run(capsys, "review", "rate", session, "--rater", "ben", "--import", sheet)[1] == "4 of 4 items rated\n"
    code, out, _ = run(capsys, "review", "agree", session, "--json")
    report = json.loads(out)
    assert (code, report["overall"]["items"], len(report["differing"])) == (0, 4, 2)
    assert run(capsys, "review", "outcome", session)[0] == 64
    typed(monkeypatch, "3", "3", "3", "0", "0", "0")
    assert run(capsys, "review", "consensus", session)[1] == "2 of 2 items settled\n"
    code, out, _ = run(capsys, "review", "outcome", session, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["manual"] is True
    assert sorted(one["passed"] for one in told["outcomes"]) == [False, True, True, True]
    assert {one["model"] for one in told["outcomes"]} == {"red", "blue"}


def test_a_manual_case_cannot_be_run(capsys: Capture, tmp_path: Path) -> None:
    for target in ("manual", "manual/manual-001"):
        code, out, _ = run(capsys, "run", target, "--model", "scripted:null", "--output", tmp_path)
        assert code in (64, 66)
        assert out == ""
    assert list(tmp_path.iterdir()) == []
