"""What a manifest says of its attempts, recomputed from the records: entries, counts, completeness, repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from fcbench.core.canonical import digest_bytes
from fcbench.core.evidence import Attempt, Usage
from fcbench.core.names import SCORABLE, CaseId, Digest
from fcbench.core.records import encode_line
from fcbench.engine.plan import Settings, continuation
from fcbench.engine.shards import Shard
from fcbench.packages.journal import last_tries
from fcbench.packages.manifest import Manifest, planned_pairs
from fcbench.packages.store import FINAL, Package

Key = tuple[CaseId, int]


def tally_problems(package: Package, attempts: Sequence[Attempt]) -> Iterator[str]:
    """What of the manifest does not follow from the records, one sentence each.

    Args:
        package: whose manifest is compared.
        attempts: every try, in the order of the file.
    """
    header = package.header
    known = set(header.cases)
    for attempt in attempts:
        if attempt.task_id not in known:
            yield f"attempts.jsonl: holds {attempt.task_id!r}, which is no case of this run"
        if not 1 <= attempt.repeat <= header.repeats:
            yield f"{attempt.task_id}: repeat {attempt.repeat} of {header.repeats} planned"
        yield from _inside(attempt)
    yield from _shards(package.manifest, attempts)
    yield from _tries(attempts)
    yield from _copies(attempts)
    latest = last_tries(list(attempts))
    yield from _sums(package.manifest, latest)
    if set(package.cases) == known and package.manifest.redaction is None:
        yield from _repeats(package, latest)


def _shards(manifest: Manifest, attempts: Sequence[Attempt]) -> Iterator[str]:
    shard = manifest.header.shard
    if (shard is not None) != (manifest.header.purpose == "shard"):
        yield f"shard: the purpose is {manifest.header.purpose}, and the header names {shard or 'no shard'}"
    if shard is not None:
        mine = set(planned_pairs(manifest.header, manifest.repeats_done))
        for attempt in attempts:
            if (attempt.task_id, attempt.repeat) not in mine:
                yield f"{attempt.task_id} repeat {attempt.repeat}: belongs to another shard than {shard}"
    parts = [one.shard for one in manifest.merged_from]
    if parts != [Shard(number=number, of=len(parts)) for number in range(1, len(parts) + 1)]:
        yield f"merged from: {', '.join(map(str, parts))[:200]} are not all parts of one plan, each once and in order"


def _tries(attempts: Sequence[Attempt]) -> Iterator[str]:
    tries: dict[Key, list[Attempt]] = {}
    for attempt in attempts:
        tries.setdefault((attempt.task_id, attempt.repeat), []).append(attempt)
    for (task, repeat), made in tries.items():
        numbers = [one.try_number for one in made]
        if numbers != list(range(1, len(made) + 1)):
            yield f"{task} repeat {repeat}: the tries {numbers} are not 1 to {len(made)}, each once and in order"
        for one in made[:-1]:
            if one.outcome in FINAL:
                yield f"{task} repeat {repeat}: tried again although try {one.try_number} ended as {one.outcome}"


def _copies(attempts: Sequence[Attempt]) -> Iterator[str]:
    # Deterministic models give equal replies, and two attempts may begin in one millisecond. Equal times in every
    # round and phase, to the microsecond, come only from copying a record. Without a round there is too little to tell.
    seen: dict[Digest, Attempt] = {}
    for attempt in (one for one in attempts if one.rounds):
        same = replace(attempt, task_id=CaseId(""), repeat=1, try_number=1, outcome="completed", error=None)
        first = seen.setdefault(digest_bytes(encode_line(same)), attempt)
        if first is not attempt:
            yield f"{_name(attempt)} is a copy of {_name(first)}, times included"


def _name(attempt: Attempt) -> str:
    return f"{attempt.task_id} repeat {attempt.repeat} try {attempt.try_number}"


def _inside(attempt: Attempt) -> Iterator[str]:
    name = _name(attempt)
    if [one.number for one in attempt.rounds] != list(range(1, len(attempt.rounds) + 1)):
        yield f"{name}: its rounds are not numbered from 1 on"
    last = attempt.rounds[-1] if attempt.rounds else None
    if attempt.final_text != (last.text if last and not last.calls else ""):
        yield f"{name}: its final text is not the text of its last round"
    usage = Usage()
    for turn in attempt.rounds:
        usage = usage.plus(turn.usage)
    if attempt.usage != usage:
        yield f"{name}: its usage is not the sum over its rounds"
    if attempt.outcome == "completed" and attempt.error is not None:
        yield f"{name}: completed, and yet it holds an error"
    if attempt.outcome not in SCORABLE and attempt.error is None:
        yield f"{name}: {attempt.outcome}, and no error says why"
    ranks = [one.rank for one in attempt.candidates]
    if ranks != list(range(1, len(ranks) + 1)) or len({one.name for one in attempt.candidates}) != len(ranks):
        yield f"{name}: its candidates are not ranked from 1 on, each once"


def _sums(manifest: Manifest, latest: Mapping[tuple[str, int], Attempt]) -> Iterator[str]:
    counts = dict(Counter(attempt.outcome for attempt in latest.values()))
    if counts != manifest.counts:
        wanted, found = dict(sorted(counts.items())), dict(sorted(manifest.counts.items()))
        yield f"counts: wanted {wanted} as recorded, found {found}"
    is_planned = _is_planned(manifest)
    done = sum(is_planned(key) and attempt.outcome in FINAL for key, attempt in latest.items())
    if manifest.complete != (done == manifest.planned):
        word = "complete" if manifest.complete else "incomplete"
        yield f"complete: the manifest says {word}, and {done} of {manifest.planned} attempts have a final outcome"


def _is_planned(manifest: Manifest) -> Callable[[tuple[str, int]], bool]:
    if manifest.header.shard is not None:
        return frozenset(planned_pairs(manifest.header, manifest.repeats_done)).__contains__
    # The pairs themselves are never made here: a forged number of repeats would fill the memory.
    cases, repeats = frozenset(manifest.header.cases), manifest.repeats_done
    return lambda key: key[0] in cases and 1 <= key[1] <= repeats


def _repeats(package: Package, latest: Mapping[tuple[str, int], Attempt]) -> Iterator[str]:
    manifest, header = package.manifest, package.header
    auto = header.repeats_rule == "auto"
    settings = Settings(
        mode=header.key.harness_mode, retrieval=header.key.retrieval, repeats=header.repeats, auto_repeats=auto
    )
    ending = continuation(sorted(package.cases.values(), key=lambda case: case.id), settings, latest)
    if manifest.repeats_done != ending.repeats:
        yield f"repeats_done: wanted {ending.repeats} as the records say, found {manifest.repeats_done}"
    if manifest.deterministic != ending.deterministic:
        yield f"deterministic: wanted {ending.deterministic!r} as the records say, found {manifest.deterministic!r}"
