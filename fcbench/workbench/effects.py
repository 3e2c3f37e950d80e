"""What a change of bases does to the genes that it hits.

Kinds of effect follow the usual classes of variant annotation; changes of proteins are written in the short form of
HGVS (one-letter residues, the last possible place of a repeat).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from fcbench.workbench.features import Feature, Part
from fcbench.workbench.genes import genes_of
from fcbench.workbench.letters import reverse_complement, translate
from fcbench.workbench.records import SequenceRecord, begins_whole, genetic_code_of

EffectKind = Literal[
    "silent",
    "missense",
    "nonsense",
    "frameshift",
    "inframe_indel",
    "start_lost",
    "stop_lost",
    "noncoding",
    "intergenic",
]
"""`noncoding`: in a gene, but in none of its coding sequences (introns, RNA genes, interrupted genes)."""
_HARDEST_FIRST: tuple[EffectKind, ...] = (
    "frameshift",
    "nonsense",
    "start_lost",
    "stop_lost",
    "inframe_indel",
    "missense",
    "silent",
)
MAX_CHANGE = 40
"""Letters of a change of a protein."""


@dataclass(frozen=True, slots=True)
class VariantEffect:
    """What a change does to the coding sequence that it hits hardest."""

    kind: EffectKind
    gene: str = ""
    protein_change: str = ""


@dataclass(frozen=True, slots=True)
class Substitution:
    """A change without the bases that both alleles share."""

    start: int
    """First base that goes; where none goes, the base before which the new ones come."""
    gone: str
    come: str

    def hits(self, feature: Feature, part: Part, length: int) -> bool:
        """Whether a base of a part goes, or new ones come between two bases of the feature.

        Args:
            feature: whose part it is.
            part: one of its parts.
            length: bases of the record.
        """
        if part.between:
            return False
        if not self.gone:
            return feature.takes_insertion(part, self.start, length)
        return part.start <= self.start + len(self.gone) - 1 and self.start <= part.end


def substitution_of(position: int, ref: str, alt: str) -> Substitution:
    """The bases that differ between two alleles; shared ones are cut from the left, then from the right."""
    left = _shared(ref, alt)
    gone, come = ref[left:], alt[left:]
    right = _shared(gone[::-1], come[::-1])
    return Substitution(position + left, gone[: len(gone) - right], come[: len(come) - right])


@lru_cache(maxsize=20_000)
def effect_of(record: SequenceRecord, position: int, ref: str, alt: str) -> VariantEffect:
    """The effect of putting `alt` in the place of `ref`.

    Of several coding sequences the one that is hit hardest counts; of equal ones one that has a name.

    Args:
        record: holds `ref` at `position`.
        position: the first base of `ref`, counted from 1.
        ref: upper-case bases, at least one.
        alt: other bases.
    """
    change = substitution_of(position, ref, alt)
    found = [
        _effect(record, cds, change)
        for cds in record.entries
        if cds.kind == "CDS" and any(change.hits(cds, part, record.length) for part in cds.parts)
    ]
    if found:
        return min(found, key=lambda effect: (_HARDEST_FIRST.index(effect.kind), not effect.gene))
    for gene in genes_of(record):
        if any(change.hits(gene.main, part, record.length) for part in gene.main.parts):
            return VariantEffect("noncoding", gene.symbol)
    return VariantEffect("intergenic")


def _effect(record: SequenceRecord, cds: Feature, change: Substitution) -> VariantEffect:
    code, skipped = genetic_code_of(cds), _skipped(cds)
    before = record.spliced(cds)[skipped:]
    after = "".join(_changed(record, cds, part, change) for part in cds.parts)[skipped:]
    begins = begins_whole(record, cds)
    if begins and after[:3] != before[:3]:
        # Another codon that may start counts too: a start codon is lost with any base of it (SO:0002012).
        return VariantEffect("start_lost", cds.gene, "M1?")
    old, new = _residues(before, code, begins=begins), _residues(after, code, begins=begins)
    if "*" not in old[:-1] and "*" in new:
        new = new[: new.index("*") + 1]
    kind, text = _compared(old, new, len(after) - len(before))
    return VariantEffect(kind, cds.gene, text[:MAX_CHANGE])


def _compared(old: str, new: str, added_bases: int) -> tuple[EffectKind, str]:
    """The class and the text of a change; `new` ends with its first stop."""
    if old == new:
        return "silent", ""
    at = _shared(old, new)
    first = f"{old[at]}{at + 1}" if at < len(old) else ""
    if at == len(old) - 1 and old.endswith("*") and new[at:] != "*":
        # Nothing but the stop is another one: the protein goes on behind it, in whichever frame.
        last = "" if added_bases and not added_bases % 3 else new[at : at + 1]
        return "stop_lost", f"*{len(old)}{last or '?'}"
    if added_bases % 3:
        return "frameshift", f"{first}fs" if first else ""
    if new.endswith("*") and len(new) < len(old) + added_bases // 3:
        return "nonsense", f"{first}*" if new[at:] == "*" else f"{first}delins{new[at:]}"
    if old.endswith("*") and not new.endswith("*"):
        last = new[len(old) - 1 : len(old)] if not added_bases else ""
        return "stop_lost", f"*{len(old)}{last or '?'}"
    return "inframe_indel" if added_bases else "missense", _change_text(old, new, at)


def _change_text(old: str, new: str, at: int) -> str:
    right = _shared(old[at:][::-1], new[at:][::-1])
    gone, come = old[at : len(old) - right], new[at : len(new) - right]
    if not gone:
        if old[:at].endswith(come):
            return f"{_place(old, at - len(come), at)}dup"
        return f"{old[at - 1]}{at}_{old[at]}{at + 1}ins{come}" if 0 < at < len(old) else f"ins{come}"
    place = _place(old, at, at + len(gone))
    if not come:
        return f"{place}del"
    return f"{place}{come}" if len(gone) == len(come) == 1 else f"{place}delins{come}"


def _place(residues: str, start: int, end: int) -> str:
    """The residues from one offset to before another, as HGVS names them."""
    first = f"{residues[start]}{start + 1}"
    return first if end - start == 1 else f"{first}_{residues[end - 1]}{end}"


def _changed(record: SequenceRecord, cds: Feature, part: Part, change: Substitution) -> str:
    """The letters of a part as they are read after the change."""
    letters = "" if part.between else record.sequence[part.start - 1 : part.end]
    if change.hits(cds, part, record.length):
        first = change.start - part.start
        last = first + len(change.gone)
        letters = letters[: max(first, 0)] + _coming(change, first, last, len(letters)) + letters[last:]
    return reverse_complement(letters) if part.strand == "-" else letters


def _coming(change: Substitution, first: int, last: int, length: int) -> str:
    """The new bases that lie inside a part; where the change has another length, they belong to where it begins."""
    if len(change.come) != len(change.gone):
        return change.come if first >= 0 else ""
    return change.come[max(0, -first) : len(change.come) - max(0, last - length)]


def _residues(letters: str, code: int, *, begins: bool) -> str:
    """The residues; the start codon is read as methionine, whichever it is."""
    residues = translate(letters, code)
    return f"M{residues[1:]}" if begins else residues


def _skipped(cds: Feature) -> int:
    first = cds.first("codon_start")
    return int(first) - 1 if first in ("2", "3") else 0


def _shared(one: str, other: str) -> int:
    """Letters that two texts share from their beginning."""
    pairs: Iterator[tuple[str, str]] = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
