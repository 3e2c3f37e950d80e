"""JSON, decided once: strict parsing, canonical form, digests, equality and pointers.

Python's own `json` accepts NaN, keeps the last of two equal keys and thinks that `True == 1`. None of that may
decide a verdict, so everything that reads or compares foreign JSON goes through this module.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NoReturn

import rfc8785

from fcbench.core.names import Digest, JsonValue, Pointer
from fcbench.errors import JsonError

MAX_BYTES = 16 * 1024 * 1024
"""Largest JSON text that is parsed; a reply of 10 MB must still be read (docs/reference/outcomes)."""
MAX_DEPTH = 64
"""Deepest nesting that is parsed. Contracts need at most about ten; a hostile text may hold millions."""
MAX_NUMBER_LENGTH = 400
"""Longest number literal. The largest double has 309 digits; Python's own limit of 4300 is a run-time option."""

_SURROGATE = re.compile(f"[{chr(0xD800)}-{chr(0xDFFF)}]")
# A string that never closes swallows the rest: a scan that restarted inside it would be quadratic.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_MAX_SAFE_INTEGER = 2**53 - 1


def parse_json(
    text: str | bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, where: str | None = None
) -> JsonValue:
    """Parse one JSON value after RFC 8259, strictly.

    Refused beyond what RFC 8259 refuses: duplicate keys, NaN and Infinity, numbers that overflow a double, lone
    surrogates, a byte order mark, nesting deeper than `max_depth`, more than `max_bytes` bytes of UTF-8.

    Raises:
        JsonError: with the reason and, where it is known, the position.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(raw) > max_bytes:
        _refuse(f"the text has {len(raw):,} bytes", f"at most {max_bytes:,} bytes", where)
    string = _decode(raw, where)
    _check_depth(string, max_depth, where)
    try:
        value: JsonValue = json.loads(
            string,
            object_pairs_hook=_unique_object,
            parse_constant=_no_constant,
            parse_float=_finite_float,
            parse_int=_short_integer,
        )
    except json.JSONDecodeError as error:
        _refuse(f"{error.msg} at line {error.lineno}, column {error.colno}", "one JSON value", where)
    except _NotStrictError as error:
        _refuse(error.found, error.wanted, where)
    except RecursionError:
        _refuse("the nesting is too deep", f"at most {max_depth} levels", where)
    if "\\u" in string and any(_SURROGATE.search(text) for text in _strings(value)):
        _refuse("a lone surrogate (an escape like \\ud800 without its other half)", "Unicode text", where)
    return value


class _NotStrictError(ValueError):
    def __init__(self, found: str, wanted: str) -> None:
        super().__init__(found)
        self.found = found
        self.wanted = wanted


def _refuse(found: str, wanted: str, where: str | None) -> NoReturn:
    raise JsonError("the text is not strict JSON", wanted=wanted, found=found, where=where)


def _decode(raw: bytes, where: str | None) -> str:
    try:
        string = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(f"byte {error.start} is not UTF-8", "UTF-8 text", where)
    if string.startswith("\ufeff"):
        _refuse("a byte order mark", "JSON text that begins with its value", where)
    return string


def _check_depth(string: str, max_depth: int, where: str | None) -> None:
    # Fewer brackets than the limit cannot nest deeper: nearly every text ends here.
    if string.count("[") + string.count("{") <= max_depth:
        return
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(string):
        letter = string[token.start()]
        depth += 1 if letter in "[{" else -1 if letter in "]}" else 0
        if depth > max_depth:
            _refuse(f"more than {max_depth} levels of nesting", f"at most {max_depth} levels", where)


def _unique_object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = Counter(key for key, _ in pairs)
        twice = next(key for key, count in keys.items() if count > 1)
        raise _NotStrictError(f"the key {twice[:80]!r} stands twice in one object", "each key once")
    return value


def _no_constant(name: str) -> NoReturn:
    raise _NotStrictError(f"{name}, which is not JSON", "a finite number")


def _finite_float(literal: str) -> float:
    number = float(literal) if len(literal) <= MAX_NUMBER_LENGTH else math.inf
    if math.isinf(number):
        raise _NotStrictError(f"the number {literal[:40]}, which no double can hold", "a finite number")
    return number


def _short_integer(literal: str) -> int:
    if len(literal) > MAX_NUMBER_LENGTH:
        raise _NotStrictError(f"an integer of {len(literal):,} digits", f"at most {MAX_NUMBER_LENGTH} digits")
    return int(literal)


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)


def clean_text(text: str) -> str:
    """Text that every encoder accepts: lone surrogates become U+FFFD. Keep a digest of the raw bytes beside it."""
    return _SURROGATE.sub("\ufffd", text)


def clean_json(value: JsonValue) -> JsonValue:
    """The same for every string and key inside a JSON value."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean_json(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): clean_json(item) for key, item in value.items()}
    return value


