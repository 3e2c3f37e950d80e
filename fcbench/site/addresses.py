"""The site's public address, where it has one, and what depends on it: canonical links, site map, robots."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from fcbench.errors import UsageError
from fcbench.site.environment import render_xml

SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"
MAX_ADDRESSES = 50_000
"""Addresses of one site map (sitemaps.org)."""
_ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~%-]+)*/?"
)
"""A host, a port and path segments. No user, query or fragment: pages are put behind it."""


def base_address(text: str | None) -> str | None:
    """The address below which the pages will stand, with a slash at its end; None for an unknown one.

    Raises:
        UsageError: it is no absolute http or https address, or names a query or a fragment.
    """
    if not text:
        return None
    if not _ADDRESS.fullmatch(text):
        raise UsageError(
            "this is no address of a site",
            wanted="an address such as https://example.org/fcbench/",
            found=text[:200],
            where="--base-url",
        )
    return text.rstrip("/") + "/"


def address(base: str, path: str) -> str:
    """The public address of a page; that of the first page is the base itself."""
    return base if path == "index.html" else base + quote(path)


def sitemaps(base: str, paths: Iterable[str]) -> dict[str, bytes]:
    """The site map, in several files with an index of them where one may not hold all pages.

    Without dates: a page does not know when it last changed, and the day of the build would be a wrong answer.

    Args:
        base: from `base_address`.
        paths: of all pages.

    Returns:
        Content by path.
    """
    every = [address(base, path) for path in sorted(paths)]
    parts = [every[start : start + MAX_ADDRESSES] for start in range(0, len(every), MAX_ADDRESSES)]
    if len(parts) == 1:
        return {SITEMAP: render_xml("sitemap", addresses=parts[0], is_index=False)}
    found = {
        f"sitemap-{number}.xml": render_xml("sitemap", addresses=part, is_index=False)
        for number, part in enumerate(parts, 1)
    }
    return {SITEMAP: render_xml("sitemap", addresses=[base + name for name in found], is_index=True), **found}


def robots(base: str | None) -> bytes:
    """Everything may be read by everyone."""
    lines = ["User-agent: *", "Allow: /"]
    if base:
        lines += ["", f"Sitemap: {base}{SITEMAP}"]
    return ("\n".join(lines) + "\n").encode()
