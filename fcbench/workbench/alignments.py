"""Pairwise alignments and the numbers that describe them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from Bio.Align import Alignment as Aligned
from Bio.Align import PairwiseAligner, substitution_matrices

from fcbench.core.names import JsonObject
from fcbench.workbench.errors import ToolError
from fcbench.workbench.letters import dna

MAX_CELLS = 20_000_000
"""Letters of one sequence times letters of the other: about a second of work."""
_PROTEIN_GAP = (-11, -1)
_DNA_GAP = (-5, -1)
_DNA_SCORES = (2, -1)


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two sequences with gaps as hyphens, column by column; both empty where nothing aligns locally."""

    score: float
    first: str
    second: str

    @property
    def numbers(self) -> JsonObject:
        """Score and counts of columns, as results show them."""
        columns = list(zip(self.first, self.second, strict=True))
        same = sum(one == other for one, other in columns)
        gaps = sum("-" in pair for pair in columns)
        return {
            "score": self.score,
            "identities": same,
            "mismatches": len(columns) - same - gaps,
            "gaps": gaps,
            "aligned_columns": len(columns),
            "identity_percent": round(100 * same / len(columns), 2) if columns else 0.0,
        }


def protein_letters(text: str) -> str:
    """Upper-case residues; a letter that BLOSUM62 has no row for (J, O, U) is read as X."""
    return "".join(letter if letter in _known_residues() else "X" for letter in text.upper())


def align(first: str, second: str, molecule: str, mode: str) -> Alignment:
    """The best alignment of two sequences.

    Protein: BLOSUM62, a gap costs 11 for its first column and 1 for each further one. DNA: match 2, mismatch -1, a gap
    costs 5 and 1. Gaps at the ends cost as much as others. Of several alignments with the same score the one is taken
    that does not depend on which sequence comes first.

    Args:
        first: letters, not empty.
        second: letters, not empty.
        molecule: `protein` or `dna`.
        mode: `global` or `local`.

    Raises:
        ToolError: `bad_sequence` for letters that are no DNA, `bad_argument` where the two are too long.
    """
    clean = dna if molecule == "dna" else protein_letters
    one, other = clean(first), clean(second)
    if len(one) * len(other) > MAX_CELLS:
        sizes = f"{len(one)} and {len(other)} letters"
        raise ToolError("bad_argument", f"{sizes} are too long to align; at most {MAX_CELLS:,} when multiplied")
    lower, upper = sorted((one, other))
    best = _aligner(molecule, mode).align(lower, upper)
    found: Aligned | None = next(iter(best), None)
    if found is None:
        return Alignment(score=0.0, first="", second="")
    rows = (str(found[0]), str(found[1])) if lower == one else (str(found[1]), str(found[0]))
    return Alignment(round(float(best.score), 1), *rows)


@cache
def _known_residues() -> frozenset[str]:
    return frozenset(str(substitution_matrices.load("BLOSUM62").alphabet))


def _aligner(molecule: str, mode: str) -> PairwiseAligner:
    aligner = PairwiseAligner(mode=mode)
    if molecule == "dna":
        aligner.match_score, aligner.mismatch_score = _DNA_SCORES
    else:
        aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
    aligner.open_gap_score, aligner.extend_gap_score = _DNA_GAP if molecule == "dna" else _PROTEIN_GAP
    return aligner
