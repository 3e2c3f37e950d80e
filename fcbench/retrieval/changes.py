"""How people write a change of bases or of residues: `C>T`, `A1552G`, `c.77del`, `K43R`, `Met16`.

The forms follow the nomenclature of the Human Genome Variation Society (HGVS), the older one of microbial genetics
(base, place, base) and plain speech ("the T at 912 is a G"). Every repetition is bounded: requests are foreign input.
"""

from __future__ import annotations

import re

_BASES = "[ACGT]{1,20}"
_TURNS_INTO = r"(?:>|->|→| to | into | instead of |(?: may| can| must| should| will)? becomes? )"
_PLACED = (
    r"\b[ACGT][0-9]{1,9}[ACGT]\b",
    rf"\b(?:[cgmn]\.)?[0-9]{{1,9}} ?(?:{_BASES} ?>|del|ins|dup)",
)
"""Forms that say the place as well."""
_TOLD = (
    rf"\b{_BASES} ?{_TURNS_INTO} ?(?:an? )?{_BASES}\b",
    r"\b[ACGT] (?:at|in|on) [^.;?!\n]{1,40}? (?:to|into|is|becomes|became) (?:an? )?[ACGT]\b",
)
_THREE_LETTERS = "Ala|Arg|Asn|Asp|Cys|Gln|Glu|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Ser|Thr|Trp|Tyr|Val"
_ONE_LETTER = "[ACDEFGHIKLMNPQRSTVWY]"

PLACED_CHANGE = re.compile("|".join(_PLACED))
CHANGE = re.compile("|".join((*_PLACED, *_TOLD)))
"""A change of bases."""
RESIDUE = re.compile(
    rf"\b(?:p\.)?(?:{_THREE_LETTERS})-?[0-9]{{1,4}}"
    rf"|\b(?![ACGT][0-9]{{1,4}}[ACGT]\b){_ONE_LETTER}[1-9][0-9]{{0,3}}{_ONE_LETTER}\b"
)
"""A residue with its number, or its substitution; one that may as well be a change of bases is none."""

__all__ = ["CHANGE", "PLACED_CHANGE", "RESIDUE"]
