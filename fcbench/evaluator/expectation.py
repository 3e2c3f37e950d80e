"""One expected step in every writing that its contract declares: plain, argument forms, equivalent tools."""

from __future__ import annotations

from fcbench.core.cases import ExpectedCall
from fcbench.core.contracts import Equivalent, ToolContract
from fcbench.core.names import JsonObject
from fcbench.evaluator.arguments import Allowances, Arguments, Reading
from fcbench.evaluator.forms import as_equivalent, in_form, uses
from fcbench.evaluator.rules import Rules


class Writing:
    """The expected arguments of a call of one tool, plain and in every form of it."""

    __slots__ = ("allowed", "forms", "how", "plain")

    def __init__(
        self, values: JsonObject, contract: ToolContract | None, may_omit: tuple[str, ...] = (), how: str | None = None
    ) -> None:
        """Compile.

        Args:
            values: the expected arguments, references resolved.
            contract: of the tool; None at the strict tiers, which know no forms.
            may_omit: arguments that a correct call may leave out.
            how: why a call of this tool means the same, for an equivalent one.
        """
        self.plain = Arguments(values, may_omit)
        self.how = how
        self.forms = []
        self.allowed = None
        if contract is None:
            return
        self.allowed = Allowances(contract)
        for form in contract.argument_forms:
            written = in_form(form, values, contract)
            if written is not None:
                self.forms.append((form, Arguments(written, may_omit)))

    def count(self, arguments: JsonObject | None) -> int:
        """How many differences the best reading has."""
        least = self.plain.count(arguments, self.allowed)
        if least and arguments is not None:
            for form, written in self.forms:
                if uses(form, arguments):
                    least = min(least, written.count(arguments, self.allowed))
        return least

    def read(self, arguments: JsonObject | None) -> Reading:
        """The reading with the fewest differences; the plain one where several are as good."""
        best = self.plain.read(arguments, self.allowed, self.how)
        if best.differences and arguments is not None:
            for form, written in self.forms:
                if uses(form, arguments):
                    other = written.read(arguments, self.allowed, self.how or form.reason)
                    best = min(best, other, key=_faults)
        return best


def _faults(reading: Reading) -> int:
    return len(reading.differences)


class Expectation:
    """What calls may stand for one step: of its own tool, and of declared equivalents at the completion tiers."""

    __slots__ = ("others", "own", "tool")

    def __init__(self, step: ExpectedCall, values: JsonObject, rules: Rules) -> None:
        """Compile.

        Args:
            step: the step.
            values: its arguments, references resolved.
            rules: of the tier.
        """
        self.tool: str = step.tool
        ours = rules.contracts[step.tool]
        self.own = Writing(values, None if rules.strict else ours, step.may_omit)
        self.others: dict[str, list[Writing]] = {}
        for equivalent in () if rules.strict else ours.equivalents:
            other = rules.contracts.get(equivalent.tool)
            written = as_equivalent(equivalent, values, ours, step.may_omit) if other is not None else None
            if written is not None:
                omitted = _may_omit(equivalent, step)
                self.others.setdefault(equivalent.tool, []).append(
                    Writing(written, other, omitted, how=equivalent.reason)
                )

    def count(self, name: str, arguments: JsonObject | None) -> int | None:
        """How many differences a call would have; None where its tool cannot stand for the step."""
        if name == self.tool:
            return self.own.count(arguments)
        others = self.others.get(name)
        return min([other.count(arguments) for other in others]) if others else None

    def read(self, name: str, arguments: JsonObject | None) -> Reading | None:
        """How a call reads as this step; None where its tool cannot stand for it."""
        if name == self.tool:
            return self.own.read(arguments)
        others = self.others.get(name)
        return min([other.read(arguments) for other in others], key=_faults) if others else None


def _may_omit(equivalent: Equivalent, step: ExpectedCall) -> tuple[str, ...]:
    """The equivalent's arguments that carry a value which the step may leave out."""
    return tuple(name for name, value in equivalent.arguments.items() if value.argument in step.may_omit)
