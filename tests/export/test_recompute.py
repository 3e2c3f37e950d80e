"""The promise of the card: whoever has the dataset alone can recompute every verdict."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_columns import VERDICT_SCHEMA
from fcbench.aggregate.verdict_files import compare_rows, to_frame, write_verdicts
from fcbench.core.canonical import parse_json
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.records import from_plain
from fcbench.evaluator import EVALUATOR_VERSION, applicable_tiers, golden_attempt, judge
from fcbench.export.hf_dataset import export_dataset
from fcbench.registry.load import load_registries
from fcbench.suites.load import load_suites
from tests.aggregate.tiny_runs import attempt_of, sealed

ROOT = Path(__file__).parents[2]


def read(folder, pattern):
    return [row for path in sorted(folder.glob(pattern)) for row in pq.read_table(path).to_pylist()]


def judged(cases, attempts, contracts):
    for attempt in attempts:
        case = cases[attempt.task_id]
        for tier in applicable_tiers(case, "contract"):
            yield judge(case, attempt, contracts, "contract", tier)


def test_every_verdict_can_be_recomputed_from_the_dataset_alone(tmp_path):
    registries = load_registries(ROOT / "tools_registry")
    suites = load_suites(ROOT / "suites", registries)
    chosen = [case for case in suites.cases.values() if "contract" in case.harnesses and not case.held_out][::30]
    contracts = {name: one for registry in registries.values() for name, one in registry.contracts.items()}
    # Every second attempt plays the golden run, the others say something else.
    attempts = [
        golden_attempt(case, contracts) if place % 2 == 0 else attempt_of(case.id, arguments={"start": 2**70})
        for place, case in enumerate(chosen)
    ]
    package = sealed(tmp_path / "runs", chosen, attempts, contracts=contracts.values())
    path = write_verdicts(
        package,
        judged(package.cases, package.attempts(), package.contracts),
        oracle_hash=package.header.oracle_hash,
        evaluator_version=EVALUATOR_VERSION,
    )
    data = tmp_path / "dataset" / "data"
    export_dataset([Scored(package=package, verdicts=path)], data.parent)

    cases = {row["task_id"]: from_plain(parse_json(row["record"]), Case) for row in read(data, "cases/*")}
    tools = {row["name"]: from_plain(parse_json(row["record"]), ToolContract) for row in read(data, "tools/*")}
    again = [from_plain(parse_json(row["record"]), Attempt) for row in read(data, "attempts/*")]
    published = [{name: row[name] for name in VERDICT_SCHEMA} for row in read(data, "verdicts_*/*")]
    stored = pl.DataFrame(published, schema=VERDICT_SCHEMA, orient="row")
    assert 0 < stored.get_column("passed").sum() < stored.height
    assert compare_rows(stored, to_frame(judged(cases, again, tools))) == []
