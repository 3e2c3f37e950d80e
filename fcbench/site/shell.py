"""The lean shell: rendered once from the theme, then every page's title and body are spliced in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fcbench.core.canonical import digest_text
from fcbench.core.names import Digest
from fcbench.errors import BadInputError
from fcbench.site.environment import escape_title
from fcbench.site.links import PageLinks, own_links

BASE, TITLE, BODY = "@@fcbench-base@@", "@@fcbench-title@@", "@@fcbench-body@@"
DESCRIPTION, PLACE = "@@fcbench-description@@", "@@fcbench-place@@"
"""Marks in the rendered shell. A body is spliced in last, so that a mark in a model's text stays text."""


@dataclass(frozen=True)
class Shell:
    """The shell, cut at its marks."""

    text: str

    def __post_init__(self) -> None:
        for mark in (TITLE, BODY):
            if not self.text.count(mark) or (mark == BODY and self.text.count(mark) > 1):
                raise BadInputError(
                    "the site's shell is not usable",
                    wanted=f"the mark {mark}, and the body's once only",
                    found=f"{self.text.count(mark)} times",
                    where="overrides/fcbench-shell.html",
                )

    @property
    def digest(self) -> Digest:
        """Digest of the shell: part of every page's cache key."""
        return digest_text(self.text)

    @cached_property
    def _known(self) -> dict[str, tuple[tuple[str, str], PageLinks]]:
        return {}

    def _at(self, base: str) -> tuple[tuple[str, str], PageLinks]:
        """What comes before and behind a body at one depth, and the links of both."""
        if base not in self._known:
            head, tail = self.text.replace(BASE, base).split(BODY)
            self._known[base] = (head, tail), own_links(head + tail)
        return self._known[base]

    def links(self, path: str) -> PageLinks:
        """Links and anchors of the shell around a page."""
        return self._at(_base(path))[1]

    def page(self, path: str, title: str, body: str, description: str = "") -> str:
        """A whole page.

        Args:
            path: where the page lies in the site; links of the shell are made relative to it.
            title: plain text.
            body: HTML from our own templates.
            description: plain text; the title without.
        """
        (head, tail), _ = self._at(_base(path))
        head = head.replace(PLACE, path).replace(TITLE, escape_title(title))
        return head.replace(DESCRIPTION, escape_title(description or title)) + body + tail


def _base(path: str) -> str:
    return "/".join([".."] * path.count("/")) or "."
