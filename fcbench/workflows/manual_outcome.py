"""What two raters' ratings come to: agreement, and who passes once differences are settled.

These numbers stand apart: they are on no board, no page and in no dataset (PROTOCOL 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fcbench.aggregate.agreement import Agreement, agreement
from fcbench.core.records import Record, to_plain
from fcbench.errors import UsageError
from fcbench.suites.manual import passes, weighted_share
from fcbench.workflows.manual_session import Folder, open_key
from fcbench.workflows.text_tables import aligned, percent

APART = "manual ratings: on no board, in no table, page or dataset"


class AgreementReport(Record, frozen=True, kw_only=True):
    """How far the two agree, over everything and by criterion."""

    raters: tuple[str, ...]
    overall: Agreement
    by_criterion: dict[str, Agreement]
    differing: dict[str, tuple[str, ...]]
    settled: int

    def text(self) -> str:
        """For a terminal."""
        rows = [_row("all criteria", self.overall), *(_row(name, one) for name, one in self.by_criterion.items())]
        header = ("criterion", "items", "pairs", "equal", "kappa", "95 % interval")
        lines = [f"{self.raters[0]} and {self.raters[1]}: Cohen's kappa, quadratic weights; bootstrap over items"]
        lines += aligned(header, rows)
        told = f"{len(self.differing)} of {self.overall.items} items differ, {self.settled} of them settled"
        return "\n".join([*lines, told])

    def data(self) -> object:
        """As plain JSON values."""
        return to_plain(self)


class Outcome(Record, frozen=True, kw_only=True):
    """One answer after the consensus."""

    item: str
    case: str
    model: str
    repeat: int
    ratings: dict[str, int]
    share: float
    passed: bool


class OutcomeReport(Record, frozen=True, kw_only=True):
    """Every answer, with its model."""

    outcomes: tuple[Outcome, ...]

    def text(self) -> str:
        """For a terminal."""
        models = sorted({one.model for one in self.outcomes})
        sums = []
        for model in models:
            own = [one for one in self.outcomes if one.model == model]
            mean = sum(one.share for one in own) / len(own)
            sums.append([model, f"{sum(one.passed for one in own)} of {len(own)}", percent(mean)])
        each = [
            [one.case, one.model, str(one.repeat), percent(one.share), "passed" if one.passed else "failed", one.item]
            for one in self.outcomes
        ]
        lines = [APART, *aligned(("model", "answers passed", "mean share of the rubric"), sums), ""]
        lines += aligned(("case", "model", "repeat", "share", "result", "item"), each)
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return {"manual": True, "note": APART, "outcomes": [to_plain(one) for one in self.outcomes]}


def agree(folder: Folder, *, seed: int) -> AgreementReport:
    """Agreement of the two raters as they rated alone, before any consensus.

    Raises:
        UsageError: the two have not finished.
    """
    first, second = folder.done_by_two()
    names = sorted({one.name for case in folder.session.cases for one in case.rubric})
    pairs = [
        {name: (value, second[item].ratings[name]) for name, value in first[item].ratings.items()}
        for item in sorted(first)
    ]
    differing = folder.differing()
    return AgreementReport(
        raters=tuple(folder.raters()),
        overall=agreement([list(one.values()) for one in pairs], seed=seed),
        by_criterion={name: agreement([[one[name]] for one in pairs if name in one], seed=seed) for name in names},
        differing={item: tuple(each) for item, each in differing.items()},
        settled=sum(item in folder.consensus() for item in differing),
    )


def outcome(folder: Folder, key: Path) -> OutcomeReport:
    """Who passes: the shared ratings, and the consensus where the two differed.

    Raises:
        UsageError: the two have not finished, or a difference is not settled.
        NotFoundError: there is no key.
        BadInputError: the key belongs to another session.
    """
    first, _ = folder.done_by_two()
    differing, agreed = folder.differing(), folder.consensus()
    open_items = [item for item, names in differing.items() if item not in agreed or {*names} - {*agreed[item].ratings}]
    if open_items:
        raise UsageError(
            "some differences are not settled",
            wanted="a consensus on every item that the raters see differently",
            found=f"{len(open_items)} of {len(differing)} open: {', '.join(open_items[:8])}",
            next_step="settle them with `fcbench review consensus`",
        )
    owners = {one.item: one for one in open_key(key, folder.session).items}
    found = []
    for item in folder.session.items:
        case, owner = folder.case_of(item), owners[item.item]
        settled = agreed[item.item].ratings if item.item in agreed else {}
        # Only what differed is settled: a consensus cannot overturn what both said.
        ratings = {
            name: settled[name] if name in differing.get(item.item, ()) else value
            for name, value in first[item.item].ratings.items()
        }
        found.append(
            Outcome(
                item=item.item,
                case=case.id,
                model=owner.model,
                repeat=owner.repeat,
                ratings=ratings,
                share=weighted_share(case, ratings),
                passed=passes(case, ratings),
            )
        )
    return OutcomeReport(outcomes=tuple(sorted(found, key=lambda one: (one.case, one.model, one.repeat))))


def _row(name: str, one: Agreement) -> Sequence[str]:
    kappa = "not defined" if one.kappa is None else f"{one.kappa:.3f}"
    ends = "-" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"
    return (name, str(one.items), str(one.pairs), percent(one.exact), kappa, ends)
