"""Break the evaluator in many places, one at a time, and see which tests notice.

Run by hand: `python -m tests.evaluator.mutation_run [name ...]`. The package and its tests are copied to a temporary
folder; each place of `mutation_places.py` and `review_breaks.py` is broken there, and the tests of `TESTS` are run
until the first failure. A break that no test notices survives: then a row is missing. A place whose text is no longer
in the code is stale, and one that does not even import is unusable: both have to be written anew. Takes minutes.
`docs/explanation/measurements.md` holds the last result.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.evaluator.mutation_places import PLACES, Break
from tests.evaluator.review_breaks import REVIEW

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("fcbench", "tests", "pyproject.toml", "docs/reference")
TESTS = ("test_conformance.py", "test_review.py", "test_properties.py", "test_laws.py")


def copy(folder: Path) -> None:
    """The package, its tests and what they read."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


OUTCOMES = {0: "survived", 1: "killed"}
"""By exit code of pytest; any other one means that the tests could not run."""


def tested(folder: Path) -> str:
    """What the tests say of the code in the folder."""
    paths = [f"tests/evaluator/{name}" for name in TESTS]
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *paths]
    code = subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode
    return OUTCOMES.get(code, "unusable")


def result_of(place: Break, folder: Path) -> str:
    """`killed`, `survived`, `stale` or `unusable`."""
    path = folder / f"fcbench/evaluator/{place.module}.py"
    whole = path.read_text(encoding="utf-8")
    if whole.count(place.text) != 1:
        return "stale"
    path.write_text(whole.replace(place.text, place.broken), encoding="utf-8")
    try:
        return tested(folder)
    finally:
        path.write_text(whole, encoding="utf-8")


def main(names: list[str]) -> None:
    """Break every place, or the named ones, and print what happened."""
    with tempfile.TemporaryDirectory(prefix="fcbench-mutations-") as name:
        folder = Path(name)
        copy(folder)
        if tested(folder) != "survived":
            raise SystemExit("the tests fail on the unbroken code; mend that first")
        places = [place for place in (*PLACES, *REVIEW) if not names or place.name in names]
        results = {place.name: result_of(place, folder) for place in places}
    for place, result in results.items():
        sys.stdout.write(f"{result:9}{place}\n")
    kinds = ("killed", "survived", "stale", "unusable")
    counts = [f"{list(results.values()).count(kind)} {kind}" for kind in kinds]
    sys.stdout.write(f"{len(results)} places: {', '.join(counts)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
