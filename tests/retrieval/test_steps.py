"""Steps that a clause implies: what contracts say of each other, and what the ranking makes of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from fcbench.core.contracts import ToolContract
from fcbench.registry.load import load_registries
from fcbench.retrieval.companions import Companions
from fcbench.retrieval.index import LexicalIndex, document_of
from fcbench.retrieval.recipes import together
from fcbench.retrieval.steps import declared, steps_of

ROOT = Path(__file__).parents[2]


@cache
def contracts() -> tuple[ToolContract, ...]:
    return tuple(load_registries(ROOT / "tools_registry")["genomics"].contracts.values())


@cache
def declared_shares() -> dict[tuple[str, str], float]:
    """Largest share of each giver and taker, by the contracts alone."""
    found: dict[tuple[str, str], float] = {}
    for giver, taker, share in declared(contracts()):
        found[giver, taker] = max(share, found.get((giver, taker), 0.0))
    return found


@pytest.mark.parametrize(
    ("implied", "implying", "share"),
    [
        pytest.param(
            "execute_actions", "insert_sequence", 1.0, id="its description speaks of the queue being executed"
        ),
        pytest.param("list_annotations", "load_annotation_file", 0.5, id="a declared follow-up"),
        pytest.param("search_gene_by_name", "get_read_coverage", 0.5, id="a range that a gene's place gives"),
        pytest.param("search_gene_by_name", "codon_adaptation_index", None, id="takes the gene itself"),
        pytest.param("load_annotation_file", "list_annotations", None, id="a follow-up the other way round"),
    ],
)
def test_a_step_is_implied_by_what_contracts_declare(implied: str, implying: str, share: float | None) -> None:
    assert declared_shares().get((implying, implied)) == share


def test_recipes_add_to_what_contracts_declare_and_take_nothing_away() -> None:
    told = {(giver, taker): share for giver, taker, share in together(contracts())}
    found = {(giver, taker): share for taker, givers in steps_of(contracts()).items() for giver, share in givers}
    both = {*told, *declared_shares()}
    assert found == {
        pair: max(told.get(pair, 0.0), declared_shares().get(pair, 0.0)) for pair in both if len({*pair}) == 2
    }
    assert set(told) - set(declared_shares())
    assert set(declared_shares()) - set(told)


def test_only_tools_that_are_given_a_gene_and_tell_its_place_are_looked_up() -> None:
    looked_up = {
        taker
        for (giver, taker), share in declared_shares().items()
        if giver == "find_noncutting_enzymes" and share == 0.5
    }
    assert looked_up == {"search_gene_by_name", "get_gene_details", "get_upstream_sequence"}


TOOLS = ("stage_change", "apply_everything", "paint_wall", "feed_cat", "boil_water", "read_book")


def ranked(text: str, relation: Companions) -> list[str]:
    index = LexicalIndex([document_of(name, name.replace("_", " "), {}) for name in TOOLS], steps=relation)
    return [name for name, _ in index.rank(text, len(TOOLS))]


def test_a_request_of_several_steps_brings_the_step_that_one_of_them_implies() -> None:
    text, relation = "Boil some water, and then stage the change.", {"read_book": (("stage_change", 1.0),)}
    assert ranked(text, relation).index("read_book") < ranked(text, {}).index("read_book")


def test_a_single_wish_implies_no_further_step() -> None:
    text, relation = "Stage the change.", {"read_book": (("stage_change", 1.0),)}
    assert ranked(text, relation) == ranked(text, {})
