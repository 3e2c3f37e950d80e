"""`python -m fcbench`."""

from __future__ import annotations

from fcbench.cli.main import run

if __name__ == "__main__":
    run()
