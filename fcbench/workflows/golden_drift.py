"""Comparing what was recorded of golden runs with what they give now."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case
from fcbench.core.findings import Finding
from fcbench.core.names import Digest, JsonObject, StepId
from fcbench.suites.golden import GoldenEntry, is_played
from fcbench.workbench.engines import EXTRAS
from fcbench.workflows.golden_runs import GoldenRuns, PlayedRun, StumbledError, case_finding, run_name, runs_of
from fcbench.workflows.project import Material


def drift(material: Material, runs: GoldenRuns) -> Iterator[Finding]:
    """What was recorded and is no longer so; a case whose engine is missing here is passed over, and said."""
    for name, recorded in material.suites.golden.items():
        for case in filter(is_played, material.suites.of_suite(name)):
            entry = recorded.cases.get(case.id)
            if entry is None:
                continue
            missing = runs.missing_engines(case)
            if missing:
                extras = ", ".join(sorted({EXTRAS[engine] for engine in missing if engine in EXTRAS}))
                message = f"its golden run was not played: {', '.join(missing)} is not installed (extra {extras})"
                yield case_finding(material, case, "golden-skipped", message, warning=True)
                continue
            try:
                for message in _differences(entry, [runs.play(case, run) for run in range(len(runs_of(case)))], case):
                    yield case_finding(material, case, "golden-drift", message)
            except StumbledError as error:
                yield case_finding(material, case, "golden-drift", f"step {error.step}: {error.code}: {error.message}")


def _differences(entry: GoldenEntry, played: list[PlayedRun], case: Case) -> Iterator[str]:
    recorded = (entry.results, *entry.alternatives)
    if len(recorded) != len(played):
        yield f"{len(recorded) - 1} alternatives were recorded, and the case has {len(played) - 1}"
        return
    for run, (digests, found) in enumerate(zip(recorded, played, strict=True)):
        name = f"{run_name(run)}, step " if run else "step "
        yield from (f"{name}{step}: {what}" for step, what in _steps(digests, found.digests))
        # All runs of a case leave the same: that of an alternative is judged where its golden run is.
        if run == 0:
            yield from _end_state(entry.end_state, found.end_state, case.oracle.calls[-1].step)


def _end_state(recorded: JsonObject, reached: JsonObject, last: StepId) -> Iterator[str]:
    for part in dict.fromkeys((*recorded, *reached)):
        if not (part in recorded and part in reached and json_equal(recorded[part], reached[part])):
            yield f"after step {last}: what the end state says of {part} is not what was recorded"


def _steps(recorded: dict[StepId, Digest], found: dict[StepId, Digest]) -> Iterator[tuple[StepId, str]]:
    for step in dict.fromkeys((*recorded, *found)):
        if step not in found:
            yield step, "a result is recorded, and the run gives none to compare"
        elif step not in recorded:
            yield step, "its result is not recorded"
        elif recorded[step] != found[step]:
            yield step, "its result is not the recorded one"
