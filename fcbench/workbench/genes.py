"""Genes of the open genome by symbol, recorded synonym or locus tag."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Strand
from fcbench.workbench.records import SequenceRecord

GENE_KINDS = ("gene", "CDS", "tRNA", "rRNA", "tmRNA", "ncRNA", "misc_RNA", "misc_feature")
"""Features that make or belong to a gene, the ones that describe it best first."""
NAMED_CANDIDATES = 10
_SYNONYM_NOTE = re.compile(r"synonyms?:\s*(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Gene:
    """Everything that the record says of one gene: its gene entry, coding sequences and RNAs."""

    sequence_id: str
    symbol: str
    """As the record writes it; empty where there is none."""
    locus_tag: str
    synonyms: tuple[str, ...]
    main: Feature
    """The gene entry; without one the first of the others."""
    features: tuple[Feature, ...] = field(repr=False)

    @property
    def start(self) -> int:
        """First base, counted from 1."""
        return self.main.start

    @property
    def end(self) -> int:
        """Last base, included."""
        return self.main.end

    @property
    def strand(self) -> Strand:
        """Strand of the main entry."""
        return self.main.strand

    @property
    def name(self) -> str:
        """The symbol, else the locus tag."""
        return self.symbol or self.locus_tag

    @property
    def coding(self) -> tuple[Feature, ...]:
        """Its coding sequences; more than one where frames are shifted (SARS-CoV-2 ORF1ab)."""
        return tuple(feature for feature in self.features if feature.kind == "CDS")

    @property
    def product(self) -> str:
        """The first product that one of its features names; else the first note."""
        named = [feature.first("product") for feature in self.features if feature.first("product")]
        return named[0] if named else self.main.first("note")

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes of its features, each once."""
        return tuple(dict.fromkeys(note for each in self.features for note in each.qualifiers.get("note", ())))


class GeneIndex:
    """The genes of some records. Made anew whenever the records changed."""

    def __init__(self, records: Sequence[SequenceRecord]) -> None:
        self.genes = tuple(gene for record in records for gene in genes_of(record))
        self._by_name: dict[str, list[Gene]] = {}
        self._by_synonym: dict[str, list[Gene]] = {}
        for gene in self.genes:
            for name in dict.fromkeys(each.casefold() for each in (gene.symbol, gene.locus_tag) if each):
                self._by_name.setdefault(name, []).append(gene)
            for name in dict.fromkeys(each.casefold() for each in gene.synonyms):
                self._by_synonym.setdefault(name, []).append(gene)

    def named(self, name: str) -> tuple[Gene, ...]:
        """The genes with this symbol or locus tag; only if there is none, those with this synonym."""
        wanted = name.casefold()
        return tuple(self._by_name.get(wanted) or self._by_synonym.get(wanted) or ())

    def one(self, name: str) -> Gene:
        """The one gene of this name.

        Raises:
            ToolError: `gene_not_found`, or `ambiguous_gene` with the candidates.
        """
        found = self.named(name)
        if not found:
            raise ToolError("gene_not_found", f"no gene, synonym or locus tag of the open genome is {name}")
        if len(found) > 1:
            places = "; ".join(_place(gene) for gene in found[:NAMED_CANDIDATES])
            raise ToolError("ambiguous_gene", f"{name} names {len(found)} genes: {places}; a locus tag is unique")
        return found[0]


def _place(gene: Gene) -> str:
    return f"{gene.locus_tag or gene.symbol} ({gene.start} to {gene.end}, {gene.strand})"


@lru_cache(maxsize=64)
def genes_of(record: SequenceRecord) -> tuple[Gene, ...]:
    """The genes of a record in order of place.

    Features belong together by locus tag; where a record has none, by symbol and place: copies of a gene that lie
    apart are genes of their own.
    """
    groups: dict[tuple[str, str], list[Feature]] = {}
    for feature in record.features:
        key = _key(feature)
        if key is not None:
            groups.setdefault(key, []).append(feature)
    # A misc_feature or tRNA alone is a gene only if it has a name of its own kind; a lone misc_feature is none.
    together = [one for key, group in groups.items() for one in ([group] if key[0] == "tag" else _copies(group))]
    found = [_gene(record.id, group) for group in together if any(each.kind != "misc_feature" for each in group)]
    return tuple(sorted(found, key=lambda gene: (gene.start, gene.end, gene.name)))


def _copies(features: Iterable[Feature]) -> Iterator[list[Feature]]:
    """Features of one symbol, those whose places touch each other together, in the order of the file."""
    reach = 0
    copy: list[tuple[int, Feature]] = []
    for at, feature in sorted(enumerate(features), key=lambda pair: (pair[1].start, pair[1].end)):
        if copy and feature.start > reach:
            yield [each for _, each in sorted(copy, key=lambda pair: pair[0])]
            copy, reach = [], 0
        copy.append((at, feature))
        # `end` lies before `start` where a feature crosses the origin of a circle.
        reach = max(reach, *(part.end for part in feature.parts))
    yield [each for _, each in sorted(copy, key=lambda pair: pair[0])]


def _key(feature: Feature) -> tuple[str, str] | None:
    if feature.kind not in GENE_KINDS:
        return None
    tag, symbol = feature.first("locus_tag"), feature.gene
    return ("tag", tag) if tag else ("symbol", symbol) if symbol else None


def _gene(sequence_id: str, group: list[Feature]) -> Gene:
    ordered = sorted(group, key=lambda feature: GENE_KINDS.index(feature.kind))
    symbol = next((each.gene for each in ordered if each.gene), "")
    tag = next((each.first("locus_tag") for each in ordered if each.first("locus_tag")), "")
    synonyms = [name for name in _synonyms(ordered) if name not in (symbol, tag)]
    return Gene(
        sequence_id=sequence_id,
        symbol=symbol,
        locus_tag=tag,
        synonyms=tuple(dict.fromkeys(synonyms)),
        main=ordered[0],
        features=tuple(ordered),
    )


def is_synonym_note(note: str) -> bool:
    """Whether a note does nothing but list synonyms (`synonym: murF`): a name, not a description."""
    return _SYNONYM_NOTE.fullmatch(note.strip()) is not None


def _synonyms(features: Iterable[Feature]) -> Iterator[str]:
    for feature in features:
        for value in feature.qualifiers.get("gene_synonym", ()):
            yield from (name.strip() for name in value.split(";") if name.strip())
        for note in feature.qualifiers.get("note", ()):
            said = _SYNONYM_NOTE.fullmatch(note.strip())
            if said:
                yield from (name.strip() for name in said[1].split(",") if name.strip())
