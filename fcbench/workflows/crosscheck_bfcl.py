"""Our evaluator and the checker of the Berkeley Function Calling Leaderboard over the same attempts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fcbench.core.names import JsonObject
from fcbench.errors import BadInputError
from fcbench.suites.bfcl import PairRow, attempt_of, case_of, read_pairs
from fcbench.workflows.disagreements import Cause, causes, passes

MAX_IDS = 20
"""Ids of unexplained rows that are shown."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One row on which the two part."""

    row: PairRow
    ours: bool
    causes: tuple[Cause, ...]


@dataclass(kw_only=True)
class Tally:
    """Rows of one kind, and how many of them agree."""

    rows: int = 0
    agree: int = 0

    @property
    def share(self) -> str:
        """The agreement in percent, rounded down, so that 100 means all."""
        return f"{self.agree * 1000 // self.rows / 10:.1f} %" if self.rows else "none"


@dataclass(kw_only=True)
class Agreement:
    """What the two said.

    Attributes:
        source: name of the file.
        rows: in the file.
        all: over the covered rows.
        kinds: by what was changed in the perfect answer.
        categories: by category of the source.
        differences: every row on which they part.
        unmapped: id and reason of covered rows that could not be mapped.
        not_covered: rows that are not compared, by category.
    """

    source: str
    rows: int = 0
    all: Tally = field(default_factory=Tally)
    kinds: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    categories: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    differences: list[Difference] = field(default_factory=list)
    unmapped: list[tuple[str, str]] = field(default_factory=list)
    not_covered: Counter[str] = field(default_factory=Counter)

    @property
    def by_causes(self) -> dict[tuple[Cause, ...], list[Difference]]:
        """The differences by cause, the most frequent first."""
        found: dict[tuple[Cause, ...], list[Difference]] = defaultdict(list)
        for difference in self.differences:
            found[difference.causes].append(difference)
        return dict(sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])))

    @property
    def unexplained(self) -> list[str]:
        """Ids of the rows for which no cause was found, and of those that could not be mapped."""
        found = [each.row.id for each in self.differences if "unexplained" in each.causes]
        return sorted([*found, *(name for name, _ in self.unmapped)])

    def text(self) -> str:
        """The agreement, then the causes."""
        lines = [
            f"{self.source}: {self.rows} rows, {self.all.rows} compared",
            f"agreement {self.all.agree} of {self.all.rows} ({self.all.share})",
        ]
        lines += [f"  {len(each):5} {' and '.join(names)}" for names, each in self.by_causes.items()]
        lines += [f"not covered: {count} rows of {name}" for name, count in sorted(self.not_covered.items())]
        lines += [f"not mapped: {name}: {reason}" for name, reason in self.unmapped[:MAX_IDS]]
        if self.unexplained:
            lines.append(f"unexplained: {', '.join(self.unexplained[:MAX_IDS])}")
        return "\n".join(lines)

    def data(self) -> JsonObject:
        """As plain JSON values."""
        return {
            "source": self.source,
            "rows": self.rows,
            "compared": self.all.rows,
            "agree": self.all.agree,
            "kinds": _plain(self.kinds),
            "categories": _plain(self.categories),
            "causes": {"+".join(names): len(each) for names, each in self.by_causes.items()},
            "not_covered": dict(sorted(self.not_covered.items())),
            "not_mapped": dict(self.unmapped),
            "unexplained": self.unexplained,
            "differences": [
                {
                    "id": each.row.id,
                    "kind": each.row.perturbation,
                    "ours": each.ours,
                    "source": each.row.valid,
                    "causes": list(each.causes),
                }
                for each in self.differences
            ],
        }


def _plain(tallies: dict[str, Tally]) -> JsonObject:
    return {name: {"rows": tally.rows, "agree": tally.agree} for name, tally in sorted(tallies.items())}


def crosscheck(path: Path) -> Agreement:
    """Judge every covered row of a pairs file and compare with the verdict that it carries.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: a line is no pair, or the file holds no row that is covered.
    """
    agreement = compare(path.name, read_pairs(path))
    if not agreement.all.rows and not agreement.unmapped:
        raise BadInputError(
            "no row of this file can be compared",
            wanted="rows with language python and a single-turn category",
            found=f"{agreement.rows} rows of other kinds",
            where=str(path),
        )
    return agreement


def compare(source: str, rows: Iterable[PairRow]) -> Agreement:
    """The same for rows at hand."""
    found = Agreement(source=source)
    for row in rows:
        found.rows += 1
        if not row.covered:
            found.not_covered[row.source.category] += 1
            continue
        try:
            case, contracts = case_of(row)
            attempt = attempt_of(row)
            ours = passes(case, attempt, contracts)
        except BadInputError as error:
            found.unmapped.append((row.id, f"{error.message}: {error.found or ''}"))
            continue
        for tally in (found.all, found.kinds[row.perturbation], found.categories[row.source.category]):
            tally.rows += 1
            tally.agree += ours == row.valid
        if ours != row.valid:
            why = causes(row, case, attempt, contracts, ours)
            found.differences.append(Difference(row=row, ours=ours, causes=why))
    return found
