"""`fcbench run --shard` and `fcbench package merge` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fcbench.cli.main import main


def test_two_shards_are_run_and_merged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for part in ("1/2", "2/2"):
        command = ["run", "complex-schema-nl/quick", "--model", "scripted:oracle", "--repeats", "1", "--shard", part]
        assert main([*command, "--output", str(tmp_path / "shards")]) == 0
        assert f"fcbench package merge {tmp_path / 'shards'}" in capsys.readouterr().out
    merge = ["package", "merge", str(tmp_path / "shards"), "--output", str(tmp_path / "runs"), "--run-id", "whole"]
    assert main([*merge, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["run_id"], found["complete"], found["counts"]) == ("whole", True, {"completed": 6})
    assert main(["verify", str(tmp_path / "runs")]) == 0
    assert main(["tables", str(tmp_path / "runs")]) == 0


def test_a_shard_alone_is_not_merged_and_not_tabulated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["run", "complex-schema-nl/quick", "--model", "scripted:oracle", "--repeats", "1", "--shard", "2/2"]
    assert main([*command, "--output", str(tmp_path)]) == 0
    assert main(["package", "merge", str(tmp_path), "--output", str(tmp_path / "runs")]) == 65
    assert "missing: 1/2" in capsys.readouterr().err
    assert main(["tables", str(tmp_path)]) == 65
    assert "only shards" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["0/2", "3/2", "half"])
def test_a_shard_that_does_not_read_is_a_wrong_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    command = ["run", "complex-schema-nl/quick", "--model", "scripted:oracle", "--shard", text]
    assert main([*command, "--output", str(tmp_path)]) == 64
    assert "--shard" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
