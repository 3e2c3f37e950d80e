"""What a live display knows of a run: sums over its events, and the latest of them. No terminal, no colours."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from fcbench.core.evidence import Attempt, Round
from fcbench.core.names import SCORABLE
from fcbench.engine.events import (
    AttemptBegun,
    AttemptDropped,
    AttemptEnded,
    Event,
    RoundBegun,
    RoundEnded,
    RunBegun,
    RunEnded,
    Spent,
    Waiting,
)

Judge = Callable[[Attempt], bool | None]
"""Whether an attempt passes at the headline tier; None where it cannot be judged."""
Which = tuple[str, int, int]
"""Case, repeat and try."""
KEPT = 64
"""Rounds and endings that are kept for the display."""
RATE_OVER = 50
"""Attempts over whose time the rate is taken."""


@dataclass
class InFlight:
    """An attempt that has begun."""

    since: float
    round: int = 0
    calls: int = 0


@dataclass(frozen=True, kw_only=True)
class Told:
    """One line of the display's log: a round, or the end of an attempt with its verdict."""

    which: Which
    turn: Round | None = None
    attempt: Attempt | None = None
    passed: bool | None = None


@dataclass
class LiveState:
    """Takes events in, gives figures out. Times are seconds of a monotonic clock that the caller reads.

    Verdicts are for the display alone: they are made anew when the package is scored.
    """

    judge: Judge
    begun: RunBegun | None = None
    ended: RunEnded | None = None
    started: float = 0.0
    done: int = 0
    planned: int = 0
    spent: Spent = field(default_factory=Spent)
    passed: int = 0
    failed: int = 0
    others: Counter[str] = field(default_factory=Counter)
    """Attempts without a verdict, by outcome."""
    retries: int = 0
    waits: Counter[str] = field(default_factory=Counter)
    waiting: Waiting | None = None
    waiting_until: float = 0.0
    in_flight: dict[Which, InFlight] = field(default_factory=dict)
    log: deque[Told] = field(default_factory=lambda: deque(maxlen=KEPT))
    _endings: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_OVER + 1))

    def take(self, event: Event, now: float) -> None:
        """One event, in the order in which they happen."""
        if isinstance(event, RunBegun):
            self.begun, self.started = event, now
            self.done, self.planned, self.spent = event.done, event.planned, event.spent
            self._endings.append(now)
        elif isinstance(event, RunEnded):
            self.ended, self.done, self.planned, self.spent = event, event.done, event.planned, event.spent
            self.in_flight.clear()
        elif isinstance(event, Waiting):
            self._wait(event, now)
        elif isinstance(event, AttemptEnded):
            self._end(event, now)
        else:
            self._step(event, now)

    def _step(self, event: AttemptBegun | AttemptDropped | RoundBegun | RoundEnded, now: float) -> None:
        which = (str(event.task_id), event.repeat, event.try_number)
        if isinstance(event, AttemptDropped):
            self.in_flight.pop(which, None)
            return
        flight = self.in_flight.setdefault(which, InFlight(now))
        if isinstance(event, RoundBegun):
            flight.round = event.number
        elif isinstance(event, RoundEnded):
            flight.calls += len(event.turn.calls)
            self.log.append(Told(which=which, turn=event.turn))

    def _wait(self, event: Waiting, now: float) -> None:
        self.waits[event.why] += 1
        if event.why == "retry":
            self.retries += 1
        if now + event.seconds >= self.waiting_until:
            self.waiting, self.waiting_until = event, now + event.seconds

    def _end(self, event: AttemptEnded, now: float) -> None:
        attempt = event.attempt
        which = (str(attempt.task_id), attempt.repeat, attempt.try_number)
        self.in_flight.pop(which, None)
        passed = self.judge(attempt) if attempt.outcome in SCORABLE else None
        if passed is None:
            self.others[attempt.outcome] += 1
        else:
            self.passed, self.failed = self.passed + passed, self.failed + (not passed)
        self.done, self.planned, self.spent = event.done, event.planned, event.spent
        self.log.append(Told(which=which, attempt=attempt, passed=passed))
        self._endings.append(now)

    def rate(self, now: float) -> float | None:
        """Attempts a second over the latest of them; None before the first has ended."""
        number = len(self._endings) - 1
        passed_s = now - self._endings[0] if self._endings else 0.0
        return number / passed_s if number > 0 and passed_s > 0 else None

    def seconds_left(self, now: float) -> float | None:
        """At the present rate; None where there is none yet."""
        rate = self.rate(now)
        return (self.planned - self.done) / rate if rate and self.planned > self.done else None

    def wait_now(self, now: float) -> tuple[Waiting, float] | None:
        """What is waited for at this moment, and how many seconds are left of it."""
        left = self.waiting_until - now
        return (self.waiting, left) if self.waiting is not None and left > 0 and self.ended is None else None


__all__ = ["InFlight", "Judge", "LiveState", "Told", "Which"]
