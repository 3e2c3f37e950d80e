"""Genes by name and features by what their text says."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature
from fcbench.workbench.genes import Gene, is_synonym_note
from fcbench.workbench.results import feature_list, listing, short_text, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

SEARCHED = ("product", "function", "note")
"""Qualifiers that describe a feature in words."""


@tool("search_gene_by_name", engine="python")
def search_gene_by_name(session: Session, arguments: Arguments) -> JsonObject:
    """Every gene of a name, so that a name that two genes have is seen as such."""
    name = arguments.text("name")
    found = session.genes.named(name)
    if not found:
        session.genes.one(name)  # says what is wrong
    return listing("genes", [_located(gene, name) for gene in found])


def _located(gene: Gene, name: str) -> JsonObject:
    names = (gene.symbol, gene.locus_tag, *gene.synonyms)
    matched = next((each for each in names if each.casefold() == name.casefold()), gene.name)
    return {
        "gene": shown_symbol(gene.symbol),
        "locus_tag": short_text(gene.locus_tag, 40),
        "matched_name": short_text(matched, 40),
        "start": gene.start,
        "end": gene.end,
        "strand": gene.strand,
        "length": gene.main.length,
    }


@tool("get_gene_details", engine="python")
def get_gene_details(session: Session, arguments: Arguments) -> JsonObject:
    """Everything that the record says of one gene, letters left out."""
    _, gene = session.gene(arguments.text("gene_name"))
    return {
        "gene": shown_symbol(gene.symbol),
        "locus_tag": short_text(gene.locus_tag, 40),
        "synonyms": [short_text(name, 40) for name in gene.synonyms[:10]],
        "start": gene.start,
        "end": gene.end,
        "strand": gene.strand,
        "length": gene.main.length,
        "product": short_text(gene.product, 300),
        "protein_id": short_text(next(_values(gene, "protein_id"), ""), 40),
        "notes": [short_text(note, 500) for note in gene.notes[:20]],
        "database_references": [short_text(each, 80) for each in dict.fromkeys(_values(gene, "db_xref"))][:20],
    }


def _values(gene: Gene, qualifier: str) -> Iterator[str]:
    return (value for feature in gene.features for value in feature.qualifiers.get(qualifier, ()))


@tool("list_genes", engine="python")
def list_genes(session: Session, arguments: Arguments) -> JsonObject:
    """The named genes of a sequence in order of place, a page of them."""
    record, strand = session.record(arguments.sequence_id), arguments.text("strand")
    genes = [gene for gene in session.genes.genes if gene.sequence_id == record.id]
    kept = [gene for gene in genes if strand in ("both", gene.strand)]
    offset = arguments.integer("offset")
    items: list[JsonValue] = [_listed(gene) for gene in kept[offset : offset + arguments.integer("limit")]]
    return {"count": len(kept), "offset": offset, "genes": items}


def _listed(gene: Gene) -> JsonObject:
    return {
        "gene": shown_symbol(gene.symbol),
        "locus_tag": short_text(gene.locus_tag, 40),
        "start": gene.start,
        "end": gene.end,
        "strand": gene.strand,
        "product": short_text(gene.product, 120),
    }


@tool("search_features", engine="python")
def search_features(session: Session, arguments: Arguments) -> JsonObject:
    """Features of all sequences whose words contain a phrase; names are not looked at."""
    phrase = " ".join(arguments.text("query").split()).casefold()
    if len(phrase) < 2:
        raise ToolError("bad_argument", "a phrase has at least two characters beside spaces at its ends")
    kind = arguments.text("feature_type")
    found = [
        feature
        for record in session.records
        for feature in record.entries
        if kind in ("any", feature.kind) and any(phrase in text for text in _texts(feature))
    ]
    return feature_list(found, arguments.integer("max_results"))


def _texts(feature: Feature) -> Iterator[str]:
    """What describes a feature; notes that only list synonyms are names."""
    for qualifier in SEARCHED:
        for value in feature.qualifiers.get(qualifier, ()):
            if not (qualifier == "note" and is_synonym_note(value)):
                yield " ".join(value.split()).casefold()
