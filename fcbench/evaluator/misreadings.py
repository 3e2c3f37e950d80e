"""Why a value is wrong: the instruction's own numbers, dates, names and words are read again (PROTOCOL 5).

Each function compares an expected and a found value and says whether one known slip leads from one to the other. They
only name a fault that is there already; nothing here decides whether a call is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from fcbench.core.names import JsonValue
from fcbench.core.schema import compile_schema
from fcbench.core.verdicts import FaultKind
from fcbench.errors import BadInputError

POINT_IS_DECIMAL: Final = ("en",)
"""Languages that write 1,234.5; the others that the suites use write 1.234,5."""
_PREFIXES: Final = (
    "van de der den het 't ten ter te in op aan bij onder over uit voor von zu la le du da di del della el al d' "
    "vd v.d v/d v"
)
SURNAME_PREFIXES: Final = frozenset(_PREFIXES.split())
"""Words that Dutch surnames begin with, with their usual short forms; Dutch law keeps them apart from the surname."""
_NAME_KEYS: Final = ("naam", "name", "last", "voegsel", "prefix")
_NOT_OF_PEOPLE: Final = ("plaats", "straat", "bedrijf", "bestand", "street", "city", "place", "company", "file", "tool")
_NUMBER: Final = re.compile(r"[0-9]+(?:[.,'\u00a0\u202f ][0-9]+)*")
# A year before an amount, "In 2024 52.300 euro", is no part of it: every number is read without spaces as well.
_UNSPACED: Final = re.compile(r"[0-9]+(?:[.,'][0-9]+)*")
_ISO_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MAX_TEXT: Final = 400
_MAX_NUMBER: Final = 40
"""Letters of a written number; a longer one is no amount that anybody means."""


def number_slip(expected: JsonValue, found: JsonValue, text: str, language: str) -> FaultKind | None:
    """`decimal_mark` or `thousands_mark` where the found number is a misreading of one that the text holds.

    `150.000,50` (Dutch) read as 150, 150000 or 15000050 is a decimal mark; `350.000` read as 350 a thousands mark.

    Args:
        expected: a number, or a comparator whose numbers count.
        found: the observed number.
        text: the instruction.
        language: of the instruction.
    """
    if not _is_number(found):
        return None
    numbers = list(_numbers(expected))
    if not numbers:
        return None
    for meant, kind, misread in _written(text, "." if language in POINT_IS_DECIMAL else ","):
        sign = next((sign for sign in (1, -1) if any(_same(sign * meant, number) for number in numbers)), 0)
        if sign and any(_same(sign * value, found) for value in misread):
            return kind
    return None


@lru_cache(maxsize=1024)
def _written(text: str, decimal: str) -> tuple[tuple[float, FaultKind, tuple[float, ...]], ...]:
    """Every number of a text: what it means, which mark it has, and what a careless reader may make of it.

    Kept, since an instruction is read again for every attempt.
    """
    found: dict[tuple[float, FaultKind, tuple[float, ...]], None] = {}
    for token in dict.fromkeys(match.group() for pattern in (_NUMBER, _UNSPACED) for match in pattern.finditer(text)):
        if len(token) > _MAX_NUMBER:
            continue
        for mark in (decimal, "," if decimal == "." else "."):
            whole, fraction = _split(token, mark)
            misread = tuple(_misread(token))
            if whole is not None and len(misread) > 1:
                kind: FaultKind = "decimal_mark" if fraction else "thousands_mark"
                found.setdefault((float(f"{whole}.{fraction or 0}"), kind, misread))
    return tuple(found)


def _numbers(expected: JsonValue) -> Iterator[float]:
    """The numbers that an expected value allows: its own, or those of a tolerance or of alternatives."""
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        yield expected
    elif isinstance(expected, dict) and len(expected) == 1:
        ((name, body),) = expected.items()
        if name == "$tolerance" and isinstance(body, dict):
            yield from _numbers(body.get("value"))
        elif name == "$one_of" and isinstance(body, list):
            for item in body:
                yield from _numbers(item)


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
    if expected[4:5] != "-" or found[4:5] != "-":
        return None
    ours, theirs = _ISO_DATE.match(expected), _ISO_DATE.match(found)
    if not ours or not theirs or ours.groups() == theirs.groups():
        return None
    year, month, day = ours.groups()
    return "date_order" if theirs.groups() == (year, day, month) else None


def surname_slip(expected: JsonValue, found: JsonValue) -> FaultKind | None:
    """`surname_prefix` where two names differ only by words such as `van der`: lost, added, moved or recased.

    Whether the field holds a name at all is asked first: `is_name`.
    """
    if not isinstance(expected, str) or not isinstance(found, str) or max(len(expected), len(found)) > _MAX_TEXT:
        return None
    ours, theirs = _words(expected), _words(found)
    if expected == found or not (set(ours) | set(theirs)) & SURNAME_PREFIXES:
        return None
    core, other = ([word for word in words if word not in SURNAME_PREFIXES] for words in (ours, theirs))
    return "surname_prefix" if core and core == other else None


def is_name(path: Sequence[str | int]) -> bool:
    """Whether a field, by its key, holds the name of a person or a part of one."""
    key = str(path[-1]).casefold() if path else ""
    return any(part in key for part in _NAME_KEYS) and not any(part in key for part in _NOT_OF_PEOPLE)


def is_prefix(value: JsonValue) -> bool:
    """Whether a text holds nothing but words such as `van der`."""
    words = _words(value) if isinstance(value, str) and len(value) < 40 else []
    return bool(words) and SURNAME_PREFIXES.issuperset(words)


def _words(name: str) -> list[str]:
    folded = name.casefold().replace("\u2019", "'").replace("d'", "d' ")
    return re.sub(r"[,\s]+|\.(?=\s|$)", " ", folded).split()


def is_word_of(found: JsonValue, text: str) -> bool:
    """Whether a text value was copied from the instruction as it stands there, as whole words."""
    if not isinstance(found, str) or not 2 <= len(found) <= _MAX_TEXT:
        return False
    words, whole = found.casefold(), _folded(text)
    place = whole.find(words)
    while place >= 0:
        end = place + len(words)
        if not (_is_letter(whole[place - 1 : place]) or _is_letter(whole[end : end + 1])):
            return True
        place = whole.find(words, place + 1)
    return False


@lru_cache(maxsize=1024)
def _folded(text: str) -> str:
    return text.casefold()


def _is_letter(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def mended(found: JsonValue, pattern: JsonValue, text: str) -> str | None:
    """The word of the instruction that a value silently mends to fit its pattern; None where there is none.

    The word breaks the pattern, the value fits it, and few edits lie between them: one, or two of eight letters and
    more. In a shorter text two edits make another value.
    """
    if not isinstance(found, str) or not isinstance(pattern, str) or not 4 <= len(found) <= 64 or found in text:
        return None
    fits = _fits(pattern)
    if not fits(found):
        return None
    allowed = 1 if len(found) < 8 else 2
    for bare in _bare_words(text):
        if abs(len(bare) - len(found)) <= allowed and not fits(bare) and _distance(bare, found) <= allowed:
            return bare
    return None


@lru_cache(maxsize=1024)
def _bare_words(text: str) -> tuple[str, ...]:
    """The words of an instruction without the marks around them."""
    found = [match.group().rstrip(".!?") for match in re.finditer(r"[^\s,;:()\"'\u201c\u201d]+", text)]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1024)
def _fits(pattern: str) -> Callable[[JsonValue], bool]:
    """What decides of patterns elsewhere too: its steps are bounded, and Python's `re` may search for ever."""
    try:
        return compile_schema({"pattern": pattern}).is_valid
    except BadInputError:
        return lambda value: False


def _distance(left: str, right: str) -> int:
    """Levenshtein distance of two short texts, without regard to case."""
    left, right = left.casefold(), right.casefold()
    row = list(range(len(right) + 1))
    for index, letter in enumerate(left, 1):
        above, row = row, [index]
        for column, other in enumerate(right, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != other)))
    return row[-1]
