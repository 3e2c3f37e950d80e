"""The files of a new suite as text: YAML that reads back as it is, with comments that say what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import yaml

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, Mix
from fcbench.core.records import Record, to_plain
from fcbench.suites.check import RULES
from fcbench.suites.scaffold import Draft
from fcbench.suites.scaffold_words import SHARED_TRAPS, TRAPS, WORDS, Language

MIX_TARGETS: dict[Mix, int] = {"explicit": 60, "noise": 25, "edge": 15}
"""Per cent, after PROTOCOL 6."""
WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*( [A-Za-z0-9_-]*[A-Za-z0-9_]){0,12}")
_ASKED = ("mix", "near-duplicate", "case-id", "names-a-tool", "rationale", "value-follows", "ethics", "canary")
"""Rules of `suite check` that an author of such a suite meets."""
_KINDS = {
    "explicit": "everything is said, clearly and once; nothing else is in the text.",
    "noise": "everything is said, among amounts, names and dates that tempt into a field where they do not belong.",
    "edge": "a required value is missing, or one breaks its pattern: the right thing is to ask (or to leave it out).",
}


class Plan(Record, frozen=True, kw_only=True):
    """What a new suite is called and where its function stands."""

    suite: str
    registry: str
    language: Language
    canary: str
    contract: ToolContract


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Quotes every text that YAML 1.1 or 1.2 could read as something else; several lines stand as they are read."""


def _represent(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None if _PLAIN.fullmatch(value) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represent)


def yaml_of(value: JsonValue) -> str:
    """One document, keys in their order, without anchors."""
    return str(yaml.dump(_copied(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH))


def _copied(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list | tuple) else value


def _comment(*lines: str) -> str:
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def contract_text(plan: Plan) -> str:
    """`tools_registry/<registry>/<function>.yaml`."""
    said = ["The function as a model is offered it. `parameters` is your schema, untouched: it goes out as it stands."]
    if plan.contract.imported_from:
        said += [
            "`imported_from` exempts it from the gates of names and descriptions: the schema is measured as it is.",
            "Take the line out to have `fcbench registry check` ask for them.",
        ]
    said += [
        "`returns` is never shown to a model. `effect: project`: a call changes something (the stricter case);",
        "write `reads` if the function only looks things up. `language` is that of the field names.",
    ]
    fields = {key: value for key, value in to_plain(plan.contract).items() if key != "synthetic"}
    fields["language"] = plan.contract.language
    return _comment(*said) + yaml_of(fields)


def suite_text(plan: Plan) -> str:
    """`suites/<suite>/suite.yaml`."""
    name = plan.contract.name
    head: JsonObject = {
        "suite": plan.suite,
        "title": WORDS[plan.language].title.format(name=name),
        "registry": plan.registry,
        "language": plan.language,
    }
    rest: JsonObject = {"harnesses": ["contract"], "single_call": True, "canary": plan.canary}
    parts = [
        _comment("What the cases of this folder share. The fields are explained in docs/reference/cases.md."),
        yaml_of(head),
        _comment("Functions that every task offers. Add neighbours that a careless reader would take instead."),
        yaml_of({"tools": [name]}),
        _comment("One call a task. The canary stands in every case: a training set that holds it can be found."),
        yaml_of(rest),
        _comment("Write `reviewed` once a person has read every case: nothing harmful, and nobody's real data."),
        _comment("Until then `fcbench suite check` reports the rule `ethics`: its only finding at the start."),
        yaml_of({"ethics": "pending"}),
        _comment("The mistakes that cases are meant to catch: take out what does not occur, add your own."),
        yaml_of({"traps": {**TRAPS[plan.language], **SHARED_TRAPS}}),
        _comment("Shares in per cent. With few cases the check is lenient: one case more or less is always allowed."),
        yaml_of({"targets": {"mix": dict(MIX_TARGETS)}}),
    ]
    return "".join(parts)


def cases_text(drafts: Sequence[Draft], left_out: Iterable[tuple[Mix, str]]) -> str:
    """`suites/<suite>/cases.yaml`: the examples, each under what its kind is about."""
    head = _comment(
        "Examples, made from the schema. They load and pass, and measure little: a list of fields is no request.",
        "Rewrite each in the words of real users (mail, chat, telephone notes) with values of your trade; add more.",
        "Expected values must follow from the text alone, on any day, by anybody who knows the schema.",
        "",
        "What `fcbench suite check` asks of them:",
        *(f"  {rule}: {RULES[rule]}" for rule in _ASKED),
        "  golden-run, mutation: The expected call passes at every tier; every damaged form of it fails where it must.",
    )
    parts = [head]
    for draft in drafts:
        parts += ["\n", _comment(f"{draft.mix}: {_KINDS[draft.mix]}"), yaml_of([draft.case])]
    for mix, reason in left_out:
        parts += ["\n", _comment(f"{mix}: {_KINDS[mix]}", f"No example: {' '.join(reason.split())}")]
    return "".join(parts) + ("" if drafts else "[]\n")


def collection_entry(plan: Plan) -> JsonObject:
    """The suite's entry in `suites/collections.yaml`."""
    return {
        "title": WORDS[plan.language].title.format(name=plan.contract.name),
        "suites": [plan.suite],
        "harness": "contract",
        "mode": "production-parity",
        "retrieval": "given",
        "repeats": 3,
        "headline_tier": "native-function-contract",
    }


def collections_text(plan: Plan) -> str:
    """`suites/collections.yaml` of a new project."""
    said = "Suites that are reported together. The settings are defaults of `fcbench run` and part of the board key."
    return _comment(said) + yaml_of({"collections": {plan.suite: collection_entry(plan)}})
