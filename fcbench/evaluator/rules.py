"""What a tier asks of one call: how its arguments are read, whether it must succeed, and what order means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fcbench.core.cases import ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, Tier, ToolName
from fcbench.core.records import Record
from fcbench.evaluator.arguments import Reading, read_as_equivalent, read_for_completion, read_strictly
from fcbench.evaluator.observed import Observed

STRICT_TIERS: frozenset[Tier] = frozenset({"native-function-contract", "real-tool-execution"})
EXECUTION_TIERS: frozenset[Tier] = frozenset({"real-tool-execution", "task-completion-execution"})
"""Tiers whose partial score has the two parts of execution (PROTOCOL 4)."""


class Rules(Record, frozen=True, kw_only=True):
    """The rules of one tier for one case."""

    tier: Tier
    contracts: Mapping[ToolName, ToolContract]
    call_only: bool = False
    any_call: bool = False
    """Imported data only: the tool decides, whatever the arguments."""

    @property
    def strict(self) -> bool:
        """Whether the tier wants the exact sequence of calls."""
        return self.tier in STRICT_TIERS

    @property
    def needs_success(self) -> bool:
        """Whether every expected call must have been executed and have succeeded (rule 5)."""
        return self.tier == "real-tool-execution" or (not self.strict and not self.call_only)

    def read(self, step: ExpectedCall, expected: JsonObject, call: Observed) -> Reading | None:
        """How a call reads as an expected step; None where its tool cannot stand for the step.

        Args:
            step: the expected step.
            expected: its arguments, references resolved.
            call: the observed call.
        """
        arguments = call.call.arguments
        if call.name == step.tool:
            if self.any_call:
                return Reading(expected={}, differences=(), keys=0, right=0)
            if self.strict:
                return read_strictly(expected, arguments, step.may_omit)
            return read_for_completion(expected, arguments, self.contracts[step.tool], step.may_omit)
        if self.strict or self.any_call or call.contract is None:
            return None
        ours = self.contracts[step.tool]
        for equivalent in ours.equivalents:
            if equivalent.tool == call.name:
                reading = read_as_equivalent(expected, arguments, equivalent, ours, call.contract)
                if reading is not None:
                    return reading
        return None

    def is_out_of_order(
        self,
        steps: tuple[ExpectedCall, ...],
        position: int,
        call: Observed,
        chosen: Sequence[Observed | None],
    ) -> bool:
        """Whether a call stands wrongly beside the calls that were assigned to other steps.

        `after` asks for an earlier round at every tier; the strict tiers also want the order of the case, except among
        steps of one block.
        """
        step = steps[position]
        for index, (other, taken) in enumerate(zip(steps, chosen, strict=True)):
            if taken is None or index == position:
                continue
            if other.step in step.after and taken.round >= call.round:
                return True
            ordered = self.strict and (step.block is None or step.block != other.block)
            if ordered and (taken.index < call.index) != (index < position):
                return True
        return False
