"""Synthetic rows for the benchmark of tables: one Parquet file a package, as wide as a verdict frame.

Every package is one run of one board over the same cases. The rows hold what the verdict file and the evidence of a
package give together (`FRAME_SCHEMA`), so that both sides of a comparison begin with the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from fcbench.aggregate.frames import FRAME_SCHEMA

REPEATS = 5
_FAULTS = ("wrong_value", "missing_argument", "extra_call", "wrong_tool", "missing_call")
_KINDS = pl.Series(
    [[], *([_FAULTS[index % 5], _FAULTS[(index + 1) % 5]][: 1 + index % 2] for index in range(10))],
    dtype=pl.List(pl.String),
)
"""Fault kinds of an attempt that passed, then of ten that did not."""
_TRAPS = ("off_by_one", "strand", "unit", "default", "near_name")
_SHARE_OF_CALLS, _SHARE_JUDGED = 0.85, 0.99


def write_packages(folder: Path, *, packages: int, rows: int) -> list[Path]:
    """Write `packages` files of about `rows / packages` rows each; equal arguments give equal rows."""
    cases = _cases(max(1, rows // packages // REPEATS))
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(packages):
        path = folder / f"package-{number:03d}.parquet"
        _package(cases, number).write_parquet(path, compression="zstd", row_group_size=100_000)
        paths.append(path)
    return paths


def _cases(count: int) -> pl.DataFrame:
    draw = np.random.default_rng(8)
    calls = draw.random(count) < _SHARE_OF_CALLS
    number = np.arange(count)
    return pl.DataFrame(
        {
            "task_id": [f"synthetic-{index:06d}" for index in number],
            "suite": np.where(calls, "synthetic-calls", "synthetic-restraint"),
            "decision": np.where(calls, "call", "no_call"),
            "category": _drawn(draw, [f"category-{index}" for index in range(12)], count),
            "mix": _drawn(draw, ["explicit", "implicit", "edge"], count),
            "level": _drawn(draw, [f"L{index}" for index in range(1, 6)], count),
            "language": _drawn(draw, ["en", "nl"], count),
            "difficulty": _drawn(draw, ["easy", "medium", "hard"], count),
            "target_tool": _drawn(draw, [f"tool_{index}" for index in range(139)], count),
            "tools": [[f"tool_{index % 139}", f"tool_{index * 7 % 139}"][: index % 3] for index in number],
            "traps": [[_TRAPS[index % 5], _TRAPS[(index + 2) % 5]][: index % 3] for index in number],
            "expected_calls": calls.astype(np.int32),
            "single_call": number % 4 == 0,
        }
    )


def _package(cases: pl.DataFrame, number: int) -> pl.DataFrame:
    draw = np.random.default_rng(1000 + number)
    repeats = pl.DataFrame({"repeat": range(1, REPEATS + 1)})
    plan = cases.join(repeats, how="cross", maintain_order="left_right")
    count = plan.height
    passed = draw.random(count) < 0.3 + 0.6 * number / 200
    judged = draw.random(count) < _SHARE_JUDGED
    read, written = draw.integers(200, 6000, count), draw.integers(5, 400, count)
    attempt = {
        "outcome": np.where(judged, "completed", "provider_error"),
        "duration_s": draw.exponential(2.0, count),
        "rounds": draw.integers(1, 4, count),
        "calls": draw.integers(0, 4, count),
        "over_calls": draw.integers(0, 2, count),
        "duplicate_calls": draw.integers(0, 2, count),
        "invalid_calls": draw.integers(0, 2, count),
        "cached_input_tokens": read // 2,
        "worst_rank": draw.integers(1, 25, count),
        "input_tokens": read,
        "output_tokens": written,
        "retries": np.zeros(count, np.int32),
        "retrieval_recall": draw.integers(0, 3, count) / 2,
    }
    verdict = {
        "passed": passed,
        "passed_with_recovery": passed | (draw.random(count) < 0.1),
        "expected_tools_offered": draw.random(count) < 0.9,
        "partial_score": np.where(passed, 1.0, draw.random(count)),
        "partial_tool_coverage": draw.integers(0, 3, count) / 2,
        "partial_arguments": draw.random(count),
        "syntactic_validity": draw.random(count) < 0.97,
        "schema_conformance": draw.random(count) < 0.9,
        "argument_fidelity": passed,
        "restraint": draw.random(count) < 0.95,
        "exact_match": passed,
        "conforming_replies": pl.Series([[False, True, True], [True, True, True]]).gather(passed.astype(np.uint32)),
        "fault_kinds": _KINDS.gather(np.where(passed, 0, 1 + np.arange(count) % 10)),
        "anomalies": pl.Series([[]], dtype=pl.List(pl.String)).gather(np.zeros(count, np.uint32)),
    }
    masked = [pl.when(pl.Series(judged)).then(pl.Series(name, values)).alias(name) for name, values in verdict.items()]
    frame = plan.with_columns(
        *(pl.lit(value).alias(name) for name, value in _run(number, cases.height).items()),
        *(pl.Series(name, values) for name, values in attempt.items()),
        *masked,
    )
    absent = [pl.lit(None).alias(name) for name in FRAME_SCHEMA.names() if name not in frame.columns]
    return frame.with_columns(absent).select(pl.col(name).cast(kind) for name, kind in FRAME_SCHEMA.items())


def _run(number: int, cases: int) -> dict[str, object]:
    hashes = {name: digit * 64 for digit, name in _digits()}
    return {
        **hashes,
        "collection": "synthetic",
        "harness": "contract",
        "harness_mode": "production-parity",
        "retrieval": "lexical:24",
        "decoding": "free",
        "tier": "native-function-contract",
        "evaluator_version": 2,
        "run_id": f"run-{number:03d}",
        "model": f"model-{number:03d}",
        "provider": "synthetic",
        "purpose": "board",
        "control": number % 50 == 0,
        "sealed_complete": True,
        "repeats": REPEATS,
        "cases_planned": cases,
        "created_at": "2026-05-04T03:02:01.000Z",
        "harness_assistance": "step count not disclosed; rounds: 10",
        "badges": "temperature 0.7",
        "package": f"synthetic/run-{number:03d}",
    }


def _digits() -> list[tuple[str, str]]:
    """A digit for each digest of the board key."""
    names = [name for name in FRAME_SCHEMA.names() if name.endswith("_hash")]
    return [(str(number % 10), name) for number, name in enumerate(names)]


def _drawn(draw: np.random.Generator, words: list[str], count: int) -> np.ndarray:
    return np.array(words)[draw.integers(0, len(words), count)]
