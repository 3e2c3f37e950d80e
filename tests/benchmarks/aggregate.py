"""All tables of one board beside the same aggregations by hand: polars, pandas, and inspect_ai's data frames.

The rows are synthetic (`aggregate_rows`): 200 packages, one Parquet file each, as wide as a verdict frame. Reading the
files is part of every time. `attempts.jsonl` is not: `inspect` measures the whole way from the evidence.

The peers need `pip install pandas inspect_ai`.
"""

from __future__ import annotations

import importlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from fcbench.aggregate.streamed import board_tables
from tests.benchmarks.aggregate_by_hand import with_polars
from tests.benchmarks.aggregate_rows import write_packages
from tests.benchmarks.ratios import Ratio, side_by_side

PACKAGES = 200
ROWS = 10_000_000
_SAME = (
    *("strict_sum", "partial_sum", "flip_rate", "strict_worst", "strict_best", "latency_p95_s", "input_tokens"),
    *("pass_hat_3_sum", "pass_at_5_sum", "recovery", "worst_rank_p95", "restraint_best"),
)


@dataclass(frozen=True)
class Lines:
    """Figures without a peer."""

    found: tuple[str, ...]

    def line(self) -> str:
        """One line a figure."""
        return "\n".join(self.found)


def measure(pairs: int = 5) -> Ratio:
    """Ten million rows: ours beside polars by hand."""
    paths = rows_of(ROWS)
    _check(paths)
    return side_by_side(
        f"all tables from {ROWS:,} rows (ours / polars by hand)", lambda: ours(paths), lambda: with_polars(paths), pairs
    )


def pandas(pairs: int = 3, packages: int = 20) -> Ratio:
    """A tenth of the ten million rows, packages as large: ours beside pandas by hand."""
    peer = importlib.import_module("tests.benchmarks.aggregate_pandas").with_pandas
    paths = rows_of(ROWS)[:packages]
    rows = ROWS * packages // PACKAGES
    return side_by_side(
        f"all tables from {rows:,} rows (ours / pandas by hand)", lambda: ours(paths), lambda: peer(paths), pairs
    )


def memory() -> Lines:
    """Peak resident memory over ten million rows, each side in a process of its own."""
    rows_of(ROWS)
    return Lines(tuple(_alone(side) for side in ("ours", "by hand in polars")))


def growth(rounds: int = 3) -> Lines:
    """Processor seconds for 10^4 to 10^7 rows, over 200 packages each; the sizes take turns."""
    sizes = [10**power for power in range(4, 8)]
    paths = {size: rows_of(size) for size in sizes}
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for size in sizes:
            begun = time.process_time()
            ours(paths[size])
            taken[size].append(time.process_time() - begun)
    return Lines(
        tuple(
            f"{size:>10,} rows: median {statistics.median(times):.2f} CPU s ({min(times):.2f} to {max(times):.2f}), "
            f"{statistics.median(times) / size * 1e6:.1f} CPU s a million rows"
            for size, times in taken.items()
        )
    )


def ours(paths: list[Path]) -> dict[str, pl.DataFrame]:
    """Every table, streamed."""
    return board_tables(pl.scan_parquet(path) for path in paths)


def rows_of(rows: int) -> list[Path]:
    """The files of so many rows, made once: below FCBENCH_BENCH_ROWS, or where temporary files lie."""
    folder = Path(os.environ.get("FCBENCH_BENCH_ROWS", Path(tempfile.gettempdir()) / "fcbench-rows")) / str(rows)
    found = sorted(folder.glob("*.parquet"))
    return found if len(found) == PACKAGES else write_packages(folder, packages=PACKAGES, rows=rows)


def _check(paths: list[Path]) -> None:
    """Both sides must say the same before their times mean anything."""
    mine, theirs = ours(paths)["board"].sort("run_id"), with_polars(paths)["board"].sort("run_id")
    for name in _SAME:
        apart = (mine[name].cast(pl.Float64) - theirs[name].cast(pl.Float64)).abs().max()
        if not isinstance(apart, float) or apart > 1e-6:
            raise SystemExit(f"the sides differ in {name} by {apart}")


def _alone(side: str) -> str:
    command = [sys.executable, "-m", "tests.benchmarks.aggregate", side]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    files = rows_of(ROWS)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if sys.argv[1] == "ours":
        ours(files)
    else:
        with_polars(files)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{sys.argv[1]}: peak {peak} MB over {ROWS:,} rows, {start} MB of it before the first row")
