"""Verdict files and frames in a bucket, read with polars as docs/how-to/object-storage.md shows it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fcbench.aggregate.frames import Scored, verdict_frame
from fcbench.aggregate.streamed import board_tables
from fcbench.aggregate.tables import board_table
from fcbench.aggregate.verdict_files import METADATA_KEY, read_verdicts, write_verdicts
from tests.aggregate.object_store import bucket
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed, verdict_for

RUNS = ("run-a", "run-b")


@pytest.fixture
def scored(tmp_path: Path) -> list[Scored]:
    """Two runs over two cases; the first passes both, the second one."""
    cases = [call_case("t-1"), call_case("t-2")]
    found = []
    for run in RUNS:
        package = sealed(tmp_path, cases, [attempt_of(case.id) for case in cases], run_id=run, model=run)
        verdicts = [verdict_for("t-1", passed=True), verdict_for("t-2", passed=run == "run-a")]
        path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=1)
        found.append(Scored(package=package, verdicts=path))
    return found


def _verdict_objects(scored: list[Scored]) -> dict[str, bytes]:
    return {f"cd/{one.package.header.run_id}/{one.verdicts.name}": one.verdicts.read_bytes() for one in scored}


def test_verdict_files_of_a_bucket_are_scanned_by_a_pattern_and_say_which_package_they_are_of(scored):
    with bucket({**_verdict_objects(scored), "cd/run-a/attempts.jsonl": b"{}"}) as options:
        rows = pl.scan_parquet(
            "s3://runs/*/*/verdicts-v1-*.parquet", storage_options=options, include_file_paths="package"
        )
        run = pl.col("package").str.split("/").list.get(-2).alias("run")
        passed = rows.group_by(run).agg(pl.col("passed").mean()).sort("run").collect()
    assert passed.rows() == [("run-a", 1.0), ("run-b", 0.5)]


def test_a_verdict_file_of_a_bucket_holds_the_rows_of_the_file(scored):
    with bucket(_verdict_objects(scored)) as options:
        place = f"s3://runs/cd/run-b/{scored[1].verdicts.name}"
        assert_frame_equal(pl.read_parquet(place, storage_options=options), read_verdicts(scored[1].verdicts)[1])
        assert METADATA_KEY in pl.read_parquet_metadata(place, storage_options=options)


def test_tables_from_frames_in_a_bucket_are_those_of_the_packages(scored, tmp_path):
    objects = {}
    for one in scored:
        path = tmp_path / "frame.parquet"
        verdict_frame([one]).write_parquet(path)
        objects[f"frames/{one.package.header.run_id}.parquet"] = path.read_bytes()
    with bucket(objects) as options:
        places = [f"s3://runs/frames/{run}.parquet" for run in RUNS]
        tables = board_tables(pl.scan_parquet(place, storage_options=options) for place in places)
    assert_frame_equal(tables["board"], board_table(verdict_frame(scored)))


def test_a_public_bucket_needs_no_key(scored):
    with bucket(_verdict_objects(scored)) as options:
        public = {name: value for name, value in options.items() if "key" not in name}
        place = f"s3://runs/cd/run-a/{scored[0].verdicts.name}"
        rows = pl.read_parquet(place, storage_options={**public, "aws_skip_signature": "true"})
    assert rows["passed"].to_list() == [True, True]
