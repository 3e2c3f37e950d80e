"""A rating session from answers to outcome: blinded, through CSV, hostile text included."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.names import CaseId
from fcbench.errors import BadInputError, UsageError, WriteError
from fcbench.suites.manual import Criterion, ManualCase, ManualSuite, ManualSuiteFile
from fcbench.workflows.csv_cells import csv_text, read_cell, safe_cell
from fcbench.workflows.manual_outcome import agree, outcome
from fcbench.workflows.manual_session import (
    Folder,
    ManualAnswer,
    Rating,
    blind,
    open_session,
    read_answers,
    write_answers,
)
from fcbench.workflows.manual_tables import export_consensus, export_ratings, import_consensus, import_ratings

MODELS = ("model-red", "model-blue", "model-green")
ANCHORS = ("nought", "one", "two", "three")


def make_case(number: int) -> ManualCase:
    names = ("accuracy", "clarity")
    return ManualCase(
        id=CaseId(f"m-{number}"),
        title="A title",
        language="en",
        instruction="Explain.",
        raters_know=("a fact",),
        pass_share=0.6,
        rubric=tuple(Criterion(name=name, question=f"{name}?", anchors=ANCHORS) for name in names),
    )


SUITE = ManualSuite(
    ManualSuiteFile(suite="manual", title="t", description="d", canary="c", ethics="reviewed"),
    {CaseId(f"m-{number}"): make_case(number) for number in (1, 2)},
)


def answers(text: str = "An answer.") -> list[ManualAnswer]:
    return [ManualAnswer(case=case, model=model, text=text) for case in SUITE.cases for model in MODELS]


def begin(tmp_path: Path, text: str = "An answer.", seed: int = 1) -> Folder:
    return blind(SUITE, answers(text), tmp_path / "session", seed=seed, key=tmp_path / "key.json")


def rate_all(folder: Folder, rater: str, value: int, **others: int) -> None:
    """Everything the same, but for some items' accuracy."""
    names = [item.item for item in folder.session.items]
    folder.save(
        rater,
        {name: Rating(item=name, ratings={"accuracy": others.get(name, value), "clarity": value}) for name in names},
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def fill(path: Path, value: int | str, *, delimiter: str = ",") -> None:
    rows = rows_of(path)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows({**row, "rating": str(value)} for row in rows)


def test_raters_see_no_model_and_the_key_lies_outside(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    export_ratings(folder, "anna", tmp_path / "anna.csv")
    seen = "".join(path.read_text(encoding="utf-8") for path in [tmp_path / "anna.csv", *folder.path.iterdir()])
    assert not [model for model in MODELS if model in seen]
    assert all(model in (tmp_path / "key.json").read_text(encoding="utf-8") for model in MODELS)


def test_the_seed_decides_the_ids_and_each_rater_has_an_order(tmp_path: Path) -> None:
    keys = []
    for number, seed in enumerate((1, 1, 2)):
        begin(tmp_path / str(number), seed=seed)
        keys.append(json.loads((tmp_path / str(number) / "key.json").read_text(encoding="utf-8"))["items"])
    assert keys[0] == keys[1] != keys[2]
    folder = open_session(tmp_path / "0" / "session")
    orders = [[item.item for item in folder.order(rater)] for rater in ("anna", "anna", "ben")]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


def test_neither_agreement_nor_consensus_is_told_before_both_are_done(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    rate_all(folder, "anna", 2)
    folder.save("ben", {"i0001": Rating(item="i0001", ratings={"accuracy": 1, "clarity": 1})})
    for ask in (lambda: agree(folder, seed=1), lambda: export_consensus(folder, tmp_path / "c.csv"), folder.differing):
        with pytest.raises(UsageError) as caught:
            ask()
        assert "ben 1 of 6" in str(caught.value.found)
    export_ratings(folder, "ben", tmp_path / "ben.csv")
    assert [row["rating"] for row in rows_of(tmp_path / "ben.csv")].count("2") == 0


def test_a_third_rater_is_refused(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    for rater in ("anna", "ben"):
        rate_all(folder, rater, 2)
    with pytest.raises(UsageError):
        folder.join("carl")
    folder.join("anna")


@pytest.mark.parametrize("rater", ["", "../anna", "Anna", "a" * 33, "anna ben"])
def test_a_rater_has_a_name_that_is_no_path(tmp_path: Path, rater: str) -> None:
    with pytest.raises(UsageError):
        begin(tmp_path).join(rater)


def test_differences_are_settled_and_the_pass_follows_the_rubric(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    rate_all(folder, "anna", 2, i0001=3, i0002=1)
    rate_all(folder, "ben", 2, i0002=0)
    assert folder.differing() == {"i0001": ["accuracy"], "i0002": ["accuracy"]}
    with pytest.raises(UsageError) as caught:
        outcome(folder, tmp_path / "key.json")
    assert "2 of 2 open: i0001, i0002" in str(caught.value.found)
    assert export_consensus(folder, tmp_path / "c.csv") == 2
    fill(tmp_path / "c.csv", 0)
    assert import_consensus(folder, tmp_path / "c.csv") == (2, 2)
    found = {one.item: one for one in outcome(folder, tmp_path / "key.json").outcomes}
    # 0 and 2 of 3 and 3: a third, below 0.6. 2 and 2: two thirds.
    assert [found[name].passed for name in ("i0001", "i0002", "i0003")] == [False, False, True]
    assert found["i0001"].share == pytest.approx(1 / 3)
    assert {one.model for one in found.values()} == set(MODELS)


def test_a_consensus_cannot_overturn_what_both_said(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    rate_all(folder, "anna", 2, i0001=3)
    rate_all(folder, "ben", 2)
    folder.save_consensus({"i0001": Rating(item="i0001", ratings={"accuracy": 3, "clarity": 0})})
    found = {one.item: one.ratings for one in outcome(folder, tmp_path / "key.json").outcomes}
    assert found["i0001"] == {"accuracy": 3, "clarity": 2}


def test_agreement_is_measured_before_the_consensus(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    rate_all(folder, "anna", 2, i0001=0, i0002=1, i0003=3)
    rate_all(folder, "ben", 2, i0001=1, i0002=1, i0003=3)
    before = agree(folder, seed=1)
    folder.save_consensus({"i0001": Rating(item="i0001", ratings={"accuracy": 0})})
    after = agree(folder, seed=1)
    assert (before.overall, before.by_criterion) == (after.overall, after.by_criterion)
    assert (before.settled, after.settled) == (0, 1)
    assert before.overall.exact == pytest.approx(11 / 12)
    assert before.by_criterion["clarity"].kappa is None
    assert "not defined" in before.text()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_comes_back_as_spreadsheets_write_it(tmp_path: Path, delimiter: str) -> None:
    folder = begin(tmp_path, text='=1+1\nsecond; line, "quoted"')
    export_ratings(folder, "anna", tmp_path / "a.csv")
    fill(tmp_path / "a.csv", 3, delimiter=delimiter)
    assert import_ratings(folder, "anna", tmp_path / "a.csv") == (6, 6)
    assert {value for one in folder.ratings("anna").values() for value in one.ratings.values()} == {3}


def test_an_empty_sheet_leaves_everything_open(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    export_ratings(folder, "anna", tmp_path / "a.csv")
    assert import_ratings(folder, "anna", tmp_path / "a.csv") == (0, 6)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        pytest.param("item,criterion,rating\n", "no note", id="a column is missing"),
        pytest.param("item,criterion,rating,note\ni0001,accuracy,4,\n", "from 0 to 3: 4", id="beyond the scale"),
        pytest.param("item,criterion,rating,note\ni0001,accuracy,2.5,\n", "from 0 to 3: 2.5", id="between"),
        pytest.param("item,criterion,rating,note\ni0001,accuracy,２,\n", "from 0 to 3", id="a wide digit"),
        pytest.param("item,criterion,rating,note\ni0009,accuracy,2,\n", "i0009", id="no such item"),
        pytest.param("item,criterion,rating,note\ni0001,beauty,2,\n", "beauty", id="no such criterion"),
        pytest.param("item,criterion,rating,note\ni0001,accuracy,2,\n", "clarity", id="in part"),
        pytest.param("item,criterion,rating,note\n" + "i0001,accuracy,2,\n" * 2, "twice", id="twice"),
        pytest.param("item,criterion,rating,note\n" + "x" * 200_000 + ",,,\n", "field larger", id="a huge cell"),
    ],
)
def test_a_wrong_sheet_is_refused_and_nothing_is_taken_over(tmp_path: Path, text: str, word: str) -> None:
    folder = begin(tmp_path)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        import_ratings(folder, "anna", tmp_path / "a.csv")
    assert word in str(caught.value)
    assert folder.raters() == []


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "\n=1", "＝1", "|calc", "%0a", "'=1", "\x0b=1", "\u200b=1"],
)
def test_no_cell_is_a_formula(cell: str) -> None:
    safe = safe_cell(cell)
    assert safe.startswith(("'", "\\u"))
    written = next(csv.reader(io.StringIO(csv_text(("a",), [(cell,)]).partition("\r\n")[2], newline="")))
    assert written == [safe]


@given(st.text(max_size=60))
def test_any_text_is_safe_in_a_cell_and_can_be_read_back(text: str) -> None:
    safe = safe_cell(text)
    assert not safe.startswith(("=", "+", "-", "@", "\t", "\r", "\n", " "))
    assert all(letter.isprintable() or letter == "\n" for letter in safe)
    if text.isprintable():
        assert read_cell(safe) == text


def test_hostile_answers_do_no_harm_in_a_sheet(tmp_path: Path) -> None:
    folder = begin(tmp_path, text="=cmd|' /C calc'!A0 \x1b[31m\ud800 " + "x" * 50_000)
    export_ratings(folder, "anna", tmp_path / "a.csv")
    shown = {row["answer"] for row in rows_of(tmp_path / "a.csv")} - {""}
    assert all(text.startswith("'=cmd") and "\\u001b" in text and len(text) < 32_767 for text in shown)
    assert len(folder.session.items[0].text) > 50_000


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param([], id="none"),
        pytest.param([ManualAnswer(case=CaseId("gs-001"), model="m", text="x")], id="a case of the benchmark"),
        pytest.param([ManualAnswer(case=CaseId("m-1"), model="m", text="x")] * 2, id="twice"),
        pytest.param([ManualAnswer(case=CaseId("m-1"), model=" ", text="x")], id="nobody's"),
        pytest.param([ManualAnswer(case=CaseId("m-1"), model="m", text="x" * 100_001)], id="too long"),
        pytest.param([ManualAnswer(case=CaseId("m-1"), model="m", text="x", repeat=0)], id="repeat nought"),
    ],
)
def test_answers_that_cannot_be_rated_are_refused(tmp_path: Path, bad: list[ManualAnswer]) -> None:
    with pytest.raises(BadInputError):
        blind(SUITE, bad, tmp_path / "session", seed=1, key=tmp_path / "key.json")
    assert not (tmp_path / "session").exists()


def test_a_session_overwrites_nothing_and_keeps_its_key_outside(tmp_path: Path) -> None:
    begin(tmp_path)
    with pytest.raises(WriteError):
        begin(tmp_path)
    with pytest.raises(UsageError):
        blind(SUITE, answers(), tmp_path / "new", seed=1, key=tmp_path / "new" / "key.json")


def test_a_key_of_another_session_is_refused(tmp_path: Path) -> None:
    for name, text in (("a", "one"), ("b", "two")):
        begin(tmp_path / name, text=text)
    folder = open_session(tmp_path / "a" / "session")
    for rater in ("anna", "ben"):
        rate_all(folder, rater, 2)
    with pytest.raises(BadInputError):
        outcome(folder, tmp_path / "b" / "key.json")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('{"item": "i0001", "ratings": {"accuracy": 9, "clarity": 1}}', id="beyond the scale"),
        pytest.param('{"item": "i0001", "ratings": {"accuracy": 1}}', id="in part"),
        pytest.param('{"item": "i0099", "ratings": {"accuracy": 1, "clarity": 1}}', id="no such item"),
        pytest.param('{"item": "i0001", "ratings": {"accuracy": true, "clarity": 1}}', id="a boolean"),
        pytest.param("{", id="torn"),
    ],
)
def test_a_damaged_file_of_ratings_is_refused(tmp_path: Path, line: str) -> None:
    folder = begin(tmp_path)
    (folder.path / "ratings-anna.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(BadInputError):
        folder.ratings("anna")


def test_answers_come_back_from_their_file(tmp_path: Path) -> None:
    write_answers(tmp_path / "answers.jsonl", answers("two\nlines \u2028 and more"))
    assert read_answers(tmp_path / "answers.jsonl") == answers("two\nlines \u2028 and more")
