"""Build the site from Python: what `fcbench site build` calls."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from fcbench.core.records import Record
from fcbench.engine.prices import PriceList
from fcbench.errors import BadInputError, NotFoundError, UnavailableError
from fcbench.site.addresses import base_address

PLUGIN = "fcbench"


class BuildReport(Record, frozen=True, kw_only=True):
    """What a build did."""

    pages: int
    """Pages of the site, hand-written ones included."""
    rendered: int
    """Attempt, case and model pages rendered anew."""
    reused: int
    """The same, taken from the cache."""
    output: str
    """Folder of the site."""


class BuildOptions(Record, frozen=True, kw_only=True):
    """What a build may be told beside its folders."""

    base_url: str | None = None
    """Address below which the pages will stand: for canonical links, the site map, the feed and the page 404."""
    docs: Path | None = None
    """Folder of the documentation, instead of the one that the settings name."""
    since: Path | None = None
    """State file of an earlier build, instead of `state.json` beside the settings."""
    prices: PriceList | None = None
    """What a million tokens of each model cost; every cost is unknown without."""
    verified: frozenset[str] = frozenset()
    """Packages that were verified just now, by their folder below `runs/`: they get a badge."""
    strict: bool = True
    """Whether a warning of MkDocs, such as a broken link in a hand-written page, ends the build."""


def build_site(
    mkdocs_yml: Path,
    packages: Sequence[Path],
    output: Path,
    cache: Path,
    options: BuildOptions = BuildOptions(),  # noqa: B008  (frozen)
) -> BuildReport:
    """Build the whole site.

    Args:
        mkdocs_yml: the site's settings, in a project's `site/` or in the installed package's data.
        packages: sealed packages, or folders that hold them.
        output: where the site goes. MkDocs empties this folder first.
        cache: where rendered pages are kept between builds, outside the output.
        options: address, documentation and earlier state.

    Raises:
        NotFoundError: the settings or a package do not exist, or a package was never scored.
        BadInputError: a package, the settings or a link is broken; the message names it.
        UnavailableError: MkDocs, its theme or this plugin is not installed.
        UsageError: `base_url` is no address.
    """
    base = base_address(options.base_url)
    if not mkdocs_yml.is_file():
        raise NotFoundError("the site's settings do not exist", wanted="mkdocs.yml", where=str(mkdocs_yml))
    # Material prints a notice about another project on every start; our pin (`mkdocs<2`) answers it.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    try:
        from mkdocs.commands.build import build  # noqa: PLC0415  (heavy, and only this command needs it)
        from mkdocs.config import load_config  # noqa: PLC0415
        from mkdocs.exceptions import Abort, MkDocsException  # noqa: PLC0415

        from fcbench.site.plugin import FcbenchPlugin  # noqa: PLC0415
    except ImportError as error:
        raise UnavailableError(
            "the site needs MkDocs and its Material theme",
            found=str(error),
            next_step="install fcbench with its dependencies again",
        ) from error
    notes = _Notes()
    logger = logging.getLogger("mkdocs")
    logger.addHandler(notes)
    try:
        # Absolute, since MkDocs takes a relative folder as below that of its settings: the user means the current one.
        given = {"site_url": base} if base else {}
        config = load_config(
            config_file=str(mkdocs_yml), site_dir=str(output.absolute()), strict=options.strict, **given
        )
        plugin = config.plugins.get(PLUGIN)
        if not isinstance(plugin, FcbenchPlugin):
            raise UnavailableError("the settings do not load the fcbench plugin", where=str(mkdocs_yml))
        plugin.packages, plugin.cache_folder = list(packages), cache
        plugin.docs_folder, plugin.state_file = options.docs, options.since
        plugin.verified, plugin.prices = options.verified, options.prices
        build(config)
    except (MkDocsException, Abort) as error:
        raise BadInputError(
            "the site does not build",
            found="\n    ".join([*notes.texts[:20], str(error)]).strip(),
            where=str(mkdocs_yml),
        ) from error
    finally:
        logger.removeHandler(notes)
    return BuildReport(pages=plugin.page_count, rendered=plugin.rendered, reused=plugin.reused, output=str(output))


class _Notes(logging.Handler):
    """Keeps MkDocs' warnings and errors, which name what is wrong where its exceptions do not."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
