"""Everything that is known of one golden run against one attempt, before it is worded as conditions or faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.canonical import json_equal
from fcbench.core.cases import ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject
from fcbench.evaluator.arguments import Reading
from fcbench.evaluator.extras import Extra, extras
from fcbench.evaluator.matching import match
from fcbench.evaluator.nodes import Difference
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.search import is_out_of_order
from fcbench.evaluator.values import leaf_count

_NO_EXTRAS: Final[Sequence[Extra]] = ()


class StepFacts:
    """One expected step and what was found for it. What is not set on an instance is so for a step without a fault.

    Attributes:
        step: the step.
        call: the call that stands for it.
        reading: how the call's arguments were read.
        differences: where the arguments part; empty for a step without a call.
        out_of_order: whether the call stands wrongly beside another one.
        keys_right: whether the argument keys are exactly the wanted ones.
        values_right: whether every value that is there is right.
    """

    differences: tuple[Difference, ...] = ()
    out_of_order = False
    keys_right = True
    values_right = True

    def __init__(self, step: ExpectedCall, call: Observed | None, reading: Reading | None) -> None:
        self.step = step
        self.call = call
        self.reading = reading


class Facts:
    """One golden run against one attempt. What is not set on an instance is so where nothing is wrong.

    Attributes:
        scene: what is judged.
        steps: every expected step, in order.
        extras: the calls that no step took.
        unmatched: expected steps without a call.
        untolerated: calls that neither an expected step nor rule 6 explains.
        end_state_gap: parts of the end state that differ from the golden run's.
        in_order: whether every call stands where it may.
        keys_right, values_right: of every step.
        faithful: whether all expected keys hold their values; keys beyond them are a matter of restraint.
        key_share: sum over the steps of right keys over expected keys.
        fields: leaves of the expected arguments.
        lost: of these, those that are missing or wrong, or of a step without a call.
        invented: whether a call holds a key that is not expected.
        wrong: observed leaves that are wrong or not expected.
    """

    extras: Sequence[Extra] = _NO_EXTRAS
    untolerated: Sequence[Extra] = _NO_EXTRAS
    end_state_gap: tuple[str, ...] = ()
    in_order = True
    keys_right = True
    values_right = True
    faithful = True
    invented = False
    lost = 0
    wrong = 0

    def __init__(self, scene: Scene, run: RunPlan) -> None:
        self.scene = scene
        self.run = run
        self.steps: list[StepFacts] = []
        self.unmatched: list[StepFacts] = []
        self.fields = 0
        self.key_share = 0.0

    @property
    def are_straight(self) -> bool:
        """Whether every call stands for the step at its place, and there is no other."""
        if self.unmatched or self.extras:
            return False
        for place, item in enumerate(self.steps):
            if item.call is not None and item.call.index != place:
                return False
        return True

    def add(self, item: StepFacts, fields: int) -> None:
        """Count one step in.

        Args:
            item: the step.
            fields: leaves of its expected arguments, where no call was read.
        """
        self.steps.append(item)
        reading = item.reading
        if reading is None:
            self.unmatched.append(item)
            self.fields += fields
            self.lost += fields
            self.keys_right = self.values_right = self.faithful = False
            item.keys_right = item.values_right = False
            return
        self.fields += reading.fields
        self.key_share += reading.right / reading.keys if reading.keys else 1.0
        if reading.differences:
            item.differences = reading.differences
            self._count(item)

    def _count(self, item: StepFacts) -> None:
        for difference in item.differences:
            kind, path, node = difference.kind, difference.path, difference.node
            if len(path) != 1 or kind == "wrong" or kind == "unresolved":
                item.values_right = self.values_right = False
            else:
                item.keys_right = self.keys_right = False
            if node is not None:
                self.lost += node.leaves
                self.faithful = False
            elif not isinstance(path[-1], str):
                # An extra item makes the list another value; an extra key leaves the expected keys as they are.
                self.faithful = False
            else:
                self.invented = True
            if kind != "missing":
                found = difference.found
                self.wrong += leaf_count(found) if isinstance(found, dict | list) else 1


def gather(scene: Scene, run: RunPlan) -> Facts:
    """Match one golden run against the calls that count."""
    facts = Facts(scene, run)
    calls = scene.calls
    chosen, readings = match(run, calls, scene.rules)
    for index, step in enumerate(run.steps):
        item = StepFacts(step, chosen[index], readings[index])
        facts.add(item, run.fields[index])
        if run.is_ordered and _is_late(scene, run, index, chosen):
            item.out_of_order = True
            facts.in_order = False
    if facts.unmatched or len(calls) > len(run.steps):
        facts.extras = extras(run, calls, chosen, scene.rules)
        facts.untolerated = [item for item in facts.extras if not item.tolerated]
    if scene.plan.case.oracle.end_state is not None:
        facts.end_state_gap = _end_state_gap(scene, run.needed)
    return facts


def _is_late(scene: Scene, run: RunPlan, position: int, chosen: Sequence[Observed | None]) -> bool:
    """Whether a step's call is out of order beside the steps before it and those that it names.

    Only those are compared, so that one exchange is one fault.
    """
    call = chosen[position]
    if call is None:
        return False
    after = run.after[position]
    compared = [taken if index < position or index in after else None for index, taken in enumerate(chosen)]
    return is_out_of_order(run, position, call, compared, scene.rules)


def _end_state_gap(scene: Scene, needed: Sequence[ToolContract]) -> tuple[str, ...]:
    """Parts of the end state that differ from the golden run's, those that only the attempt left behind included.

    Project, files and facts always count; view and session only where the case expects a change there.
    """
    wanted = scene.plan.case.oracle.end_state
    if wanted is None or scene.rules.tier != "task-completion-execution":
        return ()
    reached: JsonObject = scene.attempt.end_state or {}
    effects = {contract.effect for contract in needed}
    return tuple(
        part
        for part in dict.fromkeys((*wanted, *reached))
        if not (part in ("view", "session") and part not in effects)
        and not (part in wanted and part in reached and json_equal(reached[part], wanted[part]))
    )
