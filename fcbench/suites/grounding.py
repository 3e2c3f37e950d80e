"""Do expected values occur in, or follow from, the instruction (PROTOCOL 8)?

Whether a value follows can only be judged by a person; this looks for it and names the ones it cannot find. A value
that is derived (30 years are 360 months) passes when the case's rationale says it: that is the author's reasoning, and
readers of a failure page need it too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.comparators import comparator_of
from fcbench.core.contracts import ToolContract
from fcbench.core.exercised import schema_at
from fcbench.core.names import JsonObject, JsonValue

_NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "zero nul no geen none",
            "one een één a an single once first eerste",
            "two twee both beide second tweede twice pair",
            "three drie third derde",
            "four vier fourth vierde",
            "five vijf fifth vijfde",
            "six zes sixth zesde",
            "seven zeven seventh zevende",
            "eight acht eighth achtste",
            "nine negen ninth negende",
            "ten tien tenth tiende",
            "eleven elf",
            "twelve twaalf dozen",
        )
    )
    for word in words.split()
}
_MONTHS = tuple(
    names.split()
    for names in (
        "january januari jan",
        "february februari feb",
        "march maart mar mrt",
        "april apr",
        "may mei",
        "june juni jun",
        "july juli jul",
        "august augustus aug",
        "september sep sept",
        "october oktober oct okt",
        "november nov",
        "december dec",
    )
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DIGITS = re.compile(r"[0-9]+(?:[.,' \u00a0\u202f][0-9]+)*")
_SHORT = 2
"""Texts of at most so many letters (`+`, `bp`) are not looked for: they are found everywhere or nowhere."""


def unfounded(
    case: Case, call: ExpectedCall, contract: ToolContract
) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """Expected leaf values, with their path, that are neither in the task's words nor explained in the rationale.

    Left out: references, booleans, values of an enum or a const (they are chosen, not copied), default values and
    arguments that may be omitted.
    """
    words = _Words(" ".join((case.task.instruction, case.task.context or "", case.oracle.rationale)))
    for name, value in call.arguments.items():
        if name in call.may_omit:
            continue
        for path, leaf in _leaves(value, (name,)):
            if len(path) == 1 and name in contract.defaults and contract.defaults[name] == leaf:
                continue
            if not _is_chosen(contract.parameters, path) and not words.hold(leaf):
                yield path, leaf


def _leaves(value: JsonValue, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    found = comparator_of(value)
    if found is not None:
        name, body = found
        if name in ("from", "any"):
            return
        if name == "regex" and isinstance(body, dict):
            yield path, body.get("example")
        elif name == "tolerance" and isinstance(body, dict):
            yield path, body.get("value")
        elif name == "one_of" and isinstance(body, list):
            yield from _leaves(body[0], path)
        else:
            yield from _leaves(body, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, value


def _is_chosen(schema: JsonObject, path: tuple[str | int, ...]) -> bool:
    return any("enum" in place or "const" in place for place in schema_at(schema, path))


class _Words:
    """A text made ready for look-ups."""

    def __init__(self, text: str) -> None:
        self.text = _fold(text)
        self.dense = re.sub(r"[^0-9a-z]", "", self.text)
        self.words = frozenset(re.findall(r"[^\W\d_]+", self.text))
        self.numbers = frozenset(number for literal in _DIGITS.findall(text) for number in _readings(literal))

    def hold(self, value: JsonValue) -> bool:
        if isinstance(value, str):
            return self._has_text(value)
        if isinstance(value, int | float):
            return self._has_number(float(value))
        return True

    def _has_text(self, value: str) -> bool:
        date = _DATE.fullmatch(value)
        if date:
            return self._has_date(*(int(part) for part in date.groups()))
        folded = _fold(value)
        if len(folded) <= _SHORT or folded in self.text:
            return True
        dense = re.sub(r"[^0-9a-z]", "", folded)
        return bool(dense) and dense in self.dense

    def _has_number(self, value: float) -> bool:
        if value in self.numbers or abs(value) in self.numbers:
            return True
        # 0.38 from 38 %, 12000 from 12 kb, 360 months from 30 years.
        scaled = {round(value * factor, 9) for factor in (100, 0.001, 0.000001, 1 / 12)}
        return bool(scaled & self.numbers) or any(_NUMBER_WORDS.get(word) == value for word in self.words)

    def _has_date(self, year: int, month: int, day: int) -> bool:
        named = any(name in self.words for name in _MONTHS[month - 1]) or month in self.numbers
        return (
            named
            and (day in self.numbers or any(_NUMBER_WORDS.get(word) == day for word in self.words))
            and (year in self.numbers or year % 100 in self.numbers)
        )


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _readings(literal: str) -> Iterator[float]:
    """Every number that a literal may stand for: points and commas as decimal mark, as thousands mark, or apart."""
    parts = re.split(r"[.,' \u00a0\u202f]", literal)
    for part in parts:
        yield float(part[:300])
    whole = "".join(parts)
    yield float(whole[:300])
    if len(parts) > 1:
        yield float(f"{''.join(parts[:-1])[:300]}.{parts[-1][:300]}")
        yield float(f"{parts[-2][:300]}.{parts[-1][:300]}")
