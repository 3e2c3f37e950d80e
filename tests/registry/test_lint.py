from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fcbench.core.contracts import ArgumentForm, Derived, Equivalent, FormValue, Repeated, Synthetic, ToolContract
from fcbench.core.names import ToolName
from fcbench.registry import lint, load_registry, make_registry
from fcbench.registry.wording import style_of
from tests.strategies import make_contract

TEXT = {"type": "string", "description": "A text."}
OTHER = make_contract(name="get_other", description="Returns another part, which lies elsewhere.")


def arguments(root: dict[str, Any] | None = None, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [],
        "additionalProperties": False,
        **(root or {}),
    }


def found(*contracts: ToolContract) -> list[tuple[str, str]]:
    return [(finding.rule, finding.field) for finding in lint(make_registry("r", [*contracts, OTHER]))]


def of_property(schema: object, **changes: Any) -> list[tuple[str, str]]:
    """Findings on a contract with one property."""
    return found(make_contract(parameters=arguments(p=schema), **changes))


def test_a_sound_contract_has_no_finding() -> None:
    assert found(make_contract()) == []


P = "/parameters/properties/p"


@pytest.mark.parametrize(
    ("schema", "findings"),
    [
        pytest.param({"type": "string"}, [("description", P)], id="no description"),
        pytest.param({**TEXT, "pattern": "[a-z]+"}, [("pattern-anchored", f"{P}/pattern")], id="open pattern"),
        pytest.param({**TEXT, "pattern": "^a|b$"}, [("pattern-anchored", f"{P}/pattern")], id="half anchored"),
        pytest.param({**TEXT, "pattern": "^.$"}, [("pattern-explicit", f"{P}/pattern")], id="dot"),
        pytest.param({**TEXT, "format": "email"}, [("format", f"{P}/format")], id="format email"),
        pytest.param({**TEXT, "format": "date-time"}, [("format", f"{P}/format")], id="format date-time"),
        pytest.param({**TEXT, "format": "uuid"}, [], id="format uuid"),
        pytest.param(
            {"type": "number", "multipleOf": 0.01, "description": "n"}, [("multiple-of", f"{P}/multipleOf")], id="cents"
        ),
        pytest.param(
            {"type": "number", "multipleOf": 2.5, "description": "n"},
            [("multiple-of", f"{P}/multipleOf")],
            id="fraction",
        ),
        pytest.param({"type": "integer", "multipleOf": 12, "description": "n"}, [], id="whole steps"),
        pytest.param({**TEXT, "nullable": True}, [("keyword", f"{P}/nullable")], id="unknown keyword"),
        pytest.param(
            {"type": "object", "description": "o", "patternProperties": {"^a$": TEXT}, "additionalProperties": False},
            [("keyword", f"{P}/patternProperties")],
            id="keyword outside the subset",
        ),
        pytest.param(
            {"type": "object", "description": "o", "properties": {"q": TEXT}}, [("closed-object", P)], id="open object"
        ),
        pytest.param(
            {
                "type": "object",
                "description": "o",
                "properties": {"q": {"type": "null"}},
                "additionalProperties": False,
            },
            [("description", f"{P}/properties/q")],
            id="no description deep down",
        ),
        pytest.param(
            {
                "type": "object",
                "description": "o",
                "properties": {"q": {**TEXT, "default": "x"}},
                "required": ["q"],
                "additionalProperties": False,
            },
            [("default-on-required", f"{P}/properties/q/default")],
            id="default on a required key",
        ),
        pytest.param({**TEXT, "default": 3}, [("default-valid", f"{P}/default")], id="default of the wrong type"),
        pytest.param(
            {**TEXT, "description": "You must ask the user first."},
            [("order-to-model", f"{P}/description")],
            id="order",
        ),
        pytest.param(
            {"type": "integer", "minimum": 5, "maximum": 4, "description": "n"},
            [("satisfiable", P)],
            id="an optional key nobody can give",
        ),
    ],
)
def test_gates_on_one_property(schema: object, findings: list[tuple[str, str]]) -> None:
    assert of_property(schema) == findings


