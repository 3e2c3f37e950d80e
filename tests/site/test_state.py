"""What changed since an earlier build."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.errors import BadInputError, NotFoundError
from fcbench.site.assemble import build_pages
from fcbench.site.load import load_site
from fcbench.site.state import (
    PATH,
    BoardState,
    RunState,
    Snapshot,
    State,
    changes,
    next_state,
    read_state,
    snapshot,
    state_bytes,
)
from tests.site.sample_packages import CASES, make_package, no_call, passing


def state_of(runs: Path, earlier: State | None = None) -> State:
    return next_state(snapshot(load_site([runs])), earlier)


def told(state: State) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in changes(state)]


def test_a_first_build_says_nothing(tmp_path: Path) -> None:
    make_package(tmp_path, "one", "one", CASES[:1], [passing(CASES[0], 1)])
    assert told(state_of(tmp_path)) == []


def test_new_runs_are_told_and_moved_ranks_with_them(tmp_path: Path) -> None:
    make_package(tmp_path, "one", "one", CASES[:2], [passing(CASES[0], 1), no_call(CASES[1], 1)])
    before = state_of(tmp_path)
    make_package(tmp_path, "two", "two", CASES[:2], [passing(CASES[0], 1), passing(CASES[1], 1)])
    after = state_of(tmp_path, before)
    assert told(after) == [
        ("new", "two: strict accuracy 100.0 %, rank 1."),
        ("new", "two: strict accuracy 100.0 %, rank 1."),
        ("changed", "one: rank 1 to 2."),
        ("changed", "one: rank 1 to 2."),
    ]


def test_building_again_changes_no_byte(tmp_path: Path) -> None:
    make_package(tmp_path, "one", "one", CASES[:1], [passing(CASES[0], 1)])
    first = state_of(tmp_path)
    make_package(tmp_path, "two", "two", CASES[:1], [passing(CASES[0], 1)])
    second = state_of(tmp_path, first)
    third = state_of(tmp_path, second)
    assert state_bytes(second) == state_bytes(third)
    assert told(second) == told(third) != []


def test_what_is_gone_is_told() -> None:
    run = RunState(model="m", strict=0.5, rank=1)
    before = Snapshot(boards={"a": BoardState(label="A", runs={"r": run, "s": run}), "b": BoardState(label="B")})
    now = Snapshot(boards={"a": BoardState(label="A", runs={"r": run}), "c": BoardState(label="C", runs={"r": run})})
    assert told(State(now=now, before=before)) == [
        ("new", "A new board with 1 run."),
        ("gone", "m is gone."),
        ("gone", "The board is gone, with 0 runs."),
    ]


@pytest.mark.parametrize(
    ("new", "said"),
    [
        pytest.param({"strict": 0.6}, "m: strict accuracy 50.0 % to 60.0 %.", id="accuracy"),
        pytest.param({"strict": None}, "m: strict accuracy 50.0 % to unknown.", id="unknown"),
        pytest.param({"restraint": 1.0}, "m: restraint unknown to 100.0 %.", id="restraint"),
        pytest.param({"rank": None, "complete": False}, "m: rank 1 to none, now incomplete.", id="incomplete"),
        pytest.param({"control": True}, "m (control): renamed.", id="role"),
    ],
)
def test_a_changed_row_is_told_in_words(new: dict[str, object], said: str) -> None:
    old = RunState(model="m", strict=0.5, rank=1)
    run = msgspec.structs.replace(old, **new)
    before = Snapshot(boards={"a": BoardState(label="A", runs={"r": old})})
    now = Snapshot(boards={"a": BoardState(label="A", runs={"r": run})})
    assert told(State(now=now, before=before)) == [("changed", said)]


def test_the_leaderboard_lists_changes_and_says_how_many_it_leaves_out(tmp_path: Path) -> None:
    make_package(tmp_path, "one", "one", CASES[:1], [passing(CASES[0], 1)])
    before = state_of(tmp_path)
    for number in range(9):
        make_package(tmp_path, f"new-{number}", f"<b>{number}", CASES[:1], [passing(CASES[0], 1)])
    pages = build_pages(load_site([tmp_path]), before)
    page = pages.hubs[0].body
    assert page.count('<span class="fc-tag fc-tag--strong">new</span>') == 12
    assert "6 more changes" in page
    assert "&lt;b&gt;0" in page
    written = next(asset.content for asset in pages.assets if asset.path == PATH)
    assert msgspec.json.decode(written, type=State) == state_of(tmp_path, before)


def test_a_state_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    make_package(tmp_path / "runs", "one", "n\u202eame", CASES[:1], [passing(CASES[0], 1)])
    state = state_of(tmp_path / "runs")
    (tmp_path / "state.json").write_bytes(state_bytes(state))
    assert read_state(tmp_path / "state.json") == state


def test_a_missing_state_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="cannot be read"):
        read_state(tmp_path / "state.json")


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\xff", b'{"now":{"boards":{}},"format":2}', b'{"now":{"boards":{"a":1}}}', b"[" * 100_000],
)
def test_what_is_no_state_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state.json").write_bytes(content)
    with pytest.raises(BadInputError, match="state"):
        read_state(tmp_path / "state.json")


_RUNS = st.builds(
    RunState,
    model=st.text(max_size=5),
    rank=st.none() | st.integers(1, 9),
    strict=st.none() | st.floats(0, 1),
    restraint=st.none() | st.floats(0, 1),
    complete=st.booleans(),
)
_BOARDS = st.builds(BoardState, label=st.text(max_size=5), runs=st.dictionaries(st.sampled_from("rst"), _RUNS))
_SHOTS = st.builds(Snapshot, boards=st.dictionaries(st.sampled_from("abc"), _BOARDS))


@given(_SHOTS, _SHOTS)
def test_every_difference_is_told_once_and_no_likeness_is(before: Snapshot, now: Snapshot) -> None:
    found = changes(State(now=now, before=before))
    expected = len(now.boards.keys() ^ before.boards.keys())
    for name in now.boards.keys() & before.boards.keys():
        old, new = before.boards[name].runs, now.boards[name].runs
        expected += len(old.keys() ^ new.keys()) + sum(old[run] != new[run] for run in old.keys() & new.keys())
    assert len(found) == expected
    assert not changes(State(now=now, before=now))
