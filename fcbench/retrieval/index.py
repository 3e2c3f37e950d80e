"""The index that ranks tools for a request: words, example requests, values that fit, and companions.

The score of words is BM25 over weighted fields (Robertson, Zaragoza and Taylor 2004: the fields' term counts are
weighted and added before saturation). Votes of example requests (`Learned`) stand beside it, and how well the values in
the text suit the needs of a tool. All is computed for the whole text, for each clause of the instruction and for two
neighbouring clauses together, so that the tool of a short second step is not crowded out by the look-alikes of a wordy
first one; companions get a share, and so do steps that a clause implies.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.retrieval.companions import Companions
from fcbench.retrieval.learned import Learned
from fcbench.retrieval.lexicon import meanings
from fcbench.retrieval.terms import clauses, stem, synonyms, terms, with_pairs, words
from fcbench.retrieval.values import Needs, Values, hints, needs_of, values_of
from fcbench.retrieval.word_vectors import Integers

_MAX_CLAUSES = 12
_MAX_SCHEMA_DEPTH = 12
_K1 = 1.2
_B = 0.65
_FIELDS = {
    "name": 4.0,
    "description": 2.0,
    "category": 1.0,
    "parameter": 1.5,
    "explanation": 0.7,
    "value": 0.7,
    "request": 1.0,
}
_MEANING, _HINT, _SYNONYM = 0.6, 0.5, 0.3
"""Weight of a term that a word stands for; that a value hints at; that means about the same in everyday English."""
_WORDS, _VOTES = 0.3, 0.7
"""Shares of words and of votes, the best of each being 1."""
_NEAREST = 0.4
"""Share of the nearest single example among the votes; the rest is the regression's."""
_FIT = 0.1
"""Weight of the fit of values beside them."""
_ON_SCREEN = 0.5
"""Share of the text with the context in the score of the whole; the rest is that of the instruction alone."""
_CLAUSE = 0.9
"""Weight of a tool's best clause beside the whole text."""
_PLACE, _FIRST_PLACES = 0.3, 2
"""Weight of a tool's places in the rankings of the clauses; the place that counts half."""
_OWN_VALUES = 0.8
"""Share of a clause's own values in its fit; the rest goes to those of the whole text."""
_LENIENCY = 0.8
"""For a request of several clauses: see `Needs.fit`."""
_COMPANY = 0.7
"""Weight of what companions pass on."""
_IMPLIED, _SURE = 0.55, 4
"""Weight of a step that a clause's first tool implies; power by which it falls for tools that speak less clearly."""
_DIGITS = 9
"""Scores are compared to this many decimals, so that the last bits of a machine play no part."""

Field = tuple[str, str]
"""Kind of field and its text."""
Scores = npt.NDArray[np.float64]
"""One number for each tool, in the order of names."""
Givers = Sequence[Sequence[tuple[int, float]]]
"""For each tool the places of those that pass something on to it, each with its share."""


class Document(Record, frozen=True, kw_only=True):
    """What of one tool is ranked."""

    name: str
    fields: tuple[Field, ...]
    needs: Needs = Needs()
    requests: tuple[str, ...] = ()
    """Requests that the tool answers."""


def document_of(
    name: str, description: str, parameters: JsonValue, category: str = "", requests: Sequence[str] = ()
) -> Document:
    """The document of one tool: its name, description and category, names, texts and enums of parameters, requests."""
    fields = [("name", name), ("description", description), ("category", category), *_schema_fields(parameters)]
    return Document(
        name=name,
        fields=tuple(field for field in fields if field[1]),
        needs=needs_of(parameters),
        requests=tuple(requests),
    )


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


def _bag(document: Document) -> Mapping[str, float]:
    bag: dict[str, float] = defaultdict(float)
    for kind, text in (*document.fields, *(("request", text) for text in document.requests)):
        for term in dict.fromkeys(terms(text)) if kind == "request" else terms(text):
            bag[term] += _FIELDS[kind]
    return bag


def _examples(documents: Sequence[Document]) -> Iterator[tuple[str, int]]:
    """The requests of each tool, its name with its description, and what its schema says."""
    said = ("name", "parameter", "explanation", "value")
    for at, document in enumerate(documents):
        yield from ((request, at) for request in document.requests)
        yield " ".join(text for kind, text in document.fields if kind in {"name", "description"}), at
        yield " ".join(text for kind, text in document.fields if kind in said), at


@lru_cache(maxsize=8192)
def _query(text: str) -> Mapping[str, float]:
    """Term -> weight, in the order of the text."""
    query: dict[str, float] = {}
    for term in terms(text):
        query[term] = 1.0
        for other in synonyms().get(term, ()):
            query.setdefault(other, _SYNONYM)
    for weight, found in ((_MEANING, meanings([stem(word) for word in words(text)])), (_HINT, hints(text))):
        for term in found:
            query[term] = max(weight, query.get(term, 0.0))
    return query


