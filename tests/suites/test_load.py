from __future__ import annotations

from pathlib import Path

import pytest

from fcbench.core.cases import contains_comparator
from fcbench.core.findings import errors_of
from fcbench.errors import NotFoundError, SuiteError
from fcbench.registry import load_registries, make_registry
from fcbench.suites import check, load_suites, stats
from tests.strategies import make_contract
from tests.suites.tiny import CASES, COLLECTIONS, SUBSET, SUITE, load, one_case, registries, write

ROOT = Path(__file__).parents[2]
LABELS = "labels: {category: c}"


def refused(root: Path, **files: str | None) -> SuiteError:
    with pytest.raises(SuiteError) as caught:
        load(root, **files)
    return caught.value


def call(arguments: str, *, tool: str = "get_part", more: str = "") -> str:
    """A file with one case that expects one call."""
    return one_case(f"{{decision: call, {LABELS}, calls: [{{tool: {tool}, arguments: {arguments}{more}}}]}}")


def test_the_committed_suites_load_and_pass_their_gates() -> None:
    tools = load_registries(ROOT / "tools_registry")
    suites = load_suites(ROOT / "suites", tools)
    assert suites.cases
    assert [str(finding) for finding in errors_of(check(suites, tools))] == []
    for name in suites.case_sets:
        assert suites.case_set(name)
    assert sum(each.cases for each in stats(suites).values()) == len(suites.cases)


def test_a_suite_gives_its_defaults_to_each_task(tmp_path: Path) -> None:
    suites = load(tmp_path)
    task = suites.case_set("tiny")[0].task
    assert (task.language, task.registry, task.fixture) == ("en", "parts", "phage")
    assert (task.single_call, task.time_limit_s, task.tools) == (True, 60, ())
    assert suites.case_set("tiny")[1].task.tools == ("get_part",)
    assert all(case.canary.startswith("fcbench canary") and case.suite == "tiny" for case in suites.case_set("all"))


def test_a_task_overrides_the_defaults(tmp_path: Path) -> None:
    task = "{instruction: Doe het., language: nl, fixture: null, single_call: false, time_limit_s: 5, context: Niets.}"
    text = one_case(
        f"{{decision: unavailable, {LABELS}}}", task=task, more="  harnesses: [workbench]\n  held_out: true\n"
    )
    case = load(tmp_path, cases=text, subset=None).case_set("tiny")[0]
    assert (case.task.language, case.task.fixture, case.task.single_call, case.task.time_limit_s) == (
        "nl",
        None,
        False,
        5,
    )
    assert (case.harnesses, case.held_out, case.task.context) == (("workbench",), True, "Niets.")


def test_steps_get_names_and_blocks_get_numbers(tmp_path: Path) -> None:
    text = one_case(
        f"""
    decision: call
    {LABELS}
    calls:
      - {{tool: get_part, arguments: {{start: 1}}}}
      - any_order:
          - {{tool: get_part, arguments: {{start: 2}}}}
          - {{tool: get_whole, step: all, arguments: {{start: 3}}, after: [s1]}}
      - any_order:
          - {{tool: get_part, arguments: {{start: {{$from: {{step: all, pointer: /start}}}}}}}}
    alternatives:
      - - {{tool: get_whole, arguments: {{start: 9}}}}
"""
    )
    oracle = load(tmp_path, cases=text, subset=None).case_set("tiny")[0].oracle
    assert [(each.step, each.block) for each in oracle.calls] == [("s1", None), ("s2", 1), ("all", 1), ("s4", 2)]
    assert oracle.calls[2].after == ("s1",)
    assert [[each.step for each in run] for run in oracle.alternatives] == [["s1"]]
    assert contains_comparator(oracle.calls[3].arguments)


@pytest.mark.parametrize(
    ("arguments", "tool", "level", "exercised"),
    [
        pytest.param("{start: 17}", "get_part", "L1", "L1", id="flat"),
        pytest.param("{rows: [{kind: a}]}", "file_rows", "L2", "L2", id="rows"),
        pytest.param("{rows: {$set: [{kind: a}]}}", "file_rows", "L2", "L2", id="rows in any order"),
    ],
)
def test_levels_are_computed(tmp_path: Path, arguments: str, tool: str, level: str, exercised: str) -> None:
    labels = load(tmp_path, cases=call(arguments, tool=tool), subset=None).case_set("tiny")[0].oracle.labels
    assert (labels.level, labels.exercised_level) == (level, exercised)


