"""Build the leaderboard site from the packages below a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fcbench.errors import PackageError, UsageError
from fcbench.packages.store import find_packages
from fcbench.site.addresses import base_address
from fcbench.site.build import BuildOptions, BuildReport, build_site
from fcbench.workflows.boards import scored_below
from fcbench.workflows.price_files import find_prices
from fcbench.workflows.project import embedded_root, find_project
from fcbench.workflows.verify import verify_all


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


@dataclass(frozen=True, kw_only=True)
class SiteRequest:
    """What to build from."""

    runs: Path
    """A folder with sealed packages below it; those without verdicts are judged first."""
    project: Path | None = None
    """Whose hand-written pages to take; the current or embedded project without."""
    base_url: str | None = None
    """Address below which the pages will stand."""
    since: Path | None = None
    """State file of an earlier build (`data/state.json` of its output)."""
    verify: bool = False
    """Whether to verify every package first. One that is not intact ends the build."""
    may_be_empty: bool = False
    """Whether a folder without packages gives a site without runs instead of an error."""


def build(request: SiteRequest, output: Path, *, cache: Path | None = None) -> Built:
    """Build the site.

    Args:
        request: what to build from.
        output: becomes the site.
        cache: where rendered pages are kept, so that a later build renders only what changed; else beside the output.

    Raises:
        NotFoundError: the packages or the earlier state do not exist.
        PackageError: there is no sealed package, or one is damaged, is not intact or holds held-out cases.
        UsageError: the address is none, or the output holds something else than a site.
        WriteError: the output cannot be written.
    """
    base_address(request.base_url)  # before the work, not after it
    check_output(output)
    packages = find_packages(request.runs)
    if packages or not request.may_be_empty:
        scored_below(request.runs)
    verified = _verified(request.runs) if request.verify else frozenset()
    project = find_project(request.project)
    own = project.root / "docs"
    options = BuildOptions(
        base_url=request.base_url,
        docs=own if (own / "index.md").is_file() else embedded_root() / "docs",
        since=request.since,
        verified=verified,
        prices=find_prices(None, project),
    )
    kept = cache or cache_of(output)
    return Built(build_site(project.site / "mkdocs.yml", packages, output, kept, options))


def cache_of(output: Path) -> Path:
    """Where the rendered pages of a site are kept."""
    return output.parent / f".{output.name}-cache"


def check_output(output: Path) -> None:
    """Refuse to empty a folder that is no site: a mistyped option must not cost anybody a folder.

    Raises:
        UsageError: the folder holds something else.
    """
    if output.is_dir() and any(output.iterdir()) and not (output / "assets" / "fcbench").is_dir():
        raise UsageError(
            "this folder holds something else than a site, and a build would empty it",
            wanted="a new or empty folder, or one that a build made",
            found=", ".join(sorted(one.name for one in output.iterdir())[:5]),
            where=str(output),
            next_step="name another folder with --output",
        )


def _verified(runs: Path) -> frozenset[str]:
    """Packages that are intact, by their folder below `runs/`.

    Raises:
        PackageError: one is not; the message names it and says why.
    """
    found = verify_all(runs).packages
    for one in found:
        # Of sealed cases nobody can recompute a verdict yet: such a package is published, and carries no such badge.
        if not one.is_intact_but_for_seals:
            raise PackageError(
                "this package is not intact, so nothing is published",
                wanted="packages that verify",
                found="; ".join((*one.problems, *one.open_questions))[:500],
                where=str(one.folder),
                next_step="`fcbench verify` says more; remove the package or build without --verify",
            )
    return frozenset(f"{one.folder.parent.name}/{one.folder.name}" for one in found if one.intact)
