"""The MkDocs plugin: a thin adapter around the plain modules of this package.

Hub pages are generated Markdown files whose content is replaced by ours before it reaches the theme, so that no text of
a model passes through Markdown. Lean pages are generated files that lie in the cache, which MkDocs copies. The
documentation is read from its own folder and takes its place below `docs/`.
"""

from __future__ import annotations

import gc
import json
import logging
from contextvars import Token
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

from fcbench.engine.prices import PriceList
from fcbench.site import documents, search
from fcbench.site.addresses import ROBOTS, SITEMAP, address, base_address, robots, sitemaps
from fcbench.site.assemble import build_pages
from fcbench.site.cache import Cache, CachedPage
from fcbench.site.data import SiteData
from fcbench.site.environment import code_digest, compiled_templates
from fcbench.site.feed import PATH as FEED
from fcbench.site.feed import feed
from fcbench.site.hand_written import described, fit_for_pages
from fcbench.site.keeping import Keep, begin, end
from fcbench.site.links import PageLinks, any_links, both, broken, own_links, resolved
from fcbench.site.load import load_site, marked
from fcbench.site.pages import Asset, HubPage, SitePages, key_of
from fcbench.site.policy import policy, with_policy
from fcbench.site.shell import BASE, PLACE, Shell
from fcbench.site.state import State, read_state

log = logging.getLogger("mkdocs.plugins.fcbench")
SHELL = "fcbench-shell.html"
MAX_PROBLEMS = 20
"""Broken links that a message lists."""


class FcbenchConfig(Config):
    """Options under `plugins: fcbench:`; folders are relative to mkdocs.yml."""

    packages = config_options.Type(list, default=["../runs"])
    cache = config_options.Type(str, default="../build/site-cache")
    docs = config_options.Type(str, default="../docs")
    state = config_options.Type(str, default="state.json")
    suites = config_options.Type(str, default="../suites")


