"""A whole run against what a machine does to it: full disk, read-only folder, a clock set back, ceilings, its end."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId
from fcbench.core.records import decode_line, encode_line
from fcbench.engine.budget import Ceilings
from fcbench.engine.events import AttemptEnded, Event, RoundEnded, RunBegun, RunEnded, Spent, nobody
from fcbench.engine.halt import Halt
from fcbench.engine.prices import Price, PriceList
from fcbench.engine.schedule import RefusedError
from fcbench.errors import PackageError, StoppedError, UsageError, WriteError
from fcbench.harnesses.clock import SystemClock
from fcbench.packages.run_directory import RunDirectory, create_run, resume_run
from fcbench.packages.store import Package
from fcbench.providers.base import ProviderFailure, ProviderInfo, Reply, Request
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.header import make_header
from fcbench.workflows.making import Making, Opened
from fcbench.workflows.planning import prepare
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run, run_and_judge
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify
from tests.doubles import says
from tests.engine.answering import answering
from tests.engine.timeless import timeless

REQUEST = RunRequest(target="complex-schema-nl/quick", model="scripted:random", run_id="one")


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


@pytest.fixture(scope="module")
def undisturbed(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Package:
    return run(material, REQUEST, tmp_path_factory.mktemp("undisturbed"))


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A disk on which no file grows beyond a size: what a full disk is to a program."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def partial(root: Path) -> Path:
    (found,) = root.glob("*/*.partial")
    return found


def test_on_a_full_disk_a_run_stops_with_a_clear_error_and_goes_on_when_there_is_room(
    material: Material, undisturbed: Package, tmp_path: Path
) -> None:
    journal = (undisturbed.folder / "attempts.jsonl").stat().st_size
    largest = max(path.stat().st_size for path in undisturbed.folder.iterdir() if path.name != "attempts.jsonl")
    events: list[Event] = []
    # A second journal is some dozens of bytes longer or shorter: its times have other digits. 400 are less than a line.
    sizes = [size for size in (journal // 3, journal // 2, journal - 400) if size > largest] or [largest + 1]
    for size in sizes:
        with files_of_at_most(size), pytest.raises(WriteError) as caught:
            run(material, REQUEST, tmp_path, tell=events.append)
        assert caught.value.exit_code == 73
        left = (partial(tmp_path) / "attempts.jsonl").read_bytes()
        assert left == b"" or left.endswith(b"\n"), "the line that did not fit is taken back"
    assert [one.reason for one in events if isinstance(one, RunEnded)] == ["failed"] * len(sizes)
    assert timeless(run(material, REQUEST, tmp_path)) == timeless(undisturbed)


def test_a_disk_that_is_full_from_the_start_leaves_nothing_that_blocks_the_run(
    material: Material, undisturbed: Package, tmp_path: Path
) -> None:
    for size in (0, 10, 1000, 20_000):
        with files_of_at_most(size), pytest.raises(WriteError):
            run(material, REQUEST, tmp_path)
    assert timeless(run(material, REQUEST, tmp_path)) == timeless(undisturbed)


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Root may write everywhere: for the time of a test it is nobody."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield
    if is_root:
        os.seteuid(0)


def test_a_read_only_folder_is_refused_before_the_first_request(
    material: Material, tmp_path: Path, unprivileged: None
) -> None:
    if os.geteuid() != 65534:
        tmp_path.chmod(0o500)
    events: list[Event] = []
    with pytest.raises(WriteError, match="cannot be written"):
        run(material, REQUEST, tmp_path / "runs", tell=events.append)
    assert events == []


class JumpingClock:
    """A wall clock that somebody sets back by an hour at every look; the monotonic one goes on."""

    def __init__(self) -> None:
        self._looks = 0

    def now(self) -> datetime:
        self._looks += 1
        return datetime(2026, 12, 1, 12, tzinfo=UTC) - timedelta(hours=self._looks)

    def monotonic(self) -> float:
        self._looks += 1
        return self._looks / 1000


def test_a_clock_that_is_set_back_spoils_no_run_and_no_duration(
    material: Material, undisturbed: Package, tmp_path: Path
) -> None:
    package = run(material, REQUEST, tmp_path, clock=JumpingClock())
    score(package)
    assert timeless(package) == {**timeless(undisturbed), "names": timeless(package)["names"]}
    assert verify(package.folder).problems == ()
    assert all(one.duration_s >= 0 for one in package.attempts())
    assert all(turn.duration_s >= 0 and turn.reply_s >= 0 for one in package.attempts() for turn in one.rounds)


def test_a_ceiling_ends_a_run_in_order_and_a_higher_one_goes_on(
    material: Material, undisturbed: Package, tmp_path: Path
) -> None:
    events: list[Event] = []
    with pytest.raises(StoppedError, match="--max-requests") as caught:
        run(material, replace(REQUEST, ceilings=Ceilings(max_requests=7)), tmp_path, tell=events.append)
    assert caught.value.exit_code == 75
    assert "the run goes on" in (caught.value.next_step or "")
    last = events[-1]
    assert isinstance(last, RunEnded)
    assert (last.reason, last.done, last.planned, last.spent.requests) == ("ceiling", 7, 18, 7)
    again: list[Event] = []
    with pytest.raises(StoppedError):
        run(material, replace(REQUEST, ceilings=Ceilings(max_requests=7)), tmp_path, tell=again.append)
    assert not [one for one in again if isinstance(one, AttemptEnded)], "what was used before counts"
    begun = again[0]
    assert isinstance(begun, RunBegun)
    assert (begun.resumed, begun.done, begun.spent.requests) == (True, 7, 7)
    package = run(material, replace(REQUEST, ceilings=Ceilings(max_requests=18)), tmp_path)
    assert timeless(package) == timeless(undisturbed)


def test_wall_time_is_a_ceiling_of_one_command(material: Material, tmp_path: Path) -> None:
    request = replace(REQUEST, ceilings=Ceilings(max_time_s=0.001), delay_s=0.01)
    with pytest.raises(StoppedError, match="--max-time"):
        run(material, request, tmp_path)
    assert run(material, REQUEST, tmp_path).manifest.complete


def test_a_ceiling_on_money_ends_a_run_when_its_cost_is_reached(material: Material, tmp_path: Path) -> None:
    events: list[Event] = []
    prices = PriceList(date="2026-12-01", currency="USD", models={"openai_chat:a": Price(input=1000.0, output=0.0)})
    asked = replace(REQUEST, model="openai_chat:a", prices=prices, ceilings=Ceilings(max_cost=2.0))
    with answering() as url:
        asked = replace(asked, options=ProviderOptions(base_url=url))
        with pytest.raises(StoppedError, match="--max-cost"):
            run(material, asked, tmp_path, tell=events.append)
    begun, ended = events[0], [one for one in events if isinstance(one, AttemptEnded)]
    assert isinstance(begun, RunBegun)
    assert begun.currency == "USD"
    assert ended[-1].spent.cost == pytest.approx(sum(one.cost or 0.0 for one in ended))
    assert ended[-1].spent.cost == pytest.approx(ended[-1].spent.input_tokens / 1000)
    assert [one.spent.cost >= 2.0 for one in ended if one.spent.cost is not None] == [False] * (len(ended) - 1) + [True]


def test_a_ceiling_on_money_without_a_price_is_refused_before_anything_is_written(
    material: Material, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="price of this model is unknown"):
        run(material, replace(REQUEST, ceilings=Ceilings(max_cost=1.0)), tmp_path)
    other = PriceList(date="2026-12-01", currency="USD", models={"scripted:other": Price(input=1, output=1)})
    with pytest.raises(UsageError, match="price of this model is unknown"):
        run(material, replace(REQUEST, ceilings=Ceilings(max_cost=1.0), prices=other), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_events_tell_the_whole_run_and_read_back_from_lines(material: Material, tmp_path: Path) -> None:
    events: list[Event] = []
    package = run(material, replace(REQUEST, concurrency=4), tmp_path, tell=events.append)
    kinds = [type(one).__name__ for one in events]
    assert kinds[0] == "RunBegun"
    assert kinds[-1] == "RunEnded"
    assert kinds.count("AttemptBegun") == kinds.count("AttemptEnded") == 18
    ended = [one for one in events if isinstance(one, AttemptEnded)]
    assert [one.done for one in ended] == list(range(1, 19))
    assert {one.attempt.task_id for one in ended} == set(package.cases)
    rounds = [one for one in events if isinstance(one, RoundEnded)]
    assert len(rounds) == kinds.count("RoundBegun") == sum(len(one.rounds) for one in package.attempts())
    for event in events:
        assert decode_line(encode_line(event), type(event)) == event


def test_who_looks_on_and_fails_ends_the_run_in_order_and_spoils_no_attempt(
    material: Material, undisturbed: Package, tmp_path: Path
) -> None:
    def broken(event: Event) -> None:
        if isinstance(event, RoundEnded):
            raise RuntimeError("the display is broken")

    with pytest.raises(RuntimeError, match="display is broken"):
        run(material, REQUEST, tmp_path, tell=broken)
    directory = resume_run(partial(tmp_path))
    assert {one.outcome for one in directory.attempts()} <= {"completed"}
    directory.close()
    assert timeless(run(material, REQUEST, tmp_path)) == timeless(undisturbed)


def test_a_run_in_another_thread_goes_on_without_signals(material: Material, tmp_path: Path) -> None:
    made: list[Package] = []
    thread = threading.Thread(target=lambda: made.append(run(material, REQUEST, tmp_path)))
    thread.start()
    thread.join()
    assert made[0].manifest.complete


def test_a_kill_in_the_middle_of_sealing_leaves_a_package_that_is_found_and_tidied(
    material: Material, tmp_path: Path
) -> None:
    package = run(material, REQUEST, tmp_path)
    names = sorted(path.name for path in package.folder.iterdir())
    (package.folder / "run.json").write_text("{}")
    (package.folder / "run.lock").write_text("")
    again = run(material, REQUEST, tmp_path)
    assert again.folder == package.folder
    assert sorted(path.name for path in package.folder.iterdir()) == names


def test_the_same_command_finds_what_a_kill_left_between_sealing_and_judging(
    material: Material, tmp_path: Path
) -> None:
    class Killed(BaseException):
        """What a signal does to the command."""

    def die(package: Package) -> None:
        raise Killed

    unnamed, told, judged = replace(REQUEST, run_id=None), [], []
    with pytest.raises(Killed):
        run_and_judge(material, unnamed, tmp_path, judge=die)
    (sealed,) = [path.parent for path in tmp_path.glob("*/*/manifest.json")]
    again = run_and_judge(material, unnamed, tmp_path, tell=told.append, judge=judged.append)
    assert again.folder == sealed
    assert [package.folder for package in judged] == [sealed]
    assert told == [], "no attempt is made again"
    assert not (sealed / "run.json").exists(), "the next command makes a run of its own"


class Mortal:
    """A provider that answers some requests and is gone then."""

    def __init__(self, lives: int, model: str = "mortal") -> None:
        self.left = lives
        self.info = ProviderInfo(provider="mortal", model=model, endpoint="none")
        self.closed = 0

    async def complete(self, request: Request) -> Reply:
        if not self.left:
            raise ProviderFailure("it died", kind="gone")
        self.left -= 1
        return says("here")

    async def aclose(self) -> None:
        self.closed += 1


def make_with(material: Material, root: Path, opened: Opened) -> RunDirectory:
    """Make the attempts of a run with a provider of one's own."""
    clock, prepared = SystemClock(), prepare(material, REQUEST)
    header = make_header(prepared, opened.provider.info, clock, run_id="one")
    plan = prepared.plan
    directory = create_run(root / "one.partial", header, plan.cases, plan.used_contracts(), "prompt")

    async def work() -> None:
        making = Making(prepared, REQUEST, directory, clock, nobody)
        making.open(opened, Halt(), None, Spent())
        await making.make_all()

    try:
        asyncio.run(work())
    finally:
        directory.close()
    return directory


