"""The page of all tools says what registry and implementations say."""

from __future__ import annotations

import re

from tests.benchmarks.tools_page import PAGE, facts, first_words, known_times, page
from tests.workbench.worlds import contracts


def test_the_page_is_that_of_the_registry_and_the_implementations() -> None:
    """Name, effect, engine, provenance and description; `python -m tests.benchmarks.tools_page` writes it anew."""
    assert PAGE.read_text("utf-8") == page(known_times())


def test_every_tool_has_its_row_with_times() -> None:
    text = PAGE.read_text("utf-8")
    assert set(known_times()) == set(contracts())
    for contract in contracts().values():
        assert text.count(f"| {' | '.join(facts(contract))} | ") == 1
    assert all(0 < float(median) <= float(worst) for median, worst in known_times().values())


def test_a_description_is_cut_to_its_first_words() -> None:
    assert first_words("Reads a range; the strand counts. Never more.") == "Reads a range"
    assert first_words("Reads E. coli genes up to 2.5 kb.") == "Reads E"
    assert first_words("Scores it (Sharp and Li 1987). More.") == "Scores it (Sharp and Li 1987)"
    assert first_words("Reads a | b\n  c.") == "Reads a \\| b c"
    shown = [first_words(contract.description) for contract in contracts().values()]
    assert all(re.match(r"[A-Z]", each) and 10 < len(each) <= 164 for each in shown)
    assert len(set(shown)) == len(shown)
