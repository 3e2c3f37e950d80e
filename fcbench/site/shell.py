"""The lean shell: rendered once from the theme, then every page's title and body are spliced in."""

from __future__ import annotations

from dataclasses import dataclass

from fcbench.core.canonical import digest_text
from fcbench.core.names import Digest
from fcbench.errors import BadInputError
from fcbench.site.environment import escape_title

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

    def page(self, path: str, title: str, body: str, description: str = "") -> str:
        """A whole page.

        Args:
            path: where the page lies in the site; links of the shell are made relative to it.
            title: plain text.
            body: HTML from our own templates.
            description: plain text; the title without.
        """
        base = "/".join([".."] * path.count("/")) or "."
        head, tail = self.text.replace(BASE, base).split(BODY)
        head = head.replace(PLACE, path).replace(TITLE, escape_title(title))
        return head.replace(DESCRIPTION, escape_title(description or title)) + body + tail
