"""Charts: the same bytes each time, colours as classes, and no text that is more than text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.site.chart_bars import Bar, Group, Scale, bar_chart, percent
from fcbench.site.chart_canvas import INKS, Canvas, ChartHead, Words, fitting
from fcbench.site.chart_lines import Series, Spread, line_chart, spread_chart
from tests.site.hostile_package import ATTACKS

Draw = Callable[..., str]
HEAD = ChartHead(name="some-chart", title="A title", description="What it shows.")


def bars(text: str = "model", value: float | None = 0.4) -> str:
    bar = Bar(letter="A", value=value, text=text, low=0.2, high=0.6)
    control = Bar(letter="B", value=0.7, text="70 %", hollow=True)
    return bar_chart(HEAD, [Group(heading=text, bars=(bar, control))], Scale(threshold=0.99))


def lines(text: str = "model") -> str:
    return line_chart(HEAD, [text, "1", "2"], [Series(letter=text, values=(0.1, None, 0.3))])


def spreads(text: str = "model") -> str:
    return spread_chart(HEAD, [Spread(label=text, quantiles=(0, 0.1, 0.5, 0.8, 1), rate=0.5, low=0.3, high=0.7)])


DRAWN = [pytest.param(bars, id="bars"), pytest.param(lines, id="lines"), pytest.param(spreads, id="spreads")]


@pytest.mark.parametrize("draw", DRAWN)
def test_a_chart_has_the_same_bytes_each_time(draw: Draw) -> None:
    first = draw()
    assert draw() == first
    assert not re.search(r"20\d\d-\d\d-\d\dT|matplotlib", first)


@pytest.mark.parametrize("draw", DRAWN)
def test_a_chart_has_a_title_and_a_description_and_nothing_but_paths_and_texts(draw: Draw) -> None:
    root = ET.fromstring(draw())
    assert (root.findtext("title"), root.findtext("desc")) == ("A title", "What it shows.")
    assert root.attrib["aria-labelledby"] == "some-chart-title some-chart-desc"
    assert root.attrib["role"] == "img"
    assert {one.tag for one in root} == {"title", "desc", "path", "text"}
    assert {one.attrib["id"] for one in root.iter() if "id" in one.attrib} == {"some-chart-title", "some-chart-desc"}


@pytest.mark.parametrize("draw", DRAWN)
def test_every_colour_of_a_chart_is_a_class_of_the_style_sheet(draw: Draw) -> None:
    chart = draw()
    assert "style" not in chart
    assert not re.search(r"#[0-9a-f]{6}|fill=|stroke=|font-family", chart)
    known = {f"fc-{kind}-{name}" for kind in "fs" for name in (*INKS, "none")}
    found = {name for names in re.findall(r'class="([^"]*)"', chart) for name in names.split()} - {"fc-chart"}
    assert found <= known
    assert found


NAMES = (*ATTACKS, "$\\frac{1}{0}$", "T0T", "\udcff lone", "漢字" * 100, "x" * 1_000_000)


class Tags(HTMLParser):
    """Elements and attributes as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    handle_startendtag = handle_starttag


@pytest.mark.parametrize("draw", DRAWN)
@pytest.mark.parametrize("text", [pytest.param(text, id=f"{number}") for number, text in enumerate(NAMES)])
def test_a_hostile_name_in_a_chart_is_only_ever_a_short_text(draw: Draw, text: str) -> None:
    head = ChartHead(name="hostile", title=text[:200], description=text[:200])
    canvas = Canvas(head, 40)
    canvas.words(Words(text=text, at=(0, 10)))
    for chart in (canvas.svg(), draw(text)):
        tags = Tags()
        tags.feed(chart)
        assert tags.tags <= {"svg", "title", "desc", "path", "text"}
        assert not any(name.startswith("on") or name in ("style", "href") for name in tags.attributes)
        assert len(chart) < 9_000
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200b\u202e\ud800-\udfff]", chart)


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_a_label_never_takes_more_columns_than_it_has(text: str, columns: int) -> None:
    assert len(fitting(text, columns)) <= columns


def test_an_unknown_rate_draws_no_bar_and_zero_draws_a_mark() -> None:
    unknown, zero, some = (bars(value=value).count("<path") for value in (None, 0.0, 0.4))
    assert unknown < zero == some


@pytest.mark.parametrize(("value", "text"), [(0.0, "0 %"), (1.0, "100 %"), (0.1234, "12.3 %"), (0.5, "50 %")])
def test_rates_are_said_in_per_cent(value: float, text: str) -> None:
    assert percent(value) == text
