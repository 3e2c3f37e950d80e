"""An Atom feed (RFC 4287) of new runs. Its times are those of the packages, so the same runs give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from fcbench.site.data import BoardRow, BoardView, RunView, SiteData
from fcbench.site.environment import render_xml
from fcbench.site.slugs import model_path
from fcbench.site.text import clip

PATH = "feed.xml"
MAX_ENTRIES = 50
NO_RUN = "1970-01-01T00:00:00Z"
"""The time of a feed without entries: Atom demands one, and the clock would give other bytes at every build."""
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One run."""

    id: str
    title: str
    published: str
    path: str
    summary: str


def feed(data: SiteData, base: str | None) -> bytes:
    """The newest runs of models; controls, which are scripts, are left out.

    Args:
        data: what the site shows.
        base: the site's address, or None for links relative to the feed.
    """
    entries = sorted(_entries(data), key=lambda one: (one.published, one.id), reverse=True)[:MAX_ENTRIES]
    updated = entries[0].published if entries else NO_RUN
    return render_xml("feed", id=_urn("feed", base or ""), updated=updated, base=base or "", entries=entries)


def _entries(data: SiteData) -> Iterator[Entry]:
    rows = {(row.run_id, board.key.run): (row, board) for board in reversed(data.boards) for row in board.rows}
    headlines = {
        (row.run_id, board.key.run): (row, board) for board in data.boards if board.is_headline for row in board.rows
    }
    for run in data.runs:
        if run.is_control or not _is_time(run.manifest.sealed_at):
            continue
        key = (run.manifest.run_id, run.manifest.header.key)
        yield Entry(
            id=_urn(run.manifest.run_id, str(run.manifest.header.key.registry_hash)),
            title=f"{clip(run.model)} on {run.manifest.header.key.collection}",
            published=run.manifest.sealed_at,
            path=model_path(run.model),
            summary=_summary(run, headlines.get(key) or rows.get(key)),
        )


def _urn(*parts: str) -> str:
    """An id that stays the same wherever the site moves."""
    return uuid5(NAMESPACE_URL, "fcbench:" + ":".join(parts)).urn


def _is_time(text: str) -> bool:
    """Whether a package's time is one of RFC 3339, in UTC; a package may say anything."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return _UTC.fullmatch(text) is not None


def _summary(run: RunView, place: tuple[BoardRow, BoardView] | None) -> str:
    parts = [f"Run {clip(run.manifest.run_id)}, {run.manifest.repeats_done} repeats of {len(run.package.cases)} cases."]
    if place:
        row, board = place
        strict = row.rates.get("strict")
        if strict and strict.value is not None:
            tier = board.key.tier.replace("-", " ")
            parts.append(f"Strict accuracy {strict.value * 100:.1f} % at the tier {tier}.")
        if board.steered:
            parts.append("Steered: the harness told the model how many steps were left.")
    return " ".join(parts)
