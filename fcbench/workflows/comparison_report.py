"""What `fcbench compare` says: for a terminal, as Markdown, as JSON, and as a table in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fcbench.aggregate.difference_table import difference_frame
from fcbench.aggregate.noninferiority import Answer, GoodEnough
from fcbench.core.names import CaseId, JsonObject
from fcbench.core.records import to_plain
from fcbench.packages.files import write_error
from fcbench.workflows.compare_packages import Side
from fcbench.workflows.compare_runs import Difference, Money, RunComparison
from fcbench.workflows.frame_files import TABLE_FORMS, write_frame
from fcbench.workflows.markdown_tables import bullets, heading, markdown_table
from fcbench.workflows.text_tables import aligned, percent

Form = Literal["text", "csv", "parquet", "json", "markdown"]
EXIT: dict[Answer, int] = {"yes": 0, "no": 1, "cannot tell": 2}
"""Exit code of each answer, as for `fcbench gate`."""
SHOWN_IDS = 12
"""Names of cases that a line holds."""
_LEVEL = 0.05
_TESTS = {"mcnemar": "exact McNemar test", "sign-flip": "sign-flip test"}
_HEADER = ["", "cases", "A", "B", "B - A, points (95 %)", "worse", "better", "p"]
_Table = tuple[list[str], list[list[str]]]


@dataclass(frozen=True)
class ComparisonReport:
    """Two runs that were weighed against each other."""

    found: RunComparison

    def text(self) -> str:
        """For a terminal."""
        lines = list(_about(self.found))
        for title, said, table in _parts(self.found):
            lines += ["", title, *(aligned(*table) if table else ()), *(f"  {line}" for line in said)]
        return "\n".join(lines)

    def markdown(self) -> str:
        """As Markdown."""
        lines = [heading(2, "Two runs of one board"), "", *bullets(_about(self.found))]
        for title, said, table in _parts(self.found):
            lines += ["", heading(3, title)]
            lines += ["", *markdown_table(*table)] if table else []
            lines += ["", *bullets(said)] if said else []
        return "\n".join(lines) + "\n"

    def data(self) -> JsonObject:
        """As plain JSON values, uncut."""
        return to_plain(self.found)

    def write(self, folder: Path, form: Form) -> Path:
        """Write `compare.<form>` into a folder.

        Raises:
            WriteError: the folder cannot be written.
        """
        path = folder / "compare"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if form in TABLE_FORMS:
                return write_frame(difference_frame(_rows(self.found)), path, TABLE_FORMS[form])
            file = path.with_suffix(".md" if form == "markdown" else ".txt")
            file.write_text(self.markdown() if form == "markdown" else self.text() + "\n", encoding="utf-8")
        except OSError as error:
            raise write_error(folder, error) from error
        return file


def _about(found: RunComparison) -> Iterator[str]:
    yield from (_side(letter, side) for letter, side in (("A", found.a), ("B", found.b)))
    run = found.run
    yield (
        f"board: {run.collection}, {found.tier}, {run.harness} harness, {run.harness_mode}, retrieval {run.retrieval}, "
        f"decoding {run.decoding}, registry {run.registry_hash[:12]}, oracle {found.oracle_hash[:12]}"
    )
    yield f"verdicts: of evaluator {found.evaluator_version}, computed now from the evidence of both"
    yield from (f"note: {note}" for note in found.notes)
    if found.left_out:
        yield f"left out, not judged on both sides: {len(found.left_out)} cases, {_ids(found.left_out)}"
    if found.other_tiers:
        yield f"other tiers, each a board of its own: {', '.join(found.other_tiers)} (--tier)"


def _side(letter: str, side: Side) -> str:
    control = " (control)" if side.control else ""
    return f"{letter}: {side.model}{control}, {side.cases} cases x {side.repeats}, {side.folder}"


def _parts(found: RunComparison) -> Iterator[tuple[str, list[str], _Table | None]]:
    """Title, sentences and table of each part."""
    if found.good_enough:
        margin = _points(found.good_enough)
        said = [_answer(found.good_enough), *_restraint_answer(found)]
        yield f"may B stand in for A, if it may be worse by less than {margin}? {found.good_enough.answer}", said, None
    yield "the difference", list(_said(found)), _whole(found)
    yield "the cost of a success", list(_prices(found)), _money(found)
    axes = dict.fromkeys(one.axis for one in found.segments)
    for axis in axes:
        of_axis = [one for one in found.segments if one.axis == axis]
        rows = [[*_cells(one.segment, one.difference), _p(one.p_holm)] for one in of_axis]
        yield f"by {axis}, call cases", [], ([*_HEADER, "p (Holm)"], rows)
    yield "what flipped", [_flipped("worse in B", found.lost), _flipped("better in B", found.gained)], None


def _answer(asked: GoodEnough) -> str:
    margin = _points(asked)
    if asked.answer == "yes":
        return f"strict accuracy is worse by less than {margin}: one-sided p = {_p(asked.p)} against {margin} or more"
    if asked.answer == "no":
        return f"strict accuracy is worse by more than {margin}: one-sided p = {_p(asked.p_worse)} against less"
    return f"too few cases for {margin} of strict accuracy: {_more(asked, 'call cases')}"


def _points(asked: GoodEnough) -> str:
    number = f"{100 * asked.margin:g}"
    return f"{number} point{'' if number == '1' else 's'}"


def _more(asked: GoodEnough, kind: str) -> str:
    if asked.more_cases is None:
        return "the difference is so near the margin that no number of cases would help"
    return f"about {asked.more_cases:,} more {kind} would decide it (80 % power), if the difference is what it seems"


def _restraint_answer(found: RunComparison) -> Iterator[str]:
    asked = found.restraint_good_enough
    if asked:
        more = f"; {_more(asked, 'restraint cases')}" if asked.answer == "cannot tell" else ""
        yield f"restraint, which is judged apart and is no part of this answer: {asked.answer}{more}"


def _said(found: RunComparison) -> Iterator[str]:
    if found.strict is None:
        yield "no call case was judged on both sides"
        return
    yield f"{_TESTS[found.strict.test]} of strict accuracy, two-sided, of this one comparison: p = {_p(found.strict.p)}"
    if found.strict.p >= _LEVEL and not found.strict.low <= 0 <= found.strict.high:
        yield "the interval leaves out 0 and the test, which is exact, does not: go by the test, since few cases differ"
    if found.bootstrap:
        low, high = found.bootstrap
        yield f"the interval once more, by seeded bootstrap: {100 * low:+.1f} to {100 * high:+.1f} points"
    if found.strict.effective < found.strict.cases - 0.5 or found.strict.effective > found.strict.cases + 0.5:
        yield f"with their repeats and families these cases tell as much as {found.strict.effective:.0f} single ones"
    if found.detectable is None:
        yield "these cases are too few to show any difference"
    else:
        yield f"smallest difference that they can show: {100 * found.detectable:.1f} points (80 % power, 5 % two-sided)"


def _whole(found: RunComparison) -> _Table | None:
    kinds = (("strict accuracy (call cases)", found.strict), ("restraint (the others)", found.restraint))
    rows = [_cells(name, one) for name, one in kinds if one]
    return (_HEADER, rows) if rows else None


def _cells(name: str, one: Difference) -> list[str]:
    points = f"{100 * one.difference:+.1f} ({100 * one.low:+.1f} to {100 * one.high:+.1f})"
    return [name, str(one.cases), percent(one.a), percent(one.b), points, str(one.lost), str(one.gained), _p(one.p)]


def _prices(found: RunComparison) -> Iterator[str]:
    if found.money_a.cost is None or found.money_b.cost is None:
        yield "unknown is never 0: a cost needs a price (--prices) and tokens that the provider counted"
    a, b = found.money_a.per_success, found.money_b.per_success
    if a and b is not None and found.money_a.currency == found.money_b.currency:
        yield f"a success of B costs {b / a:.2f} times one of A"


def _money(found: RunComparison) -> _Table:
    header = ["", "attempts passed", "tokens", "tokens a success", "cost", "cost a success"]
    return header, [_spent("A", found.money_a), _spent("B", found.money_b)]


def _spent(letter: str, one: Money) -> list[str]:
    success = _amount(one.per_success, one.currency) if one.passed else "no success"
    tokens = _count(one.tokens_per_success) if one.passed else "no success"
    return [letter, str(one.passed), _count(one.tokens), tokens, _amount(one.cost, one.currency), success]


def _amount(value: float | None, currency: str) -> str:
    return "unknown" if value is None else f"{value:.6g} {currency}".strip()


def _count(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


def _flipped(words: str, ids: Sequence[CaseId]) -> str:
    return f"{len(ids)} {words}{': ' if ids else ''}{_ids(ids)}"


def _ids(ids: Sequence[CaseId]) -> str:
    more = f" and {len(ids) - SHOWN_IDS} more (all with --json)" if len(ids) > SHOWN_IDS else ""
    return ", ".join(ids[:SHOWN_IDS]) + more


def _p(value: float) -> str:
    return f"{value:.3g}" if value >= 1e-4 else "< 0.0001"


def _rows(found: RunComparison) -> Iterator[dict[str, object]]:
    whole = {"run_a": found.a.run_id, "model_a": found.a.model, "run_b": found.b.run_id, "model_b": found.b.model}
    whole["tier"] = found.tier
    for axis, one in (("strict", found.strict), ("restraint", found.restraint)):
        if one:
            yield {**whole, "axis": axis, "segment": None, **to_plain(one), "p_holm": None}
    for part in found.segments:
        named = {"axis": part.axis, "segment": part.segment, "p_holm": part.p_holm}
        yield {**whole, **named, **to_plain(part.difference)}
