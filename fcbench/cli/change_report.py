"""What `fcbench score` and `fcbench diff` say of verdicts that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fcbench.aggregate.verdict_changes import Flip, VerdictChanges, VerdictKey, one_sentence
from fcbench.cli.output import table
from fcbench.core.names import JsonObject
from fcbench.core.records import to_plain
from fcbench.workflows.score import Scored

SHOWN_LETTERS = 180
"""Of a reason in a table; --json has more."""
_HEADER = ("case", "repeat", "tier", "before -> after", "reason")


def scored_lines(scored: Scored) -> Iterator[str]:
    """A package that was scored: one line, then every flip."""
    against = f" against {scored.compared_with}" if scored.compared_with else ""
    yield f"{scored.run_id}: {scored.verdicts} verdicts, {len(scored.flips)} flips{against} -> {scored.path}"
    yield from (f"  {line}" for line in change_lines(scored.changes))


def scored_data(scored: Scored) -> JsonObject:
    """The same as plain JSON values, uncut."""
    return {
        "run_id": scored.run_id,
        "verdicts": scored.verdicts,
        "file": str(scored.path),
        "compared_with": scored.compared_with,
        **change_data(scored.changes),
    }


def change_lines(changes: VerdictChanges) -> Iterator[str]:
    """A table of every flip, then one line for each other sort of change."""
    if changes.flips:
        yield from table(_HEADER, map(_cells, changes.flips)).splitlines()
    if changes.changed:
        counts = Counter(part for one in changes.changed for part in one.parts)
        parts = ", ".join(f"{name.replace('_', ' ')} in {count}" for name, count in counts.most_common())
        yield f"{len(changes.changed)} verdicts changed without a flip: {parts} (each with --json)"
    if changes.only_before:
        yield _one_sided(changes.only_before, "before")
    if changes.only_after:
        yield _one_sided(changes.only_after, "after")


def change_data(changes: VerdictChanges) -> JsonObject:
    """All changes as plain JSON values."""
    return {
        "flips": [to_plain(one) for one in changes.flips],
        "changed": [to_plain(one) for one in changes.changed],
        "only_before": [list(key) for key in changes.only_before],
        "only_after": [list(key) for key in changes.only_after],
    }


def cut(text: str) -> str:
    """A text as one cell of a table."""
    return one_sentence(text, SHOWN_LETTERS)


def _cells(flip: Flip) -> tuple[str, ...]:
    words = f"{_word(flip.before)} -> {_word(flip.after)}"
    return cut(flip.task_id), str(flip.repeat), cut(flip.tier), words, cut(flip.reason)


def _word(passed: bool) -> str:
    return "passed" if passed else "failed"


def _one_sided(keys: tuple[VerdictKey, ...], side: str) -> str:
    task, repeat, tier = keys[0]
    return (
        f"{len(keys)} verdicts are there only {side}, such as {cut(task)} repeat {repeat} at {tier} (each with --json)"
    )
