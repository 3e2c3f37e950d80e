"""Features as a user makes, changes and reads them: names, items of results, history."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, PartStrand
from fcbench.workbench.project import Change
from fcbench.workbench.results import short_text

SYMBOL_KINDS = ("gene", "CDS", "tRNA", "rRNA", "tmRNA", "ncRNA", "misc_RNA")
"""Kinds whose name is a gene symbol."""
FIELDS = ("start", "end", "strand", "name", "product", "note")
"""What a user can change of a feature."""
_SYMBOL = re.compile(r"[A-Za-z0-9_.'()-]{1,40}")
_ORDER = ("gene", "label", "product", "note")


@dataclass(frozen=True, slots=True)
class Revision:
    """New values of a feature; None leaves what is there."""

    part: Part | None = None
    name: str | None = None
    product: str | None = None
    note: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to change."""
        return self == Revision()


def one_line(text: str, what: str) -> str:
    """Text of the call as a qualifier holds it: one line of printable characters.

    Raises:
        ToolError: `bad_argument` where nothing is left or a character cannot be printed.
    """
    line = " ".join(text.split())
    if not line or not line.isprintable():
        raise ToolError("bad_argument", f"the {what} has to be text of printable characters, not spaces alone")
    return line


def named(feature: Feature, name: str) -> Feature:
    """The feature under another name: a symbol goes into `gene` where the kind has one, any other name into `label`."""
    is_symbol = _SYMBOL.fullmatch(name) is not None and (feature.kind in SYMBOL_KINDS or "gene" in feature.qualifiers)
    key, other = ("gene", "label") if is_symbol else ("label", "gene")
    kept = {each: values for each, values in feature.qualifiers.items() if each != other}
    return _with(feature, {**kept, key: (name,)})


def revised(feature: Feature, revision: Revision) -> Feature:
    """The feature with new values; a coding sequence that moves loses its stored translation, which no longer holds."""
    made = feature
    if revision.part is not None and (revision.part,) != feature.parts:
        kept = {key: values for key, values in made.qualifiers.items() if key != "translation"}
        made = replace(made, parts=(revision.part,), qualifiers=kept, wraps=False)
    if revision.name is not None:
        made = named(made, revision.name)
    for key, value in (("product", revision.product), ("note", revision.note)):
        if value is not None:
            made = _with(made, {**made.qualifiers, key: (value,)})
    return made if made == feature else replace(made, edited=True)


def _with(feature: Feature, qualifiers: dict[str, tuple[str, ...]]) -> Feature:
    """New qualifiers; those of a user's feature in one order, whichever was set first."""
    if feature.origin == "user":
        first = [key for key in _ORDER if key in qualifiers]
        qualifiers = {key: qualifiers[key] for key in [*first, *(key for key in qualifiers if key not in _ORDER)]}
    return replace(feature, qualifiers=qualifiers)


def new_feature(identifier: str, kind: str, part: Part, name: str, note: str | None) -> Feature:
    """A feature that a user makes."""
    made = named(Feature(id=identifier, kind=kind, parts=(part,), origin="user"), name)
    return made if note is None else _with(made, {**made.qualifiers, "note": (note,)})


def shown_name(feature: Feature) -> str:
    """What a feature is called: its label, gene symbol or locus tag; empty where it has none."""
    return short_text(feature.first("label") or feature.gene or feature.first("locus_tag"), 60)


def annotation_item(feature: Feature) -> JsonObject:
    """A feature as tools show it that work with ids."""
    return {
        "annotation_id": feature.id,
        "feature_type": feature.kind[:30],
        "name": shown_name(feature),
        "start": feature.start,
        "end": feature.end,
        "strand": feature.strand,
        "origin": feature.origin,
        "edited": feature.edited,
    }


def change_item(change: Change) -> JsonObject:
    """One step of a feature's history, with the fields whose value is another than before."""
    before, after = _values(change.before), _values(change.after)
    fields: list[JsonValue] = [
        {"field": field, "before": before[field], "after": after[field]}
        for field in FIELDS
        if before[field] != after[field]
    ]
    return {"change": change.kind, "fields": fields}


def _values(feature: Feature | None) -> dict[str, str]:
    if feature is None:
        return dict.fromkeys(FIELDS, "")
    note = short_text("; ".join(feature.qualifiers.get("note", ())), 300)
    product = short_text(feature.first("product"), 300)
    found = (str(feature.start), str(feature.end), feature.strand, shown_name(feature), product, note)
    return dict(zip(FIELDS, found, strict=True))


def part_at(start: int, end: int, strand: str) -> Part:
    """One stretch on a strand as a call names it."""
    signs: dict[str, PartStrand] = {"+": "+", "-": "-"}
    return Part(start, end, signs.get(strand, "none"))
