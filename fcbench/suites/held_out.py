"""The secret file of sealed cases: their files, their salts and their golden runs. It never lies in the project."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import field

from fcbench.core.canonical import parse_json
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import Record, from_plain
from fcbench.errors import BadInputError, NotFoundError, SuiteError
from fcbench.suites.commitments import salt_of
from fcbench.suites.golden import GoldenEntry

FORMAT = 1
MAX_BYTES = 256 * 1024 * 1024
ABOUT = "Sealed cases of fcbench with their salts. Keep this file secret, and keep it: nothing else can open the seal."
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.yaml")
_SUITE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Secret(Record, frozen=True, kw_only=True):
    """What opens the seal of one case."""

    id: CaseId
    commitment: Digest
    salt: str
    """64 hexadecimal letters."""


class SecretFile(Record, frozen=True, kw_only=True):
    """A file of cases, letter by letter, so that revealing writes back what the author wrote."""

    name: str
    text: str


class SecretSuite(Record, frozen=True, kw_only=True):
    """The sealed cases of one suite."""

    suite: str
    cases: tuple[Secret, ...]
    files: tuple[SecretFile, ...]
    golden: dict[CaseId, GoldenEntry] = field(default_factory=dict)
    """What their golden runs gave on the real tools, where that was recorded."""


class Secrets(Record, frozen=True, kw_only=True):
    """The whole file."""

    format: int = FORMAT
    about: str = ""
    """For whoever finds it."""
    suites: tuple[SecretSuite, ...]

    def of_suite(self, name: str) -> SecretSuite | None:
        """The sealed cases of a suite, if there are any."""
        return next((one for one in self.suites if one.suite == name), None)


def read_secrets(path: Path) -> Secrets:
    """Read a secret file.

    Raises:
        NotFoundError: it cannot be read.
        SuiteError: it does not read as it should, its form is newer, or it names files outside a suite's folder.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotFoundError(
            "the secret file cannot be read",
            wanted="the file that `fcbench suite seal` wrote",
            found=error.strerror,
            where=str(path),
        ) from error
    try:
        found = from_plain(parse_json(raw, max_bytes=MAX_BYTES), Secrets)
    except BadInputError as error:
        raise SuiteError(
            "the secret file does not read as it should",
            wanted="the file that `fcbench suite seal` wrote",
            found=error.message,  # never more of it: it may hold the cases
            where=str(path),
            next_step="take it from a copy",
        ) from error
    _check(found, path)
    return found


def _check(found: Secrets, path: Path) -> None:
    if found.format != FORMAT:
        raise SuiteError(
            "the secret file has a form that this release does not know",
            wanted=f"format {FORMAT}",
            found=f"format {found.format}",
            where=str(path),
            next_step="install a newer fcbench",
        )
    names = [one.suite for one in found.suites]
    ids = [one.id for suite in found.suites for one in suite.cases]
    if len(set(names)) != len(names) or len(set(ids)) != len(ids):
        raise SuiteError("a suite or a case stands twice in the secret file", where=str(path))
    for suite in found.suites:
        files = [one.name for one in suite.files]
        safe = _SUITE_NAME.fullmatch(suite.suite) and all(map(_is_case_file, files)) and len(set(files)) == len(files)
        if not safe:
            raise SuiteError(
                "the secret file names a place that is none for cases",
                wanted="names of YAML files in the folder of a suite, each once",
                found=f"{suite.suite[:40]}: {', '.join(files)}"[:200],
                where=str(path),
            )
        for one in suite.cases:
            salt_of(one.salt, where=f"{path}, case {one.id[:80]}")


def _is_case_file(name: str) -> bool:
    return bool(_FILE_NAME.fullmatch(name)) and name.casefold() != "suite.yaml"


__all__ = ["ABOUT", "FORMAT", "MAX_BYTES", "Secret", "SecretFile", "SecretSuite", "Secrets", "read_secrets"]
