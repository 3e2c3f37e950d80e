"""The site: cold, with nothing changed, with one run of 1,000 attempts or of 100 measured anew; beside plain MkDocs.

Each build is a process of its own, as `fcbench site build` is, without the documentation. Seconds are those of the
processor, user and system together: on a machine that does other things as well they mean something, seconds of the
clock do not.

    python -m tests.benchmarks.site 1000 5000 20000
    python -m tests.benchmarks.site plain
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fcbench.packages.store import find_packages
from fcbench.site.build import BuildOptions, build_site
from tests.benchmarks import site_plain
from tests.benchmarks.aggregate import Lines
from tests.benchmarks.site_packages import ATTEMPTS, REPEATS, write_run, write_runs

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 5_000, 20_000)
OTHER_SEED = 999
FEW_CASES = 20
"""Of the short run."""


def measure(sizes: tuple[int, ...] = SIZES) -> Lines:
    """Four builds of each size that are measured."""
    with tempfile.TemporaryDirectory(prefix="fcbench-site-", dir=os.environ.get("FCBENCH_BENCH_SITE")) as folder:
        return Lines(tuple(line for size in sizes for line in _size(Path(folder) / str(size), size)))


def plain(pages: int = ATTEMPTS) -> Lines:
    """The same attempts as one Markdown page each, through MkDocs and its theme without a line of ours."""
    with tempfile.TemporaryDirectory(prefix="fcbench-site-", dir=os.environ.get("FCBENCH_BENCH_SITE")) as folder:
        home = Path(folder)
        write_runs(home / "runs", pages // ATTEMPTS)
        found = []
        for in_navigation in (False, True):
            settings = site_plain.write(home / "runs", home / f"plain-{in_navigation}", in_navigation=in_navigation)
            command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(settings)]
            found.append(
                f"{pages:,} Markdown pages {'' if in_navigation else 'not '}in the navigation, plain MkDocs: "
                + _resources(command)
            )
        return Lines(tuple(found))


def _size(home: Path, size: int) -> list[str]:
    home.mkdir()
    write_runs(home / "runs", size // ATTEMPTS)
    lines = [_build(home, f"{size:,} attempt pages, empty cache"), _build(home, f"{size:,}, nothing changed")]
    write_run(home / "runs", 0, seed=OTHER_SEED)
    lines.append(_build(home, f"{size:,}, one run of {ATTEMPTS:,} attempts measured anew"))
    short, attempts = size // ATTEMPTS, FEW_CASES * REPEATS
    write_run(home / "runs", short, seed=short, cases=FEW_CASES)
    _build(home, "with a short run, not measured")
    write_run(home / "runs", short, seed=OTHER_SEED, cases=FEW_CASES)
    lines.append(_build(home, f"{size:,} and a run of {attempts} attempts, which was measured anew"))
    shutil.rmtree(home)
    return lines


def _build(home: Path, name: str) -> str:
    return f"{name}: {_resources([sys.executable, '-m', 'tests.benchmarks.site', 'build', str(home)])}"


def _resources(command: list[str]) -> str:
    """Processor seconds and the largest resident memory of one process."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment, text=True)
    said = process.stdout.read().strip() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    seconds = used.ru_utime + used.ru_stime
    megabytes = used.ru_maxrss // 1024
    clock = time.perf_counter() - begun
    return f"{seconds:.1f} CPU s, {megabytes} MB, {clock:.0f} s by the clock{said and '; ' + said}"


def _built(home: Path) -> str:
    docs = site_plain.stub_of_documentation(ROOT / "site" / "pages", home / "docs")
    options = BuildOptions(docs=docs)
    packages = find_packages(home / "runs")
    report = build_site(ROOT / "site" / "mkdocs.yml", packages, home / "out", home / "cache", options)
    return f"{report.rendered:,} pages rendered, {report.reused:,} from the cache"


if __name__ == "__main__":
    if sys.argv[1] == "build":
        print(_built(Path(sys.argv[2])))
    elif sys.argv[1] == "plain":
        print(plain().line(), flush=True)
    else:
        print(measure(tuple(int(one) for one in sys.argv[1:])).line(), flush=True)
