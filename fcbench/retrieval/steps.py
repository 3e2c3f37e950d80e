"""Steps that a request of several steps implies without a word for them, by what the contracts and recipes tell.

Who says "put the tag in and give me the new record" wants the queue executed in between, and who asks for the depth
over a gene wants the gene found first. Companions pass on a share of a whole score; here counts how sure one clause is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonValue
from fcbench.retrieval.companions import Companions
from fcbench.retrieval.recipes import together
from fcbench.retrieval.terms import terms
from fcbench.retrieval.values import needs_of

_SPOKEN_OF = 1.0
_FOLLOW_UP, _LOOK_UP = 0.5, 0.5
_NAMES_WITH_A_WORD = 2
"""A word that more names than this hold points to none of them."""
_PLACE = frozenset({"start", "end", "strand"})
"""Fields by which an answer says where a gene lies."""


def steps_of(contracts: Sequence[ToolContract]) -> Companions:
    """Name of a tool -> the tools that imply it, each with a share.

    - A tool whose description speaks of another one of its category implies it: "... when the queue is executed".
    - A tool implies its follow-ups, at half.
    - A tool that must be given a range and cannot be given a gene implies those that read where a gene lies, at half.
    - A tool implies those that stand beside it in recipes, the oftener the more.
    """
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    known = {one.name for one in contracts}
    for giver, taker, share in (*declared(contracts), *together(contracts)):
        if taker in known and giver != taker:
            shares[taker][giver] = max(share, shares[taker].get(giver, 0.0))
    return {name: tuple(sorted(found.items())) for name, found in sorted(shares.items())}


def declared(contracts: Sequence[ToolContract]) -> Iterator[tuple[str, str, float]]:
    """What the contracts alone say: giver, taker and share."""
    yield from ((giver, taker, _SPOKEN_OF) for giver, taker in _spoken_of(contracts))
    finders = [one.name for one in contracts if _says_where_a_gene_lies(one)]
    for one in contracts:
        yield from ((one.name, follow_up, _FOLLOW_UP) for follow_up in one.follow_ups)
        required = needs_of(one.parameters).required
        if "range" in required and "gene" not in required:
            yield from ((one.name, finder, _LOOK_UP) for finder in finders)


def _says_where_a_gene_lies(one: ToolContract) -> bool:
    is_asked_for_a_gene = one.effect == "reads" and needs_of(one.parameters).required == ("gene",)
    return is_asked_for_a_gene and any(fields >= _PLACE for fields in _answers(one.returns))


def _answers(schema: JsonValue) -> Iterator[frozenset[str]]:
    """Names of the fields of an answer, and of the entries of its lists."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return
    yield frozenset(properties)
    for inner in properties.values():
        entry = inner.get("items") if isinstance(inner, dict) else None
        listed = entry.get("properties") if isinstance(entry, dict) else None
        if isinstance(listed, dict):
            yield frozenset(listed)


def _spoken_of(contracts: Sequence[ToolContract]) -> Iterator[tuple[str, str]]:
    """Pairs of tools of one category: the first uses a rare word of the name of the second in its description."""
    holding: dict[str, list[ToolContract]] = defaultdict(list)
    for one in contracts:
        for word in set(terms(one.name)):
            holding[word].append(one)
    for one in contracts:
        for word in sorted(set(terms(one.description)) - set(terms(one.name))):
            if len(holding[word]) <= _NAMES_WITH_A_WORD:
                yield from ((one.name, other.name) for other in holding[word] if other.category == one.category)


__all__ = ["declared", "steps_of"]
