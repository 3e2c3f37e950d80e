"""Memory of the dataset export over a million attempts.

The packages are synthetic: one is made of the kinds of attempts that the site's tests know, with twenty candidates and
10,000 attempts, and the others are the same evidence under other run ids, their files linked and not copied.

`python -m tests.benchmarks.export` makes the packages and measures a tenth of them, then all; it takes long.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_files import read_verdicts, verdict_files, verdict_records, write_verdicts
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import CaseId, ToolName
from fcbench.core.verdicts import Verdict
from fcbench.export.hf_dataset import ExportOptions, export_dataset
from fcbench.packages.manifest import Manifest
from fcbench.packages.run_directory import pretty
from fcbench.packages.store import MANIFEST, SEALED, Package, find_packages, open_package
from tests.benchmarks.aggregate import Lines
from tests.site.sample_packages import (
    MORTGAGE,
    STATUS,
    broken_json,
    make_package,
    mortgage_case,
    no_call,
    passing,
    wrong_tool,
    wrong_value,
)

PACKAGES = 100
CASES, REPEATS, TOOLS = 200, 50, 20
"""Of each package: 10,000 attempts, each offered so many tools."""
_KINDS = (passing, passing, wrong_value, wrong_tool, no_call, broken_json)
_MB = 1024


@dataclass(frozen=True)
class Figures:
    """One export."""

    attempts: int
    seconds: float
    peak_mb: int
    start_mb: int
    size_mb: int

    def line(self) -> str:
        """In words."""
        return (
            f"{self.attempts:,} attempts exported: peak {self.peak_mb} MB ({self.start_mb} MB before the first), "
            f"{self.seconds:.0f} CPU s, {self.size_mb} MB written"
        )


def memory(packages: int = PACKAGES) -> Lines:
    """Peak resident memory of an export of so many packages, and of a tenth of them, each in a process of its own."""
    folder = Path(os.environ.get("FCBENCH_BENCH_EXPORT", Path(tempfile.gettempdir()) / "fcbench-export"))
    found = []
    for count in (packages // 10, packages):
        write_packages(folder / str(count), count)
        command = [sys.executable, "-m", "tests.benchmarks.export", str(folder / str(count))]
        found.append(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    return Lines(tuple(found))


def write_packages(runs: Path, count: int) -> None:
    """So many packages below a folder; those that are there stay."""
    if runs.is_dir() and len(find_packages(runs)) == count:
        return
    first = _first(runs)
    (path,) = verdict_files(first)
    verdicts = list(verdict_records(read_verdicts(path)[1]))
    for number in range(1, count):
        _copy(first, verdicts, f"20261201-model-{number:03d}")


def _first(runs: Path) -> Package:
    return make_package(
        runs,
        "20261201-model-000",
        "Example/Model-000",
        _cases(),
        _judged(random.Random(1)),
        repeats=REPEATS,
        contracts=_contracts(),
    )


def _cases() -> list[Case]:
    tools = tuple(one.name for one in _contracts())
    found = []
    for number in range(CASES):
        case = mortgage_case(number, decision="call")
        task = msgspec.structs.replace(case.task, id=CaseId(f"synthetic-{number:04d}"), tools=tools)
        found.append(msgspec.structs.replace(case, task=task))
    return found


def _contracts() -> list[ToolContract]:
    names = [ToolName(f"vraag_gegeven_op_{number:02d}") for number in range(TOOLS - 2)]
    return [MORTGAGE, STATUS, *(msgspec.structs.replace(STATUS, name=name) for name in names)]


def _judged(draw: random.Random) -> Iterator[tuple[Attempt, list[Verdict]]]:
    """Attempts of several kinds, no two equally long, so that each record is its own."""
    offered = tuple(
        Candidate(name=one.name, rank=rank, score=round(9.5 - rank / 3, 3))
        for rank, one in enumerate(_contracts(), start=1)
    )
    for case in _cases():
        for repeat in range(1, REPEATS + 1):
            attempt, verdicts = draw.choice(_KINDS)(case, repeat)
            longer = attempt.duration_s + draw.random()
            yield msgspec.structs.replace(attempt, candidates=offered, duration_s=longer), verdicts


def _copy(first: Package, verdicts: list[Verdict], run_id: str) -> None:
    folder = first.folder.with_name(run_id)
    folder.mkdir()
    for name in SEALED:
        if (first.folder / name).is_file():
            os.link(first.folder / name, folder / name)
    provider = msgspec.structs.replace(first.header.provider, model=f"Example/{run_id}")
    header = msgspec.structs.replace(first.header, run_id=run_id, provider=provider)
    manifest: Manifest = msgspec.structs.replace(first.manifest, header=header)
    (folder / MANIFEST).write_bytes(pretty(manifest))
    write_verdicts(
        Package(folder, manifest),
        verdicts,
        oracle_hash=header.oracle_hash,
        evaluator_version=verdicts[0].evaluator_version,
    )


def _export(runs: Path) -> Figures:
    sources = []
    for folder in find_packages(runs):
        package = open_package(folder)
        (path,) = verdict_files(package)
        sources.append(Scored(package=package, verdicts=path))
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MB
    begun, last = time.process_time(), 0

    def told(done: int) -> None:
        nonlocal last
        last = done
        if done % 100_000 == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MB
            print(f"{done:,} attempts, peak {peak} MB, {time.process_time() - begun:.0f} CPU s", file=sys.stderr)

    with tempfile.TemporaryDirectory(dir=runs.parent) as scratch:
        output = Path(scratch) / "dataset"
        export_dataset(sources, output, ExportOptions(on_attempt=told))
        size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MB
    return Figures(last, time.process_time() - begun, peak, start, size // (_MB * _MB))


if __name__ == "__main__":
    print((_export(Path(sys.argv[1])) if len(sys.argv) > 1 else memory()).line())