def test_patterns_outside_the_subset_are_refused() -> None:
    # The contract can then give no example either, and says so.
    rules = of_property({**TEXT, "pattern": "^\\d+$"})
    assert ("pattern-explicit", f"{P}/pattern") in rules


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        pytest.param(arguments({"anyOf": [{"required": []}]}, p=TEXT), "/parameters/anyOf", id="anyOf"),
        pytest.param(arguments({"oneOf": [{"required": []}]}, p=TEXT), "/parameters/oneOf", id="oneOf"),
        pytest.param(arguments({"allOf": [{"required": []}]}, p=TEXT), "/parameters/allOf", id="allOf"),
        pytest.param(arguments({"if": {}, "then": {}}, p=TEXT), "/parameters/if", id="if"),
        pytest.param(arguments({"type": ["object", "null"]}, p=TEXT), "/parameters", id="two types"),
    ],
)
def test_the_root_is_a_plain_object(parameters: dict[str, Any], field: str) -> None:
    assert ("root-object", field) in found(make_contract(parameters=parameters))


def test_an_open_root_is_refused() -> None:
    assert found(make_contract(parameters={"type": "object", "properties": {"p": TEXT}})) == [
        ("closed-object", "/parameters")
    ]


@pytest.mark.parametrize(
    ("part", "portability", "findings"),
    [
        pytest.param({"anyOf": [TEXT, {"type": "null"}], "description": "d"}, "full", [], id="union, flagged"),
        pytest.param(
            {"anyOf": [TEXT, {"type": "null"}], "description": "d"},
            "portable",
            [("portability", "/portability")],
            id="union, not flagged",
        ),
        pytest.param(TEXT, "full", [("portability", "/portability")], id="flagged without need"),
        pytest.param({"$ref": "#/$defs/d"}, "full", [], id="reference"),
        pytest.param(
            {"$ref": "#/$defs/x"}, "full", [("description", P), ("ref", f"{P}/$ref")], id="reference to nothing"
        ),
        pytest.param(
            {"$ref": "https://example.org/s", "description": "d"}, "full", [("ref", f"{P}/$ref")], id="remote reference"
        ),
        pytest.param({"$ref": "#", "description": "d"}, "full", [("ref", f"{P}/$ref")], id="reference to the root"),
    ],
)
def test_portability_and_references(part: object, portability: str, findings: list[tuple[str, str]]) -> None:
    parameters = arguments({"$defs": {"d": TEXT}}, p=part)
    assert found(make_contract(parameters=parameters, portability=portability)) == findings


def test_parts_of_a_condition_need_neither_a_closed_object_nor_descriptions() -> None:
    job = {
        "type": "object",
        "description": "o",
        "properties": {"kind": {"enum": ["x", "y"], "description": "k"}, "q": TEXT},
        "required": ["kind"],
        "additionalProperties": False,
        "if": {"properties": {"kind": {"const": "x"}}, "required": ["kind"]},
        "then": {"required": ["q"]},
        "else": {"properties": {"q": False}},
    }
    assert of_property(job, portability="full") == []


