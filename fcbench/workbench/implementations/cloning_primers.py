"""Primers: design, check, binding, products, and the list that the project keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.engines import primer3_engine
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import PartStrand
from fcbench.workbench.genes import Gene
from fcbench.workbench.letters import dna, gc_percent
from fcbench.workbench.primer_binding import binding_sites, count_sites, products
from fcbench.workbench.project import Primer
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import MAX_ITEMS, listing
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

TM_MARGIN = 3.0
"""Degrees by which a primer's melting temperature may differ from the one aimed at, as in the defaults of primer3."""
LEAST_FLANK = 18
"""Bases of the shortest primer that primer3 designs by default: less flank leaves no room for one."""
ABSOLUTE_ZERO = -273.15
"""Degrees Celsius."""
LONGEST_PRODUCT = 30_000
MAX_SITES = 5000
"""Sites of a pair of primers whose products are worked out: they make at most 6.25 million."""


class Thermo(Protocol):
    """Thermodynamics of a structure, as primer3 reports it."""

    structure_found: bool
    tm: float
    """Degrees Celsius."""
    dg: float
    """Calories a mole."""


@tool("design_primers", engine="primer3-py")
def design_primers(session: Session, arguments: Arguments) -> JsonObject:
    """Pairs around a whole gene, best first."""
    record, gene = session.gene(arguments.text("gene_name"))
    start, count, left = _template(record, gene, arguments.integer("flank"))
    gene_length = _extent(record, gene)
    best = arguments.number("optimal_tm")
    found: Mapping[str, float | str | tuple[int, int]] = primer3_engine().design_primers(
        {
            "SEQUENCE_TEMPLATE": record.bases_of_arc(*record.arc(start, count)),
            "SEQUENCE_TARGET": [left, gene_length],
        },
        {
            "PRIMER_OPT_TM": best,
            "PRIMER_MIN_TM": best - TM_MARGIN,
            "PRIMER_MAX_TM": best + TM_MARGIN,
            "PRIMER_PRODUCT_SIZE_RANGE": [[gene_length, min(count, LONGEST_PRODUCT)]],
            "PRIMER_NUM_RETURN": arguments.integer("pair_count"),
        },
    )
    pairs = range(int(str(found["PRIMER_PAIR_NUM_RETURNED"])))
    return {"pairs": [_pair(record, start, found, number) for number in pairs]}


def _extent(record: SequenceRecord, gene: Gene) -> int:
    """Bases from the first to the last base of a gene, introns included."""
    return (gene.end - gene.start) % record.length + 1 if record.circular else gene.end - gene.start + 1


