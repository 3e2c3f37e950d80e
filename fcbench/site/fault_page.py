"""The page of fault kinds: what each kind means, how often it was seen, and examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from fcbench.core.verdicts import FaultKind
from fcbench.site.data import SiteData
from fcbench.site.difference import told
from fcbench.site.environment import render
from fcbench.site.pages import HubPage
from fcbench.site.slugs import attempt_path, relative

MAX_EXAMPLES = 3

MEANINGS: dict[FaultKind, str] = {
    "no_call": "A call was due and the model made none.",
    "wrong_tool": "A tool was called that cannot do what was asked, in place of the one that can.",
    "missing_call": "A step of the task was left out.",
    "extra_state_changing_call": "A call that nobody asked for changed something.",
    "unexpected_call": "A call that changes nothing, but that a strict tier does not allow.",
    "duplicate_call": "The same state-changing call stood twice in one reply.",
    "wrong_order": "A step came before one that it depends on.",
    "tool_not_offered": "A tool was called that was not among the candidates.",
    "retrieval_miss": "The retrieval did not offer a tool that the task needs. The system is measured, so it counts.",
    "unresolved_reference": "A value should come from an earlier result, and no such result was there.",
    "malformed_json": "The arguments are not one strict JSON object.",
    "missing_required_key": "A key that the schema requires is missing.",
    "missing_argument": "An expected key is missing that the schema does not require.",
    "unknown_key": "A key that the schema does not know.",
    "wrong_type": "A value has another JSON type than the schema says.",
    "enum_out_of_vocabulary": "A value is not one of those that the schema lists.",
    "pattern_violation": "A text does not have the form that the schema's pattern asks for.",
    "range_violation": "A number lies outside the schema's limits.",
    "length_violation": "A text or list is shorter or longer than the schema allows.",
    "unique_items_violation": "A list that must not repeat items repeats one.",
    "branch_confusion": "An item carries a key that belongs to another branch of the schema's alternatives.",
    "global_field_repeated": "A field of the whole request was repeated inside one of its parts.",
    "other_schema_violation": "The arguments break the schema in another way.",
    "invented_optional": "An optional field was filled although the instruction says nothing of it.",
    "distractor_used": "A value was taken from a side remark that is not part of the request.",
    "dummy_for_missing_data": "A made-up value stands where the instruction gives none.",
    "value_repaired": "A value that was wrong in the instruction was silently mended to fit a pattern.",
    "refused_although_complete": "The model asked or declined although everything was there.",
    "call_not_due": "A call was made where none was due.",
    "wrong_value": "A value is not the one that the instruction gives.",
    "decimal_mark": "A decimal comma or point was misread.",
    "thousands_mark": "A thousands mark was misread.",
    "date_order": "Day and month were swapped.",
    "enum_word_not_translated": "A listed value was given in the instruction's words, not in the schema's.",
    "surname_prefix": "A surname's prefix (van der, de, ten) was lost or misplaced.",
    "execution_failed": "The tool was run and failed.",
    "end_state_differs": "The workbench was left in another state than the task asks for.",
    "timed_out": "The time limit ended the attempt.",
    "no_text_reply": "A question was due and the attempt ended without text.",
}
assert MEANINGS.keys() == set(get_args(FaultKind))


@dataclass(frozen=True, kw_only=True)
class Example:
    """One attempt that shows a kind of fault."""

    path: str
    model: str
    case_id: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class KindLine:
    """One kind of fault."""

    kind: FaultKind
    meaning: str
    attempts: int
    """Attempts of models (controls left out) that show it at their headline tier."""
    models: int
    examples: tuple[Example, ...]


def faults_page(data: SiteData) -> HubPage:
    """All kinds of faults, the most frequent first, each with up to three examples."""
    counts: dict[FaultKind, int] = dict.fromkeys(MEANINGS, 0)
    models: dict[FaultKind, set[str]] = {kind: set() for kind in MEANINGS}
    examples: dict[FaultKind, list[Example]] = {kind: [] for kind in MEANINGS}
    for run in data.runs:
        for task_id, repeat in run.entries:
            verdict = run.verdict(task_id, repeat)
            if run.is_control or verdict is None or verdict.passed:
                continue
            for kind, sentence in {fault.kind: told(fault) for fault in reversed(verdict.faults)}.items():
                counts[kind] += 1
                is_new_model = run.model not in models[kind]
                models[kind].add(run.model)
                path = attempt_path(run.slug, task_id, repeat)
                example = Example(path=path, model=run.model, case_id=task_id, sentence=sentence)
                # Examples of different models come first: three of one model would show that model, not the fault.
                examples[kind].insert(len(models[kind]) - 1 if is_new_model else len(examples[kind]), example)
    lines = [
        KindLine(
            kind=kind,
            meaning=meaning,
            attempts=counts[kind],
            models=len(models[kind]),
            examples=tuple(examples[kind][:MAX_EXAMPLES]),
        )
        for kind, meaning in MEANINGS.items()
    ]
    lines.sort(key=lambda line: -line.attempts)
    path = "faults/index.html"
    return HubPage(path=path, title="Fault kinds", body=render("faults", root=relative("", path), lines=tuple(lines)))
