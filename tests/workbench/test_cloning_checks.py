"""The cloning tools against another way to the same numbers: regular expressions, the genome read again, primer3."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest
from Bio.Data.IUPACData import ambiguous_dna_values
from Bio.Restriction import CommOnly
from Bio.Seq import Seq
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject
from fcbench.workbench.engines import engine_version
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.primer_binding import Product, Site, binding_sites, products
from fcbench.workbench.project import Genome
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.restriction import enzymes
from tests.workbench.test_analysis_checks import genbank
from tests.workbench.worlds import content, error_code, fresh

PALINDROMES = {"EcoRI": ("GAATTC", 1), "PstI": ("CTGCAG", 5), "SmaI": ("CCCGGG", 3), "HincII": ("GTYRAC", 3)}
"""Enzyme -> site and bases before the cut on the forward strand."""


def expression(site: str) -> str:
    """A site as a regular expression that finds overlapping ones."""
    return "(?=" + "".join(f"[{ambiguous_dna_values[letter]}]" for letter in site) + ")"


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "sars-cov-2", "plasmid-ppcp1", "phix174", "chloroplast"])
@pytest.mark.parametrize("enzyme", PALINDROMES)
def test_cuts_are_where_a_regular_expression_finds_the_site(fixture: str, enzyme: str) -> None:
    site, before = PALINDROMES[enzyme]
    session = fresh(fixture)
    record, letters = session.records[0], str(genbank(fixture).seq)
    around = letters + letters[: len(site) - 1] if record.circular else letters
    places = [(match.start() + before) % len(letters) + 1 for match in re.finditer(expression(site), around)]
    found = content(session, "find_restriction_sites", enzyme=enzyme)
    assert (found["count"], found["cut_positions"]) == (len(places), sorted(places)[:50])


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "phix174", "plasmid-ppcp1", "chloroplast"])
@pytest.mark.parametrize("pair", [("EcoRI", "BamHI"), ("AluI", "HaeIII"), ("XhoI", "BcgI")])
def test_fragments_add_up_to_what_was_cut(fixture: str, pair: tuple[str, str]) -> None:
    session = fresh(fixture)
    record = session.records[0]
    places: tuple[JsonObject, ...] = ({}, {"start": 100, "end": 4000})
    for place in places:
        found = content(session, "virtual_digest", enzymes=list(pair), **place)
        round_ = record.circular and not place
        assert found["fragment_count"] == max(int(str(found["cut_count"])) + (not round_), 1)
        if found["fragment_count"] == len(found["fragment_lengths"]):
            assert sum(found["fragment_lengths"]) == (3901 if place else record.length)


def test_two_ranges_that_meet_hold_all_cuts_but_those_between_them() -> None:
    session = fresh()
    whole = content(session, "find_restriction_sites", enzyme="BamHI")["cut_positions"]
    left = content(session, "find_restriction_sites", enzyme="BamHI", end=60000)["cut_positions"]
    right = content(session, "find_restriction_sites", enzyme="BamHI", start=60001)["cut_positions"]
    assert [*left, *right] == whole


@pytest.mark.parametrize(("start", "end"), [(50000, 52000), (1, 300), (9000, 9040)])
def test_enzymes_without_a_cut_are_those_that_biopython_tries_one_by_one(start: int, end: int) -> None:
    letters = genbank("ecoli-d10483").seq[start - 1 : end]
    wanted = sorted(str(each).replace("_", "-") for each in CommOnly if not each.search(letters))
    found = content(fresh(), "find_noncutting_enzymes", start=start, end=end)
    assert found["count"] == len(wanted)
    assert [each["enzyme"] for each in found["enzymes"]] == wanted[:50]


@pytest.mark.parametrize("fixture", ["phix174", "plasmid-ppcp1"])
def test_enzymes_without_a_cut_in_a_whole_circle_are_those_that_cut_nowhere_on_it(fixture: str) -> None:
    letters = genbank(fixture).seq
    wanted = sorted(str(each).replace("_", "-") for each in CommOnly if not each.search(letters, linear=False))
    found = content(fresh(fixture), "find_noncutting_enzymes", start=1, end=len(letters))
    assert [each["enzyme"] for each in found["enzymes"]] == wanted[:50]
    assert found["count"] == len(wanted)


def test_every_listed_enzyme_can_be_asked_for() -> None:
    session = fresh("phix174")
    assert all(re.fullmatch("[A-Z][A-Za-z0-9-]{2,19}", name) for name in enzymes())
    for name in sorted(enzymes())[::25]:
        assert content(session, "find_restriction_sites", enzyme=name)["enzyme"] == name


@pytest.mark.parametrize("percent", [0.5, 0.8, 1, 1.5, 2.5, 4])
@pytest.mark.parametrize("ladder", ["100bp", "1kb", "1kb_plus", "lambda_hindiii"])
def test_longer_dna_runs_less_far_and_a_ladder_runs_like_its_fragments(percent: float, ladder: str) -> None:
    session = fresh("empty-session")
    bands = content(session, "simulate_gel", fragment_lengths=[20], gel_percent=percent, ladder=ladder)["ladder_bands"]
    lengths = [each["length"] for each in bands]
    assert lengths == sorted(lengths, reverse=True)
    run = content(session, "simulate_gel", fragment_lengths=lengths, gel_percent=percent)["distances_mm"]
    assert run == [each["distance_mm"] for each in bands]
    ways = content(session, "simulate_gel", fragment_lengths=[20, 99, 1000, 50000], gel_percent=percent)["distances_mm"]
    assert ways == sorted(ways, reverse=True)


@pytest.mark.parametrize("gene", ["araA", "dnaK", "folA", "murD"])
def test_designed_primers_are_in_the_genome_around_the_gene(gene: str) -> None:
    if engine_version("primer3-py") is None:
        pytest.skip("needs primer3-py of the extra workbench-gpl")
    session = fresh()
    letters = genbank("ecoli-d10483").seq
    _, found = session.gene(gene)
    pairs = content(session, "design_primers", gene_name=gene, flank=300)["pairs"]
    assert pairs
    for pair in pairs:
        bases = letters[pair["start"] - 1 : pair["end"]]
        assert len(bases) == pair["product_size"]
        assert bases.startswith(pair["forward"])
        assert bases.reverse_complement().startswith(pair["reverse"])
        assert found.start - 300 <= pair["start"] <= found.start - len(pair["forward"])
        assert found.end + len(pair["reverse"]) <= pair["end"] <= found.end + 300
        made = content(session, "simulate_pcr", forward=pair["forward"], reverse=pair["reverse"])["products"]
        assert {key: pair[key] for key in ("start", "end")} in [
            {"start": each["start"], "end": each["end"]} for each in made
        ]
        for side in ("forward", "reverse"):
            checked = content(session, "analyze_primer", sequence=pair[side])
            assert checked["tm"] == pytest.approx(pair[f"{side}_tm"], abs=0.02), "both tools name one temperature"


@pytest.mark.parametrize("fixture", ["plasmid-ppcp1", "chloroplast"])
def test_primers_of_a_gene_on_a_circle_are_in_it(fixture: str) -> None:
    if engine_version("primer3-py") is None:
        pytest.skip("needs primer3-py of the extra workbench-gpl")
    session = fresh(fixture)
    letters = genbank(fixture).seq
    gene = next(each for each in session.genes.genes if each.coding and each.start < 1000)
    pairs = content(session, "design_primers", gene_name=gene.locus_tag, flank=1000)["pairs"]
    for pair in pairs:
        twice = letters + letters
        end = pair["end"] + (len(letters) if pair["end"] < pair["start"] else 0)
        bases = twice[pair["start"] - 1 : end]
        assert len(bases) == pair["product_size"]
        assert bases.startswith(pair["forward"])
        assert bases.reverse_complement().startswith(pair["reverse"])


def test_a_circle_gives_the_primers_of_its_linear_copy_cut_elsewhere() -> None:
    if engine_version("primer3-py") is None:
        pytest.skip("needs primer3-py of the extra workbench-gpl")
    session = fresh("plasmid-ppcp1")
    circle, gene = session.gene("YP_pPCP01")
    turned = circle.sequence[-3000:] + circle.sequence[:-3000]
    part = Part(gene.start + 3000, gene.end + 3000, "+")
    copied = Feature(id="ftr-1", kind="gene", parts=(part,), qualifiers={"gene": ("copy",)})
    linear = replace(circle, id="X.1", topology="linear", sequence=turned, features=(copied,))
    pairs = content(session, "design_primers", gene_name="YP_pPCP01", flank=32, pair_count=10)["pairs"]
    session.open_genome(Genome(path="", records=(linear,)))
    others = content(session, "design_primers", gene_name="copy", flank=32, pair_count=10)["pairs"]
    assert [(each["forward"], each["reverse"]) for each in pairs] == [
        (each["forward"], each["reverse"]) for each in others
    ]
    assert [(each["start"] + 3000 - 1) % 9609 + 1 for each in pairs] == [each["start"] for each in others]


DNA = st.text(alphabet="ACGT", min_size=14, max_size=60)


def record_of(letters: str, *, circular: bool) -> SequenceRecord:
    """A bare record."""
    return SequenceRecord(
        id="X.1",
        name="X",
        description="",
        organism="",
        molecule="DNA",
        topology="circular" if circular else "linear",
        sequence=letters,
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(letters=DNA, at=st.integers(0, 40), most=st.integers(0, 5), circular=st.booleans())
def test_binding_sites_are_those_of_a_plain_comparison(letters: str, at: int, most: int, circular: bool) -> None:
    genome = letters * 2
    primer = (genome + genome)[at : at + 12]
    wanted = set()
    around = genome + (genome[:11] if circular else "")
    for place in range(len(around) - 11):
        window = around[place : place + 12]
        for strand, read in (("+", window), ("-", str(Seq(window).reverse_complement()))):
            wrong = [one != two for one, two in zip(read, primer, strict=True)]
            if not any(wrong[-5:]) and sum(wrong) <= most:
                wanted.add((place + 1, strand, sum(wrong)))
    found = binding_sites(record_of(genome, circular=circular), primer, most)
    assert {(site.start, site.strand, site.mismatches) for site in found} == wanted


def facing(sites: list[Site], record: SequenceRecord, longest: int) -> list[int]:
    """Lengths of the products of all pairs of sites, tried one by one."""
    lengths = []
    for one, two in product(sites, sites):
        length = two.start + two.length - one.start
        length += record.length if record.circular and length <= 0 else 0
        apart = length >= one.length + two.length
        if (one.strand, two.strand) == ("+", "-") and apart and length <= min(longest, record.length):
            lengths.append(length)
    return sorted(lengths)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    letters=st.text(alphabet="AT", min_size=20, max_size=80),
    longest=st.integers(24, 90),
    circular=st.booleans(),
    sizes=st.tuples(st.integers(12, 16), st.integers(12, 16)),
)
def test_products_of_crowded_sites_are_all_pairs_that_do_not_overlap(
    letters: str, longest: int, circular: bool, sizes: tuple[int, int]
) -> None:
    record = record_of(letters, circular=circular)
    groups = [binding_sites(record, "A" * sizes[0], 4), binding_sites(record, "AT" * (sizes[1] // 2), 5)]
    count, shortest = products(record, groups, longest, 50)
    wanted = facing([site for group in groups for site in group], record, longest)
    assert count == len(wanted)
    assert [each.length for each in shortest] == wanted[:50]


@pytest.mark.parametrize("fixture", ["phix174", "sars-cov-2"])
@pytest.mark.parametrize("longest", [60, 700, 30000])
def test_products_are_all_pairs_of_sites_that_face_each_other(fixture: str, longest: int) -> None:
    session = fresh(fixture)
    record = session.records[0]
    primers = ("ATGAAACGTTTA", "GGTTACATTTTC")
    wanted = facing([site for primer in primers for site in binding_sites(record, primer, 4)], record, longest)
    found = content(
        session, "simulate_pcr", forward=primers[0], reverse=primers[1], max_mismatches=4, max_product=longest
    )
    assert found["count"] == len(wanted)
    assert [each["length"] for each in found["products"]] == wanted[:50]
    for each in found["products"]:
        assert (each["end"] - each["start"]) % record.length + 1 == each["length"]


def test_sites_that_touch_make_a_product_and_sites_that_overlap_make_none() -> None:
    touching = record_of("A" * 12 + "T" * 12, circular=False)
    assert products(touching, [binding_sites(touching, "A" * 12, 0)], 100, 50) == (1, [Product(24, 1, 24)])
    overlapping = record_of("C" * 9 + "AATTTTAAAATT" + "C" * 9, circular=False)
    sites = binding_sites(overlapping, "AATTTTAAAATT", 0)
    assert [site.strand for site in sites] == ["+", "-"]
    assert products(overlapping, [sites], 100, 50)[0] == 0


def test_primers_that_bind_everywhere_make_no_products() -> None:
    session = fresh("chloroplast")
    for at in range(4):
        content(session, "insert_sequence", position=2000 + at, sequence="A" * 2000)
    content(session, "execute_actions")
    pair = {"forward": "A" * 12, "reverse": "T" * 12, "max_product": 30000}
    assert error_code(session, "simulate_pcr", **pair) == "bad_argument"
    found = content(session, "find_primer_binding_sites", primer="A" * 12)
    assert found["count"] > 8000
    assert len(found["sites"]) == 50
