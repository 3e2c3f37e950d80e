"""Which tools are offered: lexical ranking with high recall, the tools that a task gives, or all.

The score is BM25 over weighted fields (Robertson, Zaragoza and Taylor 2004: the fields' term counts are weighted and
added before saturation). The whole instruction and each of its clauses are ranked; the rankings are then dealt out in
turn, so that the tool of a short second step is not crowded out by the look-alikes of a wordy first one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from fcbench.core.cases import Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Candidate
from fcbench.core.names import JsonValue, ToolName
from fcbench.core.records import Record
from fcbench.errors import SuiteError, UsageError
from fcbench.retrieval.terms import clauses, hints, synonyms, terms

MAX_CANDIDATES = 24
"""Most tools that lexical retrieval offers (PROTOCOL 2)."""
_MAX_CLAUSES = 12
_MAX_SCHEMA_DEPTH = 12
_K1 = 1.2
_B = 0.3  # mild: a tool with many parameters is not less likely for it
_SYNONYM_WEIGHT = 0.4
_WEIGHTS = {"name": 4.0, "description": 2.0, "category": 1.0, "parameter": 1.5, "explanation": 0.7, "value": 0.7}

Field = tuple[str, str]
"""Kind of field and its text."""


class Document(Record, frozen=True, kw_only=True):
    """What of one tool is ranked."""

    name: str
    fields: tuple[Field, ...]


def document_of(name: str, description: str, parameters: JsonValue, category: str = "") -> Document:
    """The document of one tool: its name, description and category, and names, texts and enums of its parameters."""
    fields = [("name", name), ("description", description), ("category", category), *_schema_fields(parameters)]
    return Document(name=name, fields=tuple(field for field in fields if field[1]))


def _schema_fields(schema: JsonValue, depth: int = 0) -> Iterator[Field]:
    if not isinstance(schema, dict) or depth > _MAX_SCHEMA_DEPTH:
        return
    enum = schema.get("enum")
    if isinstance(enum, list):
        yield "value", " ".join(item for item in enum if isinstance(item, str))
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield "parameter", str(name)
        if isinstance(inner, dict) and isinstance(inner.get("description"), str):
            yield "explanation", inner["description"]
        yield from _schema_fields(inner, depth + 1)
    yield from _schema_fields(schema.get("items"), depth + 1)
    for keyword in ("oneOf", "anyOf", "allOf"):
        branches = schema.get(keyword)
        for branch in branches if isinstance(branches, list) else ():
            yield from _schema_fields(branch, depth + 1)


@lru_cache(maxsize=8192)
def _bag(fields: tuple[Field, ...]) -> Mapping[str, float]:
    bag: Counter[str] = Counter()
    for kind, text in fields:
        for term in terms(text):
            bag[term] += _WEIGHTS[kind]  # type: ignore[assignment]
    return bag


class LexicalIndex:
    """The tools of one registry, ready to be ranked."""

    def __init__(self, documents: Sequence[Document]) -> None:
        """Count the terms once."""
        self._bags = {document.name: _bag(document.fields) for document in documents}
        self._lengths = {name: sum(bag.values()) for name, bag in self._bags.items()}
        self._mean = sum(self._lengths.values()) / len(self._lengths) if self._lengths else 1.0
        self._holding = Counter(term for bag in self._bags.values() for term in bag)

    def scores(self, text: str) -> dict[str, float]:
        """Score of each tool for a text; tools without a common term are left out."""
        query: dict[str, float] = {}
        for term in terms(text):
            query[term] = 1.0
            for other in synonyms().get(term, ()):
                query.setdefault(other, _SYNONYM_WEIGHT)
        for term in hints(text):
            query.setdefault(term, _SYNONYM_WEIGHT)
        found: dict[str, float] = {}
        for name, bag in self._bags.items():
            norm = _K1 * (1 - _B + _B * self._lengths[name] / self._mean)
            # Summed in the order of the text, so that the last bits are the same everywhere.
            score = sum(
                weight * self._rarity(term) * bag[term] * (_K1 + 1) / (bag[term] + norm)
                for term, weight in query.items()
                if term in bag
            )
            if score > 0:
                found[name] = score
        return found

    def _rarity(self, term: str) -> float:
        count = self._holding[term]
        return math.log(1 + (len(self._bags) - count + 0.5) / (count + 0.5))

    def rank(self, instruction: str, limit: int) -> list[tuple[str, float]]:
        """The `limit` best tools, best first, with the best score that each has in any ranking.

        Tools without any common term fill the rest by name: recall counts, and a model can pass over them.
        """
        parts = clauses(instruction)[:_MAX_CLAUSES]
        texts = [instruction, *(parts if len(parts) > 1 else ())]
        scored = [self.scores(text) for text in texts]
        rankings = [sorted(scores, key=lambda name, s=scores: (-s[name], name)) for scores in scored]  # type: ignore[misc]
        order = dict.fromkeys([*_dealt(rankings), *sorted(self._bags)])
        best = {name: max(scores.get(name, 0.0) for scores in scored) for name in order}
        return [(name, best[name]) for name in list(order)[:limit]]


def _dealt(rankings: Sequence[Sequence[str]]) -> Iterator[str]:
    """First what each ranking has first, then what each has second, and so on; each tool once."""
    seen = set[str]()
    for place in zip_longest(*rankings):
        for name in place:
            if name is not None and name not in seen:
                seen.add(name)
                yield name


def rank(instruction: str, contracts: Sequence[ToolContract], limit: int = MAX_CANDIDATES) -> tuple[Candidate, ...]:
    """The best tools for an instruction, best first; deterministic, ties by name.

    Args:
        instruction: the task's text.
        contracts: the tools to choose from, in any order.
        limit: most candidates.
    """
    documents = [document_of(one.name, one.description, one.parameters, one.category) for one in contracts]
    ranked = LexicalIndex(documents).rank(instruction, limit)
    return tuple(
        Candidate(name=ToolName(name), rank=at, score=round(score, 6)) for at, (name, score) in enumerate(ranked, 1)
    )


class RetrievalSpec(Record, frozen=True, kw_only=True):
    """How the offered tools are chosen: part of the board key."""

    kind: Literal["lexical", "given", "all"]
    limit: int = 0
    """For `lexical`: most candidates."""

    @classmethod
    def parse(cls, text: str) -> RetrievalSpec:
        """Read `lexical`, `lexical:K` (K from 1 to 24), `given` or `all`.

        Raises:
            UsageError: the text is something else.
        """
        if text == "given":
            return cls(kind="given")
        if text == "all":
            return cls(kind="all")
        match = re.fullmatch(r"lexical(?::([0-9]{1,4}))?", text)
        limit = int(match[1] or MAX_CANDIDATES) if match else 0
        if not 1 <= limit <= MAX_CANDIDATES:
            raise UsageError(
                "this retrieval does not exist",
                wanted=f"lexical, lexical:K with K from 1 to {MAX_CANDIDATES}, given or all",
                found=repr(text[:80]),
                where="--retrieval",
            )
        return cls(kind="lexical", limit=limit)

    def __str__(self) -> str:
        """The canonical form: `lexical:24`, `given` or `all`."""
        return f"lexical:{self.limit}" if self.kind == "lexical" else self.kind


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
        return rank(task.instruction, registry_contracts, spec.limit)
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
    "Document",
    "LexicalIndex",
    "RetrievalSpec",
    "candidates",
    "document_of",
    "rank",
]
