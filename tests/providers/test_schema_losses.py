from __future__ import annotations

import pytest
from hypothesis import given

from fcbench.core.canonical import resolve_pointer
from fcbench.core.names import JsonObject
from fcbench.providers.presets import presets
from fcbench.providers.schema_losses import losses_of, schema_rules
from tests.strategies import subset_schemas

STRING = {"type": "string"}


def tool(properties: JsonObject, required: list[str] | None = None, **more: object) -> JsonObject:
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False, **more}


def lost(rules: str, schema: JsonObject) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.keyword, one.effect, one.pointers) for one in losses_of(rules, {"t": schema})]


@pytest.mark.parametrize(
    ("rules", "schema", "found"),
    [
        pytest.param("openai-strict", tool({"a": STRING}), [], id="a schema inside the subset"),
        pytest.param(
            "openai-strict",
            tool({"a/b": STRING}, []),
            [("required", "refused", ("/properties/a~1b",))],
            id="an optional property",
        ),
        pytest.param(
            "openai-strict",
            tool({"a": {"type": "object", "properties": {}}}),
            [("additionalProperties", "refused", ("/properties/a/additionalProperties",))],
            id="an open object",
        ),
        pytest.param(
            "openai-strict",
            tool({"a": STRING}, allOf=[{"if": {}, "then": {}}]),
            [("allOf", "refused", ("/allOf",))],
            id="what stands below a lost keyword is lost with it",
        ),
        pytest.param(
            "openai-strict",
            tool({"a": {**STRING, "minLength": 1}, "b": {**STRING, "minLength": 2}}),
            [("minLength", "undocumented", ("/properties/a/minLength", "/properties/b/minLength"))],
            id="one entry for a keyword, whatever its places",
        ),
        pytest.param(
            "openai-strict",
            tool({"a": {**STRING, "format": "uri"}, "b": {**STRING, "format": "date"}}),
            [("format", "undocumented", ("/properties/a/format",))],
            id="a format outside the list",
        ),
        pytest.param("openai-strict", {"anyOf": [tool({})]}, [("type", "refused", ("",))], id="a union at the root"),
        pytest.param(
            "openai-strict",
            tool({"a": {"enum": list(range(1001))}}),
            [("enum", "refused", ("",))],
            id="more enum values than there may be",
        ),
        pytest.param(
            "anthropic-strict",
            tool({"a": {"type": "integer", "minimum": 1}, "b": {"type": "array", "items": STRING, "minItems": 2}}),
            [
                ("minItems", "undocumented", ("/properties/b/minItems",)),
                ("minimum", "refused", ("/properties/a/minimum",)),
            ],
            id="bounds at Anthropic",
        ),
        pytest.param(
            "anthropic-strict",
            tool({"a": {"$ref": "#/$defs/n"}}, **{"$defs": {"n": tool({"n": {"$ref": "#/$defs/n"}})}}),
            [("$ref", "refused", ("/properties/a/$ref", "/$defs/n/properties/n/$ref"))],
            id="a schema that contains itself",
        ),
        pytest.param(
            "gemini",
            tool({"a": {"const": "x", "title": "A"}}),
            [("const", "undocumented", ("/properties/a/const",))],
            id="an annotation is no loss",
        ),
        pytest.param("a rule of tomorrow", tool({"a": {"not": {}}}), [], id="rules that this release does not know"),
    ],
)
def test_a_loss_names_the_keyword_its_places_and_what_happens(
    rules: str, schema: JsonObject, found: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    assert lost(rules, schema) == found


def test_ten_objects_inside_each_other_are_held_and_eleven_are_not() -> None:
    def nested(levels: int) -> JsonObject:
        return tool({"a": nested(levels - 1)}) if levels > 1 else tool({})

    assert lost("openai-strict", nested(10)) == []
    assert lost("openai-strict", nested(11)) == [("properties", "refused", ("/properties/a" * 10,))]


def test_every_rule_that_a_preset_names_exists_and_says_where_it_comes_from() -> None:
    named = {rules for preset in presets().values() for rules in (preset.free_rules, preset.strict_rules) if rules}
    assert named <= set(schema_rules())
    assert {"openai-strict", "anthropic-strict", "gemini"} <= named
    for rules in schema_rules().values():
        assert rules.source
        assert not set(rules.known) & set(rules.effects) or rules.name == "openai-strict"


@given(subset_schemas)
def test_every_place_of_a_loss_is_in_the_schema_or_says_what_is_missing_there(schema: JsonObject) -> None:
    for rules in schema_rules():
        for loss in losses_of(rules, {"t": schema}):
            for place in loss.pointers:
                if loss.keyword != "additionalProperties":
                    resolve_pointer(schema, place)