def test_a_case_without_calls_has_the_level_of_the_offered_tools(tmp_path: Path) -> None:
    labels = load(tmp_path).case_set("tiny")[1].oracle.labels
    assert (labels.level, labels.exercised_level) == ("L1", None)


def test_a_collection_and_a_subset_name_their_cases_sorted(tmp_path: Path) -> None:
    suites = load(tmp_path)
    assert [case.id for case in suites.case_set("all/quick")] == ["t-001", "t-002"]
    assert suites.case_sets == ("all", "all/quick", "tiny")
    assert suites.subsets["quick"].cases == {"all": ("t-001", "t-002")}


@pytest.mark.parametrize("name", ["al", "all/quik", "tiny/quick", "", "/", "all/", "all/quick/x"])
def test_an_unknown_case_set_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFoundError, match="no suite, collection or subset"):
        load(tmp_path).case_set(name)


def test_a_misspelt_case_set_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        load(tmp_path).case_set("all/quik")
    assert caught.value.next_step == "did you mean all/quick?"


C = "suites/tiny/cases.yaml"


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        pytest.param(
            call("{start: 1}", tool="get_prat"),
            f"{C}:3, field /0/oracle/calls/0/tool",
            "did you mean get_part?",
            id="unknown tool",
        ),
        pytest.param(call("{label: a}"), f"{C}:3, field /0/oracle/calls/0/arguments", "required", id="missing key"),
        pytest.param(
            call("{start: 1, lable: x}"),
            f"{C}:3, field /0/oracle/calls/0/arguments/lable",
            "did you mean label?",
            id="unknown key",
        ),
        pytest.param(
            call("{start: 0}"), f"{C}:3, field /0/oracle/calls/0/arguments/start", "minimum", id="out of range"
        ),
        pytest.param(
            call("{start: {$one_of: [1, 0]}}"),
            f"{C}:3, field /0/oracle/calls/0/arguments/start",
            "minimum",
            id="second alternative out of range",
        ),
        pytest.param(
            call("{rows: [{kind: b}]}", tool="file_rows"),
            f"{C}:3, field /0/oracle/calls/0/arguments/rows/0/kind",
            "enum",
            id="deep enum",
        ),
        pytest.param(
            call("{start: {$near: 1}}"),
            f"{C}:3, field /0/oracle/calls/0/arguments",
            "does not exist",
            id="unknown comparator",
        ),
        pytest.param(
            call("{start: {$tolerance: {value: 1}}}"),
            f"{C}:3, field /0/oracle/calls/0/arguments/start",
            "distance",
            id="comparator without its body",
        ),
        pytest.param(
            call('{start: 1, label: {$regex: {pattern: "(", example: a}}}'),
            f"{C}:3, field /0/oracle/calls/0/arguments/label",
            "written wrongly",
            id="broken pattern",
        ),
        pytest.param(
            call("{start: {$from: {step: s2, pointer: /a}}}"),
            f"{C}:3, field /0/oracle/calls/0/arguments",
            "unknown or comes later",
            id="reference to a later step",
        ),
        pytest.param(
            call("{start: {$from: {step: s1, pointer: /a}}}"),
            f"{C}:3, field /0/oracle/calls/0/arguments",
            "unknown or comes later",
            id="reference to itself",
        ),
        pytest.param(
            call("{start: 1}", more=", after: [s0]"),
            f"{C}:3, field /0/oracle/calls/0/after",
            "unknown or comes later",
            id="after an unknown step",
        ),
        pytest.param(
            call("{start: 1}", more=", may_omit: [label]"),
            f"{C}:3, field /0/oracle/calls/0/may_omit/0",
            "not among",
            id="may_omit of nothing",
        ),
        pytest.param(
            call("{start: 1}", more=", may_omit: [start]"),
            f"{C}:3, field /0/oracle/calls/0/may_omit/0",
            "requires",
            id="may_omit of a required key",
        ),
        pytest.param(
            call("{start: 1}", more=", block: 1"),
            f"{C}:3, field /0/oracle/calls/0/block",
            "any_order",
            id="block by hand",
        ),
        pytest.param(
            call("{start: 1}", more=", toool: x"),
            f"{C}:3, field /0/oracle/calls/0/toool",
            "unknown field",
            id="unknown field of a call",
        ),
        pytest.param(
            call("[1]"), f"{C}:3, field /0/oracle/calls/0/arguments", "Expected `object`", id="arguments as a list"
        ),
        pytest.param(
            one_case(f"{{decision: call, {LABELS}}}"),
            f"{C}:3, field /0/oracle",
            "needs expected calls",
            id="call without calls",
        ),
        pytest.param(
            one_case(f"{{decision: call, {LABELS}, calls: 3}}"),
            f"{C}:3, field /0/oracle/calls",
            "list is wanted",
            id="calls as a number",
        ),
        pytest.param(
            one_case(f"{{decision: call, {LABELS}, calls: [3]}}"),
            f"{C}:3, field /0/oracle/calls/0",
            "is a mapping",
            id="call as a number",
        ),
        pytest.param(
            one_case(f"{{decision: ask, {LABELS}, calls: [{{tool: get_part, arguments: {{start: 1}}}}]}}"),
            f"{C}:3, field /0/oracle/calls",
            "no expected calls",
            id="ask with calls",
        ),
        pytest.param(
            one_case(f"{{decision: ask, {LABELS}}}"), f"{C}:3, field /0/oracle/labels", "missing", id="ask for nothing"
        ),
        pytest.param(
            one_case(f"{{decision: maybe, {LABELS}}}"),
            f"{C}:3, field /0/oracle/decision",
            "maybe",
            id="unknown decision",
        ),
        pytest.param(
            one_case("{decision: no_call, labels: {category: c, traps: [of_by_one]}}"),
            f"{C}:3, field /0/oracle/labels/traps/0",
            "did you mean off_by_one?",
            id="unknown trap",
        ),
        pytest.param(
            one_case("{decision: no_call, labels: {category: c, level: L1}}"),
            f"{C}:3, field /0/oracle/labels/level",
            "never written",
            id="level by hand",
        ),
        pytest.param(
            one_case("{decision: no_call, labels: {category: c, mix: nois}}"),
            f"{C}:3, field /0/oracle/labels/mix",
            "nois",
            id="unknown mix",
        ),
        pytest.param(
            one_case("{decision: no_call, labels: {category: c, lookalikes: [get_hole]}}"),
            f"{C}:3, field /0/oracle/labels/lookalikes/0",
            "get_whole",
            id="unknown lookalike",
        ),
        pytest.param(one_case("{decision: no_call}"), f"{C}:3, field /0/oracle", "labels", id="no labels"),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", task="{instruction: ' '}"),
            f"{C}:2, field /0/task/instruction",
            "empty",
            id="empty instruction",
        ),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", task="{}"),
            f"{C}:2, field /0/task",
            "instruction",
            id="no instruction",
        ),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", task="{instruction: a, id: b}"),
            f"{C}:2, field /0/task/id",
            "beside task",
            id="id inside the task",
        ),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", task="{instruction: a, tools: [non]}"),
            f"{C}:2, field /0/task/tools/0",
            "does not exist",
            id="unknown offered tool",
        ),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", task="{instruction: a, registry: part}"),
            f"{C}:2, field /0/task/registry",
            "did you mean parts?",
            id="unknown registry",
        ),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", more="  helt_out: true\n"),
            f"{C}:3, field /0/helt_out",
            "did you mean held_out?",
            id="unknown field of a case",
        ),
        pytest.param(
            one_case(f"{{decision: no_call, {LABELS}}}", more="  harnesses: [bench]\n"),
            f"{C}:3, field /0/harnesses/0",
            "bench",
            id="unknown harness",
        ),
        pytest.param(
            "- id: t-001\n  task: {instruction: a}\n", f"{C}:1, field /0", "oracle is missing", id="no oracle"
        ),
        pytest.param("- task: {instruction: a}\n", f"{C}:1, field /0", "needs an id", id="no id"),
        pytest.param("- 3\n", f"{C}:1, field /0", "mapping", id="case as a number"),
        pytest.param("id: t-001\n", f"{C}:1", "one list", id="no list"),
        pytest.param(CASES + CASES, f"{C}:19, field /2/id", f"{C}:1", id="duplicate id"),
        pytest.param(CASES + "\t- id: x\n", f"{C}:19", "tab", id="tab"),
    ],
)
def test_a_broken_case_gives_file_line_and_field(tmp_path: Path, text: str, where: str, words: str) -> None:
    error = refused(tmp_path, cases=text, subset=None)
    assert str(error.where) == where
    assert words in str(error)


