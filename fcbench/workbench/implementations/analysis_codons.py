"""Codon usage of genes and of the genome."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.codons import CODONS, adaptation_index, adaptiveness, codon_counts, synonyms
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature
from fcbench.workbench.letters import codon_table
from fcbench.workbench.records import SequenceRecord, coding_bases, genetic_code_of
from fcbench.workbench.results import shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

_RIBOSOMAL = re.compile(
    r"(?:[0-9]{2}S )?(?:small |large )?(?:subunit )?ribosomal (?:subunit )?protein "
    r"[bu]?[LS][0-9]+[A-Za-z]*(?:/L[0-9]+)?",
    re.IGNORECASE,
)
"""Products such as `50S ribosomal protein L7/L12`: parts of the ribosome, not enzymes that work on them."""


@tool("gene_codon_usage")
def gene_codon_usage(session: Session, arguments: Arguments) -> JsonObject:
    """All 64 codons of one gene."""
    record, gene, cds = session.coding(arguments.text("gene_name"))
    counts = codon_counts([coding_bases(record, cds)])
    if not counts:
        raise ToolError("gene_not_found", f"{gene.name} has a coding sequence without one whole codon")
    return {"gene": shown_symbol(gene.symbol), **_usage(counts, genetic_code_of(cds))}


@tool("genome_codon_usage")
def genome_codon_usage(session: Session, arguments: Arguments) -> JsonObject:
    """All 64 codons of every coding sequence that is long enough."""
    least = 3 * arguments.integer("min_codons")
    coding = [(coding_bases(record, cds), cds) for record, cds in _coding_features(session)]
    taken = [(letters, cds) for letters, cds in coding if len(letters) >= least]
    code = genetic_code_of(taken[0][1]) if taken else 11
    counts = codon_counts(letters for letters, _ in taken)
    return {"coding_sequences": len(taken), **_usage(counts, code)}


@tool("codon_adaptation_index")
def codon_adaptation_index(session: Session, arguments: Arguments) -> JsonObject:
    """How closely the codons of a gene follow those of the reference."""
    record, gene, cds = session.coding(arguments.text("gene_name"))
    reference = _coding_features(session)
    if arguments.text("reference") == "ribosomal_proteins":
        reference = [(each, feature) for each, feature in reference if _RIBOSOMAL.fullmatch(feature.first("product"))]
        if not reference:
            raise ToolError("bad_argument", "no product is a ribosomal protein; the other reference is genome")
    used = codon_counts(coding_bases(each, feature) for each, feature in reference)
    index, total = adaptation_index(codon_counts([coding_bases(record, cds)]), adaptiveness(used, genetic_code_of(cds)))
    if not total:
        raise ToolError("gene_not_found", f"{gene.name} has no codon that has a synonym")
    return {
        "gene": shown_symbol(gene.symbol),
        "cai": round(index, 4),
        "codon_total": total,
        "reference_genes": len(reference),
    }


def _coding_features(session: Session) -> list[tuple[SequenceRecord, Feature]]:
    return [(record, feature) for record in session.records for feature in record.features if feature.kind == "CDS"]


def _usage(counts: Mapping[str, int], genetic_code: int) -> JsonObject:
    table, families = codon_table(genetic_code), synonyms(genetic_code)
    codons: list[JsonValue] = []
    for codon in CODONS:
        residue, count = table[codon], counts.get(codon, 0)
        family = sum(counts.get(each, 0) for each in families[residue])
        share = round(count / family, 4) if family else 0.0
        codons.append({"codon": codon, "amino_acid": residue, "count": count, "share": share})
    return {"codon_total": sum(counts.values()), "codons": codons}
