"""Frames: one row for each planned (case, repeat) at one tier, with everything that tables group by.

A row without a verdict (`passed` is null) is an attempt that has no scorable outcome, or that is missing from a run
that was sealed incomplete. It is there so that completion rates and bounds have their denominator; it is never scored
as wrong (PROTOCOL 2). Cases that a tier cannot judge have no row: `cases_planned` holds the N of "n of N applicable".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import polars as pl

from fcbench.aggregate.attempts import (
    duplicate_calls,
    expected_tools,
    invalid_calls,
    over_calls,
    reply_tokens,
    retrieval_recall,
    worst_rank,
)
from fcbench.aggregate.verdict_columns import DETAILS, KEY, VERDICT_SCHEMA
from fcbench.aggregate.verdict_files import VerdictFileInfo, read_info, read_verdicts, verdict_file_name, verdict_files
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, TIERS_OF_HARNESS, CaseId, HarnessName, ToolName
from fcbench.errors import PackageError
from fcbench.evaluator import EVALUATOR_VERSION, applicable_tiers
from fcbench.packages.manifest import Manifest
from fcbench.packages.store import Package
from fcbench.suites.manual import is_manual_suite

Frame: TypeAlias = pl.DataFrame
"""A polars frame, for floors above that only pass one on."""

_NAME = pl.Categorical()
"""Few different values over many rows: four bytes a row instead of sixteen."""

BOARD_COLUMNS = (
    "collection",
    "task_hash",
    "oracle_hash",
    "registry_hash",
    "fixture_hash",
    "prompt_hash",
    "harness",
    "harness_mode",
    "retrieval",
    "decoding",
    "tier",
    "evaluator_version",
)
"""The parts of the board key (PROTOCOL 1), each a column of its own."""

_BOARD = {name: pl.Int32() if name == "evaluator_version" else _NAME for name in BOARD_COLUMNS}
RUN_COLUMNS = {
    "run_id": _NAME,
    "model": _NAME,
    "provider": _NAME,
    "purpose": _NAME,
    "control": pl.Boolean(),
    "sealed_complete": pl.Boolean(),
    "repeats": pl.Int32(),
    "cases_planned": pl.Int32(),
    "created_at": _NAME,
    "harness_assistance": _NAME,
    "badges": _NAME,
    "package": _NAME,
}
_CASE = {
    "task_id": pl.String(),
    "suite": _NAME,
    "decision": _NAME,
    "category": _NAME,
    "mix": _NAME,
    "level": _NAME,
    "exercised_level": _NAME,
    "language": _NAME,
    "difficulty": _NAME,
    "family": _NAME,
    "pair": _NAME,
    "target_tool": _NAME,
    "field_language": _NAME,
    "tools": pl.List(pl.String()),
    "traps": pl.List(pl.String()),
    "expected_calls": pl.Int32(),
    "single_call": pl.Boolean(),
}
_ATTEMPT = {
    "repeat": pl.Int32(),
    "outcome": _NAME,
    "duration_s": pl.Float64(),
    "rounds": pl.Int32(),
    "calls": pl.Int32(),
    "over_calls": pl.Int32(),
    "duplicate_calls": pl.Int32(),
    "invalid_calls": pl.Int32(),
    "input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "cached_input_tokens": pl.Int64(),
    "reply_tokens": pl.List(pl.Int64()),
    "retries": pl.Int32(),
    "retrieval_recall": pl.Float64(),
    "worst_rank": pl.Int32(),
}
_FROM_KEY = {"task_id", "repeat", "tier", "evaluator_version"}
_VERDICT = {name: kind for name, kind in VERDICT_SCHEMA.items() if name not in _FROM_KEY and name not in DETAILS}
FRAME_SCHEMA = pl.Schema({**_BOARD, **RUN_COLUMNS, **_CASE, **_ATTEMPT, **_VERDICT})
"""Columns of a verdict frame.

