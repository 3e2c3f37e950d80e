"""The evaluator compiled by mypyc from the very same sources: `python -m tests.benchmarks.compiled FOLDER`.

Needs the extra `dev` (mypy brings mypyc) and a C compiler. The folder then holds a copy of the package whose hot
modules are extension modules; `PYTHONPATH=FOLDER` puts it before the installed one. Nothing else differs, and the
tests of the evaluator pass on it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_HOT = ("callmutations", "edits", "extramutations", "golden", "mutations", "reasons", "version", "__init__")
"""Modules of the evaluator that no verdict passes through."""


def compile_into(folder: Path) -> None:
    """Copy the package and compile what judges."""
    shutil.copytree(ROOT / "fcbench", folder / "fcbench", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (folder / "pyproject.toml").write_text('[tool.mypy]\npython_version = "3.11"\nignore_missing_imports = true\n')
    hot = sorted(path for path in (folder / "fcbench" / "evaluator").glob("*.py") if path.stem not in NOT_HOT)
    core = [folder / "fcbench" / "core" / f"{name}.py" for name in ("canonical", "schema")]
    files = [str(path.relative_to(folder)) for path in (*hot, *core)]
    done = subprocess.run([sys.executable, "-m", "mypyc", *files], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"mypyc did not compile the evaluator:\n{(done.stdout + done.stderr)[-2000:]}")


class Told:
    """What a run in another process printed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def line(self) -> str:
        """As it is."""
        return self.text


def measure() -> Told:
    """The measurement `evaluator` with the compiled evaluator, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compile_into(folder)
        shutil.copytree(ROOT / "tests" / "benchmarks", folder / "tests" / "benchmarks")
        known = {**os.environ, "PYTHONPATH": os.pathsep.join([name, os.environ.get("PYTHONPATH", "")])}
        known.setdefault("FCBENCH_BFCL_PAIRS", str(ROOT.parent / "shared" / "data" / "bfcl" / "pairs_dev.jsonl.gz"))
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks", "evaluator"],
            cwd=folder,
            env=known,
            capture_output=True,
            text=True,
        )
        return Told(done.stdout.strip() or done.stderr.strip()[-2000:])


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=False)
    compile_into(target)
    print(f"compiled; put it first with PYTHONPATH={target}")
