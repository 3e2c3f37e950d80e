"""Shards of a plan: deterministic, balanced, complete, disjoint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.engine.shards import Shard, deal, in_shard, read_shard
from fcbench.errors import UsageError

PAIRS = st.sets(st.tuples(st.text(min_size=1, max_size=8), st.integers(1, 9)), max_size=60)


@given(pairs=PAIRS, of=st.integers(1, 9))
def test_the_shards_of_a_plan_are_complete_disjoint_and_balanced(pairs: set[tuple[str, int]], of: int) -> None:
    parts = [in_shard(pairs, Shard(number=number, of=of)) for number in range(1, of + 1)]
    assert frozenset().union(*parts) == pairs
    assert sum(map(len, parts)) == len(pairs)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@given(pairs=PAIRS, order=st.randoms(use_true_random=False))
def test_a_shard_does_not_depend_on_the_order_of_the_plan(pairs: set[tuple[str, int]], order: object) -> None:
    shuffled = sorted(pairs)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert in_shard(shuffled, Shard(number=1, of=3)) == in_shard(pairs, Shard(number=1, of=3))


def test_the_parts_are_the_same_for_ever() -> None:
    pairs = [(f"case-{number}", repeat) for number in range(1, 4) for repeat in (1, 2)]
    assert sorted(in_shard(pairs, Shard(number=1, of=2))) == FIRST_HALF
    assert in_shard(pairs, None) == frozenset(pairs)


FIRST_HALF = [("case-1", 2), ("case-2", 1), ("case-3", 2)]
"""By the SHA-256 of `case-1 1` and its like, computed by hand."""


def test_jobs_are_dealt_in_the_order_of_the_plan_and_no_part_is_empty() -> None:
    jobs = [("b", 1), ("a", 1), ("c", 1)]
    parts = deal(jobs, 8, lambda job: job)
    assert len(parts) == 3
    assert sorted(job for part in parts for job in part) == sorted(jobs)
    (whole,) = deal(jobs, 1, lambda job: job)
    assert whole == jobs
    assert deal([], 4, lambda job: job) == []


@pytest.mark.parametrize("text", ["1/1", " 2/4 ", "10000/10000"])
def test_a_shard_reads(text: str) -> None:
    assert str(read_shard(text)) == text.strip()


@pytest.mark.parametrize(
    "text", ["", "2", "0/4", "5/4", "-1/4", "1/0", "1/10001", "1/2/3", "1.0/2", "²/3", "1/99999999"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="shard does not read") as caught:
        read_shard(text)
    assert caught.value.where == "--shard"
