from __future__ import annotations

import json
from collections import Counter

import pytest

from fcbench.core.canonical import parse_json
from fcbench.core.names import Tier
from fcbench.core.records import decode_line, encode_line
from fcbench.core.verdicts import Verdict
from fcbench.evaluator import CONDITIONS, judge
from tests.evaluator.row_faults import FAULTS, SAYS, Wanted
from tests.evaluator.rows import KINDS, ROWS, Row
from tests.evaluator.world import CONTRACTS, attempt, call, case, step


def verdict_of(row: Row) -> Verdict:
    return judge(row.case, row.attempt, CONTRACTS, row.harness, row.tier)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_a_row_fails_with_exactly_its_fault_kinds(row: Row) -> None:
    verdict = verdict_of(row)
    assert not verdict.passed
    assert {fault.kind for fault in verdict.faults} == row.kinds, [fault.sentence for fault in verdict.faults]
    assert row.pointers <= {fault.pointer for fault in verdict.faults}
    assert not all(condition.passed for condition in verdict.conditions)
    assert {condition.name for condition in verdict.conditions} <= set(CONDITIONS)
    assert verdict.partial.score <= 0.99


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_a_row_names_all_its_faults_and_no_other(row: Row) -> None:
    found = [
        Wanted(
            fault.kind,
            fault.tool,
            fault.step,
            fault.call,
            fault.pointer,
            fault.expected,
            fault.found,
            fault.depth,
        )
        for fault in verdict_of(row).faults
    ]
    # `repr`, since True must not pass for 1.
    assert list(map(repr, found)) == list(map(repr, FAULTS[row.id]))


def told(value: object) -> set[str]:
    """How a sentence may show a value: as a plain word, as JSON, or as Python does in a message of `jsonschema`."""
    return {str(value) or "the root", json.dumps(value, ensure_ascii=False), repr(value)}


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_the_sentence_of_a_fault_says_what_and_where(row: Row) -> None:
    for fault in verdict_of(row).faults:
        for name in SAYS[fault.kind]:
            assert any(text in fault.sentence for text in told(getattr(fault, name))), (name, fault.sentence)


def test_the_rows_of_a_kind_are_different_situations() -> None:
    assert set(FAULTS) == {row.id for row in ROWS}
    assert len(ROWS) == len(FAULTS)
    assert set(SAYS) == set(KINDS)
    situations = {repr((row.case, row.attempt, row.tier)) for row in ROWS}
    assert len(situations) == len(ROWS)


def test_every_fault_kind_has_two_rows() -> None:
    counts = Counter(kind for wanted in FAULTS.values() for kind in {fault.kind for fault in wanted})
    assert set(counts) == set(KINDS)
    assert {kind for kind in KINDS if counts[kind] < 2} == set()


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_a_verdict_survives_the_way_through_a_file(row: Row) -> None:
    verdict = verdict_of(row)
    line = encode_line(verdict)
    assert parse_json(line)
    assert decode_line(line, Verdict) == verdict


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_every_sentence_is_one_line_with_an_end(row: Row) -> None:
    for fault in verdict_of(row).faults:
        assert fault.sentence.endswith((".", '"')) or fault.sentence[-1] in "]}", fault.sentence
        assert "\n" not in fault.sentence
        assert len(fault.sentence) < 700


def test_a_missing_key_says_its_level() -> None:
    row = next(row for row in ROWS if row.id == "missing-key-at-level-2")
    assert [fault.depth for fault in verdict_of(row).faults] == [2]


@pytest.mark.parametrize("tier", ["native-function-contract", "task-completion-contract"])
def test_hostile_names_keys_and_numbers_stay_plain(tier: Tier) -> None:
    judged = case(step("read", "get_bases", {"start": 1}))
    hostile = {"start": 10**399, "bad\nkey\x1b[31m": "<script>", "end": -(10**30)}
    found = attempt(call("get_bases", hostile), call("no\nsuch <b>tool</b>", {}, content="\u202e"))
    verdict = judge(judged, found, CONTRACTS, "contract", tier)
    assert len(verdict.faults) > 3
    assert decode_line(encode_line(verdict), Verdict) == verdict
    for text in (*[fault.sentence for fault in verdict.faults], *[each.reason for each in verdict.conditions]):
        assert text.isprintable()