class LexicalIndex:
    """The tools of one registry, ready to be ranked. Tools are handled by their place in the order of names."""

    def __init__(
        self, documents: Sequence[Document], companions: Companions | None = None, steps: Companions | None = None
    ) -> None:
        """Count the terms and learn from the examples, once."""
        ordered = sorted(documents, key=lambda document: document.name)
        self.names = tuple(document.name for document in ordered)
        self._needs = tuple(document.needs for document in ordered)
        self._postings = _postings([_bag(document) for document in ordered])
        self._learned = Learned(tuple(_examples(ordered)), len(ordered))
        place = {name: at for at, name in enumerate(self.names)}
        self._givers, self._implying = (
            tuple(
                tuple((place[giver], share) for giver, share in relation.get(name, ()) if giver in place)
                for name in self.names
            )
            for relation in (companions or {}, steps or {})
        )

    def scores(self, text: str) -> dict[str, float]:
        """Score of words of each tool for a text; tools without a term of it are left out."""
        return {name: float(score) for name, score in zip(self.names, self._words(text), strict=True) if score > 0}

    def _words(self, text: str) -> Scores:
        # Summed in the order of the text, so that the last bits are the same everywhere.
        found = [0.0] * len(self.names)
        for term, weight in _query(text).items():
            for at, worth in self._postings.get(term, ()):
                found[at] += weight * worth
        return np.array(found)

    def rank(self, instruction: str, limit: int, context: str = "") -> list[tuple[str, float]]:
        """The `limit` best tools, best first, with their scores; ties go by name.

        Tools that nothing speaks for fill the rest: recall counts, and a model can pass over them. The context, what
        the user has on screen, belongs to the whole text; the clauses are those of the instruction.
        """
        parts = clauses(instruction)[:_MAX_CLAUSES]
        leniency = _LENIENCY if len(parts) > 1 else 1.0
        fits = self._fits(values_of(instruction), leniency, values_of(context))
        total = self._scores(instruction, fits)
        if context:  # what is on screen must not drown a short request
            total = (1 - _ON_SCREEN) * total + _ON_SCREEN * self._scores(f"{instruction}\n{context}", fits)
        heard = self._heard(with_pairs(parts), fits, leniency) if len(parts) > 1 else []
        total = self._with_clauses(total, heard) if heard else total
        shared = total + _passed_on(total, self._givers, _COMPANY)
        if heard:
            sure: Scores = np.max([found / found.max() for found in heard], axis=0) ** _SURE
            shared = shared + _IMPLIED * _implied(sure, self._implying)
        scores: list[float] = shared.tolist()
        order = sorted(range(len(self.names)), key=lambda at: (-round(scores[at], _DIGITS), at))
        return [(self.names[at], scores[at]) for at in order[:limit]]

    def _fits(self, values: Values, leniency: float, on_screen: Values | None = None) -> Scores:
        if on_screen is None:
            return np.array([needs.fit(values, leniency) for needs in self._needs])
        return np.array([needs.fit(values, leniency, on_screen) for needs in self._needs])

    def _scores(self, text: str, fits: Scores) -> Scores:
        """Words, votes and fit for one text."""
        found = self._learned.votes(text)
        votes = (1 - _NEAREST) * _best_is_1(found.means) + _NEAREST * _best_is_1(found.nearest)
        return _WORDS * _best_is_1(self._words(text)) + _VOTES * votes + _FIT * fits

    def _heard(self, parts: Sequence[str], fits: Scores, leniency: float) -> list[Scores]:
        """Scores for each clause that speaks for a tool."""
        heard = []
        for part in parts:
            own = self._fits(values_of(part), leniency)
            found = np.maximum(self._scores(part, _OWN_VALUES * own + (1 - _OWN_VALUES) * fits), 0.0).round(_DIGITS)
            if float(found.max(initial=0.0)) > 0 and terms(part):
                heard.append(found)
        return heard

    def _with_clauses(self, total: Scores, heard: Sequence[Scores]) -> Scores:
        """Adds a tool's score in its best clause, and its places in all."""
        best, places = np.zeros(len(self.names)), np.zeros(len(self.names))
        for found in heard:
            # Divided by the root: a clause that speaks for no tool clearly counts less, but counts.
            best = np.maximum(best, found / math.sqrt(float(found.max())))
            place = np.argsort(np.argsort(-found, kind="stable"), kind="stable") + 1
            places += _FIRST_PLACES / (_FIRST_PLACES + place)
        return total + (_CLAUSE * best + _PLACE * places)


def _passed_on(scores: Scores, givers: Givers, weight: float) -> Scores:
    """What each tool gets from the one that gives it most."""
    known = np.maximum(scores, 0.0).tolist()
    return np.array([weight * max((share * known[giver] for giver, share in each), default=0.0) for each in givers])


def _implied(sure: Scores, givers: Givers) -> Scores:
    """How likely each tool is implied, if the clauses imply it independently of each other (noisy or)."""
    known = sure.tolist()
    return np.array([1.0 - math.prod(1.0 - share * known[giver] for giver, share in each) for each in givers])


def _best_is_1(found: Scores | Integers) -> Scores:
    return found / (float(found.max(initial=0.0)) or 1.0)


def _postings(bags: Sequence[Mapping[str, float]]) -> Mapping[str, Sequence[tuple[int, float]]]:
    """Term -> tools that have it, with what it is worth in each: everything of BM25 but the weight in the query."""
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    holding = Counter(term for bag in bags for term in bag)
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, (bag, length) in enumerate(zip(bags, lengths, strict=True)):
        norm = _K1 * (1 - _B + _B * length / mean)
        for term, count in bag.items():
            rarity = math.log(1 + (len(bags) - holding[term] + 0.5) / (holding[term] + 0.5))
            found[term].append((at, rarity * count * (_K1 + 1) / (count + norm)))
    return found


__all__ = ["Document", "LexicalIndex", "document_of"]
