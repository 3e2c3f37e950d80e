"""Shards: a fixed part of a plan, for machines that share one run. Pure: every machine draws the same parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from fcbench.core.canonical import digest_text
from fcbench.core.records import Record
from fcbench.errors import UsageError

MAX_SHARDS = 10_000
_SHARD = re.compile(r"([1-9][0-9]{0,4})/([1-9][0-9]{0,4})")
Job = TypeVar("Job")


class Shard(Record, frozen=True, kw_only=True):
    """Part `number` of `of`."""

    number: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        """As the option has it: `2/4`."""
        return f"{self.number}/{self.of}"

    @property
    def exists(self) -> bool:
        """Whether there can be such a part."""
        return 1 <= self.number <= self.of <= MAX_SHARDS


def read_shard(text: str) -> Shard:
    """Read `i/n`.

    Raises:
        UsageError: the text has another form, or i is not within 1 to n.
    """
    found = _SHARD.fullmatch(text.strip())
    shard = Shard(number=int(found[1]), of=int(found[2])) if found else None
    if shard is None or not shard.exists:
        raise UsageError(
            "the shard does not read",
            wanted=f"i/n with i from 1 to n and n at most {MAX_SHARDS:,}, such as 2/4",
            found=text[:80],
            where="--shard",
        )
    return shard


def in_shard(pairs: Iterable[tuple[str, int]], shard: Shard | None) -> frozenset[tuple[str, int]]:
    """The (case id, repeat) of a plan that belong to a shard; all of them without one.

    The pairs are ordered by the SHA-256 of `<case id> <repeat>` and dealt out like cards: parts differ in size by one
    at most, and neighbours in the plan, which are often alike, come to different parts.

    Args:
        pairs: the whole plan, in any order.
        shard: which part.
    """
    if shard is None:
        return frozenset(pairs)
    ordered = sorted(set(pairs), key=_place)
    return frozenset(ordered[shard.number - 1 :: shard.of])


def deal(jobs: Sequence[Job], parts: int, key: Callable[[Job], tuple[str, int]]) -> list[list[Job]]:
    """Jobs in at most `parts` shards, none of them empty, each in the order of the plan."""
    chosen: list[list[Job]] = []
    for number in range(1, min(parts, len(jobs)) + 1):
        mine = in_shard(map(key, jobs), Shard(number=number, of=min(parts, len(jobs))))
        chosen.append([job for job in jobs if key(job) in mine])
    return chosen


def _place(pair: tuple[str, int]) -> str:
    return digest_text(f"{pair[0]} {pair[1]}")


__all__ = ["MAX_SHARDS", "Shard", "deal", "in_shard", "read_shard"]
