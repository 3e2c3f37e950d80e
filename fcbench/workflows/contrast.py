"""Boards that differ along one axis, case by case: language, decoding, retrieval, schema version (PROTOCOL 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final, Literal, cast, get_args

from fcbench.aggregate.boards import boards
from fcbench.aggregate.contrast import DIFFERS, axis_contrast, differing
from fcbench.aggregate.contrast import Axis as KeyAxis
from fcbench.aggregate.frames import Frame, verdict_frame
from fcbench.aggregate.language import language_contrast
from fcbench.aggregate.reliability import Measure
from fcbench.core.boards import BoardKey
from fcbench.core.records import to_plain
from fcbench.errors import UsageError
from fcbench.workflows.board_columns import Row
from fcbench.workflows.boards import scored_below
from fcbench.workflows.text_tables import aligned, percent

Axis = Literal["language", "decoding", "retrieval", "schema-version"]
MEASURE: Final[Mapping[Axis, Measure]] = {
    "language": "exact-match",
    "decoding": "pass",
    "retrieval": "pass",
    "schema-version": "pass",
}
"""What is compared where nobody says."""
NO_AXIS: Final = ("harness", "mode", "harness-mode", "tier")
_Compare = Callable[[Frame, Frame], Frame]


@dataclass(frozen=True)
class Contrast:
    """Two boards, the first minus the second."""

    first: BoardKey
    second: BoardKey
    frame: Frame


@dataclass(frozen=True)
class Contrasts:
    """Every contrast that was found."""

    axis: Axis
    measure: Measure
    found: Sequence[Contrast]

    def text(self) -> str:
        """For a terminal."""
        return "\n\n".join("\n".join(_lines(one, self.axis, self.measure)) for one in self.found)

    def data(self) -> object:
        """As plain JSON values."""
        return {
            "axis": self.axis,
            "measure": self.measure,
            "contrasts": [
                {"first": to_plain(one.first), "second": to_plain(one.second), "rows": one.frame.to_dicts()}
                for one in self.found
            ],
        }


def axis_named(name: str) -> Axis:
    """The axis of a name.

    Raises:
        UsageError: it is none, and for harness, mode and tier why they are none.
    """
    if name in MEASURE:
        return cast("Axis", name)
    if name.replace("_", "-") in NO_AXIS:
        raise UsageError(
            f"{name} is no axis of a contrast: it changes what is measured",
            wanted=", ".join(get_args(Axis)),
            found=name,
            where="--axis",
            next_step="`fcbench tables` shows such boards side by side, without difference, rank or test",
        )
    raise UsageError("there is no such axis", wanted=", ".join(get_args(Axis)), found=name[:80], where="--axis")


def contrast(
    runs: Path, axis: Axis = "language", *, measure: Measure | None = None, tier: str = "native-function-contract"
) -> Contrasts:
    """Every two boards below a folder that differ in the axis only, at one tier.

    Raises:
        UsageError: there are no two such boards with runs of one model.
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
    """
    asked = measure or MEASURE[axis]
    frames = verdict_frame(scored_below(runs))
    found = {key: frame for key, frame in boards(frames).items() if key.tier == tier}
    compare = _comparison(axis, asked)
    contrasts, refusals = [], []
    for (first, one), (second, other) in combinations(found.items(), 2):
        try:
            contrasts.append(Contrast(first, second, compare(one, other)))
        except UsageError as error:
            refusals.append((len(differing(one, other)), error))
    if not contrasts:
        raise UsageError(
            f"there are no two boards that differ in nothing but {_words(axis)}",
            wanted=_wanted(axis),
            found=_closest(refusals) or f"{len(found)} board(s) at {tier}",
            where=str(runs),
        )
    return Contrasts(axis, asked, contrasts)


def _comparison(axis: Axis, measure: Measure) -> _Compare:
    if axis == "language":
        return lambda one, other: language_contrast(one, other, measure=measure)
    key_axis: KeyAxis = axis
    return lambda one, other: axis_contrast(one, other, key_axis, measure=measure)


def _closest(refusals: Sequence[tuple[int, UsageError]]) -> str | None:
    """Of the two boards that differ least."""
    if not refusals:
        return None
    error = min(refusals, key=lambda pair: pair[0])[1]
    return f"{error.message} ({error.found or error.wanted})"


def _words(axis: Axis) -> str:
    return "the language of their cases" if axis == "language" else f"the {axis}"


def _wanted(axis: Axis) -> str:
    if axis == "language":
        return "one model run on twins, such as complex-schema-nl and complex-schema-en, under the same settings"
    return f"one model run on the same cases under the same settings, with another {DIFFERS[axis]}"


def _lines(one: Contrast, axis: Axis, measure: Measure) -> Iterator[str]:
    rows = one.frame.to_dicts()
    last = "p: exact sign-flip test, then corrected (Holm)"
    if axis == "language":
        names = [str(rows[0][f"{place}_language"]) for place in ("first", "second")]
        yield f"{one.first.run.collection} against {one.second.run.collection}: {measure}, {one.first.tier}"
        yield f"  pairs of cases that mean the same; interval: seeded bootstrap over pairs, 95 %; {last}"
        unit, label = "pairs", "fields"
    else:
        names = [str(rows[0][f"{place}_value"])[:16] for place in ("first", "second")]
        yield f"{one.first.run.collection}, {axis} {names[0]} against {names[1]}: {measure}, {one.first.tier}"
        yield f"  the same cases on both sides; interval: seeded bootstrap over cases, 95 %; {last}"
        if one.first.oracle_hash != one.second.oracle_hash:
            yield f"  the right arguments differ as well: {one.first.oracle_hash[:12]}, {one.second.oracle_hash[:12]}"
        unit, label = "cases", "decision"
    header = ["model", label, unit, *names, f"{names[0]} - {names[1]} (95 %)", "better in each", "p", "p (Holm)"]
    yield from aligned(header, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    low, high = percent(row["difference_low"]), percent(row["difference_high"])
    return [
        str(row["model"]),
        str(row.get("field_language", row.get("decision"))),
        str(row.get("pairs", row.get("cases"))),
        percent(row["first_rate"]),
        percent(row["second_rate"]),
        f"{percent(row['difference'])} ({low} to {high})",
        f"{row['first_better']} / {row['second_better']}",
        f"{row['p']:.3f}",
        f"{row['p_holm']:.3f}" if isinstance(row["p_holm"], float) else "-",
    ]