V = FormValue


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"lookalikes": ("none",)}, "/lookalikes/0", id="lookalike"),
        pytest.param({"follow_ups": ("get_other", "none")}, "/follow_ups/1", id="follow-up"),
        pytest.param({"lookalikes": ("get_part",)}, "/lookalikes/0", id="related to itself"),
        pytest.param({"neutral_arguments": ("none",)}, "/neutral_arguments/0", id="neutral argument"),
        pytest.param(
            {"neutral_arguments": ("start",)}, "/neutral_arguments/0", id="a required argument is not neutral"
        ),
        pytest.param({"synthetic": Synthetic(echo={"/text": "none"})}, "/synthetic/echo/~1text", id="echo of nothing"),
        pytest.param(
            {"synthetic": Synthetic(derived={"/start": Derived(size="none")})}, "/synthetic/derived/~1start", id="size"
        ),
        pytest.param(
            {"synthetic": Synthetic(derived={"/start": Derived(offset=3)})}, "/synthetic/derived/~1start", id="no rule"
        ),
        pytest.param(
            {"synthetic": Synthetic(repeated={"/text": Repeated(argument="none")})},
            "/synthetic/repeated/~1text",
            id="repeats nothing",
        ),
        pytest.param(
            {"equivalents": (Equivalent(tool=ToolName("none"), reason="r"),)}, "/equivalents/0/tool", id="equivalent"
        ),
        pytest.param(
            {
                "equivalents": (
                    Equivalent(
                        tool=ToolName("get_other"), when={"x": 1}, arguments={"start": V(argument="start")}, reason="r"
                    ),
                )
            },
            "/equivalents/0/when/x",
            id="condition on no argument",
        ),
        pytest.param(
            {
                "equivalents": (
                    Equivalent(tool=ToolName("get_other"), arguments={"label": V(constant="x")}, reason="r"),
                )
            },
            "/equivalents/0/arguments",
            id="a required argument of the other tool is not mapped",
        ),
        pytest.param(
            {
                "equivalents": (
                    Equivalent(
                        tool=ToolName("get_other"),
                        arguments={"start": V(argument="start"), "none": V(constant=1)},
                        reason="r",
                    ),
                )
            },
            "/equivalents/0/arguments/none",
            id="the other tool has no such argument",
        ),
        pytest.param(
            {"argument_forms": (ArgumentForm(name="f", replaces=("label",), uses={"start": V()}, reason="r"),)},
            "/argument_forms/0/uses/start",
            id="a form without a value",
        ),
        pytest.param(
            {
                "argument_forms": (
                    ArgumentForm(name="f", replaces=(), uses={"start": V(argument="start", constant=1)}, reason="r"),
                )
            },
            "/argument_forms/0/uses/start",
            id="a form with two values",
        ),
        pytest.param(
            {"argument_forms": (ArgumentForm(name="f", replaces=("start",), uses={}, reason="r"),)},
            "/argument_forms/0/replaces/0",
            id="a form without a required argument",
        ),
        pytest.param(
            {"argument_forms": (ArgumentForm(name="f", replaces=(), uses={}, reason="r"),)},
            "/argument_forms/0",
            id="an empty form",
        ),
    ],
)
def test_relations_name_what_exists(changes: dict[str, Any], field: str) -> None:
    assert ("relation", field) in found(make_contract(**changes))


def test_sound_relations_have_no_finding() -> None:
    contract = make_contract(
        follow_ups=("get_other",),
        neutral_arguments=("label",),
        equivalents=(
            Equivalent(
                tool=ToolName("get_other"), when={"label": None}, arguments={"start": V(argument="start")}, reason="r"
            ),
        ),
    )
    assert found(contract) == []


@pytest.mark.parametrize(
    ("synthetic", "field"),
    [
        pytest.param(Synthetic(constants={"/none": 1}), "/synthetic/constants/~1none", id="no such place"),
        pytest.param(Synthetic(constants={"text": 1}), "/synthetic/constants/text", id="no pointer"),
        pytest.param(Synthetic(constants={"/text": 1}), "/synthetic", id="constant of the wrong type"),
        pytest.param(Synthetic(echo={"/text": "start"}), "/synthetic", id="echo of the wrong type"),
        pytest.param(
            Synthetic(echo={"/start": "start"}, constants={"/start": 1}),
            "/synthetic/constants/~1start",
            id="echoed and constant at once",
        ),
        pytest.param(Synthetic(derived={"/none": Derived(plus=("start",))}), "/synthetic/derived/~1none", id="place"),
        pytest.param(
            Synthetic(echo={"/start": "start"}, derived={"/start": Derived(plus=("start",))}),
            "/synthetic/derived/~1start",
            id="echoed and derived at once",
        ),
        pytest.param(Synthetic(derived={"/text": Derived(plus=("start",))}), "/synthetic", id="a number for a text"),
        pytest.param(
            Synthetic(repeated={"/none": Repeated(argument="start")}),
            "/synthetic/repeated/~1none",
            id="place of a list",
        ),
    ],
)
def test_the_synthetic_answer_must_fit_the_result_schema(synthetic: Synthetic, field: str) -> None:
    assert ("synthetic", field) in found(make_contract(synthetic=synthetic))


