"""Reading one case: suite defaults filled in, steps named, expected calls checked, levels computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import msgspec

from fcbench.core.canonical import pointer, resolve_pointer
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.difficulty import difficulty
from fcbench.core.exercised import exercised_level
from fcbench.core.names import JsonObject, JsonValue, Level, ToolName
from fcbench.core.yaml12 import Document
from fcbench.errors import BadInputError
from fcbench.suites.expected import check_calls, find_tool, variants
from fcbench.suites.model import Suite, nearest

CASE_FIELDS = ("id", "task", "oracle", "harnesses", "requires", "held_out")
TASK_DEFAULTS = ("language", "registry", "fixture", "single_call", "tools", "time_limit_s")
"""Fields that a suite gives to each of its tasks."""
_COMPUTED = ("level", "exercised_level")


class ToolSource(Protocol):
    """What a suite needs to know of a registry (the two floors do not see each other)."""

    @property
    def contracts(self) -> Mapping[ToolName, ToolContract]:
        """The tools as `core.contracts.by_key` gives them."""
        ...


@dataclass(frozen=True, slots=True)
class CaseReader:
    """Reads the cases of one file."""

    suite: Suite
    registries: Mapping[str, ToolSource]
    document: Document

    def read(self, place: str) -> Case:
        """The case at a place of the file.

        Raises:
            SuiteError: with file, line and field.
        """
        raw = self._mapping(place)
        for name in raw:
            if name not in CASE_FIELDS:
                raise self.document.complain(
                    f"a case has no field {name}",
                    f"{place}/{name}",
                    wanted=", ".join(CASE_FIELDS),
                    found=name,
                    next_step=nearest(name, CASE_FIELDS),
                )
        task = self._task(raw, place)
        contracts = self._contracts(task, place)
        oracle = self._oracle(place, task, contracts)
        rest: JsonObject = {name: raw[name] for name in ("harnesses", "requires", "held_out") if name in raw}
        rest.setdefault("harnesses", list(self.suite.harnesses))
        whole: JsonObject = {
            "suite": self.suite.suite,
            "canary": self.suite.canary,
            "task": msgspec.to_builtins(task),
            "oracle": msgspec.to_builtins(oracle),
            **rest,
        }
        return self.document.read(Case, place, whole)

    def _mapping(self, place: str) -> JsonObject:
        try:
            value = resolve_pointer(self.document.value, place)
        except KeyError:
            above, _, name = place.rpartition("/")
            raise self.document.complain(f"the field {name} is missing", above, wanted=f"a mapping {name}") from None
        if not isinstance(value, dict):
            raise self.document.complain("a mapping is wanted here", place, found=type(value).__name__)
        return value

    def _task(self, raw: JsonObject, place: str) -> Task:
        if not isinstance(raw.get("id"), str) or not raw["id"]:
            raise self.document.complain("a case needs an id", place, wanted="id: a text, unique over all suites")
        own = self._mapping(f"{place}/task")
        if "id" in own:
            raise self.document.complain("the id stands beside task, not inside it", f"{place}/task/id")
        defaults: JsonObject = {name: getattr(self.suite, name) for name in TASK_DEFAULTS}
        task = self.document.read(Task, f"{place}/task", {**defaults, **own, "id": raw["id"]})
        if not task.instruction.strip():
            raise self.document.complain("the instruction is empty", f"{place}/task/instruction")
        return task

    def _contracts(self, task: Task, place: str) -> Mapping[ToolName, ToolContract]:
        if task.registry not in self.registries:
            raise self.document.complain(
                f"the registry {task.registry} does not exist",
                f"{place}/task/registry",
                wanted=", ".join(sorted(self.registries)),
                found=task.registry,
                next_step=nearest(task.registry, self.registries),
            )
        try:
            contracts = contracts_of(task, self.registries[task.registry].contracts)
        except BadInputError as error:
            raise self.document.complain(
                error.message,
                f"{place}/task/contracts",
                wanted=error.wanted,
                found=error.found,
                next_step=error.next_step,
            ) from error
        for index, name in enumerate(task.tools):
            find_tool(self.document, name, contracts, f"{place}/task/tools/{index}")
        return contracts

    def _oracle(self, place: str, task: Task, contracts: Mapping[ToolName, ToolContract]) -> Oracle:
        where = f"{place}/oracle"
        raw = dict(self._mapping(where))
        runs = [list(self._calls(f"{where}/calls", raw.pop("calls", [])))]
        others = raw.pop("alternatives", [])
        for index, run in enumerate(self._list(f"{where}/alternatives", others)):
            runs.append(list(self._calls(f"{where}/alternatives/{index}", run)))
        for run in runs:
            check_calls(self.document, run, contracts)
        self._check_offered(runs, task)
        golden = [tuple(call for _, call in run) for run in runs]
        oracle = self.document.read(Oracle, where, raw)
        oracle = msgspec.structs.replace(oracle, calls=golden[0], alternatives=tuple(golden[1:]))
        self._check_decision(oracle, where)
        self._check_labels(oracle.labels, contracts, f"{where}/labels")
        labels = msgspec.structs.replace(
            oracle.labels, level=_level(oracle, task, contracts), exercised_level=_exercised(oracle, contracts)
        )
        return msgspec.structs.replace(oracle, labels=labels)

    def _list(self, place: str, value: JsonValue) -> list[JsonValue]:
        if not isinstance(value, list):
            raise self.document.complain("a list is wanted here", place, found=type(value).__name__)
        return value

    def _calls(self, place: str, value: JsonValue) -> Iterator[tuple[str, ExpectedCall]]:
        """Each expected call with its place; blocks are numbered and steps without a name get one."""
        count = block = 0
        for index, item in enumerate(self._list(place, value)):
            here = f"{place}/{index}"
            members, number = [(here, item)], None
            if isinstance(item, dict) and "any_order" in item:
                if len(item) > 1:
                    raise self.document.complain("any_order stands alone", here, found=", ".join(item))
                block += 1
                number = block
                inside = self._list(f"{here}/any_order", item["any_order"])
                members = [(f"{here}/any_order/{position}", each) for position, each in enumerate(inside)]
            for where, raw in members:
                count += 1
                yield where, self._call(where, raw, count, number)

    def _call(self, place: str, raw: JsonValue, count: int, block: int | None) -> ExpectedCall:
        if not isinstance(raw, dict):
            raise self.document.complain("an expected call is a mapping", place, wanted="tool, arguments, step, ...")
        if "block" in raw:
            raise self.document.complain(
                "free order is written as any_order", f"{place}/block", wanted="- any_order: [calls]"
            )
        added: JsonObject = {} if block is None else {"block": block}
        return self.document.read(ExpectedCall, place, {"step": f"s{count}", **raw, **added})

    def _check_offered(self, runs: list[list[tuple[str, ExpectedCall]]], task: Task) -> None:
        for where, call in (pair for run in runs for pair in run):
            if task.tools and call.tool not in task.tools:
                raise self.document.complain(
                    f"the expected tool {call.tool} is not among the tools that the task offers",
                    f"{where}/tool",
                    wanted=", ".join(task.tools),
                    found=call.tool,
                )

    def _check_decision(self, oracle: Oracle, where: str) -> None:
        if oracle.decision == "call" and not (oracle.calls and all(oracle.alternatives)):
            raise self.document.complain("a case whose decision is call needs expected calls", where, wanted="calls")
        if oracle.decision != "call" and (oracle.calls or oracle.alternatives or oracle.call_only):
            raise self.document.complain(
                f"a case whose decision is {oracle.decision} has no expected calls", f"{where}/calls", wanted="no calls"
            )
        if oracle.calls and oracle.labels.target:
            raise self.document.complain("the expected tool is the target: only a case without calls names one", where)
        if oracle.decision == "ask" and not oracle.labels.missing:
            raise self.document.complain(
                "a case whose decision is ask names what is missing", f"{where}/labels", wanted="labels.missing"
            )

    def _check_labels(self, labels: Labels, contracts: Mapping[ToolName, ToolContract], where: str) -> None:
        for field in _COMPUTED:
            if getattr(labels, field) is not None:
                raise self.document.complain(f"{field} is computed from the schema, never written", f"{where}/{field}")
        for index, trap in enumerate(labels.traps):
            if trap not in self.suite.traps:
                raise self.document.complain(
                    f"the trap {trap} is not in the suite's vocabulary",
                    f"{where}/traps/{index}",
                    wanted=", ".join(self.suite.traps) or "traps declared in suite.yaml",
                    found=trap,
                    next_step=nearest(trap, self.suite.traps),
                )
        if labels.target is not None:
            find_tool(self.document, labels.target, contracts, f"{where}/target")
        for index, tool in enumerate(labels.lookalikes):
            find_tool(self.document, tool, contracts, f"{where}/lookalikes/{index}")


def _level(oracle: Oracle, task: Task, contracts: Mapping[ToolName, ToolContract]) -> Level | None:
    """The hardest level among the expected tools; without any that of the target, else of the tools on offer."""
    target = oracle.labels.target
    tools = [call.tool for call in oracle.calls] or ([target] if target else list(task.tools))
    return max((difficulty(contracts[name].parameters).level for name in tools), default=None)


def _exercised(oracle: Oracle, contracts: Mapping[ToolName, ToolContract]) -> Level | None:
    """The hardest level that the expected arguments use; None without expected calls."""
    levels = [
        exercised_level(contracts[call.tool].parameters, next(iter(variants(call.arguments)))) for call in oracle.calls
    ]
    return max(levels, default=None)


def case_places(document: Document) -> list[str]:
    """The places of all cases in a file, which is one list.

    Raises:
        SuiteError: the file is something else.
    """
    if not isinstance(document.value, list):
        raise document.complain("a file of cases is one list", wanted="- id: ...", found=type(document.value).__name__)
    return [pointer(index) for index in range(len(document.value))]
