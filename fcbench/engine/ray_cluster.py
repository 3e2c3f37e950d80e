"""Work units on a Ray cluster: a thin adapter. Ray places the workers; what a worker does is given by the caller.

A unit is a shard of the jobs. Its attempts stream back one by one, so that what a lost worker had finished is kept, and
only the rest of its unit goes to another.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from fcbench.core.evidence import Attempt
from fcbench.core.records import decode_line
from fcbench.engine.cluster import Cluster
from fcbench.engine.halt import Halt
from fcbench.engine.shards import deal
from fcbench.errors import FcbenchError, ProviderError, UnavailableError

# Before Ray is imported: nothing is ever reported to anybody, and no dashboard listens.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

try:
    import ray
    from ray.exceptions import RayError, RayTaskError
except ImportError as error:
    raise UnavailableError(
        "Ray is not installed",
        wanted="the extra `ray`",
        where="--engine ray",
        next_step="pip install 'fcbench[ray]', or leave --engine out",
    ) from error

UNITS_PER_WORKER = 4
"""More units than workers, so that the slowest worker holds the end back less."""
MAX_LOST_PER_WORKER = 3
"""Workers lost, for each that was asked for, after which the run ends, resumable."""
_LOOK_S = 0.5

Job = tuple[str, int, int]
"""Case id, repeat, number of the try."""


class Worker(Protocol):
    """What works inside one process of the cluster."""

    def make(self, jobs: Sequence[Job]) -> Iterator[bytes]:
        """Make the attempts of a unit; each as one line of JSON, in the order in which they end."""
        ...

    def halt(self, grace_s: float | None) -> None:
        """Begin no further attempt; called from another thread. Those in flight have `grace_s` seconds."""
        ...


class _Seat:
    """One process of the cluster, with its worker."""

    def __init__(self, begin: Callable[[], Worker]) -> None:
        self._begin = begin
        self._worker: Worker | None = None

    def open(self) -> None:
        # Not in __init__: Ray would report what is raised there as the death of the process.
        self._worker = self._begin()

    def make(self, jobs: Sequence[Job]) -> Iterator[bytes]:
        assert self._worker is not None
        yield from self._worker.make(jobs)

    def halt(self, grace_s: float | None) -> None:
        if self._worker is not None:
            self._worker.halt(grace_s)


@contextmanager
def connected(cluster: Cluster) -> Iterator[None]:
    """Connect to the cluster, and leave it at the end. A connection that is there already is used and kept.

    Raises:
        UnavailableError: no cluster answers at the address.
    """
    if ray.is_initialized():
        yield
        return
    try:
        ray.init(address=cluster.address, include_dashboard=None if cluster.address else False, log_to_driver=False)
    except Exception as error:  # Ray raises this very class where a machine is too busy to start it within 30 s
        raise UnavailableError(
            "the Ray cluster cannot be reached",
            wanted="a running cluster",
            found=f"{type(error).__name__}: {error}"[:300],
            where=cluster.address or "RAY_ADDRESS",
            next_step="start it with `ray start --head`, or leave --ray-address out to start one on this machine; on a "
            "busy machine repeat the command",
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def workers_of(cluster: Cluster) -> int:
    """How many workers there will be: as asked for, else one for each living machine. Needs a connection."""
    return cluster.workers or max(1, sum(bool(node["Alive"]) for node in ray.nodes()))


class RayUnits:
    """The units of one pass over the plan."""

    def __init__(self, cluster: Cluster, begin: Callable[[], Worker], halt: Halt, say: Callable[[str], None]) -> None:
        """Take the cluster, what begins a worker there, who ends the run, and who is told of lost workers."""
        self._cluster = cluster
        self._begin = begin
        self._halt = halt
        self._say = say
        self._workers = workers_of(cluster)
        self._lost = self._at_work = 0
        self._open_jobs: set[tuple[str, int]] = set()
        self._seats: set[Any] = set()
        self._waiting: deque[list[Job]] = deque()
        self._ended: asyncio.Queue[Attempt] = asyncio.Queue()

    async def attempts(self, jobs: Sequence[Job]) -> AsyncGenerator[Attempt, None]:
        """Make the jobs and yield each attempt as it comes back.

        Raises:
            FcbenchError: what a worker raised, such as a provider that refuses the run.
            ProviderError: workers were lost again and again.
        """
        self._waiting.extend(deal(jobs, self._workers * UNITS_PER_WORKER, lambda job: job[:2]))
        self._open_jobs = {job[:2] for job in jobs}
        seats = [asyncio.create_task(self._work()) for _ in range(min(self._workers, len(self._waiting)))]
        watch = asyncio.create_task(self._watch())
        try:
            while True:
                # Looked at before the queue is emptied: what comes later is met in the next round.
                done = all(task.done() for task in seats) or (self._halt.is_asked and not self._at_work)
                while not self._ended.empty():
                    attempt = self._ended.get_nowait()
                    self._open_jobs.discard((attempt.task_id, attempt.repeat))
                    yield attempt
                for task in seats:
                    if task.done():
                        task.result()
                if done or not self._open_jobs:  # a seat may still wait for room in the cluster
                    return
                await self._something(seats)
        finally:
            for task in (*seats, watch):
                task.cancel()
            await asyncio.gather(*seats, watch, return_exceptions=True)
            for seat in tuple(self._seats):
                self._leave(seat)

    async def _something(self, seats: Sequence[asyncio.Task[None]]) -> None:
        """Until an attempt is back or a worker has ended."""
        came = asyncio.create_task(self._ended.get())
        try:
            await asyncio.wait(
                [came, *(task for task in seats if not task.done())],
                return_when=asyncio.FIRST_COMPLETED,
                timeout=_LOOK_S,
            )
        finally:
            if came.done() and not came.cancelled():
                self._ended.put_nowait(came.result())
            else:
                came.cancel()

    async def _work(self) -> None:
        """One worker after another on one seat, until no unit is left."""
        seat = None
        while self._waiting and not self._halt.is_asked:
            left: dict[tuple[str, int], Job] = {}
            try:
                # First a place, then a unit: where the cluster has no room for the place, others take the unit.
                seat = seat or await self._open()
                if self._waiting and not self._halt.is_asked:
                    left = {job[:2]: job for job in self._waiting.popleft()}
                    await self._make(seat, left)
            except RayTaskError as error:
                cause = error.cause
                raise cause if isinstance(cause, FcbenchError) else error from None
            except RayError as error:
                if seat is not None:
                    self._leave(seat)
                seat = None
                self._lose(error, list(left.values()))
        if seat is not None:
            self._leave(seat)

    async def _make(self, seat: Any, left: dict[tuple[str, int], Job]) -> None:
        """One unit on one seat; what came back is taken out of `left`."""
        self._at_work += 1
        try:
            async for line in seat.make.remote(list(left.values())):
                attempt = decode_line(await line, Attempt, where="a worker's attempt")
                if left.pop((attempt.task_id, attempt.repeat), None):
                    self._ended.put_nowait(attempt)
        finally:
            self._at_work -= 1

    async def _open(self) -> Any:
        kind = ray.remote(_Seat).options(
            num_cpus=1, num_gpus=self._cluster.gpus, max_concurrency=2, max_restarts=0, scheduling_strategy="SPREAD"
        )
        seat = kind.remote(self._begin)
        self._seats.add(seat)
        try:
            await seat.open.remote()
        except BaseException:
            self._leave(seat)
            raise
        return seat

    def _leave(self, seat: Any) -> None:
        self._seats.discard(seat)
        ray.kill(seat)

    def _lose(self, error: RayError, left: list[Job]) -> None:
        if left:
            self._waiting.appendleft(left)
        self._lost += 1
        said = str(error).strip().partition("\n")[0][:200]
        self._say(f"a worker was lost, {len(left)} attempts of its unit go to another: {said}")
        if self._lost > MAX_LOST_PER_WORKER * self._workers:
            raise ProviderError(
                "workers of the cluster are lost again and again",
                wanted=f"at most {MAX_LOST_PER_WORKER * self._workers} lost workers",
                found=said,
                next_step="look at the machines (`ray status`), then repeat the command: the run goes on",
            )

    async def _watch(self) -> None:
        """Passes on that the run is to end, and with what hurry."""
        while True:
            await self._halt.changed()
            reason = self._halt.reason
            for seat in tuple(self._seats):
                seat.halt.remote(reason.grace_s if reason else None)


__all__ = ["Job", "RayUnits", "Worker", "connected", "workers_of"]
