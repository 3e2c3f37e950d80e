"""The built wheel, installed into an empty folder, holds all that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def python(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,  # of a machine that is busy with something else
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    python("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), cwd=ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    python("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(folder), str(wheel), cwd=folder)
    return folder


def test_the_wheel_carries_every_suite_contract_and_page_source(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(
        ["git", "ls-files", "-z", "suites", "tools_registry", "site", "docs", "CHANGELOG.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: nothing says which files are published")
    sources = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert {name.partition("/")[0] for name in sources} == {"suites", "tools_registry", "site", "docs", "CHANGELOG.md"}
    assert [name for name in sources if f"fcbench/_data/{name}" not in held] == []


def test_the_wheel_carries_templates_and_types_and_nothing_else(wheel: Path) -> None:
    held = zipfile.ZipFile(wheel).namelist()
    assert "fcbench/py.typed" in held
    assert any(name.startswith("fcbench/site/templates/") for name in held)
    assert {name.partition("/")[0].partition("-")[0] for name in held} == {"fcbench"}
    assert not [name for name in held if "__pycache__" in name or name.startswith("fcbench/_data/runs")]


def test_an_installed_fcbench_runs_the_quickstart_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    program = "import sys, fcbench.cli.main as cli; print(cli.__file__); sys.exit(cli.main(['quickstart']))"
    done = python("-c", program, cwd=tmp_path, PYTHONPATH=str(installed))
    assert str(installed) in done.stdout.splitlines()[0]
    made = tmp_path / "build/quickstart"
    assert list((made / "runs").rglob("manifest.json"))
    assert (made / "site/index.html").is_file()
    assert list((made / "dataset").rglob("*.parquet"))
    assert not list(installed.rglob("index.html")), "the embedded default is never written to"
    assert [path.name for path in tmp_path.iterdir()] == ["build"]
