"""A package whose every text tries to break out of the page that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from fcbench.core.cases import Case
from fcbench.core.contracts import ArgumentForm, Equivalent, FormValue, ToolContract
from fcbench.core.names import CaseId, JsonObject, JsonValue, Pointer, StepId, ToolName
from fcbench.core.records import Record, to_plain
from fcbench.core.verdicts import CallJudgement, Condition, Fault
from fcbench.packages.store import Package
from tests.site.sample_packages import (
    MORTGAGE,
    make_attempt,
    make_call,
    make_package,
    make_round,
    make_verdicts,
    mortgage_case,
)

MARK = "fcbenchPwned"
"""A script of ours that ran would set this name on `window`."""

ATTACKS = (
    f"<script>window.{MARK}=1</script>",
    f"</script><script>window.{MARK}=2</script>",
    f"</code></pre></details></main><script>window.{MARK}=3</script>",
    f"</title></head><body onload=window.{MARK}=4>",
    f'"><img src=x onerror="window.{MARK}=5">',
    f"' onmouseover='window.{MARK}=6' x='",
    f"<svg/onload=window.{MARK}=7>",
    f"<iframe srcdoc='<script>parent.{MARK}=8</script>'></iframe>",
    f"javascript:window.{MARK}=9",
    f"{{{{ self.__init__.__globals__ }}}}{{% for x in [] %}} <a href=//evil.invalid/{MARK}>x</a>",
    f"{{ onerror=window.{MARK}=10 }} ![x](x){{ onerror=window.{MARK}=10 }}",
    '<link rel="stylesheet" href="http://evil.invalid/x.css"><base href="http://evil.invalid/">',
    '<meta http-equiv="refresh" content="0;url=http://evil.invalid/">',
    "<style>body{display:none}</style><!-- <![CDATA[ ]]>",
    "@@fcbench-body@@ @@fcbench-title@@ @@fcbench-base@@",
    "\u202emoc.live\u202c \u2066isolate\u2069 zero\u200bwidth \u2028line\u2029paragraph \ufeffbom \U000e0041tag",
    "nul\x00 bell\x07 escape\x1b[31m delete\x7f c1\x9b return\rline",
    '"}]}</script>\u2028;alert(1)//',
    "https://evil.invalid/clickable",
    "../../../../etc/passwd",
)
ALL = " ".join(ATTACKS)
BIG = "A" * 1_000_000
ARGUMENTS: JsonObject = {attack: {attack: [attack]} for attack in ATTACKS}

TIES = {"task_id", "name", "registry_hash", "oracle_hash", "cases"}
"""Fields that tie records to each other; each is hostile by hand where it may be."""
_R = TypeVar("_R", bound=Record)


def poisoned(record: _R, text: str) -> _R:
    """The record with the text in every string of it that its type lets hold any text."""
    plain: dict[str, JsonValue] = to_plain(record)  # type: ignore[assignment]
    for holder, key in list(_strings(plain)):
        before = holder[key]
        holder[key] = text
        try:
            msgspec.convert(plain, type(record))
        except msgspec.ValidationError:
            holder[key] = before
    return msgspec.convert(plain, type(record))


def _strings(value: JsonValue) -> Iterator[tuple[dict[str, JsonValue], str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            if isinstance(one, str) and key not in TIES:
                yield value, key
            elif key not in TIES:
                yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)


def hostile_runs(runs: Path) -> Package:
    """One model, one case for each attack, and one case with all of them and fields of a megabyte."""
    cases = [_case(f"{attack}", attack) for attack in ATTACKS]
    cases.append(_case("everything/" + "x" * 300, ALL))
    judged = []
    for place, case in enumerate(cases):
        text = ATTACKS[place] if place < len(ATTACKS) else ALL
        calls = [
            make_call(text, ARGUMENTS, "invalid", {text: text}),
            make_call(MORTGAGE.name, {"dossier_id": text, text: text, "aanvragers": [text]}, "error", text),
            make_call(MORTGAGE.name, text, "invalid", text),
        ]
        rounds = [make_round(1, calls, text=text, nudge=text)]
        if place == len(ATTACKS):
            rounds.append(make_round(2, [make_call(BIG, BIG, "not_offered", {"echo": BIG})], text=BIG))
        attempt = make_attempt(case, 1, rounds, final_text=text, stop=text)
        if place < len(ATTACKS):  # the last case is too large to be tried field by field
            attempt = poisoned(attempt, text)
        pointers = [Pointer("/" + text.replace("~", "~0").replace("/", "~1")), None]
        faults = [
            Fault(kind="wrong_value", sentence=text, tool=text, step=text, round=1, call=0, pointer=pointer, found=text)
            for pointer in pointers
        ]
        judgements = [CallJudgement(call=1, step=text, role="expected", reason=text)]
        verdicts = [
            msgspec.structs.replace(
                one, conditions=(Condition(name=text, passed=False, reason=text),), anomalies=(text,)
            )
            for one in make_verdicts(attempt, faults, judgements)
        ]
        judged.append((attempt, verdicts))
    return make_package(
        runs,
        "hostile",
        ALL,
        cases,
        judged,
        contracts=_contracts(),
        change_header=lambda header: msgspec.structs.replace(
            poisoned(header, ALL), run_id="../../" + ATTACKS[0], versions={ALL: ALL}
        ),
    )


def _contracts() -> list[ToolContract]:
    """The expected tool, and for each attack a tool that has it for a name and in every field of its contract."""
    others = [
        ToolContract(
            name=ToolName(text),
            version=1,
            category=text,
            description=text,
            parameters={
                "type": "object",
                "description": text,
                "properties": {
                    text: {"type": text, "enum": [text], "pattern": text, "description": text, "const": text}
                },
                "required": [text],
            },
            returns={"oneOf": [{"description": text, "$ref": text}], "format": text},
            effect="reads",
            capability=text,
            language=text,
            lookalikes=(ToolName(text), MORTGAGE.name),
            follow_ups=(ToolName(text),),
            neutral_arguments=(text,),
            equivalents=(Equivalent(tool=ToolName(text), when={text: text}, reason=text),),
            argument_forms=(
                ArgumentForm(name=text, replaces=(text,), uses={text: FormValue(constant=text)}, reason=text),
            ),
        )
        for text in (*ATTACKS, BIG)
    ]
    return [MORTGAGE, *others]


def _case(task_id: str, text: str) -> Case:
    case = mortgage_case(1, instruction=text)
    step = msgspec.structs.replace(
        case.oracle.calls[0],
        step=StepId(text),
        arguments={text: text, "dossier_id": {"$one_of": [text]}, "x": ARGUMENTS},
    )
    labels = msgspec.structs.replace(
        case.oracle.labels, category=text, traps=(text,), lookalikes=(ToolName(text),), skills=(text,)
    )
    return msgspec.structs.replace(
        case,
        suite=text,
        task=msgspec.structs.replace(
            case.task,
            id=CaseId(task_id),
            context=text,
            registry=text,
            fixture=text,
            tools=(MORTGAGE.name, ToolName(text)),
        ),
        oracle=msgspec.structs.replace(case.oracle, calls=(step,), rationale=text, labels=labels),
    )
