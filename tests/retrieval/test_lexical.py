from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.names import CaseId, ToolName
from fcbench.core.records import from_plain, to_plain
from fcbench.errors import SuiteError, UsageError
from fcbench.registry.load import load_registry
from fcbench.retrieval import lexical
from fcbench.retrieval.lexical import candidates, rank
from fcbench.retrieval.spec import MAX_CANDIDATES, VERSION, RetrievalSpec
from fcbench.retrieval.terms import clauses, stem, terms, with_pairs

ROOT = Path(__file__).parents[2]


def contract(name: str, description: str, **properties: str) -> ToolContract:
    return ToolContract(
        name=ToolName(name),
        version=1,
        category="any",
        description=description,
        parameters={
            "type": "object",
            "properties": {key: {"type": "string", "description": text} for key, text in properties.items()},
            "additionalProperties": False,
        },
        returns={"type": "object"},
        effect="reads",
        capability=name,
    )


TOOLS = (
    contract("translate_dna", "Translates DNA into protein.", sequence="Letters of DNA."),
    contract("send_invoice", "Sends an invoice to a customer.", customer="Number of the customer."),
    contract("list_invoices", "Lists open invoices.", customer="Number of the customer."),
    contract("book_room", "Books a meeting room.", day="Day of the meeting."),
)


def names(instruction: str, limit: int = MAX_CANDIDATES) -> list[str]:
    return [one.name for one in rank(instruction, TOOLS, limit)]


def task(**fields: object) -> Task:
    given = {"id": CaseId("t"), "instruction": "Book a room", "language": "en", "registry": "r", **fields}
    return Task(**given)  # type: ignore[arg-type]


def test_the_tool_that_the_words_describe_comes_first_and_all_fit_in() -> None:
    assert names("Please translate this DNA")[0] == "translate_dna"
    assert set(names("Please translate this DNA")) == set(names("")) == {tool.name for tool in TOOLS}
    assert names("Sending an invoice")[0] == "send_invoice"


def test_every_step_of_a_request_keeps_its_tool() -> None:
    wordy = "Send the invoice to the customer, that is the invoice for customer number 7, and then book a room."
    assert set(names(wordy, 2)) == {"send_invoice", "book_room"}


def test_ranks_count_from_one_and_scores_are_recorded() -> None:
    found = rank("Book a room", TOOLS)
    assert [one.rank for one in found] == [1, 2, 3, 4]
    assert found[0].score is not None
    assert found[0].score > 0


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=200), seed=st.integers(0, 5), limit=st.integers(1, 24))
def test_any_text_gives_the_same_ranking_in_whatever_order_the_tools_come(text: str, seed: int, limit: int) -> None:
    shuffled = list(TOOLS)
    random.Random(seed).shuffle(shuffled)
    found = rank(text, shuffled, limit)
    assert found == rank(text, TOOLS, limit)
    assert len(found) == min(limit, len(TOOLS))
    assert len({one.name for one in found}) == len(found)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("translates", "translation"),
        ("annotated", "annotate"),
        ("queries", "query"),
        ("cutting", "cut"),
        ("genes", "gene"),
    ],
)
def test_inflections_of_a_word_meet(left: str, right: str) -> None:
    assert stem(left) == stem(right)


def test_names_fall_into_words_and_function_words_away() -> None:
    assert terms("get_geneSequence of the 12 at") == (stem("get"), stem("gene"), stem("sequence"))


def test_clauses_are_cut_at_joins_and_a_stub_stays_with_its_neighbour() -> None:
    found = clauses("Find the gene dnaK. Translate its sequence and then save the protein as a file, please.")
    assert found == ("Find the gene dnaK", "Translate its sequence", "save the protein as a file, please")


