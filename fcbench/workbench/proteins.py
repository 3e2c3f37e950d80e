"""The annotated proteins of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature
from fcbench.workbench.records import SequenceRecord, protein_of
from fcbench.workbench.results import shown_symbol
from fcbench.workbench.session import Session


def coding_features(records: Iterable[SequenceRecord]) -> tuple[tuple[SequenceRecord, Feature], ...]:
    """Every coding sequence with its record, in order of place."""
    return tuple((record, feature) for record in records for feature in record.entries if feature.kind == "CDS")


def gene_protein(session: Session, gene_name: str) -> tuple[str, str]:
    """Symbol and protein of a gene.

    Raises:
        ToolError: `no_genome`, `gene_not_found` (also where nothing translates) or `ambiguous_gene`.
    """
    record, gene, cds = session.coding(gene_name)
    protein = protein_of(record, cds)
    if not protein:
        raise ToolError("gene_not_found", f"{gene.name} has no coding sequence that translates")
    return gene.symbol, protein


def named_proteins(records: Sequence[SequenceRecord]) -> tuple[tuple[str, str], ...]:
    """Name and residues of every protein; names are unique.

    The name is the gene symbol; where it stands more than once, or not at all, the locus tag, else the accession of the
    protein.
    """
    found = coding_features(records)
    names = [_names(feature) for _, feature in found]
    uses = Counter(name for candidates in names for name in dict.fromkeys(candidates))
    chosen = [
        next((name for name in candidates if uses[name] == 1), f"CDS-{at}") for at, candidates in enumerate(names, 1)
    ]
    letters = [protein_of(record, feature).upper() for record, feature in found]
    return tuple((name, protein) for name, protein in zip(chosen, letters, strict=True) if protein)


def _names(feature: Feature) -> list[str]:
    written = (feature.gene, feature.first("locus_tag"), feature.first("protein_id"))
    return [shown_symbol(name) for name in written if name]
