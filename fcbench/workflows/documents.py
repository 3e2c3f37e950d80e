"""JSON documents in a stream: one value, JSON Lines, or values one after another, each found before it is parsed.

A document ends where its brackets are closed. A faulty one must not take the next ones with it, so it ends at the
latest before a line that can only begin another document. Every byte but white space belongs to one document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from fcbench.core.canonical import MAX_BYTES
from fcbench.core.records import Record

_SPACE = b" \t\r\n"
_NOT_SPACE = re.compile(rb"[^ \t\r\n]")
_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*+"?|[\[\]{}]')
_STRING = re.compile(rb'"(?:[^"\\\n]|\\.)*+"')
_SCALAR = re.compile(rb'(?:-?[0-9][0-9.eE+-]*+|true|false|null)(?=[ \t\r\n\[{"]|\Z)')
# A byte order mark stays in its document, which the parser then refuses for it.
_BRACKET = re.compile(rb"(?:\xef\xbb\xbf)?[\[{]")
_VALUE = re.compile(rb'[\[{"0-9-]')
_MAX_OPEN = 4096
"""Open brackets whose kind is remembered; deeper ones are counted only, and no strict reader takes them."""


class Document(Record, frozen=True, kw_only=True):
    """The text of one document, and where it stands."""

    text: bytes | None
    """Without white space around it; None where it is larger than `MAX_BYTES`."""
    size: int
    """Bytes that were read for it."""
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    part: int = 1
    """From 1: which of the documents that begin on this line."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One line, or the rest of one that begins at `start`."""

    raw: bytes
    line: int
    start: int = 0
    column: int = 1
    is_cut: bool = False
    """Whether the line goes on: it is longer than `MAX_BYTES`."""

    @property
    def first(self) -> bytes:
        """The first byte."""
        return self.raw[self.start : self.start + 1]


class _Open:
    """A document that has begun."""

    def __init__(self, first: _Piece) -> None:
        self.first = first
        self.text = bytearray()
        self.size = 0
        self.depth = 0
        self.is_broken = False
        """Whether it cannot be JSON any more, so that brackets say nothing about its end."""
        self.whole_line: tuple[int, int] | None = None
        """Where in the text, and on which line, the first line inside begins that looks like a document of its own."""
        self._brackets = bytearray()
        self._before = b""

    def take(self, piece: _Piece, stop: int | None = None) -> None:
        """Add a line, or a part of one up to `stop`; beyond the limit only the size is kept."""
        raw = piece.raw[piece.start : stop]
        self.size += len(raw)
        self._before = raw.rstrip(_SPACE)[-1:] or self._before
        self.is_broken = self.is_broken or piece.is_cut
        if self.size <= MAX_BYTES:
            self.text += raw
        else:
            self.text, self.whole_line = bytearray(), None

    def end(self, piece: _Piece) -> int | None:
        """Where the document ends on this line; None where it goes on, or is found to be broken."""
        if self.is_broken or piece.is_cut:
            return None
        if not self.size and not _BRACKET.match(piece.raw, piece.start):
            scalar = (_STRING if piece.first == b'"' else _SCALAR).match(piece.raw, piece.start)
            self.is_broken = scalar is None
            return scalar.end() if scalar else None
        for token in _TOKEN.finditer(piece.raw, piece.start):
            if piece.raw[token.start()] != ord('"'):
                self._count(token[0])
                if self.depth == 0:
                    return token.end()
            elif not _STRING.fullmatch(token[0]):
                self.is_broken = True
                return None
        return None

    def _count(self, bracket: bytes) -> None:
        if bracket in b"[{":
            self.depth += 1
            if len(self._brackets) < _MAX_OPEN:
                self._brackets += bracket
        else:
            self.depth -= 1
            del self._brackets[max(self.depth, 0) :]

    def allows_bracket(self) -> bool:
        """Whether an array or an object may stand here, if the document is JSON."""
        if self.depth > len(self._brackets):
            return True
        return self._before in ((b"[", b",") if self._brackets[-1:] == b"[" else (b":",))

    def close(self) -> Document:
        """The document as far as it was read."""
        text = bytes(self.text.strip(_SPACE)) if self.size <= MAX_BYTES else None
        return Document(text=text, size=self.size, line=self.first.line, column=self.first.column)


