from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.cases import ExpectedCall
from fcbench.core.evidence import Attempt
from fcbench.evaluator import judge
from fcbench.evaluator.assignment import cheapest
from fcbench.evaluator.matching import match
from fcbench.evaluator.observed import Observed, observe
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.search import MAX_WORK, Search, faults_of
from tests.evaluator.world import CONTRACTS, attempt, call, case, step

COMPLETE = Rules("task-completion-contract", CONTRACTS)
STRICT = Rules("native-function-contract", CONTRACTS)


def matched(steps: tuple[ExpectedCall, ...], found: Attempt, rules: Rules = COMPLETE) -> list[int | None]:
    """Positions of the calls that stand for the steps."""
    chosen, _ = match(RunPlan(steps, rules), observed(found), rules)
    return [None if call is None else call.index for call in chosen]


def observed(found: Attempt) -> list[Observed]:
    return observe(found.rounds, (), COMPLETE)[0]


@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.lists(st.lists(st.integers(0, 9), min_size=5, max_size=5), min_size=rows, max_size=rows)
    )
)
@settings(max_examples=100, deadline=None)
def test_the_assignment_is_as_cheap_as_the_best_of_all(costs: list[list[int]]) -> None:
    total, chosen = cheapest(costs)
    assert len(set(chosen)) == len(costs)
    assert total == sum(row[column] for row, column in zip(costs, chosen, strict=True))
    assert total == min(
        sum(row[column] for row, column in zip(costs, way, strict=True)) for way in permutations(range(5), len(costs))
    )


def test_matching_is_not_greedy() -> None:
    # The first step takes either call; taking the first one would leave the second step with a wrong value.
    steps = (step("any", "search_gene", {"name": {"$one_of": ["a", "b"]}}), step("a", "search_gene", {"name": "a"}))
    found = attempt([call("search_gene", {"name": "a"}), call("search_gene", {"name": "b"})])
    assert matched(steps, found) == [1, 0]


def test_no_call_is_used_twice() -> None:
    twice = (step("one", "search_gene", {"name": "a"}), step("two", "search_gene", {"name": "a"}))
    verdict = judge(case(*twice), attempt(call("search_gene", {"name": "a"})), CONTRACTS, "contract", COMPLETE.tier)
    assert not verdict.passed
    assert verdict.partial.tool_coverage == 0.5


def test_ties_go_to_the_earliest_call() -> None:
    same = call("search_gene", {"name": "a"})
    for rules in (STRICT, COMPLETE):
        assert matched((step("one", "search_gene", {"name": "a"}),), attempt(same, same, same), rules) == [0]


def test_a_source_is_chosen_so_that_its_reference_resolves() -> None:
    # Both searches fit the first step; only the second one returned the place that the last call uses.
    steps = (
        step("find", "search_gene", {"name": {"$any": {"example": "a"}}}),
        step(
            "read",
            "get_bases",
            {"start": {"$from": {"step": "find", "pointer": "/hits", "where": {"k": 1}, "item": "/at", "offset": 2}}},
        ),
    )
    found = attempt(
        call("search_gene", {"name": "a"}, content={"hits": [{"k": 1, "at": 5}]}),
        call("search_gene", {"name": "b"}, content={"hits": [{"k": 0, "at": 1}, {"k": 1, "at": 40}]}),
        call("get_bases", {"start": 42}),
    )
    assert matched(steps, found) == [1, 2]
    assert judge(case(*steps), found, CONTRACTS, "contract", COMPLETE.tier).passed


def test_a_chain_of_references_is_resolved_in_topological_order_whatever_the_order_of_the_case() -> None:
    link = {"$from": {"step": "b", "pointer": "/at"}}
    steps = (
        step("c", "get_bases", {"start": link}),
        step("b", "get_bases", {"start": {"$from": {"step": "a", "pointer": "/at"}}}),
        step("a", "search_gene", {"name": "x"}),
    )
    found = attempt(
        call("search_gene", {"name": "x"}, content={"at": 3}),
        call("get_bases", {"start": 3}, content={"at": 8}),
        call("get_bases", {"start": 8}),
    )
    assert judge(case(*steps), found, CONTRACTS, "contract", COMPLETE.tier).passed


