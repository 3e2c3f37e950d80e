"""Sites built once for all tests of this folder."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from fcbench.site.build import BuildOptions, BuildReport, build_site
from tests.site.hostile_package import hostile_runs
from tests.site.sample_packages import sample_runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SOURCES = Path(__file__).parents[2] / "site" / "mkdocs.yml"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Built:
    """A built site. Several processes read it, so nothing may write into it."""

    def __init__(self, home: Path, report: BuildReport) -> None:
        self.home = home
        self.report = report

    @property
    def output(self) -> Path:
        """Folder of the pages."""
        return self.home / "out"

    def one(self, pattern: str) -> Path:
        """The first page that fits a pattern."""
        return sorted(self.output.glob(pattern))[0]

    def again(self, home: Path) -> Built:
        """The same packages built over a copy of this site's cache, in another folder."""
        shutil.copytree(self.home / "runs", home / "runs")
        shutil.copytree(self.home / "cache", home / "cache")
        return Built(home, build(home, whole=True))


def build(home: Path, *, whole: bool = False) -> BuildReport:
    """Build the site of `home/runs` into `home/out`, with the whole documentation or a stub of it."""
    options = BuildOptions() if whole else BuildOptions(docs=stub_of_documentation(home / "docs"))
    return build_site(SOURCES, [home / "runs"], home / "out", home / "cache", options)


def stub_of_documentation(docs: Path) -> Path:
    """Documentation that holds the pages which hand-written ones lead to, but no text: it is built in no time."""
    written = "".join(page.read_text() for page in sorted((SOURCES.parent / "pages").glob("*.md")))
    for name in {"index.md", *re.findall(r"\(docs/([a-z0-9/-]+\.md)", written)}:
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text("# Stub\n")
    return docs


@pytest.fixture(scope="session")
def plugin() -> None:
    """Skip where the plugin's entry point is not installed."""
    if not entry_points(group="mkdocs.plugins", name="fcbench"):
        pytest.skip("fcbench is not installed, so MkDocs does not find its plugin: pip install -e . --no-deps")


@pytest.fixture(scope="session")
def sample(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of the sample packages."""
    return _shared(tmp_path_factory, "sample", sample_runs, whole=True)


@pytest.fixture(scope="session")
def hostile(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of the hostile package."""
    return _shared(tmp_path_factory, "hostile", hostile_runs)


def _shared(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object], *, whole: bool = False
) -> Built:
    """A site that the first process of a test session builds and the others wait for."""
    base = factory.getbasetemp()
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    home, report = root / f"site-{name}", root / f"site-{name}.json"
    with (root / f"site-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not report.exists():
            home.mkdir()
            make(home / "runs")
            report.write_bytes(msgspec.json.encode(build(home, whole=whole)))
    return Built(home, msgspec.json.decode(report.read_bytes(), type=BuildReport))


# Not for the session: while it is open, no other test of this process could run an event loop.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One headless Chromium for all tests of a file."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "playwright is not installed"
        if os.environ.get("FCBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{reason}, and FCBENCH_REQUIRE_BROWSER is 1")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield found
        found.close()
