"""Everything that is known of one golden run against one attempt, before it is worded as conditions or faults."""

from __future__ import annotations

from fcbench.core.canonical import json_equal
from fcbench.core.cases import ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject
from fcbench.core.records import Record
from fcbench.evaluator.arguments import Reading
from fcbench.evaluator.extras import Extra, extras
from fcbench.evaluator.matching import match
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.values import Difference


class StepFacts(Record, frozen=True, kw_only=True):
    """One expected step and what was found for it."""

    step: ExpectedCall
    call: Observed | None
    reading: Reading | None
    out_of_order: bool = False

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Where the arguments part; empty for a step without a call."""
        return self.reading.differences if self.reading is not None else ()

    @property
    def keys_right(self) -> bool:
        """Whether the argument keys are exactly the wanted ones."""
        return not any(item.kind in ("missing", "extra") and len(item.path) == 1 for item in self.differences)

    @property
    def values_right(self) -> bool:
        """Whether every value that is there is right."""
        return not any(item.kind in ("wrong", "unresolved") or len(item.path) != 1 for item in self.differences)


class Facts(Record, frozen=True, kw_only=True):
    """One golden run against one attempt."""

    scene: Scene
    steps: tuple[StepFacts, ...]
    extras: tuple[Extra, ...]
    end_state_gap: tuple[str, ...] = ()
    """Parts of the end state that differ from the golden run's."""

    @property
    def unmatched(self) -> tuple[StepFacts, ...]:
        """Expected steps without a call."""
        return tuple(item for item in self.steps if item.call is None)

    @property
    def untolerated(self) -> tuple[Extra, ...]:
        """Calls that neither an expected step nor rule 6 explains."""
        return tuple(extra for extra in self.extras if not extra.tolerated)


def gather(scene: Scene, run: tuple[ExpectedCall, ...]) -> Facts:
    """Match one golden run against the calls that count."""
    matching = match(run, scene.calls, scene.rules)
    steps = tuple(
        StepFacts(
            step=step,
            call=call,
            reading=reading,
            out_of_order=call is not None
            and scene.rules.is_out_of_order(run, index, call, _to_compare(run, index, matching.calls)),
        )
        for index, (step, call, reading) in enumerate(zip(run, matching.calls, matching.readings, strict=True))
    )
    taken = frozenset(call.index for call in matching.calls if call is not None)
    return Facts(
        scene=scene,
        steps=steps,
        extras=extras(run, scene.calls, taken, scene.rules),
        end_state_gap=_end_state_gap(scene, [scene.rules.contracts[step.tool] for step in run]),
    )


def _to_compare(
    run: tuple[ExpectedCall, ...], position: int, chosen: tuple[Observed | None, ...]
) -> list[Observed | None]:
    """The calls of the steps before this one and of those that it names, so that one exchange is one fault."""
    named = run[position].after
    return [call if index < position or run[index].step in named else None for index, call in enumerate(chosen)]


def _end_state_gap(scene: Scene, needed: list[ToolContract]) -> tuple[str, ...]:
    """Parts of the golden end state that the attempt did not reach.

    Project, files and facts always count; view and session only where the case expects a change there.
    """
    wanted = scene.case.oracle.end_state
    if scene.rules.tier != "task-completion-execution" or wanted is None:
        return ()
    reached: JsonObject = scene.attempt.end_state or {}
    effects = {contract.effect for contract in needed}
    return tuple(
        part
        for part, value in wanted.items()
        if not (part in ("view", "session") and part not in effects)
        and not (part in reached and json_equal(reached[part], value))
    )
