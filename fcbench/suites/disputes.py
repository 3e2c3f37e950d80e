"""The errata and dispute ledger: claims about cases and anomalies, and what was ruled.

The file `suites/reviews.yaml` is a list that only grows. An entry is a claim or a ruling; the last ruling on a claim
counts. People may write in it by hand, and what a program adds goes to its end, so comments stay.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date as calendar_date
from pathlib import Path
from typing import Final, Literal

from fcbench.core.canonical import clean_text, pointer
from fcbench.core.names import CaseId
from fcbench.core.records import Record, to_plain
from fcbench.core.yaml12 import Document, load_yaml, parse_yaml
from fcbench.errors import SuiteError

LEDGER_NAME: Final = "reviews.yaml"
MAX_TEXT: Final = 4000
"""Letters of one field."""
Standing = Literal["open", "upheld", "rejected"]
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ID = re.compile(r"c[0-9]{4,9}")


class Claim(Record, frozen=True, kw_only=True):
    """Somebody says that a case is wrong, or has looked at an anomaly."""

    claim: str
    """Its id, `c0001` and so on."""
    case: CaseId
    says: str
    by: str
    """The name that the person gives."""
    date: str
    """ISO 8601, such as 2026-12-01."""
    anomaly: str | None = None
    """The reason of a queue item, where the claim is about that item and not about the case."""
    run: str | None = None
    repeat: int | None = None


class Ruling(Record, frozen=True, kw_only=True):
    """What was decided about a claim."""

    ruling: Standing
    of: str
    """The id of the claim."""
    reason: str
    by: str
    date: str
    change: str | None = None
    """What was changed; an upheld claim about a case needs it."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """A claim with its rulings, oldest first."""

    claim: Claim
    rulings: tuple[Ruling, ...] = ()

    @property
    def standing(self) -> Standing:
        """What the last ruling says; open without one."""
        return self.rulings[-1].ruling if self.rulings else "open"

    @property
    def marks_case(self) -> bool:
        """Whether the case counts as disputed: an open claim about the case itself."""
        return self.standing == "open" and self.claim.anomaly is None

    def decides(self, reason: str, case: str, run: str | None, repeat: int | None) -> bool:
        """Whether this settles an item of the anomaly queue; a claim that names no run or repeat covers all."""
        claim = self.claim
        return (
            self.standing != "open"
            and (claim.anomaly, claim.case) == (reason, case)
            and claim.run in (None, run)
            and claim.repeat in (None, repeat)
        )


@dataclass(frozen=True, slots=True)
class Ledger:
    """All disputes, in the order of their claims."""

    disputes: tuple[Dispute, ...] = ()

    def disputed_cases(self) -> frozenset[CaseId]:
        """Cases with an open claim: the one question that tables and pages ask."""
        return frozenset(each.claim.case for each in self.disputes if each.marks_case)

    def next_id(self) -> str:
        """An id that no claim has."""
        return f"c{max((int(each.claim.claim[1:]) for each in self.disputes), default=0) + 1:04d}"


def load_ledger(suites: Path) -> Ledger:
    """Read the ledger of a folder `suites/`; without a file it is empty.

    Raises:
        SuiteError: the file is wrong; the message gives line and field.
    """
    path = suites / LEDGER_NAME
    return read_ledger(load_yaml(path, error=SuiteError, name=shown(path))) if path.is_file() else Ledger()


def shown(path: Path) -> str:
    """The ledger's name in messages."""
    return f"{path.parent.name}/{path.name}"


def read_ledger(document: Document) -> Ledger:
    """The ledger in a document.

    Raises:
        SuiteError: an entry is neither claim nor ruling, or does not fit those before it.
    """
    entries = [] if document.value is None else document.value
    if not isinstance(entries, list):
        raise document.complain("a ledger is a list of claims and rulings", wanted="- claim: ... or - ruling: ...")
    claims: dict[str, Claim] = {}
    rulings: dict[str, list[Ruling]] = {}
    for number, entry in enumerate(entries):
        place = pointer(number)
        if isinstance(entry, dict) and "ruling" in entry:
            ruling = document.read(Ruling, place)
            _check_ruling(document, place, ruling, claims)
            rulings.setdefault(ruling.of, []).append(ruling)
        else:
            claim = document.read(Claim, place, value=entry)
            _check_claim(document, place, claim, claims)
            claims[claim.claim] = claim
    return Ledger(tuple(Dispute(claim, tuple(rulings.get(name, ()))) for name, claim in claims.items()))


