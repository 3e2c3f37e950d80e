"""What happens in a run, as records: for a live display, for lines of JSON, for whoever looks on.

Each record encodes to an object whose field `event` names its kind. Texts in them come from a model or a provider:
whoever shows them makes them harmless first. A run tells events in the order in which they happen; between `run_begun`
and `run_ended` attempts overlap as far as the concurrency allows, and (task_id, repeat, try) says which one is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import field

from fcbench.core.evidence import Attempt, Round
from fcbench.core.names import CaseId
from fcbench.core.records import Record

WaitReason = Literal["rate limited", "requests per minute", "provider down", "retry"]
"""`rate limited`: the provider asked for a rest, and nothing is sent to it. `requests per minute`: our own ceiling.
`provider down`: the circuit breaker is open. `retry`: one request waits before it is sent again; the others go on."""
EndReason = Literal["sealed", "incomplete", "ceiling", "interrupted", "provider down", "refused", "failed"]
"""How a run ended. All but `sealed` leave it resumable. `incomplete`: attempts lack a scorable outcome. `refused`: the
provider refuses us (key, model name). `failed`: an error of the disk, of a file or of ours."""


class Spent(Record, frozen=True, kw_only=True):
    """What a run has used so far, over all its resumes."""

    requests: int = 0
    """Requests sent, repeated ones included; those of attempts that a kill lost are not known."""
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    """Replies whose tokens the provider did not count: with one, tokens and cost are lower bounds."""
    cost: float | None = None
    """In the currency of the price file; None where the price is unknown, never 0 for unknown."""


class RunBegun(Record, frozen=True, kw_only=True, tag_field="event", tag="run_begun"):
    """The plan is made and the directory is open."""

    at: str
    """UTC, ISO 8601 with milliseconds and `Z`, as in every event."""
    run_id: str
    folder: str
    """The run directory."""
    collection: str
    """`collection`, `collection/subset` or a suite."""
    provider: str
    model: str
    harness: str
    mode: str
    retrieval: str
    decoding: str
    cases: int
    repeats: int
    planned: int
    """Attempts of the plan as far as it is known: under `--repeats auto` the rest follows after the first stage."""
    done: int = 0
    """Attempts that have a final outcome already."""
    resumed: bool = False
    concurrency: int = 1
    """Attempts in flight at most."""
    currency: str | None = None
    """Where the price of the model is known."""
    spent: Spent = Spent()


class _OfAttempt(Record, frozen=True, kw_only=True):
    """Which attempt an event is about, and when it happened."""

    at: str
    """UTC."""
    task_id: CaseId
    repeat: int
    try_number: int = field(default=1, name="try")


class AttemptBegun(_OfAttempt, frozen=True, kw_only=True, tag_field="event", tag="attempt_begun"):
    """An attempt begins."""


class RoundBegun(_OfAttempt, frozen=True, kw_only=True, tag_field="event", tag="round_begun"):
    """A request of an attempt is about to go out."""

    number: int
    """Of the round, from 1."""


class RoundEnded(_OfAttempt, frozen=True, kw_only=True, tag_field="event", tag="round_ended"):
    """A round is over: text, calls with what they were answered, usage, as it stands in the evidence."""

    turn: Round


class AttemptEnded(Record, frozen=True, kw_only=True, tag_field="event", tag="attempt_ended"):
    """An attempt is over and in the journal."""

    at: str
    attempt: Attempt
    done: int
    """(case, repeat) with a final outcome, this one included if it has one."""
    planned: int
    cost: float | None = None
    """Of this attempt; None where price or tokens are unknown."""
    spent: Spent = Spent()


class AttemptDropped(_OfAttempt, frozen=True, kw_only=True, tag_field="event", tag="attempt_dropped"):
    """An attempt in flight was given up when the run ended: nothing of it is kept, a resume makes it anew."""


class Waiting(Record, frozen=True, kw_only=True, tag_field="event", tag="waiting"):
    """Nothing is sent until a moment; for `retry` only one request waits."""

    at: str
    why: WaitReason
    seconds: float
    until: str
    """UTC."""
    detail: str = ""
    """What the provider said, where it said something."""


class RunEnded(Record, frozen=True, kw_only=True, tag_field="event", tag="run_ended"):
    """The run is over, or stands still until it is resumed."""

    at: str
    reason: EndReason
    folder: str
    """The sealed package, else the run directory."""
    message: str = ""
    done: int
    planned: int
    counts: dict[str, int] = field(default_factory=dict)
    """(case, repeat) by the outcome of the last try."""
    spent: Spent = Spent()


Event: TypeAlias = (
    RunBegun | AttemptBegun | RoundBegun | RoundEnded | AttemptEnded | AttemptDropped | Waiting | RunEnded
)
Tell = Callable[[Event], None]
"""Who is told. It must be quick, for the run waits for it; what it raises ends the run, resumable."""


def nobody(event: Event) -> None:
    """Tells nobody."""


__all__ = [
    "AttemptBegun",
    "AttemptDropped",
    "AttemptEnded",
    "EndReason",
    "Event",
    "RoundBegun",
    "RoundEnded",
    "RunBegun",
    "RunEnded",
    "Spent",
    "Tell",
    "WaitReason",
    "Waiting",
    "nobody",
]
