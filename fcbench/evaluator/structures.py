"""Expected objects, lists and sets, and how an expected value becomes a node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.canonical import json_equal
from fcbench.core.names import JsonObject, JsonValue
from fcbench.evaluator.assignment import cheapest
from fcbench.evaluator.comparing import TESTS
from fcbench.evaluator.nodes import (
    MAX_DIFFERENCES,
    Anything,
    Difference,
    Node,
    Nothing,
    Number,
    OneOf,
    Open,
    Path,
    Same,
    Test,
    Text,
    Unresolved,
    add,
)

MAX_PAIRED_ITEMS: Final = 40
"""Items of a set that are paired for a diagnosis: the work grows with their product."""


class Fields(Node):
    """An object with exactly these keys."""

    __slots__ = ("nodes",)

    def __init__(self, value: JsonValue, nodes: dict[str, Node]) -> None:
        super().__init__(value, sum(node.leaves for node in nodes.values()) or 1)
        self.nodes = nodes

    def fits(self, found: JsonValue) -> bool:
        """The same keys, each value fitting."""
        if not isinstance(found, dict) or found.keys() != self.nodes.keys():
            return False
        for key, node in self.nodes.items():
            if not node.fits(found[key]):
                return False
        return True

    def count(self, found: JsonValue) -> int:
        """Missing and extra keys, and what is wrong inside the others."""
        if not isinstance(found, dict):
            return 1
        wrong = shared = 0
        for key, node in self.nodes.items():
            if key in found:
                shared += 1
                wrong += node.count(found[key])
            else:
                wrong += 1
        return min(wrong + len(found) - shared, MAX_DIFFERENCES)

    def name(self, found: JsonValue, path: Path, out: list[Difference]) -> None:
        """Expected keys in their order, then extra ones by name."""
        if not isinstance(found, dict):
            add(out, path, "wrong", self, found)
            return
        for key, node in self.nodes.items():
            if key in found:
                node.name(found[key], (*path, key), out)
            else:
                add(out, (*path, key), "missing", node)
        for key in sorted(found.keys() - self.nodes.keys()):
            add(out, (*path, key), "extra", None, found[key])


class Items(Node):
    """A list, item by item."""

    __slots__ = ("nodes",)

    def __init__(self, value: JsonValue, nodes: Sequence[Node]) -> None:
        super().__init__(value, sum(node.leaves for node in nodes) or 1)
        self.nodes = tuple(nodes)

    def fits(self, found: JsonValue) -> bool:
        """As many items, each fitting."""
        return isinstance(found, list) and len(found) == len(self.nodes) and _all_fit(self.nodes, found)

    def count(self, found: JsonValue) -> int:
        """Items that are missing or too many, and what is wrong inside the others."""
        if not isinstance(found, list):
            return 1
        wrong = abs(len(found) - len(self.nodes))
        for index, node in enumerate(self.nodes):
            if index < len(found) and found[index] not in node.words:
                wrong += node.count(found[index])
        return min(wrong, MAX_DIFFERENCES)

    def name(self, found: JsonValue, path: Path, out: list[Difference]) -> None:
        """By position."""
        if not isinstance(found, list):
            add(out, path, "wrong", self, found)
            return
        for index, node in enumerate(self.nodes):
            if index < len(found):
                node.name(found[index], (*path, index), out)
            else:
                add(out, (*path, index), "missing", node)
        for index in range(len(self.nodes), min(len(found), len(self.nodes) + MAX_DIFFERENCES)):
            # An empty list is a field of its own, which its first item destroys.
            add(out, (*path, index), "extra", self if index == 0 else None, found[index])


def _all_fit(nodes: tuple[Node, ...], found: list[JsonValue]) -> bool:
    for index, node in enumerate(nodes):
        if found[index] not in node.words and not node.fits(found[index]):
            return False
    return True


class Bag(Node):
    """`$set`: the same items in any order, one to one; equal items count as often as they stand there."""

    __slots__ = ("nodes",)

    def __init__(self, value: JsonValue, nodes: Sequence[Node]) -> None:
        super().__init__(value, sum(node.leaves for node in nodes) or 1)
        self.nodes = tuple(nodes)

    def fits(self, found: JsonValue) -> bool:
        """One-to-one, whatever the order: augmenting paths, since two comparators may fit the same item."""
        if not isinstance(found, list) or len(found) != len(self.nodes):
            return False
        if _all_fit(self.nodes, found):
            return True
        owner: dict[int, int] = {}
        return all(self._place(wanted, found, owner, set()) for wanted in range(len(self.nodes)))

    def _place(self, wanted: int, found: list[JsonValue], owner: dict[int, int], tried: set[int]) -> bool:
        for index, item in enumerate(found):
            if index in tried or not self.nodes[wanted].fits(item):
                continue
            tried.add(index)
            if index not in owner or self._place(owner[index], found, owner, tried):
                owner[index] = wanted
                return True
        return False

    def count(self, found: JsonValue) -> int:
        """What `name` gives, counted."""
        if self.fits(found):
            return 0
        out: list[Difference] = []
        self.name(found, (), out)
        return len(out)

    def name(self, found: JsonValue, path: Path, out: list[Difference]) -> None:
        """Each expected item against the observed one that it resembles most.

        Where there are no two lists of a size that people write, the set as a whole is one wrong value.
        """
        if self.fits(found):
            return
        small = len(self.nodes) <= MAX_PAIRED_ITEMS
        if not isinstance(found, list) or not found or not small or len(found) > MAX_PAIRED_ITEMS:
            add(out, path, "wrong", self, found)
            return
        costs = [[_cost(node, item) for item in found] for node in self.nodes]
        while len(costs[0]) < len(costs):
            # A column for "not there", dearer than any resemblance, so that rows never outnumber columns.
            costs = [[*row, node.leaves + 1] for row, node in zip(costs, self.nodes, strict=True)]
        chosen = cheapest(costs)[1]
        for node, column in zip(self.nodes, chosen, strict=True):
            if column < len(found):
                node.name(found[column], (*path, column), out)
            else:
                add(out, (*path, column), "missing", node)
        for index in sorted(set(range(len(found))) - set(chosen)):
            add(out, (*path, index), "extra", None, found[index])


def _cost(node: Node, item: JsonValue) -> int:
    """How many fields would have to change; two values of nothing in common cost most."""
    parting: list[Difference] = []
    node.name(item, (), parting)
    return sum(1 if each.node is None else each.node.leaves for each in parting)


def compiled(expected: JsonValue) -> Node:
    """The node of an expected value."""
    if isinstance(expected, str):
        return Text(expected)
    if isinstance(expected, bool) or expected is None:
        return Same(expected)
    if isinstance(expected, int | float):
        return Number(expected)
    if isinstance(expected, list):
        return Items(expected, [compiled(item) for item in expected])
    if isinstance(expected, Unresolved):
        return Nothing(str(expected.step))
    if isinstance(expected, Open):
        return Anything(None)
    if not isinstance(expected, dict):
        return Test(expected, json_equal, expected)
    return _of_object(expected)


def _of_object(expected: JsonObject) -> Node:
    """A comparator stands alone in its object (loading a case has checked that); all else is a plain object."""
    if len(expected) == 1:
        ((key, body),) = expected.items()
        name = key[1:]
        if key == "$one_of" and isinstance(body, list):
            return OneOf(expected, [compiled(item) for item in body])
        if key == "$set" and isinstance(body, list):
            return Bag(expected, [compiled(item) for item in body])
        if key.startswith("$") and name in TESTS:
            return Test(expected, TESTS[name], body)
    return Fields(expected, {key: compiled(value) for key, value in expected.items()})
