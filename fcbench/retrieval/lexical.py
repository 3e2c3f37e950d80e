"""Which tools are offered: lexical ranking with high recall, the tools that a task gives, or all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Candidate
from fcbench.core.names import ToolName
from fcbench.core.records import Record
from fcbench.errors import SuiteError, UsageError
from fcbench.retrieval.companions import companions_of
from fcbench.retrieval.index import Document, LexicalIndex, document_of

MAX_CANDIDATES = 24
"""Most tools that lexical retrieval offers (PROTOCOL 2)."""
VERSION = 2
"""Version of the ranking: raised whenever any task could be offered other tools. It is part of the board key."""


class _Tools:
    """Contracts that are the same objects: the index of a registry is built once for all cases of a run."""

    def __init__(self, contracts: Sequence[ToolContract]) -> None:
        self.contracts = tuple(contracts)
        self._ids = tuple(map(id, self.contracts))

    def __hash__(self) -> int:
        return hash(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tools) and self._ids == other._ids


@lru_cache(maxsize=4)
def _index(tools: _Tools) -> LexicalIndex:
    documents = [document_of(one.name, one.description, one.parameters, one.category) for one in tools.contracts]
    return LexicalIndex(documents, companions_of(tools.contracts))


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


class RetrievalSpec(Record, frozen=True, kw_only=True):
    """How the offered tools are chosen: part of the board key."""

    kind: Literal["lexical", "given", "all"]
    limit: int = 0
    """For `lexical`: most candidates."""
    version: int = VERSION
    """For `lexical`: version of the ranking."""

    @classmethod
    def parse(cls, text: str) -> RetrievalSpec:
        """Read what a user asks for: `lexical` or `lexical:K` (K from 1 to 24), `given` or `all`.

        `lexical` is always the present ranking; its canonical form, which says the version, is read as well.

        Raises:
            UsageError: the text is something else.
        """
        spec = cls._read(text)
        if spec is None or spec.version != VERSION:
            raise _no_such_retrieval(text)
        return spec

    @classmethod
    def recorded(cls, text: str) -> RetrievalSpec:
        """Read what a package records; `lexical:K` there is the first ranking, which had no number.

        Raises:
            UsageError: neither this nor any earlier version has written it.
        """
        spec = cls._read(text, unnumbered=1)
        if spec is None or not 1 <= spec.version <= VERSION:
            raise _no_such_retrieval(text)
        return spec

    @classmethod
    def _read(cls, text: str, unnumbered: int = VERSION) -> RetrievalSpec | None:
        if text == "given":
            return cls(kind="given")
        if text == "all":
            return cls(kind="all")
        match = re.fullmatch(r"lexical(?:-([2-9]))?(?::([0-9]{1,4}))?", text)
        limit = int(match[2] or MAX_CANDIDATES) if match else 0
        if match is None or not 1 <= limit <= MAX_CANDIDATES:
            return None
        return cls(kind="lexical", limit=limit, version=int(match[1] or unnumbered))

    def __str__(self) -> str:
        """The canonical form: `lexical-2:24` (`lexical:24` for the first ranking), `given` or `all`."""
        if self.kind != "lexical":
            return self.kind
        return f"lexical:{self.limit}" if self.version == 1 else f"lexical-{self.version}:{self.limit}"


def _no_such_retrieval(text: str) -> UsageError:
    return UsageError(
        "this retrieval does not exist",
        wanted=f"lexical, lexical:K with K from 1 to {MAX_CANDIDATES}, given or all",
        found=repr(text[:80]),
        where="--retrieval",
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


__all__ = [
    "MAX_CANDIDATES",
    "VERSION",
    "Document",
    "LexicalIndex",
    "RetrievalSpec",
    "candidates",
    "document_of",
    "rank",
]
