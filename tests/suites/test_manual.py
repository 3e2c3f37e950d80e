"""Manual cases: the suite that ships, the rules of a rubric, and the walls around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcbench.core.yaml12 import parse_yaml
from fcbench.errors import NotFoundError, SuiteError
from fcbench.registry import load_registries
from fcbench.suites import load_suites
from fcbench.suites.manual import ManualCase, load_manual, passes, rating_problem, read_cases, weighted_share

ROOT = Path(__file__).resolve().parents[2]
CASE = """- id: m-1
  title: A title
  language: en
  instruction: Explain.
  raters_know: [a fact]
  pass_share: 0.7
  rubric:
    - name: accuracy
      question: Is it right?
      weight: 2
      floor: 2
      anchors: [wrong, half, nearly, right]
    - name: clarity
      question: Is it clear?
      anchors: [no, hardly, mostly, yes]
"""


def read(text: str) -> list[ManualCase]:
    return read_cases(parse_yaml(text.encode(), name="suites/manual/x.yaml", error=SuiteError))


def test_ten_cases_ship_and_each_can_pass_and_fail() -> None:
    cases = load_manual(ROOT / "suites").cases
    assert len(cases) == 10
    for case in cases.values():
        assert passes(case, {one.name: 3 for one in case.rubric}), case.id
        assert not passes(case, {one.name: 0 for one in case.rubric}), case.id
        assert case.raters_know, case.id


def test_no_manual_case_is_a_case_of_the_benchmark() -> None:
    manual = load_manual(ROOT / "suites")
    suites = load_suites(ROOT / "suites", load_registries(ROOT / "tools_registry"))
    assert "manual" not in suites.suites
    assert not set(manual.cases) & set(suites.cases)
    assert all("manual" not in collection.suites for collection in suites.collections.values())


def test_a_project_without_manual_cases_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        load_manual(tmp_path)


@pytest.mark.parametrize(
    ("ratings", "share", "passed"),
    [
        pytest.param({"accuracy": 3, "clarity": 3}, 1.0, True, id="the best"),
        pytest.param({"accuracy": 2, "clarity": 3}, 7 / 9, True, id="enough"),
        pytest.param({"accuracy": 2, "clarity": 2}, 6 / 9, False, id="the share is missed"),
        pytest.param({"accuracy": 3, "clarity": 1}, 7 / 9, True, id="a low rating without a floor"),
        pytest.param({"accuracy": 1, "clarity": 3}, 5 / 9, False, id="below floor and share"),
    ],
)
def test_the_pass_follows_from_weights_share_and_floors(ratings: dict[str, int], share: float, passed: bool) -> None:
    (case,) = read(CASE)
    assert weighted_share(case, ratings) == pytest.approx(share)
    assert passes(case, ratings) is passed


def test_a_floor_fails_an_answer_whose_share_is_enough() -> None:
    (case,) = read(CASE.replace("pass_share: 0.7", "pass_share: 0.5"))
    assert passes(case, {"accuracy": 2, "clarity": 1})
    assert not passes(case, {"accuracy": 1, "clarity": 3})


@pytest.mark.parametrize(
    "ratings", [{}, {"accuracy": 3}, {"accuracy": 3, "clarity": 4}, {"accuracy": -1, "clarity": 0}, {"a": 1}]
)
def test_ratings_that_do_not_fit_are_told(ratings: dict[str, int]) -> None:
    assert rating_problem(read(CASE)[0], ratings)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        pytest.param("pass_share: 0.7", "pass_share: 0", "/0/pass_share", id="everything passes"),
        pytest.param("pass_share: 0.7", "pass_share: 70", "/0/pass_share", id="a percentage"),
        pytest.param("weight: 2", "weight: -1", "/0/rubric/0/weight", id="a negative weight"),
        pytest.param("floor: 2", "floor: 4", "/0/rubric/0/floor", id="a floor above the top"),
        pytest.param("name: clarity", "name: accuracy", "/0/rubric", id="a criterion twice"),
        pytest.param("[no, hardly, mostly, yes]", "['no', hardly, yes]", "/0/rubric/1/anchors", id="three anchors"),
        pytest.param("[no, hardly, mostly, yes]", "[a, a, b, c]", "/0/rubric/1/anchors", id="two alike"),
        pytest.param("instruction: Explain.", "instruction: ' '", "/0/instruction", id="nothing is asked"),
        pytest.param("id: m-1", "id: M 1", "/0/id", id="no id"),
        pytest.param("title: A title", "tilte: A title", "/0", id="a typing error"),
    ],
)
def test_a_wrong_case_is_refused_with_its_field(old: str, new: str, field: str) -> None:
    assert old in CASE
    with pytest.raises(SuiteError) as caught:
        read(CASE.replace(old, new))
    assert f"field {field}" in str(caught.value.where)
