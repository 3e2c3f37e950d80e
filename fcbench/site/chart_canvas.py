"""A drawing surface: matplotlib draws shapes, and this module turns them into SVG for inside a page.

Three rules shape it. No text of a package reaches matplotlib: it would read `$...$` as mathematics, complain about
letters that its font lacks, and measure what a browser then sets in another font. So matplotlib gets a number in place
of each text, and the text is put in, visible and escaped, when the SVG is written. Colours are names of the style
sheet, drawn with sentinel colours that become classes, so that one chart follows light and dark. And only paths and
texts are kept: no style attribute or element (the policy forbids them), no id (two charts of a page would share it).

matplotlib is imported by the first chart that is drawn: it takes half a second, and a build whose charts all lie in the
cache draws none.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup, escape

from fcbench.site.environment import code_digest
from fcbench.site.keeping import kept
from fcbench.site.pages import key_of
from fcbench.site.text import clip, visible

if TYPE_CHECKING:
    from matplotlib.patches import PathPatch

WIDTH = 360
"""Width of every chart in units: about as many pixels, so that it fits on a telephone with readable letters."""
INKS = ("ink", "soft", "grid", "bar", "control", "fail", "warn", "pass", "paper")
"""Colours, by their names in the style sheet (`fc-f-NAME` fills, `fc-s-NAME` strokes)."""
_SENTINELS = {f"#fc01{place:02x}": name for place, name in enumerate(INKS, start=1)}
_OF_INK = {name: colour for colour, name in _SENTINELS.items()}
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_KEPT = ("stroke-width", "stroke-dasharray", "stroke-linecap")
_SVG = "{http://www.w3.org/2000/svg}"
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_PLACE = re.compile(r"T(\d+)T")

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class ChartHead:
    """What a chart is called, for a reader who does not see it."""

    name: str
    """Unique on its page; from a slug or a fixed word."""
    title: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Words:
    """One text of a chart."""

    text: str
    at: Point
    """Where its baseline begins, or ends, or has its middle."""
    ink: str = "ink"
    size: float = 11
    bold: bool = False
    anchor: str = "start"
    limit: int = 48
    """Columns that it may take; a wide letter takes two."""


@dataclass(frozen=True)
class _Stroke:
    """A shape to be drawn: its points, or the centre and radius of a disc."""

    points: tuple[Point, ...]
    ink: str
    radius: float = 0
    closed: bool = False
    filled: bool = False
    width: float = 0
    dashed: bool = False


class Canvas:
    """Shapes in units, the origin at the upper left; later ones lie over earlier ones."""

    def __init__(self, head: ChartHead, height: float) -> None:
        self.head = head
        self.height = height
        self._strokes: list[_Stroke] = []
        self._words: list[Words] = []

    def rectangle(self, corner: Point, size: Point, ink: str, *, hollow: bool = False) -> None:
        """A filled rectangle, or its outline with a broken line."""
        (x, y), (width, height) = corner, size
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
        edge = 1.2 if hollow else 0
        self._strokes.append(_Stroke(corners, ink, closed=True, filled=not hollow, width=edge, dashed=hollow))

    def line(self, points: Sequence[Point], ink: str, *, width: float = 1.2, dashed: bool = False) -> None:
        """A line through points."""
        self._strokes.append(_Stroke(tuple(points), ink, width=width, dashed=dashed))

    def dot(self, centre: Point, radius: float, ink: str) -> None:
        """A filled disc."""
        self._strokes.append(_Stroke((centre,), ink, radius=radius, filled=True))

    def words(self, words: Words) -> None:
        """A text; letters that do not fit are cut off with an ellipsis."""
        self._words.append(words)

    def svg(self) -> Markup:
        """The chart as an element for inside a page; the same shapes give the same bytes.

        Drawing one takes some 40 ms, so it is kept between builds (`keeping`), under the digest of all that is drawn.
        """
        # As Python would write it: a name in a chart may hold what no encoding can write.
        key = key_of(ascii((self.head, self.height, self._strokes, self._words)), code_digest())
        # Made by this class in an earlier build, from our own template and escaped words.
        return Markup(kept("chart", key, lambda: self._drawn().encode()).decode())  # noqa: S704

    def _drawn(self) -> Markup:
        # Made by matplotlib from our own numbers a moment ago: no foreign XML.
        root = ET.fromstring(_painted(self.height, self._strokes, self._words))  # noqa: S314
        name, height = self.head.name, f"{self.height:g}"
        lines = [
            Markup(
                '<svg class="fc-chart" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img"'
                ' aria-labelledby="{2}-title {2}-desc"><title id="{2}-title">{3}</title><desc id="{2}-desc">{4}</desc>'
            ).format(WIDTH, height, name, visible(self.head.title), visible(self.head.description))
        ]
        for element in root.iter():
            if element.tag == f"{_SVG}path":
                lines.append(_path(element))
            elif element.tag == f"{_SVG}text":
                lines.append(self._text(element))
        return Markup("\n").join([*(line for line in lines if line), Markup("</svg>")])

    def _text(self, element: ET.Element) -> Markup:
        found = _PLACE.fullmatch("".join(element.itertext()).strip())
        if found is None:
            return Markup("")
        words = self._words[int(found.group(1))]
        weight = Markup(' font-weight="600"') if words.bold else Markup("")
        anchor = Markup(' text-anchor="{}"').format(words.anchor) if words.anchor != "start" else Markup("")
        return Markup('<text class="fc-f-{}" x="{:g}" y="{:g}" font-size="{:g}"{}{}>{}</text>').format(
            words.ink, *words.at, words.size, anchor, weight, fitting(words.text, words.limit)
        )


def _painted(height: float, strokes: Sequence[_Stroke], words: Sequence[Words]) -> bytes:
    """What matplotlib makes of shapes, and of a number in place of each text."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415  (heavy)
    from matplotlib.figure import Figure  # noqa: PLC0415

    stream = io.BytesIO()
    with _settings():
        figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, WIDTH), ylim=(height, 0))
        for stroke in strokes:
            axes.add_artist(_patch(stroke))
        for number, each in enumerate(words):
            axes.text(
                *each.at,
                f"T{number}T",
                fontsize=each.size,
                color=_OF_INK[each.ink],
                horizontalalignment=_ANCHORS[each.anchor],
                verticalalignment="baseline",
                zorder=3,
            )
        figure.savefig(stream, format="svg", metadata=_NO_METADATA, transparent=True)
    return stream.getvalue()


