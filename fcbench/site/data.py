"""What the site shows: sealed packages with their verdicts, and the tables of boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

import msgspec

from fcbench.aggregate.review_queue import QueueItem
from fcbench.core.boards import BoardKey
from fcbench.core.canonical import digest_bytes
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, TIERS_OF_HARNESS, CaseId, Digest, Tier
from fcbench.core.records import Record
from fcbench.core.verdicts import Verdict
from fcbench.errors import PackageError
from fcbench.packages.manifest import AttemptEntry, Manifest
from fcbench.packages.store import Package
from fcbench.site.board_detail import BoardDetail
from fcbench.site.downloads import Downloads
from fcbench.site.slugs import slug
from fcbench.suites.disputes import Dispute

VerdictKey = tuple[CaseId, int, Tier]


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One package with its verdicts of one evaluator version.

    Raises:
        PackageError: the package holds held-out cases in the clear, which may never be published.
    """

    package: Package
    verdicts: Mapping[VerdictKey, Verdict]
    key: Digest
    """Of the package as judged, and of the code: what is made from a whole run is kept under it."""

    def __post_init__(self) -> None:
        held_out = sum(case.is_secret for case in self.package.cases.values())
        if held_out:
            raise PackageError(
                "this package may not be published",
                wanted="no held-out case in the clear",
                found=f"{held_out} held-out cases",
                where=str(self.package.folder),
                next_step="publish its redacted form: `fcbench package redact`",
            )

    @property
    def manifest(self) -> Manifest:
        """The package's manifest."""
        return self.package.manifest

    @property
    def model(self) -> str:
        """The model's name as asked for."""
        return self.manifest.header.provider.model

    @property
    def is_control(self) -> bool:
        """Whether this run is a control, which is never ranked."""
        return self.manifest.header.provider.control

    @cached_property
    def slug(self) -> str:
        """File name of the run: its id, told apart from equal ids under another registry."""
        registry = str(self.manifest.header.key.registry_hash)[:12]
        return slug(self.manifest.run_id) + "-" + slug(registry)

    @property
    def home(self) -> str:
        """Where the package lies below a `runs` folder, for people."""
        return str(PurePosixPath("runs") / self.package.folder.parent.name / self.package.folder.name)

    @cached_property
    def tiers(self) -> tuple[Tier, ...]:
        """Tiers with verdicts, in the order of the protocol."""
        found = {tier for _, _, tier in self.verdicts}
        return tuple(tier for tier in TIERS_OF_HARNESS[self.manifest.header.key.harness] if tier in found)

    @property
    def headline(self) -> Tier:
        """The tier that decides whether an attempt is shown as passed (table in PROTOCOL 2)."""
        if self.manifest.header.key.harness == "workbench":
            return "task-completion-execution"
        return "native-function-contract"

    @cached_property
    def entries(self) -> dict[tuple[CaseId, int], AttemptEntry]:
        """The last try of each (case, repeat), in the order of the package."""
        last: dict[tuple[CaseId, int], AttemptEntry] = {}
        for entry in self.manifest.attempts:
            key = (entry.task_id, entry.repeat)
            if key not in last or last[key].try_number <= entry.try_number:
                last[key] = entry
        return last

    def verdict(self, task_id: CaseId, repeat: int, tier: Tier | None = None) -> Verdict | None:
        """The verdict at a tier (the headline tier by default); None where there is none."""
        return self.verdicts.get((task_id, repeat, tier or self.headline))

    def status(self, task_id: CaseId, repeat: int) -> Status:
        """How one attempt stands at the headline tier."""
        entry = self.entries.get((task_id, repeat))
        if entry is None:
            return Status(word="missing", kind="none")
        verdict = self.verdict(task_id, repeat)
        if entry.outcome not in SCORABLE:
            return Status(word=entry.outcome.replace("_", " "), kind="none")
        if verdict is None:
            return Status(word="not judged", kind="none")
        if verdict.passed:
            return Status(word="passed", kind="pass")
        return Status(word="recovered" if verdict.passed_with_recovery else "failed", kind="fail")

    def case(self, task_id: CaseId) -> Case | None:
        """The case as run."""
        return self.package.cases.get(task_id)

    @cached_property
    def _places(self) -> dict[tuple[CaseId, int], tuple[int, int]]:
        """Offset and length of each last try's line in `attempts.jsonl`."""
        places: dict[tuple[CaseId, int], tuple[int, int]] = {}
        offset = 0
        for entry, line in zip(self.manifest.attempts, self.package.raw_attempts(), strict=True):
            if self.entries[(entry.task_id, entry.repeat)] is entry:
                places[(entry.task_id, entry.repeat)] = (offset, len(line))
            offset += len(line) + 1
        return places

    def raw_attempt(self, task_id: CaseId, repeat: int) -> bytes:
        """The line of one attempt, read from disk when it is asked for."""
        offset, length = self._places[(task_id, repeat)]
        with (self.package.folder / "attempts.jsonl").open("rb") as stream:
            stream.seek(offset)
            return stream.read(length)

    def attempt(self, task_id: CaseId, repeat: int) -> Attempt:
        """One attempt, read from disk when it is asked for.

        Its line was read strictly when the rows of the run were made, under the same manifest. Here its digest is
        enough, and the quicker decoder.

        Raises:
            PackageError: the line is not the one of the manifest.
        """
        line, entry = self.raw_attempt(task_id, repeat), self.entries[(task_id, repeat)]
        if digest_bytes(line) != entry.line_sha256:
            raise PackageError(
                "an attempt is not the one that was sealed",
                wanted=f"SHA-256 {entry.line_sha256}",
                found="another line",
                where=f"{self.home}/attempts.jsonl, case {task_id}, repeat {repeat}",
                next_step="`fcbench verify` says what else was altered",
            )
        return msgspec.json.decode(line, type=Attempt)


