"""What is on the screen: tabs with their ranges, tracks, marks, bookmarks and the selection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from fcbench.core.names import JsonObject

TRACKS = ("genes", "gc", "reads", "variants", "primers", "highlights", "sequence")
"""Every track there is; all but `sequence` are shown at first."""
FIRST_WIDTH = 5000
"""Bases in view when a genome is opened, or the whole sequence where that is shorter."""
LEAST_WIDTH = 50
"""Bases in view at the closest zoom, or the whole sequence where that is shorter."""


@dataclass(frozen=True, slots=True)
class Range:
    """A stretch of one sequence."""

    sequence_id: str
    start: int
    end: int

    @property
    def width(self) -> int:
        """Bases."""
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected: a range, or a gene with its range."""

    range: Range
    gene: str = ""


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab; `shown` is None while no genome is open."""

    id: str
    title: str
    shown: Range | None


@dataclass(frozen=True, slots=True)
class Highlight:
    """A coloured mark; it is no feature and reaches no file."""

    id: str
    range: Range
    color: str
    label: str = ""


@dataclass
class View:
    """The state of the screen. Replace its items, never change them in place."""

    tabs: list[Tab] = field(default_factory=lambda: [Tab(id="tab-1", title="Genome", shown=None)])
    active: str = "tab-1"
    """Id of the tab in front."""
    visible: dict[str, bool] = field(default_factory=lambda: {track: track != "sequence" for track in TRACKS})
    settings: dict[str, JsonObject] = field(default_factory=dict)
    """Track -> display settings that differ from their defaults."""
    highlights: list[Highlight] = field(default_factory=list)
    bookmarks: dict[str, Range] = field(default_factory=dict)
    saved: dict[str, Range] = field(default_factory=dict)
    """Stored views by name."""
    selection: Selection | None = None

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return next(tab for tab in self.tabs if tab.id == self.active)

    def show(self, shown: Range | None) -> None:
        """Show a range in the tab in front."""
        self.tabs = [replace(tab, shown=shown) if tab.id == self.active else tab for tab in self.tabs]


def window(center: int, width: int, length: int) -> tuple[int, int]:
    """First and last base of a view of `width` bases around a base, moved inside a sequence of `length` bases.

    Of an even width, the centre is the last base of the left half.
    """
    width = max(1, min(width, length))
    start = min(max(1, center - (width - 1) // 2), length - width + 1)
    return start, start + width - 1


def names_there(names: Iterable[str]) -> str:
    """The ids or names that there are, for the message of an error: the first five, each on one line and cut."""
    every = [" ".join(name.split())[:40] for name in names]
    if not every:
        return "there are none"
    more = f" and {len(every) - 5} more" if len(every) > 5 else ""
    return f"there are {', '.join(every[:5])}{more}"
