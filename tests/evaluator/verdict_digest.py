"""Print one SHA-256 over many verdicts: `python -m tests.evaluator.verdict_digest`.

Golden runs and all mutations of a fixed sample of the suites' cases, and every row of `rows.py` and of the review.
`test_determinism` runs it under several hash seeds; sets and dictionaries then have another order.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from fcbench.core.contracts import contracts_of
from fcbench.core.records import encode_line
from fcbench.evaluator import applicable_tiers, golden_attempt, judge, mutations
from fcbench.registry import load_registries
from fcbench.suites import load_suites
from tests.evaluator.review_rows import END, EXTRA, MATCHING, WRITING, verdict_of
from tests.evaluator.review_slips import FORM, VALUES
from tests.evaluator.rows import ROWS
from tests.evaluator.world import CONTRACTS

ROOT = Path(__file__).resolve().parents[2]
CASES = 30
"""Cases of the suites that are judged, drawn with a fixed seed."""


def lines() -> Iterator[bytes]:
    """Every verdict as a line of a verdict file."""
    for row in ROWS:
        yield encode_line(judge(row.case, row.attempt, CONTRACTS, row.harness, row.tier))
    for situation in (*MATCHING, *WRITING, *EXTRA, *END, *FORM, *VALUES):
        yield encode_line(verdict_of(situation.case, situation.attempt, situation.tier))
    registries = load_registries(ROOT / "tools_registry")
    cases = load_suites(ROOT / "suites", registries).cases
    # Synthetic answers need not carry the golden runs of cases for the workbench alone.
    named = sorted(name for name, case in cases.items() if "contract" in case.harnesses)
    for name in random.Random(11).sample(named, min(CASES, len(named))):
        case = cases[name]
        contracts = contracts_of(case.task, registries[case.task.registry].contracts)
        for harness in case.harnesses:
            golden = golden_attempt(case, contracts, harness=harness)
            for attempt in (golden, *[mutated for _, mutated in mutations(case, golden, contracts)]):
                for tier in applicable_tiers(case, harness):
                    yield encode_line(judge(case, attempt, contracts, harness, tier))


if __name__ == "__main__":
    digest, count = hashlib.sha256(), 0
    for line in lines():
        digest.update(line)
        count += 1
    print(count, digest.hexdigest())  # noqa: T201 - what the test reads