def canonical_bytes(value: JsonValue) -> bytes:
    """Canonical JSON after RFC 8785, UTF-8.

    Raises:
        JsonError: an integer beyond 2^53 - 1, a number that is not finite, or a lone surrogate.
    """
    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise JsonError(
            "the value has no canonical form",
            wanted="integers within 2^53 - 1, finite numbers, Unicode text (RFC 8785)",
            found=str(error)[:200],
        ) from error


def canonical_text(value: JsonValue) -> str:
    """Canonical JSON after RFC 8785 as a string."""
    return canonical_bytes(value).decode("utf-8")


def digest(value: JsonValue) -> Digest:
    """SHA-256 of the canonical JSON of a value.

    Raises:
        JsonError: see `canonical_bytes`.
    """
    return digest_bytes(canonical_bytes(value))


def digest_bytes(raw: bytes) -> Digest:
    """SHA-256 of bytes."""
    return Digest(hashlib.sha256(raw).hexdigest())


def digest_text(text: str) -> Digest:
    """SHA-256 of the UTF-8 of a text, lone surrogates included as they came."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def json_equal(left: JsonValue, right: JsonValue) -> bool:
    """Equality of JSON values (PROTOCOL 3, comparator `exact`).

    `True` is not `1`; `1` equals `1.0` (JSON has one kind of number); strings are compared after NFC; the order of
    keys does not matter, the order of items does.
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str):
        return isinstance(right, str) and (left == right or _nfc(left) == _nfc(right))
    if isinstance(left, int | float):
        return isinstance(right, int | float) and left == right
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(json_equal, left, right))
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(json_equal(item, right[key]) for key, item in left.items())
        )
    return left is None and right is None


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def pointer(*parts: str | int) -> Pointer:
    """A JSON Pointer (RFC 6901) from its parts, escaped."""
    return Pointer("".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts))


def pointer_parts(text: str) -> tuple[str, ...]:
    """The unescaped parts of a JSON Pointer.

    Raises:
        JsonError: the text neither is empty nor begins with a slash.
    """
    if text and not text.startswith("/"):
        raise JsonError("this is not a JSON Pointer", wanted="an empty text, or one that begins with /", found=text)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


_MISSING = object()
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def resolve_pointer(value: JsonValue, text: str) -> JsonValue:
    """What a JSON Pointer points at.

    Raises:
        KeyError: there is nothing at that place.
    """
    for part in pointer_parts(text):
        found: JsonValue = _MISSING
        if isinstance(value, dict):
            found = value.get(part, _MISSING)
        elif isinstance(value, list) and _INDEX.fullmatch(part) and int(part) < len(value):
            found = value[int(part)]
        if found is _MISSING:
            raise KeyError(text)
        value = found
    return value


def is_safe_integer(value: JsonValue) -> bool:
    """Whether a value is an integer that RFC 8785 can write."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MAX_SAFE_INTEGER
