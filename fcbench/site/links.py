"""Links: every `href` of a page, with its fragment, must lead to a file of the site and to an id on it."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from fcbench.core.records import Record

_OWN = (' href="', ' src="', ' id="')
_PLAIN = re.compile(r"(?:[\w-][\w./-]*|\.\./[\w./-]+)?(?:#[\w.-]*)?", re.ASCII)
"""Most links: a relative path, a fragment or both, in which nothing is quoted."""
EXTERNAL = ("http", "https", "mailto")


class PageLinks(Record, frozen=True, kw_only=True):
    """Where a page leads, and where it can be entered."""

    targets: tuple[str, ...]
    """Values of `href` and `src`, unescaped, sorted."""
    ids: tuple[str, ...]
    goals: tuple[str, ...] = ()
    """Targets that were `resolved` already: path in the site, empty for the page itself, perhaps with a fragment."""


def own_links(page: str) -> PageLinks:
    """Links of a page from our own templates.

    Cutting at the attributes is exact there: every variable is escaped, so no text of a model can hold a double quote.
    """
    targets, sources, ids = ({part.partition('"')[0] for part in page.split(name)[1:]} for name in _OWN)
    return PageLinks(targets=_unescaped(targets | sources), ids=_unescaped(ids))


def _unescaped(values: AbstractSet[str]) -> tuple[str, ...]:
    return tuple(sorted(map(html.unescape, values)))


def both(first: PageLinks, second: PageLinks) -> PageLinks:
    """Links of two parts of one page."""
    targets, ids = {*first.targets, *second.targets}, {*first.ids, *second.ids}
    goals = {*first.goals, *second.goals}
    return PageLinks(targets=tuple(sorted(targets)), ids=tuple(sorted(ids)), goals=tuple(sorted(goals)))


def resolved(page: str, links: PageLinks) -> PageLinks:
    """The same links, with every plain target resolved: once, when a page is made, and not in each build.

    Args:
        page: its path in the site.
        links: of it.
    """
    folder = page.rpartition("/")[0]
    plain = [target for target in links.targets if _PLAIN.fullmatch(target)]
    parted = [target.partition("#") for target in plain]
    goals = {f"{_goal(folder, path)}{mark}{fragment}" for path, mark, fragment in parted}
    rest = tuple(target for target in links.targets if not _PLAIN.fullmatch(target))
    return PageLinks(targets=rest, ids=links.ids, goals=tuple(sorted(goals)))


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value or "")
            elif name in ("href", "src"):
                self.targets.add(value or "")


def any_links(page: str) -> PageLinks:
    """Links of any page, by a real parser (slower)."""
    parser = _Parser()
    parser.feed(page)
    return PageLinks(targets=tuple(sorted(parser.targets)), ids=tuple(sorted(parser.ids)))


def broken(
    pages: Mapping[str, PageLinks], files: AbstractSet[str], anchors: Mapping[str, AbstractSet[str]]
) -> Iterator[str]:
    """One sentence for each link that leads nowhere.

    Args:
        pages: links of each page, by its path in the site.
        files: paths of all files of the site.
        anchors: of each page whose anchors are known: its ids, those of its shell among them.
    """
    good: dict[str, set[str]] = {}
    good_goals: set[str] = set()
    for path, links in pages.items():
        for target in [one for one in links.goals if one not in good_goals]:
            goal, _, fragment = target.partition("#")
            problem = _problem_at(goal or path, fragment, anchors, files)
            if problem:
                yield f"{path}: {target!r} {problem}"
            elif goal:
                good_goals.add(target)
        # Pages of one folder share most of their links, and what is good for one is good for all.
        known = good.setdefault(path.rpartition("/")[0], set())
        for target in [one for one in links.targets if one not in known]:
            problem = _problem(path, target, anchors, files)
            if problem:
                yield f"{path}: {target!r} {problem}"
            elif target[:1] not in ("", "#", "?"):
                known.add(target)


def _problem(page: str, target: str, ids: Mapping[str, AbstractSet[str]], files: AbstractSet[str]) -> str | None:
    path, fragment, problem = _parsed(page.rpartition("/")[0], target)
    if problem or path is None:
        return problem
    return _problem_at(path or page, fragment, ids, files)


def _problem_at(goal: str, fragment: str, ids: Mapping[str, AbstractSet[str]], files: AbstractSet[str]) -> str | None:
    if goal not in files:
        return "leads to no file of the site"
    if fragment and goal in ids and fragment not in ids[goal]:
        return f"names an anchor that {goal} does not have"
    return None


def _parsed(folder: str, target: str) -> tuple[str | None, str, str | None]:
    """Path in the site (empty for the page itself, None for another host), fragment, and what is wrong."""
    if _PLAIN.fullmatch(target):
        path, _, fragment = target.partition("#")
        return _goal(folder, path), fragment, None
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return None, "", None if parts.scheme in EXTERNAL else f"uses the scheme {parts.scheme!r}"
    if parts.path.startswith("/"):
        return None, "", "begins with a slash, which breaks under a sub-path and from file://"
    return _goal(folder, unquote(parts.path)), unquote(parts.fragment), None


def _goal(folder: str, path: str) -> str:
    if not path:
        return ""
    joined = posixpath.normpath(posixpath.join(folder, path))
    if path.endswith("/") or joined == "." or path in (".", ".."):
        return posixpath.normpath(posixpath.join(joined, "index.html"))
    return joined
