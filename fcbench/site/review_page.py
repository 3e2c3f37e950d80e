"""The review page: what a person should look at, and what was claimed and ruled."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fcbench.aggregate.review_queue import REASONS, QueueItem
from fcbench.site.data import SiteData
from fcbench.site.environment import render
from fcbench.site.pages import HubPage
from fcbench.site.slugs import attempt_path, case_path, relative
from fcbench.suites.disputes import Dispute

PATH = "review.html"
MAX_ROWS = 500
"""Rows of a static table (SITE.md)."""
MEANINGS = {
    "zero_partial_although_succeeded": "The partial score is nought, yet a call to an expected tool succeeded.",
    "call_shaped_text": "A reply without a call holds text that looks like one.",
    "finish_reason_length": "A reply was cut at the token limit.",
    "timed_out": "The time limit was reached.",
    "retrieval_miss": "An expected tool was not offered.",
    "missing_phase": "A phase that must have happened has no time.",
    "rejected_only_by_type": "Every fault would vanish if 7 and the text 7 were the same.",
    "no_model_passes": "Two models or more were judged on the case, and no attempt passed.",
    "high_flip_rate": "Of the runs with several repeats, at least half disagree with themselves.",
}
assert MEANINGS.keys() == set(REASONS)
OTHER = "other"
"""For a reason that a package from elsewhere made up: its name may be anything."""


@dataclass(frozen=True, kw_only=True)
class ReviewLine:
    """One thing to look at."""

    item: QueueItem
    reason: str
    """One of `MEANINGS`, or `OTHER`."""
    path: str
    """Page of the attempt, or of the case."""
    case_path: str


def review_page(data: SiteData) -> HubPage:
    """The anomaly queue without what was decided, and the ledger."""
    runs = {(run.manifest.run_id, str(run.manifest.header.key.registry_hash)): run.slug for run in data.runs}
    lines = [_line(one, runs) for one in data.queue]
    shown: dict[str, list[ReviewLine]] = {}
    # The first of every reason, so that a long one does not hide the others.
    share = max(1, MAX_ROWS // max(1, len({line.reason for line in lines})))
    for line in lines:
        shown.setdefault(line.reason, []).append(line)
    body = render(
        "review",
        root=relative("", PATH),
        counts=Counter(line.reason for line in lines),
        meanings={**MEANINGS, OTHER: "A reason that this version does not know."},
        lines={reason: found[:share] for reason, found in shown.items()},
        total=len(lines),
        disputes=[(each, _place(data, each)) for each in _open_first(data)],
    )
    description = "Anomalies that a person should look at, and the claims about cases with their rulings."
    return HubPage(path=PATH, title="Review", description=description, body=body)


def _line(item: QueueItem, runs: dict[tuple[str, str], str]) -> ReviewLine:
    own = case_path(item.case)
    run = runs.get((item.run or "", item.registry_hash or ""))
    path = attempt_path(run, item.case, item.repeat) if run and item.repeat is not None else own
    reason = item.reason if item.reason in MEANINGS else OTHER
    return ReviewLine(item=item, reason=reason, path=path, case_path=own)


def _open_first(data: SiteData) -> list[Dispute]:
    """Open claims first, then those that were ruled on, the newest of each before the others."""
    newest = list(data.disputes)[::-1]
    return sorted(newest, key=lambda each: each.standing != "open")[:MAX_ROWS]


def _place(data: SiteData, each: Dispute) -> str:
    """Page of the case of a claim; empty where no published run asked it."""
    return case_path(each.claim.case) if each.claim.case in data.cases else ""
