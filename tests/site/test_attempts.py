"""Attempt and case pages: would pass if, violations in the schema tree, disputed cases, links to tools."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.canonical import pointer_parts
from fcbench.core.contracts import contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.names import Pointer
from fcbench.core.schema import compile_schema
from fcbench.core.verdicts import Verdict
from fcbench.evaluator import Edit, Mending, judge
from fcbench.site.assemble import build_pages
from fcbench.site.attempt_view import Reading, rounds
from fcbench.site.load import load_site
from fcbench.site.mending_view import SHOWN, mending_view
from fcbench.site.slugs import same_case_path
from fcbench.site.violation_tree import Place, violation_tree
from tests.site.sample_packages import (
    CASES,
    MORTGAGE,
    RIGHT,
    STATUS,
    TIERS,
    make_attempt,
    make_call,
    make_package,
    make_round,
)

CONTRACTS = contracts_of(CASES[0].task, {MORTGAGE.name: MORTGAGE, STATUS.name: STATUS})


def judged(attempt: Attempt, place: int) -> tuple[Attempt, list[Verdict]]:
    """An attempt with the verdicts that the evaluator really gives."""
    found = [judge(CASES[place], attempt, CONTRACTS, "contract", tier) for tier in TIERS]
    # `make_package` writes its verdicts as those of version 1.
    return attempt, [msgspec.structs.replace(one, evaluator_version=1) for one in found]


def with_value(**changes: object) -> dict[str, object]:
    return {**RIGHT, **changes}


def pages(home: Path, ledger: str = "") -> dict[str, str]:
    suites = home / "suites"
    suites.mkdir()
    if ledger:
        (suites / "reviews.yaml").write_text(ledger)
    found = build_pages(load_site([home / "runs"], suites))
    return {page.path: page.body() for page in found.lean}


def two_cases(home: Path) -> None:
    """The first case passes, the second fails by one value."""
    wrong = make_call(MORTGAGE.name, with_value(dossier_id="DOS-30972"))
    made = [
        judged(make_attempt(CASES[0], 1, [make_round(1, [make_call(MORTGAGE.name, RIGHT)])]), 0),
        judged(make_attempt(CASES[1], 1, [make_round(1, [wrong])]), 1),
    ]
    make_package(home / "runs", "two", "two", CASES[:2], made)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html)).replace("&#34;", '"')


def test_a_failed_attempt_says_what_would_have_to_change(tmp_path: Path) -> None:
    two_cases(tmp_path)
    found = pages(tmp_path)
    page = next(page for path, page in found.items() if path.endswith("hypotheek-002-r1.html"))
    told = re.search(r'<section class="fc-mending".*?</section>', page, re.DOTALL)
    assert told
    assert '/dossier_id were right: "DOS-30972" → "DOS-30971" r1c1' in text_of(told.group())
    assert "With this one change" in told.group()
    passed = next(page for path, page in found.items() if path.endswith("hypotheek-001-r1.html"))
    assert "fc-mending" not in passed


LEDGER = """
- claim: c0001
  case: hypotheek-002
  says: "The number <b>has</b> a typo."
  by: "A. Reader"
  date: "2026-12-01"
"""
RULED = (
    LEDGER
    + """
- ruling: rejected
  of: c0001
  reason: "It has not."
  by: "B. Reader"
  date: "2026-12-01"
