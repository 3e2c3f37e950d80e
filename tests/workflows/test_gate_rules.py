"""Gate rules: as options and as a file write them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.errors import BadInputError, FcbenchError, UsageError
from fcbench.workflows.gate_rules import (
    GateRegression,
    GateRequest,
    GateRule,
    find_segment,
    parse_regression,
    parse_rule,
    read_gate,
)

GOOD = """\
rules:
  - {measure: strict, min: 0.9}
  - {measure: schema-conformance, min: 0.99, segment: "level:L3", claim: true}
  - {measure: latency-p95, max: 20}
baseline: ../baseline
regression:
  - {measure: strict, margin: 0.02}
prices: prices.yaml
"""


def read(folder: Path, text: str) -> GateRequest:
    path = folder / "fcbench-gate.yaml"
    path.write_text(text, encoding="utf-8")
    return read_gate(path)


def test_a_gate_file_is_read_with_paths_relative_to_it(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD)
    assert found.rules == (
        GateRule(measure="strict", min=0.9),
        GateRule(measure="schema-conformance", min=0.99, segment="level:L3", claim=True),
        GateRule(measure="latency-p95", max=20),
    )
    assert found.regression == (GateRegression(measure="strict", margin=0.02),)
    assert (found.baseline, found.prices) == (tmp_path / "../baseline", tmp_path / "prices.yaml")


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        pytest.param("strict, min: 0.9", "strikt, min: 0.9", 2, "/rules/0/measure", id="measure"),
        pytest.param("strict, min: 0.9", "strict, min: 90", 2, "/rules/0/min", id="percent"),
        pytest.param("strict, min: 0.9", "strict, min: .nan", 2, "/rules/0/min", id="nan"),
        pytest.param("strict, min: 0.9", "strict, max: 0.9", 2, "/rules/0/max", id="wrong way round"),
        pytest.param("strict, min: 0.9", "strict", 2, "/rules/0/measure", id="no threshold"),
        pytest.param("min: 0.99", "min: 1", 3, "/rules/1/min", id="a certainty cannot be claimed"),
        pytest.param("max: 20", "max: 20, claim: true", 4, "/rules/2/claim", id="a time cannot be claimed"),
        pytest.param("max: 20", "max: -1", 4, "/rules/2/max", id="negative"),
        pytest.param("max: 20", "max: 20, minn: 1", 4, "/rules/2/minn", id="unknown field"),
        pytest.param("margin: 0.02", "margin: 2", 7, "/regression/0/margin", id="margin"),
        pytest.param("baseline: ../baseline\n", "", 5, "/regression", id="no baseline"),
        pytest.param("rules:", "format_version: 2\nrules:", 1, "/format_version", id="format"),
        pytest.param("rules:", "tier: best\nrules:", 1, "/tier", id="tier"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_field(tmp_path: Path, old: str, new: str, line: int, field: str) -> None:
    assert old in GOOD
    with pytest.raises(BadInputError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert f"fcbench-gate.yaml:{line}, field {field}" in (caught.value.where or "")


@pytest.mark.parametrize(
    ("text", "bound", "rule"),
    [
        pytest.param("strict=0.9", "min", GateRule(measure="strict", min=0.9), id="share"),
        pytest.param("strict=90%", "min", GateRule(measure="strict", min=0.9), id="percent"),
        pytest.param("restraint@L3=1", "min", GateRule(measure="restraint", min=1, segment="L3"), id="segment"),
        pytest.param(
            "strict@trap:a=b=0.5", "min", GateRule(measure="strict", min=0.5, segment="trap:a=b"), id="equals"
        ),
        pytest.param("cost=1.5", "max", GateRule(measure="cost", max=1.5), id="money"),
    ],
)
def test_an_option_is_a_rule(text: str, bound: str, rule: GateRule) -> None:
    assert parse_rule(text, "min" if bound == "min" else "max") == rule


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("", "min"),
        ("strict", "min"),
        ("strict=", "min"),
        ("strict=nan", "min"),
        ("strict=inf", "min"),
        ("strict=1.01", "min"),
        ("strict=0.9", "max"),
        ("cost=0", "max"),
        ("cost=1", "min"),
        ("Strict=0.9", "min"),
    ],
)
def test_anything_else_is_refused_as_usage(text: str, bound: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rule(text, "min" if bound == "min" else "max")
    assert caught.value.exit_code == 64


def test_a_claim_is_only_made_of_shares() -> None:
    assert parse_rule("strict=0.9", "min", claim=True).claim
    assert not parse_rule("completion=1", "min", claim=True).claim
    with pytest.raises(UsageError, match="cannot be held"):
        parse_rule("strict=1", "min", claim=True)


def test_a_regression_may_have_its_own_margin() -> None:
    assert parse_regression("strict@L1=2%", 0.05) == GateRegression(measure="strict", margin=0.02, segment="L1")
    assert parse_regression("restraint", 0.05) == GateRegression(measure="restraint", margin=0.05)
    for text in ("cost", "strict=", "strict=1", "strict=-0.1"):
        with pytest.raises(UsageError):
            parse_regression(text, 0.05)


KNOWN = {"level": ["L1", "L2"], "trap": ["L2", "units"], "mix": []}


def test_a_segment_is_named_with_its_kind_or_alone_where_it_is_unique() -> None:
    assert find_segment("L1", KNOWN) == find_segment("level:L1", KNOWN) == ("level", "L1")
    assert find_segment("trap:L2", KNOWN) == ("trap", "L2")
    with pytest.raises(UsageError, match="several kinds"):
        find_segment("L2", KNOWN)
    for name in ("L9", "level:units", "colour:red", ""):
        with pytest.raises(UsageError, match="no such segment"):
            find_segment(name, KNOWN)


@given(st.text(max_size=60), st.sampled_from(["min", "max"]), st.booleans())
def test_any_text_is_a_rule_or_a_usage_error(text: str, bound: str, claim: bool) -> None:
    try:
        rule = parse_rule(text, "min" if bound == "min" else "max", claim=claim)
    except UsageError:
        return
    assert (rule.min is None) != (rule.max is None)


YAML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("strict-cost:minax\n{}[]&*!%@`'\"", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["rules", "measure", "min", "max", "claim", "baseline", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(value=YAML)
def test_any_value_is_a_gate_or_refused_with_its_place(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.getbasetemp() / "any-gate.yaml"
    path.write_text(repr(value), encoding="utf-8")
    try:
        read_gate(path)
    except FcbenchError as error:
        assert error.exit_code >= 64
        assert "any-gate.yaml:" in (error.where or "")
