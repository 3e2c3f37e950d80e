"""The MkDocs plugin: a thin adapter around the plain modules of this package.

Hub pages are generated Markdown files whose content is replaced by ours before it reaches the theme, so that no text of
a model passes through Markdown. Lean pages are generated files that lie in the cache, which MkDocs copies.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from fcbench.site.assemble import build_pages
from fcbench.site.cache import Cache
from fcbench.site.environment import code_digest
from fcbench.site.links import PageLinks, any_links, broken, own_links
from fcbench.site.load import load_site
from fcbench.site.pages import HubPage, SitePages, key_of
from fcbench.site.policy import policy, with_policy
from fcbench.site.shell import BASE, Shell

log = logging.getLogger("mkdocs.plugins.fcbench")
SHELL = "fcbench-shell.html"
MAX_PROBLEMS = 20
"""Broken links that a message lists."""

_TABLE = '<div class="fc-scroll" role="region" tabindex="0" aria-label="Table"><table class="fc-table">'


class FcbenchConfig(Config):
    """Options under `plugins: fcbench:`; folders are relative to mkdocs.yml."""

    packages = config_options.Type(list, default=["../runs"])
    cache = config_options.Type(str, default="../build/site-cache")


class FcbenchPlugin(BasePlugin[FcbenchConfig]):
    """Adds the generated pages to a MkDocs build.

    Attributes:
        packages: folders that `build_site` gives instead of the options.
        cache_folder: the same for the cache.
        rendered: lean pages rendered in this build.
        reused: lean pages taken from the cache.
    """

    def __init__(self) -> None:
        self.packages: list[Path] | None = None
        self.cache_folder: Path | None = None
        self.rendered = 0
        self.reused = 0
        self._links: dict[str, PageLinks] = {}
        self._files: Files | None = None
        self._nav: Navigation | None = None
        self._pages = SitePages(lean=(), hubs=(), assets=())
        self._hubs: dict[str, HubPage] = {}

    @property
    def page_count(self) -> int:
        """Pages of the last build, hand-written ones included."""
        return len(self._links)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Check the settings that the pages rely on, and read the packages."""
        if config.use_directory_urls:
            raise PluginError("fcbench needs `use_directory_urls: false`: its pages must open from file://")
        home = Path(config.config_file_path).parent
        folders = self.packages if self.packages is not None else [home / one for one in self.config.packages]
        cache = self.cache_folder or home / self.config.cache
        if cache.resolve().is_relative_to(Path(config.site_dir).resolve()):
            raise PluginError("the cache lies inside the output, which MkDocs empties before each build")
        self._cache = Cache(cache)
        self._pages = build_pages(load_site([folder for folder in folders if self._exists(folder)]))
        self._hubs = {hub.path: hub for hub in self._pages.hubs}
        self._links, self.rendered, self.reused = {}, 0, 0
        return config

    def _exists(self, folder: Path) -> bool:
        """A default folder may be missing, as in a fresh project; one that was asked for may not."""
        return self.packages is not None or folder.is_dir()

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Register every generated page and file."""
        for hub in self._pages.hubs:
            source = hub.path.removesuffix(".html") + ".md"
            # Only the title, which comes from checked slugs or is fixed, passes through MkDocs.
            front = f"---\ntitle: {hub.title}\nhide: [toc, navigation]\n---\n"
            files.append(File.generated(config, source, content=front, inclusion=InclusionLevel.INCLUDED))
        for asset in self._pages.assets:
            files.append(File.generated(config, asset.path, content=asset.content, inclusion=InclusionLevel.NOT_IN_NAV))
        for page in self._pages.lean:
            place = str(self._cache.folder / "pages" / page.path)
            files.append(File.generated(config, page.path, abs_src_path=place, inclusion=InclusionLevel.NOT_IN_NAV))
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Keep the navigation for the shell's header."""
        self._nav = nav
        return nav

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put a hub's body in place of its empty Markdown; a hand-written table gets a region that scrolls sideways."""
        hub = self._hubs.get(page.file.dest_uri)
        return hub.body if hub else html.replace("<table>", _TABLE).replace("</table>", "</table></div>")

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Render the shell once, and every lean page that the cache does not hold."""
        self._files = files
        shell = Shell(self._shell(env, config, files))
        fixed = key_of(shell.digest, code_digest())
        for page in self._pages.lean:
            key = key_of(fixed, page.key, page.title)
            links = self._cache.find(page.path, key)
            if links is None:
                html = shell.page(page.path, page.title, page.body())
                links = own_links(html)
                self._cache.store(page.path, key, html, links)
                self.rendered += 1
            else:
                self.reused += 1
            self._links[page.path] = links
            file = files.get_file_from_path(page.path)
            assert file is not None
            file.abs_src_path = str(self._cache.file(page.path, key))
        gone = self._cache.finish({page.path for page in self._pages.lean})
        log.info(f"{self.rendered} pages rendered, {self.reused} from the cache, {gone} removed from it")
        return env

    def _shell(self, env: Environment, config: MkDocsConfig, files: Files) -> str:
        sheets = sorted(
            file.dest_uri
            for file in files
            if file.dest_uri.startswith("assets/stylesheets/") and file.dest_uri.endswith(".css")
        )
        context: dict[str, Any] = {"config": config, "nav": self._nav, "page": None, "base_url": BASE}
        return env.get_template(SHELL).render(**context, fcbench_csp=policy(), fcbench_theme_css=sheets)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Add the policy, and remember the page's links."""
        self._links[page.file.dest_uri] = any_links(output)
        return with_policy(output)

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Add the policy to the theme's own pages, such as 404.html."""
        return with_policy(output_content) if template_name.endswith(".html") else output_content

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Check every link of every page.

        Raises:
            PluginError: a link leads nowhere.
        """
        assert self._files is not None
        paths = {file.dest_uri for file in self._files if file.inclusion.is_included()}
        problems = list(broken(self._links, paths))
        if problems:
            shown = "\n  ".join(problems[:MAX_PROBLEMS])
            raise PluginError(f"{len(problems)} links lead nowhere:\n  {shown}")
