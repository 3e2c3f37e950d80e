"""Suites, collections and subsets as they are written, and the whole of them as loaded."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from msgspec import field

from fcbench.core.cases import DEFAULT_TIME_LIMIT_S, Case
from fcbench.core.names import CaseId, HarnessMode, HarnessName, Level, Mix, Tier, ToolName
from fcbench.core.records import Record
from fcbench.core.yaml12 import Document
from fcbench.errors import NotFoundError
from fcbench.suites.commitments import SealedCase
from fcbench.suites.golden import GoldenFile


class WordRange(Record, frozen=True, kw_only=True):
    """How long instructions are, in words, both ends included."""

    least: int
    most: int


class Targets(Record, frozen=True, kw_only=True):
    """What a suite aims at; `suite check` compares."""

    mix: dict[Mix, int] = field(default_factory=dict)
    """Share of each kind of instruction, in percent; the sum is 100, or nothing is aimed at."""
    levels: dict[Level, int] = field(default_factory=dict)
    """Least number of cases of each level."""
    traps: dict[str, int] = field(default_factory=dict)
    """Least number of cases that set each trap."""
    words: WordRange | None = None
    """Length of every instruction."""


class Suite(Record, frozen=True, kw_only=True):
    """`suites/<suite>/suite.yaml`: what the cases of one folder share."""

    suite: str
    """The folder's name."""
    title: str
    registry: str
    language: str
    """ISO 639-1 code; the default of every task."""
    description: str = ""
    fixture: str | None = None
    """Default of every task."""
    single_call: bool = False
    """Default of every task."""
    tools: tuple[ToolName, ...] = ()
    """Default of every task."""
    harnesses: tuple[HarnessName, ...] = ("contract", "workbench")
    """Default of every case."""
    time_limit_s: float = DEFAULT_TIME_LIMIT_S
    """Default of every task, in seconds."""
    canary: str
    """Stands in every case, so that a training set that holds the case can be found."""
    ethics: Literal["reviewed", "pending"]
    """`reviewed`: a person looked for anything harmful (PROTOCOL 8)."""
    traps: dict[str, str] = field(default_factory=dict)
    """The vocabulary of `labels.traps`: name -> what the mistake is."""
    targets: Targets = Targets()
    imported_from: str | None = None
    """Where imported cases come from; they are exempt from the gates of wording, and their review is a warning."""


class Collection(Record, frozen=True, kw_only=True):
    """Suites that are reported together, and how they are run by default (PROTOCOL 2)."""

    name: str
    title: str
    suites: tuple[str, ...]
    harness: HarnessName
    mode: HarnessMode
    retrieval: str
    """`lexical[:K]`, `given` or `all`."""
    repeats: int = 1
    headline_tier: Tier
    description: str = ""


class Subset(Record, frozen=True, kw_only=True):
    """A named, seeded list of case ids: for each collection a board of its own."""

    name: str
    cases: dict[str, tuple[CaseId, ...]]
    """Collection -> case ids, sorted."""
    title: str = ""
    seed: int | None = None
    """Seed of the draw, where the ids were drawn."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case stands."""

    document: Document
    pointer: str

    def line_of(self, deeper: str = "") -> int:
        """The line of a field of the case."""
        return self.document.line_of(self.pointer + deeper)


@dataclass(frozen=True, kw_only=True)
class Suites:
    """Everything below `suites/`.

    Attributes:
        suites: by name.
        cases: by id, sorted.
        collections: by name.
        subsets: by name.
        places: where each case stands.
        documents: the `suite.yaml` of each suite.
        golden: the recorded golden runs of each suite that has some.
        sealed: held-out cases that are known by their commitment only, by id.
    """

    suites: dict[str, Suite]
    cases: dict[CaseId, Case]
    collections: dict[str, Collection]
    subsets: dict[str, Subset]
    places: dict[CaseId, Place]
    documents: dict[str, Document]
    golden: dict[str, GoldenFile]
    sealed: dict[CaseId, SealedCase] = dataclasses.field(default_factory=dict)

    def of_suite(self, name: str) -> tuple[Case, ...]:
        """The cases of one suite, sorted by id."""
        return tuple(case for case in self.cases.values() if case.suite == name)

    @property
    def case_sets(self) -> tuple[str, ...]:
        """Every name that `case_set` knows, sorted."""
        parts = [f"{collection}/{subset.name}" for subset in self.subsets.values() for collection in subset.cases]
        return tuple(sorted({*self.suites, *self.collections, *parts}))

    def sealed_in(self, name: str) -> tuple[SealedCase, ...]:
        """The sealed cases of a name that `case_set` knows, sorted by id; none for another name."""
        whole, _, part = name.partition("/")
        if part:
            chosen = self.subsets[part].cases.get(whole, ()) if part in self.subsets else ()
            return tuple(self.sealed[each] for each in chosen if each in self.sealed)
        suites = self.collections[whole].suites if whole in self.collections else (whole,)
        return tuple(one for _, one in sorted(self.sealed.items()) if one.suite in suites)

    def case_set(self, name: str) -> tuple[Case, ...]:
        """The cases of a suite, a collection or a `collection/subset`, sorted by id; those that are sealed left out.

        Raises:
            NotFoundError: there is no such name; the message gives the nearest ones.
        """
        whole, slash, part = name.partition("/")
        if part and part in self.subsets and whole in self.subsets[part].cases:
            return tuple(self.cases[each] for each in self.subsets[part].cases[whole] if each in self.cases)
        if not slash and whole in self.collections:
            members = self.collections[whole].suites
            return tuple(case for case in self.cases.values() if case.suite in members)
        if not slash and whole in self.suites:
            return self.of_suite(whole)
        raise NotFoundError(
            "there is no suite, collection or subset of this name",
            wanted=", ".join(self.case_sets) or "any (no suite was found)",
            found=name,
            next_step=nearest(name, self.case_sets),
        )


def nearest(name: str, known: Iterable[str]) -> str | None:
    """`did you mean ...?` for a misspelt name; None where nothing comes near."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"did you mean {found[0]}?" if found else None
