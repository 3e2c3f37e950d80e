"""Every fault has the outcome that the table says, through the real SDK client, gate, retries and loop."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from fcbench.core.evidence import Attempt
from fcbench.core.names import Outcome
from fcbench.core.records import decode_line, encode_line
from fcbench.engine.budget import spent_by
from fcbench.providers.base import FailureKind
from tests.engine.faults.page import GROUPS, tables
from tests.engine.faults.row import ENDS, Row, differences
from tests.engine.faults.rows_wire import NOW_S
from tests.engine.faults.server import serve
from tests.engine.faults.world import make

PAGE = Path(__file__).resolve().parents[3] / "docs/reference/outcomes.md"
ROWS = [row for _, rows in GROUPS for row in rows]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name.replace(" ", "-")) for row in ROWS])
def test_a_fault_has_the_outcome_that_the_table_says(row: Row) -> None:
    with serve(lambda asked: row.answer(asked.number), keep=False) as server:
        made = make(server.url, limit_s=row.limit_s, now_s=NOW_S)
    assert server.count == row.requests
    assert made.spent.requests == row.requests, "what is counted is what was sent"
    if row.outcome == ENDS:
        assert made.attempts == []
        ended = "refused" if made.refusal else made.halt.reason and made.halt.reason.kind
        assert ended == row.kind
        return
    (attempt,) = made.attempts
    assert spent_by(made.attempts, None).requests == row.requests, "and what a resumed run counts from its records"
    error = attempt.error
    found = (attempt.outcome, error and error.kind, error and error.status)
    assert found == (row.outcome, row.kind, row.status), error
    assert differences(row, attempt) == []
    assert decode_line(encode_line(attempt), Attempt) == attempt, "a record reads back as it was written"


def test_the_page_holds_the_table_that_the_tests_hold() -> None:
    assert tables() in PAGE.read_text(encoding="utf-8"), "run python -m tests.engine.faults.page and paste it"


def test_every_fault_stands_once_and_every_outcome_is_met() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    met = {row.outcome for row in ROWS} - {ENDS}
    assert met == set(get_args(Outcome)) - {"harness_error"}, "a harness error is a fault of ours: no server makes one"


def test_every_kind_of_failure_is_met() -> None:
    # `gone` is a server of our own that died; `not_found` and `timed_out` end as something else.
    met = {row.kind for row in ROWS}
    assert set(get_args(FailureKind)) - met == {"gone", "not_found", "timed_out"}
