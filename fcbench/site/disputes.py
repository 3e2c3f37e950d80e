"""Cases with an open claim: what is said of them, and both scores while it is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fcbench.aggregate.disputed import both_scores, disputed_in
from fcbench.aggregate.frames import Frame
from fcbench.aggregate.review_queue import QueueItem, QueueRules, anomaly_queue
from fcbench.core.names import CaseId
from fcbench.core.records import to_plain
from fcbench.site.board_detail import BothScores, Share
from fcbench.site.data import BoardView, SiteData
from fcbench.suites.disputes import Dispute, Ledger


def scores_of(frame: Frame, cases: Sequence[str]) -> tuple[tuple[str, ...], tuple[BothScores, ...]]:
    """The disputed cases that one board holds, and the accuracies of its runs with and without them."""
    held = tuple(disputed_in(frame, cases))
    if not held:
        return (), ()
    rows = both_scores(frame, held).to_dicts()
    return held, tuple(
        BothScores(
            run=row["run_id"],
            model=row["model"],
            control=row["control"],
            strict=_share(row, "strict"),
            strict_without=_share(row, "strict_without"),
            restraint=_share(row, "restraint_accuracy"),
            restraint_without=_share(row, "restraint_accuracy_without"),
        )
        for row in rows
    )


def _share(row: Mapping[str, object], name: str) -> Share:
    value, count = row[name], row[f"{name}_n"]
    return Share(
        value=value if isinstance(value, float) else None, total=None, count=count if isinstance(count, int) else 0
    )


def open_claims(ledger: Ledger) -> dict[CaseId, tuple[Dispute, ...]]:
    """Open claims about cases, by case."""
    found: dict[CaseId, tuple[Dispute, ...]] = {}
    for dispute in ledger.disputes:
        if dispute.marks_case:
            found[dispute.claim.case] = (*found.get(dispute.claim.case, ()), dispute)
    return found


def open_items(frame: Frame | None, ledger: Ledger) -> tuple[QueueItem, ...]:
    """The anomaly queue (PROTOCOL 7) without what the ledger decided."""
    if frame is None:
        return ()
    return tuple(
        one
        for one in anomaly_queue(frame, QueueRules())
        if not any(each.decides(one.reason, one.case, one.run, one.repeat) for each in ledger.disputes)
    )


@dataclass(frozen=True, kw_only=True)
class DisputedBoard:
    """One board that holds a disputed case."""

    name: str
    board: BoardView
    scores: tuple[BothScores, ...]

    @property
    def has_restraint(self) -> bool:
        """Whether a run of it was judged on a case that asks for no call."""
        return any(one.restraint.count for one in self.scores)


@dataclass(frozen=True, kw_only=True)
class DisputedCase:
    """What a page says of a disputed case."""

    claims: tuple[Dispute, ...]
    boards: tuple[DisputedBoard, ...]


def disputed_case(data: SiteData, task_id: CaseId, run_id: str | None = None) -> DisputedCase | None:
    """The open claims about a case with both scores of every board that holds it; None where there is no claim.

    Args:
        data: of the site.
        task_id: the case.
        run_id: only the scores of this run.
    """
    claims = data.claims.get(task_id)
    if not claims:
        return None
    boards = []
    for board in data.boards:
        scores = tuple(one for one in board.detail.disputed if run_id in (None, one.run))
        if task_id in board.detail.disputed_cases and scores:
            name = f"{board.key.run.collection}, {board.key.tier.replace('-', ' ')}"
            boards.append(DisputedBoard(name=name, board=board, scores=scores))
    return DisputedCase(claims=claims, boards=tuple(boards))


def disputed_key(disputed: DisputedCase | None) -> object:
    """What a page's key holds of it."""
    if disputed is None:
        return None
    claims = [to_plain(one.claim) for one in disputed.claims]
    return claims, [(one.name, one.board.detail.disputed_cases, one.scores) for one in disputed.boards]
