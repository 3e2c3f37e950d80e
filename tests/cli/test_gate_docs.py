"""The pages on gate and cost: every run that they show is a real one, and the examples to copy are read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from fcbench.workflows.gate_rules import read_gate
from tests.cli.test_commands import Capture, run

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = ROOT / "docs/how-to/gate-in-ci.md"
BLOCK = re.compile(r"^Exit (\d+)[^\n]*\n\n```text\n\$ fcbench ([^\n]+)\n(.*?)\n```", re.MULTILINE | re.DOTALL)
SHOWN = [pytest.param(*found, id=f"exit {found[0]}") for found in BLOCK.findall(HOW_TO.read_text(encoding="utf-8"))]


def test_a_run_of_each_exit_code_is_shown() -> None:
    assert [str(one.values[0]) for one in SHOWN] == ["0", "1", "2", "64", "78"]


@pytest.mark.parametrize(("code", "command", "shown"), SHOWN)
def test_the_runs_that_the_page_shows_are_real(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, code: str, command: str, shown: str
) -> None:
    monkeypatch.chdir(ROOT)
    found, out, err = run(capsys, *shlex.split(command))
    assert found == int(code)
    printed = (out + err).splitlines()
    wanted = shown.splitlines()
    assert [line for line in wanted if line != "..."] == printed[: len(wanted) - ("..." in wanted)]


def test_the_example_rules_are_read() -> None:
    found = read_gate(ROOT / "docs/how-to/gate-in-ci/fcbench-gate.yaml")
    assert len(found.rules) == 4
    assert found.baseline is not None


def test_the_commands_of_the_workflow_exist(capsys: Capture) -> None:
    workflow = yaml.safe_load((ROOT / "docs/how-to/gate-in-ci/workflow.yml").read_text(encoding="utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["gate"]["steps"] if "fcbench " in step.get("run", "")]
    assert [step.split()[1] for step in steps] == ["cost", "run", "gate"]
    assert workflow["permissions"] == {"contents": "read"}
    for step in steps:
        words = shlex.split(step)
        code, out, _ = run(capsys, words[1], "--help")
        assert code == 0
        assert [word for word in words if word.startswith("--") and word not in out] == []


@pytest.mark.parametrize("name", ["plan", "report"])
def test_the_costs_that_the_page_shows_have_the_form_of_today(capsys: Capture, name: str) -> None:
    text = (ROOT / "docs/reference/cost.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n\$ fcbench ([^\n]+)\n(.*?)\n```", text, re.DOTALL)
    command, shown = blocks[name == "report"]
    words = [str(ROOT / word) if word.startswith("runs/") else word for word in shlex.split(command)]
    code, out, _ = run(capsys, *words)
    assert code == 0
    # Counts may move with the suites; labels and their order may not.
    assert [line.split("  ")[1] for line in shown.splitlines()[1:]] == [
        line.split("  ")[1] for line in out.splitlines()[1:]
    ]