class OnePromptRefused:
    """A gateway that refuses one prompt with the words of a wrong key, and answers the others."""

    def __init__(self, case: str) -> None:
        self._case = case
        self.info = ProviderInfo(provider="mortal", model="mortal", endpoint="none")

    async def complete(self, request: Request) -> Reply:
        if request.task_id == self._case:
            raise ProviderFailure("no such key", kind="authentication", status=401)
        return says("here")

    async def aclose(self) -> None:
        """Nothing is open."""


def test_one_prompt_that_a_gateway_refuses_does_not_keep_a_run_from_its_end(material: Material, tmp_path: Path) -> None:
    last = prepare(material, REQUEST).plan.cases[-1].id

    def again() -> RunDirectory:
        provider = OnePromptRefused(last)
        return make_with(material, tmp_path, Opened(provider, lambda: provider))

    first = again()
    assert first.counts() == {"completed": 15, "provider_error": 3}
    second = again()  # only what was refused is left: its refusal must not pass for one of the key
    assert second.counts() == {"completed": 15, "provider_error": 3}
    assert second.made > first.made


def test_a_key_that_was_withdrawn_ends_the_next_command_at_its_first_new_attempt(
    material: Material, tmp_path: Path
) -> None:
    class Withdrawn(OnePromptRefused):
        async def complete(self, request: Request) -> Reply:
            raise ProviderFailure("no such key", kind="authentication", status=401)

    clock, prepared = SystemClock(), prepare(material, REQUEST)
    provider = Withdrawn("")
    header = make_header(prepared, provider.info, clock, run_id="one")
    plan = prepared.plan
    directory = create_run(tmp_path / "one.partial", header, plan.cases, plan.used_contracts(), "prompt")
    directory.journal.append(attempt_of(plan.cases[0].id))
    directory.close()
    with pytest.raises(RefusedError, match="refuses this run"):
        make_with(material, tmp_path, Opened(provider, lambda: provider))


