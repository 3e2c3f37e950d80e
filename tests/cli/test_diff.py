"""`fcbench diff` as a user calls it: exit codes, table and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.aggregate.verdict_files import verdict_files, write_verdicts
from fcbench.cli.main import main
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.store import open_package
from fcbench.workflows.score import judge_package
from tests.site.sample_packages import CASES, make_package, passing, sample_runs, wrong_tool, wrong_value

Capture = pytest.CaptureFixture[str]
OLDER = EVALUATOR_VERSION - 1


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main(["diff", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample packages, and three of one repeat over the first three cases: fine, again (equal) and worse."""
    root = tmp_path_factory.mktemp("runs")
    sample_runs(root)
    fine = [passing(case, 1) for case in CASES[:3]]
    for name in ("fine", "again"):
        make_package(root, name, "m", CASES[:3], fine)
    make_package(root, "worse", "n", CASES[:3], [fine[0], wrong_value(CASES[1], 1), wrong_tool(CASES[2], 1)])
    make_package(root, "steered", "m", CASES[:3], fine, mode="oracle-assisted")
    return next(root.iterdir())


def test_no_difference_is_0(capsys: Capture, runs: Path) -> None:
    code, out, err = run(capsys, runs / "fine", runs / "again")
    assert (code, err) == (0, "")
    assert out.count("cases: 3 the same") == 2, "once a tier"


def test_differences_are_1_with_a_line_for_each_case(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, runs / "fine", runs / "worse")
    lines = out.splitlines()
    strict = lines[lines.index("native-function-contract") :]
    assert code == 1
    assert lines[0].startswith("A: m, 3 cases x 1, ")
    assert strict[1].startswith("  strict accuracy: A 100.0 %, B 33.3 %, difference -66.7 points over the 3 call cases")
    assert "2 lost, 0 gained, two-sided p = 0.5 (of this one comparison, not corrected" in strict[2]
    assert strict[3] == "  cases: 2 lost (A passes, B fails), 1 the same"
    assert [line.split()[:4] for line in strict[6:8]] == [
        ["hypotheek-002", "lost", "1/1", "0/1"],
        ["hypotheek-003", "lost", "1/1", "0/1"],
    ]
    assert "B fails `argument_values`: " in strict[6]
    assert "note: A and B differ in attributes of a row, which are no part of the board: provider" in lines


def test_repeats_have_shares_the_failing_repeat_and_the_test_for_them(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, runs / "20261130-alpha", runs / "20261130-beta")
    assert code == 1
    assert "sign-flip test on the shares of passing repeats: two-sided p = " in out
    assert "restraint accuracy: A 100.0 %, B 0.0 %, difference -100.0 points over the 1 restraint cases" in out
    assert "  hypotheek-003  more    1/3  3/3  A fails `sequence` in repeat 1: " in out
    assert "note: B was sealed incomplete" in out


def test_json_holds_every_case_and_every_field(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, runs / "fine", runs / "worse", "--json")
    data = json.loads(out)
    strict = data["tiers"][0]
    assert code == 1
    assert (data["compared"], data["differs"]) == ("packages", True)
    assert data["board"]["evaluator_version"] == EVALUATOR_VERSION
    assert strict["counts"] == {"lost": 2, "gained": 0, "fewer": 0, "more": 0, "same": 1}
    assert strict["mcnemar_p"] == 0.5
    assert (strict["only_in_a"], strict["only_in_b"], strict["in_neither"], strict["restraint"]) == ([], [], [], None)
    assert [case["change"] for case in strict["cases"]] == ["same", "lost", "lost"]
    assert strict["cases"][0]["reason"] is None
    assert strict["cases"][1]["reason"]["faults"]


def test_other_boards_are_78_and_name_what_differs(capsys: Capture, runs: Path) -> None:
    code, out, err = run(capsys, runs / "fine", runs / "steered")
    assert (code, out) == (78, "")
    assert "harness_mode production-parity and oracle-assisted" in err
    assert "fcbench tables" in err


@pytest.mark.parametrize("second", [True, False], ids=["given twice", "given once"])
def test_one_package_compares_stored_verdicts_with_this_evaluator(capsys: Capture, runs: Path, second: bool) -> None:
    folder = runs / "again"
    code, out, _ = run(capsys, folder, *([folder / ".." / "again"] if second else []))
    assert "  before: verdicts-v" in out
    assert f"  after:  evaluator {EVALUATOR_VERSION}, computed now, 6 verdicts" in out
    assert (code, "\n0 flips\n6 verdicts changed without a flip: conditions in 6" in out) == (1, True), "made by hand"


def test_two_evaluators_say_what_flipped_and_why(capsys: Capture, runs: Path, tmp_path: Path) -> None:
    package = make_package(tmp_path, "one", "m", CASES[:3], [passing(case, 1) for case in CASES[:3]])
    package = open_package(package.folder)
    older = [
        replace(
            one,
            passed=False,
            conditions=tuple(replace(part, passed=False, reason="\x1b[2JNot\nso.") for part in one.conditions),
            evaluator_version=OLDER,
        )
        for one in judge_package(package)
    ]
    write_verdicts(package, older, oracle_hash=package.header.oracle_hash, evaluator_version=OLDER)
    code, out, _ = run(capsys, package.folder, "--evaluator", OLDER, EVALUATOR_VERSION)
    assert code == 1
    assert "\n6 flips\n" in out
    assert out.count("failed -> passed") == 6
    assert "failed `in_time` before: \\u001b[2JNot so; passes now: The attempt ended within its time limit." in out
    code, out, _ = run(capsys, package.folder, "--evaluator", EVALUATOR_VERSION, OLDER, "--json")
    data = json.loads(out)
    assert (code, data["compared"], data["after"]["verdicts_of"]) == (1, "evaluators", verdict_files(package)[0].name)
    assert {(flip["before"], flip["after"]) for flip in data["flips"]} == {(True, False)}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(("fine", "worse", "--evaluator", 1, 2), 64, id="two packages and two evaluators"),
        pytest.param(("fine", "--evaluator", 1, 1), 64, id="one evaluator twice"),
        pytest.param(("fine", "--evaluator", "x", 1), 64, id="no number"),
        pytest.param((), 64, id="nothing"),
        pytest.param(("fine", "nowhere"), 66, id="no such package"),
        pytest.param(("fine", "--evaluator", -7, 1), 66, id="a version that nobody wrote"),
    ],
)
def test_wrong_arguments_are_errors_and_never_results(
    capsys: Capture, runs: Path, arguments: tuple[object, ...], expected: int
) -> None:
    placed = [runs / str(one) if str(one).isalpha() and len(str(one)) > 1 else one for one in arguments]
    code, out, err = run(capsys, *placed)
    assert (code, out) == (expected, "")
    assert err.startswith("error: ")
