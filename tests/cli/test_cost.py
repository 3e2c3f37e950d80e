"""`fcbench cost` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

from fcbench.cli.main import main
from tests.cli.test_commands import Capture, run


def test_an_estimate_names_money_only_where_a_price_is_known(capsys: Capture) -> None:
    models = ["--model", "example:cheap", "--model", "openai_chat:other"]
    code, out, _ = run(capsys, "cost", "complex-schema-nl/quick", *models, "--repeats", 3)
    assert code == 0
    assert "6 cases x 3 repeats = 18 attempts, about " in out
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert "XTS" in lines["example:cheap"]
    assert lines["openai_chat:other"].split() == ["openai_chat:other", "unknown"]


def test_a_price_file_gives_the_cost_of_a_sealed_run(capsys: Capture, tmp_path: Path) -> None:
    command = ["run", "complex-schema-nl/quick", "--model", "scripted:null", "--output", str(tmp_path)]
    assert main([*command, "--run-id", "null"]) == 0
    capsys.readouterr()
    folder = next(tmp_path.rglob("manifest.json")).parent
    code, out, _ = run(capsys, "cost", folder)
    assert code == 0
    assert "replies were not counted" in out
    assert out.count("unknown") >= 1
    code, out, _ = run(capsys, "cost", folder, "--json")
    assert json.loads(out)["cost"] is None


def test_bad_input_ends_above_64(capsys: Capture, tmp_path: Path) -> None:
    assert run(capsys, "cost", "nowhere")[0] == 66
    assert run(capsys, "cost", "genomics/quick", "--model", "x")[0] == 64
    assert run(capsys, "cost", "genomics/quick", "--prices", tmp_path / "none.yaml")[0] == 66
    (tmp_path / "bad.yaml").write_text("date: 2026-12-01\ncurrency: USD\nmodels: {a:b: {input: -1, output: 1}}\n")
    code, _, err = run(capsys, "cost", "genomics/quick", "--prices", tmp_path / "bad.yaml")
    assert code == 65
    assert "bad.yaml:3, field /models/a:b/input" in err
