"""The index of a journal says what a list of its lines would say, in a few bytes a line."""

from __future__ import annotations

import sys
from collections import Counter
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId, Outcome
from fcbench.errors import PackageError
from fcbench.packages.journal_index import MAX_TRIES, Entry, JournalIndex

CASES = tuple(CaseId(name) for name in ("b", "a", "c"))
REPEATS = 3


def attempt(case: str = "a", repeat: int = 1, try_number: int = 1, outcome: Outcome = "completed") -> Attempt:
    return Attempt(
        task_id=CaseId(case),
        repeat=repeat,
        try_number=try_number,
        outcome=outcome,
        started_at="2026-12-01T00:00:00.000Z",
        duration_s=0.0,
    )


lines = st.lists(
    st.tuples(
        st.sampled_from(CASES),
        st.integers(1, REPEATS),
        st.integers(1, 4),
        st.sampled_from(get_args(Outcome)),
        st.integers(1, 1 << 34),
    ),
    max_size=15,
)


def as_entries(given_lines: list[tuple[CaseId, int, int, Outcome, int]]) -> list[Entry]:
    """What a plain list of records would hold."""
    made, at = [], 0
    for case, repeat, try_number, outcome, size in given_lines:
        made.append(Entry(task_id=case, repeat=repeat, try_number=try_number, outcome=outcome, at=at, size=size))
        at += size
    return made


@given(lines)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # no test depends on time
def test_it_says_what_a_list_of_its_lines_says(given_lines: list[tuple[CaseId, int, int, Outcome, int]]) -> None:
    index = JournalIndex(CASES, REPEATS)
    for case, repeat, try_number, outcome, size in given_lines:
        index.add(attempt(case, repeat, try_number, outcome), size)
    wanted = as_entries(given_lines)
    last: dict[tuple[CaseId, int], Entry] = {}
    for entry in wanted:
        key = (entry.task_id, entry.repeat)
        if key not in last or last[key].try_number <= entry.try_number:
            last[key] = entry
    assert list(index) == wanted
    assert len(index) == len(wanted)
    assert index.size == sum(entry.size for entry in wanted)
    assert [index.last(case, repeat) for case in CASES for repeat in range(1, REPEATS + 1)] == [
        last.get((case, repeat)) for case in CASES for repeat in range(1, REPEATS + 1)
    ]
    assert list(index.last_of(CASES[:2])) == [
        last[key] for key in ((case, repeat) for case in CASES[:2] for repeat in (1, 2, 3)) if key in last
    ]
    assert index.counts() == dict(Counter(entry.outcome for entry in last.values()))
    assert list(index.counts()) == sorted(index.counts())
    in_plan = sorted(wanted, key=lambda one: (CASES.index(one.task_id), one.repeat, one.try_number))
    assert list(index.ordered()) == in_plan


@pytest.mark.parametrize(
    "stranger",
    [
        pytest.param(attempt("z"), id="a case that is not planned"),
        pytest.param(attempt(repeat=0), id="repeat 0"),
        pytest.param(attempt(repeat=-1), id="a repeat below 0, which would count from the end"),
        pytest.param(attempt(repeat=REPEATS + 1), id="a repeat too many"),
        pytest.param(attempt(repeat=1 << 70), id="a huge repeat"),
        pytest.param(attempt(try_number=0), id="try 0"),
        pytest.param(attempt(try_number=MAX_TRIES + 1), id="a try that no run makes"),
    ],
)
def test_what_is_not_planned_is_refused_and_nothing_of_it_stays(stranger: Attempt) -> None:
    index = JournalIndex(CASES, REPEATS)
    index.add(attempt(), 10)
    with pytest.raises(PackageError, match="none of this run") as caught:
        index.add(stranger, 7)
    assert caught.value.next_step
    assert (len(index), index.size, index.counts()) == (1, 10, {"completed": 1})


def test_a_long_run_takes_a_few_bytes_an_attempt() -> None:
    cases = tuple(CaseId(f"case-{number}") for number in range(100))
    index = JournalIndex(cases, 100)
    for number in range(10_000):
        index.add(attempt(cases[number % 100], number // 100 + 1), 1000)
    held = sum(sys.getsizeof(part) for part in vars(index).values() if not isinstance(part, tuple | dict))
    assert held / 10_000 < 25