def attempt_of(case: CaseId) -> Attempt:
    return Attempt(task_id=case, repeat=1, outcome="completed", started_at="2026-12-01T00:00:00.000Z", duration_s=1.0)


def test_a_provider_that_is_gone_is_opened_anew_and_the_run_goes_on(material: Material, tmp_path: Path) -> None:
    first = Mortal(5)
    directory = make_with(material, tmp_path, Opened(first, lambda: Mortal(100)))
    assert first.closed == 1
    assert [one.try_number for one in directory.attempts()] == [1] * 18, "what met the death is made anew, as try 1"
    assert "opened anew" in (directory.folder / "run.log").read_text()


def test_a_provider_that_dies_again_ends_the_run(material: Material, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="refuses this run"):
        make_with(material, tmp_path, Opened(Mortal(5), lambda: Mortal(5)))


def test_a_provider_is_opened_anew_once() -> None:
    second = Mortal(0)
    opened = Opened(Mortal(0), lambda: second)
    assert asyncio.run(opened.anew()) is True
    assert opened.provider is second
    assert asyncio.run(opened.anew()) is False


def test_a_provider_that_comes_back_as_another_is_refused() -> None:
    opened = Opened(Mortal(0), lambda: Mortal(0, model="another"))
    with pytest.raises(PackageError, match="came back as another"):
        asyncio.run(opened.anew())
