"""Two packages of one board, or two evaluator versions over one package: what differs, and why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.aggregate.verdict_files import verdict_file_name, verdict_files, write_verdicts
from fcbench.core.evidence import Attempt
from fcbench.core.verdicts import Verdict
from fcbench.errors import MixedBoardsError, NotFoundError, PackageError, UsageError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.workflows.compare_evaluators import COMPUTED, compare_evaluators
from fcbench.workflows.compare_packages import PackageComparison, TierDifference, compare_packages
from fcbench.workflows.score import judge_package, score
from tests.site.sample_packages import (
    CASES,
    make_package,
    no_call,
    passing,
    provider_error,
    sample_runs,
    wrong_tool,
    wrong_value,
)

OLDER = EVALUATOR_VERSION - 1
Judged = tuple[Attempt, list[Verdict]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The packages alpha, beta and null, each over six cases with three repeats."""
    runs = tmp_path_factory.mktemp("samples")
    sample_runs(runs)
    return {folder.name.removeprefix("20261130-"): folder for folder in find_packages(runs)}


def strict_tier(found: PackageComparison) -> TierDifference:
    return next(tier for tier in found.tiers if tier.tier == "native-function-contract")


def made(runs: Path, name: str, judged: Sequence[Judged], **more: object) -> Path:
    """A package over the first three cases; one without a repeat of a case is incomplete."""
    return make_package(runs, name, f"model {name}", CASES[:3], judged, **more).folder  # type: ignore[arg-type]


def all_passing(repeat: int = 1) -> list[Judged]:
    return [passing(case, repeat) for case in CASES[:3]]


def test_each_case_is_lost_gained_changed_in_share_or_the_same(samples: dict[str, Path]) -> None:
    tier = strict_tier(compare_packages(samples["alpha"], samples["beta"]))
    shares = {one.task_id: (one.change, one.passed_a, one.judged_a, one.passed_b, one.judged_b) for one in tier.cases}
    assert shares == {
        "hypotheek-001": ("same", 3, 3, 3, 3),
        "hypotheek-002": ("gained", 0, 3, 3, 3),
        "hypotheek-003": ("more", 1, 3, 3, 3),
        "hypotheek-004": ("same", 0, 3, 0, 3),
        "hypotheek-005": ("gained", 0, 3, 2, 2),
        "hypotheek-006": ("lost", 3, 3, 0, 3),
    }
    assert tier.counts == {"lost": 1, "gained": 2, "fewer": 0, "more": 1, "same": 2}
    assert tier.differs


def test_the_other_way_round_gained_is_lost_and_more_is_fewer(samples: dict[str, Path]) -> None:
    tier = strict_tier(compare_packages(samples["beta"], samples["alpha"]))
    assert tier.counts == {"lost": 2, "gained": 1, "fewer": 1, "more": 0, "same": 2}


def test_the_reason_is_the_first_failing_attempt_of_the_side_that_does_worse(samples: dict[str, Path]) -> None:
    reasons = {
        one.task_id: one.reason for one in strict_tier(compare_packages(samples["alpha"], samples["beta"])).cases
    }
    gained, lost = reasons["hypotheek-002"], reasons["hypotheek-006"]
    assert reasons["hypotheek-001"] is None
    assert gained is not None
    assert (gained.side, gained.repeat, gained.condition) == ("A", 1, "argument_values")
    assert "enum_out_of_vocabulary" in gained.fault_kinds
    assert gained.faults[0] in gained.sentence
    assert lost is not None
    assert (lost.side, lost.condition, lost.fault_kinds[0]) == ("B", "no_call", "call_not_due")


def test_the_reason_comes_from_a_repeat_that_fails(tmp_path: Path) -> None:
    a = made(tmp_path, "a", [*all_passing(), *all_passing(2)], repeats=2)
    mixed = [*all_passing(), *all_passing(2)[:2], wrong_tool(CASES[2], 2)]
    (one,) = [
        one
        for one in strict_tier(compare_packages(a, made(tmp_path, "b", mixed, repeats=2))).cases
        if one.change != "same"
    ]
    assert (one.change, one.passed_b, one.judged_b) == ("fewer", 1, 2)
    assert one.reason is not None
    assert (one.reason.side, one.reason.repeat) == ("B", 2)


def flips_by_hand(gains: list[Fraction]) -> float:
    """Every choice of signs, one by one."""
    sums = [sum(each) for each in product(*((gain, -gain) for gain in gains))]
    return sum(abs(one) >= abs(sum(gains)) for one in sums) / len(sums)


def test_accuracies_are_of_call_cases_and_of_restraint_cases_apart(samples: dict[str, Path]) -> None:
    tier = strict_tier(compare_packages(samples["alpha"], samples["beta"]))
    assert tier.strict is not None
    assert tier.strict.cases == 5
    assert tier.strict.a == pytest.approx((1 + 1 / 3) / 5)
    assert tier.strict.b == pytest.approx(4 / 5)
    assert tier.strict.difference == pytest.approx(4 / 5 - (1 + 1 / 3) / 5)
    assert tier.restraint is not None
    assert (tier.restraint.cases, tier.restraint.a, tier.restraint.b) == (1, 1.0, 0.0)
    assert tier.mcnemar_p is None, "three repeats: the exact test of one repeat does not apply"
    gains = [
        Fraction(one.passed_b, one.judged_b) - Fraction(one.passed_a, one.judged_a)
        for one in tier.cases
        if one.decision == "call"
    ]
    assert tier.sign_flip_p == flips_by_hand(gains)