"""
)


def test_a_disputed_case_is_marked_and_has_both_scores(tmp_path: Path) -> None:
    two_cases(tmp_path)
    found = pages(tmp_path, LEDGER)
    boards = [page for path, page in found.items() if path.startswith("boards/") and 'id="disputed"' in page]
    assert len(boards) == 2
    marked = {path for path, page in found.items() if 'id="disputed"' in page and not path.startswith("boards/")}
    assert {path.rpartition("/")[2] for path in marked} == {"hypotheek-002.html", "hypotheek-002-r1.html"}
    for path in marked:
        section = found[path][found[path].index('id="disputed"') :]
        # One of two cases passes; without the disputed one it is one of one.
        assert "50.0 %of 2 cases100.0 %of 1 case" in text_of(section)
        assert "The number &lt;b&gt;has&lt;/b&gt; a typo." in section


def test_a_claim_that_was_ruled_on_marks_nothing(tmp_path: Path) -> None:
    two_cases(tmp_path)
    assert not any('id="disputed"' in page for page in pages(tmp_path, RULED).values())


def test_tools_lead_to_their_pages(tmp_path: Path) -> None:
    two_cases(tmp_path)
    found = pages(tmp_path)
    target = next(path for path in found if path.startswith("tools/verwerk"))
    for path, page in found.items():
        if path.startswith("attempts/"):
            assert f'href="../../{target}"' in page
        elif path.startswith("cases/"):
            assert f'href="../{target}"' in page


def test_the_same_case_shows_every_repeat_of_every_run(tmp_path: Path) -> None:
    right = [make_round(1, [make_call(MORTGAGE.name, RIGHT)])]
    for name, repeats in (("one", 3), ("two", 2)):
        made = [judged(make_attempt(CASES[0], number, right), 0) for number in range(1, repeats + 1)]
        make_package(tmp_path / "runs", name, name, CASES[:1], made, repeats=repeats)
    data = load_site([tmp_path / "runs"])
    found = build_pages(data)
    page = next(page for page in found.lean if page.path == "attempts/one-872491a30d60/hypotheek-001-r2.html").body()
    section = page[page.index('id="same"') :]
    links = re.findall(
        r'class="fc-cell"( aria-current="page")? href="[./]*attempts/(\w+)-\w+/hypotheek-001-r(\d)', section
    )
    # The page holds its own run, and a script has every run of the case.
    assert [(bool(own), run, repeat) for own, run, repeat in links] == [
        (False, "one", "1"),
        (True, "one", "2"),
        (False, "one", "3"),
    ]
    script = next(one for one in found.assets if one.path == same_case_path(CASES[0].id)).content.decode()
    assert set(re.findall(r"attempts/(\w+)-\w+/hypotheek-001-r(\d)\.html", script)) == {
        *(("one", str(number)) for number in (1, 2, 3)),
        *(("two", str(number)) for number in (1, 2)),
    }


ATTEMPT = make_attempt(CASES[0], 1, [make_round(1, [make_call("a", {}), make_call("b", {})])])


PLACE = Pointer("/x")
TAKEN = {"x": {"$one_of": [{"$casefold": "q"}]}, "y": {"$from": {"step": "s", "pointer": "/z"}}}
IN_ORDER = "every step came after those that it needs, in the order of the golden run"
CLAUSES = [
    (Edit(kind="set_value", call=1, pointer=PLACE, found=1, wanted=2), "/x were right 1 2 r1c2"),
    (
        Edit(kind="add_value", call=0, pointer=PLACE, wanted={"$any": {"example": 7}}),
        "/x were there any value, such as 7 r1c1",
    ),
    (Edit(kind="remove_value", call=0, pointer=PLACE, found="y"), '/x were not there "y" r1c1'),
    (Edit(kind="replace_call", call=0, tool="b", found="a", wanted={}), 'b were called in place of "a" {} r1c1'),
    (Edit(kind="add_call", tool="b", wanted=TAKEN), 'b were called {"x": "q", "y": "(the result of step s at /z)"}'),
    (Edit(kind="drop_call", call=1, tool="b"), "there were no call of b r1c2"),
    (Edit(kind="order"), IN_ORDER),
    (Edit(kind="offer_tool", tool="b"), "retrieval had offered b"),
    (Edit(kind="succeed", call=0, tool="b"), "the call of b had succeeded r1c1"),
    (Edit(kind="in_time"), "the attempt had ended within its time limit"),
    (
        Edit(kind="rewrite_arguments", call=0, wanted={"x": 1}),
        'the arguments were one JSON object {"x": 1} r1c1',
    ),
    (Edit(kind="reply_in_text"), "the reply had asked for what is missing, in text"),
    (Edit(kind="end_state"), "the attempt had left behind the end state of the golden run"),
]


@pytest.mark.parametrize(("edit", "wanted"), [pytest.param(*one, id=one[0].kind) for one in CLAUSES])
def test_every_change_reads_as_a_clause(edit: Edit, wanted: str) -> None:
    view = mending_view(Mending(edits=(edit,), takes_results_for_granted=False), ATTEMPT)
    assert view
    (line,) = view.lines
    parts = (line.words, line.code, line.more, line.found, line.wanted, line.anchor)
    assert " ".join(part for part in parts if part) == wanted


def test_calls_that_are_too_many_are_one_line_and_long_lists_are_folded() -> None:
    drops = tuple(Edit(kind="drop_call", call=index, tool=name) for index, name in enumerate("ab"))
    values = tuple(Edit(kind="set_value", call=0, pointer=PLACE) for _ in range(60))
    view = mending_view(Mending(edits=(*drops, *values), takes_results_for_granted=False), ATTEMPT)
    assert view
    assert view.lines[-1].code == "a, b"
    assert (len(view.shown), len(view.folded), view.hidden) == (SHOWN, 16 - SHOWN, 45)


def told(place: Place, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    here = [(path, keyword) for keyword, _ in place.told]
    return here + [one for name, inner in place.places.items() for one in told(inner, (*path, name))]


def test_violations_stand_in_the_part_of_the_tree_that_leads_to_them() -> None:
    arguments = {
        "dossier_id": "x",
        "aanvragers": [{"rol": "kind", "persoonsgegevens": {"achternaam": "A"}}],
        "extra": 1,
    }
    schema = compile_schema(MORTGAGE.parameters)
    root = violation_tree(MORTGAGE.parameters, arguments, schema.violations(arguments))
    assert root
    assert sorted(told(root)) == [
        (("aanvragers", "[0]", "persoonsgegevens", "bruto_jaarinkomen"), "required"),
        (("aanvragers", "[0]", "rol"), "enum"),
        (("dossier_id",), "pattern"),
        (("extra",), "additionalProperties"),
    ]
    missing = root.places["aanvragers"].places["[0]"].places["persoonsgegevens"].places["bruto_jaarinkomen"]
    assert (missing.is_missing, missing.schema) == (True, "number; at least 0")
    assert root.places["dossier_id"].found == '"x"'


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["rol", "persoonsgegevens", "achternaam", "0", "a/b", ""]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["dossier_id", "aanvragers", "met_nhg", "a/~b", "0"]), VALUES, max_size=4))
def test_every_violation_is_told_once_at_its_place(arguments: dict[str, object]) -> None:
    violations = compile_schema(MORTGAGE.parameters).violations(arguments)
    root = violation_tree(MORTGAGE.parameters, arguments, violations)
    found = [] if root is None else told(root)
    assert len(found) == len(violations)
    depths = sorted(len(pointer_parts(one.pointer)) + (one.key is not None) for one in violations)
    assert sorted(len(path) for path, _ in found) == depths


def test_a_call_that_is_repeated_is_shown_once() -> None:
    case = CASES[0]
    call = make_call("vraag_dossierstatus_op", {"dossier_id": "DOS-1"}, content={"status": "open"})
    other = make_call("vraag_dossierstatus_op", {"dossier_id": "DOS-1"}, content={"status": "dicht"})
    turns = [make_round(1, [call]), make_round(2, [call]), make_round(3, [other])]
    reading = Reading(case=case, attempt=make_attempt(case, 1, turns), verdict=None, contracts=CONTRACTS)
    first, second, third = (turn.calls[0] for turn in rounds(reading))
    assert (first.same_as, second.same_as, third.same_as) == ("", "r1c1", "r1c1")
    assert (first.same_result, second.same_result, third.same_result) == (False, True, False)
