"""Attempt pages: the round view of one execution of one case."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Candidate
from fcbench.core.names import CaseId, Digest, ToolName
from fcbench.core.records import Record
from fcbench.errors import BadInputError
from fcbench.evaluator import Bench, would_pass_if
from fcbench.packages.manifest import AttemptEntry
from fcbench.site.attempt_view import Reading, rounds, steps, why
from fcbench.site.data import RunView, SiteData, Status
from fcbench.site.disputes import DisputedCase, disputed_case, disputed_key
from fcbench.site.environment import render
from fcbench.site.mending_view import MendingView, mending_view
from fcbench.site.pages import LeanPage, key_of
from fcbench.site.slugs import (
    attempt_path,
    case_path,
    failures_path,
    model_path,
    relative,
    same_case_path,
    slug,
    tool_path,
)


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


MAX_FAULTS = 20
"""Faults that the list of a verdict shows."""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """One attempt in its run."""

    run: RunView
    case: Case
    entry: AttemptEntry
    neighbours: Neighbours
    disputed: DisputedCase | None

    @property
    def path(self) -> str:
        return attempt_path(self.run.slug, self.entry.task_id, self.entry.repeat)


def attempt_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each attempt of each run, not yet rendered."""
    for run in data.runs:
        fixed = key_of(run.manifest.header, run.manifest.files.get("contracts.jsonl", ""), run.tiers)
        cases = {task_id: key_of(case) for task_id, case in run.package.cases.items()}
        around = _failures_around(run)
        for key, entry in run.entries.items():
            case = run.case(entry.task_id)
            if case is not None:
                neighbours = _neighbours(run, key, around[key])
                disputed = disputed_case(data, entry.task_id, run.manifest.run_id)
                place = _Place(run=run, case=case, entry=entry, neighbours=neighbours, disputed=disputed)
                yield _page(place, fixed, cases[case.id])


_Key = tuple[CaseId, int]


def _failures_around(run: RunView) -> dict[_Key, tuple[_Key | None, _Key | None]]:
    """The failure before and the failure after each attempt of a run."""
    keys = list(run.entries)
    before: dict[_Key, _Key | None] = {}
    last: _Key | None = None
    for key in keys:
        before[key] = last
        last = key if run.status(*key).kind == "fail" else last
    around: dict[_Key, tuple[_Key | None, _Key | None]] = {}
    following: _Key | None = None
    for key in reversed(keys):
        around[key] = (before[key], following)
        following = key if run.status(*key).kind == "fail" else following
    return around


def _neighbours(run: RunView, key: _Key, around: tuple[_Key | None, _Key | None]) -> Neighbours:
    task_id, _ = key
    keys = [(task_id, repeat) for repeat in range(1, run.manifest.repeats_done + 1)]
    previous, following = (_link(run, one, f"{one[0]}, repeat {one[1]}") if one else None for one in around)
    return Neighbours(
        previous_failure=previous,
        next_failure=following,
        repeats=tuple(_link(run, one, f"repeat {one[1]}") for one in keys if one in run.entries),
    )


def _link(run: RunView, key: _Key, label: str) -> Neighbour:
    return Neighbour(path=attempt_path(run.slug, *key), label=label, status=run.status(*key))


def _page(place: _Place, fixed: Digest, case: Digest) -> LeanPage:
    run, entry = place.run, place.entry
    verdicts = [run.verdict(entry.task_id, entry.repeat, tier) for tier in run.tiers]
    return LeanPage(
        path=place.path,
        title=f"{slug(entry.task_id)} · {slug(run.model)} · repeat {entry.repeat}",
        key=key_of("attempt", fixed, case, entry.sha256, verdicts, place.neighbours, disputed_key(place.disputed)),
        body=lambda: _body(place),
    )


def _contracts(place: _Place) -> Mapping[ToolName, ToolContract]:
    try:
        return contracts_of(place.case.task, place.run.package.contracts)
    except BadInputError:  # a package from elsewhere that lacks a contract: `fcbench verify` says so
        return {}


def _commands(run: RunView, task_id: CaseId) -> tuple[str, ...]:
    """What recomputes the verdict, and what asks the same case again."""
    header = run.manifest.header
    key, provider = header.key, header.provider.provider
    # A local model is asked by its file; the file's digest stands below the command.
    model = f"{provider}:{run.model}" + (".gguf" if provider == "llama_server" else "")
    options = {"harness": key.harness, "mode": key.harness_mode, "retrieval": key.retrieval, "decoding": key.decoding}
    said = " ".join(f"--{name} {shlex.quote(value)}" for name, value in options.items())
    again = f"fcbench try {shlex.quote(task_id)} --model {shlex.quote(model)} {said}"
    return f"fcbench verify {shlex.quote(run.home)}", again


def _mending(run: RunView, reading: Reading) -> MendingView | None:
    """The smallest change after which the evaluator passes the attempt."""
    if reading.verdict is None or reading.verdict.passed:
        return None
    bench = Bench(case=reading.case, contracts=reading.contracts, harness=run.manifest.header.key.harness)
    return mending_view(would_pass_if(bench, reading.attempt, reading.verdict), reading.attempt)


@lru_cache(maxsize=1024)
def _candidates(
    candidates: tuple[Candidate, ...], expected: frozenset[ToolName], names: tuple[ToolName, ...], root: str
) -> Markup:
    """The list of what was offered: long, and the same for all repeats of a case, often for all its runs."""
    places = {name: tool_path(name) for name in names}
    # From our own template, which escapes every variable.
    html = render("candidates", candidates=candidates, expected_tools=expected, places=places, root=root)
    return Markup(html)  # noqa: S704


def _body(place: _Place) -> str:
    run, entry = place.run, place.entry
    attempt = run.attempt(entry.task_id, entry.repeat)
    verdict = run.verdict(entry.task_id, entry.repeat)
    reading = Reading(case=place.case, attempt=attempt, verdict=verdict, contracts=_contracts(place))
    views = rounds(reading)
    names, root = tuple(run.package.contracts), relative("", place.path)
    expected = frozenset(step.tool for step in place.case.oracle.calls)
    return render(
        "attempt",
        root=root,
        page_path=place.path,
        most_faults=MAX_FAULTS,
        run=run,
        header=run.manifest.header,
        case=place.case,
        attempt=attempt,
        entry=entry,
        verdict=verdict,
        status=run.status(entry.task_id, entry.repeat),
        why=why(attempt, verdict),
        rounds=views,
        steps=steps(reading, views),
        others=tuple(
            (tier, found)
            for tier in run.tiers
            if tier != run.headline and (found := run.verdict(entry.task_id, entry.repeat, tier))
        ),
        neighbours=place.neighbours,
        mending=_mending(run, reading),
        disputed=place.disputed,
        places={name: tool_path(name) for name in names},
        candidates=_candidates(attempt.candidates, expected, names, root),
        case_path=case_path(entry.task_id),
        same_case=same_case_path(entry.task_id),
        model_path=model_path(run.model),
        commands=_commands(run, entry.task_id),
        failures_file=failures_path(run.model) if run.status(entry.task_id, entry.repeat).kind == "fail" else "",
    )
