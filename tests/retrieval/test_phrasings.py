from __future__ import annotations

from collections import Counter
from pathlib import Path

from fcbench.registry.load import load_registries
from fcbench.retrieval.companions import companions_of
from fcbench.retrieval.index import LexicalIndex, document_of
from fcbench.retrieval.phrasings import phrasings, phrasings_of
from fcbench.retrieval.spec import MAX_CANDIDATES

ROOT = Path(__file__).parents[2]
LEAST = 20
"""Requests for each tool."""
MOST_MISSED = 0.02
"""Share of requests that an index of the other three quarters may miss; without requests it is 0.04."""


def test_every_tool_of_the_genomics_registry_has_its_requests_and_no_other_tool_has() -> None:
    contracts = load_registries(ROOT / "tools_registry")["genomics"].contracts.values()
    assert set(phrasings()) == {(one.category, one.name) for one in contracts}
    assert [tool for tool, requests in phrasings().items() if len(requests) < LEAST] == []


def test_no_request_stands_under_two_tools_or_names_its_own() -> None:
    counts = Counter(request.casefold() for requests in phrasings().values() for request in requests)
    assert [request for request, times in counts.items() if times > 1] == []
    assert [tool for (_, tool), requests in phrasings().items() for request in requests if tool in request] == []


def test_a_tool_of_the_same_name_in_another_category_has_no_requests() -> None:
    (category, tool), requests = next(iter(phrasings().items()))
    assert phrasings_of(tool, category) == requests
    assert phrasings_of(tool, f"{category}_of_someone_else") == ()


def test_requests_that_the_index_does_not_have_find_their_tools() -> None:
    contracts = tuple(load_registries(ROOT / "tools_registry")["genomics"].contracts.values())
    known: dict[str, list[str]] = {}
    asked: list[tuple[str, str]] = []
    for one in contracts:
        for at, request in enumerate(phrasings_of(one.name, one.category)):
            if at % 4:
                known.setdefault(one.name, []).append(request)
            else:
                asked.append((one.name, request))
    documents = [
        document_of(one.name, one.description, one.parameters, one.category, known[one.name]) for one in contracts
    ]
    index = LexicalIndex(documents, companions_of(contracts))
    misses = [(tool, ask) for tool, ask in asked if tool not in dict(index.rank(ask, MAX_CANDIDATES))]
    assert len(misses) <= MOST_MISSED * len(asked), misses
