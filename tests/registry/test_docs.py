from __future__ import annotations

from pathlib import Path

import pytest

from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.comparators import COMPARATORS
from fcbench.core.contracts import ToolContract
from fcbench.registry.lint import RULES as REGISTRY_RULES
from fcbench.registry.shapes import KEYWORDS
from fcbench.suites.check import RULES as SUITE_RULES
from fcbench.suites.model import Collection, Subset, Suite

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        pytest.param("contracts.md", ToolContract.__struct_fields__, id="fields of a contract"),
        pytest.param("contracts.md", sorted(KEYWORDS), id="keywords of the subset"),
        pytest.param("registry.md", sorted(REGISTRY_RULES), id="rules of the lint"),
        pytest.param("cases.md", sorted(SUITE_RULES), id="rules of the check"),
        pytest.param("cases.md", [f"${name}" for name in COMPARATORS], id="comparators"),
        pytest.param("cases.md", Task.__struct_fields__, id="fields of a task"),
        pytest.param("cases.md", Oracle.__struct_fields__[:4], id="fields of an oracle"),
        pytest.param("cases.md", [name for name in ExpectedCall.__struct_fields__ if name != "block"], id="of a call"),
        pytest.param("cases.md", Labels.__struct_fields__, id="labels"),
        pytest.param("cases.md", [name for name in Case.__struct_fields__ if name != "suite"], id="fields of a case"),
        pytest.param("cases.md", Suite.__struct_fields__, id="fields of a suite"),
        pytest.param("cases.md", [name for name in Collection.__struct_fields__ if name != "name"], id="a collection"),
        pytest.param("cases.md", [name for name in Subset.__struct_fields__ if name != "name"], id="a subset"),
    ],
)
def test_the_reference_names_every_word(page: str, words: list[str]) -> None:
    text = (REFERENCE / page).read_text(encoding="utf-8")
    assert [word for word in words if f"`{word}`" not in text and f"{word}:" not in text] == []
