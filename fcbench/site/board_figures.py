"""Figures of a board that show rates as bars: accuracy, segments, dimensions, faults; and the heat map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fcbench.site.board_detail import AXES, FaultShare, SegmentShare, Share
from fcbench.site.board_runs import BoardRun, BoardRuns, letter_of
from fcbench.site.chart_bars import Bar, Group, Scale, bar_chart, percent
from fcbench.site.chart_canvas import ChartHead
from fcbench.site.data import BoardView, Rate
from fcbench.site.figures import NOTHING, CellView, Figure, between, joined, name_cell, of, rate_cell, table

MAX_BARS = 30
"""Runs in the chart of accuracy."""
MAX_GROUPS = 12
"""Segments or kinds in one chart; the table has all."""
DIMENSIONS = {
    "syntactic_validity": "Syntax: the arguments are one JSON object",
    "schema_conformance": "Schema: the arguments validate",
    "argument_fidelity": "Fidelity: the values are those asked for",
    "restraint": "Restraint: nothing was invented",
    "exact_match": "Exact match: the last three together",
}
_NUMBERS = "The same numbers stand in the table beside it."
UNKNOWN = Rate(value=None)


def accuracy(board: BoardView, runs: BoardRuns) -> Figure:
    """Strict accuracy of every run with its interval."""
    shown = runs.every[:MAX_BARS]
    groups = [
        Group(heading=f"{run.letter}: {run.row.model}", bars=(_rate_bar("", _strict(run), run.control),))
        for run in shown
    ]
    head = ChartHead(
        name=f"{runs.prefix}accuracy-chart",
        title="Strict accuracy by run",
        description=f"One bar a run, 0 to 100 %. {_NUMBERS}",
    )
    rows = []
    for run in runs.every:
        restraint = run.row.rates.get("restraint_accuracy", UNKNOWN)
        name = name_cell(f"{run.letter}: {run.row.model}", run.path, "control" if run.control else run.row.date)
        rows.append((name, _ranked(run), _rated(_strict(run)), _rated(restraint)))
    return Figure(
        anchor=f"{runs.prefix}accuracy",
        title="Strict accuracy by run",
        note=f"Mean over the call cases of the share of passing repeats, with its 95 % interval over cases."
        f"{' Bars with a broken outline are controls.' if any(run.control for run in shown) else ''} The letters name "
        f"the runs in all charts below.",
        chart=bar_chart(head, groups),
        tables=(table("Accuracy by run", ("Run", "Rank", "Strict accuracy", "Restraint accuracy"), rows),),
    )


def segments(board: BoardView, runs: BoardRuns) -> Iterator[Figure]:
    """One figure for each label that tells cases apart."""
    for axis, found in board.detail.segments.items():
        names = list(dict.fromkeys(one.segment for one in sorted(found, key=lambda one: one.segment)))
        if len(names) > 1:
            yield _segment(axis, names, {(one.run, one.segment): one for one in found}, runs)


def _segment(axis: str, names: Sequence[str], found: Mapping[tuple[str, str], SegmentShare], runs: BoardRuns) -> Figure:
    size = {name: max(_cell_of(found, run, name).strict.count for run in runs.every) for name in names}
    order = sorted(names, key=lambda name: (-size[name], name)) if axis in ("trap", "category") else list(names)
    title = AXES[axis]
    charted = [name for name in order if size[name]][:MAX_GROUPS]
    groups = [
        Group(
            heading=f"{_words(name)}, n = {size[name]}",
            bars=tuple(
                _share_bar(letter_of(runs.series, run), _cell_of(found, run, name).strict, run.control)
                for run in runs.series
            ),
        )
        for name in charted
    ]
    head = ChartHead(
        name=f"{runs.prefix}by-{axis}-chart",
        title=f"Strict accuracy by {title.lower()}",
        description=f"One group of bars for each {title.lower()}, one bar a run, 0 to 100 %. {_NUMBERS}",
    )
    rows = []
    for name in order:
        cells = [_segment_cell(_cell_of(found, run, name)) for run in runs.columns]
        rows.append((name_cell(_words(name)), *cells))
    several = " A case with several traps counts in each of them." if axis == "trap" else ""
    cut = (
        f" The chart shows the {MAX_GROUPS} with the most cases." if sum(map(bool, size.values())) > MAX_GROUPS else ""
    )
    return Figure(
        anchor=f"{runs.prefix}by-{axis}",
        title=f"By {title.lower()}",
        note=f"Strict accuracy over call cases, with intervals; n is the number of cases.{several}{cut}",
        chart=bar_chart(head, groups) if groups else None,
        tables=(table(f"Accuracy by {title.lower()}", (title, *_headings(runs)), rows),),
    )


def _cell_of(found: Mapping[tuple[str, str], SegmentShare], run: BoardRun, name: str) -> SegmentShare:
    none = Share(value=None, total=None, count=0)
    return found.get((run.run_id, name)) or SegmentShare(run=run.run_id, segment=name, strict=none, restraint=none)


def _segment_cell(one: SegmentShare) -> CellView:
    if one.strict.count:
        share = one.strict
        return rate_cell(share.value, joined((of(share.total, share.count), between(share.low, share.high))))
    if one.restraint.count:
        share = one.restraint
        return rate_cell(share.value, f"restraint, {of(share.total, share.count)}")
    return CellView(text=NOTHING, detail="no case")


def dimensions(runs: BoardRuns) -> Figure:
    """The four dimensions of PROTOCOL 5, over attempts."""
    rated = {(run.run_id, name): run.row.rates.get(name, UNKNOWN) for run in runs.every for name in DIMENSIONS}
    groups = [
        Group(
            heading=words,
            bars=tuple(
                _rate_bar(letter_of(runs.series, run), rated[run.run_id, name], run.control) for run in runs.series
            ),
        )
        for name, words in DIMENSIONS.items()
    ]
    head = ChartHead(
        name=f"{runs.prefix}dimensions-chart",
        title="Dimensions of a call",
        description=f"One group of bars for each dimension, one bar a run, 0 to 100 %. {_NUMBERS}",
    )
    rows = [
        (name_cell(words), *(_rated(rated[run.run_id, name]) for run in runs.columns))
        for name, words in DIMENSIONS.items()
    ]
    return Figure(
        anchor=f"{runs.prefix}dimensions",
        title="Dimensions",
        note="Shares of judged attempts where a call was due. No call counts as not conforming.",
        chart=bar_chart(head, groups),
        tables=(table("Dimensions by run", ("Dimension", *_headings(runs)), rows),),
    )


def faults(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Kinds of faults, the most frequent among the charted runs first."""
    found = {(one.run, one.kind): one for one in board.detail.faults}
    weight: dict[str, float] = {}
    for run in runs.series:
        for one in board.detail.faults:
            if one.run == run.run_id and one.judged:
                weight[one.kind] = weight.get(one.kind, 0.0) + one.attempts / one.judged
    kinds = sorted({one.kind for one in board.detail.faults}, key=lambda kind: (-weight.get(kind, 0.0), kind))
    charted = [kind for kind in kinds if weight.get(kind)][:MAX_GROUPS]
    if not kinds:
        return None
    groups = [
        Group(
            heading=_words(kind),
            bars=tuple(_fault_bar(found.get((run.run_id, kind)), runs.series, run) for run in runs.series),
        )
        for kind in charted
    ]
    largest = max((one.attempts / one.judged for one in board.detail.faults if one.judged), default=1.0)
    head = ChartHead(
        name=f"{runs.prefix}faults-chart",
        title="Kinds of faults",
        description=f"Shares of judged attempts that show a kind of fault, one bar a run. {_NUMBERS}",
    )
    rows = [
        (
            name_cell(_words(kind), f"faults/index.html#{kind}"),
            *(_fault_cell(found.get((run.run_id, kind))) for run in runs.columns),
        )
        for kind in kinds
    ]
    return Figure(
        anchor=f"{runs.prefix}faults",
        title="Kinds of faults",
        note="Share of judged attempts that show a kind at this tier; an attempt may show several.",
        chart=bar_chart(head, groups, Scale(end=_round_up(largest))) if groups else None,
        tables=(table("Kinds of faults by run", ("Kind", *_headings(runs)), rows),),
    )


