"""Attempt pages: the round view of one execution of one case."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial

from markupsafe import Markup

from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Candidate
from fcbench.core.names import CaseId, ToolName
from fcbench.errors import BadInputError
from fcbench.evaluator import Bench, would_pass_if
from fcbench.site.attempt_places import Place, RunPlaces, places_of
from fcbench.site.attempt_view import Reading, rounds, steps, why
from fcbench.site.data import RunView, SiteData
from fcbench.site.environment import render
from fcbench.site.mending_view import MendingView, mending_view
from fcbench.site.pages import LeanPage
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

MAX_FAULTS = 20
"""Faults that the list of a verdict shows."""


def attempt_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each attempt of each run, not yet rendered."""
    for run in data.runs:
        places, model = places_of(data, run), slug(run.model)
        for (task_id, repeat), key in places.page_keys():
            yield LeanPage(
                path=attempt_path(run.slug, task_id, repeat),
                title=f"{slug(task_id)} · {model} · repeat {repeat}",
                key=key,
                body=partial(_body_at, places, (task_id, repeat)),
            )


def _body_at(places: RunPlaces, key: tuple[CaseId, int]) -> str:
    return _body(places.place(key))


def _contracts(place: Place) -> Mapping[ToolName, ToolContract]:
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


def _body(place: Place) -> str:
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