def test_one_repeat_each_has_the_exact_test(tmp_path: Path) -> None:
    a = made(tmp_path, "a", all_passing())
    b = made(tmp_path, "b", [passing(CASES[0], 1), wrong_value(CASES[1], 1), wrong_tool(CASES[2], 1)])
    tier = strict_tier(compare_packages(a, b))
    assert tier.counts["lost"] == 2
    assert tier.mcnemar_p == tier.sign_flip_p == 0.5


def test_a_control_is_compared_like_any_run(samples: dict[str, Path]) -> None:
    found = compare_packages(samples["beta"], samples["null"])
    assert (found.a.control, found.b.control) == (False, True)
    assert strict_tier(found).counts["lost"] == 4
    assert strict_tier(found).counts["gained"] == 1


def test_cases_with_a_verdict_on_one_side_only_are_listed_and_not_scored(tmp_path: Path) -> None:
    a = made(tmp_path, "a", [passing(CASES[0], 1), passing(CASES[1], 1), provider_error(CASES[2], 1)])
    b = made(tmp_path, "b", [provider_error(CASES[0], 1), passing(CASES[1], 1), provider_error(CASES[2], 1)])
    found = compare_packages(a, b)
    tier = strict_tier(found)
    assert (tier.only_in_a, tier.only_in_b, tier.in_neither) == ((CASES[0].id,), (), (CASES[2].id,))
    assert [one.task_id for one in tier.cases] == [CASES[1].id]
    assert tier.strict is not None
    assert (tier.strict.a, tier.strict.b, tier.strict.cases) == (1.0, 1.0, 1)
    assert found.differs
    assert any("B was sealed incomplete" in note for note in found.notes)


def test_equal_runs_do_not_differ(tmp_path: Path) -> None:
    found = compare_packages(made(tmp_path, "a", all_passing()), made(tmp_path, "b", all_passing()))
    assert not found.differs
    assert strict_tier(found).mcnemar_p == 1.0


def test_only_repeats_that_every_case_has_are_compared(tmp_path: Path) -> None:
    extra = [no_call(CASES[0], 2)]
    a = make_package(tmp_path, "a", "m", CASES[:3], [*all_passing(), *extra], repeats=2)
    b = made(tmp_path, "b", all_passing())
    manifest = json.loads((a.folder / "manifest.json").read_bytes())
    manifest["repeats_done"] = 1
    (a.folder / "manifest.json").write_text(json.dumps(manifest))
    found = compare_packages(a.folder, b)
    assert not found.differs
    assert (found.a.repeats, found.b.repeats) == (1, 1)


def test_another_board_is_refused_with_the_parts_that_differ(tmp_path: Path, samples: dict[str, Path]) -> None:
    a = made(tmp_path, "a", all_passing())
    with pytest.raises(MixedBoardsError, match="different boards") as caught:
        compare_packages(a, made(tmp_path, "b", all_passing(), mode="oracle-assisted"))
    assert caught.value.found == "harness_mode production-parity and oracle-assisted"
    assert caught.value.next_step
    with pytest.raises(MixedBoardsError) as caught:
        compare_packages(a, samples["alpha"])
    assert caught.value.found is not None
    assert [part.split()[0] for part in caught.value.found.split("; ")] == ["task_hash", "oracle_hash"]


def test_another_oracle_is_another_board(tmp_path: Path) -> None:
    a = made(tmp_path, "a", all_passing())
    case = CASES[0]
    calls = (replace(case.oracle.calls[0], arguments={**case.oracle.calls[0].arguments, "dossier_id": "DOS-00001"}),)
    cases = [replace(case, oracle=replace(case.oracle, calls=calls)), *CASES[1:3]]
    b = make_package(tmp_path, "b", "m", cases, all_passing()).folder
    with pytest.raises(MixedBoardsError) as caught:
        compare_packages(a, b)
    assert (caught.value.found or "").startswith("oracle_hash ")
    assert "; " not in (caught.value.found or "")


def test_a_verdict_file_of_another_evaluator_is_not_used_and_a_note_says_so(tmp_path: Path) -> None:
    a, b = made(tmp_path, "a", all_passing()), made(tmp_path, "b", all_passing())
    write_older(open_package(b), passed=False)
    for path in verdict_files(open_package(b)):
        if f"-v{OLDER}-" not in path.name:
            path.unlink()
    before = sorted(path.name for path in b.iterdir())
    found = compare_packages(a, b)
    assert not found.differs
    (note,) = [note for note in found.notes if "verdict file of B" in note]
    assert note.startswith(f"the newest verdict file of B is of evaluator {OLDER}: both packages were judged anew")
    assert sorted(path.name for path in b.iterdir()) == before, "nothing is written"


