from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import ToolName
from fcbench.registry import lint, make_registry
from tests.strategies import make_contract, scalars, subset_schemas

WORDS = st.sampled_from(
    (
        "type",
        "properties",
        "required",
        "items",
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "$ref",
        "$defs",
        "enum",
        "const",
        "pattern",
        "format",
        "default",
        "minimum",
        "maxLength",
        "multipleOf",
        "uniqueItems",
        "description",
        "dependentRequired",
        "additionalProperties",
        "prefixItems",
        "a",
        "b",
    )
)
VALUES = scalars | st.sampled_from(
    ("object", "array", "string", "#", "#/$defs/a", "#/properties/a", "^a$", "(", "date")
)
hostile_schemas = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=10
).map(lambda value: value if isinstance(value, dict) else {"type": value})
"""Objects that look like schemas and mostly are none."""


@given(hostile_schemas, hostile_schemas)
@settings(max_examples=60, deadline=None)
def test_the_lint_judges_any_schema_and_never_crashes(parameters: dict[str, Any], returns: dict[str, Any]) -> None:
    contract = make_contract(parameters=parameters, returns=returns, lookalikes=(ToolName("none"),))
    findings = lint(make_registry("r", [contract]))
    assert any(finding.rule == "relation" for finding in findings)


@given(subset_schemas)
@settings(max_examples=40, deadline=None)
def test_what_is_inside_the_subset_only_lacks_descriptions(schema: dict[str, Any]) -> None:
    parameters = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    contract = make_contract(parameters=parameters, returns={"type": "object"})
    assert {finding.rule for finding in lint(make_registry("r", [contract]))} <= {"description", "portability"}
