"""Boards along a declared axis, pair by pair: so far the language of twins (PROTOCOL 1 and 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Frame, verdict_frame
from fcbench.aggregate.language import language_contrast
from fcbench.aggregate.reliability import Measure
from fcbench.core.boards import BoardKey
from fcbench.core.records import to_plain
from fcbench.errors import UsageError
from fcbench.workflows.boards import scored_below
from fcbench.workflows.text_tables import aligned, percent


@dataclass(frozen=True)
class Contrast:
    """Two boards, the first minus the second."""

    first: BoardKey
    second: BoardKey
    frame: Frame


@dataclass(frozen=True)
class Contrasts:
    """Every contrast that was found."""

    measure: Measure
    found: Sequence[Contrast]

    def text(self) -> str:
        """For a terminal."""
        return "\n\n".join("\n".join(_lines(one, self.measure)) for one in self.found)

    def data(self) -> object:
        """As plain JSON values."""
        return {
            "axis": "language",
            "measure": self.measure,
            "contrasts": [
                {"first": to_plain(one.first), "second": to_plain(one.second), "rows": one.frame.to_dicts()}
                for one in self.found
            ],
        }


def contrast_languages(
    runs: Path, *, measure: Measure = "exact-match", tier: str = "native-function-contract"
) -> Contrasts:
    """Every two boards below a folder that differ in the language of their cases only.

    Raises:
        UsageError: there are no two such boards with runs of one model.
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
    """
    found = {key: frame for key, frame in boards(verdict_frame(scored_below(runs))).items() if key.tier == tier}
    contrasts, refusal = [], None
    for (first, one), (second, other) in combinations(found.items(), 2):
        try:
            contrasts.append(Contrast(first, second, language_contrast(one, other, measure=measure)))
        except UsageError as error:
            refusal = refusal or error
    if not contrasts:
        raise UsageError(
            "there are no two boards that differ in nothing but the language of their cases",
            wanted="one model run on twins, such as complex-schema-nl and complex-schema-en, under the same settings",
            found=f"{refusal.message} ({refusal.found})" if refusal else f"{len(found)} board(s) at {tier}",
            where=str(runs),
        )
    return Contrasts(measure, contrasts)


def _lines(one: Contrast, measure: Measure) -> Iterator[str]:
    rows = one.frame.to_dicts()
    names = [str(rows[0][f"{place}_language"]) for place in ("first", "second")]
    yield f"{one.first.run.collection} against {one.second.run.collection}: {measure}, {one.first.tier}"
    yield "  pairs of cases that mean the same; interval: seeded bootstrap over pairs, 95 %; p: exact sign-flip test"
    header = ["model", "fields", "pairs", *names, f"{names[0]} - {names[1]} (95 %)", "better in each", "p"]
    yield from aligned(header, [_cells(row) for row in rows])


def _cells(row: dict[str, object]) -> list[str]:
    low, high = percent(row["difference_low"]), percent(row["difference_high"])
    return [
        str(row["model"]),
        str(row["field_language"]),
        str(row["pairs"]),
        percent(row["first_rate"]),
        percent(row["second_rate"]),
        f"{percent(row['difference'])} ({low} to {high})",
        f"{row['first_better']} / {row['second_better']}",
        f"{row['p']:.3f}",
    ]