def write_older(package: Package, *, passed: bool, version: int = OLDER, name: str | None = None) -> Path:
    """A verdict file in which every verdict of today passes, or none."""
    older = [
        replace(
            one,
            passed=passed,
            conditions=tuple(replace(part, passed=passed, reason="As it was.") for part in one.conditions),
            evaluator_version=version,
        )
        for one in judge_package(package)
    ]
    path = write_verdicts(package, older, oracle_hash=package.header.oracle_hash, evaluator_version=version)
    return path.rename(path.parent / name) if name else path


@pytest.fixture
def one(tmp_path: Path) -> Package:
    """A package with three passing cases, scored by this evaluator."""
    package = open_package(made(tmp_path, "one", all_passing()))
    for path in verdict_files(package):
        path.unlink()
    score(package)
    return package


def test_one_package_compares_its_stored_verdicts_with_this_evaluator(one: Package) -> None:
    found = compare_evaluators(one.folder)
    assert (found.differs, found.before, found.after) == (False, verdict_files(one)[0].name, COMPUTED)
    assert found.verdicts_before == found.verdicts_after == 6


def test_an_older_evaluators_file_is_compared_before_this_ones_own(one: Package) -> None:
    path = write_older(one, passed=False)
    found = compare_evaluators(one.folder)
    assert found.before == path.name
    assert len(found.changes.flips) == 6
    assert all(flip.reason.startswith("failed `") for flip in found.changes.flips)


@pytest.mark.parametrize("versions", [(OLDER, EVALUATOR_VERSION), (EVALUATOR_VERSION, OLDER)])
def test_two_versions_are_compared_in_the_order_that_was_asked(one: Package, versions: tuple[int, int]) -> None:
    write_older(one, passed=False)
    flips = compare_evaluators(one.folder, versions).changes.flips
    assert {flip.after for flip in flips} == {versions[1] == EVALUATOR_VERSION}
    assert len(flips) == 6


def test_a_version_newer_than_this_one_is_read_from_its_file(one: Package) -> None:
    write_older(one, passed=False, version=EVALUATOR_VERSION + 1)
    found = compare_evaluators(one.folder, (EVALUATOR_VERSION, EVALUATOR_VERSION + 1))
    assert (found.before, len(found.changes.flips)) == (COMPUTED, 6)
    assert compare_evaluators(one.folder).before == verdict_files(one)[0].name, "unasked, a newer one is passed over"


def test_a_version_that_is_not_stored_is_not_found(one: Package) -> None:
    with pytest.raises(NotFoundError, match="lacks these verdicts") as caught:
        compare_evaluators(one.folder, (EVALUATOR_VERSION, 99))
    assert caught.value.found == verdict_files(one)[0].name
    verdict_files(one)[0].unlink()
    with pytest.raises(NotFoundError, match="lacks these verdicts") as caught:
        compare_evaluators(one.folder)
    assert caught.value.found == "no verdict file"


def test_the_same_version_twice_is_refused(one: Package) -> None:
    with pytest.raises(UsageError, match="differs in nothing"):
        compare_evaluators(one.folder, (1, 1))


def test_a_verdict_file_under_another_name_or_of_other_evidence_is_refused(one: Package, tmp_path: Path) -> None:
    oracle = one.header.oracle_hash
    write_older(one, passed=False, name=verdict_file_name(EVALUATOR_VERSION + 8, oracle))
    with pytest.raises(PackageError, match="not what its name says"):
        compare_evaluators(one.folder, (EVALUATOR_VERSION, EVALUATOR_VERSION + 8))
    other = open_package(made(tmp_path / "elsewhere", "one", [no_call(case, 1) for case in CASES[:3]]))
    foreign = write_older(other, passed=True)
    shutil.copy(foreign, one.folder / foreign.name)
    with pytest.raises(PackageError, match="not what its name says"):
        compare_evaluators(one.folder, (OLDER, EVALUATOR_VERSION))
    (one.folder / foreign.name).write_bytes(b"PAR1 torn")
    with pytest.raises(PackageError, match="damaged"):
        compare_evaluators(one.folder, (OLDER, EVALUATOR_VERSION))
    assert not compare_evaluators(one.folder).differs, "unasked, a damaged file is passed over"


def test_altered_evidence_is_compared_with_nothing(one: Package, tmp_path: Path) -> None:
    fine = made(tmp_path, "fine", all_passing())
    path = one.folder / "attempts.jsonl"
    path.write_bytes(path.read_bytes().replace(b"DOS-30971", b"DOS-30972"))
    for compare in (lambda: compare_evaluators(one.folder), lambda: compare_packages(fine, one.folder)):
        with pytest.raises(PackageError, match="not what was sealed"):
            compare()


def test_a_folder_that_is_no_package_is_not_found(one: Package, tmp_path: Path) -> None:
    for a, b in ((tmp_path, one.folder), (one.folder, tmp_path / "nowhere")):
        with pytest.raises(NotFoundError, match="no execution package"):
            compare_packages(a, b)
