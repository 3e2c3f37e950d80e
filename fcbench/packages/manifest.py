"""The manifest of an execution package: its versioned wire form.

A run fixes its `RunHeader` before the first request. Sealing adds what happened: times, counts, and a SHA-256 of each
sealed file and of each attempt's record.
"""

from __future__ import annotations

from typing import Literal

from msgspec import field

from fcbench.core.boards import RunKey
from fcbench.core.names import CaseId, Digest, JsonValue, Outcome
from fcbench.core.records import Record, from_plain
from fcbench.engine.shards import Shard, in_shard
from fcbench.errors import PackageError
from fcbench.providers.base import ProviderInfo, Sampling

FORMAT_VERSION = 1
"""Of a whole package. Raised whenever an older fcbench could misread one; a newer package is refused by name."""
REDACTED_FORMAT = 2
"""Of a redacted package, which an older fcbench would take for one whose cases say nothing."""
NEWEST_FORMAT = max(FORMAT_VERSION, REDACTED_FORMAT)

MAX_PLANNED = 1_000_000
"""Attempts of one run. A hostile manifest may name more than any memory holds."""

Purpose = Literal["board", "interactive", "imported", "shard"]
"""Only `board` is ever ranked. `shard`: a part of a run, which is no run before it is merged with the others."""


class Assistance(Record, frozen=True, kw_only=True):
    """What the harness disclosed of the oracle (`harness_assistance` in every report)."""

    step_count_disclosed: bool
    """Whether the model was told how many expected steps remain."""
    round_budget: str
    """The rule of the budget: `expected steps + 4` or `10`."""


class RunHeader(Record, frozen=True, kw_only=True):
    """Everything that a run fixes before its first request. A resumed run must have an equal one."""

    format_version: int = 1
    """Written by `run_directory.pretty` even where it is the default."""
    run_id: str
    purpose: Purpose
    created_at: str
    """UTC, ISO 8601 with `Z`."""
    registry: str
    key: RunKey
    oracle_hash: Digest
    """Hash of the oracles as they were when the run was planned."""
    provider: ProviderInfo
    endpoint_sha256: Digest | None = None
    """SHA-256 of the base URL where one was given, so that a run does not go on against another server."""
    sampling: Sampling
    assistance: Assistance
    repeats: int
    """Planned repeats of each case."""
    repeats_rule: Literal["fixed", "auto"] = "fixed"
    time_scale: float = 1.0
    versions: dict[str, str] = field(default_factory=dict)
    """fcbench, Python and engines by name."""
    cases: tuple[CaseId, ...]
    """Planned cases in order; those of the whole plan where this is a shard of it."""
    shard: Shard | None = None
    """Which part of the plan this is, with purpose `shard`."""

    def same_run(self, other: RunHeader) -> bool:
        """Whether a run with this header may go on in a directory of the other's: all but id and time agree."""
        return not self.differences(other)

    def differences(self, other: RunHeader) -> tuple[str, ...]:
        """Names of the fields in which two headers differ, id and time of creation left out."""
        names = (name for name in self.__struct_fields__ if name not in ("run_id", "created_at"))
        return tuple(name for name in names if getattr(self, name) != getattr(other, name))


class MergedShard(Record, frozen=True, kw_only=True):
    """Where a part of a merged package comes from."""

    shard: Shard
    run_id: str
    created_at: str
    sealed_at: str
    manifest_sha256: Digest
    """Of the shard's `manifest.json`, which lists the SHA-256 of every attempt."""


class AttemptEntry(Record, frozen=True, kw_only=True):
    """One line of `attempts.jsonl`."""

    task_id: CaseId
    repeat: int
    try_number: int = field(default=1, name="try")
    outcome: Outcome
    sha256: Digest
    """Of the line without its newline; in a redacted package of the line as the full one has it."""
    redacted_sha256: Digest | None = None
    """Of the line that stands here instead, in a redacted package."""

    @property
    def line_sha256(self) -> Digest:
        """Of the line that stands here."""
        return self.redacted_sha256 or self.sha256


