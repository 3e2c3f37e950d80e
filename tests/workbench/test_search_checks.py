"""Searches against another way to the same answer: Biopython, regular expressions, the text of the file."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import groupby

import pytest
from Bio import SeqIO
from Bio.Data.IUPACData import ambiguous_dna_values
from Bio.Seq import Seq
from Bio.SeqFeature import SeqFeature
from Bio.SeqRecord import SeqRecord
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject
from tests.workbench.worlds import FIXTURE_FOLDER, content, fresh

FILES = {
    "ecoli-d10483": "D10483.gbk",
    "chloroplast": "NC_000932.gb",
    "plasmid-ppcp1": "NC_005816.gb",
    "phix174": "NC_001422.gbk",
    "sars-cov-2": "NC_045512.2.gb",
}
GENIC = {"gene", "CDS", "tRNA", "rRNA"}
CIRCULAR = ("chloroplast", "plasmid-ppcp1", "phix174")


@cache
def parsed(fixture: str) -> SeqRecord:
    """The file as Biopython reads it."""
    return SeqIO.read(FIXTURE_FOLDER / "genomes" / FILES[fixture], "genbank")


@cache
def entries(fixture: str) -> tuple[tuple[SeqFeature, frozenset[int]], ...]:
    """Each feature with the bases that it holds, counted from 1."""
    found = [each for each in parsed(fixture).features if each.type != "source"]
    return tuple((each, frozenset(base + 1 for base in each)) for each in found)


def items(answer: JsonObject, name: str) -> list[dict[str, object]]:
    """The list of an answer."""
    found = answer[name]
    assert isinstance(found, list)
    return [dict(each) for each in found if isinstance(each, dict)]


def symbol(feature: SeqFeature) -> str:
    """The gene symbol as the file writes it."""
    return str(feature.qualifiers.get("gene", [""])[0])


def places(fixture: str, count: int) -> list[int]:
    """Bases of a record: edges of features, the ends, and others."""
    rng, length = random.Random(7), len(parsed(fixture))
    edges = [int(edge) for each, _ in entries(fixture) for edge in (each.location.start, each.location.end)]
    some = [min(max(edge + rng.choice((0, 1)), 1), length) for edge in rng.sample(edges, count)]
    return [1, length, *some, *(rng.randrange(1, length + 1) for _ in range(count))]


@pytest.mark.parametrize("fixture", FILES)
def test_what_covers_a_base_is_what_biopython_says(fixture: str) -> None:
    session = fresh(fixture)
    for position in places(fixture, 15):
        wanted = sorted((each.type, symbol(each)) for each, bases in entries(fixture) if position in bases)
        answer = content(session, "get_features_at_position", position=position)
        assert sorted((each["feature_type"], each["gene"]) for each in items(answer, "features")) == wanted, position
        assert answer == content(session, "get_features_in_region", start=position, end=position)


@pytest.mark.parametrize("fixture", FILES)
def test_what_overlaps_a_range_holds_one_of_its_bases(fixture: str) -> None:
    session = fresh(fixture)
    for start in places(fixture, 10):
        end = min(start + 1500, len(parsed(fixture)))
        for kind in ("gene", "CDS"):
            wanted = sum(
                each.type == kind and any(start <= base <= end for base in bases) for each, bases in entries(fixture)
            )
            answer = content(session, "get_features_in_region", start=start, end=end, feature_type=kind)
            assert answer["count"] == wanted, (start, kind)


@pytest.mark.parametrize("fixture", FILES)
def test_the_distance_of_a_feature_is_the_way_to_its_nearest_base(fixture: str) -> None:
    session, length, reach = fresh(fixture), len(parsed(fixture)), 700
    for position in places(fixture, 6):
        steps = {position + step: abs(step) for step in range(-reach, reach + 1)}
        if fixture in CIRCULAR:
            steps = {(base - 1) % length + 1: step for base, step in sorted(steps.items(), key=lambda pair: -pair[1])}
        wanted = sorted(
            (min(steps[base] for base in bases & steps.keys()), each.type, symbol(each))
            for each, bases in entries(fixture)
            if bases & steps.keys()
        )
        answer = items(content(session, "get_nearby_features", position=position, distance=reach), "features")
        # Biopython gives a place between two bases no base at all; the plasmid has such variations.
        wanted = [each for each in wanted if each[1] != "variation" or fixture != "plasmid-ppcp1"]
        found = [each for each in answer if each["feature_type"] != "variation" or fixture != "plasmid-ppcp1"]
        assert sorted((each["distance"], each["feature_type"], each["gene"]) for each in found) == wanted, position
        assert [each["distance"] for each in answer] == sorted(int(str(each["distance"])) for each in answer)


@pytest.mark.parametrize("fixture", FILES)
def test_intergenic_stretches_are_the_bases_that_nothing_genic_holds(fixture: str) -> None:
    length = len(parsed(fixture))
    covered = bytearray(length + 2)
    for each, bases in entries(fixture):
        if each.type not in GENIC:
            continue
        trans_spliced = each.location.strand is None or "trans_splicing" in each.qualifiers
        wraps = fixture == "phix174" and len(each.location.parts) > 1
        whole = bases if trans_spliced or wraps else range(int(each.location.start) + 1, int(each.location.end) + 1)
        for base in whole:
            covered[base] = 1
    free = [base for base in range(1, length + 1) if not covered[base]]
    runs = [[base for _, base in run] for _, run in groupby(enumerate(free), key=lambda pair: pair[1] - pair[0])]
    answer = content(fresh(fixture), "find_intergenic_regions", start=1, end=length)
    assert (answer["count"], answer["total_length"]) == (len(runs), len(free))
    shown = [(each["start"], each["end"], each["length"]) for each in items(answer, "regions")]
    assert shown == [(run[0], run[-1], len(run)) for run in runs][:50]
    whole_answer = content(fresh(fixture), "find_intergenic_regions")
    over_origin = fixture in CIRCULAR and not covered[1] and not covered[length]
    assert (whole_answer["count"], whole_answer["total_length"]) == (len(runs) - over_origin, len(free))


def expression(pattern: str) -> re.Pattern[str]:
    """A pattern of IUPAC letters as a look-ahead, so that places that overlap are found."""
    return re.compile("(?=" + "".join(f"[{ambiguous_dna_values[letter]}]" for letter in pattern) + ")")


def by_expression(fixture: str, pattern: str, strand: str) -> list[tuple[int, str]]:
    """Start and strand of each place; round a circle the letters go on behind the end."""
    letters = str(parsed(fixture).seq)
    if fixture in CIRCULAR:
        letters += letters[: len(pattern) - 1]
    reverse = str(Seq(pattern).reverse_complement())
    found = [(hit.start() + 1, "+") for hit in expression(pattern).finditer(letters) if strand != "-"]
    if strand == "-" or (strand == "both" and reverse != pattern):
        found += [(hit.start() + 1, "-") for hit in expression(reverse).finditer(letters)]
    return sorted(found)


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "plasmid-ppcp1", "phix174", "chloroplast"])
@pytest.mark.parametrize("strand", ["+", "-", "both"])
@pytest.mark.parametrize(
    "pattern", ["GCTGGTGG", "GAATTC", "GATC", "TTGACANNNNNNTATAAT", "GGWCC", "ATRYSWKMBDHVNT", "AAA"]
)
def test_places_of_a_pattern_are_those_of_a_regular_expression(fixture: str, strand: str, pattern: str) -> None:
    answer = content(fresh(fixture), "search_by_sequence", pattern=pattern, strand=strand)
    wanted = by_expression(fixture, pattern, strand)
    assert answer["count"] == len(wanted)
    assert [(each["start"], each["strand"]) for each in items(answer, "matches")] == wanted[:50]


@given(data=st.data())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_mismatches_are_counted_letter_by_letter(data: st.DataObject) -> None:
    letters = str(parsed("ecoli-d10483").seq)
    start = data.draw(st.integers(1, len(letters) - 400))
    size, most = data.draw(st.integers(6, 30)), data.draw(st.integers(0, 5))
    at = start + data.draw(st.integers(0, 300))
    pattern = list(letters[at - 1 : at - 1 + size])
    for place in data.draw(st.lists(st.integers(0, size - 1), max_size=4)):
        pattern[place] = data.draw(st.sampled_from("ACGTRYN"))
    wanted = []
    for first in range(start, start + 400 - size + 1):
        window = letters[first - 1 : first - 1 + size]
        wrong = sum(base not in ambiguous_dna_values[letter] for base, letter in zip(window, pattern, strict=True))
        if wrong <= most:
            wanted.append((first, wrong))
    answer = content(
        fresh(),
        "search_by_sequence",
        pattern="".join(pattern),
        start=start,
        end=start + 399,
        strand="+",
        max_mismatches=most,
    )
    assert answer["count"] == len(wanted)
    assert [(each["start"], each["mismatches"]) for each in items(answer, "matches")] == wanted[:50]


@pytest.mark.parametrize("fixture", FILES)
def test_pages_of_genes_make_up_the_gene_entries_of_the_file(fixture: str) -> None:
    session, found = fresh(fixture), []
    while page := items(content(session, "list_genes", offset=len(found), limit=17), "genes"):
        found += [(each["gene"], each["locus_tag"], each["start"], each["end"]) for each in page]
    wanted = [
        (symbol(each), each.qualifiers.get("locus_tag", [""])[0], each.location.start + 1, int(each.location.end))
        for each, _ in entries(fixture)
        if each.type == "gene"
    ]
    assert sorted(found) == sorted(wanted)
    assert [each[2] for each in found] == sorted(int(str(each[2])) for each in found)


@pytest.mark.parametrize("word", ["synthase", "kinase", "EC 2.7.", "transport", "P0", "zzz"])
@pytest.mark.parametrize("fixture", ["ecoli-d10483", "chloroplast", "sars-cov-2"])
def test_a_phrase_is_found_where_the_file_says_it(fixture: str, word: str) -> None:
    """The lines of the feature table, put together without Biopython."""
    text = (FIXTURE_FOLDER / "genomes" / FILES[fixture]).read_text("ascii")
    table = text.partition("\nFEATURES")[2].partition("\nORIGIN")[0]
    blocks = re.split(r"\n {5}(?=\S)", table)[2:]
    qualifier = re.compile(r'/(?:product|function|note)="((?:[^"]|"")*)"')
    wanted = [
        block.split()[0]
        for block in blocks
        if any(
            word.lower() in " ".join(said.split()).lower() and not said.startswith("synonym")
            for said in qualifier.findall(block)
        )
    ]
    answer = content(fresh(fixture), "search_features", query=word)
    assert answer["count"] == len(wanted)
    if len(wanted) <= 50:
        assert sorted(str(each["feature_type"]) for each in items(answer, "features")) == sorted(wanted)


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "chloroplast", "sars-cov-2"])
def test_the_full_record_agrees_with_the_search_by_name(fixture: str) -> None:
    session = fresh(fixture)
    for gene in session.genes.genes[:60]:
        name = gene.locus_tag or gene.symbol
        full = content(session, "get_gene_details", gene_name=name)
        (found,) = items(content(session, "search_gene_by_name", name=name), "genes")
        shared = ("gene", "locus_tag", "start", "end", "strand", "length")
        assert [full[key] for key in shared] == [found[key] for key in shared]
