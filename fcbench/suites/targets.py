"""What a suite aims at, compared with what it holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from fcbench.core.cases import Case
from fcbench.core.names import Pointer
from fcbench.suites.model import Suite

MIX_SLACK = 5.0
"""Percentage points by which a share may miss its target; one case more or less is always allowed."""
_WORD = re.compile(r"\w+(?:[-'.,/@]\w+)*")


def word_count(text: str) -> int:
    """Words of a text; an amount, a date, an address or a compound with hyphens is one word."""
    return len(_WORD.findall(text))


def missed_targets(suite: Suite, cases: Sequence[Case]) -> Iterator[tuple[str, str, Pointer]]:
    """Every target that the suite misses: rule, message, and the place in `suite.yaml`."""
    if not cases:
        return
    yield from _mix(suite, cases)
    levels = Counter(case.oracle.labels.level for case in cases)
    for level, least in suite.targets.levels.items():
        if levels[level] < least:
            yield (
                "levels",
                f"level {level} has {levels[level]} cases; the target is {least}",
                Pointer(f"/targets/levels/{level}"),
            )
    traps = Counter(trap for case in cases for trap in case.oracle.labels.traps)
    for trap, least in suite.targets.traps.items():
        if traps[trap] < least:
            yield (
                "traps",
                f"the trap {trap} is set {traps[trap]} times; the target is {least}",
                Pointer(f"/targets/traps/{trap}"),
            )


def _mix(suite: Suite, cases: Sequence[Case]) -> Iterator[tuple[str, str, Pointer]]:
    targets = suite.targets.mix
    if targets and sum(targets.values()) != 100:
        yield "mix", "the targets of the mix do not add up to 100", Pointer("/targets/mix")
    counts = Counter(case.oracle.labels.mix for case in cases)
    slack = MIX_SLACK + 100 / len(cases)
    for kind, target in targets.items():
        share = 100 * counts[kind] / len(cases)
        if abs(share - target) > slack:
            message = f"{kind} makes up {share:.0f} % of {len(cases)} cases; the target is {target} %"
            yield "mix", message, Pointer(f"/targets/mix/{kind}")


def outside_length(suite: Suite, case: Case) -> str | None:
    """What is wrong with the length of an instruction; None where it is as the suite aims at."""
    words, wanted = word_count(case.task.instruction), suite.targets.words
    if wanted is None or wanted.least <= words <= wanted.most:
        return None
    return f"{case.id}: the instruction has {words} words; the target is {wanted.least} to {wanted.most}"
