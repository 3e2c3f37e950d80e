from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.names import CaseId, StepId, ToolName
from fcbench.suites import check, stats
from fcbench.suites.grounding import unfounded
from fcbench.suites.similar import NEAR, grams, near_pairs, similarity
from tests.strategies import make_contract, texts
from tests.suites.tiny import CASES, SUITE, load, registries, write


def found(root: Path, **files: str | None) -> list[tuple[str, str, int]]:
    suites = load(root, subset=None, **files)
    return [(finding.rule, finding.file.rpartition("/")[2], finding.line) for finding in check(suites, registries())]


def test_a_sound_suite_has_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("files", "findings"),
    [
        pytest.param({"suite": SUITE.replace("reviewed", "pending")}, [("ethics", "suite.yaml", 9)], id="not reviewed"),
        pytest.param(
            {"suite": SUITE.replace("46d4d4db-c1be-45cd-8ad4-f514c465dd05", "x")},
            [("canary", "suite.yaml", 8)],
            id="canary",
        ),
        pytest.param(
            {"cases": CASES.replace("Show me what", "Run get_part for what")},
            [("names-a-tool", "cases.yaml", 3)],
            id="an instruction names a tool",
        ),
        pytest.param(
            {"cases": CASES.replace("place 17", "place 71")}, [("value-follows", "cases.yaml", 6)], id="another number"
        ),
        pytest.param(
            {"cases": CASES.replace("it Xmas", "it Easter")}, [("value-follows", "cases.yaml", 6)], id="another text"
        ),
        pytest.param(
            {"cases": CASES.replace("place 17", "my age, born in 2009").replace("Both values", "That is 17. They")},
            [],
            id="a number that the rationale derives",
        ),
        pytest.param({"cases": CASES.replace("t-001", "T_001")}, [("case-id", "cases.yaml", 1)], id="case id"),
        pytest.param(
            {"cases": CASES.replace("    rationale: No tool knows the moon.\n", "")},
            [("rationale", "cases.yaml", 15)],
            id="no rationale",
        ),
        pytest.param(
            {"cases": CASES + CASES.replace("t-00", "u-00").replace("landing, would", "landing, could")},
            [("near-duplicate", "cases.yaml", 21), ("near-duplicate", "cases.yaml", 31)],
            id="near-duplicates",
        ),
        pytest.param(
            {"suite": SUITE + "targets: {mix: {explicit: 60, noise: 30, edge: 20}}\n"},
            [("mix", "suite.yaml", 11)],
            id="targets that do not add up",
        ),
        pytest.param(
            {"suite": SUITE + "targets: {mix: {explicit: 0, noise: 0, edge: 100}}\n"},
            [],
            id="one case more or less is allowed",
        ),
    ],
)
def test_each_gate_finds_its_fault_and_nothing_else(
    tmp_path: Path, files: dict[str, str], findings: list[tuple[str, str, int]]
) -> None:
    assert found(tmp_path, **files) == findings


def test_a_mix_that_misses_its_target_is_found(tmp_path: Path) -> None:
    words = ("alder", "beech", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper", "kauri", "larch")
    cases = "".join(
        f"- id: m-{index:03}\n  task: {{instruction: {word * 3} {word[::-1] * 4}?}}\n"
        f"  oracle:\n    decision: no_call\n    rationale: r\n"
        f"    labels: {{category: c, mix: {'noise' if index < 2 else 'explicit'}}}\n"
        for index, word in enumerate(words)
    )
    targets = "targets: {mix: {explicit: 60, noise: 25, edge: 15}}\n"
    assert found(tmp_path, cases=cases, suite=SUITE + targets) == [("mix", "suite.yaml", 11)] * 2


def test_a_pair_within_one_suite_is_found(tmp_path: Path) -> None:
    cases = CASES.replace("category: parts", "category: parts, pair: p1")
    assert found(tmp_path, cases=cases) == [("pair", "cases.yaml", 10), ("pair", "cases.yaml", 18)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "Cut between 36,000 and 46,000 on the reverse strand",
            "Cut between 36,000 and 48,000 on the reverse strand",
            id="one number",
        ),
        pytest.param(
            "Meld de aanvraag van De Vries voor 350.000 euro, looptijd dertig jaar, annuïtair",
            "Meld de aanvraag van Jansen voor 350.000 euro, looptijd dertig jaar, annuïtair",
            id="one name",
        ),
        pytest.param("Show  THE genome", "show the genome", id="case and white space"),
    ],
)
def test_instructions_that_differ_in_one_word_are_near_duplicates(one: str, other: str) -> None:
    assert [pair[:2] for pair in near_pairs([("a", one), ("b", other)])] == [("a", "b")]


def test_two_requests_for_one_thing_in_other_words_are_no_near_duplicates() -> None:
    one = "Cut the genome with EcoRI and tell me how long the pieces are."
    other = "If I digest this sequence using BamHI, which fragment sizes should I expect on the gel?"
    assert not list(near_pairs([("a", one), ("b", other)]))


def test_two_suites_with_one_canary_are_found(tmp_path: Path) -> None:
    write(
        tmp_path, **{"other/suite.yaml": SUITE.replace("tiny", "other"), "other/a.yaml": CASES.replace("t-00", "o-00")}
    )
    assert found(tmp_path) == [("canary", "suite.yaml", 8)]


