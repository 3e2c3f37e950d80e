"""Manual cases: tasks whose answers only a person can judge, each with a rubric.

They lie in `suites/manual/` and are no cases of the benchmark: `load_suites` leaves the folder out, so no run, table,
page or dataset ever holds one (PROTOCOL 8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fcbench.core.canonical import pointer
from fcbench.core.names import CaseId
from fcbench.core.records import Record
from fcbench.core.yaml12 import Document, load_yaml
from fcbench.errors import NotFoundError, SuiteError

MANUAL: Final = "manual"
"""Folder below `suites/`, and name of the suite."""
TOP: Final = 3
"""The highest rating; the lowest is 0."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Criterion(Record, frozen=True, kw_only=True):
    """One thing that is rated, from 0 to 3."""

    name: str
    question: str
    weight: float = 1.0
    floor: int = 0
    """The lowest rating with which an answer can still pass."""
    anchors: tuple[str, str, str, str]
    """What 0, 1, 2 and 3 look like."""


class ManualCase(Record, frozen=True, kw_only=True):
    """One task with what raters should know and the rubric."""

    id: CaseId
    title: str
    language: str
    instruction: str
    """What the model is asked, word for word."""
    raters_know: tuple[str, ...]
    """Facts for the raters; the model never sees them."""
    pass_share: float
    """The share of the highest weighted sum that an answer needs, above 0 and up to 1."""
    rubric: tuple[Criterion, ...]


class ManualSuiteFile(Record, frozen=True, kw_only=True):
    """What `suite.yaml` says."""

    suite: str
    title: str
    description: str
    canary: str
    ethics: str


@dataclass(frozen=True, slots=True)
class ManualSuite:
    """The suite with its cases by id."""

    about: ManualSuiteFile
    cases: Mapping[CaseId, ManualCase]


def is_manual_suite(name: str) -> bool:
    """Whether a suite's name marks its cases as manual: outside the evaluation and every export (PROTOCOL 8)."""
    return name == MANUAL or name.startswith((f"{MANUAL}/", f"{MANUAL}-", f"{MANUAL}_"))


def load_manual(suites: Path) -> ManualSuite:
    """Read `suites/manual/`.

    Raises:
        NotFoundError: there is no such folder.
        SuiteError: something in a file is wrong, with line and field.
    """
    folder = suites / MANUAL
    about = load_yaml(folder / "suite.yaml", error=SuiteError, name=f"suites/{MANUAL}/suite.yaml").read(ManualSuiteFile)
    cases: dict[CaseId, ManualCase] = {}
    for path in sorted(folder.glob("*.yaml")):
        if path.name == "suite.yaml":
            continue
        document = load_yaml(path, error=SuiteError, name=f"suites/{MANUAL}/{path.name}")
        for case in read_cases(document):
            if case.id in cases:
                raise document.complain("a manual case's id is used twice", found=case.id)
            cases[case.id] = case
    if not cases:
        raise NotFoundError("there is no manual case", wanted="a YAML file with a list of cases", where=str(folder))
    return ManualSuite(about, cases)


def read_cases(document: Document) -> list[ManualCase]:
    """The manual cases of a document.

    Raises:
        SuiteError: with line and field.
    """
    if not isinstance(document.value, list):
        raise document.complain("a file of manual cases is a list", wanted="- id: ...")
    return [_read(document, pointer(number), entry) for number, entry in enumerate(document.value)]


def _read(document: Document, place: str, entry: object) -> ManualCase:
    case = document.read(ManualCase, place, value=entry)
    problems = [
        ("/id", "an id has small letters, digits and hyphens", bool(_ID.fullmatch(case.id))),
        ("/instruction", "the instruction is empty", bool(case.instruction.strip())),
        ("/pass_share", "a pass share lies above 0 and is at most 1", 0 < case.pass_share <= 1),
        ("/rubric", "a rubric has one criterion or more", bool(case.rubric)),
        ("/rubric", "a criterion's name stands twice", len({one.name for one in case.rubric}) == len(case.rubric)),
    ]
    for number, one in enumerate(case.rubric):
        at = f"/rubric/{number}"
        problems += [
            (f"{at}/name", "a name has small letters, digits and _", bool(_NAME.fullmatch(one.name))),
            (f"{at}/weight", "a weight is above 0 and at most 100", 0 < one.weight <= 100),
            (f"{at}/floor", f"a floor lies between 0 and {TOP}", 0 <= one.floor <= TOP),
            (f"{at}/anchors", "every rating has its own anchor", len({*map(str.strip, one.anchors)} - {""}) == TOP + 1),
        ]
    for field, message, holds in problems:
        if not holds:
            raise document.complain(message, place + field)
    return case


def weighted_share(case: ManualCase, ratings: Mapping[str, int]) -> float:
    """The weighted sum of ratings over the highest one that is possible, 0 to 1."""
    top = TOP * sum(one.weight for one in case.rubric)
    return sum(one.weight * ratings[one.name] for one in case.rubric) / top


def passes(case: ManualCase, ratings: Mapping[str, int]) -> bool:
    """Whether an answer passes: its share is reached, and no criterion lies below its floor."""
    reached = weighted_share(case, ratings) >= case.pass_share - 1e-9
    return reached and all(ratings[one.name] >= one.floor for one in case.rubric)


def rating_problem(case: ManualCase, ratings: Mapping[str, int]) -> str | None:
    """What is wrong with a set of ratings, in words; None where nothing is."""
    names = {one.name for one in case.rubric}
    if set(ratings) != names:
        odd = sorted(names ^ set(ratings))
        return f"criteria missing or unknown: {', '.join(odd)[:200]}"
    wrong = [name for name, value in ratings.items() if isinstance(value, bool) or not 0 <= value <= TOP]
    return f"not a rating from 0 to {TOP}: {', '.join(wrong)[:200]}" if wrong else None


__all__ = [
    "MANUAL",
    "TOP",
    "Criterion",
    "ManualCase",
    "ManualSuite",
    "is_manual_suite",
    "load_manual",
    "passes",
    "rating_problem",
    "read_cases",
    "weighted_share",
]