class FcbenchPlugin(BasePlugin[FcbenchConfig]):
    """Adds the generated pages and the documentation to a MkDocs build.

    Attributes:
        packages: folders that `build_site` gives instead of the options.
        cache_folder: the same for the cache.
        docs_folder: the same for the documentation.
        state_file: the same for the state of an earlier build.
        verified: packages that were verified before this build, by folder below `runs/`.
        prices: what a million tokens of each model cost.
        rendered: lean pages rendered in this build.
        reused: lean pages taken from the cache.
    """

    def __init__(self) -> None:
        self.packages: list[Path] | None = None
        self.cache_folder: Path | None = None
        self.docs_folder: Path | None = None
        self.state_file: Path | None = None
        self.verified: frozenset[str] = frozenset()
        self.prices: PriceList | None = None
        self.rendered = 0
        self.reused = 0
        self._keeping: tuple[Keep, Token[Keep | None]] | None = None
        self._links: dict[str, PageLinks] = {}
        self._anchors: dict[str, set[str]] = {}
        self._folders: set[str] = set()
        self._files: Files | None = None
        self._nav: Navigation | None = None
        self._data = SiteData(runs=(), boards=())
        self._pages = SitePages(lean=(), hubs=(), assets=())
        self._hubs: dict[str, HubPage] = {}
        self._docs: Path | None = None

    @property
    def page_count(self) -> int:
        """Pages of the last build, hand-written ones included."""
        return len(self._links)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Check the settings that the pages rely on, and read the packages."""
        if config.use_directory_urls:
            raise PluginError("fcbench needs `use_directory_urls: false`: its pages must open from file://")
        config.site_url = base_address(config.site_url)
        # MkDocs' own map holds neither our pages nor the same bytes twice, since it writes the day of the build.
        config.theme.static_templates.discard(SITEMAP)
        home = Path(config.config_file_path).parent
        folders = self.packages if self.packages is not None else [home / one for one in self.config.packages]
        cache = self.cache_folder or home / self.config.cache
        if cache.resolve().is_relative_to(Path(config.site_dir).resolve()):
            raise PluginError("the cache lies inside the output, which MkDocs empties before each build")
        self._cache = Cache(cache)
        self._docs = self.docs_folder or home / self.config.docs
        if self.docs_folder is None and not (self._docs / "index.md").is_file():
            self._docs = None
        if config.nav is not None:
            config.nav = _with_documentation(config.nav, self._docs)
        self._begin_keeping(cache / "parts")
        there = [folder for folder in folders if self._exists(folder)]
        data = load_site(there, home / self.config.suites, self.prices)
        self._data = marked(data, self.verified)
        self._pages = build_pages(self._data, self._earlier(home))
        self._hubs = {hub.path: hub for hub in self._every_hub()}
        self._links, self._anchors, self._folders = {}, {}, set()
        self.rendered, self.reused = 0, 0
        # The records of a large site live until its end: the collector need not walk through them for every page.
        gc.freeze()
        return config

    def _begin_keeping(self, folder: Path) -> None:
        keep = Keep(folder)
        self._keeping = keep, begin(keep)

    def _end_keeping(self) -> Keep | None:
        """Nothing more is kept; where something was until now."""
        if self._keeping is None:
            return None
        keep, token = self._keeping
        end(token)
        self._keeping = None
        return keep

    def on_build_error(self, *, error: Exception) -> None:
        """Leave what was kept for the next build."""
        self._end_keeping()

    def _exists(self, folder: Path) -> bool:
        """A default folder may be missing, as in a fresh project; one that was asked for may not."""
        return self.packages is not None or folder.is_dir()

    def _earlier(self, home: Path) -> State | None:
        """The state of an earlier build: the file that was asked for, or the one beside the settings if it is there."""
        if self.state_file is not None:
            return read_state(self.state_file)
        own = home / self.config.state
        return read_state(own) if own.is_file() else None

    def _every_hub(self) -> list[HubPage]:
        schemas = documents.schemas_page(self._docs) if self._docs else None
        return [*self._pages.hubs, search.search_page(self._pages.hubs), *([schemas] if schemas else [])]

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Register every generated page and file, and leave out what the theme brings and no page uses."""
        for file in [file for file in files if _is_unused(file.dest_uri)]:
            files.remove(file)
        for document in documents.documents(self._docs) if self._docs else ():
            is_listed = document.is_page and document.path.startswith(f"{documents.HOME}/")
            level = InclusionLevel.INCLUDED if is_listed else InclusionLevel.NOT_IN_NAV
            files.append(
                File.generated(config, document.path, abs_src_path=str(document.source.absolute()), inclusion=level)
            )
        for hub in self._hubs.values():
            files.append(File.generated(config, _source(hub), content=_front(hub), inclusion=InclusionLevel.INCLUDED))
        for page in self._pages.lean:
            # Where it lies in the cache is known when its key is, which needs the shell.
            files.append(CachedPage.generated(config, page.path, abs_src_path="", inclusion=InclusionLevel.NOT_IN_NAV))
        # The index of the search is filled when every page has been read.
        extra = [Asset(path=search.INDEX, content=b""), *self._found_by_machines(files, config.site_url)]
        for asset in (*self._pages.assets, *extra):
            files.append(File.generated(config, asset.path, content=asset.content, inclusion=InclusionLevel.NOT_IN_NAV))
        return files

    def _found_by_machines(self, files: Files, base: str | None) -> list[Asset]:
        found = {FEED: feed(self._data, base), ROBOTS: robots(base)}
        if base:
            written = [file.dest_uri for file in files.documentation_pages()]
            found |= sitemaps(base, [*written, *(page.path for page in self._pages.lean)])
        return [Asset(path=path, content=content) for path, content in found.items()]

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Keep the navigation for the shell's header."""
        self._nav = nav
        return nav

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put a hub's body in place of its empty Markdown; fit a hand-written page to the site's rules."""
        page.meta["fcbench_address"] = address(config.site_url, page.file.dest_uri) if config.site_url else ""
        hub = self._hubs.get(page.file.dest_uri)
        if hub:
            return hub.body
        page.meta.setdefault("description", described(html))
        return fit_for_pages(html)

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Fill the search's index, render the shell once, and every lean page that the cache does not hold."""
        self._files = files
        env.bytecode_cache = compiled_templates()
        self._fill_search(files)
        shell = Shell(self._shell(env, config, files))
        fixed = key_of(shell.digest, code_digest())
        for page in self._pages.lean:
            key = key_of(fixed, page.key, page.title, page.description)
            links = self._cache.find(page.path, key)
            if links is None:
                body = page.body()
                links = resolved(page.path, own_links(body))
                self._cache.store(page.path, key, shell.page(page.path, page.title, body, page.description), links)
                self.rendered += 1
            else:
                self.reused += 1
            self._note_links(page.path, links, shell)
            file = files.get_file_from_path(page.path)
            assert file is not None
            file.abs_src_path = self._cache.file(page.path, key)
        gone = self._cache.finish({page.path for page in self._pages.lean})
        log.info(f"{self.rendered} pages rendered, {self.reused} from the cache, {gone} removed from it")
        return env

    def _note_links(self, path: str, body: PageLinks, shell: Shell) -> None:
        """The shell's links are the same for all pages of a folder, whose first page answers for them."""
        around, folder = shell.links(path), path.rpartition("/")[0]
        self._anchors[path] = {*around.ids, *body.ids}
        is_first = folder not in self._folders
        self._folders.add(folder)
        self._links[path] = both(around, body) if is_first else body

    def _fill_search(self, files: Files) -> None:
        entries = list(search.data_entries(self._data, self._pages))
        for file in files.documentation_pages():
            if file.page is not None and file.dest_uri not in self._hubs:
                kind = "documentation" if file.dest_uri.startswith(f"{documents.HOME}/") else "about"
                entries.extend(search.page_entries(file.page.content or "", file.dest_uri, kind))
        index = files.get_file_from_path(search.INDEX)
        assert index is not None
        index.content_bytes = search.index(entries)

    def _shell(self, env: Environment, config: MkDocsConfig, files: Files) -> str:
        sheets = sorted(
            file.dest_uri
            for file in files
            if file.dest_uri.startswith("assets/stylesheets/") and file.dest_uri.endswith(".css")
        )
        context: dict[str, Any] = {"config": config, "nav": self._nav, "page": None, "base_url": BASE}
        place = f"{config.site_url}{PLACE}" if config.site_url else ""
        return env.get_template(SHELL).render(
            **context, fcbench_csp=policy(), fcbench_theme_css=sheets, fcbench_address=place
        )

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Add the policy, and remember the page's links."""
        links = any_links(output)
        self._links[page.file.dest_uri], self._anchors[page.file.dest_uri] = links, set(links.ids)
        return with_policy(output)

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Add the policy to the theme's own pages, such as 404.html."""
        return with_policy(output_content) if template_name.endswith(".html") else output_content

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Check every link of every page.

        Raises:
            PluginError: a link leads nowhere.
        """
        gc.unfreeze()
        if keep := self._end_keeping():
            keep.finish()
        assert self._files is not None
        paths = {file.dest_uri for file in self._files if file.inclusion.is_included()}
        problems = list(broken(self._links, paths, self._anchors))
        if problems:
            shown = "\n  ".join(problems[:MAX_PROBLEMS])
            raise PluginError(f"{len(problems)} links lead nowhere:\n  {shown}")


def _is_unused(path: str) -> bool:
    """The theme's scripts, maps for its developers, and its template of a site map."""
    return (
        path == SITEMAP
        or path.startswith("assets/javascripts/")
        or (path.startswith("assets/stylesheets/") and path.endswith(".map"))
    )


def _source(hub: HubPage) -> str:
    return hub.path.removesuffix(".html") + ".md"


def _front(hub: HubPage) -> str:
    """A hub's source: only title and description, which are fixed or come from checked slugs, pass through MkDocs."""
    hidden = "[toc]" if hub.in_section else "[toc, navigation]"
    # JSON is YAML, so a colon or a quote needs no rule of its own.
    title, description = json.dumps(hub.title), json.dumps(hub.description)
    return f"---\ntitle: {title}\ndescription: {description}\nhide: {hidden}\n---\n"


def _with_documentation(nav: list[Any], docs: Path | None) -> list[Any]:
    """The navigation with the whole documentation in the place of its first page, or without it where there is none."""
    first = f"{documents.HOME}/index.md"
    found: list[Any] = []
    for item in nav:
        is_docs = isinstance(item, dict) and first in item.values()
        if not is_docs:
            found.append(item)
        elif docs:
            found.append({next(iter(item)): documents.navigation(docs)})
    return found
