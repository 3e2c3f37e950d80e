"""What a run on the workbench needs: tools that are there, engines that are installed, sessions to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.errors import UnavailableError
from fcbench.workbench.engines import EXTRAS, Engine, engine_version, require_engine
from fcbench.workbench.fixtures import Fixtures
from fcbench.workbench.tools import implementations


def check_tools(cases: Iterable[Case], installed: Callable[[Engine], str | None] = engine_version) -> None:
    """Refuse a run whose expected tools cannot be executed here (PROTOCOL 2, safeguards).

    Args:
        cases: what is planned.
        installed: gives the version of an engine, or None.

    Raises:
        UnavailableError: an expected tool has no implementation, or its engine or a required extra is not installed.
    """
    tools = implementations()
    for case in cases:
        for extra in case.requires:
            for engine, wanted in EXTRAS.items():
                if wanted == extra:
                    require_engine(engine, installed)
        for step in case.oracle.calls:
            if step.tool not in tools:
                raise UnavailableError(
                    "an expected tool has no implementation on the workbench",
                    wanted=step.tool,
                    where=case.id,
                    next_step="run it on the contract harness, or pick other cases with --case",
                )
            require_engine(tools[step.tool].engine, installed)


def sessions_of(suites: Path, registry: str) -> Fixtures:
    """The prepared states of a registry's cases."""
    return Fixtures(suites / "fixtures" / registry)
