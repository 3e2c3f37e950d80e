"""Imported tasks end to end: two contracts of one name, each case judged by its own, names mapped on the wire."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.aggregate.verdict_files import read_verdicts
from fcbench.core.contracts import contract_digest, contracts_of
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import ToolName
from fcbench.core.records import encode_line
from fcbench.errors import SuiteError, UsageError
from fcbench.export.conversation import offered_tools
from fcbench.packages.header_facts import offer_problems, whole_contracts
from fcbench.packages.replay import call_problems
from fcbench.packages.store import Package
from fcbench.registry import Registry, check_lock, load_registry, write_lock
from fcbench.site.attempt_page import attempt_pages
from fcbench.site.load import load_site
from fcbench.workflows.judge_cases import judge_cases
from fcbench.workflows.project import Material, Project, load
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import judge_package, score
from fcbench.workflows.verify import verify

AREA = ToolName("calculate.area")
CONTRACT = """\
name: calculate.area
version: 1
category: geometry
description: Calculates the area of a {shape}.
effect: reads
capability: area
imported_from: a list of functions
parameters:
  type: object
  properties: {{{properties}}}
  required: [{required}]
  additionalProperties: false
returns: {{type: object, properties: {{area: {{type: number}}}}, required: [area], additionalProperties: false}}
"""
RECTANGLE = CONTRACT.format(
    shape="rectangle", properties="width: {type: integer}, height: {type: integer}", required="width, height"
)
CIRCLE = CONTRACT.format(shape="circle", properties="radius: {type: integer}", required="radius")
SUITE = """\
suite: shapes
title: Shapes
registry: imported
language: en
canary: fcbench canary 0d5c4b0e-5d3a-4f6c-8b4e-3d1a9f5f7c11
ethics: reviewed
harnesses: [contract]
"""
CASE = """\
- id: {id}
  task:
    instruction: {instruction}
    tools: [calculate.area]
    contracts: {{calculate.area: "{digest}"}}
  oracle:
    decision: call
    calls:
      - tool: calculate.area
        arguments: {arguments}
    rationale: The numbers stand in the words.
    labels: {{category: geometry}}
"""
COLLECTIONS = """\
collections:
  imported:
    title: Imported
    suites: [shapes]
    harness: contract
    mode: production-parity
    retrieval: given
    headline_tier: native-function-contract
