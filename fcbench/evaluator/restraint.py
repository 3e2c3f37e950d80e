"""Faults of cases in which no call is due: `no_call`, `unavailable` and `ask` (PROTOCOL 3, decisions)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fcbench.core.canonical import pointer
from fcbench.core.names import JsonObject, JsonValue, Pointer
from fcbench.core.verdicts import Fault, FaultKind
from fcbench.evaluator.conditions import only_reads
from fcbench.evaluator.faults import MAX_FAULTS, finished, of_call, whole_faults
from fcbench.evaluator.misreadings import mended
from fcbench.evaluator.nodes import Path
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.schemaplaces import subschema_at
from fcbench.evaluator.violations import schema_faults
from fcbench.evaluator.wording import bounded, quoted

_MAX_LEAVES: Final = 300
_MAX_DEPTH: Final = 64


def restraint_faults(scene: Scene) -> tuple[Fault, ...]:
    """The faults of a case whose decision is not to call."""
    found = list(whole_faults(scene))
    for call in scene.calls:
        due = not scene.rules.strict and only_reads(call)
        if not due:
            sentence = f"The right decision is {scene.plan.case.oracle.decision}, but {call.name[:80]} was called."
            found.append(of_call("call_not_due", call, sentence))
            found += _filled_in(scene, call)
        found += schema_faults(call, scene.plan.text)
        if len(found) >= MAX_FAULTS:
            break
    if scene.plan.case.oracle.decision == "ask" and not scene.answered_in_text:
        found.append(Fault(kind="no_text_reply", sentence="The reply did not end normally with a text that asks."))
    return finished(found)


def _filled_in(scene: Scene, call: Observed) -> Iterator[Fault]:
    """Values for data that the instruction leaves out or misspells. Labels name the fault; they never decide."""
    missing = [_parts(name) for name in scene.plan.case.oracle.labels.missing]
    for count, (path, value) in enumerate(_leaves(call.arguments or {})):
        if count == _MAX_LEAVES:
            return
        pattern = _pattern(call, path)
        word = mended(value, pattern, scene.plan.text)
        named = value is not None and any(_is_below(path, parts) for parts in missing)
        if not word and not named:
            continue
        kind: FaultKind = "value_repaired" if word else "dummy_for_missing_data"
        place = pointer(*path)
        sentence = (
            f"At {place[:200]} the instruction says {quoted(word)}, which its pattern does not allow; "
            f"{quoted(value)} mends it silently."
            if word
            else f"The instruction does not give {place[:200]}; {quoted(value)} was filled in."
        )
        yield Fault(
            kind=kind,
            sentence=sentence,
            tool=call.name[:80],
            round=call.round,
            call=call.index,
            pointer=Pointer(place[:400]),
            expected=bounded(word),
            found=bounded(value),
        )


def _pattern(call: Observed, path: Path) -> JsonValue:
    schema = subschema_at(call.contract.parameters, path) if call.contract is not None else None
    return schema.get("pattern") if isinstance(schema, dict) else None


def _parts(name: str) -> list[str]:
    """The keys and positions of a field's name, however a case writes it: `a.b[0].c`, `/a/b/0/c` or `c`."""
    return [part for part in name.replace("/", ".").replace("[", ".").replace("]", "").split(".") if part]


def _is_below(path: Path, parts: list[str]) -> bool:
    """Whether a place is, or lies inside, a named field. A name without positions fits every item of a list."""
    shown = list(map(str, path))
    if not any(part.isdigit() for part in parts):
        shown = [str(part) for part in path if isinstance(part, str)]
    width = len(parts)
    return any(shown[start : start + width] == parts for start in range(len(shown) - width + 1))


def _leaves(value: JsonValue | JsonObject, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    if isinstance(value, dict) and value and len(path) < _MAX_DEPTH:
        # By name: which leaves are looked at must not depend on the order of a model's keys.
        for key in sorted(value):
            yield from _leaves(value[key], (*path, key))
    elif isinstance(value, list) and value and len(path) < _MAX_DEPTH:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    elif path:
        yield path, value
