"""What an oracle-assisted harness may know of the oracle: a step count, and how many steps remain (PROTOCOL 2).

The value is made by the workflow, which sees cases; the harness sees nothing but this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcbench.core.cases import ExpectedCall, Oracle
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Call
from fcbench.core.names import ToolName
from fcbench.core.records import Record
from fcbench.core.schema import compile_schema


class Assistance(Record, frozen=True, kw_only=True):
    """The disclosed part of an oracle."""

    covering: tuple[frozenset[ToolName], ...]
    """For each expected step the tools that cover it: the expected one and its declared equivalents."""
    alternatives: tuple[tuple[frozenset[ToolName], ...], ...] = ()
    """The same for every other golden run that is as right."""
    nudges: bool
    """False where the decision is not to call: then nothing is ever said."""

    @property
    def expected_steps(self) -> int:
        """How many steps the golden run has."""
        return len(self.covering)

    def remaining(self, calls: Iterable[Call], contracts: Mapping[ToolName, ToolContract]) -> int:
        """Expected steps that no call covers; of several golden runs the one that is nearest to its end counts.

        Calls are counted by tool name or declared equivalent, one to one, schema-valid calls only; arguments are
        ignored.
        """
        names = [ToolName(call.name) for call in calls if _is_valid(call, contracts)]
        runs = (self.covering, *self.alternatives)
        return min(len(steps) - _largest_matching(steps, names) for steps in runs)


def assistance_for(oracle: Oracle, contracts: Mapping[ToolName, ToolContract]) -> Assistance:
    """What a harness may be told of an oracle."""
    covering, *others = (_covering(steps, contracts) for steps in (oracle.calls, *oracle.alternatives))
    return Assistance(covering=covering, alternatives=tuple(others), nudges=oracle.decision == "call")


def _covering(
    steps: Iterable[ExpectedCall], contracts: Mapping[ToolName, ToolContract]
) -> tuple[frozenset[ToolName], ...]:
    return tuple(
        frozenset({step.tool, *(equivalent.tool for equivalent in contracts[step.tool].equivalents)}) for step in steps
    )


def _is_valid(call: Call, contracts: Mapping[ToolName, ToolContract]) -> bool:
    contract = contracts.get(ToolName(call.name))
    if contract is None or call.arguments is None:
        return False
    return compile_schema(contract.parameters).is_valid(call.arguments)


def _largest_matching(covering: tuple[frozenset[ToolName], ...], names: list[ToolName]) -> int:
    """Size of a largest one-to-one matching of steps to calls (augmenting paths)."""
    step_of_call: dict[int, int] = {}

    def assign(step: int, tried: set[int]) -> bool:
        for position, name in enumerate(names):
            if name not in covering[step] or position in tried:
                continue
            tried.add(position)
            if position not in step_of_call or assign(step_of_call[position], tried):
                step_of_call[position] = step
                return True
        return False

    return sum(assign(step, set()) for step in range(len(covering)))
