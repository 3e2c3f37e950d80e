"""`suites/<suite>/golden.json`: what the golden runs of a suite's cases gave on the real tools.

`fcbench suite record` writes it, the loader takes the end state of each case from it, and `fcbench suite check` plays
the golden runs again and compares. It holds digests instead of results: it stays small and gives no answer away.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from msgspec import field
from msgspec.structs import replace

from fcbench.core.canonical import parse_json
from fcbench.core.cases import Case
from fcbench.core.names import CaseId, Digest, JsonObject, StepId
from fcbench.core.records import Record, from_plain, to_plain
from fcbench.errors import BadInputError, SuiteError, WriteError

GOLDEN_NAME = "golden.json"
FORMAT = 1
"""Version of the file's form."""
RECORD_AGAIN = "write it again with `fcbench suite record`"
REMOVE_FIRST = f"remove the file, then {RECORD_AGAIN}"
ABOUT = (
    "Golden runs played on the workbench by `fcbench suite record`. A result is the SHA-256 of its canonical JSON "
    "(RFC 8785). Results of the engines in `without_results` hold numbers for which a tolerance is stated (primers, "
    "melting temperatures, HMM scores), so they have no digest."
)


class GoldenEntry(Record, frozen=True, kw_only=True):
    """What the golden runs of one case gave."""

    end_state: JsonObject
    """What they leave behind: the parts of an attempt's `end_state`. All runs of a case leave the same."""
    results: dict[StepId, Digest] = field(default_factory=dict)
    """Step of the golden run -> digest of its result; steps of engines with a tolerance are left out."""
    alternatives: tuple[dict[StepId, Digest], ...] = ()
    """The same for each alternative, in order."""
    engines: tuple[str, ...] = ()
    """What computed the results, with the versions of libraries, sorted."""


class GoldenFile(Record, frozen=True, kw_only=True):
    """The whole file."""

    format: int
    about: str = ""
    """For readers."""
    without_results: tuple[str, ...] = ()
    """Engines whose results have no digest."""
    cases: dict[CaseId, GoldenEntry] = field(default_factory=dict)


def read_golden(folder: Path, shown: str) -> GoldenFile | None:
    """Read the file of a suite; None where there is none.

    Args:
        folder: of the suite.
        shown: how messages name the file.

    Raises:
        SuiteError: it does not read as it should, or its form is newer than this release.
    """
    path = folder / GOLDEN_NAME
    if not path.is_file():
        return None
    try:
        found = from_plain(parse_json(path.read_bytes()), GoldenFile)
    except (BadInputError, OSError) as error:
        raise SuiteError(
            "the golden runs of a suite do not read as they should",
            wanted="format, cases: {case: {end_state, results}}",
            found=(error.found or error.message) if isinstance(error, BadInputError) else error.strerror,
            where=shown,
            next_step=REMOVE_FIRST,
        ) from error
    if found.format != FORMAT:
        raise SuiteError(
            "the golden runs of a suite have a form that this release does not know",
            wanted=f"format {FORMAT}",
            found=f"format {found.format}",
            where=shown,
            next_step=REMOVE_FIRST,
        )
    return found


def golden_text(golden: GoldenFile) -> str:
    """The file as it is written: sorted, one fact a line, the same for the same runs."""
    return json.dumps(to_plain(golden), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_golden(folder: Path, golden: GoldenFile) -> Path:
    """Write the file of a suite, whole or not at all.

    Raises:
        WriteError: the folder cannot be written.
    """
    path = folder / GOLDEN_NAME
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(golden_text(golden), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise WriteError("the golden runs cannot be written", found=error.strerror, where=str(path)) from error
    return path


def is_played(case: Case) -> bool:
    """Whether a case has golden runs that the workbench plays."""
    return case.oracle.decision == "call" and "workbench" in case.harnesses


def with_end_state(case: Case, golden: GoldenFile | None) -> Case:
    """The case with the end state of its golden run; one that the author wrote stays."""
    entry = golden.cases.get(case.id) if golden else None
    if entry is None or case.oracle.end_state is not None or not is_played(case):
        return case
    return replace(case, oracle=replace(case.oracle, end_state=entry.end_state))
