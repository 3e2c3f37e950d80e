"""Restriction enzymes of REBASE, as Biopython carries them, and where they cut."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Literal, Protocol, cast

from Bio.Restriction import AllEnzymes  # type: ignore[attr-defined]  # made when the module is loaded
from Bio.Seq import Seq

from fcbench.workbench.errors import ToolError
from fcbench.workbench.letters import IUPAC, reverse_complement
from fcbench.workbench.records import SequenceRecord

Overhang = Literal["blunt", "five_prime", "three_prime"]
EDGE = 100
"""Bases at each end of a range in which a site may lie whose cut falls outside; no enzyme reaches as far."""


class Enzyme(Protocol):
    """What is used of an enzyme class of `Bio.Restriction`."""

    site: str

    def search(self, dna: Seq, linear: bool = True) -> list[int]:
        """First bases after the cuts on the forward strand, counted from 1."""

    def is_unknown(self) -> bool:
        """Whether the place of the cut is not recorded."""

    def is_blunt(self) -> bool:
        """Whether the ends are blunt."""

    def is_5overhang(self) -> bool:
        """Whether the 5' ends stand out."""

    def is_comm(self) -> bool:
        """Whether a supplier sells it."""


@cache
def enzymes() -> dict[str, Enzyme]:
    """Every enzyme whose cut is known, by its REBASE name, sorted. Biopython writes a hyphen as an underscore."""
    every = [(str(each).replace("_", "-"), cast("Enzyme", each)) for each in AllEnzymes]
    return dict(sorted((name, each) for name, each in every if not each.is_unknown()))


def enzyme_of(name: str) -> Enzyme:
    """The enzyme of a name.

    Raises:
        ToolError: `unknown_enzyme`, with the name that is meant where only the case differs.
    """
    found = enzymes().get(name)
    if found is not None:
        return found
    same = [known for known in enzymes() if known.casefold() == name.casefold()]
    hint = f"; {same[0]} is written so" if same else "; names are those of REBASE, such as EcoRI"
    raise ToolError("unknown_enzyme", f"no enzyme with a known cut is called {name}{hint}")


def overhang_of(enzyme: Enzyme) -> Overhang:
    """The kind of ends that an enzyme leaves."""
    if enzyme.is_blunt():
        return "blunt"
    return "five_prime" if enzyme.is_5overhang() else "three_prime"


def is_whole(record: SequenceRecord, start: int, end: int) -> bool:
    """Whether a range is the whole sequence, which keeps its own topology; any shorter one is a linear piece."""
    return start == 1 and end == record.length


def cuts(record: SequenceRecord, enzyme: Enzyme, start: int, end: int) -> list[int]:
    """First bases after the cuts inside a range, on the forward strand of the record, sorted.

    Site and cut must lie inside a linear piece; the whole of a circular sequence is cut over its origin as well.
    """
    linear = not (record.circular and is_whole(record, start, end))
    found = enzyme.search(Seq(record.bases(start, end)), linear=linear)
    return sorted({start - 1 + at for at in found})


def fragment_lengths(record: SequenceRecord, start: int, end: int, cut_positions: list[int]) -> list[int]:
    """Lengths between cuts, longest first: n + 1 of a linear piece, n of a circle, the whole where nothing cuts."""
    length = end - start + 1
    if record.circular and is_whole(record, start, end):
        turned = [*cut_positions[1:], *(at + length for at in cut_positions[:1])]
        lengths = [after - before for before, after in zip(cut_positions, turned, strict=True)] or [length]
    else:
        edges = [start, *cut_positions, end + 1]
        lengths = [after - before for before, after in pairwise(edges)]
    return sorted(lengths, reverse=True)


def never_cuts(letters: str, enzyme: Enzyme, *, linear: bool) -> bool:
    """Whether an enzyme leaves a linear piece or a circle whole.

    A site well inside settles it at once; only for the few enzymes without one the cuts are worked out.
    """
    inside = letters[EDGE : max(len(letters) - EDGE, EDGE)]
    return not _site_pattern(enzyme.site).search(inside) and not enzyme.search(Seq(letters), linear=linear)


@cache
def _site_pattern(site: str) -> re.Pattern[str]:
    sites = dict.fromkeys((site, reverse_complement(site)))
    return re.compile("|".join("".join(f"[{IUPAC[letter]}]" for letter in each) for each in sites))