def test_beside_an_argument_that_may_be_left_out_a_constant_is_what_stands_there_then() -> None:
    assert found(make_contract(synthetic=Synthetic(echo={"/text": "label"}, constants={"/text": "fixed"}))) == []


def test_a_result_nobody_can_give_is_found() -> None:
    assert ("satisfiable", "/returns") in found(make_contract(returns={"type": "integer", "minimum": 2, "maximum": 1}))


@pytest.mark.parametrize(
    "description",
    [
        "You should call the tool before anything else is done.",
        "Returns a part. Always use this tool for parts of records.",
        "Returns a part. Do not guess the start.",
        "IMPORTANT: returns the part of a record.",
        "Geeft een deel terug. Je moet eerst het dossier opvragen.",
        "Geeft een deel terug. Verzin nooit een nummer.",
    ],
)
def test_orders_to_the_model_are_found(description: str) -> None:
    assert ("order-to-model", "/description") in found(make_contract(description=description))


@pytest.mark.parametrize(
    "description",
    [
        "Call variants in the reads that lie over a range.",
        "Returns the places where an enzyme cuts; never changes the record.",
        "Rekent uit wat een lening kost. Legt niets vast.",
        "Moves the view to the place where a user points.",
    ],
)
def test_descriptions_that_only_describe_pass(description: str) -> None:
    assert found(make_contract(description=description)) == []


def test_a_copied_description_is_found() -> None:
    assert found(make_contract(description=OTHER.description.upper())) == [("copied-description", "/description")]


def test_one_naming_style_for_each_language_of_a_registry() -> None:
    odd = make_contract(name="odd", description="Returns one more part of it.", parameters=arguments(firstPlace=TEXT))
    snake = make_contract(parameters=arguments(first_place=TEXT, last_place=TEXT))
    assert found(odd, snake) == [("naming-style", "/parameters/properties/firstPlace")]
    dutch = make_contract(
        name="odd", description="Geeft nog een deel terug.", language="nl", parameters=arguments(eerstePlaats=TEXT)
    )
    assert found(dutch, snake) == []


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("a", "plain"),
        ("a1_b", "snake_case"),
        ("aB", "camelCase"),
        ("a-b", "kebab-case"),
        ("A", "other"),
        ("a__b", "other"),
    ],
)
def test_styles_of_names(name: str, style: str) -> None:
    assert style_of(name) == style


def test_an_imported_contract_keeps_its_names_and_words_but_not_its_faults() -> None:
    contract = make_contract(
        name="Weather.get",
        description="You must call this.",
        parameters=arguments(City={"type": "string", "pattern": "a"}),
        imported_from="bfcl",
    )
    assert found(contract) == [("pattern-anchored", "/parameters/properties/City/pattern")]


def test_findings_give_file_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "r" / "parts"
    folder.mkdir(parents=True)
    (folder / "wrong.yaml").write_text(
        "name: get_part\nversion: 1\ncategory: things\neffect: reads\ncapability: c\n"
        "description: Returns the part of a record.\n"
        "parameters:\n  type: object\n  additionalProperties: false\n  properties:\n    a:\n      type: string\n"
        "      pattern: a\n      description: A text.\n"
        "returns: {type: object}\n",
        encoding="utf-8",
    )
    findings = lint(load_registry(tmp_path / "r"))
    assert [(f.rule, f.line) for f in findings] == [("file-name", 1), ("category-folder", 3), ("pattern-anchored", 13)]
    assert findings[0].file.endswith("r/parts/wrong.yaml")
