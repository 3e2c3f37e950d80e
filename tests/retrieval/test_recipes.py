"""Recipes: tools of one piece of work bring each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from fcbench.core.contracts import ToolContract
from fcbench.errors import BadInputError
from fcbench.retrieval import recipes as module
from fcbench.retrieval.recipes import recipes, together
from tests.retrieval.test_recall import contracts


def shares(tools: tuple[ToolContract, ...]) -> dict[tuple[str, str], float]:
    return {(giver, taker): share for giver, taker, share in together(tools)}


def test_recipes_name_tools_of_the_genomics_registry_and_every_tool_has_one() -> None:
    named = {tool for recipe in recipes() for tool in recipe}
    assert named == {contract.name for contract in contracts()}
    assert min(map(len, recipes())) >= 2


def test_no_recipe_stands_twice() -> None:
    assert len(set(recipes())) == len(recipes())


def test_a_share_is_twice_the_part_of_the_recipes_of_a_tool_with_two_more_for_doubt() -> None:
    with_gel = [recipe for recipe in recipes() if "simulate_gel" in recipe]
    both = [recipe for recipe in with_gel if "simulate_pcr" in recipe]
    assert shares(contracts())["simulate_gel", "simulate_pcr"] == pytest.approx(2 * len(both) / (len(with_gel) + 2))
    assert max(shares(contracts()).values()) == 1.0


def test_tools_of_another_category_have_no_recipes() -> None:
    """Someone else's `get_sequence` is another tool."""
    elsewhere = tuple(structs.replace(one, category="elsewhere") for one in contracts())
    assert shares(elsewhere) == {}


@pytest.mark.parametrize("text", ["[get_sequence]", "edits: get_sequence"])
def test_a_file_of_another_form_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "recipes.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(module, "_FILE", tmp_path / "recipes.yaml")
    with pytest.raises(BadInputError, match="listed by subject"):
        recipes.__wrapped__()