@pytest.mark.parametrize(
    "part", [{"$ref": "#/$defs/none"}, {"type": "nonsense"}, {"pattern": "("}], ids=["reference", "type", "pattern"]
)
def test_a_tool_with_a_broken_schema_is_named_where_a_case_offers_it(tmp_path: Path, part: object) -> None:
    broken = make_contract(name="get_part", parameters={"type": "object", "properties": {"a": part}})
    root = write(tmp_path, subset=None, cases=CASES[CASES.index("- id: t-002") :])
    with pytest.raises(SuiteError, match="broken schema") as caught:
        load_suites(root, {"parts": make_registry("parts", [broken])})
    assert caught.value.where == f"{C}:4, field /0/task/tools/0"


def test_an_expected_tool_must_be_offered(tmp_path: Path) -> None:
    oracle = f"{{decision: call, {LABELS}, calls: [{{tool: get_part, arguments: {{start: 1}}}}]}}"
    error = refused(tmp_path, cases=one_case(oracle, task="{instruction: a, tools: [get_whole]}"), subset=None)
    assert "not among the tools" in str(error)


def test_two_steps_of_one_name_are_refused(tmp_path: Path) -> None:
    step = "{step: a, tool: get_part, arguments: {start: 1}}"
    error = refused(tmp_path, cases=one_case(f"{{decision: call, {LABELS}, calls: [{step}, {step}]}}"), subset=None)
    assert (error.where, "used twice" in str(error)) == (f"{C}:3, field /0/oracle/calls/1/step", True)