def _template(record: SequenceRecord, gene: Gene, flank: int) -> tuple[int, int, int]:
    """First base (it may lie before the origin), length, and bases before the gene, of the gene with its flanks.

    Raises:
        ToolError: `bad_range` where the gene is too long, or lies too near to an end of the sequence for a primer.
    """
    length = _extent(record, gene)
    if length + 2 * LEAST_FLANK > LONGEST_PRODUCT:
        raise ToolError("bad_range", f"{gene.name} spans {length} bases; a product has at most {LONGEST_PRODUCT}")
    if record.circular:
        room = min(flank, (record.length - length) // 2)
        left = right = room
    else:
        left, right = min(flank, gene.start - 1), min(flank, record.length - gene.end)
    if min(left, right) < LEAST_FLANK:
        wanted = f"a primer needs {LEAST_FLANK} bases beside the gene"
        raise ToolError("bad_range", f"{wanted}; {gene.name} has {left} before and {right} behind it")
    return gene.start - left, left + length + right, left


def _pair(
    record: SequenceRecord, start: int, found: Mapping[str, float | str | tuple[int, int]], number: int
) -> JsonObject:
    forward, reverse = found[f"PRIMER_LEFT_{number}"], found[f"PRIMER_RIGHT_{number}"]
    assert isinstance(forward, list | tuple)
    assert isinstance(reverse, list | tuple)
    size = reverse[0] - forward[0] + 1
    first, last = record.arc(start + forward[0], size)
    return {
        "forward": str(found[f"PRIMER_LEFT_{number}_SEQUENCE"]).upper(),
        "reverse": str(found[f"PRIMER_RIGHT_{number}_SEQUENCE"]).upper(),
        "forward_tm": round(float(str(found[f"PRIMER_LEFT_{number}_TM"])), 2),
        "reverse_tm": round(float(str(found[f"PRIMER_RIGHT_{number}_TM"])), 2),
        "start": first,
        "end": last,
        "product_size": size,
    }


@tool("analyze_primer", engine="primer3-py")
def analyze_primer(session: Session, arguments: Arguments) -> JsonObject:
    """Melting temperature, hairpin and self-dimer of one primer, in the buffer that primer3 assumes."""
    primer = dna(arguments.text("sequence"))
    engine = primer3_engine()
    hairpin: Thermo = engine.calc_hairpin(primer)
    dimer: Thermo = engine.calc_homodimer(primer)
    return {
        "length": len(primer),
        "gc_percent": gc_percent(primer),
        "tm": round(float(engine.calc_tm(primer)), 2),
        "hairpin": _structure(hairpin),
        "self_dimer": _structure(dimer),
    }


def _structure(thermo: Thermo) -> JsonObject:
    # primer3 also reports pairings that no temperature above absolute zero holds together.
    if not thermo.structure_found or thermo.tm < ABSOLUTE_ZERO:
        return {"found": False, "tm": 0.0, "delta_g": 0.0}
    return {"found": True, "tm": round(float(thermo.tm), 2), "delta_g": round(float(thermo.dg) / 1000, 2)}


@tool("find_primer_binding_sites", engine="numpy")
def find_primer_binding_sites(session: Session, arguments: Arguments) -> JsonObject:
    """Every place where one primer binds."""
    record = session.record(arguments.sequence_id)
    primer, most = dna(arguments.text("primer")), arguments.integer("max_mismatches")
    shown: list[JsonValue] = [
        {"start": site.start, "end": site.end(record), "strand": site.strand, "mismatches": site.mismatches}
        for site in binding_sites(record, primer, most, MAX_ITEMS)
    ]
    return {"count": count_sites(record, primer, most), "sites": shown}


@tool("simulate_pcr", engine="numpy")
def simulate_pcr(session: Session, arguments: Arguments) -> JsonObject:
    """The products of a pair on every sequence of the genome, shortest first."""
    primers = sorted({dna(arguments.text("forward")), dna(arguments.text("reverse"))})
    most, longest = arguments.integer("max_mismatches"), arguments.integer("max_product")
    total = sum(count_sites(record, primer, most) for record in session.records for primer in primers)
    if total > MAX_SITES:
        raise ToolError("bad_argument", f"the primers bind at {total} places; products of at most {MAX_SITES} are made")
    count, found = 0, []
    for record in session.records:
        sites = [binding_sites(record, primer, most) for primer in primers]
        here, shortest = products(record, sites, longest, MAX_ITEMS)
        count += here
        found += shortest
    shown: list[JsonValue] = [
        {"start": each.start, "end": each.end, "length": each.length} for each in sorted(found)[:MAX_ITEMS]
    ]
    return {"count": count, "products": shown}


@tool("save_primer", engine="session", provenance="state")
def save_primer(session: Session, arguments: Arguments) -> JsonObject:
    """Keep a primer under a name, in place of the one that had it."""
    name, letters = arguments.text("name"), dna(arguments.text("sequence"))
    primer = Primer(name=name, sequence=letters)
    if "start" in arguments or "end" in arguments:
        if "start" not in arguments or "end" not in arguments:
            raise ToolError("bad_argument", "the place of a primer is given by both start and end, or by neither")
        record, start, end = session.span(arguments.integer("start"), arguments.integer("end"))
        if end - start + 1 != len(letters):
            there = f"{start} to {end} are {end - start + 1} bases, the primer has {len(letters)}"
            raise ToolError("bad_argument", f"{there}; a primer with a tail is kept without a place")
        strand: PartStrand = "-" if arguments.text("strand") == "-" else "+"
        primer = Primer(name=name, sequence=letters, start=start, end=end, strand=strand, sequence_id=record.id)
    replaced = name in session.state.primers
    session.state.primers[name] = primer
    return {**_kept(primer), "replaced": replaced, "primer_count": len(session.state.primers)}


@tool("list_primers", engine="session", provenance="state")
def list_primers(session: Session, arguments: Arguments) -> JsonObject:
    """The primers of the project, sorted by name."""
    return listing("primers", [_kept(primer) for _, primer in sorted(session.state.primers.items())])


def _kept(primer: Primer) -> JsonObject:
    place: JsonObject = {}
    if primer.start is not None and primer.end is not None:
        place = {
            "sequence_id": primer.sequence_id[:40],
            "start": primer.start,
            "end": primer.end,
            "strand": primer.strand,
        }
    return {"name": primer.name, "sequence": primer.sequence, "length": len(primer.sequence), **place}
