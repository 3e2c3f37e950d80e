from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "fcbench"
MODULES = sorted(PACKAGE.rglob("*.py"))

HEAVY = {
    "Bio",
    "anthropic",
    "datasets",
    "httpx",
    "httpx2",
    "huggingface_hub",
    "jinja2",
    "matplotlib",
    "mkdocs",
    "numpy",
    "openai",
    "pandas",
    "playwright",
    "polars",
    "pyarrow",
    "pyhmmer",
    "pysam",
    "ray",
    "scipy",
    "xllamacpp",
}
"""What start-up must not load (DESIGN, "Floors")."""

MAX_LINES = 400
"""STYLE: modules of 100-200 lines, split at 400."""


def test_the_import_contracts_hold(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("import fcbench.cli.main", id="import"),
        pytest.param("from fcbench.cli.main import main; assert main(['--help']) == 0", id="help"),
        pytest.param("import fcbench.core.verdicts, fcbench.evaluator, fcbench.packages.store", id="evaluator"),
    ],
)
def test_start_up_loads_no_heavy_library(statement: str) -> None:
    report = "import sys; print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}\n{report}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
    )
    loaded = set(done.stdout.rpartition("LOADED")[2].split())
    assert "fcbench" in loaded
    assert not loaded & HEAVY


def test_the_error_tree_imports_nothing() -> None:
    tree = ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8"))
    assert set(_imported(tree)) == {"__future__", "typing"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_outgrows_its_reader(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@pytest.mark.parametrize("name", ["utils", "common", "helpers", "misc"])
def test_no_module_has_a_name_that_says_nothing(name: str) -> None:
    assert not [path for path in MODULES if name in (path.stem, path.parent.name)]


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
