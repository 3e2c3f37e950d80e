"""Build the leaderboard site from the packages below a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fcbench.packages.store import find_packages
from fcbench.site.build import BuildReport, build_site
from fcbench.workflows.boards import scored_below
from fcbench.workflows.project import find_project


@dataclass(frozen=True)
class Built:
    """What a build gave."""

    report: BuildReport

    @property
    def index(self) -> Path:
        """The page to open first."""
        return Path(self.report.output) / "index.html"

    def text(self) -> str:
        """For a terminal."""
        one = self.report
        pages = f"{one.pages} pages: {one.rendered} rendered, {one.reused} from the cache"
        return f"built  {self.index}\n  {pages}"

    def data(self) -> object:
        """As plain JSON values."""
        one = self.report
        return {"output": str(one.output), "pages": one.pages, "rendered": one.rendered, "reused": one.reused}


def build(project: Path | None, runs: Path, output: Path) -> Built:
    """Build the site.

    Args:
        project: whose hand-written pages to take; the current or embedded project without.
        runs: a folder with sealed packages below it; those without verdicts are judged first.
        output: becomes the site; the cache lies beside it, so that a later build renders only what changed.

    Raises:
        NotFoundError: `runs` does not exist.
        PackageError: it holds no sealed package, or one is damaged or holds held-out cases.
        WriteError: the output cannot be written.
    """
    scored_below(runs)
    cache = output.parent / f".{output.name}-cache"
    sources = find_project(project).site / "mkdocs.yml"
    return Built(build_site(sources, find_packages(runs), output, cache))
