"""`fcbench-gate.yaml` as it is written: the records of a gate's rules."""

from __future__ import annotations

from typing import Literal, get_args

from fcbench.core.names import Tier
from fcbench.core.records import Record

Share = Literal[
    "strict",
    "restraint",
    "schema-conformance",
    "exact-match",
    "argument-fidelity",
    "syntactic-validity",
]
Measure = Literal[Share, "completion", "latency-p50", "latency-p95", "tokens", "cost", "cost-per-success"]
SegmentKind = Literal["level", "schema", "mix", "trap", "language", "suite", "category"]
FLOORED = (*get_args(Share), "completion")
"""Measures of which a gate wants much; of the others it wants little."""
CONFIG = "fcbench-gate.yaml"
MARGIN = 0.05
MAX_RULES = 1_000


class GateRule(Record, frozen=True, kw_only=True):
    """One threshold. Exactly one of `min` and `max` is given, as the measure has it."""

    measure: Measure
    min: float | None = None
    """A share from 0 to 1."""
    max: float | None = None
    """Seconds, tokens or money, above 0."""
    segment: str | None = None
    """`level:L3`, or `L3` where one kind of segment only has it; None: all cases."""
    claim: bool = False
    """Whether the share must be proven by exact bounds (PROTOCOL 6), not only observed."""


class GateRegression(Record, frozen=True, kw_only=True):
    """A share that must not fall against the baseline."""

    measure: Share
    margin: float = MARGIN
    """How far it may fall, as a share."""
    segment: str | None = None


class GateFile(Record, frozen=True, kw_only=True):
    """`fcbench-gate.yaml`."""

    format_version: int = 1
    tier: Tier | None = None
    """None: the first that the harness supports."""
    rules: tuple[GateRule, ...] = ()
    baseline: str | None = None
    """A package of the same board; relative to the file."""
    regression: tuple[GateRegression, ...] = ()
    """Without any and with a baseline: strict, and restraint where it has cases."""
    prices: str | None = None
    """A price file; relative to the file."""
