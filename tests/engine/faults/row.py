"""What a row of the fault table says. The page docs/reference/outcomes.md shows the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from fcbench.core.evidence import Attempt
from tests.engine.faults.replies import says
from tests.engine.faults.server import Answer

ENDS = "none, the run ends"
"""In place of an outcome: nothing is recorded, and the run can be resumed."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One fault and what becomes of it."""

    name: str
    """What the server does."""
    answers: tuple[Answer, ...]
    """To the first requests."""
    then: Answer | None = None
    """To all further requests; the last of `answers` again where it is None."""
    outcome: str
    kind: str | None = None
    """Of the error, if there is one."""
    status: int | None = None
    requests: int
    """That reach the server."""
    holds: str
    """What the record holds, for readers; `facts` is what is compared."""
    facts: dict[str, object] = field(default_factory=dict)
    limit_s: float = 60.0
    """Time limit of the attempt."""

    def answer(self, number: int) -> Answer:
        """To the request of this number, from 1."""
        if number <= len(self.answers):
            return self.answers[number - 1]
        return self.then or self.answers[-1]

    def cells(self) -> tuple[str, str, str, str, str]:
        """The row on the page."""
        kind = f"`{self.kind}`" + (f" {self.status}" if self.status else "") if self.kind else ""
        outcome = self.outcome if self.outcome == ENDS else f"`{self.outcome}`"
        return self.name, outcome, kind, str(self.requests), self.holds


DONE = says("done")
"""The model stops after its calls were answered."""


def facts_of(attempt: Attempt) -> dict[str, object]:
    """What rows compare."""
    made = [call for turn in attempt.rounds for call in turn.calls]
    return {
        "rounds": len(attempt.rounds),
        "retries": attempt.retries,
        "stop": attempt.stop,
        "text": attempt.final_text,
        "finish": [turn.finish_reason for turn in attempt.rounds],
        "calls": [call.result.status for call in made],
        "names": [call.name for call in made],
        "ids": [call.id if call.id_given else None for call in made],
        "arguments": [call.raw_arguments for call in made],
        "parsed": [call.arguments for call in made],
        "tokens": (attempt.usage.input_tokens, attempt.usage.output_tokens),
        "message": attempt.error.message if attempt.error else "",
    }


def differences(row: Row, attempt: Attempt) -> list[str]:
    """Where an attempt is not as its row says. A fact that is a text of several words need only occur in `message`."""
    found = facts_of(attempt)
    wrong = []
    for name, wanted in row.facts.items():
        is_there = str(wanted) in str(found[name]) if name == "message" else found[name] == wanted
        if not is_there:
            wrong.append(f"{name}: wanted {str(wanted)[:300]!r}, found {str(found[name])[:300]!r}")
    return wrong
