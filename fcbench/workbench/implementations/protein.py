"""Proteins of the open genome: numbers, residue patterns, domains, records by accession."""

from __future__ import annotations

from collections.abc import Iterator

from Bio.SeqUtils.IsoelectricPoint import IsoelectricPoint
from Bio.SeqUtils.ProtParam import ProteinAnalysis

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.homology import domains, read_profile
from fcbench.workbench.masses import average_mass
from fcbench.workbench.proteins import coding_features, gene_protein
from fcbench.workbench.records import genetic_code_of, protein_of
from fcbench.workbench.residues import ResiduePattern
from fcbench.workbench.results import MAX_ITEMS, listing, short_text, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

STANDARD = frozenset("ACDEFGHIKLMNPQRSTVWY")


@tool("protein_properties")
def protein_properties(session: Session, arguments: Arguments) -> JsonObject:
    """Mass, isoelectric point and indices of a protein."""
    symbol, protein = gene_protein(session, arguments.text("gene_name"))
    strange = sorted(set(protein) - STANDARD)
    if strange:
        found = ", ".join(strange[:5])
        raise ToolError("bad_sequence", f"numbers need the 20 usual residues; the protein also holds {found}")
    analysis = ProteinAnalysis(protein)
    return {
        "gene": shown_symbol(symbol),
        "length": len(protein),
        "molecular_weight": average_mass(protein, "protein"),
        # ProteinAnalysis seeks between 4.05 and 12 only; a few small proteins lie outside.
        "isoelectric_point": round(float(IsoelectricPoint(protein).pi(8.0, 2.0, 14.0)), 2),
        "gravy": round(float(analysis.gravy()), 4),
        "instability_index": round(float(analysis.instability_index()), 2),
        "aromaticity": round(float(analysis.aromaticity()), 4),
    }


@tool("find_protein_motifs", engine="python")
def find_protein_motifs(session: Session, arguments: Arguments) -> JsonObject:
    """Places of a residue pattern, in one protein or in all; places may overlap."""
    pattern = ResiduePattern(arguments.text("pattern"))
    name = arguments.optional_text("gene_name")
    count, shown = 0, list[JsonObject]()
    for symbol, protein in _proteins(session) if name is None else [gene_protein(session, name)]:
        for at in pattern.places(protein):
            count += 1
            if len(shown) < MAX_ITEMS:
                end = at + pattern.length
                place = {"gene": shown_symbol(symbol), "start": at + 1, "end": end, "matched": protein[at:end]}
                shown.append(dict(place))
    return {"count": count, "matches": list(shown)}


@tool("scan_protein_domains", engine="pyhmmer")
def scan_protein_domains(session: Session, arguments: Arguments) -> JsonObject:
    """The domains of a protein that the profiles of the library explain."""
    symbol, protein = gene_protein(session, arguments.text("gene_name"))
    paths = [path for path in session.files.readable if path.startswith("profiles/") and path.endswith(".hmm")]
    profiles = [read_profile(session.files.read_text(path), name=path) for path in paths]
    items: list[JsonObject] = [
        {
            "profile": short_text(found.profile.name, 40),
            "accession": short_text(found.profile.accession, 40),
            "description": short_text(found.profile.description, 100),
            "start": found.start,
            "end": found.end,
            "profile_start": found.profile_start,
            "profile_end": found.profile_end,
            "score": found.score,
            "evalue": found.evalue,
        }
        for found in domains(protein, profiles, arguments.number("max_evalue"))
    ]
    head: JsonObject = {"gene": shown_symbol(symbol), "length": len(protein), "profiles": len(profiles)}
    return {**head, **listing("domains", list(items))}


@tool("get_protein_record")
def get_protein_record(session: Session, arguments: Arguments) -> JsonObject:
    """What the open genome says of a protein, by its accession."""
    wanted = arguments.text("accession").casefold()
    for record, cds in coding_features(session.records):
        accession = cds.first("protein_id")
        if wanted in (accession.casefold(), accession.casefold().partition(".")[0]):
            return {
                "accession": accession[:40],
                "gene": shown_symbol(cds.gene),
                "locus_tag": cds.first("locus_tag")[:40],
                "product": short_text(cds.product, 300),
                "length": len(protein_of(record, cds)),
                "sequence_id": record.id,
                "start": cds.start,
                "end": cds.end,
                "strand": cds.strand,
                "genetic_code": genetic_code_of(cds),
                "cross_references": [each[:100] for each in cds.qualifiers.get("db_xref", ())[:MAX_ITEMS]],
            }
    raise ToolError("not_found", f"no protein of the open genome has the accession {arguments.text('accession')}")


def _proteins(session: Session) -> Iterator[tuple[str, str]]:
    for record, cds in coding_features(session.records):
        yield cds.gene, protein_of(record, cds)
