"""Attempts in their run: what lies around each, and the keys of their pages, kept while the run does not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec

from fcbench.core.cases import Case
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import Record
from fcbench.packages.manifest import AttemptEntry
from fcbench.site.data import RunView, SiteData, Status
from fcbench.site.disputes import DisputedCase, disputed_case, disputed_key
from fcbench.site.keeping import kept
from fcbench.site.pages import key_of
from fcbench.site.slugs import attempt_path

_Key = tuple[CaseId, int]
"""Case and repeat."""


class Neighbour(Record, frozen=True, kw_only=True):
    """A link to another attempt."""

    path: str
    label: str
    status: Status


class Neighbours(Record, frozen=True, kw_only=True):
    """Where a reader may go from an attempt, inside its run; `same_case` has the other runs."""

    previous_failure: Neighbour | None = None
    next_failure: Neighbour | None = None
    repeats: tuple[Neighbour, ...] = ()
    """Every repeat of the case in this run, this one too."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """One attempt in its run."""

    run: RunView
    case: Case
    entry: AttemptEntry
    neighbours: Neighbours
    disputed: DisputedCase | None

    @property
    def path(self) -> str:
        """Of its page."""
        return attempt_path(self.run.slug, self.entry.task_id, self.entry.repeat)


@dataclass(frozen=True)
class RunPlaces:
    """The attempts of one run that have a page: those whose case the package holds."""

    run: RunView
    disputed: Mapping[CaseId, DisputedCase | None]

    def place(self, key: _Key) -> Place:
        """One attempt, with what lies around it."""
        case = self.run.package.cases[key[0]]
        entry = self.run.entries[key]
        return Place(
            run=self.run, case=case, entry=entry, neighbours=self._neighbours(key), disputed=self.disputed[key[0]]
        )

    def page_keys(self) -> Iterator[tuple[_Key, Digest]]:
        """Key of each attempt's page, in the order of the package.

        Making them takes a look at every attempt, so those of an unchanged run are those of the build before: the
        run's own key covers package, verdicts and code, and claims about its cases stand beside it.
        """
        claims = [disputed_key(self.disputed[task_id]) for task_id in sorted(self.disputed)]
        encoded = kept("keys", key_of("attempts", self.run.key, claims), lambda: msgspec.json.encode(self._keys()))
        keys = [key for key in self.run.entries if key[0] in self.disputed]
        yield from zip(keys, msgspec.json.decode(encoded, type=list[Digest]), strict=True)

    def _keys(self) -> list[Digest]:
        run = self.run
        fixed = key_of(run.manifest.header, run.manifest.files.get("contracts.jsonl", ""), run.tiers)
        cases = {task_id: key_of(case) for task_id, case in run.package.cases.items()}
        found = []
        for task_id, repeat in run.entries:
            if task_id in self.disputed:
                place = self.place((task_id, repeat))
                verdicts = [run.verdict(task_id, repeat, tier) for tier in run.tiers]
                claims = disputed_key(place.disputed)
                around = place.neighbours
                found.append(key_of("attempt", fixed, cases[task_id], place.entry.sha256, verdicts, around, claims))
        return found

    @cached_property
    def _failures_around(self) -> dict[_Key, tuple[_Key | None, _Key | None]]:
        """The failure before and the failure after each attempt."""
        keys = list(self.run.entries)
        before: dict[_Key, _Key | None] = {}
        last: _Key | None = None
        for key in keys:
            before[key] = last
            last = key if self.run.status(*key).kind == "fail" else last
        around: dict[_Key, tuple[_Key | None, _Key | None]] = {}
        following: _Key | None = None
        for key in reversed(keys):
            around[key] = (before[key], following)
            following = key if self.run.status(*key).kind == "fail" else following
        return around

    def _neighbours(self, key: _Key) -> Neighbours:
        task_id, _ = key
        keys = [(task_id, repeat) for repeat in range(1, self.run.manifest.repeats_done + 1)]
        previous, following = (
            self._link(one, f"{one[0]}, repeat {one[1]}") if one else None for one in self._failures_around[key]
        )
        return Neighbours(
            previous_failure=previous,
            next_failure=following,
            repeats=tuple(self._link(one, f"repeat {one[1]}") for one in keys if one in self.run.entries),
        )

    def _link(self, key: _Key, label: str) -> Neighbour:
        return Neighbour(path=attempt_path(self.run.slug, *key), label=label, status=self.run.status(*key))


def places_of(data: SiteData, run: RunView) -> RunPlaces:
    """The attempts of one run, with the claims about its cases."""
    run_id = run.manifest.run_id
    return RunPlaces(run, {task_id: disputed_case(data, task_id, run_id) for task_id in run.package.cases})


__all__ = ["Neighbour", "Neighbours", "Place", "RunPlaces", "places_of"]