class _Splitter:
    """Reads lines and hands out documents."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._again = BytesIO()
        """What is read a second time, before the stream goes on."""
        self._rest: _Piece | None = None
        """What follows a document on its line."""
        self._line = 0
        self._in_line = False
        self._again_until = 0
        """Lines up to this one are read a second time: here each bracket at a line's beginning begins a document."""

    def documents(self) -> Iterator[Document]:
        """All documents, in order."""
        current: _Open | None = None
        while True:
            piece = self._next()
            if current is not None and (piece is None or self._begins_another(current, piece)):
                yield self._cut(current, piece)
                current = None
            elif piece is None:
                return
            elif current is not None or (piece := _without_space(piece)):
                current = current or _Open(piece)
                if self._read(current, piece):
                    yield current.close()
                    current = None

    def _next(self) -> _Piece | None:
        if self._rest is not None:
            rest, self._rest = self._rest, None
            return rest
        raw = self._again.readline(MAX_BYTES + 1) or self._stream.readline(MAX_BYTES + 1)
        if not raw:
            return None
        begins = not self._in_line
        self._line += begins
        self._in_line = not raw.endswith(b"\n")
        return _Piece(raw, self._line, column=1 if begins else MAX_BYTES, is_cut=len(raw) > MAX_BYTES)

    def _begins_another(self, current: _Open, piece: _Piece) -> bool:
        if piece.column > 1:
            return False
        if current.depth == 0:  # broken without a bracket: a word, or a text that does not end
            return _VALUE.match(piece.raw) is not None
        if piece.first not in (b"[", b"{"):
            return False
        if current.is_broken or piece.line <= self._again_until or not current.allows_bracket():
            return True
        if current.whole_line is None and _is_whole(piece.raw):
            current.whole_line = len(current.text), piece.line
        return False

    def _read(self, current: _Open, piece: _Piece) -> bool:
        """Add a piece to the open document; whether that closes it. What follows on the line waits."""
        end = current.end(piece)
        current.take(piece, end)
        if end is None:
            return False
        if _NOT_SPACE.search(piece.raw, end):
            column = piece.column + len(piece.raw[piece.start : end].decode("utf-8", "replace"))
            self._rest = _Piece(piece.raw, piece.line, end, column)
        return True

    def _cut(self, current: _Open, following: _Piece | None) -> Document:
        """Close a document that did not end by itself, and read again what may not have been part of it."""
        if current.whole_line is None:
            self._rest = following
            return current.close()
        start, line = current.whole_line
        self._again = BytesIO(bytes(current.text[start:]) + (following.raw if following else b""))
        self._again_until = self._line
        self._line = line - 1
        self._in_line = False
        current.size = start
        del current.text[start:]
        return current.close()


def _without_space(piece: _Piece) -> _Piece | None:
    found = _NOT_SPACE.search(piece.raw, piece.start)
    if found is None:
        return None
    column = piece.column + found.start() - piece.start
    return _Piece(piece.raw, piece.line, found.start(), column, piece.is_cut)


def _is_whole(line: bytes) -> bool:
    """Whether a line looks like a document of JSON Lines: it closes what it opens, and nothing follows."""
    return open_brackets(line) == 0 and line.rstrip(_SPACE)[-1:] in (b"]", b"}")


def read_documents(stream: BinaryIO) -> Iterator[Document]:
    """Every JSON document of a stream, faulty ones included, with one document in memory at a time."""
    part, line = 0, 0
    for found in _Splitter(stream).documents():
        part = part + 1 if found.line == line else 1
        line = found.line
        yield Document(text=found.text, size=found.size, line=line, column=found.column, part=part)


def open_brackets(line: bytes) -> int:
    """How many brackets a line opens and does not close, texts left out; negative where it closes more."""
    brackets = [token[0] for token in _TOKEN.finditer(line) if token[0] in b"[]{}"]
    return sum(1 if bracket in b"[{" else -1 for bracket in brackets)
