"""What a gate holds a run to: rules from options or from `fcbench-gate.yaml`, checked before anything is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from fcbench.core.names import Tier
from fcbench.core.records import Record
from fcbench.core.yaml12 import Document, load_yaml
from fcbench.errors import UsageError
from fcbench.workflows.gate_file import (
    CONFIG,
    FLOORED,
    MARGIN,
    MAX_RULES,
    GateFile,
    GateRegression,
    GateRule,
    Measure,
    Share,
)


class GateRequest(Record, frozen=True, kw_only=True):
    """What a package is held to."""

    rules: tuple[GateRule, ...] = ()
    baseline: Path | None = None
    regression: tuple[GateRegression, ...] = ()
    margin: float = MARGIN
    """Where a baseline is given and no regression: of strict and restraint."""
    tier: Tier | None = None
    prices: Path | None = None


def read_gate(path: Path) -> GateRequest:
    """Read a gate file.

    Raises:
        NotFoundError: it cannot be read.
        BadInputError: it does not hold what it should; the message names line and field.
    """
    document = load_yaml(path)
    read = document.read(GateFile)
    if read.format_version != 1:
        raise document.complain(
            "this gate file is of another format", "/format_version", wanted="1", found=str(read.format_version)
        )
    for place, rule in enumerate(read.rules[:MAX_RULES]):
        _complain(document, f"/rules/{place}", problem_of(rule))
    for place, regression in enumerate(read.regression[:MAX_RULES]):
        _complain(document, f"/regression/{place}", margin_problem(regression.margin))
    if len(read.rules) + len(read.regression) > MAX_RULES:
        raise document.complain("too many rules", "/rules", wanted=f"at most {MAX_RULES:,}", found=str(len(read.rules)))
    if read.regression and not read.baseline:
        raise document.complain("a regression needs a baseline", "/regression", wanted="the field baseline")
    return GateRequest(
        rules=read.rules,
        baseline=path.parent / read.baseline if read.baseline else None,
        regression=read.regression,
        tier=read.tier,
        prices=path.parent / read.prices if read.prices else None,
    )


def _complain(document: Document, place: str, problem: tuple[str, str, str] | None) -> None:
    if problem:
        name, wanted, found = problem
        raise document.complain("this rule cannot be held", f"{place}/{name}", wanted=wanted, found=found)


def problem_of(rule: GateRule) -> tuple[str, str, str] | None:
    """What is wrong with a rule: the field, what is wanted there, and what stands there."""
    wanted, other = ("min", "max") if rule.measure in FLOORED else ("max", "min")
    value = getattr(rule, wanted)
    if getattr(rule, other) is not None:
        return other, f"{wanted} for {rule.measure}", other
    if value is None:
        return "measure", f"{wanted} for {rule.measure}", "no threshold"
    if wanted == "min" and not 0 <= value <= 1:
        return wanted, "a share from 0 to 1", str(value)
    if wanted == "max" and not 0 < value < math.inf:
        return wanted, "a number above 0", str(value)
    if rule.claim and rule.measure not in get_args(Share):
        return "claim", "a share of cases: " + ", ".join(get_args(Share)), rule.measure
    if rule.claim and not 0 < value < 1:
        return wanted, "a share between 0 and 1: neither end can be claimed", str(value)
    return None


def margin_problem(margin: float) -> tuple[str, str, str] | None:
    """What is wrong with a margin."""
    return None if 0 <= margin < 1 else ("margin", "a share from 0 up to, but not including, 1", str(margin))


def parse_rule(text: str, bound: Literal["min", "max"], *, claim: bool = False) -> GateRule:
    """A rule as an option writes it: `MEASURE[@SEGMENT]=NUMBER`, such as `schema-conformance@level:L3=99%`.

    Raises:
        UsageError: it does not read.
    """
    left, equals, number = text.rpartition("=")
    measure, _, segment = left.partition("@")
    measure = measure.strip()
    value = _number(number)
    if not equals or value is None or measure not in get_args(Measure):
        raise _unread(text, bound)
    rule = GateRule(
        measure=measure,  # type: ignore[arg-type]
        segment=segment.strip() or None,
        claim=claim and measure in get_args(Share),
        min=value if bound == "min" else None,
        max=value if bound == "max" else None,
    )
    problem = problem_of(rule)
    if problem:
        raise UsageError("this rule cannot be held", wanted=problem[1], found=text[:80], where=f"--{bound}")
    return rule


def parse_regression(text: str, margin: float) -> GateRegression:
    """A regression as an option writes it: `MEASURE[@SEGMENT][=MARGIN]`.

    Raises:
        UsageError: it does not read.
    """
    left, equals, number = text.partition("=")
    measure, _, segment = left.partition("@")
    own = _number(number) if equals else margin
    if measure.strip() not in get_args(Share) or own is None or margin_problem(own):
        raise UsageError(
            "this regression does not read",
            wanted="MEASURE[@SEGMENT][=MARGIN] with one of " + ", ".join(get_args(Share)) + " and a margin below 1",
            found=text[:80],
            where="--no-fall",
        )
    return GateRegression(measure=measure.strip(), margin=own, segment=segment.strip() or None)  # type: ignore[arg-type]


def parse_number(text: str, where: str) -> float:
    """A number or a percentage.

    Raises:
        UsageError: it is none.
    """
    value = _number(text)
    if value is None:
        raise UsageError("this is no number", wanted="such as 0.9 or 90%", found=text[:40], where=where)
    return value


def _number(text: str) -> float | None:
    number, percent, rest = text.strip().partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        return None
    return value if math.isfinite(value) and not rest else None


def _unread(text: str, bound: str) -> UsageError:
    known = [name for name in get_args(Measure) if (name in FLOORED) == (bound == "min")]
    return UsageError(
        "this rule does not read",
        wanted="MEASURE[@SEGMENT]=NUMBER with one of " + ", ".join(known),
        found=text[:80],
        where=f"--{bound}",
    )


def find_segment(name: str, known: dict[str, list[str]]) -> tuple[str, str]:
    """Kind and value of a segment, given those of a board.

    Raises:
        UsageError: there is none of this name, or several kinds have one.
    """
    kind, colon, value = name.partition(":")
    if colon and kind in known:
        fitting = [(kind, value)] if value in known[kind] else []
    else:
        fitting = [(kind, name) for kind, values in known.items() if name in values]
    if len(fitting) == 1:
        return fitting[0]
    return _no_segment(name, fitting, known)


def _no_segment(name: str, fitting: Sequence[tuple[str, str]], known: dict[str, list[str]]) -> tuple[str, str]:
    there = ", ".join(f"{kind}:{value}" for kind, values in known.items() for value in values[:6])
    raise UsageError(
        "several kinds of segment have this name" if fitting else "there is no such segment on this board",
        wanted=" or ".join(f"{kind}:{value}" for kind, value in fitting) or f"such as {there}"[:400],
        found=name[:80],
        where="the segment of a rule",
    )


__all__ = [
    "CONFIG",
    "MARGIN",
    "GateFile",
    "GateRegression",
    "GateRequest",
    "GateRule",
    "Measure",
    "Share",
    "find_segment",
    "parse_number",
    "parse_regression",
    "parse_rule",
    "read_gate",
]
