"""VCF 4 text to variants. Own code: a few columns of small text files, and no native library for what is a split."""

from __future__ import annotations

import math
import re

from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import Variant

MAX_VARIANTS = 10_000
_ALLELE = re.compile(r"[ACGTN]{1,1000}")
_COLUMNS = 8


def read_variants(text: str, *, name: str) -> tuple[Variant, ...]:
    """The variants of a VCF file, one for each alternative allele, in the order of the file.

    Symbolic and missing alleles (`<DEL>`, `*`, `.`) are left out.

    Raises:
        ToolError: `parse_error` with the line.
    """
    if not text.startswith("##fileformat=VCFv4"):
        raise ToolError("parse_error", f"{name} does not begin with ##fileformat=VCFv4")
    found: list[Variant] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line and not line.startswith("#"):
            found += _variants(line.split("\t"), f"{name}, line {number}")
        if len(found) > MAX_VARIANTS:
            raise ToolError("parse_error", f"{name} holds more than {MAX_VARIANTS:,} variants")
    return tuple(found)


def _variants(columns: list[str], where: str) -> list[Variant]:
    if len(columns) < _COLUMNS:
        raise ToolError("parse_error", f"{where}: a line has at least {_COLUMNS} columns; found {len(columns)}")
    sequence_id, position, _, ref, alternatives, quality, filters, info = columns[:_COLUMNS]
    if not (position.isascii() and position.isdigit() and 0 < len(position) < 10 and _ALLELE.fullmatch(ref.upper())):
        raise ToolError("parse_error", f"{where}: POS is a number and REF is bases; found {position[:20]}, {ref[:20]}")
    facts = dict(item.partition("=")[::2] for item in info.split(";"))
    fractions = facts.get("AF", "").split(",")
    depth = _number(facts.get("DP", ""))
    return [
        Variant(
            sequence_id=sequence_id,
            position=int(position),
            ref=ref.upper(),
            alt=alternative.upper(),
            quality=_number(quality),
            filters=tuple(filters.split(";")),
            depth=int(depth) if depth is not None else None,
            allele_fraction=_number(fractions[place] if place < len(fractions) else ""),
        )
        for place, alternative in enumerate(alternatives.split(","))
        if _ALLELE.fullmatch(alternative.upper())
    ]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
