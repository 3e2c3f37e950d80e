"""Claims and rulings: reading and writing `suites/reviews.yaml`, and both scores while a claim is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fcbench.aggregate.boards import boards
from fcbench.aggregate.disputed import both_scores, disputed_in
from fcbench.aggregate.frames import Frame, verdict_frame
from fcbench.aggregate.review_queue import REASONS
from fcbench.core.boards import BoardKey
from fcbench.core.records import Record, to_plain
from fcbench.errors import NotFoundError, UsageError, WriteError
from fcbench.packages.files import write_whole
from fcbench.packages.lock import LOCK, take_lock
from fcbench.suites.disputes import LEDGER_NAME, Claim, Dispute, Ledger, Ruling, load_ledger, shown, with_entries
from fcbench.workflows.boards import scored_below
from fcbench.workflows.project import Project, find_project, load
from fcbench.workflows.text_tables import aligned, percent

HEADER = b"""# Claims about cases and what was ruled. The file only grows: `fcbench review claim` and
# `fcbench review rule` add to its end, and the last ruling on a claim counts.
# docs/reference/review.md describes the fields.
"""


class ClaimRequest(Record, frozen=True, kw_only=True):
    """A new claim; see `Claim` for the fields."""

    case: str
    says: str
    by: str
    date: str
    anomaly: str | None = None
    run: str | None = None
    repeat: int | None = None
    decision: tuple[str, str] | None = None
    """A ruling at once, with its reason: `("rejected", "the model did this")` for an item that was looked at."""


@dataclass(frozen=True)
class Listed:
    """Disputes to be shown."""

    disputes: Sequence[Dispute]

    def text(self) -> str:
        """For a terminal."""
        if not self.disputes:
            return "no claim"
        return "\n".join(line for each in self.disputes for line in dispute_lines(each))

    def data(self) -> object:
        """As plain JSON values."""
        return [
            {**to_plain(each.claim), "standing": each.standing, "rulings": [to_plain(one) for one in each.rulings]}
            for each in self.disputes
        ]


def dispute_lines(each: Dispute) -> Iterator[str]:
    """One dispute for a terminal."""
    claim = each.claim
    about = f", {claim.anomaly}" if claim.anomaly else ""
    about += f", run {claim.run}" if claim.run else ""
    about += f", repeat {claim.repeat}" if claim.repeat else ""
    yield f"{claim.claim}  {each.standing}  {claim.case}{about}"
    yield f"  {claim.date} {claim.by}: {claim.says}"
    for one in each.rulings:
        changed = f" Changed: {one.change}" if one.change else ""
        yield f"  {one.date} {one.by}: {one.ruling}. {one.reason}{changed}"


def list_disputes(project: Path | None, *, standing: str | None = None, case: str | None = None) -> Listed:
    """The disputes of a project, narrowed to a standing or a case.

    Raises:
        SuiteError: the ledger is wrong.
    """
    ledger = load_ledger(find_project(project).suites)
    return Listed(
        [each for each in ledger.disputes if standing in (None, each.standing) and case in (None, each.claim.case)]
    )


def claim(project: Path | None, request: ClaimRequest) -> Listed:
    """Add a claim to the ledger.

    Raises:
        NotFoundError: the project has no such case.
        UsageError: the anomaly is no reason of the queue.
        SuiteError: a text is empty or too long, or the ledger is wrong.
        WriteError: the ledger cannot be written, or belongs to the embedded project.
    """
    where = find_project(project)
    if request.case not in load(where).suites.cases:
        raise NotFoundError(
            "the project has no such case",
            found=request.case[:80],
            where=str(where.suites),
            next_step="look the id up on its page or with `fcbench review queue`",
        )
    if request.anomaly is not None and request.anomaly not in REASONS:
        raise UsageError(
            "the queue has no such reason", wanted=", ".join(REASONS), found=request.anomaly[:80], where="--anomaly"
        )

    def entries(ledger: Ledger) -> tuple[Claim | Ruling, ...]:
        fields = {name: getattr(request, name) for name in Claim.__struct_fields__ if name != "claim"}
        made = Claim(claim=ledger.next_id(), **fields)
        if request.decision is None:
            return (made,)
        ruling, reason = request.decision
        return made, _ruling(ruling, of=made.claim, reason=reason, by=request.by, date=request.date)

    return _append(where, entries)


def rule(project: Path | None, ruling: Ruling) -> Listed:
    """Add a ruling to the ledger.

    Raises:
        SuiteError: there is no such claim, an upheld one says no change, or the ledger is wrong.
        WriteError: the ledger cannot be written, or belongs to the embedded project.
    """
    return _append(find_project(project), lambda _: (ruling,))


def _ruling(word: str, *, of: str, reason: str, by: str, date: str) -> Ruling:
    if word not in ("upheld", "rejected", "open"):
        raise UsageError("there is no such ruling", wanted="upheld, rejected or open", found=word[:40])
    return Ruling(ruling=word, of=of, reason=reason, by=by, date=date)  # type: ignore[arg-type]


def _append(project: Project, entries: Callable[[Ledger], tuple[Claim | Ruling, ...]]) -> Listed:
    if project.embedded:
        raise WriteError(
            "the embedded project is never written",
            wanted="a project of your own",
            next_step="run this in a clone, or name a project with --project",
        )
    path = project.suites / LEDGER_NAME
    # One writer at a time: two that read the same ledger would take the same id.
    lock = take_lock(project.suites)
    try:
        ledger = load_ledger(project.suites)
        added = entries(ledger)
        old = path.read_bytes() if path.is_file() else HEADER
        write_whole(path, with_entries(old, added, name=shown(path)))
    finally:
        (project.suites / LOCK).unlink(missing_ok=True)
        lock.release()
    touched = {one.claim if isinstance(one, Claim) else one.of for one in added}
    return Listed([each for each in load_ledger(project.suites).disputes if each.claim.claim in touched])


@dataclass(frozen=True)
class BoardScores:
    """A board's accuracies with and without its disputed cases."""

    key: BoardKey
    cases: Sequence[str]
    frame: Frame


