"""Records: what GenBank says is what a session holds, and writing gives the same again."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import pytest
from Bio import SeqIO
from hypothesis import given
from hypothesis import strategies as st

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, PartStrand
from fcbench.workbench.genbank import genbank_text, read_records
from fcbench.workbench.genes import GeneIndex
from fcbench.workbench.letters import gc_percent, reverse_complement, translate
from fcbench.workbench.records import SequenceRecord, coding_bases, genetic_code_of, protein_of
from tests.workbench.worlds import FIXTURE_FOLDER, fresh
from tests.workbench.worlds import content as tool_content

GENOMES = sorted(path.name for path in (FIXTURE_FOLDER / "genomes").iterdir())


def read(name: str) -> SequenceRecord:
    (record,) = read_records((FIXTURE_FOLDER / "genomes" / name).read_text(), "genbank", name=name)
    return record


@cache
def read_plasmid() -> SequenceRecord:
    return read("NC_005816.gb")


def content(record: SequenceRecord) -> tuple[object, ...]:
    shown = [(each.kind, each.parts, dict(each.qualifiers), each.operator, each.wraps) for each in record.features]
    return record.id, record.topology, record.molecule, record.organism, record.sequence, shown


@pytest.mark.parametrize("name", GENOMES)
def test_writing_and_reading_give_the_same_record(name: str) -> None:
    record = read(name)
    text = genbank_text([record])
    (again,) = read_records(text, "genbank", name=name)
    assert content(again) == content(record)
    assert genbank_text([again]) == text


@pytest.mark.parametrize("name", GENOMES)
def test_places_letters_and_parts_are_those_of_biopython(name: str) -> None:
    record = read(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = SeqIO.read(FIXTURE_FOLDER / "genomes" / name, "genbank")
    assert record.sequence == str(parsed.seq)
    for ours, theirs in zip(record.features, parsed.features, strict=True):
        assert record.spliced(ours) == str(theirs.extract(parsed.seq))
        if not ours.wraps and not any(part.between for part in ours.parts):
            assert (ours.start, ours.end) == (int(theirs.location.start) + 1, int(theirs.location.end))


@pytest.mark.parametrize("name", GENOMES)
def test_coding_sequences_translate_to_their_stored_protein(name: str) -> None:
    """But for what the record declares as an exception, and a first codon that is read as methionine."""
    record, compared = read(name), 0
    for cds in record.features:
        if cds.kind != "CDS" or cds.first("exception") or not cds.first("translation"):
            continue
        made = translate(coding_bases(record, cds), genetic_code_of(cds), to_stop=True)
        assert made[1:] == cds.first("translation")[1:], (cds.gene, cds.first("locus_tag"))
        compared += 1
    assert compared >= 10


def test_features_across_the_origin_start_behind_their_end() -> None:
    crossing = [feature for feature in read("NC_001422.gbk").features if feature.wraps]
    assert [(each.start, each.end) for each in crossing] == [(3981, 136), (4497, 136), (5075, 51)]
    assert all(each.covers(5386) and each.covers(1) and not each.covers(2000) for each in crossing)


def test_a_place_between_two_bases_holds_no_base() -> None:
    between = [each for each in read("NC_005816.gb").features if any(part.between for part in each.parts)]
    assert between
    assert all(each.length == 0 for each in between)


def test_ids_are_minted_in_the_order_of_the_file() -> None:
    record = read("D10483.gbk")
    assert [feature.id for feature in record.features[:3]] == ["ftr-1", "ftr-2", "ftr-3"]
    assert len({feature.id for feature in record.features}) == 188


@pytest.mark.parametrize(
    ("text", "file_format"),
    [
        pytest.param("", "genbank", id="empty"),
        pytest.param("LOCUS", "genbank", id="cut header"),
        pytest.param("\x00\xff", "genbank", id="binary"),
        pytest.param(">x\nAC!T\n", "fasta", id="strange letter"),
        pytest.param(">x\n", "fasta", id="no letters"),
        pytest.param(">x\nA\n" * 51, "fasta", id="too many records"),
        pytest.param("ACGT", "fasta", id="no header"),
    ],
)
def test_a_broken_file_is_a_parse_error(text: str, file_format: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_records(text, file_format, name="x")
    assert caught.value.code == "parse_error"


@pytest.mark.parametrize("cut", range(100, 9000, 450))
def test_a_genbank_file_that_is_cut_somewhere_is_read_or_a_parse_error(cut: int) -> None:
    text = (FIXTURE_FOLDER / "genomes/NC_001422.gbk").read_text()[:cut]
    try:
        read_records(text, "genbank", name="x")
    except ToolError as error:
        assert error.code == "parse_error"


@pytest.mark.parametrize(
    ("fixture", "name", "found"),
    [
        pytest.param("ecoli-d10483", "ARAA", ["araA"], id="case is ignored"),
        pytest.param("ecoli-d10483", "murF", ["mra"], id="synonym in a note"),
        pytest.param("ecoli-d10483", "secA", ["azi"], id="synonym among several"),
        pytest.param("ecoli-d10483", "leuO", [], id="misspelt in the record"),
        pytest.param("chloroplast", "ndh2", ["ndhB", "ndhB"], id="gene_synonym of two"),
        pytest.param("chloroplast", "arthcp086", ["ndhB"], id="locus tag"),
        pytest.param("sars-cov-2", "spike glycoprotein", ["S"], id="synonym with a space"),
    ],
)
def test_genes_are_found_by_symbol_synonym_or_locus_tag(fixture: str, name: str, found: list[str]) -> None:
    assert [gene.symbol for gene in fresh(fixture).genes.named(name)] == found


def test_an_ambiguous_name_lists_its_candidates() -> None:
    with pytest.raises(ToolError, match=r"ndhB names 2 genes: ArthCp068 .*ArthCp086") as caught:
        fresh("chloroplast").genes.one("ndhB")
    assert caught.value.code == "ambiguous_gene"


def test_the_main_genome_has_ninety_genes() -> None:
    index = fresh().genes
    assert isinstance(index, GeneIndex)
    assert len(index.genes) == 90
    assert sum(bool(gene.coding) for gene in index.genes) == 83


@given(st.text("ACGTRYSWKMBDHVN", max_size=60))
def test_turning_round_twice_is_nothing(letters: str) -> None:
    assert reverse_complement(reverse_complement(letters)) == letters
    assert gc_percent(letters) == gc_percent(reverse_complement(letters))
    assert len(translate(letters)) == len(letters) // 3


@pytest.mark.parametrize(
    ("codon_start", "wanted"), [("1", "TATGTAA"), ("2", "ATGTAA"), ("3", "TGTAA"), ("9", "TATGTAA")]
)
def test_coding_bases_begin_at_the_first_whole_codon(codon_start: str, wanted: str) -> None:
    record = replace(read("NC_001422.gbk"), sequence="TATGTAA")
    cds = Feature(id="x", kind="CDS", parts=(Part(1, 7, "+"),), qualifiers={"codon_start": (codon_start,)})
    assert coding_bases(record, cds) == wanted


@given(st.integers(-9608, 20000), st.integers(1, 12000))
def test_an_arc_of_a_circle_reads_round(start: int, count: int) -> None:
    record = read_plasmid()
    first, last = record.arc(start, count)
    assert 1 <= first <= 9609
    assert 1 <= last <= 9609
    endless = record.sequence * 5
    at = start - 1 + 9609
    assert record.bases_of_arc(first, last) == endless[at : at + min(count, 9609)]


@given(st.permutations(range(6)))
def test_added_features_stand_at_their_place_whichever_came_first(order: list[int]) -> None:
    record = read("NC_001422.gbk")
    starts = (1, 50, 50, 3000, 5386, 2000)
    added = [
        Feature(
            id=f"ann-{at}", kind="misc_feature", parts=(Part(starts[each], 5386, "+"),), origin="user",
            qualifiers={"label": (f"mark {each}",)},
        )
        for at, each in enumerate(order)
    ]  # fmt: skip
    made = record.with_features([*added[:2], *record.features, *added[2:]])
    text = genbank_text([made])
    assert [each.kind for each in made.features if each.origin == "file"] == [each.kind for each in record.features]
    again = record
    for feature in added:
        again = again.with_features([*again.features, feature])
    assert genbank_text([again]) == text
    labels = [each.first("label") for each in made.features if each.origin == "user"]
    assert labels == ["mark 0", "mark 1", "mark 2", "mark 5", "mark 3", "mark 4"]


def test_a_feature_is_never_changed_in_place() -> None:
    feature = read("D10483.gbk").features[1]
    assert isinstance(feature, Feature)
    with pytest.raises(AttributeError):
        feature.kind = "CDS"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("letters", "feature", "protein"),
    [
        pytest.param("TTGAAATAA", {}, "MK", id="TTG"),
        pytest.param("GTGAAATAA", {"transl_table": ("11",)}, "MK", id="GTG in code 11"),
        pytest.param("GTGAAATAA", {}, "VK", id="GTG is no start in code 1"),
        pytest.param("ATTTGAAATAA", {"codon_start": ("3",)}, "LK", id="codons begin behind the first base"),
        pytest.param("CCCAAATAA", {}, "PK", id="no start codon"),
        pytest.param("TT", {}, "", id="no whole codon"),
        pytest.param("TTGAAATAA", {"translation": ("LK",)}, "LK", id="as it is stored"),
    ],
)
@pytest.mark.parametrize("strand", ["+", "-"])
def test_a_start_codon_is_read_as_methionine(
    letters: str, feature: dict[str, tuple[str, ...]], protein: str, strand: PartStrand
) -> None:
    place = Part(1, len(letters), strand)
    cds = Feature(id="ftr-1", kind="CDS", parts=(place,), qualifiers=feature)
    record = replace(read_plasmid(), sequence=reverse_complement(letters) if strand == "-" else letters)
    assert protein_of(record, cds) == protein
    opened = replace(place, open_start=strand == "+", open_end=strand == "-")
    assert protein_of(record, replace(cds, parts=(opened,)))[:1] != "M" or "translation" in feature


def test_a_protein_keeps_its_first_residue_when_the_gene_is_edited() -> None:
    session = fresh()  # the start codon of chlG is TTG
    before = tool_content(session, "get_protein_sequence", gene_name="chlG")["sequence"]
    tool_content(session, "replace_sequence", start=9168, end=9168, new_sequence="A")
    assert tool_content(session, "execute_actions")["features_altered"] > 0
    after = tool_content(session, "get_protein_sequence", gene_name="chlG")["sequence"]
    assert (after[0], len(after)) == ("M", len(before))
    assert sum(one != other for one, other in zip(before, after, strict=True)) <= 1
