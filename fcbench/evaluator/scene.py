"""What one judgement looks at: the plan of the case, and the evidence that counts."""

from __future__ import annotations

from collections.abc import Set
from operator import attrgetter
from typing import Final

from fcbench.core.evidence import Attempt
from fcbench.evaluator.observed import observe
from fcbench.evaluator.plan import CasePlan

CUT_SHORT: Final = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"})
"""Finish reasons, in small letters, of a reply that the token limit cut."""
ENDED: Final = frozenset(
    {"stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "unknown", ""}
)
"""Finish reasons, in small letters, of a reply that ended normally; `unknown` is a server that does not say."""


class Scene:
    """One attempt at one tier.

    Attributes:
        plan: of the case.
        attempt: its evidence.
        calls: the calls that count: for single-call tasks those of the first reply, else all.
        candidates: names of the offered tools; empty where imported evidence does not list them.
        first_reply: whether only the first reply counts (PROTOCOL 5, complex-schema suites).
        timed_out: whether the time limit ended the attempt: it fails, whatever was done.
        all_valid: whether every call that counts satisfies its schema.
        all_offered: whether every one names an offered tool.
    """

    __slots__ = (
        "all_offered",
        "all_valid",
        "attempt",
        "calls",
        "candidates",
        "first_reply",
        "plan",
        "rules",
        "timed_out",
    )

    def __init__(self, plan: CasePlan, attempt: Attempt, candidates: Set[str], first_reply: bool) -> None:
        self.plan = plan
        self.rules = plan.rules
        self.attempt = attempt
        self.candidates = candidates
        self.first_reply = first_reply
        self.timed_out = attempt.outcome == "timeout"
        rounds = attempt.rounds[:1] if first_reply else attempt.rounds
        self.calls, self.all_valid, self.all_offered = observe(rounds, candidates, plan.rules)

    def without(self, left_out: Set[int]) -> Scene:
        """The same scene but for some calls, given by their positions."""
        scene = Scene(self.plan, self.attempt, self.candidates, self.first_reply)
        scene.calls = [call for call in self.calls if call.index not in left_out]
        scene.all_valid = all(call.valid for call in scene.calls)
        scene.all_offered = all(call.offered for call in scene.calls)
        return scene

    def with_all_replies(self) -> Scene:
        """The same scene, all replies counted."""
        return Scene(self.plan, self.attempt, self.candidates, False) if self.first_reply else self

    @property
    def final_text(self) -> str:
        """The text that the attempt ended with; of a single-call task that of the first reply."""
        rounds = self.attempt.rounds
        if self.first_reply:
            return rounds[0].text.strip() if rounds else ""
        return (self.attempt.final_text or (rounds[-1].text if rounds else "")).strip()

    @property
    def finish_reason(self) -> str:
        """The provider's own word at the end of the last reply that counts."""
        rounds = self.attempt.rounds[:1] if self.first_reply else self.attempt.rounds
        return rounds[-1].finish_reason if rounds else ""

    @property
    def answered_in_text(self) -> bool:
        """Whether the last reply that counts ended normally, with text and without a call (decision `ask`)."""
        rounds = self.attempt.rounds[:1] if self.first_reply else self.attempt.rounds
        if self.attempt.outcome != "completed" or not self.final_text or (rounds and rounds[-1].calls):
            return False
        return self.finish_reason.casefold() in ENDED


_NAME: Final = attrgetter("name")


def scene_of(plan: CasePlan, attempt: Attempt, *, first_reply: bool) -> Scene:
    """Make the evidence ready.

    Args:
        plan: of the case.
        attempt: its attempt.
        first_reply: whether only the first reply counts.
    """
    return Scene(plan, attempt, frozenset(map(_NAME, attempt.candidates)), first_reply)
