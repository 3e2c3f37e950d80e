"""Cross-check with the BFCL checker: agreement, and a computed cause for every difference."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fcbench.errors import BadInputError, NotFoundError, WriteError
from fcbench.suites.bfcl import attempt_of, case_of
from fcbench.workflows.crosscheck_bfcl import Agreement, crosscheck
from fcbench.workflows.crosscheck_page import RULINGS, write_page
from fcbench.workflows.disagreements import Cause, causes
from tests.suites.bfcl_rows import PARK, ROUTE, SHARED, function, pair, pair_rows, write_pairs

CITY = [{"park.book": {"city": ["Den Haag", "The Hague"], "nights": [2, ""], "zones": [[1.5, 2.0], ""]}}]
ZONES: dict[str, Any] = {"city": ["Delft"], "zones": [[1.5, 2.0]]}
WORD = {"type": "string", "enum": ["AA", "Aa", "aa"]}
NAMED, CHOSEN = function("f", ("word",), word=WORD), function("g", word=WORD)
SIZED = [{"park.book": {"city": ["Delft"], "tent": [{"size": [1], "colour": ["dark red", ""]}]}}]


def booked(city: Any = "Den Haag", **more: Any) -> list[dict[str, Any]]:
    return [{"park.book": {"city": city, **more}}]


def check(folder: Path, *rows: dict[str, Any]) -> Agreement:
    return crosscheck(write_pairs(folder / "pairs.jsonl", *rows))


@pytest.mark.parametrize(
    ("calls", "valid"),
    [
        pytest.param(booked(), True, id="an accepted value"),
        pytest.param(
            booked("The Hague", nights=2, zones=[1.5, 2.0]), True, id="an alternative, and optional arguments"
        ),
        pytest.param(booked(zones=[]), True, id="an empty list stands for a list that may be left out"),
        pytest.param(booked("Delft"), False, id="another value"),
        pytest.param(booked(nights=3), False, id="an optional argument with another value"),
        pytest.param(booked(nights=True), False, id="true is no number"),
        pytest.param(booked(nights="2"), False, id="a text is no number"),
        pytest.param(booked(zones=[2.0, 1.5]), False, id="items in another order"),
        pytest.param(booked(extra=1), False, id="an argument that nobody declared"),
        pytest.param([{"park.book": {}}], False, id="a required argument is missing"),
        pytest.param([{"park_book": {"city": "Den Haag"}}], False, id="another name"),
        pytest.param(booked() * 2, False, id="the call twice"),
        pytest.param([], False, id="no call"),
        pytest.param(None, False, id="text only"),
    ],
)
def test_the_two_agree(tmp_path: Path, calls: Any, valid: bool) -> None:
    agreement = check(tmp_path, pair("p1", calls, CITY, valid=valid))
    assert (agreement.all.agree, agreement.all.rows) == (1, 1)
    assert agreement.unexplained == []


def two(first: str, second: str) -> list[dict[str, Any]]:
    return [{"route": {"via": first}}, {"route": {"via": second}}]


GREEDY = {
    "category": "parallel",
    "functions": [ROUTE],
    "ground_truth": [{"route": {"via": ["Delft", "Gouda"]}}, {"route": {"via": ["Delft"]}}],
}


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        pytest.param(pair("p1", booked("den haag"), CITY), ("letter_case",), id="letters of another case"),
        pytest.param(
            pair(
                "p1", [{"f": {"word": "Aa"}}], [{"f": {"word": ["AA"]}}], functions=[NAMED], perturbation="other word"
            ),
            ("letter_case",),
            id="another word of the enum that differs by case alone",
        ),
        pytest.param(pair("p1", booked(" Den-Haag. "), CITY), ("punctuation",), id="spaces and punctuation"),
        pytest.param(pair("p1", booked("DENHAAG"), CITY), ("punctuation",), id="both at once"),
        pytest.param(
            pair("p1", booked("Delft", tent={"size": 1, "colour": "DARK-RED"}), SIZED),
            ("punctuation",),
            id="inside an object",
        ),
        pytest.param(pair("p1", booked(nights=2.0), CITY, valid=False), ("number_form",), id="2.0 for an integer"),
        pytest.param(
            pair("p1", booked("Delft", zones=[1.5, 2]), [{"park.book": ZONES}], valid=False),
            ("number_form",),
            id="2 inside a list of floats",
        ),
        pytest.param(
            pair("p1", booked("Delft", tent={"size": True}), SIZED), ("truth_as_number",), id="true for 1 in an object"
        ),
        pytest.param(
            pair("p1", booked("Delft", tent={"size": True, "colour": "Dark Red"}), SIZED),
            ("letter_case", "truth_as_number"),
            id="two causes that only together explain it",
        ),
        pytest.param(
            pair("p1", [{"g": {"word": ""}}], [{"g": {"word": ["AA", ""]}}], functions=[CHOSEN]),
            ("omission_mark",),
            id="the mark for left out as a value",
        ),
        pytest.param(
            pair("p1", [{"park.book": {"city": "Den Haag"}, "route": {"via": "x"}}], CITY),
            ("merged_calls",),
            id="two functions in one entry",
        ),
        pytest.param(
            pair("p1", booked("Cafe\u0301"), [{"park.book": {"city": ["Caf\u00e9"]}}], valid=False),
            ("code_points",),
            id="a decomposed letter",
        ),
        pytest.param(pair("p1", two("Delft", "Gouda"), None, valid=False, **GREEDY), ("greedy",), id="greedy"),
        pytest.param(pair("p1", booked("Delft"), CITY), ("unexplained",), id="a value that nothing explains"),
        pytest.param(pair("p1", booked(), CITY, valid=False), ("unexplained",), id="a refusal that nothing explains"),
        pytest.param(
            pair("p1", booked(), None, category="irrelevance"), ("unexplained",), id="a call where none is due"
        ),
    ],
)
def test_a_difference_gets_its_cause(tmp_path: Path, row: dict[str, Any], wanted: tuple[Cause, ...]) -> None:
    agreement = check(tmp_path, row)
    assert [each.causes for each in agreement.differences] == [wanted]
    assert agreement.unexplained == ([row["id"]] if "unexplained" in wanted else [])


def test_a_schema_that_alone_refuses_an_accepted_value_is_a_fault_of_ours(tmp_path: Path) -> None:
    (row,) = pair_rows(tmp_path, pair("p1", booked(), CITY))
    case, contracts = case_of(row)
    closed = {
        name: replace(each, parameters={"type": "object", "maxProperties": 0}) for name, each in contracts.items()
    }
    assert causes(row, case, attempt_of(row), closed, ours=False) == ("unexplained",)


def test_a_cause_is_not_read_from_the_label(tmp_path: Path) -> None:
    agreement = check(tmp_path, pair("p1", booked("Delft"), CITY, perturbation="string_swapcase"))
    assert agreement.unexplained == ["p1::string_swapcase"]


def test_any_call_is_right_where_a_function_is_relevant(tmp_path: Path) -> None:
    more: dict[str, Any] = {"category": "live_relevance"}
    agreement = check(
        tmp_path,
        pair("p1", [{"park.book": {}}], None, **more),
        pair("p2", [{"nowhere": {"x": 1}}], None, **more),
        pair("p3", [], None, valid=False, **more),
        pair("p4", None, None, valid=False, model_text="No.", **more),
    )
    assert agreement.all.agree == 4


def test_no_call_is_right_where_no_function_is_relevant(tmp_path: Path) -> None:
    agreement = check(
        tmp_path,
        pair("p1", None, None, category="irrelevance", model_text="None fits."),
        pair("p2", [], None, category="live_irrelevance", functions=[]),
        pair("p3", [{"park.book": {}}], None, category="irrelevance", valid=False),
    )
    assert agreement.all.agree == 3


def test_a_case_that_nobody_can_pass_is_refused_by_both(tmp_path: Path) -> None:
    agreement = check(tmp_path, pair("p1", booked(), [{"park.book": {"city": []}}], valid=False))
    assert agreement.all.agree == 1


def test_other_languages_are_counted_and_not_compared(tmp_path: Path) -> None:
    java = pair("p2", [], [], category="simple_java", language="java")
    agreement = check(tmp_path, pair("p1", booked(), CITY), java, {**java, "id": "p3"})
    assert agreement.rows == 3
    assert agreement.all.rows == 1
    assert agreement.not_covered == {"simple_java": 2}


def test_a_row_that_cannot_be_mapped_is_named(tmp_path: Path) -> None:
    odd = [{**PARK, "parameters": {"type": "HashMap"}}]
    agreement = check(tmp_path, pair("p1", booked(), CITY), pair("p2", booked(), CITY, functions=odd))
    assert agreement.unexplained == ["p2::perfect"]
    assert "HashMap" in agreement.text()


def test_a_file_without_a_row_to_compare_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no row"):
        check(tmp_path, pair("p1", [], [], category="simple_java", language="java"))
    with pytest.raises(NotFoundError):
        crosscheck(tmp_path / "none.jsonl")


def test_the_page_says_how_far_they_agree_and_who_is_right(tmp_path: Path) -> None:
    agreement = check(
        tmp_path,
        pair("p1", booked(), CITY),
        pair("p2", booked("den haag"), CITY, perturbation="string_swapcase"),
        pair("p3", booked("Delft"), CITY, perturbation="odd"),
    )
    write_page(agreement, tmp_path / "deep/page.md")
    page = (tmp_path / "deep/page.md").read_text(encoding="utf-8")
    assert "| agree | 1 (33.3 %) |" in page
    assert "| string_swapcase | 1 | 0 (0.0 %) | 1 | 0 | letter_case 1 |" in page
    assert RULINGS["letter_case"].why in page
    assert '      given    "den haag"\n      accepted ["Den Haag", "The Hague"]' in page
    assert "Rows: `p3::odd`." in page


def test_words_of_a_file_do_not_break_the_page(tmp_path: Path) -> None:
    words = "a|b\n# <script>alert(1)</script> ```"
    row = pair("p1", booked(words.upper()), [{"park.book": {"city": [words]}}], perturbation=words)
    write_page(check(tmp_path, {**row, "id": words}), tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    # What stays as it was stands in a code span or an indented block.
    outside = [re.sub("`[^`]*`", "", line) for line in page.splitlines() if not line.startswith("    ")]
    assert not any("<script>" in line or "```" in line for line in outside)
    assert "\n# <" not in page


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        write_page(check(tmp_path, pair("p1", booked(), CITY)), tmp_path)


def test_every_cause_has_a_ruling() -> None:
    assert set(RULINGS) == set(Cause.__args__)  # type: ignore[attr-defined]


def test_every_shared_row_agrees_or_is_explained() -> None:
    if not SHARED.is_file():
        pytest.skip("the shared pairs are not here")
    agreement = crosscheck(SHARED)
    assert agreement.unexplained == []
    assert agreement.all.rows == 2924
    assert agreement.rows == agreement.all.rows + agreement.not_covered.total()
    found = {cause for each in agreement.differences for cause in each.causes}
    assert found == {"letter_case", "punctuation", "number_form", "truth_as_number"}
    assert json.dumps(agreement.data())
