"""Open reading frames of a stretch of DNA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcbench.workbench.letters import codon_table, reverse_complement

STARTS = frozenset(("ATG", "GTG", "TTG"))
"""The three codons at which nearly all bacterial genes begin."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A reading frame from its start codon to its stop codon."""

    start: int
    """Offset of the first base on the forward strand, counted from 0."""
    end: int
    """Offset of the last base, included."""
    codon: str
    """The start codon."""


def reading_frames(letters: str, genetic_code: int, min_length: int, *, reverse: bool) -> Iterator[Frame]:
    """The longest frame that ends at each stop codon and lies wholly in the letters, on one strand.

    Args:
        letters: upper-case DNA of the forward strand.
        genetic_code: NCBI number; it says which codons stop.
        min_length: least length in bases, stop codon included.
        reverse: whether the reverse strand is read.
    """
    stops = {codon for codon, residue in codon_table(genetic_code).items() if residue == "*"}
    read = reverse_complement(letters) if reverse else letters
    for phase in range(3):
        first = -1
        for at in range(phase, len(read) - 2, 3):
            codon = read[at : at + 3]
            if codon in stops:
                if first >= 0 and at + 3 - first >= min_length:
                    start, end = (len(read) - at - 3, len(read) - first - 1) if reverse else (first, at + 2)
                    yield Frame(start, end, read[first : first + 3])
                first = -1
            elif first < 0 and codon in STARTS:
                first = at