`outcome` is null where the attempt is missing; `duration_s` is in seconds. `target_tool` is the one expected tool, or
the one that a case without calls is about, null where there are several; `field_language` is that of its fields;
`tools` are all expected ones. `over_calls`, `duplicate_calls` and `invalid_calls` are counts (`attempts`). `worst_rank`
is the rank of the expected tool that retrieval found last, null where one was not found or nothing was ranked.
`reply_tokens` are the tokens read and written up to the first, second, ... reply of a single-call task, null from the
first reply that nobody counted. The texts of conditions, faults and judgements stay in the verdict files.
"""
UNRANKED = ("given", "all")
"""Ways of offering tools that put them in no order of fitness."""
MAX_REPEATS = 10_000
"""More repeats than anyone runs; a damaged manifest could ask for a frame without end."""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A package with one of its verdict files."""

    package: Package
    verdicts: Path
    cases: Mapping[CaseId, Case] | None = None
    """Today's cases, where today's oracle judged (`score --oracle current`); None for the cases as run."""


def latest_verdicts(package: Package) -> Path | None:
    """The verdict file of the newest evaluator that judged with the package's own oracle; None where there is none.

    A file of an evaluator newer than this one cannot be recomputed here, and one under another name than its own
    is no file of ours: neither is ever taken.
    """
    for path in reversed(verdict_files(package)):
        info = read_info(path)
        named = path.name == verdict_file_name(info.evaluator_version, info.oracle_hash)
        if named and info.evaluator_version <= EVALUATOR_VERSION and info.oracle_hash == package.header.oracle_hash:
            return path
    return None


def verdict_frame(sources: Iterable[Scored]) -> pl.DataFrame:
    """The rows of all sources, over all boards, as `FRAME_SCHEMA`; `boards.boards` takes them apart.

    Rows lie in the order of the sources, then by tier, by the plan's order of cases, and by repeat. Only repeats that
    every case has are taken (`repeats_done`): those few that `--repeats auto` tried first would weigh double.

    Raises:
        PackageError: a verdict file was made from other evidence, names an attempt that is not there, or is damaged;
            or one run comes twice under one evaluator and oracle.
    """
    return pl.concat([pl.DataFrame(schema=FRAME_SCHEMA), *verdict_frames(sources)])


def verdict_frames(sources: Iterable[Scored]) -> Iterator[pl.DataFrame]:
    """The same, one frame a source: no more than one package lies in memory where each is opened as it is asked for.

    Raises:
        PackageError: as `verdict_frame`, when the frame of that source is asked for.
    """
    seen: set[tuple[str, str]] = set()
    for source in sources:
        info, verdicts = read_verdicts(source.verdicts, details=False)
        _check(source, info, verdicts, seen)
        yield _source_frame(source, info, verdicts)


def badges(manifest: Manifest) -> tuple[str, ...]:
    """What distinguishes a row inside its board, in words: attributes, never parts of the key (PROTOCOL 1)."""
    provider, sampling = manifest.header.provider, manifest.header.sampling
    found = [
        ("control", provider.control),
        (manifest.header.purpose, manifest.header.purpose != "board"),
        ("incomplete", not manifest.complete),
        ("sealed", manifest.redaction is not None),
        ("local", provider.endpoint in ("loopback", "private")),
        (f"temperature {sampling.temperature:g}", sampling.temperature != 0),
        ("no seed", sampling.seed is None),
        (f"output limit {sampling.max_output_tokens}", sampling.max_output_tokens != 1024),
        (f"reasoning {sampling.reasoning_effort}", sampling.reasoning_effort is not None),
        (f"time limit x {manifest.header.time_scale:g}", manifest.header.time_scale != 1),
        (f"deterministic {manifest.deterministic}", manifest.deterministic is not None),
        (f"engine {provider.engine}", provider.engine is not None),
        (f"quantisation {provider.quantisation}", provider.quantisation is not None),
        (f"template {(provider.chat_template_sha256 or '')[:8]}", provider.chat_template_sha256 is not None),
    ]
    return tuple(text for text, holds in found if holds)


def target_tool(case: Case) -> ToolName | None:
    """The tool that a case is about: its only expected tool, or the one that a case without calls names."""
    expected = expected_tools(case)
    return case.oracle.labels.target if not expected else min(expected) if len(expected) == 1 else None