def _patch(stroke: _Stroke) -> PathPatch:
    from matplotlib.patches import PathPatch  # noqa: PLC0415
    from matplotlib.path import Path as Shape  # noqa: PLC0415

    shape = Shape(list(stroke.points), closed=stroke.closed)
    if stroke.radius:
        shape = Shape.circle(stroke.points[0], stroke.radius)
    colour = _OF_INK[stroke.ink]
    return PathPatch(
        shape,
        facecolor=colour if stroke.filled else "none",
        edgecolor=colour if stroke.width else "none",
        linewidth=stroke.width,
        linestyle=(0, (2.5, 1.8)) if stroke.dashed else "-",
        clip_on=False,
        zorder=2,
    )


def _settings() -> AbstractContextManager[None]:
    import matplotlib as mpl  # noqa: PLC0415

    return mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "fcbench", "path.simplify": False})


def fitting(text: str, columns: int) -> str:
    """A text on one line, visible, cut to a number of columns; a wide letter takes two."""
    # Cut before it is made visible: a text of a megabyte is not walked through for forty letters of it.
    line = " ".join(visible(clip(text, columns * 2)).split())
    used = 0
    for place, letter in enumerate(line):
        used += 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1
        if used > columns:
            return line[: max(0, place - 1)] + "…"
    return line


def _path(element: ET.Element) -> Markup:
    """A path with classes for its colours and attributes for the rest; nothing where it paints nothing."""
    style = {
        name.strip(): value.strip()
        for name, _, value in (part.partition(":") for part in element.get("style", "").split(";"))
        if name.strip()
    }
    fill, stroke = (_SENTINELS.get(style.get(name, "none").lower()) for name in ("fill", "stroke"))
    if fill is None and stroke is None:
        return Markup("")
    classes = [f"fc-f-{fill}" if fill else "fc-f-none", *([f"fc-s-{stroke}"] if stroke else [])]
    kept = [Markup(' {}="{}"').format(name, style[name]) for name in _KEPT if stroke and name in style]
    data = " ".join(element.get("d", "").split())
    return Markup('<path class="{}"{} d="{}"/>').format(" ".join(classes), Markup("").join(kept), escape(data))