def _fault_bar(one: FaultShare | None, series: Sequence[BoardRun], run: BoardRun) -> Bar:
    value = one.attempts / one.judged if one and one.judged else 0.0
    return Bar(letter=letter_of(series, run), value=value, text=percent(value), hollow=run.control)


def _fault_cell(one: FaultShare | None) -> CellView:
    if one is None or not one.judged:
        return CellView(text="0")
    return CellView(text=str(one.attempts), detail=f"of {one.judged}")


def heat_map(board: BoardView, runs: BoardRuns) -> Figure | None:
    """Model by category: a table whose cells are shaded by what they say."""
    found = {(one.run, one.segment): one.strict for one in board.detail.segments.get("category", ())}
    names = sorted({name for (_, name), share in found.items() if share.count})
    if len(names) < 2:
        return None
    none = Share(value=None, total=None, count=0)
    rows = []
    for run in runs.every:
        shares = [found.get((run.run_id, name), none) for name in names]
        cells = [rate_cell(share.value, of(share.total, share.count), heat=True) for share in shares]
        rows.append((name_cell(run.heading, run.path), *cells))
    return Figure(
        anchor=f"{runs.prefix}heat",
        title="Run by category",
        note="Strict accuracy. The stronger the colour of a cell, the higher its number, which stands in it.",
        tables=(table("Strict accuracy of each run in each category", ("Run", *map(_words, names)), rows),),
    )


def _strict(run: BoardRun) -> Rate:
    return run.row.rates.get("strict", UNKNOWN)


def _rate_bar(letter: str, rate: Rate, hollow: bool) -> Bar:
    text = NOTHING if rate.value is None else percent(rate.value)
    return Bar(letter=letter, value=rate.value, text=text, low=rate.low, high=rate.high, hollow=hollow)


def _share_bar(letter: str, share: Share, hollow: bool) -> Bar:
    text = NOTHING if share.value is None else percent(share.value)
    return Bar(letter=letter, value=share.value, text=text, low=share.low, high=share.high, hollow=hollow)


def _rated(rate: Rate) -> CellView:
    count = rate.denominator or 0
    return rate_cell(rate.value, joined((of(rate.numerator, count), between(rate.low, rate.high))))


def _ranked(run: BoardRun) -> CellView:
    """The rank, and between which places it may lie as far as the tests over all pairs can tell."""
    row = run.row
    if row.rank is None:
        return CellView(text=NOTHING, detail="unranked")
    places = f"between {row.rank_low} and {row.rank_high}" if row.rank_low and row.rank_high else ""
    return CellView(text=str(row.rank), detail=places if row.rank_low != row.rank_high else "")


def _headings(runs: BoardRuns) -> tuple[str, ...]:
    return tuple(run.heading for run in runs.columns)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _round_up(value: float) -> float:
    """The end of a scale that holds a rate: 10, 20, 50 or 100 %."""
    return next((end for end in (0.1, 0.2, 0.5) if value <= end), 1.0)
