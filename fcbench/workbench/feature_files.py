"""Features of GFF3 and BED files, for a genome that is open. Own code: both are tables of a few columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, PartStrand
from fcbench.workbench.records import SequenceRecord

FeatureFormat = Literal["gff3", "bed"]
MAX_FEATURES = 20_000
"""Features of one file."""
MAX_LETTERS = 500
"""Letters of one value of an attribute."""
_KIND = re.compile(r"[A-Za-z0-9_'-]{1,15}")
"""A key that the feature table of GenBank has room for."""
_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]{0,29}")
_SYMBOL = re.compile(r"[A-Za-z0-9_.'()-]{1,40}")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_NAMES = {"Note": "note", "Dbxref": "db_xref", "Alias": "gene_synonym"}
"""Attributes that GFF3 reserves, as GenBank calls them; ID and Parent only tie lines together."""
_STRANDS: dict[str, PartStrand] = {"+": "+", "-": "-", ".": "none", "?": "none"}
_GFF3_COLUMNS, _BED_COLUMNS, _BED_WITH_BLOCKS = 9, 3, 12


@dataclass(frozen=True, slots=True)
class Placed:
    """A feature and the sequence that it lies on; its id is empty."""

    sequence_id: str
    feature: Feature


@dataclass(frozen=True, slots=True)
class _Line:
    where: str
    record: SequenceRecord
    kind: str
    part: Part
    qualifiers: dict[str, tuple[str, ...]]
    identifier: str
    phase: str


def format_of(path: str, text: str) -> FeatureFormat:
    """`gff3` or `bed`: by the first line, else by the name of the file."""
    if text.startswith("##gff-version"):
        return "gff3"
    return "bed" if path.lower().endswith(".bed") else "gff3"


def read_features(text: str, records: Sequence[SequenceRecord], *, path: str) -> tuple[Placed, ...]:
    """The features of a file, in its order; lines of a GFF3 file that share an ID are one feature.

    Args:
        text: the file's content.
        records: the open genome.
        path: tells the format, and names the file in messages.

    Raises:
        ToolError: `parse_error` with the line; `unknown_sequence` or `bad_range` where a feature lies elsewhere.
    """
    if format_of(path, text) == "bed":
        found = tuple(_bed_features(text, records, path))
    else:
        found = tuple(_joined(_gff3_lines(text, records, path)))
    if not found:
        raise ToolError("parse_error", f"{path} holds no feature in GFF3 or BED format")
    return found


def _rows(text: str, path: str) -> Iterator[tuple[str, list[str]]]:
    """Place and columns of every line that is no comment; the FASTA part of a GFF3 file is left out."""
    count = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith((">", "##FASTA")):
            return
        if not line.strip() or line.startswith(("#", "track", "browser")):
            continue
        count += 1
        if count > MAX_FEATURES:
            raise ToolError("parse_error", f"{path} holds more than {MAX_FEATURES} lines of features")
        yield f"{path}, line {number}", line.split("\t")


def _gff3_lines(text: str, records: Sequence[SequenceRecord], path: str) -> Iterator[_Line]:
    for where, columns in _rows(text, path):
        if len(columns) != _GFF3_COLUMNS:
            said = f"a line of GFF3 has {_GFF3_COLUMNS} columns with tabs between them; found {len(columns)}"
            raise ToolError("parse_error", f"{where}: {said}")
        name, _, kind, start, end, _, strand, phase, attributes = columns
        record = _record(name, records, where)
        given = _attributes(attributes)
        part = _part(record, (_number(start, where), _number(end, where)), strand, where)
        yield _Line(where, record, kind, part, _qualifiers(kind, given), given.get("ID", ("",))[0], phase)


def _joined(lines: Iterator[_Line]) -> Iterator[Placed]:
    groups: dict[object, list[_Line]] = {}
    for at, line in enumerate(lines):
        key = (line.record.id, line.kind, line.identifier) if line.identifier else at
        groups.setdefault(key, []).append(line)
    for group in groups.values():
        first = group[0]
        if len({line.part.strand for line in group}) > 1:
            raise ToolError("parse_error", f"{first.where}: the lines of {first.identifier[:50]} lie on two strands")
        reading = sorted(group, key=lambda line: line.part.start, reverse=first.part.strand == "-")
        qualifiers = dict(first.qualifiers)
        if first.kind == "CDS":
            phase = reading[0].phase
            qualifiers["codon_start"] = (str(int(phase) + 1) if phase in ("0", "1", "2") else "1",)
        yield Placed(first.record.id, _feature(first.kind, tuple(line.part for line in reading), qualifiers))


def _feature(kind: str, parts: tuple[Part, ...], qualifiers: Mapping[str, tuple[str, ...]]) -> Feature:
    if not _KIND.fullmatch(kind):
        shown = _clean(kind)
        return _feature("misc_feature", parts, {**qualifiers, "note": (shown, *qualifiers.get("note", ()))})
    return Feature(id="", kind=kind, parts=parts, qualifiers=qualifiers)


def _attributes(column: str) -> dict[str, tuple[str, ...]]:
    pairs = [item.partition("=") for item in column.strip().split(";") if "=" in item]
    return {key.strip(): tuple(_clean(_unescaped(value)) for value in values.split(",")) for key, _, values in pairs}


def _qualifiers(kind: str, attributes: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for key, values in attributes.items():
        name = _NAMES.get(key, key)
        if key == "Name":
            name = "gene" if kind == "gene" and _SYMBOL.fullmatch(values[0]) else "label"
        if _ATTRIBUTE.fullmatch(name):
            found[name] = found.get(name, ()) + values
    return found


def _unescaped(text: str) -> str:
    raw = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), text.encode("utf-8", errors="replace"))
    return raw.decode("utf-8", errors="replace")


def _clean(text: str) -> str:
    """Text on one line without characters that steer a terminal."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())[:MAX_LETTERS]


