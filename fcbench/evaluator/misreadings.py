"""Why a value is wrong: the instruction's own numbers, dates, names and words are read again (PROTOCOL 5).

Each function compares an expected and a found value and says whether one known slip leads from one to the other. They
only name a fault that is there already; nothing here decides whether a call is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcbench.core.names import JsonValue
from fcbench.core.verdicts import FaultKind

POINT_IS_DECIMAL = ("en",)
"""Languages that write 1,234.5; the others that the suites use write 1.234,5."""
_PREFIXES = (
    "van de der den het 't ten ter te in op aan bij onder over uit voor von zu la le du da di del della el al d'"
)
SURNAME_PREFIXES = frozenset(_PREFIXES.split())
"""Words that Dutch surnames begin with; Dutch law keeps them apart from the surname."""
_NUMBER = re.compile(r"[0-9]+(?:[.,'\u00a0\u202f ][0-9]+)*")
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MAX_TEXT = 400


def number_slip(expected: JsonValue, found: JsonValue, text: str, language: str) -> FaultKind | None:
    """`decimal_mark` or `thousands_mark` where the found number is a misreading of one that the text holds.

    `150.000,50` (Dutch) read as 150, 150000 or 15000050 is a decimal mark; `350.000` read as 350 a thousands mark.
    """
    if not _is_number(expected) or not _is_number(found):
        return None
    decimal = "." if language in POINT_IS_DECIMAL else ","
    for match in _NUMBER.finditer(text):
        token = match.group()
        for mark in (decimal, "," if decimal == "." else "."):
            whole, fraction = _split(token, mark)
            if whole is None or not _same(float(f"{whole}.{fraction or 0}"), expected):
                continue
            if any(_same(value, found) for value in _misread(token)):
                return "decimal_mark" if fraction else "thousands_mark"
    return None


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(left: float, right: JsonValue) -> bool:
    try:
        return isinstance(right, int | float) and abs(left - right) < 1e-9 * max(1.0, abs(left))
    except OverflowError:
        return False


def _split(token: str, decimal: str) -> tuple[str | None, str]:
    """Whole and decimal digits of a written number; None where it is not written that way."""
    head, _, fraction = token.partition(decimal)
    groups = re.split(r"[.,'\u00a0\u202f ]", head)
    well_grouped = all(len(group) == 3 for group in groups[1:]) and (len(groups) == 1 or len(groups[0]) <= 3)
    if not well_grouped or not (fraction == "" or fraction.isdigit()):
        return None, ""
    return "".join(groups), fraction


def _misread(token: str) -> Iterator[float]:
    """What a careless reader may make of a written number."""
    parts = re.split(r"[.,'\u00a0\u202f ]", token)
    for cut in range(1, len(parts)):
        # Cut at a mark, or taken as the decimal mark there, the rest kept or lost.
        yield float("".join(parts[:cut]))
        yield float("".join(parts[:cut]) + "." + parts[cut])
        yield float("".join(parts[:cut]) + "." + "".join(parts[cut:]))
    yield float("".join(parts))


def date_slip(expected: JsonValue, found: JsonValue) -> FaultKind | None:
    """`date_order` where day and month are exchanged."""
    if not isinstance(expected, str) or not isinstance(found, str):
        return None
    ours, theirs = _ISO_DATE.match(expected), _ISO_DATE.match(found)
    if not ours or not theirs or ours.groups() == theirs.groups():
        return None
    year, month, day = ours.groups()
    return "date_order" if theirs.groups() == (year, day, month) else None


def surname_slip(expected: JsonValue, found: JsonValue) -> FaultKind | None:
    """`surname_prefix` where the two names differ only by words such as `van der`: lost, added, moved or recased."""
    if not isinstance(expected, str) or not isinstance(found, str) or max(len(expected), len(found)) > _MAX_TEXT:
        return None
    ours, theirs = _words(expected), _words(found)
    if expected == found or not (set(ours) | set(theirs)) & SURNAME_PREFIXES:
        return None
    core, other = ([word for word in words if word not in SURNAME_PREFIXES] for words in (ours, theirs))
    return "surname_prefix" if core == other else None


def _words(name: str) -> list[str]:
    return re.sub(r"[,.\s]+", " ", name.casefold().replace("\u2019", "'")).split()


def is_word_of(found: JsonValue, text: str) -> bool:
    """Whether a text value was copied from the instruction as it stands there."""
    return isinstance(found, str) and 2 < len(found) <= _MAX_TEXT and found.casefold() in text.casefold()


def mended(found: JsonValue, pattern: JsonValue, text: str) -> str | None:
    """The word of the instruction that a value silently mends to fit its pattern; None where there is none.

    The word breaks the pattern, the value fits it, and at most two edits lie between them.
    """
    if not isinstance(found, str) or not isinstance(pattern, str) or len(found) > 64 or found in text:
        return None
    try:
        fits = re.compile(pattern)
    except re.error:
        # Imported contracts may use a dialect that Python does not know.
        return None
    if not fits.search(found):
        return None
    for match in re.finditer(r"[^\s,;:()\"'“”]+", text):
        bare: str = match.group().rstrip(".!?")
        if abs(len(bare) - len(found)) <= 2 and not fits.search(bare) and _distance(bare, found) <= 2:
            return bare
    return None


def _distance(left: str, right: str) -> int:
    """Levenshtein distance of two short texts, without regard to case."""
    left, right = left.casefold(), right.casefold()
    row = list(range(len(right) + 1))
    for index, letter in enumerate(left, 1):
        above, row = row, [index]
        for column, other in enumerate(right, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != other)))
    return row[-1]
