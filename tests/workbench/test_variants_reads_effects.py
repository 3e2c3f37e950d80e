"""Effects of changes on small made-up genes whose codons can be read off the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fcbench.workbench.effects import MAX_CHANGE, VariantEffect, effect_of, substitution_of
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.letters import reverse_complement
from fcbench.workbench.records import SequenceRecord

#          M   A   K   W   E   *
CODONS = "ATGGCCAAATGGGAATAA"
PLUS = f"TTTTT{CODONS}CCCCC"
"""The gene at 6 to 23."""
MINUS = reverse_complement(PLUS)
"""The same gene read backwards: it lies there at 6 to 23 as well, since both flanks have five bases."""
SPLICED = f"TTTTT{CODONS[:7]}GTAAGTCAG{CODONS[7:]}CCCCC"
"""The gene at 6 to 12 and 22 to 32, with an intron in codon 3."""


def record(letters: str, *features: Feature) -> SequenceRecord:
    """A linear record."""
    return SequenceRecord(
        id="X", name="X", description="", organism="", molecule="DNA", topology="linear", sequence=letters,
        features=features,
    )  # fmt: skip


def gene(*parts: Part, kind: str = "CDS", **qualifiers: str) -> Feature:
    """A feature of the gene x in code 11."""
    given = {"gene": ("x",), "transl_table": ("11",), **{key: (value,) for key, value in qualifiers.items()}}
    return Feature(id="ftr-1", kind=kind, parts=parts, qualifiers=given)


ON_PLUS = record(PLUS, gene(Part(6, 23, "+")))
ON_MINUS = record(MINUS, gene(Part(6, 23, "-")))
IN_TWO = record(SPLICED, gene(Part(6, 32, "+"), kind="gene"), gene(Part(6, 12, "+"), Part(22, 32, "+")))
OPEN = record(PLUS[8:], gene(Part(1, 15, "+", open_start=True)))
"""The gene from its second codon on: what begins it lies outside."""


@pytest.mark.parametrize(
    ("genome", "position", "ref", "alt", "kind", "change"),
    [
        pytest.param(ON_PLUS, 11, "C", "A", "silent", "", id="GCC to GCA"),
        pytest.param(ON_PLUS, 10, "C", "A", "missense", "A2D", id="GCC to GAC"),
        pytest.param(ON_PLUS, 17, "G", "A", "nonsense", "W4*", id="TGG to TGA"),
        pytest.param(ON_PLUS, 7, "T", "C", "start_lost", "M1?", id="ATG to ACG"),
        pytest.param(ON_PLUS, 6, "A", "G", "start_lost", "M1?", id="ATG to GTG, another start of code 11"),
        pytest.param(ON_PLUS, 21, "T", "C", "stop_lost", "*6Q", id="TAA to CAA"),
        pytest.param(ON_PLUS, 22, "A", "G", "silent", "", id="TAA to TGA is a stop as well"),
        pytest.param(ON_PLUS, 11, "CAA", "TCG", "missense", "K3R", id="GCC AAA to GCT CGA, one changed residue"),
        pytest.param(ON_PLUS, 10, "CCA", "AAG", "missense", "A2_K3delinsEE", id="GCC AAA to GAA GAA"),
        pytest.param(ON_PLUS, 9, "GCC", "GCCGCC", "inframe_indel", "A2dup", id="GCC twice"),
        pytest.param(ON_PLUS, 14, "A", "AGCCAAA", "inframe_indel", "A2_K3dup", id="GCC AAA twice"),
        pytest.param(ON_PLUS, 11, "C", "CGGG", "inframe_indel", "A2_K3insG", id="a residue that is not there yet"),
        pytest.param(ON_PLUS, 11, "CAAA", "C", "inframe_indel", "K3del", id="AAA goes"),
        pytest.param(ON_PLUS, 10, "CCAAAT", "CCT", "inframe_indel", "K3del", id="the same with bases on both sides"),
        pytest.param(ON_PLUS, 11, "CAAATGG", "C", "inframe_indel", "K3_W4del", id="two codons go"),
        pytest.param(ON_PLUS, 10, "CCAA", "T", "inframe_indel", "A2_K3delinsV", id="GCC AAA to GTA"),
        pytest.param(ON_PLUS, 11, "C", "CTAA", "nonsense", "K3*", id="a stop comes"),
        pytest.param(ON_PLUS, 12, "A", "AC", "frameshift", "K3fs", id="GCC ACA ATG G"),
        pytest.param(ON_PLUS, 11, "CA", "C", "frameshift", "K3fs", id="GCC AAT GGG"),
        pytest.param(ON_PLUS, 20, "ATAA", "A", "stop_lost", "*6?", id="the stop goes"),
        pytest.param(ON_PLUS, 3, "TTTATG", "T", "start_lost", "M1?", id="from before the gene into its start"),
        pytest.param(ON_PLUS, 5, "T", "TA", "intergenic", "", id="before the first base"),
        pytest.param(ON_PLUS, 24, "C", "T", "intergenic", "", id="behind the last base"),
        pytest.param(ON_PLUS, 23, "AC", "TG", "stop_lost", "*6Y", id="TAA to TAT and one base behind"),
        pytest.param(ON_MINUS, 12, "C", "T", "nonsense", "W4*", id="TGG to TGA on the other strand"),
        pytest.param(ON_MINUS, 18, "G", "T", "silent", "", id="GCC to GCA on the other strand"),
        pytest.param(ON_MINUS, 19, "GC", "TC", "missense", "A2D", id="GCC to GAC, with a base that stays"),
        pytest.param(ON_MINUS, 17, "T", "TG", "frameshift", "K3fs", id="C between GCC and AAA"),
        pytest.param(ON_MINUS, 14, "ATTTG", "AG", "inframe_indel", "K3del", id="AAA goes on the other strand"),
        pytest.param(ON_MINUS, 22, "A", "G", "start_lost", "M1?", id="ATG to ACG on the other strand"),
        pytest.param(ON_MINUS, 23, "T", "TC", "intergenic", "", id="behind the start codon on the other strand"),
        pytest.param(ON_PLUS, 22, "AA", "A", "stop_lost", "*6?", id="the last base goes: TA is left of the stop"),
        pytest.param(IN_TWO, 15, "A", "C", "noncoding", "", id="in the intron"),
        pytest.param(IN_TWO, 12, "A", "C", "missense", "K3Q", id="last base of the first exon"),
        pytest.param(IN_TWO, 22, "A", "G", "missense", "K3R", id="first base of the second"),
        pytest.param(IN_TWO, 12, "A", "AT", "noncoding", "", id="between exon and intron"),
        pytest.param(IN_TWO, 21, "GA", "TG", "missense", "K3R", id="last base of the intron and first of the exon"),
        pytest.param(ON_PLUS, 22, "A", "AC", "stop_lost", "*6Y", id="before the last base, TAC A"),
        pytest.param(IN_TWO, 26, "G", "A", "nonsense", "W4*", id="TGG to TGA behind the intron"),
        pytest.param(OPEN, 2, "C", "A", "missense", "A1D", id="nothing begins where the gene is open"),
    ],
)
def test_a_change_has_the_effect_that_its_codons_tell(
    genome: SequenceRecord, position: int, ref: str, alt: str, kind: str, change: str
) -> None:
    assert genome.sequence[position - 1 : position - 1 + len(ref)] == ref, "the row itself is wrong"
    wanted_gene = "" if kind == "intergenic" else "x"
    assert effect_of(genome, position, ref, alt) == VariantEffect(kind, wanted_gene, change)  # type: ignore[arg-type]


def test_of_two_genes_the_one_that_is_hit_hardest_counts() -> None:
    # In the longer one base 17 lies in GGG (TTA TGG CCA AAT GGG AAT), in x in TGG.
    longer = gene(Part(2, 23, "+"), codon_start="3")
    named = gene(Part(6, 23, "+"))
    nameless = Feature(id="ftr-3", kind="CDS", parts=(Part(6, 23, "+"),), qualifiers={"transl_table": ("11",)})
    genome = record(PLUS, longer, nameless, named)
    assert effect_of(genome, 17, "G", "A") == VariantEffect("nonsense", "x", "W4*")
    assert effect_of(record(PLUS, nameless, named), 10, "C", "A").gene == "x"


def test_a_stop_inside_that_the_record_knows_is_read_through() -> None:
    recoded = record("ATGTGAGCCTAA", gene(Part(1, 12, "+")))
    assert effect_of(recoded, 8, "C", "A") == VariantEffect("missense", "x", "A3D")


def test_a_long_change_of_the_protein_is_cut() -> None:
    change = effect_of(ON_PLUS, 11, "C", "C" + "GGC" * 60).protein_change
    assert change.startswith("A2_K3insGGG")
    assert len(change) == MAX_CHANGE


@pytest.mark.parametrize(
    ("ref", "alt", "start", "gone", "come"),
    [
        ("A", "T", 10, "A", "T"),
        ("CTAC", "C", 11, "TAC", ""),
        ("C", "CAGG", 11, "", "AGG"),
        ("ACGT", "AGGT", 11, "C", "G"),
        ("CAC", "CGGC", 11, "A", "GG"),
        ("AA", "AAA", 12, "", "A"),
    ],
)
def test_bases_that_both_alleles_share_are_no_part_of_the_change(
    ref: str, alt: str, start: int, gone: str, come: str
) -> None:
    found = substitution_of(10, ref, alt)
    assert (found.start, found.gone, found.come) == (start, gone, come)


OVER_ORIGIN = replace(
    record(CODONS[9:] + "CCCCC" + CODONS[:9], replace(gene(Part(15, 23, "+"), Part(1, 9, "+")), wraps=True)),
    topology="circular",
)
"""A circle of 23 bases on which the gene begins at 15 and ends at 9: codon 4 begins at base 1."""


@pytest.mark.parametrize(
    ("position", "ref", "alt", "change"),
    [
        pytest.param(23, "A", "AC", VariantEffect("frameshift", "x", "W4fs"), id="behind the last base of the circle"),
        pytest.param(1, "T", "CT", VariantEffect("frameshift", "x", "W4fs"), id="before its first base"),
        pytest.param(23, "A", "AGGG", VariantEffect("inframe_indel", "x", "K3_W4insG"), id="a codon at the origin"),
        pytest.param(9, "A", "AC", VariantEffect("intergenic"), id="behind the gene"),
    ],
)
def test_bases_between_the_two_ends_of_a_circle_lie_inside_a_gene_that_crosses_them(
    position: int, ref: str, alt: str, change: VariantEffect
) -> None:
    assert OVER_ORIGIN.sequence[position - 1 : position - 1 + len(ref)] == ref
    assert effect_of(OVER_ORIGIN, position, ref, alt) == change