class Redaction(Record, frozen=True, kw_only=True):
    """That a package is the redacted form of another, and of which."""

    cases: int
    """Held-out cases that stand here by commitment only."""
    manifest_sha256: Digest
    """Of the full package's `manifest.json`, which lists the SHA-256 of every file and every record."""


class Manifest(Record, frozen=True, kw_only=True):
    """A sealed package's table of contents."""

    format_version: int = 1
    """Written by `run_directory.pretty` even where it is the default."""
    header: RunHeader
    sealed_at: str
    complete: bool
    """Whether every planned (case, repeat) has an outcome that may be judged or is final."""
    repeats_done: int
    """Repeats that every case has; lower than planned where `--repeats auto` found replies identical."""
    deterministic: str | None = None
    """Such as `20/20`: cases whose first three replies were identical, where `--repeats auto` looked."""
    counts: dict[str, int]
    """Attempts (last try of each) by outcome."""
    files: dict[str, Digest]
    """SHA-256 of each sealed file by name."""
    attempts: tuple[AttemptEntry, ...]
    merged_from: tuple[MergedShard, ...] = ()
    """The shards of which the package was merged, by their numbers; empty where one run made it."""
    redaction: Redaction | None = None
    """Where this is the redacted form of a package with held-out cases."""

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.header.run_id

    @property
    def planned(self) -> int:
        """Planned attempts: cases times repeats done, or a shard's part of them."""
        if self.header.shard is None:
            return len(self.header.cases) * self.repeats_done
        return len(planned_pairs(self.header, self.repeats_done))


def planned_pairs(header: RunHeader, repeats: int) -> list[tuple[CaseId, int]]:
    """Every (case, repeat) that a run or shard is to make, in the order of the plan.

    Raises:
        PackageError: the shard cannot be, or the plan is larger than any real one.
    """
    check_plan(header, repeats)
    whole = [(case, repeat) for repeat in range(1, repeats + 1) for case in header.cases]
    mine = in_shard(whole, header.shard)
    return [pair for pair in whole if pair in mine]


def check_plan(header: RunHeader, repeats: int) -> None:
    """Refuse a plan that cannot be.

    Raises:
        PackageError: the shard cannot be, or the plan is larger than any real one.
    """
    if len(header.cases) * repeats > MAX_PLANNED or not (header.shard is None or header.shard.exists):
        raise PackageError(
            "there is no such plan",
            wanted=f"at most {MAX_PLANNED:,} attempts, and a shard i/n with i from 1 to n",
            found=f"{len(header.cases):,} cases, {repeats:,} repeats, shard {header.shard}",
            where=header.run_id[:100],
        )


def read_manifest(value: JsonValue, *, where: str) -> Manifest:
    """Read a manifest.

    Raises:
        PackageError: the format is newer than this fcbench, or the record is not a manifest.
    """
    _refuse_newer(value, where)
    try:
        return from_plain(value, Manifest, where=where)
    except Exception as error:
        raise _unreadable("manifest", error, where) from error


def read_header(value: JsonValue, *, where: str) -> RunHeader:
    """Read the header of a run that is under way.

    Raises:
        PackageError: the format is newer than this fcbench, or the record is not a header.
    """
    _refuse_newer(value, where)
    try:
        return from_plain(value, RunHeader, where=where)
    except Exception as error:
        raise _unreadable("run header", error, where) from error


def _unreadable(what: str, error: Exception, where: str) -> PackageError:
    return PackageError(
        f"this {what} does not read",
        wanted=f"a {what} of format version {NEWEST_FORMAT} or older",
        found=getattr(error, "found", None) or str(error),
        where=where,
        next_step="restore the file from a copy of the package",
    )


def _refuse_newer(value: JsonValue, where: str) -> None:
    # Version 1 began without writing itself: where it is missing it is 1, whatever is current.
    version = value.get("format_version", 1) if isinstance(value, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version > NEWEST_FORMAT:
        raise PackageError(
            "this package comes from another format",
            wanted=f"format version {NEWEST_FORMAT} or older",
            found=f"format version {version!r}"[:80],
            where=where,
            next_step="install a newer fcbench, which reads older packages too",
        )
