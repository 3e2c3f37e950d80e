"""Restriction enzymes and gels."""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.gel import LADDERS, distance_mm
from fcbench.workbench.restriction import (
    cuts,
    enzyme_of,
    enzymes,
    fragment_lengths,
    is_whole,
    never_cuts,
    overhang_of,
)
from fcbench.workbench.results import first_items, listing
from fcbench.workbench.session import Session
from fcbench.workbench.spans import optional_span
from fcbench.workbench.tools import tool

MAX_NONCUTTING_RANGE = 50_000
"""Bases in which enzymes without a cut are looked for: the work grows with bases times enzymes."""


@tool("list_restriction_enzymes")
def list_restriction_enzymes(session: Session, arguments: Arguments) -> JsonObject:
    """Enzymes with a known cut, by the ends they leave, the length of the site and whether they are sold."""
    overhang, site_length = arguments.text("overhang"), arguments.optional_integer("site_length")
    found: list[JsonValue] = [
        {"enzyme": name, "site": each.site, "overhang": overhang_of(each), "commercial": each.is_comm()}
        for name, each in enzymes().items()
        if overhang in ("any", overhang_of(each))
        and site_length in (None, len(each.site))
        and (each.is_comm() or not arguments.flag("commercial_only"))
    ]
    return listing("enzymes", found)


@tool("find_restriction_sites")
def find_restriction_sites(session: Session, arguments: Arguments) -> JsonObject:
    """Where one enzyme cuts."""
    record, start, end = optional_span(session, arguments)
    name = arguments.text("enzyme")
    found = cuts(record, enzyme_of(name), start, end)
    return {"enzyme": name, "count": len(found), "cut_positions": list(first_items(found))}


@tool("virtual_digest")
def virtual_digest(session: Session, arguments: Arguments) -> JsonObject:
    """Fragments and cuts of several enzymes together."""
    record, start, end = optional_span(session, arguments)
    names = arguments.texts("enzymes")
    found = sorted({at for name in names for at in cuts(record, enzyme_of(name), start, end)})
    lengths = fragment_lengths(record, start, end, found)
    return {
        "enzymes": list(names),
        "fragment_count": len(lengths),
        "fragment_lengths": list(first_items(lengths)),
        "cut_count": len(found),
        "cut_positions": list(first_items(found)),
    }


@tool("find_noncutting_enzymes")
def find_noncutting_enzymes(session: Session, arguments: Arguments) -> JsonObject:
    """Enzymes that leave a range whole."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    if end - start + 1 > MAX_NONCUTTING_RANGE:
        wanted = f"a range of at most {MAX_NONCUTTING_RANGE} bases is searched"
        raise ToolError("bad_range", f"{wanted}; {start} to {end} are {end - start + 1}")
    letters, sold = record.bases(start, end), arguments.flag("commercial_only")
    linear = not (record.circular and is_whole(record, start, end))
    found: list[JsonValue] = [
        {"enzyme": name, "site": each.site}
        for name, each in enzymes().items()
        if (each.is_comm() or not sold) and never_cuts(letters, each, linear=linear)
    ]
    return listing("enzymes", found)


@tool("simulate_gel", engine="python")
def simulate_gel(session: Session, arguments: Arguments) -> JsonObject:
    """How far fragments run beside a ladder."""
    percent = arguments.number("gel_percent")
    lengths = _lengths(arguments.value("fragment_lengths"))
    ladder: list[JsonValue] = [
        {"length": length, "distance_mm": distance_mm(length, percent)} for length in LADDERS[arguments.text("ladder")]
    ]
    return {
        "fragment_lengths": list(lengths),
        "distances_mm": [distance_mm(length, percent) for length in lengths],
        "ladder_bands": ladder,
    }


def _lengths(given: JsonValue) -> list[int]:
    """Whole numbers; JSON Schema takes 500.0 for one as well."""
    items = given if isinstance(given, list) else []
    return [int(item) for item in items if isinstance(item, int | float)]
