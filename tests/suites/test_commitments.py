"""Commitments bind and hide, and a file of them that was written by somebody else does no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.names import CaseId, JsonObject, StepId, ToolName
from fcbench.errors import SuiteError
from fcbench.suites.commitments import SEALED_NAME, Commitment, commitment_of, keeps, read_sealed, revealed_in
from fcbench.suites.held_out import Secrets, read_secrets
from tests.doubles import case

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
SALT, OTHER = bytes(range(32)), bytes(range(1, 33))
GOOD = {"format": 1, "suite": "tiny", "cases": [{"id": "h-1", "commitment": "a" * 64}]}
SECRETS = {
    "format": 1,
    "suites": [
        {
            "suite": "tiny",
            "cases": [{"id": "h-1", "commitment": "a" * 64, "salt": "b" * 64}],
            "files": [{"name": "held-out.yaml", "text": "- id: h-1\n"}],
        }
    ],
}
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["format", "suite", "cases", "suites", "files", "id", "commitment", "salt", "name", "text"])


def altered(value: object, draw: st.DataObject) -> object:
    """A JSON value with one part of it replaced, dropped or added."""
    if isinstance(value, dict) and value and draw.draw(st.booleans()):
        key = draw.draw(st.sampled_from(sorted(value)))
        return {**value, key: altered(value[key], draw)}
    if isinstance(value, list) and value and draw.draw(st.booleans()):
        return [altered(value[0], draw), *value[1:]]
    if isinstance(value, dict) and draw.draw(st.booleans()):
        return {**value, draw.draw(fields): draw.draw(plain)}
    return draw.draw(plain)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda one: replace(one, task=replace(one.task, instruction="Other words.")), id="instruction"),
        pytest.param(lambda one: replace(one, task=replace(one.task, id=CaseId("t-9"))), id="id"),
        pytest.param(lambda one: replace(one, suite="other"), id="suite"),
        pytest.param(lambda one: replace(one, harnesses=("workbench",)), id="harness"),
        pytest.param(lambda one: replace(one, oracle=replace(one.oracle, calls=())), id="expected calls"),
        pytest.param(lambda one: replace(one, oracle=replace(one.oracle, rationale="Because.")), id="rationale"),
        pytest.param(
            lambda one: replace(
                one,
                oracle=replace(
                    one.oracle,
                    calls=(ExpectedCall(step=StepId("s1"), tool=ToolName("find_gene"), arguments={"gene": "lacZ"}),),
                ),
            ),
            id="one value of an argument",
        ),
    ],
)
def test_whatever_is_asked_or_right_is_committed_to(change: object) -> None:
    assert callable(change)
    changed = change(case(1))
    assert isinstance(changed, Case)
    assert commitment_of(changed, SALT) != commitment_of(case(1), SALT)


def test_what_fcbench_computes_is_not_committed_to() -> None:
    labels = replace(case(1).oracle.labels, level="L4", exercised_level="L2")
    later = replace(
        case(1), held_out=True, canary="x", oracle=replace(case(1).oracle, labels=labels, end_state={"a": 1})
    )
    assert commitment_of(later, SALT) == commitment_of(case(1), SALT)


def test_the_same_case_under_another_salt_has_another_commitment() -> None:
    assert commitment_of(case(1), SALT) != commitment_of(case(1), OTHER)


def test_a_revealed_case_is_held_against_its_commitment() -> None:
    published = Commitment(id=case(1).id, commitment=commitment_of(case(1), SALT), salt=SALT.hex())
    assert keeps(case(1), published, where="here")
    assert not keeps(case(2), published, where="here")
    assert not keeps(case(1), replace(published, salt=OTHER.hex()), where="here")
    with pytest.raises(SuiteError, match="salt"):
        keeps(case(1), replace(published, salt=None), where="here")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"format": 2}, "a form that this release does not know", id="a later form"),
        pytest.param({"suite": "other"}, "of another suite", id="another suite"),
        pytest.param({"cases": GOOD["cases"] * 2}, "sealed twice", id="a case twice"),  # type: ignore[operator]
        pytest.param({"cases": [{"id": "h", "commitment": "A" * 64}]}, "commitment does not read", id="capitals"),
        pytest.param({"cases": [{"id": "h", "commitment": "a" * 63}]}, "commitment does not read", id="too short"),
        pytest.param(
            {"cases": [{"id": "h", "commitment": "a" * 64, "salt": "b"}]}, "salt does not read", id="a short salt"
        ),
        pytest.param({"more": 1}, "do not read as they should", id="an unknown field"),
    ],
)
def test_a_file_of_commitments_that_is_wrong_is_refused_by_name(
    tmp_path: Path, change: JsonObject, message: str
) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / SEALED_NAME).write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(SuiteError, match=message) as caught:
        read_sealed(folder, "suites/tiny/sealed.json")
    assert "suites/tiny/sealed.json" in (caught.value.where or "")


@given(st.data())
@settings(suppress_health_check=QUIET, max_examples=200, deadline=None)
def test_any_file_of_commitments_reads_or_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir(exist_ok=True)
    (folder / SEALED_NAME).write_text(json.dumps(altered(GOOD, data)))
    try:
        found = read_sealed(folder, "sealed.json")
    except SuiteError:
        return
    assert found is not None
    assert all(len(bytes.fromhex(one.commitment)) == 32 for one in found.cases)
    assert set(revealed_in(tmp_path)) == {one.id for one in found.cases if one.salt}


@given(st.data())
@settings(suppress_health_check=QUIET, max_examples=200, deadline=None)
def test_any_secret_file_reads_or_is_refused_without_quoting_it(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "secrets.json"
    path.write_text(json.dumps(altered(SECRETS, data)))
    try:
        found = read_secrets(path)
    except SuiteError as error:
        assert "- id: h-1" not in str(error)
        assert "b" * 64 not in str(error)
        return
    assert isinstance(found, Secrets)
    for suite in found.suites:
        places = [(tmp_path / suite.suite / file.name).resolve() for file in suite.files]
        assert all(place.parent == (tmp_path / suite.suite).resolve() for place in places)
        assert all(place.suffix == ".yaml" and place.name != "suite.yaml" for place in places)
