"""Which tools are offered: lexical ranking with high recall, the tools that a task gives, or all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fcbench.core.canonical import digest_bytes
from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Candidate
from fcbench.core.names import ToolName
from fcbench.core.records import encode_line
from fcbench.errors import SuiteError, UsageError
from fcbench.retrieval.companions import companions_of
from fcbench.retrieval.index import LexicalIndex, document_of
from fcbench.retrieval.phrasings import phrasings_of
from fcbench.retrieval.spec import MAX_CANDIDATES, RetrievalSpec
from fcbench.retrieval.steps import steps_of


class _Tools:
    """Contracts that are the same objects: the index of a registry is built once for all cases of a run."""

    def __init__(self, contracts: Sequence[ToolContract]) -> None:
        self.contracts = tuple(contracts)
        self._ids = tuple(map(id, self.contracts))

    def __hash__(self) -> int:
        return hash(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tools) and self._ids == other._ids


class _Content:
    """Contracts that say the same: a registry that was loaded twice has one index, which takes two seconds to build."""

    def __init__(self, contracts: tuple[ToolContract, ...]) -> None:
        self.contracts = contracts
        self._digest = digest_bytes(b"\n".join(map(encode_line, contracts)))

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self._digest == other._digest


@lru_cache(maxsize=4)
def _index(tools: _Tools) -> LexicalIndex:
    return _built(_Content(tools.contracts))


@lru_cache(maxsize=4)
def _built(tools: _Content) -> LexicalIndex:
    documents = [
        document_of(one.name, one.description, one.parameters, one.category, phrasings_of(one.name, one.category))
        for one in tools.contracts
    ]
    return LexicalIndex(documents, companions_of(tools.contracts), steps_of(tools.contracts))


def rank(
    instruction: str, contracts: Sequence[ToolContract], limit: int = MAX_CANDIDATES, context: str = ""
) -> tuple[Candidate, ...]:
    """The best tools for an instruction, best first; deterministic, ties by name.

    Args:
        instruction: the task's text.
        contracts: the tools to choose from, in any order.
        limit: most candidates.
        context: what the user has on screen, as the task tells it.
    """
    ranked = _index(_Tools(contracts)).rank(instruction, limit, context)
    return tuple(
        Candidate(name=ToolName(name), rank=at, score=round(score, 6)) for at, (name, score) in enumerate(ranked, 1)
    )


def candidates(task: Task, registry_contracts: Sequence[ToolContract], spec: RetrievalSpec) -> tuple[Candidate, ...]:
    """The tools that a task is offered. Only the task is looked at: no oracle can reach this function.

    Args:
        task: what is asked.
        registry_contracts: the tools of its registry; for an imported task those that it names.
        spec: how to choose.

    Raises:
        UsageError: retrieval `given` for a task that gives no tools, or another one where tools share a name.
        SuiteError: the task gives a tool that the registry does not have.
    """
    if spec.kind != "given":
        _refuse_imported(task, registry_contracts, spec)
    if spec.kind == "lexical":
        return rank(task.instruction, registry_contracts, spec.limit, task.context or "")
    known = sorted(contract.name for contract in registry_contracts)
    if spec.kind == "all":
        return tuple(Candidate(name=name, rank=at) for at, name in enumerate(known, 1))
    if not task.tools:
        raise UsageError(
            "this task gives no tools of its own",
            wanted="a task with `tools` for --retrieval given",
            where=task.id,
            next_step="use --retrieval lexical or all",
        )
    missing = [name for name in task.tools if name not in known]
    if missing:
        raise SuiteError(
            "the task gives a tool that its registry does not have",
            wanted=f"tools of the registry {task.registry}",
            found=", ".join(missing),
            where=task.id,
        )
    return tuple(Candidate(name=name, rank=at) for at, name in enumerate(task.tools, 1))


def _refuse_imported(task: Task, contracts: Sequence[ToolContract], spec: RetrievalSpec) -> None:
    """Refuse to choose among tools of one name: neither a model nor a verdict could tell them apart."""
    shares = len({contract.name for contract in contracts}) < len(contracts)
    if task.contracts or shares:
        raise UsageError(
            "retrieval cannot choose among imported tools, since several may share one name",
            wanted="retrieval `given`, with tasks that name their tools and contracts",
            found=str(spec),
            where=f"{task.id}, registry {task.registry}",
            next_step="run it with --retrieval given",
        )


__all__ = ["candidates", "rank"]
