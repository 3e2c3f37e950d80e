"""Features by place, what lies between genes, and where a pattern occurs."""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, PartStrand
from fcbench.workbench.gaps import Gap, gaps_in_range, gaps_of
from fcbench.workbench.letters import dna
from fcbench.workbench.matching import Search, find_everywhere, find_in_range
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import MAX_ITEMS, feature_item, feature_list, first_items, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

STRANDS: dict[str, tuple[PartStrand, ...]] = {"+": ("+",), "-": ("-",), "both": ("+", "-")}


@tool("get_features_in_region", engine="python")
def get_features_in_region(session: Session, arguments: Arguments) -> JsonObject:
    """The features with a base in a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    kind = arguments.text("feature_type")
    return feature_list(
        feature for feature in record.entries if kind in ("any", feature.kind) and feature.overlaps(start, end)
    )


@tool("get_features_at_position", engine="python")
def get_features_at_position(session: Session, arguments: Arguments) -> JsonObject:
    """The features that cover a base."""
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    return feature_list(feature for feature in record.entries if feature.covers(position))


@tool("get_nearby_features", engine="python")
def get_nearby_features(session: Session, arguments: Arguments) -> JsonObject:
    """The features around a base, nearest first, measured the short way round a circular sequence."""
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    kind, reach = arguments.text("feature_type"), arguments.integer("distance")
    measured = [
        (_distance(record, feature, position), feature) for feature in record.entries if kind in ("any", feature.kind)
    ]
    near = [pair for pair in measured if pair[0] <= reach]
    near.sort(key=lambda pair: (pair[0], pair[1].start, pair[1].end))
    items: list[JsonValue] = [{**feature_item(feature), "distance": distance} for distance, feature in near]
    return {"count": len(items), "features": list(first_items(items))}


def _distance(record: SequenceRecord, feature: Feature, position: int) -> int:
    return min(_distance_to_part(record, part, position) for part in feature.parts)


def _distance_to_part(record: SequenceRecord, part: Part, position: int) -> int:
    if part.start <= position <= part.end:
        # A place between two bases covers none of them.
        return int(part.between)
    ends = [abs(part.start - position), abs(part.end - position)]
    return min([*ends, *(record.length - each for each in ends)]) if record.circular else min(ends)


@tool("find_intergenic_regions", engine="python")
def find_intergenic_regions(session: Session, arguments: Arguments) -> JsonObject:
    """The stretches that no gene covers; without a range round the whole of a circular sequence."""
    record, start, end = _range(session, arguments)
    whole = "start" not in arguments and "end" not in arguments
    shortest = arguments.integer("min_length")
    found = [gap for gap in (gaps_of(record) if whole else gaps_in_range(record, start, end)) if gap.length >= shortest]
    return {
        "count": len(found),
        "total_length": sum(gap.length for gap in found),
        "regions": [_gap_item(gap) for gap in first_items(found)],
    }


def _gap_item(gap: Gap) -> JsonObject:
    return {
        "start": gap.start,
        "end": gap.end,
        "length": gap.length,
        "left_gene": _neighbour(gap.left),
        "right_gene": _neighbour(gap.right),
    }


def _neighbour(feature: Feature | None) -> str:
    return shown_symbol(feature.gene or feature.first("locus_tag")) if feature else ""


@tool("search_by_sequence", engine="numpy")
def search_by_sequence(session: Session, arguments: Arguments) -> JsonObject:
    """The places of a pattern; without a range they may cross the origin of a circular sequence."""
    pattern, most = dna(arguments.text("pattern")), arguments.integer("max_mismatches")
    record, start, end = _range(session, arguments)
    if most >= len(pattern):
        raise ToolError("bad_argument", f"of {len(pattern)} letters fewer than {len(pattern)} may differ; not {most}")
    search = Search(pattern, STRANDS[arguments.text("strand")], most)
    if "start" in arguments or "end" in arguments:
        found = find_in_range(record, start, end, search, MAX_ITEMS)
    else:
        found = find_everywhere(record, search, MAX_ITEMS)
    matches: list[JsonValue] = [
        {"start": each.start, "end": each.end, "strand": each.strand, "mismatches": each.mismatches}
        for each in found.matches
    ]
    return {"count": found.count, "matches": matches}


def _range(session: Session, arguments: Arguments) -> tuple[SequenceRecord, int, int]:
    """The range of the call; an end that was left out is that of the sequence."""
    record = session.record(arguments.sequence_id)
    start = arguments.integer("start") if "start" in arguments else 1
    end = arguments.integer("end") if "end" in arguments else record.length
    return session.span(start, end, record.id)
