"""Average masses of strands and proteins, added up exactly.

Biopython adds the masses of the letters as binary fractions, which Python adds in another way since 3.12: a sum that
lies half-way between two hundredths was rounded up by one version and down by another. The masses are decimals of four
digits at most, so whole ten-thousandths add up to the same sum everywhere.
"""

from __future__ import annotations

from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

from Bio.Data import IUPACData

MASSES: dict[str, dict[str, float]] = {
    "dna": IUPACData.unambiguous_dna_weights,
    "rna": IUPACData.unambiguous_rna_weights,
    "protein": IUPACData.protein_weights,
}
"""Molecule -> letter -> mass of the free nucleotide (with its phosphate) or amino acid, in daltons."""
_WATER = Decimal("18.0153")
"""Lost for each bond, as Biopython takes it."""
_HUNDREDTH = Decimal("0.01")


def average_mass(letters: str, molecule: str) -> float:
    """Mass in daltons of one linear strand or chain, rounded to hundredths, a half up.

    Args:
        letters: upper case, not empty, each with a mass.
        molecule: `dna`, `rna` or `protein`.
    """
    masses = MASSES[molecule]
    whole = sum((Decimal(str(masses[letter])) * count for letter, count in Counter(letters).items()), Decimal(0))
    return float((whole - _WATER * (len(letters) - 1)).quantize(_HUNDREDTH, rounding=ROUND_HALF_UP))
