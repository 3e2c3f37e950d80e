r"""Regular expressions of the contract subset: explicit classes, read by an own small parser.

PROTOCOL 8 allows patterns that are anchored and use explicit classes (no `\d`, `\w`, `\s`, `\p`, look-around or
back-references), since only there do all engines agree. What this module can read is therefore also what the lint
accepts. Python's own parser is private and changes between versions, and a sample must not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TypeAlias

MAX_REPEAT = 4
"""Repetitions above the minimum that a sample takes from an open or wide quantifier."""
MAX_GROUPS = 32
"""Deepest nesting of groups that is read."""
MAX_TEXT = 4096
"""Longest sample: `{1,100000}` inside another one is a bomb."""
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_NO_ESCAPES = frozenset("dDwWsSpPbBAZzkKxucXRGQE0123456789")
_SET_OPERATIONS = ("&&", "--", "~~", "||")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


class PatternError(ValueError):
    """A pattern leaves the contract subset; the text says where and why."""


@dataclass(frozen=True, slots=True)
class _Class:
    letters: str


@dataclass(frozen=True, slots=True)
class _Repeat:
    node: _Node
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _Sequence:
    nodes: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[_Node, ...]


_Node: TypeAlias = _Class | _Repeat | _Sequence | _Choice


class Pattern:
    """One parsed pattern.

    Attributes:
        anchored_start: whether every match begins at the start of the text (`^`).
        anchored_end: whether every match ends at the end of the text (`$`).
        has_dot: whether `.` occurs, on whose extent (line ends) engines disagree.

    Raises:
        PatternError: the pattern leaves the subset.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        body = source
        self.anchored_start = body.startswith("^")
        body = body[1:] if self.anchored_start else body
        self.anchored_end = body.endswith("$") and not _is_escaped(body, len(body) - 1)
        body = body[:-1] if self.anchored_end else body
        parser = _Parser(body, offset=int(self.anchored_start))
        self._root = parser.choice(0)
        if not parser.at_end:
            raise parser.error("an unmatched )")
        self.has_dot = parser.has_dot
        # `^a|b$` anchors each half on one side only.
        if isinstance(self._root, _Choice) and parser.bare_choice:
            self.anchored_start = self.anchored_end = False

    def sample(self, rng: random.Random) -> str:
        """A random text that the pattern matches, drawn with `rng.random()` only."""
        parts: list[str] = []
        _write(self._root, rng, parts)
        return "".join(parts)[:MAX_TEXT]


def pick(rng: random.Random, count: int) -> int:
    """A number from 0 to `count` - 1, from `rng.random()`, whose sequence is the same in every version of Python."""
    return int(rng.random() * count)


def _is_escaped(text: str, index: int) -> bool:
    before = text[:index]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _write(node: _Node, rng: random.Random, parts: list[str]) -> None:
    if len(parts) > MAX_TEXT:
        return
    if isinstance(node, _Class):
        parts.append(node.letters[pick(rng, len(node.letters))])
    elif isinstance(node, _Sequence):
        for item in node.nodes:
            _write(item, rng, parts)
    elif isinstance(node, _Choice):
        _write(node.options[pick(rng, len(node.options))], rng, parts)
    else:
        for _ in range(min(node.low, MAX_TEXT) + pick(rng, min(node.high - node.low, MAX_REPEAT) + 1)):
            _write(node.node, rng, parts)


class _Parser:
    """Recursive descent over one pattern."""

    def __init__(self, text: str, *, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.place = 0
        self.bare_choice = False
        self.has_dot = False

    @property
    def at_end(self) -> bool:
        return self.place >= len(self.text)

    def error(self, reason: str) -> PatternError:
        return PatternError(f"{reason} at position {self.place + self.offset + 1}")

    def _peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def _take(self) -> str:
        letter = self._peek()
        if not letter:
            raise self.error("the pattern ends too early")
        self.place += 1
        return letter

    def choice(self, depth: int) -> _Node:
        if depth > MAX_GROUPS:
            raise self.error(f"more than {MAX_GROUPS} nested groups")
        options = [self._sequence(depth)]
        while self._peek() == "|":
            self.bare_choice = self.bare_choice or depth == 0
            self._take()
            options.append(self._sequence(depth))
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def _sequence(self, depth: int) -> _Node:
        nodes: list[_Node] = []
        while self._peek() not in ("", "|", ")"):
            nodes.append(self._quantified(self._atom(depth)))
        return nodes[0] if len(nodes) == 1 else _Sequence(tuple(nodes))

    def _atom(self, depth: int) -> _Node:
        letter = self._take()
        if letter == "(":
            if self._peek() == "?":
                if self.text[self.place : self.place + 2] != "?:":
                    raise self.error("a group other than (...) or (?:...)")
                self.place += 2
            inside = self.choice(depth + 1)
            if self._peek() != ")":
                raise self.error("a group that is not closed")
            self._take()
            return inside
        if letter == "[":
            return self._class()
        if letter == ".":
            self.has_dot = True
            return _Class(_PRINTABLE)
        if letter == "\\":
            return _Class(self._escape())
        if letter in "^$":
            raise self.error(f"{letter} inside the pattern")
        if letter in "*+?{}]":
            raise self.error(f"{letter} with nothing before it, or unescaped,")
        return _Class(letter)

    def _escape(self) -> str:
        letter = self._take()
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter in _NO_ESCAPES or letter.isalpha():
            raise self.error(f"\\{letter}, which is no explicit class,")
        return letter

    def _class(self) -> _Class:
        negated = self._peek() == "^"
        if negated:
            self._take()
        letters: dict[str, None] = {}
        while self._peek() != "]":
            if self.text[self.place : self.place + 2] in _SET_OPERATIONS:
                raise self.error("a doubled sign, which some engines read as a set operation,")
            first = self._class_letter()
            if self._peek() == "-" and self.text[self.place + 1 : self.place + 2] not in ("]", ""):
                self._take()
                last = self._class_letter()
                if ord(last) < ord(first) or ord(last) - ord(first) > 2000:
                    raise self.error(f"the range {first}-{last}")
                letters.update(dict.fromkeys(map(chr, range(ord(first), ord(last) + 1))))
            else:
                letters[first] = None
        self._take()
        found = "".join(letter for letter in _PRINTABLE if letter not in letters) if negated else "".join(letters)
        if not found:
            raise self.error("an empty class")
        return _Class(found)

    def _class_letter(self) -> str:
        letter = self._take()
        if letter == "[":
            raise self.error("[ unescaped inside a class")
        return self._escape() if letter == "\\" else letter

    def _quantified(self, node: _Node) -> _Node:
        sign = self._peek()
        if sign not in ("*", "+", "?", "{") or not sign:
            return node
        self._take()
        low, high = {"*": (0, MAX_TEXT), "+": (1, MAX_TEXT), "?": (0, 1)}.get(sign) or self._bounds()
        if self._peek() in ("*", "+", "?", "{"):
            raise self.error("a lazy, possessive or doubled quantifier")
        return _Repeat(node, low, high)

    def _bounds(self) -> tuple[int, int]:
        end = self.text.find("}", self.place)
        inside = self.text[self.place : end] if end >= 0 else ""
        low, comma, high = inside.partition(",")
        if not _is_count(low) or (high and not _is_count(high)):
            raise self.error("a quantifier other than {n}, {n,} or {n,m}")
        self.place = end + 1
        first = int(low)
        last = int(high) if high else (first + MAX_TEXT if comma else first)
        if last < first:
            raise self.error("a quantifier whose end lies before its start")
        return first, last


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 6
