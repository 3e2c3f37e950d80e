"""Letters of DNA and protein: complement, translation, composition. Pure functions on strings."""

from __future__ import annotations

from functools import cache

from Bio.Data import CodonTable

from fcbench.workbench.errors import ToolError

_COMPLEMENT = str.maketrans("ACGTURYSWKMBDHVNacgturyswkmbdhvn", "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn")
IUPAC = {
    "A": "A",
    "C": "C",
    "G": "G",
    "T": "T",
    "R": "AG",
    "Y": "CT",
    "S": "CG",
    "W": "AT",
    "K": "GT",
    "M": "AC",
    "B": "CGT",
    "D": "AGT",
    "H": "ACT",
    "V": "ACG",
    "N": "ACGT",
}
"""What each letter may stand for (IUPAC-IUB 1984)."""


def dna(text: str) -> str:
    """Upper-case DNA letters: U is read as T.

    Raises:
        ToolError: `bad_sequence` for a letter that IUPAC does not know.
    """
    letters = text.upper().replace("U", "T")
    strange = sorted(set(letters) - set(IUPAC))
    if strange:
        raise ToolError("bad_sequence", f"DNA is written with {''.join(IUPAC)}; found {', '.join(strange[:5])}")
    return letters


def reverse_complement(letters: str) -> str:
    """The other strand, 5' to 3'; IUPAC letters are complemented, case is kept."""
    return letters.translate(_COMPLEMENT)[::-1]


@cache
def codon_table(genetic_code: int) -> dict[str, str]:
    """Codon -> one-letter residue, `*` for a stop, of an NCBI genetic code.

    Raises:
        ToolError: `bad_argument` where NCBI has no such code.
    """
    try:
        table = CodonTable.unambiguous_dna_by_id[genetic_code]
    except KeyError:
        raise ToolError("bad_argument", f"there is no genetic code {genetic_code}; 1, 4 and 11 are common") from None
    return {**table.forward_table, **dict.fromkeys(table.stop_codons, "*")}


@cache
def start_codons(genetic_code: int) -> frozenset[str]:
    """Codons that may begin a protein under an NCBI genetic code."""
    codon_table(genetic_code)
    return frozenset(CodonTable.unambiguous_dna_by_id[genetic_code].start_codons)


def translate(letters: str, genetic_code: int = 11, *, to_stop: bool = False) -> str:
    """Residues of upper-case DNA from its first base; a codon with another letter than A, C, G, T is X.

    A trailing one or two bases are left out. With `to_stop` the text ends before the first stop.
    """
    table = codon_table(genetic_code)
    residues = "".join(table.get(letters[at : at + 3], "X") for at in range(0, len(letters) - 2, 3))
    return residues.partition("*")[0] if to_stop else residues


def gc_percent(letters: str, digits: int = 2) -> float:
    """Share of G and C (S counts as one) among the letters that tell, in percent; 0 where none tells.

    Letters that may be either (such as N or R) are left out of both counts.
    """
    upper = letters.upper()
    strong = sum(upper.count(letter) for letter in "GCS")
    weak = sum(upper.count(letter) for letter in "ATUW")
    return round(100 * strong / (strong + weak), digits) if strong + weak else 0.0