"""


def cases_of(rectangle: str, circle: str) -> str:
    wide = CASE.format(
        id="a-rectangle",
        instruction="How large is a field of 3 by 4 metres?",
        digest=rectangle,
        arguments="{width: 3, height: 4}",
    )
    return wide + CASE.format(
        id="a-circle", instruction="How large is a pond of radius 5?", digest=circle, arguments="{radius: 5}"
    )


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def registry_of(root: Path) -> tuple[Registry, str, str]:
    """The registry, and the digests of the rectangle's and the circle's contract."""
    registry = load_registry(root / "tools_registry" / "imported")
    digests = {"radius" in one.properties: contract_digest(one) for one in registry.contracts.values()}
    return registry, digests[False], digests[True]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("imported")
    write(root, "tools_registry/imported/rectangle.yaml", RECTANGLE)
    write(root, "tools_registry/imported/circle.yaml", CIRCLE)
    write(root, "suites/shapes/suite.yaml", SUITE)
    write(root, "suites/shapes/cases.yaml", cases_of(*registry_of(root)[1:]))
    write(root, "suites/collections.yaml", COLLECTIONS)
    return Project(root=root, embedded=False)


@pytest.fixture(scope="module")
def material(project: Project) -> Material:
    return load(project)


@pytest.fixture(scope="module")
def package(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Package:
    made = run(material, RunRequest(target="imported", model="scripted:oracle"), tmp_path_factory.mktemp("runs"))
    score(made)
    return made


def test_each_case_is_judged_by_its_own_contract(package: Package) -> None:
    assert {one.name for one in package.contracts.values()} == {AREA}
    assert len(package.contracts) == 2
    verdicts = list(judge_package(package))
    assert [(one.task_id, one.tier, one.passed) for one in verdicts if not one.passed] == []
    assert {one.task_id for one in verdicts} == {"a-circle", "a-rectangle"}
    arguments = {attempt.task_id: [call.arguments for call in attempt.calls] for attempt in package.attempts()}
    assert arguments == {"a-circle": [{"radius": 5}], "a-rectangle": [{"width": 3, "height": 4}]}


def test_the_package_verifies_from_itself_and_beside_its_registry(package: Package) -> None:
    found = verify(package.folder)
    assert (found.status, found.problems, found.notes) == ("intact", (), ())
    (verdicts,) = package.folder.glob("verdicts-*.parquet")
    assert len(read_verdicts(verdicts)[1]) == found.verdicts == 4


def test_the_other_contract_of_the_name_gives_another_verdict(package: Package) -> None:
    circle, rectangle = package.cases["a-circle"], package.cases["a-rectangle"]  # type: ignore[index]
    swapped = replace(circle, task=replace(circle.task, contracts=rectangle.task.contracts))
    verdicts = list(judge_package(package, {circle.id: swapped}))
    assert verdicts
    assert not any(one.passed for one in verdicts)


def test_golden_runs_and_mutations_of_imported_cases_do_what_the_table_says(material: Material) -> None:
    assert [str(finding) for finding in judge_cases(material)] == []


def test_a_lock_of_the_registry_agrees(project: Project, material: Material) -> None:
    write_lock(project.tools_registry, material.registries)
    assert check_lock(project.tools_registry, material.registries) == ()


def test_names_go_out_legal_and_come_back(material: Material, tmp_path: Path) -> None:
    made = run(material, RunRequest(target="imported", model="scripted:random"), tmp_path)
    score(made)
    assert verify(made.folder).status == "intact"
    for attempt in made.attempts():
        # The control calls what it is offered, so it wrote the name on the wire.
        assert attempt.candidates == (Candidate(name=AREA, rank=1, wire_name="calculate_area"),)
        assert {call.name for call in attempt.calls} == {AREA}
        assert {call.result.status for call in attempt.calls} == {"ok"}


def renamed_on_the_wire(attempt: Attempt) -> Attempt:
    return replace(attempt, candidates=(Candidate(name=AREA, rank=1, wire_name="area"),))


def not_mapped_back(attempt: Attempt) -> Attempt:
    (first, *others) = attempt.rounds
    calls = tuple(replace(call, name="calculate_area") for call in first.calls)
    return replace(attempt, rounds=(replace(first, calls=calls), *others))


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        pytest.param(renamed_on_the_wire, "other names on the wire", id="another mapping"),
        pytest.param(not_mapped_back, "'calculate_area' is a name on the wire", id="a call under its wire name"),
    ],
)
def test_names_on_the_wire_that_do_not_follow_are_found(
    package: Package, alter: Callable[[Attempt], Attempt], said: str
) -> None:
    attempts = list(package.attempts())
    assert [*offer_problems(package, attempts), *call_problems(package, attempts)] == []
    altered = [alter(attempt) for attempt in attempts]
    problems = [*offer_problems(package, altered), *call_problems(package, altered)]
    assert len(problems) == len(altered)
    assert all(said in problem for problem in problems)


def test_one_name_for_two_contracts_is_for_imported_ones_only(package: Package, tmp_path: Path) -> None:
    assert list(whole_contracts(package)) == []
    shutil.copytree(package.folder, tmp_path / "p")
    first, second = package.contracts.values()
    lines = [encode_line(replace(first, imported_from=None)), encode_line(second)]
    (tmp_path / "p" / "contracts.jsonl").write_bytes(b"".join(lines))
    assert list(whole_contracts(Package(tmp_path / "p", package.manifest))) == ["contracts.jsonl: a tool comes twice"]


def test_an_export_holds_the_schema_that_was_offered(package: Package) -> None:
    for attempt in package.attempts():
        known = contracts_of(package.cases[attempt.task_id].task, package.contracts)
        (tool,) = json.loads(offered_tools(attempt, known))
        assert set(tool["function"]["parameters"]["properties"]) == set(attempt.calls[0].arguments or ())


@pytest.mark.parametrize("retrieval", ["lexical", "all"])
def test_retrieval_does_not_choose_among_tools_of_one_name(material: Material, tmp_path: Path, retrieval: str) -> None:
    with pytest.raises(UsageError, match="share one name") as caught:
        run(material, RunRequest(target="imported", model="scripted:null", retrieval=retrieval), tmp_path)
    assert "given" in str(caught.value.wanted)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param('    contracts: {{{name}: "{digest}"}}\n', "", "several imported tools called", id="no digest"),
        pytest.param("{digest}", "f" * 64, "no contract of this digest", id="unknown digest"),
    ],
)
def test_a_case_that_leaves_open_which_contract_it_means_is_refused(
    project: Project, tmp_path: Path, old: str, new: str, said: str
) -> None:
    shutil.copytree(project.root, tmp_path / "p")
    _, rectangle, circle = registry_of(tmp_path / "p")
    text = cases_of(rectangle, circle).replace(old.format(name=AREA, digest=circle), new)
    write(tmp_path / "p", "suites/shapes/cases.yaml", text)
    with pytest.raises(SuiteError, match=said) as caught:
        load(Project(root=tmp_path / "p", embedded=False))
    assert "suites/shapes/cases.yaml:" in str(caught.value.where)


def attempt_page(folder: Path) -> str:
    return next(page.body() for page in attempt_pages(load_site([folder])) if "a-circle" in page.path)


def test_the_attempt_page_names_the_tool_and_what_went_out(package: Package, tmp_path: Path) -> None:
    page = attempt_page(package.folder)
    assert "<code>calculate.area</code>" in page
    assert "sent as <code>calculate_area</code>" in page
    # The page of a package that lacks the contract is still a page; `fcbench verify` says what is wrong.
    shutil.copytree(package.folder, tmp_path / "p")
    (tmp_path / "p" / "contracts.jsonl").write_bytes(b"")
    assert "sent as" in attempt_page(tmp_path / "p")