def test_any_order_stands_alone(tmp_path: Path) -> None:
    oracle = f"{{decision: call, {LABELS}, calls: [{{any_order: [], tool: get_part}}]}}"
    assert "stands alone" in str(refused(tmp_path, cases=one_case(oracle), subset=None))


def test_a_duplicate_id_in_another_suite_names_both_places(tmp_path: Path) -> None:
    root = write(tmp_path, subset=None)
    write(tmp_path, **{"other/suite.yaml": SUITE.replace("tiny", "other"), "other/a.yaml": CASES})
    with pytest.raises(SuiteError, match="used twice") as caught:
        load_suites(root, registries())
    assert caught.value.where == "suites/tiny/cases.yaml:1, field /0/id"
    assert "suites/other/a.yaml:1" in str(caught.value.found)


def test_the_schema_check_passes_over_references_only(tmp_path: Path) -> None:
    first = "{tool: get_part, arguments: {start: 1}}"
    good = "{tool: file_rows, arguments: {rows: [{kind: a, size: {$from: {step: s1, pointer: /n}}}]}}"
    bad = "{tool: file_rows, arguments: {rows: [{kind: z, size: {$from: {step: s1, pointer: /n}}}]}}"
    suites = load(tmp_path, cases=one_case(f"{{decision: call, {LABELS}, calls: [{first}, {good}]}}"), subset=None)
    assert len(suites.cases) == 1
    error = refused(tmp_path, cases=one_case(f"{{decision: call, {LABELS}, calls: [{first}, {bad}]}}"), subset=None)
    assert str(error.where).endswith("/arguments/rows/0/kind")


def test_a_step_may_need_another_one_of_its_free_block(tmp_path: Path) -> None:
    one, two = "{step: a, tool: get_part, arguments: {start: 1}}", "{tool: get_part, arguments: {start: 2}, after: [a]}"
    block = f"{{any_order: [{one}, {two}]}}"
    suites = load(tmp_path, cases=one_case(f"{{decision: call, {LABELS}, calls: [{block}]}}"), subset=None)
    assert suites.case_set("tiny")[0].oracle.calls[1].after == ("a",)


