"""The anomaly queue of a folder of packages, without what was decided already, each with a link to its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fcbench.aggregate.frames import verdict_frame
from fcbench.aggregate.review_queue import REASONS, QueueItem, QueueRules, anomaly_queue
from fcbench.core.records import Record, to_plain
from fcbench.errors import UsageError
from fcbench.site.slugs import attempt_path, case_path, slug
from fcbench.suites.disputes import Ledger, load_ledger
from fcbench.workflows.boards import scored_below
from fcbench.workflows.csv_cells import csv_text
from fcbench.workflows.project import find_project
from fcbench.workflows.text_tables import aligned

SORTS = {"reason": (), "case": ("case",), "run": ("run", "case"), "suite": ("suite", "case")}
"""What the queue may be sorted by -> fields that come before the reason."""
COLUMNS = ("reason", "case", "suite", "run", "model", "repeat", "outcome", "board", "detail", "link")


class QueueRequest(Record, frozen=True, kw_only=True):
    """What is asked of a folder of packages."""

    rules: QueueRules = QueueRules()
    reasons: tuple[str, ...] = ()
    """Empty for all."""
    case: str | None = None
    suite: str | None = None
    run: str | None = None
    model: str | None = None
    sort: str = "reason"
    base_url: str = ""
    """What stands before an address in the site, such as https://example.org/bench/."""
    decided: bool = False
    """Whether what was decided is listed as well."""


@dataclass(frozen=True)
class Queue:
    """The items that are left, and how many were decided."""

    items: Sequence[QueueItem]
    decided: int
    base_url: str = ""

    def rows(self) -> list[dict[str, object]]:
        """One mapping of `COLUMNS` an item."""
        return [{**_cells(one), "link": self.base_url + link(one)} for one in self.items]

    def text(self) -> str:
        """For a terminal."""
        counts = [(reason, sum(one.reason == reason for one in self.items)) for reason in REASONS]
        told = ", ".join(f"{reason} {count}" for reason, count in counts if count)
        lines = [f"{len(self.items)} to look at" + (f": {told}" if told else "")]
        lines += [f"{self.decided} decided already and left out"] if self.decided else []
        shown = ("reason", "case", "model", "repeat", "detail", "link")
        rows = [[_text(row[name]) for name in shown] for row in self.rows()]
        return "\n".join([*lines, *(aligned(shown, rows) if rows else ())])

    def csv(self) -> str:
        """For a spreadsheet."""
        return csv_text(COLUMNS, ([row[name] for name in COLUMNS] for row in self.rows()))

    def data(self) -> object:
        """As plain JSON values."""
        return {"items": self.rows(), "decided": self.decided}


def review_queue(runs: Path, request: QueueRequest, *, project: Path | None = None) -> Queue:
    """The queue of all sealed packages below a folder.

    Raises:
        UsageError: there is no such reason or order.
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
        SuiteError: the ledger is wrong.
    """
    unknown = sorted(set(request.reasons) - set(REASONS))
    if unknown or request.sort not in SORTS:
        raise UsageError(
            "there is no such reason" if unknown else "the queue has no such order",
            wanted=", ".join(REASONS if unknown else SORTS),
            found=", ".join(unknown) or request.sort,
            where="--reason" if unknown else "--sort",
        )
    ledger = load_ledger(find_project(project).suites)
    found = [one for one in anomaly_queue(verdict_frame(scored_below(runs)), request.rules) if _fits(one, request)]
    kept = [one for one in found if request.decided or not is_decided(one, ledger)]
    # Sorting is stable, so the order of the reasons stays inside.
    kept.sort(key=lambda one: tuple(str(getattr(one, name) or "") for name in SORTS[request.sort]))
    base = request.base_url and request.base_url.rstrip("/") + "/"
    return Queue(items=kept, decided=len(found) - len(kept), base_url=base)


def is_decided(item: QueueItem, ledger: Ledger) -> bool:
    """Whether a ruling of the ledger settles an item."""
    return any(each.decides(item.reason, item.case, item.run, item.repeat) for each in ledger.disputes)


def link(item: QueueItem) -> str:
    """The address in the site, without a leading slash: the attempt's page, or the case's."""
    if item.run is None or item.registry_hash is None or item.repeat is None:
        return case_path(item.case)
    # As the site names a run's folder; a test compares the two.
    return attempt_path(f"{slug(item.run)}-{slug(item.registry_hash[:12])}", item.case, item.repeat)


def _fits(item: QueueItem, request: QueueRequest) -> bool:
    asked = ((request.case, item.case), (request.suite, item.suite), (request.run, item.run))
    return all(wanted in (None, found) for wanted, found in (*asked, (request.model, item.model))) and item.reason in (
        request.reasons or REASONS
    )


def _cells(item: QueueItem) -> dict[str, object]:
    plain = to_plain(item)
    return {name: plain.get(name) for name in COLUMNS if name != "link"}


def _text(value: object) -> str:
    text = "-" if value is None else str(value).replace("\n", " ")
    return text if len(text) <= 120 else text[:117] + "..."
