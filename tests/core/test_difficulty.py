from __future__ import annotations

import pytest

from fcbench.core.difficulty import Difficulty, difficulty
from fcbench.core.exercised import exercised_level, schema_at


def thing(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": sorted(properties), "additionalProperties": False}


def rows(items: object) -> dict[str, object]:
    return {"type": "array", "minItems": 1, "items": items}


TEXT = {"type": "string"}
# The schema that the article on complex schemas gives in full (source B of PROTOCOL).
MORTGAGE = thing(
    dossier_id={"type": "string", "pattern": "^DOS-[0-9]{5}$"},
    aanvragers=rows(
        thing(
            rol={"type": "string", "enum": ["hoofdaanvrager", "partner", "borgsteller"]},
            persoonsgegevens=thing(
                achternaam=TEXT,
                geboortedatum={"type": "string", "format": "date"},
                bruto_jaarinkomen={"type": "number", "minimum": 0},
            ),
        )
    ),
    leningdelen=rows(
        thing(
            aflosvorm={"type": "string", "enum": ["annuitair", "lineair", "aflossingsvrij"]},
            hoofdsom={"type": "integer", "minimum": 1000},
            looptijd_maanden={"type": "integer", "minimum": 12, "maximum": 360},
        )
    ),
)
TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/node"}},
    "$defs": {
        "node": {"type": "object", "properties": {"name": TEXT, "children": rows({"$ref": "#/$defs/node"})}},
    },
}
UNION = thing(
    filters=rows({"oneOf": [thing(kind={"const": "a"}, x=TEXT), thing(kind={"const": "b"}, y=thing(z=TEXT))]})
)
CONDITION = thing(
    job={
        **thing(kind={"enum": ["x", "y"]}),
        "if": {"properties": {"kind": {"const": "x"}}},
        "then": {"required": ["q"]},
    }
)


def test_the_mortgage_application_of_the_article_is_level_3() -> None:
    # By hand: root > aanvragers[] > persoonsgegevens are three objects. Required below the root: rol, persoonsgegevens,
    # its three, and three in a leningdeel make 8. Ranges: two minItems, three numbers with a bound.
    assert difficulty(MORTGAGE) == Difficulty(
        depth=3, level="L3", required_below_root=8, arrays_of_objects=2, enums=2, patterns=1, ranges=5
    )


@pytest.mark.parametrize(
    ("schema", "depth", "level"),
    [
        pytest.param({"type": "object"}, 1, "L1", id="no property"),
        pytest.param(thing(a=TEXT), 1, "L1", id="flat"),
        pytest.param(thing(a=rows(TEXT)), 1, "L1", id="an array of texts adds no level"),
        pytest.param(thing(a=rows(rows(thing(b=TEXT)))), 2, "L2", id="arrays are transparent"),
        pytest.param(thing(a=thing(b=TEXT), c=thing(d=thing(e=TEXT))), 3, "L3", id="the longest path counts"),
        pytest.param(thing(a=thing(b=thing(c=thing(d=TEXT)))), 4, "L4", id="four objects"),
        pytest.param(UNION, 3, "L4", id="a union is level 4 whatever its depth"),
        pytest.param(CONDITION, 2, "L4", id="a condition is level 4"),
        pytest.param(TREE, 2, "L4", id="recursion is level 4"),
        pytest.param(
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": thing(b=TEXT)}},
            2,
            "L2",
            id="a reference is resolved and is no level by itself",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": TEXT}, "$defs": {"unused": thing(b=thing(c=TEXT))}},
            1,
            "L1",
            id="an unused definition adds no depth",
        ),
    ],
)
def test_depth_and_level_are_those_counted_by_hand(schema: object, depth: int, level: str) -> None:
    found = difficulty(schema)
    assert (found.depth, found.level) == (depth, level)


def test_the_vector_counts_every_kind_of_trouble() -> None:
    found = difficulty(
        thing(
            a={"type": "array", "uniqueItems": True, "items": {"enum": [1, 2]}},
            b={"$ref": "#/$defs/c"},
            d={"oneOf": [TEXT, {"type": "integer", "minimum": 1}]},
        )
        | {"$defs": {"c": {"type": "string", "pattern": "^a$", "maxLength": 3}}}
    )
    assert found == Difficulty(
        depth=1, level="L4", enums=1, patterns=1, ranges=2, unique_items=1, unions=1, references=1
    )


@pytest.mark.parametrize(
    ("schema", "value", "level"),
    [
        pytest.param(thing(a=TEXT), {}, "L1", id="nothing given"),
        pytest.param(thing(a=thing(b=thing(c=TEXT))), {"a": {"b": {"c": "x"}}}, "L3", id="all of it"),
        pytest.param(thing(a=thing(b=thing(c=TEXT)), d=TEXT), {"d": "x"}, "L1", id="the deep part is not used"),
        pytest.param(MORTGAGE, {"leningdelen": [{"hoofdsom": 1000}]}, "L2", id="part of the mortgage"),
        pytest.param(UNION, {"filters": []}, "L1", id="no item reaches the union"),
        pytest.param(UNION, {"filters": [{"kind": "a", "x": "y"}]}, "L4", id="an item passes the union"),
        pytest.param(CONDITION, {}, "L1", id="the condition is not reached"),
        pytest.param(CONDITION, {"job": {"kind": "y"}}, "L4", id="the condition is reached, whichever way it goes"),
        pytest.param(TREE, {"root": {"name": "x"}}, "L2", id="recursive, but used once"),
        pytest.param(TREE, {"root": {"children": [{"name": "x"}]}}, "L4", id="recursion is used"),
        pytest.param(
            {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": thing(a=TEXT)}}},
            {"m": {"k": {"a": "x"}}},
            "L3",
            id="a map of objects",
        ),
    ],
)
def test_the_exercised_level_is_that_of_the_part_in_use(schema: object, value: object, level: str) -> None:
    assert exercised_level(schema, value) == level


def test_the_exercised_level_of_a_value_that_does_not_conform_is_its_own_depth() -> None:
    assert exercised_level(thing(a=TEXT), {"x": {"y": {"z": 1}}}) == "L3"


def test_schemas_at_a_path_are_found_through_branches_and_references() -> None:
    assert {"const": "b"} in schema_at(UNION, ("filters", 0, "kind"))
    assert TEXT in schema_at(TREE, ("root", "children", 3, "name"))
    assert schema_at(TREE, ("none",)) == ()
