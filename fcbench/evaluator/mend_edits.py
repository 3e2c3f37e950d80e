"""The single changes that lead from what a model did to what a golden run asks.

Nothing here judges: `mending` asks the evaluator which of them are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from fcbench.core.canonical import json_equal, pointer
from fcbench.core.cases import ExpectedCall
from fcbench.core.comparators import Reference, comparator_of, walk
from fcbench.core.evidence import Attempt, Call
from fcbench.core.names import JsonObject, JsonValue, Pointer, ToolName
from fcbench.core.records import Record, from_plain
from fcbench.core.verdicts import Fault, Verdict
from fcbench.evaluator.nodes import Path
from fcbench.evaluator.plan import topological

EditKind = Literal[
    "set_value",
    "add_value",
    "remove_value",
    "rewrite_arguments",
    "replace_call",
    "add_call",
    "drop_call",
    "order",
    "offer_tool",
    "succeed",
    "end_state",
    "reply_in_text",
    "in_time",
    "golden_run",
]
"""What is changed: a value in the arguments of a call, a call, or something of the attempt as a whole."""
MAX_EDITS: Final = 60
"""Changes that are looked at; an attempt that is further away is said to need the whole golden run."""
_MAX_DEPTH: Final = 40
_TAKEN: Final = frozenset({"wrong_tool", "distractor_used"})
_OF_ORDER: Final = frozenset({"wrong_order", "unresolved_reference"})
_READ: Final = frozenset({"expected", "equivalent"})


class Edit(Record, frozen=True, kw_only=True):
    """One change."""

    kind: EditKind
    call: int | None = None
    """Position of the observed call, from 0; None where it is about a call that was not made, or about none."""
    round: int | None = None
    tool: str | None = None
    """The tool that the call should name; for `drop_call` the one that it names."""
    step: str | None = None
    pointer: Pointer | None = None
    found: JsonValue = None
    wanted: JsonValue = None
    """As the case writes it: a value, or a comparator."""
    place: Path = ()
    """Where in the arguments, as keys and positions."""


class Sides(Record, frozen=True, kw_only=True):
    """An attempt beside one golden run."""

    attempt: Attempt
    run: tuple[ExpectedCall, ...]
    verdict: Verdict
    assigned: dict[str, int]
    """Step -> the observed call that was read as it."""
    instead: dict[str, int]
    """Step -> the observed call that stands in its place but cannot be it."""

    calls: tuple[Call, ...]
    """All observed calls."""
    order: tuple[int, ...]
    """Positions of the steps, every one after those that it needs."""
    taken: dict[str, list[tuple[ToolName, Path, Reference]]]
    """Step -> the references into its answer, each with the tool and the argument that take it."""


def sides(attempt: Attempt, run: tuple[ExpectedCall, ...], verdict: Verdict) -> Sides:
    """Read from a verdict by this golden run which call stands for which step."""
    steps = {str(step.step) for step in run}
    count = len(attempt.calls)
    assigned: dict[str, int] = {}
    for one in verdict.judgements:
        if one.step in steps and one.role in _READ and one.call < count:
            assigned.setdefault(str(one.step), one.call)
    instead = {
        fault.step: fault.call
        for fault in verdict.faults
        if fault.kind in _TAKEN and fault.step in steps and fault.call is not None and fault.call < count
        if fault.step not in assigned
    }
    # A verdict from elsewhere may leave a call of the right tool unread.
    for step in run:
        if step.step not in assigned and step.step not in instead:
            same = (index for index, call in enumerate(attempt.calls) if call.name == step.tool)
            free = next((index for index in same if index not in {*assigned.values(), *instead.values()}), None)
            if free is not None:
                assigned[step.step] = free
    # A call of a tool that was not offered stands for a missing step as well; the faults do not say for which.
    refused = [fault.call for fault in verdict.faults if fault.kind == "tool_not_offered" and fault.call is not None]
    unused = [index for index in dict.fromkeys(refused) if index < count and index not in assigned.values()]
    left = [str(step.step) for step in run if step.step not in assigned and step.step not in instead]
    instead |= dict(zip(left, unused, strict=False))
    return Sides(
        attempt=attempt,
        run=run,
        verdict=verdict,
        assigned=assigned,
        instead=instead,
        calls=attempt.calls,
        order=tuple(topological(run)),
        taken=_taken(run),
    )


def _taken(run: tuple[ExpectedCall, ...]) -> dict[str, list[tuple[ToolName, Path, Reference]]]:
    found: dict[str, list[tuple[ToolName, Path, Reference]]] = {}
    for step in run:
        for path, name, body in walk(step.arguments):
            if name == "from":
                reference = from_plain(body, Reference)
                found.setdefault(reference.step, []).append((step.tool, path, reference))
    return found


def call_edits(both: Sides) -> list[tuple[Edit, bool]]:
    """Every change that leads to the golden run, each with whether the verdict blames what it changes."""
    found = [*_of_whole(both), *_of_steps(both), *_of_extras(both)]
    if any(fault.kind in _OF_ORDER for fault in both.verdict.faults):
        found.append((Edit(kind="order"), True))
    if _differs_in_end_state(both.verdict) and not any(edit.kind not in ("in_time", "offer_tool") for edit, _ in found):
        found.append((Edit(kind="end_state"), True))
    return found


def _differs_in_end_state(verdict: Verdict) -> bool:
    return any(fault.kind == "end_state_differs" for fault in verdict.faults)


def _of_whole(both: Sides) -> Iterator[tuple[Edit, bool]]:
    if both.attempt.outcome == "timeout":
        yield Edit(kind="in_time"), True
    offered = {str(candidate.name) for candidate in both.attempt.candidates}
    needed = {str(step.tool) for step in both.run}
    for name in sorted(needed - offered) if offered else ():
        yield Edit(kind="offer_tool", tool=name), True


def _of_steps(both: Sides) -> Iterator[tuple[Edit, bool]]:
    calls = both.calls
    for place in both.order:
        step = both.run[place]
        at = both.assigned.get(step.step)
        if at is None:
            index = both.instead.get(step.step)
            kind: EditKind = "add_call" if index is None else "replace_call"
            yield _of_call(kind, both, step, index), True
        elif calls[at].name != step.tool:
            yield _of_call("replace_call", both, step, at), _is_blamed(both.verdict.faults, at, None)
        elif calls[at].arguments is None:
            yield _of_call("rewrite_arguments", both, step, at), True
        else:
            yield from _of_arguments(both, step, at)


def _of_call(kind: EditKind, both: Sides, step: ExpectedCall, at: int | None) -> Edit:
    found = None if at is None else both.calls[at].name
    return Edit(
        kind=kind,
        call=at,
        round=_round_of(both.attempt, at),
        tool=step.tool,
        step=step.step,
        found=found,
        wanted=step.arguments,
    )


def _of_arguments(both: Sides, step: ExpectedCall, at: int) -> Iterator[tuple[Edit, bool]]:
    call = both.calls[at]
    found = list(_differences(step.arguments, call.arguments or {}, ()))
    for kind, path, wanted, value in found:
        place = pointer(*path)
        edit = Edit(
            kind=kind,
            call=at,
            round=_round_of(both.attempt, at),
            tool=step.tool,
            step=step.step,
            pointer=place,
            found=value,
            wanted=wanted,
            place=path,
        )
        yield edit, _is_blamed(both.verdict.faults, at, place)
    if call.result.status != "ok" and not any(
        _is_blamed(both.verdict.faults, at, pointer(*path)) for _, path, _, _ in found
    ):
        yield _of_call("succeed", both, step, at), call.result.status == "error"  # a source that failed, too


_Difference = tuple[EditKind, Path, JsonValue, JsonValue]


def _differences(wanted: JsonValue, found: JsonValue, path: Path) -> Iterator[_Difference]:
    """Place by place: (what to do, where, what is wanted, what stands there)."""
    plain = comparator_of(wanted) is None and len(path) < _MAX_DEPTH
    if plain and isinstance(wanted, dict) and isinstance(found, dict):
        yield from _in_objects(wanted, found, path)
    elif plain and isinstance(wanted, list) and isinstance(found, list):
        for index in range(max(len(wanted), len(found))):
            here = (*path, index)
            if index >= len(found):
                yield "add_value", here, wanted[index], None
            elif index >= len(wanted):
                yield "remove_value", here, None, found[index]
            else:
                yield from _differences(wanted[index], found[index], here)
    elif not json_equal(wanted, found):
        yield "set_value", path, wanted, found


def _in_objects(wanted: JsonObject, found: JsonObject, path: Path) -> Iterator[_Difference]:
    for key, value in wanted.items():
        if key in found:
            yield from _differences(value, found[key], (*path, key))
        else:
            yield "add_value", (*path, key), value, None
    for key, extra in found.items():
        if key not in wanted:
            yield "remove_value", (*path, key), None, extra


def _is_blamed(faults: Sequence[Fault], call: int, place: str | None) -> bool:
    """Whether a fault of a call lies at a place, above or below it."""
    for fault in faults:
        if fault.call != call:
            continue
        if place is None or fault.pointer is None:
            if place is None or fault.kind != "wrong_order":
                return True
        elif place == fault.pointer or place.startswith(fault.pointer + "/") or fault.pointer.startswith(place + "/"):
            return True
    return False


def _of_extras(both: Sides) -> Iterator[tuple[Edit, bool]]:
    """A change for each call that stands for no step and in the place of none."""
    taken = {*both.assigned.values(), *both.instead.values()}
    tolerated = {one.call for one in both.verdict.judgements if one.role == "tolerated"}
    for index, call in enumerate(both.calls):
        if index not in taken:
            yield drop(both.attempt, index, call), index not in tolerated


def drop(attempt: Attempt, index: int, call: Call) -> Edit:
    """The change that leaves a call out."""
    return Edit(kind="drop_call", call=index, round=_round_of(attempt, index), tool=call.name)


def _round_of(attempt: Attempt, index: int | None) -> int | None:
    """The number of the round that holds a call."""
    if index is None:
        return None
    for turn in attempt.rounds:
        if index < len(turn.calls):
            return turn.number
        index -= len(turn.calls)
    return None
