"""Where each line of a journal is and what it says in short: a few bytes a line, so that a long run stays small.

Columns of numbers stand in for records: a dictionary with an entry for each attempt took 0.46 kB of it, these take 17
bytes a line and 4 bytes for each planned attempt.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId, Outcome
from fcbench.core.records import Record
from fcbench.errors import PackageError

Key = tuple[str, int]
"""(case, repeat)."""
MAX_TRIES = 1_000_000
"""Of one (case, repeat). A real run makes a handful."""
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Entry(Record, frozen=True, kw_only=True):
    """Where one line of the journal is, and what it says in short."""

    task_id: CaseId
    repeat: int
    try_number: int
    outcome: Outcome
    at: int
    """First byte."""
    size: int
    """Bytes, the newline included."""


class JournalIndex:
    """The lines of one journal.

    Attributes:
        size: bytes of all lines.
    """

    def __init__(self, cases: Sequence[CaseId], repeats: int) -> None:
        """Take the plan: nothing else may stand in the journal.

        Args:
            cases: planned, in their order.
            repeats: planned, of each case.
        """
        self.size = 0
        self._cases = tuple(cases)
        self._repeats = repeats
        self._number = {case: number for number, case in enumerate(self._cases)}
        self._slot, self._try, self._outcome, self._at = array("I"), array("I"), array("B"), array("Q")
        self._last = array("I", [0]) * (len(self._cases) * repeats)
        """By slot: the line of the last try, counted from 1."""
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """Lines."""
        return len(self._slot)

    def add(self, attempt: Attempt, size: int) -> None:
        """Note the next line.

        Raises:
            PackageError: the attempt is none of the plan.
        """
        slot = self._slot_of(attempt)
        before = self._last[slot]
        self._slot.append(slot)
        self._try.append(attempt.try_number)
        self._outcome.append(_OUTCOMES.index(attempt.outcome))
        self._at.append(self.size)
        self.size += size
        if not before or self._try[before - 1] <= attempt.try_number:
            if before:
                self._counts[_OUTCOMES[self._outcome[before - 1]]] -= 1
            self._counts[attempt.outcome] += 1
            self._last[slot] = len(self._slot)

    def __iter__(self) -> Iterator[Entry]:
        """Every line, in the order of the file."""
        return map(self._entry, range(len(self)))

    def ordered(self) -> Iterator[Entry]:
        """Every line by case in the order of the plan, repeat and try, as a sealed package has them."""
        of_plan = len(self._cases)

        def place(line: int) -> tuple[int, int, int]:
            repeat, case = divmod(self._slot[line], of_plan)
            return case, repeat, self._try[line]

        return map(self._entry, sorted(range(len(self)), key=place))

    def last(self, case: CaseId, repeat: int) -> Entry | None:
        """The last try of a planned (case, repeat), if there is one."""
        line = self._last[(repeat - 1) * len(self._cases) + self._number[case]]
        return self._entry(line - 1) if line else None

    def last_of(self, cases: Iterable[CaseId]) -> Iterator[Entry]:
        """The last tries of some cases."""
        for case in cases:
            for repeat in range(1, self._repeats + 1):
                if found := self.last(case, repeat):
                    yield found

    def counts(self) -> dict[str, int]:
        """(case, repeat) by the outcome of the last try, those that occur, by name."""
        return {outcome: count for outcome, count in sorted(self._counts.items()) if count}

    def _entry(self, line: int) -> Entry:
        repeat, case = divmod(self._slot[line], len(self._cases))
        end = self._at[line + 1] if line + 1 < len(self._at) else self.size
        return Entry(
            task_id=self._cases[case],
            repeat=repeat + 1,
            try_number=self._try[line],
            outcome=_OUTCOMES[self._outcome[line]],
            at=self._at[line],
            size=end - self._at[line],
        )

    def _slot_of(self, attempt: Attempt) -> int:
        case = self._number.get(attempt.task_id)
        if case is None or not (1 <= attempt.repeat <= self._repeats and 1 <= attempt.try_number <= MAX_TRIES):
            raise PackageError(
                "the journal holds an attempt that is none of this run",
                wanted=f"one of {len(self._cases):,} planned cases, a repeat from 1 to {self._repeats:,}, a try from 1",
                found=f"{attempt.task_id[:100]} repeat {attempt.repeat} try {attempt.try_number}",
                next_step="restore attempts.jsonl from a copy, or start the run anew in another directory",
            )
        return (attempt.repeat - 1) * len(self._cases) + case


__all__ = ["MAX_TRIES", "Entry", "JournalIndex", "Key"]
