"""Cold start of `fcbench --help` beside a Typer program with one empty command."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.ratios import Ratio, side_by_side

BARE = "import typer\napp = typer.Typer(rich_markup_mode=None)\n@app.command()\ndef nothing() -> None: ...\napp()\n"


def measure(pairs: int = 15) -> Ratio:
    """Both as a new process each time."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)

        def call(*command: str) -> None:
            subprocess.run([sys.executable, *command, "--help"], check=True, capture_output=True)

        return side_by_side(
            "start-up (fcbench --help / bare Typer --help)",
            lambda: call("-m", "fcbench"),
            lambda: call(str(bare)),
            pairs,
        )