@pytest.mark.parametrize(
    ("files", "where", "words"),
    [
        pytest.param({"suite": None}, "suites/tiny/", "describes it", id="no suite.yaml"),
        pytest.param({"suite": "- a\n"}, "suites/tiny/suite.yaml:1", "one mapping", id="suite as a list"),
        pytest.param(
            {"suite": SUITE.replace("suite: tiny", "suite: tin")},
            "suites/tiny/suite.yaml:1, field /suite",
            "like its folder",
            id="another name",
        ),
        pytest.param(
            {"suite": SUITE.replace("parts", "prats")},
            "suites/tiny/suite.yaml:3, field /registry",
            "did you mean parts?",
            id="unknown registry",
        ),
        pytest.param(
            {"suite": SUITE + "colour: red\n"},
            "suites/tiny/suite.yaml:11, field /colour",
            "unknown field",
            id="unknown field",
        ),
        pytest.param(
            {"suite": SUITE.replace("reviewed", "yes")},
            "suites/tiny/suite.yaml:9, field /ethics",
            "yes",
            id="unknown ethics",
        ),
        pytest.param({"collections": "a: 1\n"}, "suites/collections.yaml:1", "one mapping", id="collections"),
        pytest.param(
            {"collections": COLLECTIONS.replace("[tiny]", "[tony]")},
            "suites/collections.yaml:4, field /collections/all/suites/0",
            "did you mean tiny?",
            id="unknown suite",
        ),
        pytest.param(
            {"collections": COLLECTIONS.replace("lexical:24", "lexical:0")},
            "suites/collections.yaml:7, field /collections/all/retrieval",
            "lexical:K",
            id="retrieval",
        ),
        pytest.param(
            {"collections": COLLECTIONS.replace("native-function-contract", "real-tool-execution")},
            "suites/collections.yaml:8, field /collections/all/headline_tier",
            "no evidence",
            id="tier without evidence",
        ),
        pytest.param(
            {"collections": COLLECTIONS + "    repeats: 0\n"},
            "suites/collections.yaml:9, field /collections/all/repeats",
            "at least 1",
            id="no repeat",
        ),
        pytest.param(
            {"collections": COLLECTIONS.replace("harness: contract", "harness: bench")},
            "suites/collections.yaml:5, field /collections/all/harness",
            "bench",
            id="unknown harness",
        ),
        pytest.param(
            {"collections": COLLECTIONS.replace("  all:", "  All/x:")},
            "suites/collections.yaml:2, field /collections/All~1x",
            "lower case",
            id="name of a collection",
        ),
        pytest.param(
            {"subset": SUBSET.replace("quick", "fast")},
            "suites/subsets/quick.yaml:1, field /subset",
            "like the subset",
            id="another name than the file",
        ),
        pytest.param(
            {"subset": SUBSET.replace("t-001", "t-003")},
            "suites/subsets/quick.yaml:2, field /collections/all/1",
            "did you mean",
            id="unknown case",
        ),
        pytest.param(
            {"subset": SUBSET.replace("t-001", "t-002")},
            "suites/subsets/quick.yaml:2, field /collections/all/1",
            "twice",
            id="case twice",
        ),
        pytest.param(
            {"subset": SUBSET.replace("all", "al")},
            "suites/subsets/quick.yaml:2, field /collections/al",
            "did you mean all?",
            id="unknown collection",
        ),
        pytest.param(
            {"subset": "subset: quick\ncollection: all\ncases: []\n"},
            "suites/subsets/quick.yaml:3, field /cases",
            "at least one",
            id="empty subset",
        ),
        pytest.param(
            {"subset": "subset: quick\ncases: [t-001]\n"},
            "suites/subsets/quick.yaml:1",
            "names its collections",
            id="subset of nothing",
        ),
        pytest.param({"subset": "- a\n"}, "suites/subsets/quick.yaml:1", "a mapping", id="subset as a list"),
        pytest.param(
            {"subset": SUBSET + "sed: 7\n"},
            "suites/subsets/quick.yaml:3, field /sed",
            "no field sed",
            id="unknown field of a subset",
        ),
    ],
)
def test_a_broken_suite_collection_or_subset_gives_file_line_and_field(
    tmp_path: Path, files: dict[str, str | None], where: str, words: str
) -> None:
    error = refused(tmp_path, **files)
    assert str(error.where) == where
    assert words in str(error)


def test_a_subset_of_one_list_splits_its_cases_over_its_collections(tmp_path: Path) -> None:
    both = COLLECTIONS + COLLECTIONS.replace("collections:\n", "").replace("  all:", "  again:")
    text = "subset: quick\ncollections: [all, again]\nseed: 7\ncases: [t-002]\n"
    subset = load(tmp_path, collections=both, subset=text).subsets["quick"]
    assert subset.cases == {"all": ("t-002",), "again": ("t-002",)}
    assert subset.seed == 7


def test_a_case_outside_the_collection_is_no_member_of_its_subset(tmp_path: Path) -> None:
    write(
        tmp_path, **{"other/suite.yaml": SUITE.replace("tiny", "other"), "other/a.yaml": CASES.replace("t-00", "o-00")}
    )
    error = refused(tmp_path, subset="subset: quick\ncollection: all\ncases: [t-001, o-001]\n")
    assert (error.where, error.found) == ("suites/subsets/quick.yaml:3, field /cases/1", "suite other")


def test_no_suites_at_all_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "suites" / "subsets").mkdir(parents=True)
    for root in (tmp_path / "suites", tmp_path / "none"):
        with pytest.raises(NotFoundError, match="no suite was found"):
            load_suites(root, registries())


def test_collections_and_subsets_may_be_absent(tmp_path: Path) -> None:
    suites = load(tmp_path, collections=None, subset=None)
    assert (suites.collections, suites.subsets, suites.case_sets) == ({}, {}, ("tiny",))