def board_parts(manifest: Manifest, info: VerdictFileInfo) -> dict[str, object]:
    """The board key of a run under a verdict file, tier left out, by column."""
    key = {name: getattr(manifest.header.key, name) for name in manifest.header.key.__struct_fields__}
    return {**key, "oracle_hash": info.oracle_hash, "evaluator_version": info.evaluator_version}


def run_parts(manifest: Manifest, package: str) -> dict[str, object]:
    """What a run says of itself, by column of `RUN_COLUMNS`."""
    header = manifest.header
    disclosed = "step count disclosed" if header.assistance.step_count_disclosed else "step count not disclosed"
    return {
        "run_id": header.run_id,
        "model": header.provider.model,
        "provider": header.provider.provider,
        "purpose": header.purpose,
        "control": header.provider.control,
        "sealed_complete": manifest.complete,
        "repeats": manifest.repeats_done,
        "cases_planned": len(header.cases),
        "created_at": header.created_at,
        "harness_assistance": f"{disclosed}; rounds: {header.assistance.round_budget}",
        "badges": "; ".join(badges(manifest)),
        "package": package,
    }


def refuse_twice(source: Scored, judged: str, seen: set[tuple[str, str]]) -> None:
    """Note a run as seen.

    Args:
        source: the run.
        judged: the name that its verdict file must have, which says by which evaluator and oracle.
        seen: runs that came before.

    Raises:
        PackageError: it was seen before under the same evaluator and oracle.
    """
    key = (source.package.manifest.run_id, judged)
    if key in seen:
        raise PackageError(
            "one run comes twice",
            wanted="each run once",
            found=key[0],
            where=str(source.verdicts),
            next_step="leave one of them out",
        )
    seen.add(key)


def _check(source: Scored, info: VerdictFileInfo, verdicts: pl.DataFrame, seen: set[tuple[str, str]]) -> None:
    where = str(source.verdicts)
    if not info.belongs_to(source.package):
        raise PackageError(
            "this verdict file was made from other evidence",
            wanted="the SHA-256 of attempts.jsonl and cases.jsonl as in the manifest",
            where=where,
            next_step="run `fcbench score` on the package",
        )
    refuse_twice(source, verdict_file_name(info.evaluator_version, info.oracle_hash), seen)
    known = {(entry.task_id, entry.repeat) for entry in source.package.manifest.attempts}
    for case, repeat in verdicts.select("task_id", "repeat").iter_rows():
        if (case, repeat) not in known:
            raise PackageError(
                "a verdict has no attempt", found=f"{case} repeat {repeat}", where=where, next_step="score it again"
            )


def _source_frame(source: Scored, info: VerdictFileInfo, verdicts: pl.DataFrame) -> pl.DataFrame:
    package = source.package
    folder = f"{package.folder.parent.name}/{package.folder.name}"
    fixed = {**board_parts(package.manifest, info), **run_parts(package.manifest, folder)}
    constant = [pl.lit(value, FRAME_SCHEMA[name]).alias(name) for name, value in fixed.items()]
    planned = _planned_rows(source)
    possible = TIERS_OF_HARNESS[package.header.key.harness]
    # Without a single verdict (every request failed) the run still shows, with a completion rate of nought.
    tiers = [tier for tier in possible if verdicts.is_empty() or tier in verdicts["tier"].unique()]
    frames = [pl.DataFrame(schema=FRAME_SCHEMA)]
    for tier in tiers:
        judged = verdicts.filter(pl.col("tier") == tier).drop("tier", "evaluator_version")
        rows = planned.join(judged, on=KEY[:2], how="left", maintain_order="left")
        applicable = pl.col("passed").is_not_null() | ~pl.col("scorable") & pl.col(f"applicable_{tier}")
        rows = rows.filter(applicable).with_columns(*constant, pl.lit(tier, _NAME).alias("tier"))
        frames.append(rows.select(FRAME_SCHEMA.names()))
    return pl.concat(frames)


