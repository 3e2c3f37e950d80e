"""What a run on the workbench needs: tools that are there, engines that are installed, sessions to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.findings import Finding
from fcbench.core.names import Pointer
from fcbench.errors import UnavailableError
from fcbench.registry.model import Registry
from fcbench.workbench.engines import EXTRAS, Engine, engine_version, require_engine
from fcbench.workbench.fixtures import Fixtures
from fcbench.workbench.pure import is_answered
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


def check_computed(contracts: Iterable[ToolContract]) -> None:
    """Refuse a run on the contract harness whose contracts say `computed` where nothing computes.

    Raises:
        UnavailableError: no function of this release answers a contract.
    """
    for contract in contracts:
        if contract.synthetic.computed and not is_answered(contract):
            raise UnavailableError(
                "a contract says that its answers are computed, and this release has no function for it",
                wanted=f"a function for {contract.name}, version {contract.version}, with these schemas",
                where=contract.name,
                next_step="see `fcbench registry check`",
            )


def uncomputed_findings(registry: Registry) -> Iterator[Finding]:
    """Contracts of a registry that say `computed` where nothing computes."""
    for key, contract in registry.contracts.items():
        if contract.synthetic.computed and not is_answered(contract):
            source = registry.sources.get(key)
            yield Finding(
                rule="computed",
                message=f"{contract.name}: no pure function of this release has this version and these schemas; the "
                "workbench keeps the list in fcbench/workbench/pure.py",
                file=source.document.file if source else f"{registry.name}/{key}",
                line=source.document.line_of("/synthetic/computed") if source else 1,
                field=Pointer("/synthetic/computed"),
            )


def sessions_of(suites: Path, registry: str) -> Fixtures:
    """The prepared states of a registry's cases."""
    return Fixtures(suites / "fixtures" / registry)
