"""Tool pages: the contract of each tool, who is confused with whom, and the cases that expect it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fcbench.site.data import SiteData
from fcbench.site.environment import render
from fcbench.site.figures import CellView, Figure, TableView, name_cell, table
from fcbench.site.pages import HubPage, LeanPage, key_of
from fcbench.site.schema_tree import schema_tree
from fcbench.site.slugs import case_path, relative, slug, tool_path
from fcbench.site.text import clip, plural
from fcbench.site.tool_use import Confusion, ToolUse, confusions, tool_uses

INDEX = "tools/index.html"
MAX_LINES = 500
"""Rows of a static table (SITE.md)."""
MAX_MATRIX = 12
"""Tools along each side of the matrix."""


def tool_pages(data: SiteData) -> tuple[HubPage, tuple[LeanPage, ...]]:
    """The index of all tools, and one page for each, not yet rendered."""
    uses = tool_uses(data)
    return _index(data, uses), tuple(_pages(uses))


def _pages(uses: Mapping[str, ToolUse]) -> Iterator[LeanPage]:
    for use in uses.values():
        path = tool_path(use.name)
        confused = [(one.expected, one.called, one.attempts, sorted(one.models), one.example) for one in _all(use)]
        yield LeanPage(
            path=path,
            title=f"Tool {slug(use.name)}",
            key=key_of("tool", use.contracts, list(use.cases.items()), confused, sorted(_linked(use, uses))),
            body=lambda use=use, path=path: _body(use, path, uses),  # type: ignore[misc]
        )


def _all(use: ToolUse) -> list[Confusion]:
    return [*use.instead, *use.intruding]


def _linked(use: ToolUse, uses: Mapping[str, ToolUse]) -> set[str]:
    """Tools with a page that this page names."""
    named = {name for one in _all(use) for name in (one.expected, one.called)}
    for _, contract in use.contracts:
        named |= {*contract.lookalikes, *contract.follow_ups, *(one.tool for one in contract.equivalents)}
    return named & uses.keys()


def _body(use: ToolUse, path: str, uses: Mapping[str, ToolUse]) -> str:
    linked = _linked(use, uses)
    trees = tuple(
        (registry, contract, schema_tree(contract.parameters), schema_tree(contract.returns))
        for registry, contract in use.contracts
    )
    return render(
        "tool",
        root=relative("", path),
        use=use,
        trees=trees,
        places={name: tool_path(name) for name in linked},
        confused=_confusion_figure(use, linked),
        cases=_cases_figure(use),
    )


def _confusion_figure(use: ToolUse, linked: set[str]) -> Figure | None:
    tables = []
    if use.instead:
        caption = "Called where this tool was due"
        tables.append(
            table(caption, ("Tool called", "Attempts", "Models", "Example"), _lines(use.instead, True, linked))
        )
    if use.intruding:
        caption = "Where this tool was called instead"
        tables.append(
            table(caption, ("Tool due", "Attempts", "Models", "Example"), _lines(use.intruding, False, linked))
        )
    if not tables:
        return None
    return Figure(
        anchor="confusions",
        title="Confused with",
        note="Attempts of models at the headline tier of their run, controls left out. An attempt counts once a pair.",
        tables=tuple(tables),
    )


def _lines(found: Sequence[Confusion], is_called: bool, linked: set[str]) -> Iterator[tuple[CellView, ...]]:
    for one in found:
        name = one.called if is_called else one.expected
        yield (name_cell(name, tool_path(name) if name in linked else ""), *_counts(one))


def _counts(one: Confusion) -> tuple[CellView, CellView, CellView]:
    example = CellView(text="an attempt", href=one.example, is_number=False)
    return CellView(text=str(one.attempts)), CellView(text=str(len(one.models))), example


def _cases_figure(use: ToolUse) -> Figure | None:
    if not use.cases:
        return None
    rows = [
        (name_cell(task_id, case_path(task_id)), CellView(text=f"{passed} of {judged}" if judged else "none judged"))
        for task_id, (passed, judged) in sorted(use.cases.items())
    ]
    return Figure(
        anchor="cases",
        title="Cases that expect it",
        note=f"{plural(len(rows), 'case')}; {use.passed} of {use.judged} judged attempts of models passed at the "
        f"headline tier of their run, for whatever reason.",
        tables=(table("Cases and attempts passed", ("Case", "Attempts passed"), rows, MAX_LINES),),
    )


def _index(data: SiteData, uses: Mapping[str, ToolUse]) -> HubPage:
    found = confusions(data)
    pairs = [
        (
            name_cell(one.expected, tool_path(one.expected) if one.expected in uses else ""),
            CellView(text=one.called, href=tool_path(one.called) if one.called in uses else "", is_number=False),
            *_counts(one),
        )
        for one in found
    ]
    listed = table("Confusions, the most frequent first", ("Due", "Called", "Attempts", "Models", "Example"), pairs)
    body = render(
        "tools",
        root=relative("", INDEX),
        uses=[(use, tool_path(use.name)) for use in uses.values()][:MAX_LINES],
        left_out=max(0, len(uses) - MAX_LINES),
        confused=Figure(
            anchor="confusions",
            title="Which tool was taken for which",
            note="Attempts of models in which a tool was called where another was due, at the headline tier of their "
            "run; controls are left out.",
            tables=(listed, *_matrices(found, uses)) if found else (),
        ),
    )
    return HubPage(path=INDEX, title="Tools", body=body)


def _matrices(found: Sequence[Confusion], uses: Mapping[str, ToolUse]) -> Iterator[TableView]:
    """One matrix a registry: tools of two registries are never offered together."""
    for registry in dict.fromkeys(one.registry for one in found):
        yield from _matrix(registry, [one for one in found if one.registry == registry], uses)


def _matrix(registry: str, found: Sequence[Confusion], uses: Mapping[str, ToolUse]) -> Iterator[TableView]:
    """Tools that were due by tools that were called, those of the most frequent confusions."""
    due = list(dict.fromkeys(one.expected for one in found))[:MAX_MATRIX]
    called = list(dict.fromkeys(one.called for one in found if one.expected in due))[:MAX_MATRIX]
    if len(due) < 2 or len(called) < 2:
        return
    counts = {(one.expected, one.called): one.attempts for one in found}
    most = max(counts.values())
    rows = []
    for expected in due:
        cells = []
        for name in called:
            count = counts.get((expected, name), 0)
            css = f"fc-heat-{-(-count * 4 // most)}" if count else ""
            cells.append(CellView(text=str(count) if count else "·", css=css))
        rows.append((name_cell(expected, tool_path(expected) if expected in uses else ""), *cells))
    left = len({one.expected for one in found}) - len(due)
    more = f"; {plural(left, 'tool')} with fewer confusions left out" if left else ""
    caption = f"Matrix of {clip(registry, 60)}: tools due by tools called, in attempts{more}"
    yield table(caption, ("Due", *called), rows)
