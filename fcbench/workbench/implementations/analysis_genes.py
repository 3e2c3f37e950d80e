"""Reading frames, predicted genes, operons and guide sites."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.engines import pyrodigal_engine
from fcbench.workbench.genes import genes_of
from fcbench.workbench.guides import guide_sites, places_of
from fcbench.workbench.letters import gc_percent
from fcbench.workbench.operons import operons_of
from fcbench.workbench.reading_frames import reading_frames
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import MAX_ITEMS, first_items, listing, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.spans import optional_span
from fcbench.workbench.tools import tool

LEAST_TRAINING = 100_000
"""Bases from which pyrodigal trains on a sequence without a warning; shorter ones get its metagenomic models."""


class Predicted(Protocol):
    """A gene as pyrodigal predicts it."""

    begin: int
    end: int
    strand: int
    score: float
    start_type: str
    rbs_motif: str | None
    partial_begin: bool
    partial_end: bool


class GeneFinder(Protocol):
    """A gene finder with its model."""

    def find_genes(self, sequence: bytes) -> Iterable[Predicted]:
        """The genes of a sequence, in order of place."""


@tool("find_orfs", engine="python")
def find_orfs(session: Session, arguments: Arguments) -> JsonObject:
    """Reading frames that lie wholly in a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    least, code, strand = arguments.integer("min_length"), arguments.integer("genetic_code"), arguments.text("strand")
    frames = [
        (start + frame.start, start + frame.end, each, frame.codon)
        for each in ("+", "-")
        if strand in (each, "both")
        for frame in reading_frames(record.bases(start, end), code, least, reverse=each == "-")
    ]
    found: list[JsonValue] = [
        {"start": first, "end": last, "strand": each, "length": last - first + 1, "start_codon": codon}
        for first, last, each, codon in sorted(frames)
    ]
    return listing("orfs", found)


@lru_cache(maxsize=8)
def _finder(record: SequenceRecord) -> tuple[GeneFinder, str]:
    """A gene finder for a record and the kind of its model: trained on the whole record where it is long enough."""
    engine = pyrodigal_engine()
    finder: GeneFinder
    if record.length < LEAST_TRAINING:
        finder = engine.GeneFinder(meta=True)
        return finder, "metagenomic"
    finder = engine.GeneFinder(engine.GeneFinder().train(record.sequence.encode("ascii")))
    return finder, "trained"


@tool("predict_genes", engine="pyrodigal")
def predict_genes(session: Session, arguments: Arguments) -> JsonObject:
    """Genes of a range by the model of its whole sequence."""
    record, start, end = optional_span(session, arguments)
    finder, model = _finder(record)
    predicted = list(finder.find_genes(record.bases(start, end).encode("ascii")))
    genes: list[JsonValue] = [_predicted(gene, start) for gene in first_items(predicted)]
    return {"model": model, "count": len(predicted), "genes": genes}


def _predicted(gene: Predicted, start: int) -> JsonObject:
    return {
        "start": gene.begin + start - 1,
        "end": gene.end + start - 1,
        "strand": "-" if gene.strand < 0 else "+",
        "score": round(float(gene.score), 2),
        "start_codon": gene.start_type if gene.start_type in ("ATG", "GTG", "TTG") else "none",
        "rbs_motif": gene.rbs_motif or "",
        "partial": bool(gene.partial_begin or gene.partial_end),
    }


@tool("predict_operons", engine="python")
def predict_operons(session: Session, arguments: Arguments) -> JsonObject:
    """Runs of neighbouring genes on one strand."""
    record = session.record(arguments.sequence_id)
    runs = operons_of(genes_of(record), arguments.integer("max_gap"))
    found: list[JsonValue] = [
        {
            "start": run[0].start,
            "end": max(run, key=lambda gene: gene.end + (record.length if gene.main.wraps else 0)).end,
            "strand": run[0].strand,
            "gene_count": len(run),
            "genes": [shown_symbol(gene.name) for gene in first_items(run)],
        }
        for run in runs
        if len(run) >= arguments.integer("min_genes")
    ]
    return listing("operons", found)


@tool("find_crispr_guides", engine="python")
def find_crispr_guides(session: Session, arguments: Arguments) -> JsonObject:
    """Guide sites beside a PAM in a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    found = guide_sites(record.bases(start, end), arguments.text("pam"), arguments.integer("guide_length"))
    shown = found[: min(MAX_ITEMS, arguments.integer("max_guides"))]
    # In a repeat the same guide comes again and again: each is counted once.
    places = {guide: places_of(record, guide) for guide in {site.guide for site in shown}}
    guides: list[JsonValue] = [
        {
            "guide": site.guide,
            "pam": site.pam,
            "start": start + site.start,
            "end": start + site.start + len(site.guide) - 1,
            "strand": site.strand,
            "gc_percent": gc_percent(site.guide),
            "genome_places": places[site.guide],
        }
        for site in shown
    ]
    return {"count": len(found), "guides": guides}
