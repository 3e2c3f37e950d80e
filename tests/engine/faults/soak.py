"""A long run in small: many attempts against a server that fails each tenth request, ended and resumed many times.

`python -m tests.engine.faults.soak 20000` prints time and peak memory.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from fcbench.core.records import decode_line
from fcbench.engine.budget import Ceilings
from fcbench.engine.events import Event, RunBegun, RunEnded, Spent
from fcbench.engine.schedule import RefusedError
from fcbench.errors import PackageError, StoppedError
from fcbench.packages.store import FINAL, Package
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import Progress, RunRequest, run
from tests.engine.faults.replies import call, calls, error, raw, says
from tests.engine.faults.rows_wire import HELLO, HTML, PAGE
from tests.engine.faults.server import Answer, Asked, head, http, serve

TARGET = "complex-schema-nl/quick"
CONCURRENCY = 64
FAULTS = 0.1
"""Share of requests that meet a fault."""
MOST_SESSIONS = 40


class Killed(BaseException):
    """Stands for a kill: no handler of ours may swallow it."""


PASSING: dict[str, Answer] = {
    "429": error(429),
    "429 with Retry-After": error(429, headers={"Retry-After": "0.05"}),
    "500": error(500),
    "503": error(503),
    "502 as a page": raw(PAGE, status=502, **HTML),
    "a page": raw(PAGE, **HTML),
    "reset": Answer(parts=(head(200, {"Content-Length": "9999"}) + HELLO,), end="reset"),
    "closed": Answer(parts=(head(200, {"Content-Length": "9999"}) + HELLO,)),
    "broken JSON": http(HELLO[:-5]),
    "no choice": http(b'{"choices": []}'),
    "null message": http(b'{"choices": [{"message": null}]}'),
}
"""Faults that trying again mends."""
LASTING: dict[str, Answer] = {"400": error(400, message="not today"), "401": error(401)}
"""Faults that end a try of the attempt; the next try is made later. A 401 before any answer ends a session."""
LASTING_SHARE = 0.2


class Server:
    """Answers by number and seed alone, and keeps the books.

    Each good reply counts its own number as input tokens, so that a sum of tokens tells which replies were recorded.
    """

    def __init__(self, seed: int, lasting: tuple[str, ...]) -> None:
        self._seed = seed
        self._lasting = lasting
        self.met: Counter[str] = Counter()
        self.good: set[int] = set()

    def answer(self, asked: Asked) -> Answer:
        """The answer to one request."""
        rng = random.Random(self._seed * 1_000_003 + asked.number)
        if rng.random() < FAULTS:
            name = rng.choice(self._lasting if rng.random() < LASTING_SHARE else tuple(PASSING))
            self.met[name] += 1
            return (PASSING | LASTING)[name]
        self.good.add(asked.number)
        usage = {"prompt_tokens": asked.number, "completion_tokens": 1}
        if rng.random() < 0.3:
            return _thought(calls(call("{}", name=_offered(asked)), usage=usage))
        return _thought(says("Dat kan ik niet.", usage=usage))


def _thought(answer: Answer) -> Answer:
    """The answer after a moment, so that requests really are under way together."""
    return Answer(parts=(0.01, *answer.parts), end=answer.end)


def _offered(asked: Asked) -> str:
    tools = asked.body["tools"]
    assert isinstance(tools, list)
    name: str = tools[0]["function"]["name"]  # type: ignore[index,call-overload,assignment]
    return name


class Books:
    """What the events of all sessions say.

    Attributes:
        sent: requests that the run counted, over all sessions.
        sessions: how each call of the command ended.
        spent: as the last session counted it.
    """

    def __init__(self) -> None:
        self.sent = 0
        self.sessions: list[str] = []
        self.spent = Spent()
        self._before = Spent()

    def tell(self, event: Event) -> None:
        if isinstance(event, RunBegun):
            self._before = event.spent
        elif isinstance(event, RunEnded):
            self.spent = event.spent
            self.sent += event.spent.requests - self._before.requests


@dataclass(frozen=True, kw_only=True)
class Soaked:
    """What a soak left."""

    package: Package
    server: Server
    books: Books
    arrived: int
    """Requests that reached the server."""
    most: int
    """Requests at once."""


def soak(material: Material, folder: Path, attempts: int, *, kills: int, seed: int = 1) -> Soaked:
    """Run to the end, however often the run is ended on the way.

    Args:
        material: the loaded project.
        folder: for the package.
        attempts: how many, at least.
        kills: sessions that end with a kill in the middle; up to three others end at a ceiling on requests.
        seed: of the faults.
    """
    cases = len(material.suites.case_set(TARGET))
    repeats = -(-attempts // cases)
    # Where nothing is killed nothing is dropped either, so that the books must agree to the last request.
    server = Server(seed, tuple(LASTING) if kills else ("400",))
    with serve(server.answer, keep=False) as served:
        request = RunRequest(
            target=TARGET,
            model="openai_chat:soaked",
            options=ProviderOptions(base_url=served.url),
            repeats=repeats,
            concurrency=CONCURRENCY,
            run_id="soak",
        )
        books = Books()
        planned = cases * repeats
        ceilings = [planned * part // 4 for part in (1, 2, 3)]
        kill_at = [planned * (part + 1) // (kills + 2) for part in range(kills)]
        package = None
        while package is None:
            assert len(books.sessions) < MOST_SESSIONS, books.sessions
            limit = ceilings.pop(0) if ceilings else None
            one = replace(request, ceilings=Ceilings(max_requests=limit))
            package = _session(partial(run, material, one, folder), kill_at, books)
    return Soaked(package=package, server=server, arrived=served.count, most=served.most, books=books)


def _session(go: Callable[..., Package], kill_at: list[int], books: Books) -> Package | None:
    """One call of the command; None where it did not seal."""

    def listen(progress: Progress) -> None:
        if kill_at and progress.done >= kill_at[0]:
            kill_at.pop(0)
            raise Killed

    try:
        package = go(listen=listen, tell=books.tell)
    except Killed:
        books.sessions.append("killed")
    except RefusedError:
        books.sessions.append("refused")
    except StoppedError:
        books.sessions.append("ceiling")
    except PackageError:
        books.sessions.append("incomplete")
    else:
        books.sessions.append("sealed")
        return package
    return None


def requests_of(attempt: Attempt) -> int:
    """Requests of one try, by its record."""
    return len(attempt.rounds) + attempt.retries + (attempt.outcome == "provider_error")


@dataclass
class Recorded:
    """What the package says, read in one pass."""

    requests: int = 0
    replies: Counter[int] = field(default_factory=Counter)
    """Number of the request that was answered -> how often it is recorded."""
    outcomes: Counter[str] = field(default_factory=Counter)
    tries: dict[tuple[str, int], list[tuple[int, bool]]] = field(default_factory=lambda: defaultdict(list))
    """(case, repeat) -> number and finality of each try."""
    output_tokens: int = 0


def recorded(package: Package) -> Recorded:
    """Read a package."""
    found = Recorded()
    for line in package.raw_attempts():
        attempt = decode_line(line, Attempt)
        found.requests += requests_of(attempt)
        found.outcomes[attempt.outcome] += 1
        found.tries[(attempt.task_id, attempt.repeat)].append((attempt.try_number, attempt.outcome in FINAL))
        found.output_tokens += attempt.usage.output_tokens or 0
        for turn in attempt.rounds:
            found.replies[turn.usage.input_tokens or 0] += 1
    return found


def check(soaked: Soaked, attempts: int, kills: int) -> Recorded:
    """Hold the package against the books of the server and of the run; what the package says."""
    package, found = soaked.package, recorded(soaked.package)
    assert soaked.books.sessions[-1] == "sealed"
    assert soaked.books.sessions.count("killed") == kills
    assert kills or soaked.books.sessions.count("ceiling") == 3
    assert package.manifest.complete
    assert len(found.tries) == len(package.header.cases) * package.manifest.repeats_done >= attempts
    for tries in found.tries.values():
        assert [number for number, _ in tries] == list(range(1, len(tries) + 1))
        assert [final for _, final in tries] == [False] * (len(tries) - 1) + [True], "exactly one is final, the last"
    assert set(found.replies) <= soaked.server.good
    assert set(found.replies.values()) == {1}, "no reply stands in two records"
    assert soaked.books.spent.requests == found.requests
    assert soaked.books.spent.input_tokens == sum(found.replies)
    assert soaked.books.spent.output_tokens == found.output_tokens == len(found.replies)
    assert 1 < soaked.most <= CONCURRENCY
    assert sum(soaked.server.met.values()) > 0.5 * FAULTS * soaked.arrived
    # What a kill or a refusal drops was sent and is in no record: at most what flies, and the rounds before it.
    dropped = (kills + soaked.books.sessions.count("refused")) * CONCURRENCY
    assert 0 <= len(soaked.server.good) - len(found.replies) <= 3 * dropped
    assert 0 <= soaked.books.sent - soaked.arrived <= dropped
    if not kills:
        assert soaked.books.sent == soaked.arrived == found.requests
        assert found.outcomes["provider_error"] == soaked.server.met["400"] > 0
    return found


def main(attempts: int) -> None:
    """Soak and print figures."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        material = load(find_project())
        soaked = soak(material, Path(folder), attempts, kills=3)
        found = check(soaked, attempts, kills=3)
        figures = {
            "attempts": len(found.tries),
            "tries": sum(found.outcomes.values()),
            "outcomes": dict(found.outcomes),
            "requests": soaked.arrived,
            "faults": sum(soaked.server.met.values()),
            "kinds": dict(soaked.server.met),
            "sessions": soaked.books.sessions,
            "most at once": soaked.most,
            "seconds": round(time.perf_counter() - begun, 1),
            "peak MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
