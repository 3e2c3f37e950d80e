"""What a tier asks (PROTOCOL 3): how arguments are read, whether a call must succeed, which tools are known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonValue, Tier, ToolName
from fcbench.core.parameter_schemas import parameters_schema

STRICT_TIERS: Final[frozenset[Tier]] = frozenset({"native-function-contract", "real-tool-execution"})
EXECUTION_TIERS: Final[frozenset[Tier]] = frozenset({"real-tool-execution", "task-completion-execution"})
"""Tiers whose partial score has the two parts of execution (PROTOCOL 4)."""


class Rules:
    """The rules of one tier for one case.

    Attributes:
        tier: the tier.
        contracts: by the names that the model sees.
        strict: whether the tier wants the exact sequence of calls.
        needs_success: whether every expected call must have been executed and have succeeded (rule 5).
        scores_execution: whether the partial score has the parts of execution.
        tools: what `tool` has given so far.
    """

    __slots__ = ("_patterned", "contracts", "needs_success", "scores_execution", "strict", "tier", "tools")

    def __init__(self, tier: Tier, contracts: Mapping[ToolName, ToolContract], *, call_only: bool = False) -> None:
        self.tier = tier
        self.contracts = contracts
        self.strict = tier in STRICT_TIERS
        self.needs_success = tier == "real-tool-execution" or (not self.strict and not call_only)
        self.scores_execution = tier in EXECUTION_TIERS
        self._patterned: dict[str, bool] = {}
        self.tools: dict[str, tuple[ToolContract | None, Callable[[JsonValue], bool]]] = {}

    def tool(self, name: str) -> tuple[ToolContract | None, Callable[[JsonValue], bool]]:
        """The contract of a name, and what decides whether arguments are valid; nothing is, for an unknown name."""
        known = self.tools.get(name)
        if known is None:
            contract = self.contracts.get(ToolName(name))
            if contract is None:
                # Not kept: a hostile attempt may name a million tools.
                return _UNKNOWN
            known = self.tools[name] = (contract, parameters_schema(contract).is_valid)
        return known

    def has_patterns(self, contract: ToolContract) -> bool:
        """Whether a pattern stands anywhere in a tool's parameters: only then can a value have been mended to fit."""
        known = self._patterned.get(contract.name)
        if known is None:
            known = self._patterned[contract.name] = '"pattern"' in json.dumps(contract.parameters)
        return known


def _never(arguments: JsonValue) -> bool:
    return False


_UNKNOWN: Final = (None, _never)
