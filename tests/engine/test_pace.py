"""The gate before a provider: room, rests, the ceiling of requests per minute, the circuit breaker. In virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from fcbench.engine.budget import Ceilings, Meter
from fcbench.engine.events import Event, Waiting
from fcbench.engine.halt import Halt, RunHalted
from fcbench.engine.pace import Pace, PacePolicy
from fcbench.engine.retry import PacedChannel, RetryPolicy
from fcbench.harnesses.channel import Exchange
from fcbench.providers.base import FailureKind, ProviderFailure, Request
from tests.doubles import case, says
from tests.engine.virtual_time import LoopClock, in_virtual_time

REQUEST = Request(messages=(), tools=(), task_id=case().id, repeat=1, round=1)
Answer = Callable[[int, float], ProviderFailure | None]
"""From the number of a request and its time to a failure, or None for a reply."""


def failure(kind: FailureKind = "rate_limited", retry_after_s: float | None = None) -> ProviderFailure:
    return ProviderFailure("no", kind=kind, status=429, retry_after_s=retry_after_s)


class Server:
    """Answers after a second, or fails as it is told, and notes when it was asked and by how many at once."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.at: list[float] = []
        self.flying = 0
        self.most = 0

    async def ask(self, request: Request) -> Exchange:
        now = asyncio.get_running_loop().time()
        self.at.append(now)
        number = len(self.at)
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            await asyncio.sleep(1)
        finally:
            self.flying -= 1
        failed = self._answer(number, now)
        if failed:
            raise failed
        return Exchange(reply=says("here"), reply_s=1.0)


class World:
    """A channel before a server."""

    def __init__(self, answer: Answer, *, tries: int = 5, **policy: object) -> None:
        self.server = Server(answer)
        self.events: list[Event] = []
        self.halt = Halt()
        self.pace = Pace(PacePolicy(**policy), LoopClock(), self.halt, self.events.append)  # type: ignore[arg-type]
        self.meter = Meter(Ceilings(), self.halt)
        self.channel = PacedChannel(
            self.server, self.pace, self.meter, RetryPolicy(max_retries=tries), random.Random(1), lambda *_: None
        )

    async def ask(self, count: int) -> list[Exchange | BaseException]:
        return await asyncio.gather(*(self.channel.ask(REQUEST) for _ in range(count)), return_exceptions=True)

    @property
    def waits(self) -> list[tuple[str, float]]:
        return [(one.why, one.seconds) for one in self.events if isinstance(one, Waiting)]


def fine(number: int, now: float) -> None:
    return None


def test_no_more_requests_fly_than_there_is_room_for_and_all_are_answered() -> None:
    world = World(fine, concurrency=4)
    made = in_virtual_time(world.ask(20))
    assert all(isinstance(one, Exchange) for one in made)
    assert world.server.most == 4
    assert world.server.at == [float(second) for second in range(5) for _ in range(4)]


def test_a_refused_rate_halves_the_requests_in_flight_once_and_answers_let_them_grow_back() -> None:
    async def watch() -> list[int]:
        world = World(lambda number, now: failure(retry_after_s=2.0) if number <= 8 else None, concurrency=8)
        work = asyncio.create_task(world.ask(60))
        rooms = [world.pace.room]
        for _ in range(25):
            await asyncio.sleep(1)
            rooms.append(world.pace.room)
        await work
        return rooms

    rooms = in_virtual_time(watch())
    assert rooms[0] == 8
    assert min(rooms) == 4, "eight refusals of one volley halve once, not eight times"
    assert rooms[-1] == 8


def test_each_volley_that_is_refused_halves_again_and_one_request_always_may_fly() -> None:
    async def watch() -> list[int]:
        world = World(lambda number, now: failure(retry_after_s=5.0) if now < 30 else None, concurrency=16, tries=99)
        work = asyncio.create_task(world.ask(16))
        rooms = []
        for _ in range(40):
            await asyncio.sleep(1)
            rooms.append(world.pace.room)
        await work
        return rooms

    rooms = in_virtual_time(watch())
    assert [room for before, room in zip([16, *rooms], rooms, strict=False) if room < before] == [8, 4, 2, 1]


def test_a_retry_after_pauses_the_whole_provider_and_not_one_request() -> None:
    world = World(lambda number, now: failure(retry_after_s=30.0) if number == 1 else None, concurrency=2)
    in_virtual_time(world.ask(6))
    assert world.server.at[:2] == [0.0, 0.0]
    assert all(at >= 31.0 for at in world.server.at[2:]), "nothing goes out while the provider rests"
    assert world.waits == [("rate limited", 30.0)]


def test_a_503_that_names_a_time_pauses_all_as_a_429_does() -> None:
    world = World(lambda number, now: failure("unavailable", 7.0) if number == 1 else None, concurrency=1)
    in_virtual_time(world.ask(3))
    assert world.server.at == [0.0, 8.0, 9.0, 10.0]


def test_a_rest_that_is_too_long_ends_the_run_resumable_and_makes_no_attempt_an_error() -> None:
    world = World(lambda number, now: failure(retry_after_s=3600.0), concurrency=2)
    made = in_virtual_time(world.ask(5))
    assert [type(one) for one in made] == [RunHalted] * 5
    assert world.halt.reason is not None
    assert "3600 s" in world.halt.reason.message
    assert len(world.server.at) == 2