class Status(Record, frozen=True, kw_only=True):
    """How an attempt stands: always shown as sign, word and colour together."""

    word: str
    kind: str
    """`pass`, `fail` or `none`."""

    @property
    def sign(self) -> str:
        """A sign that works without colour."""
        return {"pass": "✓", "fail": "✗"}.get(self.kind, "–")


class Rate(Record, frozen=True, kw_only=True):
    """A share with the numbers behind it."""

    value: float | None
    numerator: float | None = None
    denominator: int | None = None
    low: float | None = None
    high: float | None = None
    """Limits of the 95 % interval."""


class BoardRow(Record, frozen=True, kw_only=True):
    """One run on one board. None means unknown, never zero."""

    model: str
    run_id: str
    control: bool
    complete: bool
    rank: int | None
    """None for a run that may not be ranked."""
    rank_low: int | None = None
    rank_high: int | None = None
    """The best and the worst rank that the tests over all pairs of the board leave open."""
    rates: dict[str, Rate]
    """By column name."""
    numbers: dict[str, float | None]
    """Plain numbers by column name."""
    counts: dict[str, int | None] = msgspec.field(default_factory=dict)
    """Attempts behind a plain number, by column name."""
    currency: str = ""
    """Of its cost; empty where no price is known."""
    worst: float | None = None
    best: float | None = None
    """Bounds of the strict accuracy of an incomplete run."""
    repeats: int
    date: str
    badges: tuple[str, ...] = ()
    assistance: str = ""
    """What the harness disclosed, and the rule of the round budget."""
    package: str = ""
    """Folder of the package below `runs/`."""


@dataclass(frozen=True, kw_only=True)
class BoardView:
    """One board's table."""

    key: BoardKey
    rows: tuple[BoardRow, ...]
    cases_applicable: int
    cases_planned: int
    detail: BoardDetail = field(default_factory=BoardDetail)
    """What the board's own page shows beside its rows."""
    files: Downloads = field(default_factory=Downloads)

    @property
    def is_headline(self) -> bool:
        """Whether this is its collection's own board (table in PROTOCOL 2): real where real tools exist."""
        run, tier = self.key.run, self.key.tier
        if run.collection.split("/")[0] == "genomics":
            return run.harness == "workbench" and tier == "task-completion-execution"
        return run.harness_mode == "production-parity" and tier == "native-function-contract"

    @property
    def steered(self) -> bool:
        """Whether the harness told the model how many steps were left."""
        return self.key.run.harness_mode == "oracle-assisted"


@dataclass(frozen=True, kw_only=True)
class SiteData:
    """Everything that the site shows."""

    runs: Sequence[RunView]
    boards: Sequence[BoardView]
    registries: Mapping[str, Sequence[ToolContract]] = field(default_factory=dict)
    """Whole registries that lie beside the packages, by hash."""
    claims: Mapping[CaseId, tuple[Dispute, ...]] = field(default_factory=dict)
    """Open claims about cases, from the ledger (`suites/reviews.yaml`)."""
    disputes: Sequence[Dispute] = ()
    """All claims of the ledger with their rulings."""
    queue: Sequence[QueueItem] = ()
    """What a person should look at and nobody has decided."""

    @cached_property
    def cases(self) -> dict[CaseId, Case]:
        """Every case of every run, by id; where runs hold different versions, the first run's."""
        found: dict[CaseId, Case] = {}
        for run in self.runs:
            for task_id, case in run.package.cases.items():
                found.setdefault(task_id, case)
        return found

    @cached_property
    def runs_of_case(self) -> dict[CaseId, tuple[RunView, ...]]:
        """Runs that planned a case."""
        found: dict[CaseId, list[RunView]] = {}
        for run in self.runs:
            for task_id in run.package.cases:
                found.setdefault(task_id, []).append(run)
        return {task_id: tuple(runs) for task_id, runs in found.items()}

    @cached_property
    def models(self) -> dict[str, tuple[RunView, ...]]:
        """Runs by model, models sorted by name, controls last."""
        found: dict[str, list[RunView]] = {}
        for run in sorted(self.runs, key=lambda one: (one.is_control, one.model, one.slug)):
            found.setdefault(run.model, []).append(run)
        return {model: tuple(runs) for model, runs in found.items()}
