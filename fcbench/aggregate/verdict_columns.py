"""The columns of a verdict file, and the way from a verdict to a row and back without loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
import polars as pl

from fcbench.core.canonical import MAX_BYTES, MAX_DEPTH, clean_json, clean_text, parse_json
from fcbench.core.names import JsonValue
from fcbench.core.records import Record, from_plain, to_plain
from fcbench.core.verdicts import CallJudgement, Condition, Dimensions, Fault, PartialScore, Verdict
from fcbench.errors import BadInputError, PackageError

KEY = ["task_id", "repeat", "tier"]
"""What makes a row of a verdict file unique."""
DETAILS = ("conditions", "faults", "judgements")
"""Columns of JSON text, which say why a verdict is what it is; no table needs them."""
PARTIAL_PREFIX = "partial_"
_T = TypeVar("_T", bound=Record)

_PARTIAL = {
    "score": pl.Float64(),
    "tool_coverage": pl.Float64(),
    "arguments": pl.Float64(),
    "schema_validity": pl.Float64(),
    "observed_execution": pl.Float64(),
    "successful_execution": pl.Float64(),
    "unexpected_state_changes": pl.Int32(),
}
_DIMENSIONS = {
    "syntactic_validity": pl.Boolean(),
    "schema_conformance": pl.Boolean(),
    "argument_fidelity": pl.Boolean(),
    "restraint": pl.Boolean(),
    "exact_match": pl.Boolean(),
    "field_precision": pl.Float64(),
    "field_recall": pl.Float64(),
}
VERDICT_SCHEMA = pl.Schema(
    {
        "task_id": pl.String(),
        "repeat": pl.Int32(),
        "tier": pl.String(),
        "evaluator_version": pl.Int32(),
        "passed": pl.Boolean(),
        "passed_with_recovery": pl.Boolean(),
        "expected_tools_offered": pl.Boolean(),
        **{PARTIAL_PREFIX + name: kind for name, kind in _PARTIAL.items()},
        **_DIMENSIONS,
        "conforming_replies": pl.List(pl.Boolean()),
        "fault_kinds": pl.List(pl.String()),
        "anomalies": pl.List(pl.String()),
        "conditions": pl.String(),
        "faults": pl.String(),
        "judgements": pl.String(),
    }
)
"""Columns of a verdict file. `conditions`, `faults` and `judgements` are JSON (`json_text`); `fault_kinds` holds one
entry a fault, in the faults' order."""


def row_of(verdict: Verdict) -> tuple[object, ...]:
    """One verdict as a row in the order of `VERDICT_SCHEMA`."""
    return (
        clean_text(verdict.task_id),
        verdict.repeat,
        verdict.tier,
        verdict.evaluator_version,
        verdict.passed,
        verdict.passed_with_recovery,
        verdict.expected_tools_offered,
        *(getattr(verdict.partial, name) for name in _PARTIAL),
        *(getattr(verdict.dimensions, name) for name in _DIMENSIONS),
        list(verdict.conforming_replies),
        [fault.kind for fault in verdict.faults],
        [clean_text(name) for name in verdict.anomalies],
        records_text(verdict.conditions),
        records_text(verdict.faults),
        records_text(verdict.judgements),
    )


def verdict_of(row: Mapping[str, object]) -> Verdict:
    """A row as a verdict again.

    Raises:
        PackageError: a cell does not hold what it should.
    """
    try:
        plain = {name: row[name] for name in VERDICT_SCHEMA.names()[:7]}
        partial = {name: row[PARTIAL_PREFIX + name] for name in _PARTIAL}
        dimensions = {name: row[name] for name in _DIMENSIONS}
        return msgspec.convert(
            {
                **plain,
                "partial": from_plain(partial, PartialScore),
                "dimensions": from_plain(dimensions, Dimensions),
                "conditions": _records(row["conditions"], Condition),
                "faults": _records(row["faults"], Fault),
                "judgements": _records(row["judgements"], CallJudgement),
                "conforming_replies": row["conforming_replies"],
                "anomalies": row["anomalies"],
            },
            Verdict,
        )
    except (BadInputError, msgspec.ValidationError) as error:
        key = ", ".join(str(row.get(name)) for name in KEY)
        found = getattr(error, "found", None) or str(error)
        raise PackageError("a row of the verdict file does not read", found=found, where=key) from error


def records_text(records: Sequence[Record]) -> str:
    """Records as one JSON array (`json_text`)."""
    return json_text([to_plain(record) for record in records]) if records else "[]"


def json_text(value: JsonValue) -> str:
    """One line of JSON with sorted keys and no spaces, for any value that a model may have sent; nothing is lost.

    It is not RFC 8785, which is for digests: that form refuses integers beyond 2^53 - 1, turns 1.0 into 1 and pads
    66387444916933710.0 with digits that read back as another number. Lone surrogates, which no encoder takes, become
    U+FFFD.
    """
    text = _dump(value)
    return text if clean_text(text) == text else _dump(clean_json(value))


def _dump(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _records(cell: object, kind: type[_T]) -> tuple[_T, ...]:
    if not isinstance(cell, str):
        raise BadInputError("a cell is empty", wanted=f"JSON of {kind.__name__} records", found=repr(cell)[:80])
    # A fault quotes arguments that were parsed at the usual depth and size; it lies a little deeper and may be longer.
    items = parse_json(cell, max_bytes=8 * MAX_BYTES, max_depth=MAX_DEPTH + 8)
    if not isinstance(items, list):
        raise BadInputError("a cell holds no list", wanted=f"JSON of {kind.__name__} records", found=cell[:80])
    return tuple(from_plain(item, kind) for item in items)
