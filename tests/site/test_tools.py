"""Tools: schemas as trees, and which tool was taken for which."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.names import JsonValue
from fcbench.packages.run_directory import write_registry
from fcbench.site.assemble import build_pages
from fcbench.site.load import load_site
from fcbench.site.schema_tree import MAX_CHILDREN, MAX_DEPTH, MAX_NODES, SchemaNode, schema_tree
from fcbench.site.tool_use import confusions, tool_uses
from tests.site.sample_packages import (
    CASES,
    MORTGAGE,
    REGISTRY,
    STATUS,
    make_package,
    passing,
    sample_runs,
    wrong_tool,
)


def nodes(tree: SchemaNode) -> int:
    return 1 + sum(nodes(child) for child in tree.children)


def depth(tree: SchemaNode) -> int:
    return 1 + max((depth(child) for child in tree.children), default=0)


def test_a_tree_names_types_limits_and_required_fields() -> None:
    tree = schema_tree(MORTGAGE.parameters)
    assert [(child.name, child.is_required) for child in tree.children] == [
        ("dossier_id", True),
        ("aanvragers", True),
        ("met_nhg", False),
    ]
    assert tree.limits == ("no other key",)
    assert tree.children[0].limits == ('pattern "^DOS-[0-9]{5}$"',)
    item = tree.children[1].children[0]
    assert (item.name, item.children[0].limits) == ("each item", ('one of "hoofdaanvrager", "partner"',))


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        pytest.param({"oneOf": [{}, {}]}, ["exactly one of: 1", "exactly one of: 2"], id="branches"),
        pytest.param({"additionalProperties": {"type": "string"}}, ["any other key"], id="open keys"),
        pytest.param({"properties": 3, "items": [1], "required": "x", "anyOf": None}, [], id="not a schema"),
        pytest.param(True, [], id="anything"),
        pytest.param(None, [], id="null"),
    ],
)
def test_parts_of_a_schema_are_named(schema: JsonValue, names: list[str]) -> None:
    assert [child.name for child in schema_tree(schema).children] == names


def test_a_tree_ends_where_a_page_would() -> None:
    deep: JsonValue = {}
    for _ in range(60):
        deep = {"items": deep}
    assert depth(schema_tree(deep)) == MAX_DEPTH + 1
    wide: JsonValue = {"properties": {str(number): {} for number in range(5_000)}}
    tree = schema_tree(wide)
    assert (len(tree.children), tree.hidden) == (MAX_CHILDREN, 5_000 - MAX_CHILDREN)
    bushy: JsonValue = {}
    for _ in range(4):
        bushy = {"properties": {str(number): bushy for number in range(30)}}
    assert nodes(schema_tree(bushy)) == MAX_NODES + 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["properties", "items", "oneOf", "type", "enum", "required", "pattern", "const", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_gives_a_tree(schema: JsonValue) -> None:
    assert nodes(schema_tree(schema)) <= MAX_NODES + 1


def test_a_confusion_is_counted_once_an_attempt_and_without_controls(tmp_path: Path) -> None:
    make_package(tmp_path, "a", "one", CASES[:2], [wrong_tool(CASES[0], 1), wrong_tool(CASES[1], 1)])
    make_package(tmp_path, "b", "two", CASES[:1], [wrong_tool(CASES[0], 1)])
    make_package(tmp_path, "c", "control", CASES[:1], [wrong_tool(CASES[0], 1)], control=True)
    (found,) = confusions(load_site([tmp_path]))
    assert (found.expected, found.called, found.attempts) == (MORTGAGE.name, STATUS.name, 3)
    assert found.models == {"one", "two"}
    uses = tool_uses(load_site([tmp_path]))
    assert (uses[MORTGAGE.name].passed, uses[MORTGAGE.name].judged) == (0, 3)
    assert [one.called for one in uses[MORTGAGE.name].instead] == [STATUS.name]
    assert [one.expected for one in uses[STATUS.name].intruding] == [MORTGAGE.name]


def test_a_tool_that_only_the_registry_names_has_its_page(tmp_path: Path) -> None:
    make_package(tmp_path, "a", "one", CASES[:1], [passing(CASES[0], 1)])
    other = msgspec.structs.replace(STATUS, name="sluit_dossier")
    write_registry(tmp_path, REGISTRY, [MORTGAGE, STATUS, other])
    assert "sluit_dossier" in tool_uses(load_site([tmp_path]))
    write_registry(tmp_path, "0" * 64, [other]).rename(tmp_path / REGISTRY[:12] / "registry.json")
    assert "sluit_dossier" not in tool_uses(load_site([tmp_path])), "a registry of another hash is not theirs"


def test_a_board_page_and_a_tool_page_change_only_with_their_rows(tmp_path: Path) -> None:
    sample_runs(tmp_path)
    before = {page.path: page.key for page in build_pages(load_site([tmp_path])).lean}
    make_package(tmp_path, "other", "third", CASES[:1], [passing(CASES[0], 1)], mode="oracle-assisted")
    after = {page.path: page.key for page in build_pages(load_site([tmp_path])).lean}
    changed = {path for path, key in before.items() if after[path] != key}
    assert not any(path.startswith("boards/") for path in changed)
    assert [path for path in changed if path.startswith("tools/")] == [
        path for path in before if path.startswith("tools/verwerk")
    ]