def _bed_features(text: str, records: Sequence[SequenceRecord], path: str) -> Iterator[Placed]:
    for where, columns in _rows(text, path):
        if len(columns) < _BED_COLUMNS:
            said = f"a line of BED has at least {_BED_COLUMNS} columns with tabs between them; found {len(columns)}"
            raise ToolError("parse_error", f"{where}: {said}")
        record = _record(columns[0], records, where)
        strand = columns[5] if len(columns) > 5 else "."
        parts = tuple(_part(record, stretch, strand, where) for stretch in _stretches(columns, where))
        label = _clean(columns[3]) if len(columns) > 3 else ""
        qualifiers = {"label": (label,)} if label and label != "." else {}
        yield Placed(record.id, _feature("misc_feature", parts[::-1] if strand == "-" else parts, qualifiers))


def _stretches(columns: list[str], where: str) -> list[tuple[int, int]]:
    """First and last base of each block, counted from 1: BED counts from 0 and leaves the end out."""
    start, end = _number(columns[1], where), _number(columns[2], where)
    if len(columns) < _BED_WITH_BLOCKS:
        return [(start + 1, end)]
    sizes = [_number(each, where) for each in columns[10].strip(",").split(",")]
    starts = [_number(each, where) for each in columns[11].strip(",").split(",")]
    if len(sizes) != len(starts) or str(len(sizes)) != columns[9]:
        raise ToolError("parse_error", f"{where}: blockCount, blockSizes and blockStarts do not agree")
    return [(start + shift + 1, start + shift + size) for shift, size in sorted(zip(starts, sizes, strict=True))]


def _number(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ToolError("parse_error", f"{where}: a place is a whole number; found {text[:20]!r}")
    return int(text)


def _record(name: str, records: Sequence[SequenceRecord], where: str) -> SequenceRecord:
    for record in records:
        if record.answers_to(name):
            return record
    there = ", ".join(record.id for record in records[:5])
    raise ToolError("unknown_sequence", f"{where} names the sequence {name[:40]!r}; the open genome has {there}")


def _part(record: SequenceRecord, stretch: tuple[int, int], strand: str, where: str) -> Part:
    start, end = stretch
    if strand not in _STRANDS:
        raise ToolError("parse_error", f"{where}: a strand is +, - or a dot; found {strand[:10]!r}")
    if not 1 <= start <= end <= record.length:
        raise ToolError("bad_range", f"{where}: {start} to {end} does not lie in 1 to {record.length} of {record.id}")
    return Part(start, end, _STRANDS[strand])
