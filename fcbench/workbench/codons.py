"""Codons of coding sequences: counts and the index of Sharp and Li."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import product
from math import exp, log

from fcbench.workbench.letters import codon_table

CODONS = tuple("".join(letters) for letters in product("ACGT", repeat=3))
"""All 64, in order of the alphabet."""


def codon_counts(coding: Iterable[str]) -> Counter[str]:
    """How often each codon occurs in coding sequences.

    Codons with another letter than A, C, G, T and bases behind the last whole codon are left out.
    """
    counts: Counter[str] = Counter()
    for letters in coding:
        counts.update(letters[at : at + 3] for at in range(0, len(letters) - 2, 3))
    return Counter({codon: counts[codon] for codon in CODONS if counts[codon]})


def synonyms(genetic_code: int) -> dict[str, list[str]]:
    """Residue (`*` for a stop) -> its codons."""
    found: dict[str, list[str]] = {}
    for codon, residue in sorted(codon_table(genetic_code).items()):
        found.setdefault(residue, []).append(codon)
    return found


def adaptiveness(counts: Mapping[str, int], genetic_code: int) -> dict[str, float]:
    """Codon -> its count over that of the commonest codon for the same residue (Sharp and Li 1987).

    A codon that the reference never uses counts as half a time. Stops and residues with one codon only are left out.
    """
    weights: dict[str, float] = {}
    for residue, codons in synonyms(genetic_code).items():
        if residue == "*" or len(codons) == 1:
            continue
        used = {codon: counts.get(codon, 0) or 0.5 for codon in codons}
        most = max(used.values())
        weights.update({codon: count / most for codon, count in used.items()})
    return weights


def adaptation_index(counts: Mapping[str, int], weights: Mapping[str, float]) -> tuple[float, int]:
    """The geometric mean of the weights of a gene's codons, and how many codons counted; 0 where none did."""
    counted = {codon: count for codon, count in counts.items() if codon in weights}
    total = sum(counted.values())
    if not total:
        return 0.0, 0
    return exp(sum(count * log(weights[codon]) for codon, count in counted.items()) / total), total