def test_a_circle_of_references_is_a_fault_and_no_crash() -> None:
    steps = tuple(
        step(name, "get_bases", {"start": {"$from": {"step": other, "pointer": ""}}}) for name, other in ("ab", "ba")
    )
    found = attempt(call("get_bases", {"start": 1}, content=1), call("get_bases", {"start": 1}, content=1))
    verdict = judge(case(*steps), found, CONTRACTS, "contract", COMPLETE.tier)
    assert {fault.kind for fault in verdict.faults} == {"unresolved_reference"}


def test_identical_hostile_calls_take_few_nodes() -> None:
    steps = tuple(step(f"s{index}", "get_bases", {"start": index + 1, "end": 7}) for index in range(9))
    same = call("get_bases", {"start": 3, "end": 9})
    search = Search(RunPlan(steps, STRICT), observed(attempt(*[[same] * 8] * 8)), STRICT)
    search.run()
    assert search.work <= MAX_WORK / 10


def test_hostile_chains_of_references_end() -> None:
    steps = tuple(
        step(
            f"s{index}", "get_bases", {"start": {"$from": {"step": f"s{index - 1}", "pointer": "/at"}} if index else 1}
        )
        for index in range(9)
    )
    calls = [call("get_bases", {"start": 1 + index % 5}, content={"at": 1 + (index * 7) % 6}) for index in range(64)]
    search = Search(RunPlan(steps, COMPLETE), observed(attempt(*calls)), COMPLETE)
    search.run()
    assert search.work <= MAX_WORK * 1.1


def test_a_source_that_was_called_twice_leaves_many_reads_right() -> None:
    # Both searches fit the first step; every read fits what the second one returned.
    reads = tuple(
        step(f"r{index}", "get_bases", {"start": {"$from": {"step": "find", "pointer": "/at", "offset": index}}})
        for index in range(7)
    )
    steps = (step("find", "search_gene", {"name": "a"}), *reads)
    found = attempt(
        call("search_gene", {"name": "a"}, content={"at": 500}),
        call("search_gene", {"name": "a"}, content={"at": 40}),
        [call("get_bases", {"start": 40 + index}) for index in range(7)],
    )
    assert matched(steps, found) == [1, *range(2, 9)]
    assert judge(case(*steps), found, CONTRACTS, "contract", COMPLETE.tier).passed


def _brute_force(search: Search) -> int:
    """The least cost over every way to give the calls, or none, to the steps."""
    calls = [*search.calls, *[None] * len(search.plan.steps)]
    ways = permutations(range(len(calls)), len(search.plan.steps))
    return min(search.whole_cost([calls[index] for index in way]) for way in ways)


@given(
    st.lists(st.tuples(st.integers(1, 2), st.sampled_from([None, 0, 1])), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3), st.booleans()), min_size=1, max_size=4),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_the_search_finds_what_trying_everything_finds(
    wanted: list[tuple[int, int | None]], made: list[tuple[int, int, bool]], strict: bool
) -> None:
    steps = tuple(
        step(
            f"s{index}",
            "get_bases",
            {
                "start": start
                if source is None or source >= index
                else {"$from": {"step": f"s{source}", "pointer": "/at"}}
            },
        )
        for index, (start, source) in enumerate(wanted)
    )
    rounds: list[list[object]] = []
    for start, content, joins in made:
        found = call("get_bases", {"start": start}, content={"at": content})
        if joins and rounds:
            rounds[-1].append(found)
        else:
            rounds.append([found])
    rules = STRICT if strict else COMPLETE
    search = Search(RunPlan(steps, rules), observed(attempt(*rounds)), rules)  # type: ignore[arg-type]
    search.run()
    assert faults_of(search.whole_cost(search.best)) == faults_of(_brute_force(search))


def test_identical_calls_stand_for_as_many_identical_steps() -> None:
    steps = tuple(step(f"s{index}", "search_gene", {"name": "a"}) for index in range(3))
    same = call("search_gene", {"name": "a"})
    assert judge(case(*steps), attempt([same] * 3), CONTRACTS, "contract", STRICT.tier).passed
    verdict = judge(case(*steps), attempt([same] * 5), CONTRACTS, "contract", STRICT.tier)
    assert verdict.partial.tool_coverage == 1.0
    assert [fault.kind for fault in verdict.faults] == ["duplicate_call", "duplicate_call"]
