"""What the suites are made of, with their targets beside the counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError
from fcbench.suites import stats
from fcbench.suites.model import Suite, nearest
from fcbench.suites.stats import Composition
from fcbench.workflows.project import find_project, load

_PARTS = ("decisions", "categories", "mix", "levels", "exercised_levels", "difficulty", "words", "calls", "tools")


def suite_statistics(folder: Path | None, names: Sequence[str] = ()) -> tuple[str, object]:
    """The composition of suites as text and as data.

    Args:
        folder: the project; the embedded default without.
        names: suites; all without.

    Raises:
        NotFoundError: there is no suite of one of the names.
    """
    suites = load(find_project(folder)).suites
    for name in names:
        if name not in suites.suites:
            raise NotFoundError(
                "there is no suite of this name",
                wanted=", ".join(suites.suites),
                found=name,
                next_step=nearest(name, suites.suites),
            )
    compositions = {name: one for name, one in stats(suites).items() if not names or name in names}
    lines = [line for name, one in compositions.items() for line in _lines(one, suites.suites[name])]
    return "\n".join(lines), {name: to_plain(one) for name, one in compositions.items()}


def _lines(one: Composition, suite: Suite) -> Iterator[str]:
    yield f"{one.suite} ({suite.language}): {one.cases} cases"
    for part in _PARTS:
        counts: dict[str, int] = getattr(one, part)
        yield f"  {part.replace('_', ' ')}: " + (", ".join(f"{key} {count}" for key, count in counts.items()) or "none")
    targets = suite.targets
    if targets.mix:
        yield "  targets of the mix, %: " + ", ".join(f"{key} {share}" for key, share in targets.mix.items())
    if set(one.levels) - {"none"}:
        yield from _table("level", one.mix_by_level, {str(level): least for level, least in targets.levels.items()})
        yield from _table("target tool", one.mix_by_tool, {})
    if one.traps:
        yield from _table("trap", one.traps_by_level, targets.traps)


def _table(title: str, rows: Mapping[str, Mapping[str, int]], least: Mapping[str, int]) -> Iterator[str]:
    """A cross table with sums, and the least number aimed at where there is one."""
    columns = sorted({column for row in rows.values() for column in row})
    width = max(len(title), *(len(row) for row in rows))
    heads = [*columns, "all", *(["at least"] if least else [])]
    yield "  " + "  ".join([title.ljust(width), *(head.rjust(max(5, len(head))) for head in heads)])
    for row, counts in rows.items():
        cells = [str(counts.get(column, 0)) for column in columns] + [str(sum(counts.values()))]
        if least:
            cells.append(str(least[row]) if row in least else "")
        shown = (cell.rjust(max(5, len(head))) for cell, head in zip(cells, heads, strict=True))
        yield "  " + "  ".join([row.ljust(width), *shown])
