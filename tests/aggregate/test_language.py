"""Twins in two languages, pair by pair."""

from __future__ import annotations

import polars as pl
import pytest

from fcbench.aggregate.language import language_contrast
from fcbench.errors import MixedBoardsError, UsageError
from tests.aggregate.test_tables import UNJUDGED, rows

DUTCH = {"collection": "nl", "task_hash": "a" * 64, "oracle_hash": "b" * 64, "language": "nl", "run_id": "run-nl"}
ENGLISH = {"collection": "en", "task_hash": "c" * 64, "oracle_hash": "d" * 64, "language": "en", "run_id": "run-en"}


def board(base: dict[str, object], *cases: tuple[str, str, tuple[bool | None, ...]], **more: object) -> pl.DataFrame:
    """One row a (pair, repeat): pair, language of the fields, and whether each repeat matches (None: no verdict)."""
    told = []
    for pair, fields, held in cases:
        for repeat, one in enumerate(held, start=1):
            verdict = UNJUDGED if one is None else {"exact_match": one, "passed": one}
            place = {"task_id": f"{base['language']}-{pair}", "pair": pair, "field_language": fields}
            told.append({**base, **place, "repeat": repeat, "repeats": len(held), **verdict, **more})
    return rows(*told)


def test_pairs_are_compared_apart_for_each_language_of_the_fields() -> None:
    dutch = board(DUTCH, ("p1", "nl", (True, False)), ("p2", "en", (True, True)), ("p3", "en", (False, False)))
    english = board(ENGLISH, ("p1", "nl", (True, True)), ("p2", "en", (False, True)), ("p4", "en", (True, True)))
    table = language_contrast(dutch, english)
    columns = ["field_language", "pairs", "first_rate", "second_rate", "difference", "first_better", "second_better"]
    assert table.sort("field_language").select(columns).rows() == [
        ("en", 1, 1.0, 0.5, 0.5, 1, 0),
        ("nl", 1, 0.5, 1.0, -0.5, 0, 1),
    ]
    assert table["p"].to_list() == [1.0, 1.0]
    assert table.select("first_language", "second_language", "first_run", "second_run").rows()[0] == (
        "nl",
        "en",
        "run-nl",
        "run-en",
    )


def test_the_interval_and_p_follow_the_pairs() -> None:
    names = [f"p{number}" for number in range(40)]
    dutch = board(DUTCH, *((name, "nl", (number >= 12,)) for number, name in enumerate(names)))
    english = board(ENGLISH, *((name, "nl", (True,)) for name in names))
    row = language_contrast(dutch, english).row(0, named=True)
    assert row["difference"] == -0.3
    assert row["p"] == 2 / 2**12
    assert -0.5 < row["difference_low"] < -0.3 < row["difference_high"] < -0.1


def test_a_pair_that_one_run_has_not_finished_is_left_out() -> None:
    dutch = board(DUTCH, ("p1", "nl", (True, None)), ("p2", "nl", (True, True)))
    english = board(ENGLISH, ("p1", "nl", (True, True)), ("p2", "nl", (True, True)))
    assert language_contrast(dutch, english)["pairs"].to_list() == [1]


def test_only_runs_under_the_same_settings_meet() -> None:
    dutch = board(DUTCH, ("p1", "nl", (True,)), badges="local; deterministic 20/20")
    same = board(ENGLISH, ("p1", "nl", (True,)), badges="local; incomplete")
    warm = board(ENGLISH, ("p1", "nl", (True,)), badges="local; temperature 0.7")
    assert language_contrast(dutch, same).height == 1
    with pytest.raises(UsageError, match="no pair"):
        language_contrast(dutch, warm)


def test_of_several_runs_the_newest_counts() -> None:
    old = board(DUTCH, ("p1", "nl", (False,)))
    new = board({**DUTCH, "run_id": "run-new"}, ("p1", "nl", (True,)), created_at="2026-06-01T00:00:00.000Z")
    english = board(ENGLISH, ("p1", "nl", (True,)))
    assert language_contrast(pl.concat([old, new]), english)["first_run"].to_list() == ["run-new"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"retrieval": "all"}, "more than the language", id="another retrieval"),
        pytest.param({"registry_hash": "9" * 64}, "more than the language", id="another registry"),
        pytest.param({"language": "nl"}, "one language each", id="the same language"),
    ],
)
def test_boards_that_differ_otherwise_are_refused(change: dict[str, object], message: str) -> None:
    dutch = board(DUTCH, ("p1", "nl", (True,)))
    with pytest.raises(UsageError, match=message):
        language_contrast(dutch, board({**ENGLISH, **change}, ("p1", "nl", (True,))))


def test_a_mixture_of_boards_is_refused() -> None:
    dutch = board(DUTCH, ("p1", "nl", (True,)))
    with pytest.raises(MixedBoardsError):
        language_contrast(pl.concat([dutch, board(ENGLISH, ("p1", "nl", (True,)))]), dutch)
