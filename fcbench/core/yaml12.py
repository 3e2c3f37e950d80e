"""YAML as people write cases and contracts, read after YAML 1.2's core schema, with a line for every field.

PyYAML builds the nodes; its YAML 1.1 guesses are switched off, since there `NO` is false, `012` is ten, `1_000` is a
number and a date is an object. What comes out is JSON: keys are texts, numbers are finite and have a canonical form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

import msgspec
import yaml

from fcbench.core.canonical import MAX_DEPTH, is_safe_integer, pointer, pointer_parts, resolve_pointer
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.errors import BadInputError, NotFoundError

MAX_FILE_BYTES = 16 * 1024 * 1024
"""Largest YAML file that is read."""
MAX_VALUES = 300_000
"""Values after anchors are expanded; nine lines of aliases ("billion laughs") would otherwise fill the memory."""

_PLAIN = "fcbench:plain"
_STRING = "tag:yaml.org,2002:str"
_MAPPING = "tag:yaml.org,2002:map"
_SEQUENCE = "tag:yaml.org,2002:seq"
_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DIGITS = 400
_MSGSPEC_PATH = re.compile(r" - at `(?:key in )?(\$[^`]*)`$")
_PATH_PART = re.compile(r"\.([^.\[\]]+)|\[([0-9]+|\.\.\.)\]")
_FIELD = re.compile(r"unknown field `([^`]*)`")

R = TypeVar("R", bound=Record)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The fast parser where PyYAML was built with it; every plain scalar gets our own tag instead of a guess."""


_Loader.yaml_implicit_resolvers = {None: [(_PLAIN, re.compile(".*", re.DOTALL))]}


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file: its value, and where each part of it stands.

    Attributes:
        value: plain JSON.
        file: the file's name as it is shown in messages.
        lines: JSON Pointer -> line, from 1.
        error: the error that complaints about this file are raised as.
    """

    value: JsonValue
    file: str
    lines: dict[str, int]
    error: type[BadInputError] = BadInputError

    def line_of(self, place: str) -> int:
        """The line of a JSON Pointer; of the nearest part above it where that place does not exist."""
        while place not in self.lines and place:
            place = place.rpartition("/")[0]
        return self.lines.get(place, 1)

    def where(self, place: str = "") -> str:
        """`file:line`, and the field where it is not the whole file."""
        return f"{self.file}:{self.line_of(place)}" + (f", field {place}" if place else "")

    def complain(
        self,
        message: str,
        place: str = "",
        *,
        wanted: str | None = None,
        found: str | None = None,
        next_step: str | None = None,
    ) -> BadInputError:
        """An error of this document's kind that points at a place in it, to be raised by the caller."""
        return self.error(message, wanted=wanted, found=found, where=self.where(place), next_step=next_step)

    def read(self, kind: type[R], place: str = "", value: JsonValue = None) -> R:
        """One record from the value at a place (or from `value`, if the caller has already completed it).

        Raises:
            BadInputError: of this document's kind: a field is missing, unknown or of the wrong type.
        """
        source = resolve_pointer(self.value, place) if value is None else value
        try:
            return msgspec.convert(source, kind)
        except msgspec.ValidationError as error:
            reason, deeper = _explain(str(error))
            raise self.complain(
                f"this is not a valid {kind.__name__}",
                place + deeper,
                found=reason,
                next_step=f"compare it with docs/reference/schemas/{kind.__name__}.json",
            ) from error


def _explain(text: str) -> tuple[str, str]:
    """A message of msgspec without its path, and the path as a JSON Pointer."""
    path = _MSGSPEC_PATH.search(text)
    parts = [name or index for name, index in _PATH_PART.findall(path.group(1))] if path else []
    if "..." in parts:
        parts = parts[: parts.index("...")]
    unknown = _FIELD.search(text)
    if unknown:
        parts.append(unknown.group(1))
    return _MSGSPEC_PATH.sub("", text), pointer(*parts)