@dataclass(frozen=True)
class Scores:
    """Every board that holds a disputed case."""

    boards: Sequence[BoardScores]

    def text(self) -> str:
        """For a terminal."""
        if not self.boards:
            return "no board holds a disputed case"
        return "\n\n".join("\n".join(_score_lines(board)) for board in self.boards)

    def data(self) -> object:
        """As plain JSON values."""
        return [
            {"board": to_plain(one.key), "disputed": list(one.cases), "rows": one.frame.to_dicts()}
            for one in self.boards
        ]


def scores(runs: Path, project: Path | None) -> Scores:
    """Both scores of every board below a folder that holds a case with an open claim.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
        SuiteError: the ledger is wrong.
    """
    cases = load_ledger(find_project(project).suites).disputed_cases()
    found = boards(verdict_frame(scored_below(runs)))
    held = {key: disputed_in(frame, cases) for key, frame in found.items()}
    return Scores([BoardScores(key, held[key], both_scores(found[key], cases)) for key in found if held[key]])


def _score_lines(board: BoardScores) -> Iterator[str]:
    yield board.key.label
    yield f"  disputed: {', '.join(board.cases)}"
    header = ["model", "strict, all cases", "n", "without", "n", "restraint, all", "n", "without", "n"]
    cells = [
        [
            str(row["model"]),
            *(
                percent(row[name]) if not name.endswith("_n") else str(row[name] or 0)
                for rate in ("strict", "restraint_accuracy")
                for name in (rate, f"{rate}_n", f"{rate}_without", f"{rate}_without_n")
            ),
        ]
        for row in board.frame.to_dicts()
    ]
    yield from aligned(header, cells)
