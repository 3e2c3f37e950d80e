"""Import of the single-turn data of the Berkeley Function Calling Leaderboard as a project of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.names import JsonObject
from fcbench.core.records import to_plain
from fcbench.errors import WriteError
from fcbench.registry import load_registries, write_lock
from fcbench.suites.bfcl.importer import Imported, case_document, collect, contract_file, suite_document
from fcbench.suites.bfcl.yaml_text import yaml_text

NAME = "bfcl"
"""Of the suite, the registry and the collection."""
CASES_PER_FILE = 250
MAX_SHOWN = 20
"""Left-out cases that are named for people; `--json` names all."""


@dataclass(frozen=True)
class ImportReport:
    """What was imported, and what was not."""

    output: Path
    found: Imported

    def text(self) -> str:
        """Counts, then everything that was left out."""
        found = self.found
        lines = [f"{len(found.cases)} cases and {len(found.contracts)} contracts written to {self.output}"]
        lines += [f"  {name}: {count}" for name, count in sorted(found.by_category.items())]
        lines += [
            f"not covered: {count} rows of {name}" for name, count in sorted(found.other_categories.items()) if count
        ]
        left_out = sorted(found.left_out.items())
        lines += [f"left out: {name}: {reason}" for name, reason in left_out[:MAX_SHOWN]]
        if len(left_out) > MAX_SHOWN:
            lines.append(f"left out: {len(left_out) - MAX_SHOWN} more; --json names all")
        lines.append(f"check with: fcbench suite check --project {self.output}")
        return "\n".join(lines)

    def data(self) -> JsonObject:
        """As plain JSON values."""
        found = self.found
        return {
            "output": str(self.output),
            "cases": len(found.cases),
            "contracts": len(found.contracts),
            "categories": dict(sorted(found.by_category.items())),
            "not_covered": dict(sorted(found.other_categories.items())),
            "left_out": dict(sorted(found.left_out.items())),
        }


def import_bfcl(path: Path, output: Path) -> ImportReport:
    """Read the data and write a project: contracts, lock file, cases and a collection.

    The project appears whole or not at all.

    Args:
        path: see `fcbench.suites.bfcl.importer.collect`.
        output: a folder that does not exist or is empty.

    Raises:
        NotFoundError: the data is not there.
        BadInputError: it does not read as it should, or nothing of it can be imported.
        WriteError: the folder holds something already, or cannot be written.
    """
    refuse_filled(output)
    found = collect(path)
    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        _write(found, temporary)
        if output.is_dir():
            output.rmdir()
        temporary.rename(output)
    except OSError as error:
        raise WriteError("the project cannot be written", found=error.strerror, where=str(output)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return ImportReport(output=output, found=found)


def refuse_filled(output: Path) -> None:
    """Refuse a folder that holds something already.

    Raises:
        WriteError: it does, or a file or link lies there.
    """
    if output.is_dir() and not any(output.iterdir()):
        return
    if output.exists() or output.is_symlink():
        raise WriteError(
            "the output exists already",
            wanted="a folder that does not exist or is empty",
            found="a folder with files" if output.is_dir() else "a file",
            where=str(output),
            next_step="name another folder with --output",
        )


def _write(found: Imported, root: Path) -> None:
    registry, suite = root / "tools_registry" / NAME, root / "suites" / NAME
    for folder in (registry, suite):
        folder.mkdir(parents=True)
    for sign, contract in found.contracts.items():
        (registry / contract_file(contract, sign)).write_text(yaml_text(to_plain(contract)), encoding="utf-8")
    (suite / "suite.yaml").write_text(yaml_text(suite_document(found, NAME)), encoding="utf-8")
    for name, cases in _files(found):
        (suite / name).write_text(yaml_text([case_document(case) for case in cases]), encoding="utf-8")
    collection = {
        "title": "BFCL, single turn",
        "suites": [NAME],
        "harness": "contract",
        "mode": "production-parity",
        "retrieval": "given",
        "repeats": 1,
        "headline_tier": "native-function-contract",
    }
    document = yaml_text({"collections": {NAME: collection}})
    (root / "suites" / "collections.yaml").write_text(document, encoding="utf-8")
    write_lock(root / "tools_registry", load_registries(root / "tools_registry"))


def _files(found: Imported) -> Iterator[tuple[str, tuple[Case, ...]]]:
    """Names of the case files with their cases: one category a file, several files where there are many."""
    for category in sorted(found.by_category):
        cases = [case for case in found.cases if case.oracle.labels.category == category]
        for number, start in enumerate(range(0, len(cases), CASES_PER_FILE), 1):
            yield f"{category}-{number}.yaml", tuple(cases[start : start + CASES_PER_FILE])
