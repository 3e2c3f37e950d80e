"""The base of every record: frozen, keyword-only, unknown fields refused.

Defaults are left out of the encoded form, so that a field added later changes no digest of an older record.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from fcbench.core.canonical import MAX_DEPTH, clean_text, digest, parse_json
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.errors import BadInputError

MAX_LINE_BYTES = 1 << 30
"""Longest line that is read: an attempt may hold several replies of 16 MB, each raw and parsed."""
MAX_LINE_DEPTH = MAX_DEPTH + 16
"""Records nest a few levels around what they hold."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """Base class of all records."""


R = TypeVar("R", bound=Record)


def to_plain(record: Record) -> JsonObject:
    """The record as plain JSON values (dicts, lists, strings, numbers, booleans, None)."""
    plain = _lists(msgspec.to_builtins(record))
    assert isinstance(plain, dict)
    return plain


def _lists(value: object) -> JsonValue:
    """The same with lists for tuples: msgspec leaves tuples, which are no JSON and equal no list."""
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, tuple | list) else value


def from_plain(value: JsonValue, kind: type[R], *, where: str | None = None) -> R:
    """Read a record from plain JSON values.

    Raises:
        BadInputError: a field is missing, unknown or of the wrong type; the message names it.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise BadInputError(
            f"this is not a valid {kind.__name__} record",
            found=str(error),
            where=where,
            next_step=f"compare it with docs/reference/schemas/{kind.__name__}.json",
        ) from error


def encode_line(record: Record) -> bytes:
    """One record as one line of JSON, UTF-8, newline included."""
    return msgspec.json.encode(record) + b"\n"


def decode_line(line: bytes, kind: type[R], *, where: str | None = None) -> R:
    """Read one line of JSON strictly (duplicate keys, NaN and lone surrogates are refused).

    Raises:
        JsonError: the line is not one strict JSON value.
        BadInputError: the value is not a record of this kind.
    """
    value = parse_json(line, max_bytes=MAX_LINE_BYTES, max_depth=MAX_LINE_DEPTH, where=where)
    return from_plain(value, kind, where=where)


def record_digest(record: Record) -> Digest:
    """SHA-256 of the record's canonical JSON (RFC 8785)."""
    return digest(to_plain(record))


__all__ = ["Record", "clean_text", "decode_line", "encode_line", "from_plain", "record_digest", "to_plain"]
