"""The registry of implementations: which function computes a tool's answer, on which engine.

The modules of `fcbench.workbench.implementations` register theirs with `@tool` when they are imported; they are found
by looking into the folder, so that a new module needs no entry in a list.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from fcbench.core.evidence import Provenance
from fcbench.core.names import JsonObject, ToolName
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.engines import Engine
from fcbench.workbench.session import Session

Implementation = Callable[[Session, Arguments], JsonObject]
"""Computes the result that the contract's `returns` describes, or raises `ToolError`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One implementation."""

    name: ToolName
    run: Implementation
    engine: Engine
    provenance: Provenance


_FOLDER = "fcbench.workbench.implementations"
_registered: dict[ToolName, Tool] = {}


def tool(
    name: str, *, engine: Engine = "biopython", provenance: Provenance = "computed"
) -> Callable[[Implementation], Implementation]:
    """Register a function as the implementation of a tool.

    Args:
        name: of the contract.
        engine: what computes the answer; it is recorded with its version in every result.
        provenance: `computed` from data, `state` for what is read from or written to the session alone, `simulated`
            where the data are simulated (the reads and variants of our fixtures).

    Raises:
        ValueError: two functions claim one tool.
    """

    def register(run: Implementation) -> Implementation:
        known = _registered.get(ToolName(name))
        if known is not None and known.run.__module__ != run.__module__:
            raise ValueError(f"{name} is implemented twice: in {known.run.__module__} and {run.__module__}")
        _registered[ToolName(name)] = Tool(name=ToolName(name), run=run, engine=engine, provenance=provenance)
        return run

    return register


@cache
def implementations() -> Mapping[ToolName, Tool]:
    """Every implementation by the name of its tool; imports their modules on the first call."""
    folder = importlib.import_module(_FOLDER)
    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{_FOLDER}.{module.name}")
    return MappingProxyType(dict(sorted(_registered.items())))
