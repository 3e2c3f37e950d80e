"""The arguments of one call against one expected call (PROTOCOL 3, rule 3).

Strict tiers want exactly the expected keys. Completion tiers read the contract: an omitted argument whose default is
the expected value is right, an extra one that says its default or is declared neutral is no fault, and a declared
argument form or equivalent tool may carry the same value under another name (`evaluator.forms`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fcbench.core.canonical import json_equal
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.evaluator.nodes import MAX_DIFFERENCES, Difference, Node, add
from fcbench.evaluator.structures import compiled

_NOTHING: Final[JsonObject] = {}


class Reading(Record, frozen=True, kw_only=True, gc=False):
    """How one call's arguments were read against one expected call."""

    differences: tuple[Difference, ...]
    keys: int
    """Expected keys at the root."""
    right: int
    """Expected keys whose whole value is right."""
    fields: int
    """Leaves of the expected arguments that were compared, after forms, equivalents and omissions."""
    how: str | None = None
    """Why another form or tool means the same, where one was used."""


class Allowances:
    """What a contract lets a call leave out or add at the completion tiers."""

    __slots__ = ("defaults", "neutral")

    def __init__(self, contract: ToolContract) -> None:
        self.defaults: Mapping[str, JsonValue] = contract.defaults
        self.neutral = frozenset(contract.neutral_arguments)

    def may_add(self, key: str, value: JsonValue) -> bool:
        """Whether a key beyond the expected ones is no fault: declared neutral, or it says its default."""
        return key in self.neutral or (key in self.defaults and json_equal(value, self.defaults[key]))

    def may_omit(self, key: str, node: Node) -> bool:
        """Whether an expected key may be left out, because its default is the expected value."""
        return key in self.defaults and node.fits(self.defaults[key])


class Arguments:
    """The expected arguments of one step, compiled."""

    __slots__ = ("may_omit", "nodes", "perfect", "values")

    def __init__(self, values: JsonObject, may_omit: tuple[str, ...] = ()) -> None:
        self.values = values
        self.may_omit = frozenset(may_omit)
        self.nodes: dict[str, Node] = {key: compiled(value) for key, value in values.items()}
        self.perfect = Reading(
            differences=(), keys=len(values), right=len(values), fields=sum(node.leaves for node in self.nodes.values())
        )

    def is_whole(self, observed: JsonObject | None) -> bool:
        """Whether every expected key is there with its value, and no other."""
        if observed is None or observed.keys() != self.nodes.keys():
            return False
        for key, node in self.nodes.items():
            value = observed[key]
            if value not in node.words and not node.fits(value):
                return False
        return True

    def count(self, observed: JsonObject | None, allowed: Allowances | None = None) -> int:
        """How many differences `read` would name."""
        found = observed if observed is not None else _NOTHING
        wrong = shared = 0
        for key, node in self.nodes.items():
            if key in found:
                shared += 1
                value = found[key]
                if value not in node.words:
                    wrong += node.count(value)
            elif not self._may_be_absent(key, node, observed, allowed):
                wrong += 1
        extra = len(found) - shared
        if extra and allowed is not None:
            extra = sum(key not in self.nodes and not allowed.may_add(key, value) for key, value in found.items())
        return min(wrong + extra, MAX_DIFFERENCES)

    def read(self, observed: JsonObject | None, allowed: Allowances | None = None, how: str | None = None) -> Reading:
        """Compare one call's arguments, strictly or with what a contract allows.

        Args:
            observed: the arguments; None where they are not one JSON object, and then no default stands for a key.
            allowed: None at the strict tiers.
            how: why another form or tool means the same.
        """
        if how is None and self.is_whole(observed):
            return self.perfect
        found = observed if observed is not None else _NOTHING
        out: list[Difference] = []
        wrong = omitted = absent = shared = 0
        for key, node in self.nodes.items():
            if key in found:
                shared += 1
                value = found[key]
                if value not in node.words:
                    before = len(out)
                    node.name(value, (key,), out)
                    wrong += len(out) > before or before >= MAX_DIFFERENCES
            elif self._may_be_absent(key, node, observed, allowed):
                omitted += 1
                absent += node.leaves
            else:
                wrong += 1
                add(out, (key,), "missing", node)
        if len(found) > shared:
            self._name_extra(found, allowed, out)
        keys = len(self.nodes)
        return Reading(
            differences=tuple(out), keys=keys, right=keys - wrong, fields=self.perfect.fields - absent, how=how
        )

    def _name_extra(self, found: JsonObject, allowed: Allowances | None, out: list[Difference]) -> None:
        # Sorted, so that the order of a model's keys never shows in a verdict.
        for key in sorted(found.keys() - self.nodes.keys()):
            value = found[key]
            if not (allowed is not None and allowed.may_add(key, value)):
                add(out, (key,), "extra", None, value)

    def _may_be_absent(self, key: str, node: Node, observed: JsonObject | None, allowed: Allowances | None) -> bool:
        if observed is None:
            return False
        return key in self.may_omit or (allowed is not None and allowed.may_omit(key, node))
