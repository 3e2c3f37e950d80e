"""Scoring a sealed package again says which verdicts flip, and why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.aggregate.verdict_files import (
    read_verdicts,
    verdict_file_name,
    verdict_files,
    verdict_records,
    write_verdicts,
)
from fcbench.cli.main import main
from fcbench.core.verdicts import Condition, Fault, Verdict
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.store import Package, open_package
from fcbench.workflows.score import judge_package, score
from tests.site.sample_packages import CASES, make_package, passing

GOLDEN = Path(__file__).parents[1] / "golden" / "packages" / "v1" / "7252ac108e0c" / "golden-v1"
OLDER = EVALUATOR_VERSION - 1
Edit = Callable[[Verdict], Verdict]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """A copy of the golden package without any verdict file."""
    folder = tmp_path / "runs" / GOLDEN.parent.name / GOLDEN.name
    shutil.copytree(GOLDEN, folder, ignore=shutil.ignore_patterns("verdicts-*"))
    return open_package(folder)


def write_older(package: Package, edit: Edit) -> list[Verdict]:
    """A verdict file as an older evaluator could have left it; the verdicts of today."""
    today = list(judge_package(package))
    older = [replace(edit(one), evaluator_version=OLDER) for one in today]
    write_verdicts(package, older, oracle_hash=package.header.oracle_hash, evaluator_version=OLDER)
    return today


def with_old_fault(verdict: Verdict) -> Verdict:
    """A passing verdict as one that failed."""
    if not verdict.passed:
        return verdict
    conditions = [*verdict.conditions]
    conditions[-1] = replace(conditions[-1], passed=False, reason="It was judged too strictly.")
    fault = Fault(kind="wrong_value", sentence="Wrong value at /x: expected 1, found 1.0.")
    return replace(verdict, passed=False, conditions=tuple(conditions), faults=(fault,))


def test_without_an_earlier_file_there_is_nothing_to_compare_with(package: Package) -> None:
    scored = score(package)
    assert scored.verdicts
    assert (scored.compared_with, bool(scored.changes)) == (None, False)


def test_a_file_under_another_name_than_its_own_is_compared_with_nothing(package: Package) -> None:
    write_older(package, with_old_fault)
    path = verdict_files(package)[0]
    path.rename(path.parent / verdict_file_name(EVALUATOR_VERSION, package.header.oracle_hash[::-1]))
    assert score(package).compared_with is None


def test_every_verdict_that_passes_now_says_what_failed_before(package: Package) -> None:
    today = write_older(package, with_old_fault)
    scored = score(package)
    passing = [one for one in today if one.passed]
    assert passing
    assert scored.compared_with == verdict_files(package)[0].name
    assert [(one.task_id, one.repeat, one.tier) for one in scored.flips] == sorted(
        (one.task_id, one.repeat, one.tier) for one in passing
    )
    for flip in scored.flips:
        assert flip.condition is not None
        now = next(
            one for one in today if (one.task_id, one.repeat, one.tier) == (flip.task_id, flip.repeat, flip.tier)
        )
        assert flip.condition.name == now.conditions[-1].name
        assert flip.vanished == ("wrong_value",)
        assert flip.reason == (
            f"failed `{now.conditions[-1].name}` before: It was judged too strictly. Wrong value at /x: expected 1, "
            f"found 1.0; passes now: {now.conditions[-1].reason}"
        )
    assert scored.changes.changed == ()


def test_a_verdict_that_fails_now_says_what_fails_and_what_passed_before(package: Package) -> None:
    today = write_older(package, lambda one: replace(one, passed=True, conditions=_passing(one), faults=()))
    failing = {(one.task_id, one.repeat, one.tier): one for one in today if not one.passed}
    flips = score(package).flips
    assert failing
    assert len(flips) == len(failing)
    for flip in flips:
        now = failing[flip.task_id, flip.repeat, flip.tier]
        first = next(one for one in now.conditions if not one.passed)
        assert flip.reason.startswith(f"fails `{first.name}` now: {first.reason}")
        assert "passed before: It passed." in flip.reason
        assert set(flip.appeared) == {fault.kind for fault in now.faults}


def _passing(verdict: Verdict) -> tuple[Condition, ...]:
    return tuple(replace(one, passed=True, reason="It passed.") for one in verdict.conditions)


def test_what_changed_without_a_flip_is_listed_apart(package: Package) -> None:
    today = write_older(package, lambda one: replace(one, partial=replace(one.partial, score=0.125)))
    changes = score(package).changes
    assert changes.flips == ()
    assert len(changes.changed) == len(today)
    assert {one.parts for one in changes.changed} == {("partial",)}
    assert {one.score_before for one in changes.changed} == {0.125}


def test_scoring_twice_changes_nothing_the_second_time(package: Package) -> None:
    write_older(package, with_old_fault)
    assert score(package).changes
    assert not score(package).changes


def test_todays_oracle_gives_reasons_too(tmp_path: Path) -> None:
    case = CASES[0]
    package = make_package(tmp_path, "one", "model", [case], [passing(case, 1)])
    asked = {**case.oracle.calls[0].arguments, "dossier_id": "DOS-00001"}
    calls = (replace(case.oracle.calls[0], arguments=asked),)
    scored = score(package, {case.id: replace(case, oracle=replace(case.oracle, calls=calls))})
    assert scored.compared_with == "own oracle"
    strict, by_task = scored.flips
    assert (strict.before, strict.after, strict.appeared) == (True, False, ("wrong_value",))
    assert strict.reason.startswith("fails `argument_values` now: ")
    assert "DOS-30971" in strict.reason
    assert by_task.reason.startswith("fails `arguments` now: ")


def test_the_command_prints_a_table_of_flips_and_one_line_of_the_rest(
    package: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    today = write_older(package, lambda one: replace(with_old_fault(one), anomalies=("timeout",)))
    flips = sum(one.passed for one in today)
    assert main(["score", str(package.folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{len(today)} verdicts, {flips} flips against verdicts-v{OLDER}-" in lines[0]
    assert lines[1].split() == ["case", "repeat", "tier", "before", "->", "after", "reason"]
    assert sum("failed -> passed" in line for line in lines) == flips
    assert lines[
        -1
    ] == f"  {len(today) - flips} verdicts changed without a flip: anomalies in {len(today) - flips} " + (
        "(each with --json)"
    )
    write_older(package, with_old_fault)
    verdict_files(package)[-1].unlink()
    assert main(["score", str(package.folder), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert len(told["flips"]) == flips
    assert told["flips"][0]["condition"]["sentence_before"] == "It was judged too strictly."
    assert (told["changed"], told["only_before"], told["only_after"]) == ([], [], [])


def test_hostile_words_of_an_older_file_are_printed_plain_and_cut(
    package: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    def hostile(verdict: Verdict) -> Verdict:
        old = with_old_fault(verdict)
        reason = "\x1b[31mred\nsecond line " + "x" * 100_000
        return replace(old, conditions=tuple(replace(one, reason=reason) for one in old.conditions))

    today = write_older(package, hostile)
    assert main(["score", str(package.folder)]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\\u001b[31mred second line" in told
    assert max(map(len, told.splitlines())) < 400
    assert len(told.splitlines()) == 3 + sum(one.passed for one in today)


def test_the_file_that_is_written_holds_todays_verdicts(package: Package) -> None:
    today = write_older(package, with_old_fault)
    _, frame = read_verdicts(score(package).path)
    assert sorted(verdict_records(frame), key=str) == sorted(today, key=str)