@pytest.mark.parametrize(
    ("parts", "pairs"),
    [
        pytest.param((), (), id="nothing"),
        pytest.param(("a b",), (), id="one"),
        pytest.param(("a b", "c d"), (), id="two are the whole text"),
        pytest.param(("a b", "c d", "e f"), ("a b, c d", "c d, e f"), id="three"),
    ],
)
def test_neighbouring_clauses_are_heard_together_as_well(parts: tuple[str, ...], pairs: tuple[str, ...]) -> None:
    assert with_pairs(parts) == (*parts, *pairs)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("lexical", "lexical-6:24"),
        ("lexical:24", "lexical-6:24"),
        ("lexical:3", "lexical-6:3"),
        ("lexical-6", "lexical-6:24"),
        ("given", "given"),
        ("all", "all"),
    ],
)
def test_a_retrieval_has_one_canonical_form(text: str, canonical: str) -> None:
    assert str(RetrievalSpec.parse(text)) == canonical
    assert str(RetrievalSpec.parse(canonical)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "lexical:24",
        "lexical:3",
        "lexical-2:24",
        "lexical-3:24",
        "lexical-4:24",
        "lexical-5:24",
        "lexical-6:24",
        "given",
        "all",
    ],
)
def test_what_a_package_records_is_read_as_it_was_written(text: str) -> None:
    assert str(RetrievalSpec.recorded(text)) == text


def test_a_recorded_ranking_of_a_later_version_is_refused() -> None:
    with pytest.raises(UsageError, match="does not exist"):
        RetrievalSpec.recorded(f"lexical-{VERSION + 1}:24")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lexical-1:3",
        "lexical-2:24",
        "lexical-3:24",
        "lexical-4:24",
        "lexical-5:24",
        "lexical:0",
        "lexical:25",
        "lexical:",
        "lexical:-1",
        "lexical: 3",
        "dense",
        "all:3",
        "x" * 999,
    ],
)
def test_another_retrieval_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(UsageError, match="lexical"):
        RetrievalSpec.parse(text)


def test_given_tools_keep_the_order_of_the_task() -> None:
    found = candidates(task(tools=("send_invoice", "book_room")), TOOLS, RetrievalSpec.parse("given"))
    assert [(one.name, one.rank, one.score) for one in found] == [("send_invoice", 1, None), ("book_room", 2, None)]


def test_given_without_tools_and_with_an_unknown_tool_are_refused() -> None:
    with pytest.raises(UsageError, match="gives no tools"):
        candidates(task(), TOOLS, RetrievalSpec.parse("given"))
    with pytest.raises(SuiteError, match="fly_away"):
        candidates(task(tools=("fly_away",)), TOOLS, RetrievalSpec.parse("given"))


def test_all_offers_everything_by_name() -> None:
    found = candidates(task(), TOOLS, RetrievalSpec.parse("all"))
    assert [one.name for one in found] == sorted(contract.name for contract in TOOLS)


def test_a_tool_is_found_among_the_real_contracts_by_its_own_description() -> None:
    registry = load_registry(ROOT / "tools_registry" / "genomics")
    contracts = tuple(registry.contracts.values())
    found = {one.name: [each.name for each in rank(one.description, contracts, 5)] for one in contracts}
    assert [name for name, best in found.items() if name not in best] == []
    assert sum(name == best[0] for name, best in found.items()) >= 0.85 * len(contracts)


def test_a_registry_that_is_loaded_twice_has_one_index() -> None:
    """Building one for 139 tools takes seconds."""
    again = tuple(from_plain(to_plain(one), ToolContract) for one in TOOLS)
    assert again[0] is not TOOLS[0]
    lexical._index.cache_clear()
    rank("Send the invoice", TOOLS)
    before = lexical._built.cache_info().misses
    assert rank("Send the invoice", again) == rank("Send the invoice", TOOLS)
    assert lexical._built.cache_info().misses == before


def test_a_contract_that_says_something_else_has_an_index_of_its_own() -> None:
    other = replace(TOOLS[0], description="Waters the plants in the hall.")
    assert rank("Water the plants", (other, *TOOLS[1:]))[0].name == other.name
    assert rank("Water the plants", TOOLS)[0].score != rank("Water the plants", (other, *TOOLS[1:]))[0].score
