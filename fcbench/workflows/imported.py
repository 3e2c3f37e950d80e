"""What results of other tools have in common on their way into a package: purpose `imported`, sealed, never ranked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from fcbench.harnesses.clock import Clock
from fcbench.harnesses.prompts import prompt_file
from fcbench.packages.run_directory import create_run, write_registry
from fcbench.packages.store import Package
from fcbench.providers.base import ProviderInfo
from fcbench.workflows.header import Prepared, make_header

STARTED = "1970-01-01T00:00:00.000Z"
"""For results that have no times."""


def write_imported(
    prepared: Prepared, info: ProviderInfo, attempts: Iterable[Attempt], runs: Path, clock: Clock, run_id: str | None
) -> Package:
    """Write a package of attempts that were made elsewhere, and seal it; it is not judged yet.

    Raises:
        WriteError: the folder cannot be written.
    """
    plan, registry = prepared.plan, prepared.registry
    header = replace(make_header(prepared, info, clock, run_id=run_id), purpose="imported")
    folder = runs / registry.hash[:12] / f"{header.run_id}.partial"
    directory = create_run(folder, header, plan.cases, plan.used_contracts(), prompt_file(plan.settings.mode))
    try:
        for attempt in attempts:
            directory.journal.append(attempt)
        repeats = plan.settings.repeats
        package = directory.seal(clock.now(), repeats_done=repeats, deterministic=None, allow_incomplete=True)
    finally:
        directory.close()
    write_registry(runs, registry.hash, registry.contracts.values())
    return package
