"""Building and serving the site from a folder of packages."""

from __future__ import annotations

import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fcbench.aggregate.verdict_files import read_verdicts, verdict_records, write_verdicts
from fcbench.errors import NotFoundError, PackageError, UsageError
from fcbench.packages.store import open_package
from fcbench.workflows.build_site import SiteRequest, build
from fcbench.workflows.planning import RunRequest
from fcbench.workflows.project import embedded_root, find_project, load
from fcbench.workflows.run import run
from fcbench.workflows.serve_site import Timing, follow, look, rebuild, serve, serve_and_watch
from tests.site.conftest import SOURCES, plugin, stub_of_documentation

__all__ = ["plugin"]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sealed runs of controls."""
    runs = tmp_path_factory.mktemp("packages") / "runs"
    material = load(find_project(embedded_root()))
    for name in ("null", "oracle"):
        run(material, RunRequest(target="complex-schema-nl/quick", model=f"scripted:{name}", run_id=f"r-{name}"), runs)
    return runs


@pytest.fixture(scope="module")
def project(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the site's own pages and a stub of the documentation."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("suites", "tools_registry"):
        (folder / name).mkdir()
    shutil.copytree(SOURCES.parent, folder / "site")
    stub_of_documentation(folder / "docs")
    return folder


@pytest.fixture
def one(packages: Path, tmp_path: Path) -> Path:
    """A folder with the first of them."""
    (found,) = packages.rglob("r-null")
    shutil.copytree(found, tmp_path / "runs" / found.parent.name / found.name)
    return tmp_path / "runs"


def page(output: Path, name: str = "index.html") -> str:
    return (output / name).read_text()


def test_a_package_that_is_copied_in_meanwhile_is_on_the_site(
    one: Path, packages: Path, tmp_path: Path, project: Path
) -> None:
    (other,) = packages.rglob("r-oracle")
    goal = one / other.parent.name / other.name
    request, output, said = SiteRequest(runs=one, project=project), tmp_path / "site", []
    rebuild(request, output)
    assert "oracle</a>" not in page(output)
    seen = look(one)

    # A copy that takes its time: a file at each look.
    files = iter(sorted(other.iterdir(), reverse=True))
    goal.mkdir()
    shutil.copy(other / "manifest.json", goal)

    def sleep(_: float) -> None:
        for file in files:
            shutil.copy(file, goal)
            break

    after = follow(request, output, seen, say=said.append, timing=Timing(sleep=sleep))
    assert "oracle</a>" in page(output)
    assert [line.startswith("built ") for line in said] == [True]
    assert "What changed since the build before" in page(output)
    assert follow(request, output, after, say=said.append) == after
    assert len(said) == 1


def test_a_package_that_cannot_be_read_leaves_the_site_as_it_was(one: Path, tmp_path: Path, project: Path) -> None:
    request, output, said = SiteRequest(runs=one, project=project), tmp_path / "site", []
    rebuild(request, output)
    before, seen = page(output), look(one)
    (one / "x").mkdir()
    (one / "x" / "manifest.json").write_text("{torn")
    follow(request, output, seen, say=said.append, timing=Timing(sleep=lambda _: None))
    assert page(output) == before
    assert "pages stay as they were" in said[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".site-cache", "runs", "site"]


def test_an_empty_folder_gives_a_site_that_waits_for_runs(tmp_path: Path, project: Path) -> None:
    (tmp_path / "runs").mkdir()
    request = SiteRequest(runs=tmp_path / "runs", project=project, may_be_empty=True)
    rebuild(request, tmp_path / "site")
    assert "No run has been published yet" in page(tmp_path / "site")
    with pytest.raises(PackageError):
        build(SiteRequest(runs=tmp_path / "runs", project=project), tmp_path / "other")


def test_verified_packages_carry_a_badge_and_a_damaged_one_ends_the_build(
    one: Path, tmp_path: Path, project: Path
) -> None:
    request = SiteRequest(runs=one, project=project, verify=True)
    build(request, tmp_path / "site")
    assert '<span class="fc-tag">verified</span>' in page(tmp_path / "site")
    _flip_a_verdict(next(one.rglob("r-null")))
    with pytest.raises(PackageError, match="not intact, so nothing is published"):
        build(request, tmp_path / "site")


@pytest.mark.parametrize("make", [build, lambda request, output: rebuild(request, output)], ids=["build", "rebuild"])
def test_a_folder_that_is_no_site_is_never_emptied(
    one: Path, tmp_path: Path, project: Path, make: Callable[[SiteRequest, Path], object]
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="holds something else than a site"):
        make(SiteRequest(runs=one, project=project), tmp_path / "home")
    assert (tmp_path / "home" / "thesis.txt").read_text() == "years of work"


def test_a_missing_folder_of_packages_is_named(tmp_path: Path, project: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        rebuild(SiteRequest(runs=tmp_path / "nowhere", project=project), tmp_path / "site")


def _flip_a_verdict(folder: Path) -> None:
    """Make the verdicts beside a package say of one attempt what its evidence does not."""
    package = open_package(folder)
    info, frame = read_verdicts(next(folder.glob("verdicts-*.parquet")))
    first, *rest = verdict_records(frame)
    wrong = msgspec.structs.replace(first, passed=not first.passed)
    write_verdicts(package, [wrong, *rest], oracle_hash=info.oracle_hash, evaluator_version=info.evaluator_version)


class Stop(Exception):
    """Ends the loop of a server from its own clock."""


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A small site, served."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "index.html").write_text("<h1>First</h1>")
    (folder / "404.html").write_text("<h1>Nothing here</h1>")
    (folder / "empty").mkdir()
    told: list[str] = []
    ready = threading.Event()

    def say(text: str) -> None:
        told.append(text)
        ready.set()

    threading.Thread(target=serve, args=(folder, 0), kwargs={"say": say}, daemon=True).start()
    assert ready.wait(10)
    return told[0].split()[3]


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as reply:
            assert reply.headers["Cache-Control"] == "no-store"
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_a_missing_page_leads_back(address: str) -> None:
    assert get(address) == (200, "<h1>First</h1>")
    for place in ("nope.html", "a/b/c.html", "empty/"):
        assert get(address + place) == (404, "<h1>Nothing here</h1>")


def test_the_site_is_served_while_packages_are_watched(one: Path, tmp_path: Path, project: Path) -> None:
    said: list[str] = []
    replies: list[tuple[int, str]] = []

    def sleep(_: float) -> None:
        replies.append(get(said[0].split()[3].rstrip(",")))
        raise Stop

    with pytest.raises(Stop):
        serve_and_watch(
            SiteRequest(runs=one, project=project),
            tmp_path / "site",
            0,
            say=said.append,
            timing=Timing(sleep=sleep),
        )
    assert replies[0][0] == 200
    assert "null</a>" in replies[0][1]
