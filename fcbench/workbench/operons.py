"""Likely operons: neighbouring genes on one strand with little between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcbench.workbench.genes import Gene


def operons_of(genes: Sequence[Gene], max_gap: int) -> Iterator[list[Gene]]:
    """Runs of genes in order of place; a run of one gene is one too.

    A run ends where more than `max_gap` bases follow the genes so far, and at a gene of the other strand. Genes
    without one strand belong to none. Overlapping genes have no gap. A run does not go on over the origin.
    """
    run: list[Gene] = []
    reached = 0
    for gene in genes:
        joins = bool(run) and gene.strand == run[0].strand and gene.start - reached - 1 <= max_gap
        if run and not joins:
            yield run
            run = []
        if gene.strand not in ("+", "-"):
            continue
        # A gene over the origin starts behind its end; nothing can follow it.
        last = gene.end if gene.end >= gene.start else gene.start
        reached = max(reached, last) if joins else last
        run.append(gene)
    if run:
        yield run
