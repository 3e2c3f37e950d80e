"""Signs that records were not made by a run: times, ids, sizes and replies that no run gives.

A sign is a reason to look, not a proof: clocks are set, proxies rewrite ids. What *cannot* be is found by verification
(`tallies`, `replay`). Controls are left out where their like replies and instant answers are their nature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from fcbench.core.evidence import Attempt, PhaseName, Round
from fcbench.core.names import Digest
from fcbench.core.records import Record
from fcbench.packages.integrity import checked_records
from fcbench.packages.store import Package

SLACK_S = 0.25
"""How far two clocks of one run may be apart: a moment is read in milliseconds, a duration from another clock."""
MOST_TOKENS_A_SECOND = 20_000.0
"""Of one reply. Ten times what the fastest hosts write."""
FEW = 5
"""Below it equal durations may be chance."""
_ORDER: Mapping[PhaseName, int] = {
    "prepared": 0, "retrieved": 1, "requested": 2, "replied": 3, "executed": 4, "ended": 5,
}  # fmt: skip
_NEEDED: tuple[PhaseName, ...] = ("prepared", "retrieved", "requested", "replied", "ended")
_SHORT_ID = 12
"""Ids as short as this may be counted up by an honest server."""


class Sign(Record, frozen=True, kw_only=True):
    """One thing to look at."""

    kind: str
    """`times`, `phases`, `ids`, `replies` or `usage`."""
    where: str
    """Attempt, or package."""
    sentence: str


def signs_within(package: Package) -> Iterator[Sign]:
    """What in one package no run gives, in the order of its records.

    Args:
        package: sealed and unaltered.
    """
    attempts = [attempt for _, attempt in checked_records(package)]
    control = package.header.provider.control
    began, sealed = _moment(package.header.created_at), _moment(package.manifest.sealed_at)
    for attempt in attempts:
        yield from _times(attempt, began, sealed)
        yield from _phases(attempt)
        if not control:
            yield from _usage(attempt)
    if not control:
        yield from _equal_durations(package, attempts)


def _times(attempt: Attempt, began: datetime | None, sealed: datetime | None) -> Iterator[Sign]:
    where, start = _name(attempt), _moment(attempt.started_at)
    if start is None or began is None or sealed is None:
        yield Sign(kind="times", where=where, sentence=f"a time is none: {attempt.started_at[:40]!r}")
        return
    end = start + timedelta(seconds=_bounded(attempt.duration_s) + SLACK_S)
    if start < began - timedelta(seconds=SLACK_S):
        yield Sign(kind="times", where=where, sentence="began before the run was planned")
    if end > sealed + timedelta(seconds=2 * SLACK_S):
        yield Sign(kind="times", where=where, sentence="ended after the package was sealed")
    moments = [(turn, _moment(turn.started_at)) for turn in attempt.rounds]
    for turn, moment in moments:
        if moment is None or not start - timedelta(seconds=SLACK_S) <= moment <= end:
            yield Sign(kind="times", where=where, sentence=f"round {turn.number} lies outside the attempt's own time")
        if not 0 <= turn.reply_s <= turn.duration_s + SLACK_S:
            yield Sign(kind="times", where=where, sentence=f"round {turn.number} took longer to answer than it lasted")
    for (first, one), (second, two) in pairwise(moments):
        if one and two and two < one + timedelta(seconds=_bounded(first.duration_s) - SLACK_S):
            sentence = f"round {second.number} began before round {first.number} had ended"
            yield Sign(kind="times", where=where, sentence=sentence)


def _phases(attempt: Attempt) -> Iterator[Sign]:
    where = _name(attempt)
    times = [phase.at_s for phase in sorted(attempt.phases, key=lambda phase: _ORDER[phase.name])]
    if attempt.rounds and (lacking := [name for name in _NEEDED if name not in {one.name for one in attempt.phases}]):
        yield Sign(kind="phases", where=where, sentence=f"lacks the phases {', '.join(lacking)}")
    if times and not 0 <= min(times) <= max(times) <= attempt.duration_s + SLACK_S:
        yield Sign(kind="phases", where=where, sentence="a phase lies outside the attempt's own time")
    if attempt.rounds and any(two < one - SLACK_S for one, two in pairwise(times)):
        yield Sign(kind="phases", where=where, sentence="its phases do not follow each other")


def _usage(attempt: Attempt) -> Iterator[Sign]:
    for turn in attempt.rounds:
        said = turn.usage.output_tokens
        wrote = len(turn.text) + sum(len(call.raw_arguments) for call in turn.calls)
        where = f"{_name(attempt)}, round {turn.number}"
        if said is None:
            continue
        # A token stands for at most some dozens of letters, and a reply with content has at least one.
        if said < wrote / 64:
            yield Sign(kind="usage", where=where, sentence=f"{wrote} letters of reply in {said} tokens")
        if said > 64 and said > MOST_TOKENS_A_SECOND * max(turn.reply_s, 0.001):
            yield Sign(kind="usage", where=where, sentence=f"{said} tokens in {turn.reply_s:.3f} s")


def _equal_durations(package: Package, attempts: Sequence[Attempt]) -> Iterator[Sign]:
    lasting = Counter(turn.reply_s for attempt in attempts for turn in attempt.rounds if turn.reply_s > 0.01)
    for seconds, times in lasting.most_common(1):
        if times >= FEW and times > sum(lasting.values()) / 10:
            sentence = f"{times} replies took exactly {seconds} s"
            yield Sign(kind="times", where=package.header.run_id, sentence=sentence)


def signs_between(packages: Iterable[Package]) -> Iterator[Sign]:
    """What two packages share although no two runs do: raw replies, long ids of calls, records with their times.

    Args:
        packages: sealed and unaltered; controls are left out, and so are two copies of one run.
    """
    replies: dict[Digest, str] = {}
    ids: dict[str, str] = {}
    for package in packages:
        if package.header.provider.control:
            continue
        run, found = package.header.run_id, Counter[tuple[str, str]]()
        for _, attempt in checked_records(package):
            for turn in attempt.rounds:
                found.update(_shared(run, turn, replies, ids))
        for (kind, other), times in sorted(found.items()):
            what = "raw replies" if kind == "replies" else "ids of calls"
            yield Sign(kind=kind, where=run, sentence=f"shares {times} {what} with {other}")


def _shared(run: str, turn: Round, replies: dict[Digest, str], ids: dict[str, str]) -> Iterator[tuple[str, str]]:
    # A raw reply holds an id and a time of its own with every server that we know; a program behind `command:` may
    # answer without, so that like replies of different models are a reason to look and no more.
    if (turn.calls or turn.text) and (other := replies.setdefault(turn.reply_sha256, run)) != run:
        yield "replies", other
    for call in turn.calls:
        if call.id_given and len(call.id) > _SHORT_ID and (other := ids.setdefault(call.id, run)) != run:
            yield "ids", other


def _name(attempt: Attempt) -> str:
    return f"{attempt.task_id} repeat {attempt.repeat} try {attempt.try_number}"


def _bounded(seconds: float) -> float:
    """Seconds that a date can be moved by; a forged duration may be anything."""
    return seconds if 0 <= seconds < 1e8 else 1e8


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None and found.year < 9000 else None