def _planned_rows(source: Scored) -> pl.DataFrame:
    """One row a planned (case, repeat), with what is known of case and attempt."""
    manifest = source.package.manifest
    cases = {**source.package.cases, **(source.cases or {})}
    unknown = [case for case in manifest.header.cases if case not in cases]
    if unknown or manifest.repeats_done > MAX_REPEATS:
        found = f"no case {unknown[0]}" if unknown else f"{manifest.repeats_done} repeats"
        raise PackageError("the manifest does not fit its files", found=found, where=str(source.package.folder))
    attempts = _typed(
        (_attempt_row(cases, attempt, manifest.header.key.retrieval) for attempt in source.package.attempts()),
        {"task_id": pl.String(), **_ATTEMPT, "scorable": pl.Boolean()},
        source.package.folder,
    )
    harness = manifest.header.key.harness
    tiers = {f"applicable_{tier}": pl.Boolean() for tier in TIERS_OF_HARNESS[harness]}
    contracts = source.package.contracts
    # A package from elsewhere may hold manual cases; they are in no table (PROTOCOL 8).
    listed = [cases[case] for case in manifest.header.cases if not is_manual_suite(cases[case].suite)]
    rows = (_case_row(case, harness, tiers, contracts) for case in listed)
    described = _typed(rows, {**_CASE, **tiers}, source.package.folder)
    repeats = pl.DataFrame({"repeat": range(1, manifest.repeats_done + 1)}, schema={"repeat": pl.Int32()})
    plan = described.join(repeats, how="cross", maintain_order="left_right")
    joined = plan.join(attempts, on=["task_id", "repeat"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("scorable").fill_null(False))


def _typed(rows: Iterable[tuple[object, ...]], schema: Mapping[str, pl.DataType], folder: Path) -> pl.DataFrame:
    try:
        return pl.DataFrame(list(rows), schema=schema, orient="row")
    except (pl.exceptions.PolarsError, OverflowError, TypeError) as error:
        # Such as a provider that counts more tokens than 64 bits hold.
        raise PackageError(
            "a number of this package is out of range", found=str(error).splitlines()[0][:200], where=str(folder)
        ) from error


def _case_row(
    case: Case, harness: HarnessName, tiers: Iterable[str], contracts: Mapping[ToolName, ToolContract]
) -> tuple[object, ...]:
    labels, target = case.oracle.labels, target_tool(case)
    judged_at = {f"applicable_{tier}" for tier in applicable_tiers(case, harness)}
    cells: Iterator[object] = chain(
        (case.id, case.suite, case.oracle.decision, labels.category, labels.mix, labels.level, labels.exercised_level),
        (case.task.language, labels.difficulty, labels.family, labels.pair),
        (target, contracts[target].language if target and target in contracts else None),
        (sorted(expected_tools(case)), list(labels.traps)),
        (len(case.oracle.calls), case.task.single_call),
        # Only where nothing was judged: a verdict says itself that its tier applies.
        (name in judged_at for name in tiers),
    )
    return tuple(cells)


def _attempt_row(cases: Mapping[CaseId, Case], attempt: Attempt, retrieval: str) -> tuple[object, ...]:
    if attempt.task_id not in cases:
        raise PackageError("an attempt has no case", found=attempt.task_id, next_step="verify the package")
    case = cases[attempt.task_id]
    counts = (
        len(attempt.rounds),
        len(attempt.calls),
        over_calls(case, attempt),
        duplicate_calls(attempt.calls),
        invalid_calls(attempt),
    )
    return (
        attempt.task_id,
        attempt.repeat,
        attempt.outcome,
        attempt.duration_s,
        # Of a sealed case nobody is told: none is not nought.
        *(counts if case.commitment is None else (None,) * len(counts)),
        attempt.usage.input_tokens,
        attempt.usage.output_tokens,
        attempt.usage.cached_input_tokens,
        reply_tokens(attempt) if case.task.single_call and case.commitment is None else None,
        attempt.retries,
        retrieval_recall(case, attempt),
        None if retrieval in UNRANKED else worst_rank(case, attempt),
        attempt.outcome in SCORABLE,
    )
