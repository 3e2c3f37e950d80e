"""The tools of the workbench: their contracts, and what computes their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.core.names import Effect, JsonObject, ToolName
from fcbench.errors import NotFoundError
from fcbench.registry import load_registries
from fcbench.suites.model import nearest
from fcbench.workbench.engines import engine_label
from fcbench.workbench.tools import implementations
from fcbench.workflows.project import find_project

REGISTRY = "genomics"
"""The registry whose tools the workbench implements."""


@dataclass(frozen=True, kw_only=True)
class ToolRow:
    """One tool of the workbench."""

    name: str
    category: str
    effect: Effect
    engine: str | None
    """With its version; None where the tool has no implementation."""
    provenance: str | None

    def data(self) -> JsonObject:
        """As plain JSON."""
        return {
            "name": self.name,
            "category": self.category,
            "effect": self.effect,
            "engine": self.engine,
            "provenance": self.provenance,
        }


def workbench_contracts(project: Path | None) -> Mapping[ToolName, ToolContract]:
    """The contracts of the workbench's registry.

    Raises:
        NotFoundError: the project has no such registry.
    """
    registries = load_registries(find_project(project).tools_registry)
    if REGISTRY not in registries:
        raise NotFoundError(
            "the project has no registry of the workbench",
            wanted=REGISTRY,
            found=", ".join(sorted(registries)) or "none",
            next_step="leave out --project for the embedded default",
        )
    return registries[REGISTRY].contracts


def list_tools(project: Path | None = None, category: str | None = None) -> tuple[ToolRow, ...]:
    """Every tool by category and name, with what computes its answers.

    Raises:
        NotFoundError: there is no such category, or the project has no registry of the workbench.
    """
    rows = tool_rows(workbench_contracts(project))
    there = sorted({row.category for row in rows})
    if category is not None and category not in there:
        raise NotFoundError(
            "there is no category of this name",
            wanted=", ".join(there),
            found=category[:80],
            where="--category",
            next_step=nearest(category[:80], there),
        )
    return tuple(row for row in rows if category in (None, row.category))


def tool_rows(contracts: Mapping[ToolName, ToolContract]) -> tuple[ToolRow, ...]:
    """A row for each contract, sorted by category and name."""
    tools = implementations()
    rows = []
    for contract in sorted(contracts.values(), key=lambda one: (one.category, one.name)):
        tool = tools.get(contract.name)
        rows.append(
            ToolRow(
                name=contract.name,
                category=contract.category,
                effect=contract.effect,
                engine=engine_label(tool.engine) if tool else None,
                provenance=tool.provenance if tool else None,
            )
        )
    return tuple(rows)
