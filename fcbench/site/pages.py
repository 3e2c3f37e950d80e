"""All pages of the site, from the data alone: nothing here knows MkDocs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import Digest
from fcbench.site.environment import HERE


@dataclass(frozen=True, kw_only=True)
class LeanPage:
    """A page in the lean shell, rendered only when its key is not in the cache."""

    path: str
    title: str
    """From checked slugs only."""
    key: Digest
    """Digest of everything that the body is made from, but for the code and the shell."""
    body: Callable[[], str]
    description: str = ""
    """One sentence for search engines and link previews; our own words and checked slugs only."""


@dataclass(frozen=True, kw_only=True)
class HubPage:
    """A page in the theme's full layout; its body never passes through Markdown."""

    path: str
    """Ends in `.html`."""
    title: str
    body: str
    description: str = ""
    """One sentence for search engines and link previews; fixed words and counts only."""
    in_section: bool = False
    """Whether it shows the pages of its section beside it, as the documentation does."""


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A file beside the pages."""

    path: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class SitePages:
    """Everything that a build writes, but for the hand-written pages."""

    lean: tuple[LeanPage, ...]
    hubs: tuple[HubPage, ...]
    assets: tuple[Asset, ...]


def key_of(*parts: object) -> Digest:
    """Digest of the records and texts that a page is made from."""
    return digest_bytes(msgspec.msgpack.encode(parts))


def theme_assets() -> tuple[Asset, ...]:
    """Style sheet and scripts of this package."""
    files = sorted((HERE / "assets").iterdir())
    return tuple(Asset(path=f"assets/fcbench/{file.name}", content=file.read_bytes()) for file in files)
