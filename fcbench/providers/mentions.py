"""What an instruction mentions: numbers, ranges, dates, quoted texts, names, DNA. Forms only, no meaning.

This is the reading half of the rule-based control `lexical`. It knows the ways in which people write values in English
and Dutch, and no tool, schema or case.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Literal

from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.retrieval.terms import stem

Kind = Literal["number", "date", "quoted", "dna", "gene", "file", "email", "code", "name"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januari jan",
            "february februari feb",
            "march maart mar mrt",
            "april apr",
            "may mei",
            "june juni jun",
            "july juli jul",
            "august augustus aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
# The order is the precedence: what an earlier form has taken, a later one does not read again.
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("quoted", re.compile(r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|„([^”\n]{1,400})”|(?<!\w)'([^'\n]{1,200})'(?!\w)")),
    ("email", re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+")),
    ("file", re.compile(r"(?<![\w./-])[\w./-]{1,120}\.[a-z][a-z0-9]{1,5}\b")),
    ("date", re.compile(rf"\b(?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}[-/.][0-9]{{1,2}}[-/.][0-9]{{4}}"
                        rf"|[0-9]{{1,2}}\.? (?:{_MONTH})\.? [0-9]{{4}}|(?:{_MONTH}) [0-9]{{1,2}},? [0-9]{{4}})\b",
                        re.IGNORECASE)),
    ("dna", re.compile(r"\b[ACGTUNRYKMSWBDHV]{6,}\b|\b[acgtu]{8,}\b"
                       r"|\b[ACGTU]{3,}(?: [ACGTU]{3,})+\b|\b[acgtu]{3,}(?: [acgtu]{3,}){2,}\b")),
    ("code", re.compile(r"\b[1-9][0-9]{3} ?[A-Z]{2}\b"
                        r"|\b(?=[A-Z0-9-]{0,30}[0-9])(?=[A-Z0-9-]{0,30}[A-Z])[A-Z0-9][A-Z0-9-]{2,30}\b")),
    ("number", re.compile(r"(?<![\w.,])[-+]?(?:[0-9]{1,3}(?:[.,][0-9]{3})+|[0-9]+)(?:[.,][0-9]+)?(?![0-9])")),
    ("gene", re.compile(r"\b[a-z]{2,4}[A-Z][A-Za-z0-9]{0,4}\b|\b[a-z]{1,3}[0-9]{3,5}\b")),
    ("name", re.compile(r"\b[A-Z][\w'-]*(?: (?:(?:van|de|der|den|ten|ter|of|the) )*[A-Z][\w'-]*)*")),
)  # fmt: skip
_WORD = re.compile(r"\w+")
_DUTCH = re.compile(r"\b(?:de|het|een|van|voor|met|zijn|wil|graag|en|op|is|ik|dat|per)\b", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:the|a|of|for|with|are|and|on|is|to|from|that|please|what|which)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?:^|[.!?:;\n])[\s\"'“„(]*\Z")
_THOUSAND_WORDS = {"kb": 1_000, "kbp": 1_000, "mb": 1_000_000, "mbp": 1_000_000}
_RANGE_GAP = re.compile(r"\s*(?:-|–|\.\.|to|and|through|tot|t/m|en)\s*")


class Mention(Record, frozen=True, kw_only=True):
    """One value that an instruction mentions."""

    kind: Kind
    text: str
    value: JsonValue
    """A number for `number`, an ISO date for `date`, else the text."""
    at: int
    """Position among the words of the text, from 0."""
    begins_range: bool = False
    ends_range: bool = False


class Reading(Record, frozen=True, kw_only=True):
    """An instruction, read."""

    text: str
    stems: tuple[str, ...]
    """Stem of each word."""
    mentions: tuple[Mention, ...]


def read(text: str) -> Reading:
    """Find all words and mentions of a text."""
    words = list(_WORD.finditer(text))
    starts = [word.start() for word in words]
    is_dutch = len(_DUTCH.findall(text)) > len(_ENGLISH.findall(text))
    mentions = sorted(_mentions(text, starts, is_dutch=is_dutch), key=lambda found: found[0])
    joined = list(_with_ranges(text, mentions))
    return Reading(text=text, stems=tuple(stem(word.group()) for word in words), mentions=tuple(joined))


Placed = tuple[tuple[int, int], Mention]


def _mentions(text: str, starts: list[int], *, is_dutch: bool) -> Iterator[Placed]:
    taken = bytearray(len(text))
    for kind, form in _FORMS:
        for match in form.finditer(text):
            begin, end = match.span()
            if kind == "name":
                begin = _name_start(text, begin, end)
            if begin == end or any(taken[begin:end]):
                continue
            written = (
                text[begin:end] if kind == "name" else next((group for group in match.groups() if group), match.group())
            )
            value = _value(kind, written, text[end : end + 5], is_dutch=is_dutch)
            if value is None:
                continue
            taken[begin:end] = b"\x01" * (end - begin)
            at = bisect_left(starts, begin)
            yield (begin, end), Mention(kind=kind, text=written, value=value, at=at)


def _name_start(text: str, begin: int, end: int) -> int:
    """Where a name really begins: the first word of a sentence has a capital for another reason."""
    if not _SENTENCE_END.search(text, max(0, begin - 8), begin):
        return begin
    following = re.compile(r"(?<= )[A-Z]").search(text, begin + 1, end)
    return following.start() if following else end


def _value(kind: Kind, written: str, after: str, *, is_dutch: bool) -> JsonValue:
    if kind == "number":
        number = number_of(written, is_dutch=is_dutch)
        unit = _WORD.match(after.strip())
        return _whole(number * _THOUSAND_WORDS.get(unit.group().lower(), 1) if unit else number)
    if kind == "dna":
        return written.replace(" ", "")
    return date_of(written) if kind == "date" else written


def number_of(written: str, *, is_dutch: bool) -> float:
    """The number that a text means; 1.500 and 1,5 are read as the language of the instruction writes them."""
    thousands, decimal = (".", ",") if is_dutch else (",", ".")
    grouped = re.fullmatch(r"[-+]?[0-9]{1,3}(?:[.,][0-9]{3})+", written)
    marks = {letter for letter in written if letter in ".,"}
    if grouped and len(marks) == 1 and (marks == {thousands} or written.count(next(iter(marks))) > 1):
        return float(re.sub(r"[.,]", "", written))
    plain = written.replace(thousands, "") if len(marks) == 2 or thousands not in written else written
    plain = plain.replace(decimal, ".").replace(",", ".")
    head, dot, tail = plain.rpartition(".")
    return float(f"{head.replace('.', '')}{dot}{tail}")


def _whole(number: float) -> int | float | None:
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def date_of(written: str) -> str | None:
    """ISO form of a date; day before month where only digits stand, as in Dutch. None if there is no such day."""
    words = re.findall(r"[0-9]+|[^\W\d_]+", written.lower())
    numbers = [int(word) for word in words if word.isdigit()]
    month = next((_MONTHS[word] for word in words if word in _MONTHS), None)
    if month is not None:
        year, day = max(numbers), min(numbers)
    elif len(words[0]) == 4:
        year, month, day = numbers
    else:
        day, month, year = numbers
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _with_ranges(text: str, placed: list[Placed]) -> Iterator[Mention]:
    """Mark two neighbouring numbers that `to`, `and` or a dash joins."""
    numbers = [index for index, (_, mention) in enumerate(placed) if mention.kind == "number"]
    begins, ends = set[int](), set[int]()
    for left, right in pairwise(numbers):
        gap = text[placed[left][0][1] : placed[right][0][0]]
        if right == left + 1 and left not in ends and _RANGE_GAP.fullmatch(gap):
            begins.add(left)
            ends.add(right)
    for index, (_, mention) in enumerate(placed):
        yield Mention(
            kind=mention.kind,
            text=mention.text,
            value=mention.value,
            at=mention.at,
            begins_range=index in begins,
            ends_range=index in ends,
        )
