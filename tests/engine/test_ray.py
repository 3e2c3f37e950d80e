"""`--engine ray` on a local cluster of two workers: the same package, also where a worker is lost on the way.

Not in the ordinary tests: Ray is 79 MB and starts a dozen processes. `pip install -e '.[ray]'`, then
`python -m pytest -m slow tests/engine/test_ray.py`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.structs import replace

from fcbench.engine.budget import Ceilings
from fcbench.engine.cluster import Cluster
from fcbench.errors import PackageError, ProviderError, StoppedError
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import Progress, RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify
from tests.packages.timeless import timeless
from tests.providers.loopback import Answer, Loopback, completion, serve

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")

Started = TypeVar("Started")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are no fault of ours


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


def patiently(start: Callable[[], Started]) -> Started:
    """Start a machine of the cluster. Ray gives one 30 s, which a busy machine of ours may need more than once."""
    for _ in range(4):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    return start()


@pytest.fixture(scope="module")
def head() -> Iterator[object]:
    """A cluster whose head takes no work; a test adds the machines that do."""
    from ray.cluster_utils import Cluster as Machines

    machines = patiently(lambda: Machines(initialize_head=True, head_node_args={"num_cpus": 0}))
    ray.init(address=machines.address, log_to_driver=False)
    yield machines
    ray.shutdown()
    machines.shutdown()


@pytest.fixture
def machines(head: object) -> Iterator[object]:
    """Two machines with room for one worker each."""
    nodes = [patiently(lambda: head.add_node(num_cpus=1)) for _ in range(2)]  # type: ignore[attr-defined]
    head.wait_for_nodes()  # type: ignore[attr-defined]
    yield head
    for node in nodes:
        if node in head.worker_nodes:  # type: ignore[attr-defined]
            head.remove_node(node, allow_graceful=False)  # type: ignore[attr-defined]


@pytest.fixture
def endpoint() -> Iterator[Loopback]:
    """A server that takes its time, so that a worker can be lost in the middle of a unit."""
    with serve(Answer(body=completion({"content": "Dat kan ik niet."}), delay_s=0.15)) as state:
        yield state


def request_of(url: str, *, engine: str = "ray") -> RunRequest:
    return RunRequest(
        target="complex-schema-nl/quick",
        model="openai_chat:tester",
        options=ProviderOptions(base_url=url),
        repeats=6,
        engine=engine,  # type: ignore[arg-type]
        concurrency=2,
        cluster=Cluster(workers=2),
    )


def processes_at_work() -> list[int]:
    """Worker processes of Ray whose ancestor is this process."""
    parents, names = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
                names[int(entry.name)] = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])

    def is_mine(pid: int) -> bool:
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = parents.get(pid, 0)
        return False

    return [pid for pid, name in names.items() if name.startswith(b"ray::_Seat") and is_mine(pid)]


def test_two_workers_make_the_package_of_one_machine(
    material: Material, tmp_path: Path, machines: object, endpoint: Loopback
) -> None:
    package = run(material, request_of(endpoint.url), tmp_path / "ray")
    local = run(material, request_of(endpoint.url, engine="local"), tmp_path / "local")
    assert timeless(package) == timeless(local)
    score(package)
    assert verify(package.folder).problems == ()


@pytest.mark.parametrize("loss", ["process", "machine"])
def test_the_attempts_of_a_lost_worker_are_made_by_another(
    material: Material, tmp_path: Path, machines: object, endpoint: Loopback, loss: str
) -> None:
    killed: list[object] = []

    def lose_one(progress: Progress) -> None:
        if progress.done >= 5 and not killed:
            if loss == "process":
                victim = processes_at_work()[0]
                os.kill(victim, signal.SIGKILL)
            else:
                victim = next(iter(machines.worker_nodes))  # type: ignore[attr-defined]
                machines.remove_node(victim, allow_graceful=False)  # type: ignore[attr-defined]
            killed.append(victim)

    package = run(material, request_of(endpoint.url), tmp_path / "ray", listen=lose_one)
    local = run(material, request_of(endpoint.url, engine="local"), tmp_path / "local")
    assert killed
    assert "a worker was lost" in (package.folder / "run.log").read_text()
    assert timeless(package) == timeless(local), "nothing is lost, doubled, or tried twice"


def test_the_repeats_may_be_found_out_on_the_way(material: Material, tmp_path: Path, machines: object) -> None:
    request = RunRequest(
        target="complex-schema-nl/quick",
        model="scripted:oracle",
        auto_repeats=True,
        engine="ray",
        cluster=Cluster(workers=2),
    )
    package = run(material, request, tmp_path / "ray")
    assert timeless(package) == timeless(run(material, replace(request, engine="local"), tmp_path / "local"))
    assert package.manifest.deterministic


def test_a_ceiling_ends_the_run_in_order_and_it_goes_on(
    material: Material, tmp_path: Path, machines: object, endpoint: Loopback
) -> None:
    short = replace(request_of(endpoint.url), ceilings=Ceilings(max_requests=8))
    with pytest.raises(StoppedError, match="--max-requests"):
        run(material, short, tmp_path / "ray")
    (partial,) = (tmp_path / "ray").glob("*/*.partial")
    there = len((partial / "attempts.jsonl").read_bytes().splitlines())
    assert 8 <= there < 36, "those in flight came back"
    package = run(material, request_of(endpoint.url), tmp_path / "ray")
    local = run(material, request_of(endpoint.url, engine="local"), tmp_path / "local")
    assert timeless(package) == timeless(local)


def test_what_a_worker_refuses_reaches_the_user_in_its_own_words(
    material: Material, tmp_path: Path, machines: object, endpoint: Loopback
) -> None:
    endpoint.answer.status = 401
    with pytest.raises(ProviderError, match="refuses this run") as caught:
        run(material, request_of(endpoint.url), tmp_path)
    assert caught.value.next_step
    assert len(list(tmp_path.glob("*/*.partial"))) == 1, "resumable"


def test_a_worker_that_would_make_another_run_is_refused(material: Material, tmp_path: Path, machines: object) -> None:
    from fcbench.harnesses.clock import SystemClock
    from fcbench.providers.catalog import open_provider
    from fcbench.workflows.header import make_header
    from fcbench.workflows.planning import prepare
    from fcbench.workflows.ray_worker import PartWorker, part_of_run

    request = RunRequest(target="complex-schema-nl/quick", model="scripted:null", engine="ray")
    prepared = prepare(material, request)
    header = make_header(prepared, open_provider("scripted:null", oracles={}).info, SystemClock(), run_id="x")
    part = part_of_run(prepared, request, replace(header, versions={"python": "3.1"}), 1)
    with pytest.raises(PackageError, match="another run") as caught:
        PartWorker(part)
    assert "versions" in str(caught.value.found)