@pytest.mark.parametrize("per_minute", [6, 60, 600])
def test_requests_per_minute_are_evenly_spaced_and_never_more(per_minute: int) -> None:
    world = World(fine, concurrency=64, per_minute=per_minute)
    in_virtual_time(world.ask(100))
    gaps = [after - before for before, after in zip(world.server.at, world.server.at[1:], strict=False)]
    assert min(gaps) == pytest.approx(60 / per_minute)
    assert max(gaps) == pytest.approx(60 / per_minute)


def test_repeated_requests_count_against_the_ceiling_as_well() -> None:
    world = World(lambda number, now: failure("bad_reply") if number % 2 else None, concurrency=4, per_minute=30)
    in_virtual_time(world.ask(10))
    gaps = [after - before for before, after in zip(world.server.at, world.server.at[1:], strict=False)]
    assert len(world.server.at) > 10
    assert min(gaps) == pytest.approx(2.0)
    assert world.meter.spent.requests == len(world.server.at)


def test_backoff_is_random_below_a_bound_that_doubles() -> None:
    policy = RetryPolicy()
    for retry in range(1, 10):
        waits = [policy.backoff_s(retry, random.Random(seed)) for seed in range(200)]
        bound = min(60.0, 2.0 ** (retry - 1))
        assert all(0 <= wait <= bound for wait in waits)
        assert max(waits) > 0.9 * bound
        assert min(waits) < 0.1 * bound


@pytest.mark.parametrize("kind", ["unavailable", "connection", "timed_out"])
def test_an_outage_opens_the_breaker_and_costs_no_attempt_its_tries(kind: FailureKind) -> None:
    world = World(lambda number, now: failure(kind) if now < 100 else None, concurrency=1)
    made = in_virtual_time(world.ask(3))
    assert all(isinstance(one, Exchange) for one in made)
    pauses = [seconds for why, seconds in world.waits if why == "provider down"]
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0][: len(pauses)]
    assert len(pauses) >= 4
    assert len(world.server.at) < 20, "one probe after each pause, and no hammering"


def test_while_the_breaker_is_open_one_request_probes_and_an_answer_lets_all_in_again() -> None:
    world = World(lambda number, now: failure("connection") if now < 20 else None, concurrency=8)
    made = in_virtual_time(world.ask(24))
    assert all(isinstance(one, Exchange) for one in made)
    probes = [at for at in world.server.at if 2 < at < 20]
    assert len(probes) == len(set(probes)), "one at a time"
    assert world.server.most == 8


def test_a_provider_that_stays_down_ends_the_run_after_growing_pauses() -> None:
    world = World(lambda number, now: failure("connection"), concurrency=4, max_pauses=3)
    made = in_virtual_time(world.ask(6))
    assert [type(one) for one in made] == [RunHalted] * 6
    assert world.halt.reason is not None
    assert world.halt.reason.kind == "provider down"
    assert [seconds for why, seconds in world.waits if why == "provider down"] == [5.0, 10.0, 20.0]


def test_pauses_of_the_breaker_grow_no_further_than_their_bound() -> None:
    world = World(lambda number, now: failure("connection"), concurrency=1, longest_pause_s=30.0)
    in_virtual_time(world.ask(1))
    pauses = [seconds for why, seconds in world.waits if why == "provider down"]
    assert pauses == [5.0, 10.0, 20.0, 30.0, 30.0, 30.0, 30.0, 30.0]


def test_scattered_failures_open_no_breaker() -> None:
    world = World(lambda number, now: failure("unavailable") if number % 3 else None, concurrency=2, tries=50)
    made = in_virtual_time(world.ask(30))
    assert all(isinstance(one, Exchange) for one in made)
    assert [why for why, _ in world.waits if why == "provider down"] == []


def test_a_refusal_shows_that_the_provider_is_there() -> None:
    def answer(number: int, now: float) -> ProviderFailure:
        return failure("refused" if number % 5 == 0 else "unavailable")

    world = World(answer, concurrency=1, tries=3)
    in_virtual_time(world.ask(10))
    assert not world.pace.is_down


def test_an_attempt_that_is_cancelled_gives_its_place_back() -> None:
    async def cancel_some() -> float:
        world = World(fine, concurrency=2)
        tasks = [asyncio.create_task(world.channel.ask(REQUEST)) for _ in range(6)]
        await asyncio.sleep(0.5)
        for task in tasks[:4]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert world.server.most == 2
        return asyncio.get_running_loop().time()

    assert in_virtual_time(cancel_some()) == pytest.approx(1.5)


def test_what_was_sent_before_the_breaker_opened_is_no_probe() -> None:
    async def volleys() -> list[tuple[str, float]]:
        world = World(fine, concurrency=8)
        numbers = [await world.pace.enter() for _ in range(8)]
        for number in numbers[:4]:
            world.pace.failed(number, failure("connection"))
            world.pace.leave()
        numbers += [await world.pace.enter() for _ in range(4)]
        for number in numbers[4:]:
            world.pace.failed(number, failure("connection"))
            world.pace.leave()
        return world.waits

    assert in_virtual_time(volleys()) == [("provider down", 5.0)]
