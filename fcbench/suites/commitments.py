"""`suites/<suite>/sealed.json`: what is published of held-out cases before they are revealed.

A commitment is HMAC-SHA256 over the canonical JSON (RFC 8785) of a case, under a random salt of 256 bits. It gives
nothing away, since nobody can try out cases without the salt; and whoever published it can later show one case only for
it, since finding a second case and salt with the same commitment is finding a collision.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from pathlib import Path

from fcbench.core.canonical import canonical_bytes, parse_json
from fcbench.core.cases import Case
from fcbench.core.names import CaseId, Digest, JsonObject
from fcbench.core.records import Record, from_plain, to_plain
from fcbench.errors import BadInputError, SuiteError

SEALED_NAME = "sealed.json"
FORMAT = 1
SALT_BYTES = 32
ABOUT = (
    "Held-out cases, by commitment: HMAC-SHA256 over the canonical JSON of the case, with a random salt of 256 bits as "
    "key. A case with a salt is revealed: it lies in this suite, and anybody can compute its commitment."
)
_HEX = re.compile(r"[0-9a-f]{64}")


class Commitment(Record, frozen=True, kw_only=True):
    """One held-out case as the public sees it."""

    id: CaseId
    commitment: Digest
    salt: str | None = None
    """64 hexadecimal letters once the case is revealed."""


class SealedFile(Record, frozen=True, kw_only=True):
    """The whole file."""

    format: int = FORMAT
    about: str = ""
    """For readers."""
    suite: str
    cases: tuple[Commitment, ...]
    """By id."""


class SealedCase(Record, frozen=True, kw_only=True):
    """A held-out case that is not revealed yet, as a loaded project knows it."""

    id: CaseId
    suite: str
    commitment: Digest


def new_salt() -> bytes:
    """A salt from the system's source of secrets."""
    return secrets.token_bytes(SALT_BYTES)


def commitment_of(case: Case, salt: bytes) -> Digest:
    """The commitment to a case.

    Raises:
        ValueError: the salt has another length. HMAC fills a short key with zeros, so that two salts of different
            lengths could be one key.
    """
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    return Digest(hmac.new(salt, canonical_bytes(committed(case)), hashlib.sha256).hexdigest())


def committed(case: Case) -> JsonObject:
    """What is committed to: suite, task and oracle, and which harness carries the case.

    Left out is what fcbench computes and a later version may compute otherwise (levels, the end state of the golden
    run), and what says nothing of the case (canary, that it is held out).
    """
    plain = to_plain(case)
    for name in ("canary", "held_out", "commitment"):
        plain.pop(name, None)
    oracle = plain["oracle"]
    assert isinstance(oracle, dict)
    oracle.pop("end_state", None)
    labels = oracle["labels"]
    assert isinstance(labels, dict)
    for name in ("level", "exercised_level"):
        labels.pop(name, None)
    return plain


def salt_of(text: str, *, where: str) -> bytes:
    """A salt from its 64 hexadecimal letters.

    Raises:
        SuiteError: it has another form.
    """
    if not _HEX.fullmatch(text):
        raise SuiteError("a salt does not read", wanted="64 hexadecimal letters", found=text[:80], where=where)
    return bytes.fromhex(text)


def keeps(case: Case, published: Commitment, *, where: str) -> bool:
    """Whether a revealed case is the one that was committed to.

    Raises:
        SuiteError: its salt does not read, or it has none.
    """
    salt = salt_of(published.salt or "", where=where)
    return hmac.compare_digest(commitment_of(case, salt), published.commitment)


def read_sealed(folder: Path, shown: str) -> SealedFile | None:
    """Read the file of a suite; None where there is none.

    Args:
        folder: of the suite.
        shown: how messages name the file.

    Raises:
        SuiteError: it does not read as it should, is of another suite, or its form is newer than this release.
    """
    path = folder / SEALED_NAME
    if not path.is_file():
        return None
    try:
        found = from_plain(parse_json(path.read_bytes()), SealedFile)
    except (BadInputError, OSError) as error:
        raise SuiteError(
            "the commitments of a suite do not read as they should",
            wanted="format, suite, cases: [{id, commitment}]",
            found=(error.found or error.message) if isinstance(error, BadInputError) else error.strerror,
            where=shown,
            next_step="take the file again from where it was published: without it nothing can be proved",
        ) from error
    _check(found, folder.name, shown)
    return found


def revealed_in(suites: Path) -> dict[CaseId, Commitment]:
    """The revealed cases of a project, by id.

    Args:
        suites: its folder `suites/`.

    Raises:
        SuiteError: a file of commitments does not read as it should.
    """
    found: dict[CaseId, Commitment] = {}
    for path in sorted(suites.glob(f"*/{SEALED_NAME}")):
        file = read_sealed(path.parent, f"{suites.name}/{path.parent.name}/{SEALED_NAME}")
        found.update((one.id, one) for one in (file.cases if file else ()) if one.salt is not None)
    return found


def _check(found: SealedFile, suite: str, shown: str) -> None:
    if found.format != FORMAT:
        raise SuiteError(
            "the commitments of a suite have a form that this release does not know",
            wanted=f"format {FORMAT}",
            found=f"format {found.format}",
            where=shown,
            next_step="install a newer fcbench",
        )
    if found.suite != suite:
        raise SuiteError("these commitments are of another suite", wanted=suite, found=found.suite[:80], where=shown)
    ids = [one.id for one in found.cases]
    if len(set(ids)) != len(ids):
        raise SuiteError("a case is sealed twice", wanted="each id once", found=_twice(ids), where=shown)
    for one in found.cases:
        if not _HEX.fullmatch(one.commitment):
            raise SuiteError(
                "a commitment does not read",
                wanted="64 hexadecimal letters",
                found=one.commitment[:80],
                where=f"{shown}, case {one.id[:80]}",
            )
        if one.salt is not None:
            salt_of(one.salt, where=f"{shown}, case {one.id[:80]}")


def _twice(ids: list[CaseId]) -> str:
    return next(one for one in ids if ids.count(one) > 1)[:80]


__all__ = [
    "ABOUT",
    "FORMAT",
    "SALT_BYTES",
    "SEALED_NAME",
    "Commitment",
    "SealedCase",
    "SealedFile",
    "commitment_of",
    "committed",
    "keeps",
    "new_salt",
    "read_sealed",
    "revealed_in",
    "salt_of",
]
