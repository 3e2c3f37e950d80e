"""Evidence made ready to be judged: every structured call with its round, its contract and its validity.

Nothing else counts: text that names a tool, and results that no call asked for, are not read (PROTOCOL 2).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Call, Round
from fcbench.core.names import JsonObject
from fcbench.evaluator.rules import Rules


class Observed:
    """One structured call as it stands in the evidence.

    Attributes:
        index: position in the attempt, from 0, over all rounds.
        round: from 1.
        call: the evidence.
        arguments, status: of the evidence, at hand since they are looked at again and again.
        name: the tool as the model wrote it.
        contract: None where no contract of that name is known.
        valid: whether the arguments are one JSON object that satisfies the contract's schema.
        offered: whether the tool was among the candidates.
    """

    __slots__ = ("arguments", "call", "contract", "index", "name", "offered", "round", "status", "valid")

    def __init__(
        self, index: int, number: int, call: Call, contract: ToolContract | None, valid: bool, offered: bool
    ) -> None:
        self.index = index
        self.round = number
        self.call = call
        self.name: str = call.name
        self.arguments: JsonObject | None = call.arguments
        self.status: str = call.result.status
        self.contract = contract
        self.valid = valid
        self.offered = offered

    @property
    def executed(self) -> bool:
        """Whether the tool was really run or answered (PROTOCOL 4: observed execution)."""
        return self.status == "ok" or self.status == "error"

    @property
    def succeeded(self) -> bool:
        """Whether the tool was run and succeeded."""
        return self.status == "ok"


def observe(rounds: Sequence[Round], candidates: Collection[str], rules: Rules) -> tuple[list[Observed], bool, bool]:
    """Every call of some rounds, in order: by round, then by its position in the reply.

    Args:
        rounds: the rounds that count.
        candidates: names of the offered tools. Imported evidence may list none; then only the harness's word counts.
        rules: of the tier; they know the contracts.

    Returns:
        The calls; whether all are valid; whether all were offered.
    """
    found: list[Observed] = []
    all_valid = all_offered = True
    tools = rules.tools
    for turn in rounds:
        number = turn.number
        for call in turn.calls:
            name, arguments = call.name, call.arguments
            known = tools.get(name)
            contract, decide = known if known is not None else rules.tool(name)
            valid = arguments is not None and decide(arguments)
            one = Observed(len(found), number, call, contract, valid, not candidates or name in candidates)
            if one.status == "not_offered":
                one.offered = False
            if not valid:
                all_valid = False
            if not one.offered:
                all_offered = False
            found.append(one)
    return found, all_valid, all_offered
