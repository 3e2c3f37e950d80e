"""Tools that belong together by what their contracts declare: one that fits brings others along, at a lower score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fcbench.core.contracts import ToolContract

Companions = Mapping[str, tuple[tuple[str, float], ...]]
"""Name of a tool -> the tools that bring it, each with the share of its score that passes over, by name."""

_ALIKE = 0.15
_TOGETHER = 0.3


def companions_of(contracts: Sequence[ToolContract]) -> Companions:
    """What brings what.

    - Tools that need telling apart (lookalikes, equivalents) and a tool and its follow-ups bring each other.
    - So do tools with a follow-up in common: they work on the same thing, such as a queue.
    """
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    known = {one.name for one in contracts}
    for giver, taker, share in _declared(contracts):
        if giver in known and taker in known and giver != taker:
            shares[taker][giver] = max(share, shares[taker].get(giver, 0.0))
    return {name: tuple(sorted(found.items())) for name, found in sorted(shares.items())}


def _declared(contracts: Sequence[ToolContract]) -> Iterator[tuple[str, str, float]]:
    users: dict[str, list[str]] = defaultdict(list)
    for one in contracts:
        for other in (*one.lookalikes, *(each.tool for each in one.equivalents), *one.follow_ups):
            yield one.name, other, _ALIKE
            yield other, one.name, _ALIKE
        for follow_up in one.follow_ups:
            users[follow_up].append(one.name)
    for together in users.values():
        yield from ((giver, taker, _TOGETHER) for giver in together for taker in together)


__all__ = ["Companions", "companions_of"]
