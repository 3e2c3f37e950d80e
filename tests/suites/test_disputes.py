"""The ledger of claims and rulings: strict to read, safe to add to."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.names import CaseId
from fcbench.core.yaml12 import parse_yaml
from fcbench.errors import BadInputError, SuiteError
from fcbench.suites.disputes import Claim, Ledger, Ruling, load_ledger, read_ledger, with_entries

CLAIM = """- claim: c0001
  case: gs-017
  says: the range lacks a base
  by: A. Reader
  date: 2026-12-01
"""
RULING = """- ruling: {word}
  of: c0001
  reason: the record ends there
  by: B. Reader
  date: 2026-12-02
"""


def read(text: str) -> Ledger:
    return read_ledger(parse_yaml(text.encode(), name="suites/reviews.yaml", error=SuiteError))


def make_claim(name: str = "c0001", **fields: object) -> Claim:
    return Claim(**{"claim": name, "case": CaseId("gs-017"), "says": "x", "by": "y", "date": "2026-12-01", **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]"])
def test_an_empty_ledger_is_a_ledger(text: str) -> None:
    assert read(text).disputes == ()
    assert read(text).next_id() == "c0001"


def test_a_missing_file_is_an_empty_ledger(tmp_path: Path) -> None:
    assert load_ledger(tmp_path) == Ledger()


@pytest.mark.parametrize(
    ("words", "standing", "disputed"),
    [
        pytest.param((), "open", {"gs-017"}, id="a claim is open"),
        pytest.param(("rejected",), "rejected", set(), id="rejected"),
        pytest.param(("rejected", "open"), "open", {"gs-017"}, id="taken up again"),
        pytest.param(("open", "rejected"), "rejected", set(), id="the last one counts"),
    ],
)
def test_the_last_ruling_decides(words: tuple[str, ...], standing: str, disputed: set[str]) -> None:
    ledger = read(CLAIM + "".join(RULING.format(word=word) for word in words))
    assert ledger.disputes[0].standing == standing
    assert ledger.disputed_cases() == disputed
    assert ledger.next_id() == "c0002"


def test_an_upheld_claim_with_its_change_is_settled() -> None:
    ledger = read(CLAIM + RULING.format(word="upheld") + "  change: the range ends one base later\n")
    assert ledger.disputed_cases() == frozenset()


def test_a_claim_about_an_anomaly_disputes_no_case() -> None:
    assert read(CLAIM + "  anomaly: timed_out\n").disputed_cases() == frozenset()


@pytest.mark.parametrize(
    ("scope", "asked", "decides"),
    [
        pytest.param("", ("timed_out", "gs-017", "r", 1), True, id="every run and repeat"),
        pytest.param("", ("call_shaped_text", "gs-017", "r", 1), False, id="another reason"),
        pytest.param("", ("timed_out", "gs-018", "r", 1), False, id="another case"),
        pytest.param("  run: r\n", ("timed_out", "gs-017", "q", 1), False, id="another run"),
        pytest.param("  run: r\n  repeat: 2\n", ("timed_out", "gs-017", "r", 1), False, id="another repeat"),
        pytest.param("  run: r\n  repeat: 2\n", ("timed_out", "gs-017", "r", 2), True, id="just this one"),
    ],
)
def test_a_ruling_decides_the_items_that_its_claim_names(
    scope: str, asked: tuple[str, str, str, int], decides: bool
) -> None:
    claim = f"{CLAIM}  anomaly: timed_out\n{scope}"
    assert not read(claim).disputes[0].decides(*asked)
    assert read(claim + RULING.format(word="rejected")).disputes[0].decides(*asked) is decides


@pytest.mark.parametrize(
    ("text", "where"),
    [
        pytest.param("claims: []", ":1", id="a mapping"),
        pytest.param("- just a text", ":1, field /0", id="a text for an entry"),
        pytest.param("- 1", ":1, field /0", id="a number for an entry"),
        pytest.param("-", ":1, field /0", id="nothing for an entry"),
        pytest.param(CLAIM + CLAIM, ":6, field /1/claim", id="an id twice"),
        pytest.param(CLAIM.replace("c0001", "first"), ":1, field /0/claim", id="no id"),
        pytest.param(CLAIM.replace("2026-12-01", "2026-02-30"), ":5, field /0/date", id="no day"),
        pytest.param(CLAIM.replace("2026-12-01", "yesterday"), ":5, field /0/date", id="no date"),
        pytest.param(CLAIM.replace("A. Reader", "''"), ":4, field /0/by", id="nobody"),
        pytest.param(CLAIM + "  score: 1\n", ":6, field /0/score", id="an unknown field"),
        pytest.param(CLAIM.replace("  by: A. Reader\n", ""), ":1, field /0", id="a field is missing"),
        pytest.param(CLAIM + "  repeat: 1\n", "field /0/anomaly", id="a repeat of nothing"),
        pytest.param(CLAIM + "  anomaly: timed_out\n  repeat: 0\n", ":7, field /0/repeat", id="repeat nought"),
        pytest.param(CLAIM.replace("the range lacks a base", "x" * 4001), ":3, field /0/says", id="a novel"),
        pytest.param(RULING.format(word="rejected") + CLAIM, ":2, field /0/of", id="a ruling before its claim"),
        pytest.param(CLAIM + RULING.format(word="perhaps"), ":6, field /1/ruling", id="no such ruling"),
        pytest.param(CLAIM + RULING.format(word="upheld"), "field /1/change", id="upheld without a change"),
        pytest.param(
            CLAIM + RULING.format(word="upheld") + "  change: ' '\n", ":11, field /1/change", id="blank change"
        ),
    ],
)
def test_a_wrong_entry_is_refused_with_line_and_field(text: str, where: str) -> None:
    with pytest.raises(SuiteError) as caught:
        read(text)
    assert f"suites/reviews.yaml{where}" in str(caught.value.where) or where in str(caught.value.where)


def test_what_stands_there_stays_letter_for_letter() -> None:
    old = f"# by hand, no line break at the end\n{CLAIM}# a note".encode()
    new = with_entries(old, (make_claim("c0002"),), name="x")
    assert new.startswith(old)
    assert [each.claim.claim for each in read(new.decode()).disputes] == ["c0001", "c0002"]


def test_an_entry_that_does_not_fit_changes_nothing() -> None:
    ruling = Ruling(ruling="rejected", of="c0009", reason="r", by="b", date="2026-12-01")
    with pytest.raises(SuiteError):
        with_entries(CLAIM.encode(), (ruling,), name="x")
    with pytest.raises(SuiteError):
        with_entries(b"broken: [", (make_claim(),), name="x")
    with pytest.raises(SuiteError):
        with_entries(b"[]", (make_claim(),), name="x")


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=20))
def test_any_text_comes_back_as_it_was_written(says: str, by: str) -> None:
    entry = make_claim(says=says, by=by)
    try:
        new = with_entries(b"", (entry,), name="x")
    except BadInputError as error:
        assert error.message == "a text is empty"
        assert not says.strip() or not by.strip()
        return
    assert read(new.decode()).disputes[0].claim == entry
    assert all(letter.isprintable() or letter == "\n" for letter in new.decode())
