"""Evidence made ready to be judged: every structured call with its round, its contract and its validity.

Nothing else counts: text that names a tool, and results that no call asked for, are not read (PROTOCOL 2).
"""

from __future__ import annotations

from collections.abc import Mapping

from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call
from fcbench.core.names import ToolName
from fcbench.core.records import Record
from fcbench.evaluator.schemas import parameters_schema


class Observed(Record, frozen=True, kw_only=True):
    """One structured call as it stands in the evidence."""

    index: int
    """Position in the attempt, from 0, over all rounds."""
    round: int
    """From 1."""
    call: Call
    contract: ToolContract | None
    """None where no contract of that name is known."""
    valid: bool
    """Whether the arguments are one JSON object that satisfies the contract's schema."""
    offered: bool
    """Whether the tool was among the candidates."""

    @property
    def name(self) -> str:
        """The tool as the model wrote it."""
        return self.call.name


def observe(attempt: Attempt, contracts: Mapping[ToolName, ToolContract]) -> tuple[Observed, ...]:
    """Every call of the attempt, in order: by round, then by its position in the reply."""
    offered = {candidate.name for candidate in attempt.candidates}
    found: list[Observed] = []
    for turn in attempt.rounds:
        for call in turn.calls:
            contract = contracts.get(ToolName(call.name))
            found.append(
                Observed(
                    index=len(found),
                    round=turn.number,
                    call=call,
                    contract=contract,
                    valid=is_valid(call, contract),
                    # Imported evidence may list no candidates; then only the harness's own word counts.
                    offered=call.result.status != "not_offered" and (not offered or call.name in offered),
                )
            )
    return tuple(found)


def is_valid(call: Call, contract: ToolContract | None) -> bool:
    """Whether a call satisfies the registered JSON Schema of its tool (PROTOCOL 3, rule 4)."""
    return contract is not None and call.arguments is not None and parameters_schema(contract).is_valid(call.arguments)
