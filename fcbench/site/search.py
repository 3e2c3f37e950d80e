"""The search page: one index over results and documentation, searched in the reader's browser.

The index is a script file, since a page opened from `file://` may not fetch. Attempts are not in it: the failures
explorer finds them, and they would be most of its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from html.parser import HTMLParser

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.site.board_page import board_path
from fcbench.site.data import SiteData
from fcbench.site.environment import render
from fcbench.site.fault_page import MEANINGS
from fcbench.site.pages import HubPage, SitePages
from fcbench.site.scripts import js_data
from fcbench.site.slugs import case_path, model_path, relative, tool_path
from fcbench.site.text import clip, excerpt

PATH = "search.html"
INDEX = "data/search.js"
MAX_TEXT = 400
"""Letters of a record's text in the index. Hand-written sections stand in it whole."""
_HEADINGS = ("h1", "h2", "h3", "h4")
_SILENT = ("script", "style", "svg")


class Entry(Record, frozen=True, kw_only=True):
    """One thing that can be found."""

    title: str
    path: str
    """Place in the site, with a fragment where it is a section."""
    kind: str
    text: str


def search_page(hubs: Sequence[HubPage]) -> HubPage:
    """The page with the field; without scripts it lists the overviews instead."""
    body = render("search", root=relative("", PATH), data=INDEX, hubs=hubs)
    return HubPage(
        path=PATH,
        title="Search",
        description="Search models, boards, cases, tools, kinds of faults and the documentation.",
        body=body,
    )


def index(entries: Iterable[Entry]) -> bytes:
    """The index as a data script."""
    kinds: dict[str, int] = {}
    rows: list[JsonValue] = [[one.title, one.path, kinds.setdefault(one.kind, len(kinds)), one.text] for one in entries]
    return js_data("search", {"kinds": list(kinds), "rows": rows})


def data_entries(data: SiteData, pages: SitePages) -> Iterator[Entry]:
    """What the packages bring: overviews, models, boards, tools, kinds of faults and cases."""
    for hub in pages.hubs:
        yield Entry(title=hub.title, path=hub.path, kind="overview", text=hub.description)
    for model, runs in data.models.items():
        about = ", ".join(dict.fromkeys(run.manifest.header.key.collection for run in runs))
        kind = "control" if runs[0].is_control else "model"
        yield Entry(title=clip(model), path=model_path(model), kind=kind, text=about)
    for board in data.boards:
        run = board.key.run
        title = f"{run.collection}, {board.key.tier.replace('-', ' ')}"
        text = f"{run.harness} harness, {run.harness_mode}, retrieval {run.retrieval}, decoding {run.decoding}"
        yield Entry(title=title, path=board_path(board), kind="board", text=text)
    yield from _tools(data, {page.path for page in pages.lean})
    for name, meaning in MEANINGS.items():
        yield Entry(title=name.replace("_", " "), path=f"faults/index.html#{name}", kind="fault kind", text=meaning)
    for task_id, case in data.cases.items():
        text = excerpt(case.task.instruction, MAX_TEXT)
        yield Entry(title=clip(task_id), path=case_path(task_id), kind="case", text=text)


def _tools(data: SiteData, paths: AbstractSet[str]) -> Iterator[Entry]:
    """Tools that have a page, each once."""
    contracts: dict[str, ToolContract] = {}
    for found in (*data.registries.values(), *(run.package.contracts.values() for run in data.runs)):
        for contract in found:
            contracts.setdefault(contract.name, contract)
    for name, contract in sorted(contracts.items()):
        path = tool_path(name)
        if path in paths:
            yield Entry(title=clip(name), path=path, kind="tool", text=excerpt(contract.description, MAX_TEXT))


def page_entries(html: str, path: str, kind: str) -> Iterator[Entry]:
    """The sections of a hand-written page, each under its heading with the page's title before it."""
    parser = _Sections()
    parser.feed(html)
    page = ""
    for anchor, heading, text in parser.sections:
        heading = " ".join(heading.split())
        page = page or heading
        title = heading if heading == page else f"{page}: {heading}"
        where = f"{path}#{anchor}" if anchor and heading != page else path
        yield Entry(title=title, path=where, kind=kind, text=" ".join(text.split()))


class _Sections(HTMLParser):
    """Cuts a page at its headings."""

    def __init__(self) -> None:
        super().__init__()
        self._found: list[tuple[str, list[str], list[str]]] = []
        self._in_heading = False
        self._silent = 0

    @property
    def sections(self) -> list[tuple[str, str, str]]:
        """(anchor, heading, text) of each section, in order."""
        return [(anchor, "".join(heading), " ".join(text)) for anchor, heading, text in self._found]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HEADINGS:
            self._found.append((dict(attrs).get("id") or "", [], []))
            self._in_heading = True
        self._silent += tag in _SILENT

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._in_heading = False
        self._silent -= tag in _SILENT

    def handle_data(self, data: str) -> None:
        if self._found and not self._silent:
            _, heading, text = self._found[-1]
            (heading if self._in_heading else text).append(data)
