"""The index that ranks tools for a request: words, what words stand for, values that fit, and companions.

The score of words is BM25 over weighted fields (Robertson, Zaragoza and Taylor 2004: the fields' term counts are
weighted and added before saturation). It is computed for the whole instruction and for each of its clauses; how well
the values in the text suit the needs of a tool is added to each. The whole and the best clause are summed, so that the
tool of a short second step is not crowded out by the look-alikes of a wordy first one, and companions get a share.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.retrieval.companions import Companions
from fcbench.retrieval.lexicon import meanings
from fcbench.retrieval.terms import clauses, stem, synonyms, terms, words
from fcbench.retrieval.values import Needs, hints, needs_of, values_of

_MAX_CLAUSES = 12
_MAX_SCHEMA_DEPTH = 12
_K1 = 1.2
_B = 0.65
_FIELDS = {"name": 4.0, "description": 2.0, "category": 1.0, "parameter": 1.5, "explanation": 0.7, "value": 0.7}
_MEANING, _HINT, _SYNONYM = 0.6, 0.5, 0.3
"""Weight of a term that a word stands for; that a value hints at; that means about the same in everyday English."""
_FIT = 0.18
"""Share of the fit of values beside the score of words, whose best is 1."""
_CLAUSE = 1.2
"""Weight of the best clause beside the whole text."""
_OWN_VALUES = 0.8
"""Share of a clause's own values in its fit; the rest goes to those of the whole text."""
_LENIENCY = 0.8
"""For a request of several clauses: see `Needs.fit`."""
_DIGITS = 9
"""Scores are compared to this many decimals, so that the last bits of a machine play no part."""

Field = tuple[str, str]
"""Kind of field and its text."""


class Document(Record, frozen=True, kw_only=True):
    """What of one tool is ranked."""

    name: str
    fields: tuple[Field, ...]
    needs: Needs = Needs()


def document_of(name: str, description: str, parameters: JsonValue, category: str = "") -> Document:
    """The document of one tool: its name, description and category, and names, texts and enums of its parameters."""
    fields = [("name", name), ("description", description), ("category", category), *_schema_fields(parameters)]
    return Document(name=name, fields=tuple(field for field in fields if field[1]), needs=needs_of(parameters))


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
            bag[term] += _FIELDS[kind]  # type: ignore[assignment]
    return bag


def _query(text: str) -> dict[str, float]:
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

    def __init__(self, documents: Sequence[Document], companions: Companions | None = None) -> None:
        """Count the terms once."""
        ordered = sorted(documents, key=lambda document: document.name)
        self.names = tuple(document.name for document in ordered)
        self._needs = tuple(document.needs for document in ordered)
        self._postings = _postings([_bag(document.fields) for document in ordered])
        place = {name: at for at, name in enumerate(self.names)}
        self._givers = tuple(
            tuple((place[giver], share) for giver, share in (companions or {}).get(name, ()) if giver in place)
            for name in self.names
        )

    def scores(self, text: str) -> dict[str, float]:
        """Score of words of each tool for a text; tools without a term of it are left out."""
        return {name: score for name, score in zip(self.names, self._words(text), strict=True) if score > 0}

    def _words(self, text: str) -> list[float]:
        # Summed in the order of the text, so that the last bits are the same everywhere.
        found = [0.0] * len(self.names)
        for term, weight in _query(text).items():
            for at, worth in self._postings.get(term, ()):
                found[at] += weight * worth
        return found

    def rank(self, instruction: str, limit: int, context: str = "") -> list[tuple[str, float]]:
        """The `limit` best tools, best first, with their scores; ties go by name.

        Tools that nothing speaks for fill the rest: recall counts, and a model can pass over them. The context, what
        the user has on screen, is looked at for values only.
        """
        parts = clauses(instruction)[:_MAX_CLAUSES]
        leniency = _LENIENCY if len(parts) > 1 else 1.0
        values, on_screen = values_of(instruction), values_of(context)
        fits = [needs.fit(values, leniency, on_screen) for needs in self._needs]
        total = _mixed(self._words(instruction), fits)
        each = self._clauses(parts, fits, leniency) if len(parts) > 1 else []
        for at in range(len(total)):
            total[at] += _CLAUSE * max((scores[at] for scores in each), default=0.0)
        shared = self._shared(total)
        order = sorted(range(len(self.names)), key=lambda at: (-round(shared[at], _DIGITS), at))
        return [(self.names[at], shared[at]) for at in order[:limit]]

    def _clauses(self, parts: Sequence[str], fits: Sequence[float], leniency: float) -> list[list[float]]:
        """Scores for each clause that has a word of any tool; the best of each is 1."""
        each = []
        for part in parts:
            found = self._words(part)
            if max(found, default=0.0) <= 0:
                continue
            values = values_of(part)
            own = [needs.fit(values, leniency) for needs in self._needs]
            fit = [_OWN_VALUES * mine + (1 - _OWN_VALUES) * every for mine, every in zip(own, fits, strict=True)]
            mixed = _mixed(found, fit)
            best = max(mixed)
            if best > 0:
                each.append([max(score, 0.0) / best for score in mixed])
        return each

    def _shared(self, scores: Sequence[float]) -> list[float]:
        return [
            score + max((share * max(scores[giver], 0.0) for giver, share in givers), default=0.0)
            for score, givers in zip(scores, self._givers, strict=True)
        ]


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


def _mixed(found: Sequence[float], fits: Sequence[float]) -> list[float]:
    """Scores of words, the best of which becomes 1, and fits."""
    top = max(found, default=0.0) or 1.0
    return [score / top + _FIT * fit for score, fit in zip(found, fits, strict=True)]


__all__ = ["Document", "LexicalIndex", "document_of"]
