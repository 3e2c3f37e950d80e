"""Contracts by name or digest: imported tasks name theirs by digest, since many share one name."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract, by_key, contract_digest, contracts_of
from fcbench.core.names import CaseId, Digest, ToolName
from fcbench.errors import BadInputError
from tests.strategies import make_contract

AREA = ToolName("calculate.area")
FLAT = make_contract(name=AREA, imported_from="elsewhere", description="Of a rectangle.")
ROUND = make_contract(name=AREA, imported_from="elsewhere", description="Of a circle.")
ALONE = make_contract(name="zoom")


def task(**contracts: str) -> Task:
    named = {ToolName(name.replace("__", ".")): Digest(digest) for name, digest in contracts.items()}
    return Task(id=CaseId("t-1"), instruction="How large?", language="en", registry="r", contracts=named)


def test_a_contract_is_found_by_its_name_unless_others_share_it() -> None:
    keys = list(by_key([ALONE, ROUND, FLAT]))
    assert keys == [*sorted([contract_digest(FLAT), contract_digest(ROUND)]), "zoom"]
    assert list(by_key([ALONE, FLAT])) == [AREA, "zoom"]


def test_the_same_contract_twice_is_one_contract() -> None:
    assert list(by_key([FLAT, replace(FLAT), ALONE])) == [AREA, "zoom"]


def test_a_task_that_names_no_digest_gets_the_mapping_itself() -> None:
    contracts = by_key([FLAT, ALONE])
    assert contracts_of(task(), contracts) is contracts


@pytest.mark.parametrize("others", [pytest.param([ROUND, ALONE], id="shared name"), pytest.param([], id="alone")])
def test_a_task_gets_the_contract_of_its_digest_shared_and_not_copied(others: list[ToolContract]) -> None:
    found = contracts_of(task(calculate__area=contract_digest(FLAT)), by_key([FLAT, *others]))
    assert list(found) == [AREA]
    assert found[AREA] is FLAT


@pytest.mark.parametrize(
    ("named", "contracts", "said"),
    [
        pytest.param(AREA, [ALONE], "no contract of this digest", id="nothing there"),
        pytest.param(AREA, [ROUND], "calculate.area with the digest", id="another contract of the name"),
        pytest.param("zoom", [FLAT, ROUND], "under the name calculate.area", id="another name"),
    ],
)
def test_a_missing_contract_is_an_error_that_says_what_is_there(
    named: str, contracts: list[ToolContract], said: str
) -> None:
    with pytest.raises(BadInputError) as caught:
        contracts_of(task(**{named.replace(".", "__"): contract_digest(FLAT)}), by_key(contracts))
    assert said in str(caught.value)
    assert caught.value.where == "t-1"
