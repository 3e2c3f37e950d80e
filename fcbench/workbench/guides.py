"""Guide sites of CRISPR nucleases: a protospacer beside its PAM."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from fcbench.workbench.letters import IUPAC, reverse_complement
from fcbench.workbench.records import SequenceRecord

PAMS = {"NGG": "behind", "NNGRRT": "behind", "TTTV": "before"}
"""PAM, 5' to 3' on the strand of the guide -> its side of the protospacer: SpCas9, SaCas9, Cas12a."""


@dataclass(frozen=True, slots=True)
class GuideSite:
    """A protospacer with its PAM."""

    start: int
    """Offset of the protospacer's first base on the forward strand, counted from 0."""
    strand: str
    guide: str
    """The protospacer as the guide reads it, 5' to 3'."""
    pam: str
    """The bases of the PAM here."""


def guide_sites(letters: str, pam: str, guide_length: int) -> list[GuideSite]:
    """Every site of which protospacer and PAM lie wholly in the letters, on both strands, sorted by place.

    Protospacers with another letter than A, C, G, T are left out.

    Args:
        letters: upper-case DNA of the forward strand.
        pam: a key of `PAMS`.
        guide_length: bases of the protospacer.
    """
    found = []
    pattern = _pattern(pam, guide_length)
    for strand, read in (("+", letters), ("-", reverse_complement(letters))):
        for match in pattern.finditer(read):
            at = match.start("guide")
            start = at if strand == "+" else len(letters) - at - guide_length
            found.append(GuideSite(start, strand, match["guide"], match["pam"]))
    return sorted(found, key=lambda site: (site.start, site.strand))


@cache
def _pattern(pam: str, guide_length: int) -> re.Pattern[str]:
    """Sites overlap, so the whole is a lookahead."""
    guide = f"(?P<guide>[ACGT]{{{guide_length}}})"
    motif = "(?P<pam>" + "".join(f"[{IUPAC[letter]}]" for letter in pam) + ")"
    return re.compile(f"(?={motif}{guide})" if PAMS[pam] == "before" else f"(?={guide}{motif})")


def places_of(record: SequenceRecord, letters: str) -> int:
    """Places on either strand with exactly these bases, overlapping ones and those over the origin included."""
    around = record.sequence + (record.sequence[: len(letters) - 1] if record.circular else "")
    forms = dict.fromkeys((letters, reverse_complement(letters)))
    return sum(_occurrences(around, form) for form in forms)


def _occurrences(text: str, word: str) -> int:
    count, at = 0, text.find(word)
    while at >= 0:
        count, at = count + 1, text.find(word, at + 1)
    return count