def test_a_suite_without_cases_is_found(tmp_path: Path) -> None:
    assert found(tmp_path, cases="[]\n") == [("cases", "suite.yaml", 1)]


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        pytest.param("vanaf € 350.000,50 graag", 350000.5, id="Dutch amount"),
        pytest.param("from $350,000.50 please", 350000.5, id="English amount"),
        pytest.param("350 000 euro", 350000, id="blank as thousands mark"),
        pytest.param("looptijd 30 jaar", 360, id="years as months"),
        pytest.param("a stretch of 12 kb", 12000, id="kilobases"),
        pytest.param("38 % GC", 0.38, id="per cent"),
        pytest.param("twelve of them", 12, id="number word"),
        pytest.param("drie stuks", 3, id="Dutch number word"),
        pytest.param("down to minus 5", -5, id="sign in words"),
        pytest.param("geboren op 3 mei 1984", "1984-05-03", id="Dutch date in words"),
        pytest.param("born 03/05/1984", "1984-05-03", id="numeric date"),
        pytest.param("on June 9th, '31, that is 9 June 2031", "2031-06-09", id="English date"),
        pytest.param("dossier dos 12345", "DOS-12345", id="identifier with other marks"),
        pytest.param("the gene LACZ", "lacZ", id="case"),
        pytest.param("acgt ACG", "ACGTACG", id="spaced letters"),
        pytest.param("anything", "+", id="short signs are not looked for"),
        pytest.param("Zoë\u0308s straat".replace("ë\u0308", "e\u0308"), "Zoës", id="composed letters"),
    ],
)
def test_values_are_found_however_people_write_them(instruction: str, value: object) -> None:
    assert not list(missing(instruction, value))


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        pytest.param("vanaf 350.000 euro", 340000, id="another amount"),
        pytest.param("born 3 May 1984", "1984-06-03", id="another month"),
        pytest.param("born 3 May 1984", "1985-05-03", id="another year"),
        pytest.param("the gene lacZ", "lacY", id="another gene"),
        pytest.param("nothing of the kind", 7, id="no number"),
    ],
)
def test_values_that_are_not_there_are_named(instruction: str, value: object) -> None:
    assert list(missing(instruction, value)) == [(("x",), value)]


def missing(instruction: str, value: object) -> list[object]:
    contract = make_contract(parameters={"type": "object", "properties": {"x": {}}})
    call = ExpectedCall(step=StepId("s1"), tool=ToolName("get_part"), arguments={"x": value})
    oracle = Oracle(decision="call", calls=(call,), labels=Labels(category="c"))
    task = Task(id=CaseId("a"), instruction=instruction, language="en", registry="r")
    return list(unfounded(Case(suite="s", task=task, oracle=oracle), call, contract))


def test_chosen_values_references_and_defaults_are_not_looked_for() -> None:
    contract = make_contract(
        parameters={
            "type": "object",
            "properties": {
                "e": {"enum": ["FAR_AWAY"]},
                "d": {"type": "integer", "default": 99},
                "f": {},
                "o": {},
                "b": {},
            },
        }
    )
    arguments: dict[str, object] = {"e": "FAR_AWAY", "d": 99, "f": {"$from": {"step": "s0"}}, "o": "omitted", "b": True}
    call = ExpectedCall(step=StepId("s1"), tool=ToolName("get_part"), arguments=arguments, may_omit=("o",))
    oracle = Oracle(decision="call", calls=(call,), labels=Labels(category="c"))
    task = Task(id=CaseId("a"), instruction="Now.", language="en", registry="r")
    assert list(unfounded(Case(suite="s", task=task, oracle=oracle), call, contract)) == []


@given(texts, texts)
@settings(max_examples=60, deadline=None)
def test_similarity_is_symmetric_between_0_and_1_and_1_for_equal_texts(one: str, other: str) -> None:
    assert similarity(grams(one), grams(one)) == 1
    assert 0 <= similarity(grams(one), grams(other)) == similarity(grams(other), grams(one)) <= 1


@given(st.lists(st.text("abc ", max_size=30), max_size=8))
@settings(max_examples=60, deadline=None)
def test_skipping_by_size_loses_no_pair(several: list[str]) -> None:
    named = [(str(index), text) for index, text in enumerate(several)]
    slow = {
        (one, other)
        for index, (one, first) in enumerate(named)
        for other, second in named[index + 1 :]
        if similarity(grams(first), grams(second)) >= NEAR
    }
    assert {(one, other) for one, other, _ in near_pairs(named)} == slow


def test_the_composition_counts_what_is_there(tmp_path: Path) -> None:
    composition = stats(load(tmp_path))["tiny"]
    assert composition.cases == 2
    assert composition.decisions == {"call": 1, "unavailable": 1}
    assert composition.mix == {"edge": 1, "explicit": 1}
    assert composition.levels == {"L1": 2}
    assert composition.exercised_levels == {"L1": 1, "none": 1}
    assert composition.traps == {"off_by_one": 1}
    assert composition.tools == {"get_part": 1}
    assert composition.calls == {"1": 1}
