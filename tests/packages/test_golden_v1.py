"""A package that format version 1 wrote must read, verify and judge alike for ever. It is never regenerated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fcbench.errors import PackageError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.store import find_packages, open_package
from fcbench.workflows.verify import verify

V1 = Path(__file__).parents[1] / "golden" / "packages" / "v1"


def test_the_golden_package_is_intact_and_every_verdict_is_recomputed() -> None:
    (folder,) = find_packages(V1)
    found = verify(folder)
    assert found.problems == ()
    assert found.attempts == 6
    if EVALUATOR_VERSION == 1:
        assert (found.verdicts, found.verdict_files) == (12, 1)
    else:
        assert found.notes, "a verdict file of another evaluator is said to be one"


def test_the_golden_package_reads_as_it_was_written() -> None:
    (folder,) = find_packages(V1)
    package = open_package(folder)
    assert package.manifest.format_version == 1
    assert package.header.provider.control is True
    assert package.manifest.counts == {"completed": 6}
    assert [attempt.task_id for attempt in package.attempts()] == list(package.cases)
    assert {case.oracle.decision for case in package.cases.values()} == {"call", "ask", "unavailable"}


def test_a_package_from_the_future_is_refused_by_name(tmp_path: Path) -> None:
    (golden,) = find_packages(V1)
    folder = tmp_path / "future"
    shutil.copytree(golden, folder)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "format_version": 3, "invented_later": True}), encoding="utf-8")
    with pytest.raises(PackageError, match="another format") as caught:
        open_package(folder)
    assert caught.value.wanted == "format version 2 or older"
    assert verify(folder).intact is False
