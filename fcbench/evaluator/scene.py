"""What one judgement looks at: the case, the evidence that counts, and the rules of the tier."""

from __future__ import annotations

from collections.abc import Mapping

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import Tier, ToolName
from fcbench.core.records import Record
from fcbench.evaluator.observed import Observed, observe
from fcbench.evaluator.rules import Rules


class Scene(Record, frozen=True, kw_only=True):
    """One attempt at one tier."""

    case: Case
    attempt: Attempt
    calls: tuple[Observed, ...]
    """The calls that count: for single-call tasks those of the first reply, else all."""
    rules: Rules
    final_text: str
    finish_reason: str
    candidates: frozenset[str]
    """Names of the offered tools; empty where imported evidence does not list them."""

    @property
    def text(self) -> str:
        """What the model was told, for the words and numbers that it may have misread."""
        task = self.case.task
        return f"{task.instruction}\n{task.context or ''}"

    @property
    def timed_out(self) -> bool:
        """Whether the time limit ended the attempt: it fails, whatever was done."""
        return self.attempt.outcome == "timeout"


def scene_of(
    case: Case, attempt: Attempt, contracts: Mapping[ToolName, ToolContract], tier: Tier, *, first_reply: bool
) -> Scene:
    """Make the evidence ready.

    Args:
        case: the case.
        attempt: its attempt.
        contracts: every contract that an offered or expected tool needs.
        tier: the tier to judge at.
        first_reply: whether only the first reply counts (PROTOCOL 5, complex-schema suites).
    """
    calls = observe(attempt, contracts)
    rounds = attempt.rounds[:1] if first_reply else attempt.rounds
    last = rounds[-1] if rounds else None
    if first_reply and rounds:
        calls = calls[: len(rounds[0].calls)]
    return Scene(
        case=case,
        attempt=attempt,
        calls=calls,
        rules=Rules(tier=tier, contracts=contracts, call_only=case.oracle.call_only, any_call=case.oracle.any_call),
        final_text=(last.text if last and first_reply else attempt.final_text or (last.text if last else "")).strip(),
        finish_reason=last.finish_reason if last else "",
        candidates=frozenset(candidate.name for candidate in attempt.candidates),
    )