def _check_claim(document: Document, place: str, claim: Claim, claims: dict[str, Claim]) -> None:
    if not _ID.fullmatch(claim.claim):
        raise document.complain(
            "this is no id of a claim", f"{place}/claim", wanted="c0001 and so on", found=claim.claim[:40]
        )
    if claim.claim in claims:
        raise document.complain("a claim's id stands twice", f"{place}/claim", wanted="a new id", found=claim.claim)
    if claim.anomaly is None and (claim.run is not None or claim.repeat is not None):
        raise document.complain("a run or repeat belongs to an anomaly", f"{place}/anomaly", wanted="its reason")
    if claim.repeat is not None and claim.repeat < 1:
        raise document.complain("repeats count from 1", f"{place}/repeat", found=str(claim.repeat))
    _check_texts(document, place, claim, ("case", "says", "by"))


def _check_ruling(document: Document, place: str, ruling: Ruling, claims: dict[str, Claim]) -> None:
    claim = claims.get(ruling.of)
    if claim is None:
        raise document.complain(
            "a ruling is of a claim that stands before it",
            f"{place}/of",
            wanted=", ".join(sorted(claims)[-8:]) or "a claim; there is none yet",
            found=ruling.of[:40],
        )
    if ruling.ruling == "upheld" and claim.anomaly is None and not (ruling.change or "").strip():
        raise document.complain(
            "an upheld claim about a case says what was changed",
            f"{place}/change",
            wanted="the change in one sentence",
            next_step="leave the claim open until the change is made",
        )
    _check_texts(document, place, ruling, ("reason", "by"))


def _check_texts(document: Document, place: str, entry: Claim | Ruling, required: tuple[str, ...]) -> None:
    for name, value in to_plain(entry).items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise document.complain(
                "a text is too long", f"{place}/{name}", wanted=f"at most {MAX_TEXT} letters", found=str(len(value))
            )
        if name in required and not str(value).strip():
            raise document.complain("a text is empty", f"{place}/{name}", wanted="one sentence, or a name")
    if not _is_date(entry.date):
        raise document.complain(
            "this is no date", f"{place}/date", wanted="a date such as 2026-12-01", found=entry.date[:40]
        )


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and bool(calendar_date.fromisoformat(text))
    except ValueError:
        return False


def with_entries(old: bytes, entries: tuple[Claim | Ruling, ...], *, name: str) -> bytes:
    """The ledger's bytes with entries at its end; what stood there stays, letter for letter.

    Raises:
        SuiteError: the old ledger is wrong, or the new one would be.
    """
    read_ledger(parse_yaml(old, name=name, error=SuiteError))
    gap = b"\n" if old and not old.endswith(b"\n") else b""
    new = old + gap + "".join(map(_block, entries)).encode()
    read_ledger(parse_yaml(new, name=name, error=SuiteError))
    return new


def _block(entry: Claim | Ruling) -> str:
    parts = [f"{key}: {_quoted(value)}" for key, value in to_plain(entry).items()]
    return "\n- " + "\n  ".join(parts) + "\n"


def _quoted(value: object) -> str:
    """A double-quoted YAML scalar; what does not print is escaped."""
    if not isinstance(value, str):
        return json.dumps(value)
    text = json.dumps(clean_text(value), ensure_ascii=False)
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in text)


__all__ = [
    "LEDGER_NAME",
    "Claim",
    "Dispute",
    "Ledger",
    "Ruling",
    "Standing",
    "load_ledger",
    "read_ledger",
    "with_entries",
]
