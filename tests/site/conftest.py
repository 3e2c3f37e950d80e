"""Sites built once for all tests of this folder."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from fcbench.site.build import BuildReport, build_site
from tests.site.hostile_package import hostile_runs
from tests.site.sample_packages import sample_runs

SOURCES = Path(__file__).parents[2] / "site" / "mkdocs.yml"


class Built:
    """A built site."""

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

    def again(self) -> BuildReport:
        """Build once more over the same cache."""
        return build(self.home)


def build(home: Path) -> BuildReport:
    """Build the site of `home/runs` into `home/out`."""
    return build_site(SOURCES, [home / "runs"], home / "out", home / "cache")


@pytest.fixture(scope="session")
def plugin() -> None:
    """Skip where the plugin's entry point is not installed."""
    if not entry_points(group="mkdocs.plugins", name="fcbench"):
        pytest.skip("fcbench is not installed, so MkDocs does not find its plugin: pip install -e . --no-deps")


@pytest.fixture(scope="session")
def sample(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of the sample packages."""
    home = tmp_path_factory.mktemp("sample")
    sample_runs(home / "runs")
    return Built(home, build(home))


@pytest.fixture(scope="session")
def hostile(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of the hostile package."""
    home = tmp_path_factory.mktemp("hostile")
    hostile_runs(home / "runs")
    return Built(home, build(home))
