"""Expected values, compiled once and compared many times.

A case is judged for every model, repeat and tier, so its expected values are turned into nodes when its plan is made.
Every node answers three questions about an observed value: does it fit, by how many differences is it wrong, and which
are they. The first two make no records; they are what matching asks of every pair of step and call.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, Literal

from fcbench.core.comparators import comparator_of, concrete
from fcbench.core.names import JsonValue, StepId
from fcbench.evaluator.wording import bounded, quoted

MAX_DIFFERENCES: Final = 1000
"""Differences that are named for one call: a hostile object of a million keys must not become a million records."""

Path = tuple[str | int, ...]


DifferenceKind = Literal["wrong", "missing", "extra", "unresolved"]


class Difference:
    """One place where an observed value is not the expected one.

    Attributes:
        path: where.
        kind: `missing` and `extra` are keys or items.
        node: the expected value; None for an extra one, but for the first item of a list that should be empty: there it
            is that list, which is lost.
        found: the observed value; None for a missing one.
    """

    __slots__ = ("found", "kind", "node", "path")

    def __init__(self, path: Path, kind: DifferenceKind, node: Node | None, found: JsonValue = None) -> None:
        self.path = path
        self.kind = kind
        self.node = node
        self.found = found

    @property
    def expected(self) -> JsonValue:
        """The expected value as the case has it."""
        return self.node.value if self.node is not None else None


class Unresolved:
    """Stands in an expected value where a reference found no successful source (PROTOCOL 3)."""

    def __init__(self, step: StepId) -> None:
        self.step = step


class Open:
    """Stands in an expected value for a reference whose source is still open: everything matches it."""


def plainly(value: JsonValue) -> JsonValue:
    """An expected value as a reader wants to see it: comparators by what they stand for."""
    if isinstance(value, Unresolved | Open):
        return None
    if isinstance(value, list):
        return [plainly(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = comparator_of(value)
    if found is None:
        return {key: plainly(item) for key, item in value.items()}
    name, body = found
    if name in ("regex", "tolerance"):
        return value
    if name == "set":
        return plainly(body)
    if name == "one_of":
        return {"$one_of": plainly(body)}
    return None if name == "from" else concrete(value)


class Node:
    """One expected value.

    Attributes:
        value: as the case has it.
        words: texts and numbers that fit as they stand; `found in words` spares most calls of `fits`.
        leaves: how many fields it counts for (PROTOCOL 5): scalars, comparators but `$set`, and empty lists and
            objects count one each.
    """

    __slots__ = ("_shown", "leaves", "value", "words")

    def __init__(self, value: JsonValue, leaves: int = 1, words: tuple[JsonValue, ...] = ()) -> None:
        self.value = value
        self.leaves = leaves
        self.words = words
        self._shown: tuple[JsonValue, str] | None = None

    @property
    def shown(self) -> tuple[JsonValue, str]:
        """The value as a reader wants to see it, cut, and quoted on one line."""
        if self._shown is None:
            plain = plainly(self.value)
            self._shown = (bounded(plain), quoted(plain))
        return self._shown

    def fits(self, found: JsonValue) -> bool:
        """Whether an observed value is the expected one."""
        raise NotImplementedError

    def count(self, found: JsonValue) -> int:
        """How many differences `name` would give."""
        return 0 if self.fits(found) else 1

    def name(self, found: JsonValue, path: Path, out: list[Difference]) -> None:
        """Add every difference, until `out` holds `MAX_DIFFERENCES`."""
        if not self.fits(found):
            add(out, path, "wrong", self, found)


def add(out: list[Difference], path: Path, kind: DifferenceKind, node: Node | None, found: JsonValue = None) -> None:
    """Name one difference, unless there are enough."""
    if len(out) < MAX_DIFFERENCES:
        out.append(Difference(path, kind, node, found))


class Text(Node):
    """A text, equal after NFC."""

    __slots__ = ("normal",)

    def __init__(self, value: str) -> None:
        self.normal = unicodedata.normalize("NFC", value)
        super().__init__(value, words=(value,) if value == self.normal else (value, self.normal))

    def fits(self, found: JsonValue) -> bool:
        """Equal, or equal after NFC."""
        if found in self.words:
            return True
        # An ASCII text is its own normal form.
        return isinstance(found, str) and not found.isascii() and unicodedata.normalize("NFC", found) == self.normal


class Number(Node):
    """A number: `1` equals `1.0`, and `True` is none."""

    __slots__ = ()

    def __init__(self, value: float) -> None:
        # Python takes True for 1 and False for 0; every other number equals numbers alone.
        super().__init__(value, words=() if value in (0, 1) else (value,))

    def fits(self, found: JsonValue) -> bool:
        """The same number."""
        return found == self.value and not isinstance(found, bool)


class Same(Node):
    """The very object: true, false or null."""

    __slots__ = ()

    def fits(self, found: JsonValue) -> bool:
        """The same constant."""
        return found is self.value


class Test(Node):
    """A comparator that is one function of the two values, or plain JSON equality."""

    __slots__ = ("body", "test")

    def __init__(self, value: JsonValue, test: Callable[[JsonValue, JsonValue], bool], body: JsonValue) -> None:
        super().__init__(value)
        self.test = test
        self.body = body

    def fits(self, found: JsonValue) -> bool:
        """What the comparator says."""
        return self.test(self.body, found)


class Anything(Node):
    """An open reference."""

    __slots__ = ()

    def fits(self, found: JsonValue) -> bool:
        """Always."""
        return True


class Nothing(Node):
    """A reference without a successful source."""

    __slots__ = ()

    def fits(self, found: JsonValue) -> bool:
        """Never."""
        return False

    def name(self, found: JsonValue, path: Path, out: list[Difference]) -> None:
        """One difference of its own kind; the step stands for the expected value."""
        add(out, path, "unresolved", self, found)


class OneOf(Node):
    """Alternatives."""

    __slots__ = ("are_texts", "options")

    def __init__(self, value: JsonValue, options: Sequence[Node]) -> None:
        super().__init__(value, words=tuple(word for option in options for word in option.words))
        self.options = tuple(options)
        self.are_texts = all(type(option) is Text for option in options)

    def fits(self, found: JsonValue) -> bool:
        """Any of them fits."""
        if found in self.words:
            return True
        if self.are_texts and (not isinstance(found, str) or found.isascii()):
            return False
        for option in self.options:
            if option.fits(found):
                return True
        return False