def load_yaml(path: Path, *, error: type[BadInputError] = BadInputError, name: str | None = None) -> Document:
    """Read one YAML file.

    Args:
        path: the file.
        error: the kind of error to raise for what is wrong inside it.
        name: how the file is called in messages; its path where it is not given.

    Raises:
        NotFoundError: the file does not exist or cannot be read.
        BadInputError: of the kind asked for; see `parse_yaml`.
    """
    shown = name or str(path)
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except OSError as failure:
        raise NotFoundError(
            "the file cannot be read", wanted="a readable YAML file", found=failure.strerror, where=shown
        ) from failure
    return parse_yaml(raw, name=shown, error=error)


def parse_yaml(raw: bytes, *, name: str, error: type[BadInputError] = BadInputError) -> Document:
    """Parse one YAML document after the core schema of YAML 1.2.

    Refused: duplicate keys, keys that are not texts, explicit tags but `!!str`, `.inf` and `.nan`, integers beyond
    2^53 - 1, several documents in one file, nesting deeper than `MAX_DEPTH`, recursive anchors, more than
    `MAX_VALUES` values after expansion, more than `MAX_FILE_BYTES` bytes. Anchors and merge keys (`<<`) are allowed.

    Raises:
        BadInputError: of the kind asked for, with file, line and field.
    """
    if len(raw) > MAX_FILE_BYTES:
        raise error(
            "the file is too large", wanted=f"at most {MAX_FILE_BYTES:,} bytes", found="more than that", where=name
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = raw[: failure.start].count(b"\n") + 1
        raise error(
            "the file is not UTF-8", wanted="UTF-8 text", found=f"byte {failure.start}", where=f"{name}:{line}"
        ) from failure
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as failure:
        raise _syntax(failure, text, name, error) from failure
    except RecursionError as failure:
        raise error("the YAML is nested too deeply", wanted=f"at most {MAX_DEPTH} levels", where=name) from failure
    builder = _Builder(name, error)
    value = None if node is None else builder.build(node, "", 0)
    return Document(value, name, builder.lines, error)


def _syntax(failure: yaml.YAMLError, text: str, name: str, error: type[BadInputError]) -> BadInputError:
    mark = getattr(failure, "problem_mark", None)
    problem = str(getattr(failure, "problem", None) or failure).splitlines()[0]
    if mark is None:
        return error("the file is not YAML", wanted="one YAML 1.2 document", found=problem, where=name)
    lines = text.splitlines() or [""]
    line = lines[min(mark.line, len(lines) - 1)]
    where = f"{name}:{mark.line + 1}"
    if "\t" in line[: max(mark.column + 1, len(line) - len(line.lstrip()))]:
        return error(
            "a tab stands where YAML allows only spaces",
            wanted="spaces in the indentation and between a dash or colon and its value",
            found=f"a tab in {line[:60]!r}",
            where=where,
            next_step="replace each tab by spaces (`expand -t 2` does it)",
        )
    return error(
        "the file is not YAML",
        wanted="one YAML 1.2 document",
        found=f"{problem} at column {mark.column + 1}: {line[:80]!r}",
        where=where,
    )


class _Builder:
    """Turns nodes into JSON and remembers lines."""

    def __init__(self, name: str, error: type[BadInputError]) -> None:
        self.name = name
        self.error = error
        self.lines: dict[str, int] = {}
        self._count = 0
        self._open: list[yaml.Node] = []

    def build(self, node: yaml.Node, place: str, depth: int) -> JsonValue:
        self._count += 1
        if self._count > MAX_VALUES:
            self._refuse(node, place, "the anchors expand to too much", f"at most {MAX_VALUES:,} values", "more")
        if any(node is above for above in self._open):
            self._refuse(node, place, "an anchor contains itself", "a tree", "an alias inside its own anchor")
        if depth > MAX_DEPTH:
            above = pointer(*pointer_parts(place)[:8])
            self._refuse(node, above, "the YAML is nested too deeply", f"at most {MAX_DEPTH} levels", "more")
        self.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, place)
        if node.tag not in (_MAPPING, _SEQUENCE, _PLAIN):
            self._refuse(node, place, "explicit tags are not used here", "no tag", node.tag)
        self._open.append(node)
        value: JsonValue
        if isinstance(node, yaml.SequenceNode):
            value = [self.build(item, f"{place}/{index}", depth + 1) for index, item in enumerate(node.value)]
        else:
            value = self._mapping(node.value, place, depth)
        self._open.pop()
        return value

    def _mapping(self, pairs: list[tuple[yaml.Node, yaml.Node]], place: str, depth: int) -> JsonObject:
        own: JsonObject = {}
        first: dict[str, int] = {}
        merged: list[yaml.Node] = []
        for key, item in pairs:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.tag == _PLAIN and key.value == "<<":
                merged += item.value if isinstance(item, yaml.SequenceNode) else [item]
                continue
            name = self._key(key, place)
            inner = place + pointer(name)
            if name in own:
                found = f"{name!r} in line {first[name]} and in line {line}"
                self._refuse(key, inner, "a key stands twice in one mapping", "each key once", found)
            first[name] = line
            # What is merged in comes later and must not take the line of a key that stands here.
            self.lines.setdefault(inner, line)
            own[name] = self.build(item, inner, depth + 1)
        for source in merged:
            value = self.build(source, place, depth)
            if not isinstance(value, dict):
                self._refuse(source, place, "<< merges a mapping, or a list of mappings", "a mapping", "something else")
            own = {**value, **own}
        return own

    def _key(self, key: yaml.Node, place: str) -> str:
        name = self._scalar(key, place) if isinstance(key, yaml.ScalarNode) else None
        if not isinstance(name, str):
            found = repr(key.value)[:60] if isinstance(key, yaml.ScalarNode) else "a list or a mapping"
            self._refuse(key, place, "a key is not a text", 'a text; write "1" or "true" in quotes', found)
        return name

    def _scalar(self, node: yaml.ScalarNode, place: str) -> JsonValue:
        text: str = node.value
        if node.tag == _STRING:
            if _SURROGATE.search(text):
                self._refuse(node, place, "a lone surrogate", "Unicode text", "an escape like \\ud800")
            return text
        if node.tag != _PLAIN:
            self._refuse(node, place, "explicit tags are not used here", "no tag, or !!str", node.tag)
        if _NULL.fullmatch(text):
            return None
        if _TRUE.fullmatch(text) or _FALSE.fullmatch(text):
            return text[0] in "tT"
        return self._number(node, text, place)

    def _number(self, node: yaml.ScalarNode, text: str, place: str) -> JsonValue:
        if _NOT_FINITE.fullmatch(text):
            self._refuse(node, place, "the number is not finite", "a finite number; JSON has no other", text)
        base = 10 if _INTEGER.fullmatch(text) else 8 if _OCTAL.fullmatch(text) else 16
        if base < 16 or _HEXADECIMAL.fullmatch(text):
            whole = int(text if base == 10 else text[2:], base) if len(text) <= _MAX_DIGITS else None
            if whole is None or not is_safe_integer(whole):
                self._refuse(node, place, "the integer is too large", "at most 2^53 - 1 (RFC 8785)", text[:40])
            return whole
        if not _FLOAT.fullmatch(text):
            return text
        number = float(text) if len(text) <= _MAX_DIGITS else float("inf")
        if number in (float("inf"), float("-inf")):
            self._refuse(node, place, "no double can hold this number", "a finite number", text[:40])
        return number

    def _refuse(self, node: yaml.Node, place: str, message: str, wanted: str, found: str) -> NoReturn:
        where = f"{self.name}:{node.start_mark.line + 1}" + (f", field {place}" if place else "")
        raise self.error(message, wanted=wanted, found=found, where=where)


__all__ = ["MAX_FILE_BYTES", "MAX_VALUES", "Document", "load_yaml", "parse_yaml"]
