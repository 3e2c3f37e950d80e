"""What a suite aims at, and twins in two languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcbench.suites import stats
from fcbench.suites.targets import word_count
from tests.suites.test_check import found
from tests.suites.tiny import CASES, SUITE, load, write

TWIN_SUITE = SUITE.replace("tiny", "klein").replace("language: en", "language: nl").replace("46d4d4db", "56d4d4db")
LABELS = "labels: {category: parts, traps: [off_by_one]}"
PAIRED = CASES.replace(LABELS, "labels: {category: parts, traps: [off_by_one], pair: t-001}")
TWIN = PAIRED.replace("t-00", "k-00").replace("pair: k-001", "pair: t-001")


@pytest.mark.parametrize(
    ("targets", "findings"),
    [
        pytest.param("{levels: {L1: 2}}", [], id="as many of a level as aimed at"),
        pytest.param("{levels: {L1: 3}}", [("levels", "suite.yaml", 11)], id="too few of a level"),
        pytest.param("{levels: {L4: 1}}", [("levels", "suite.yaml", 11)], id="none of a level"),
        pytest.param("{traps: {off_by_one: 1}}", [], id="a trap set as often as aimed at"),
        pytest.param("{traps: {off_by_one: 2}}", [("traps", "suite.yaml", 11)], id="a trap set too seldom"),
        pytest.param("{words: {least: 8, most: 12}}", [], id="lengths at both ends"),
        pytest.param("{words: {least: 9, most: 12}}", [("words", "cases.yaml", 13)], id="too short"),
        pytest.param("{words: {least: 8, most: 11}}", [("words", "cases.yaml", 3)], id="too long"),
    ],
)
def test_a_target_that_is_missed_is_named(tmp_path: Path, targets: str, findings: list[tuple[str, str, int]]) -> None:
    assert found(tmp_path, suite=SUITE + f"targets: {targets}\n") == findings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("Bel 's-Hertogenbosch, a.j.de-wit@voorbeeld.nl!", 3, id="a hyphen and an address join"),
        pytest.param("€ 1.250,50 op 3/11/2026", 3, id="an amount and a date are one word each"),
    ],
)
def test_words_are_counted_as_people_count_them(text: str, words: int) -> None:
    assert word_count(text) == words


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param("", "", None, id="twins"),
        pytest.param("start: 17, label: Xmas", "start: 17, label: Show", 2, id="another value"),
        pytest.param("pair: t-001", "pair: t-001, mix: noise", 2, id="another mix"),
        pytest.param("pair: t-001", "pair: t-001, difficulty: easy", 2, id="another difficulty"),
        pytest.param("pair: t-001", "pair: t-009", 2, id="no twin"),
    ],
)
def test_twins_share_what_is_expected(tmp_path: Path, old: str, new: str, line: int | None) -> None:
    twin = TWIN.replace(old, new)
    assert old == "" or twin != TWIN
    write(tmp_path, **{"klein/suite.yaml": TWIN_SUITE, "klein/cases.yaml": twin})
    rules = [rule for rule, _, _ in found(tmp_path, cases=PAIRED)]
    assert rules == ([] if line is None else ["pair"] * (2 if "t-009" in new else 1))


def test_a_twin_in_the_same_language_is_none(tmp_path: Path) -> None:
    write(
        tmp_path, **{"klein/suite.yaml": TWIN_SUITE.replace("language: nl", "language: en"), "klein/cases.yaml": TWIN}
    )
    assert [rule for rule, _, _ in found(tmp_path, cases=PAIRED)] == ["pair"]


def test_a_case_without_calls_counts_for_the_tool_that_it_is_about(tmp_path: Path) -> None:
    about = CASES.replace(
        "labels: {category: parts, mix: edge}", "labels: {category: parts, mix: edge, target: file_rows}"
    )
    one = stats(load(tmp_path, cases=about.replace("tools: [get_part]", "tools: [get_part, file_rows]")))["tiny"]
    assert one.levels == {"L1": 1, "L2": 1}
    assert one.mix_by_tool == {"file_rows": {"edge": 1}, "get_part": {"explicit": 1}}
    assert one.mix_by_level == {"L1": {"explicit": 1}, "L2": {"edge": 1}}
    assert one.traps_by_level == {"off_by_one": {"L1": 1}}
    assert one.words == {"least": 8, "median": 10, "most": 12}
