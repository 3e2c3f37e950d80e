"""What loading brings, by another way: the lines of the files, the letters of the genome, exported files read again."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from Bio import SeqIO
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.workbench.errors import ToolError
from fcbench.workbench.feature_files import read_features
from fcbench.workbench.features import Part
from fcbench.workbench.files import FileRoom
from fcbench.workbench.genbank import genbank_text
from fcbench.workbench.operon_tables import read_operons
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.session import Session
from fcbench.workbench.signal_files import read_signal
from fcbench.workbench.state import end_state
from tests.workbench.worlds import FIXTURE_FOLDER, content, error_code, fresh

LENGTH = 111_408
BED = "D10483.2\t0\t10"
GFF = "D10483.2\t.\tpromoter\t1\t10\t.\t+\t."


def lines(name: str) -> list[str]:
    """The lines of a fixture file."""
    return (FIXTURE_FOLDER / name).read_text("utf-8").splitlines()


def record(length: int = 100) -> SequenceRecord:
    """A small linear record."""
    return SequenceRecord(
        id="chr1.1",
        name="chr1",
        description="",
        organism="",
        molecule="DNA",
        topology="linear",
        sequence="ACGTACGTAC" * (length // 10),
    )


def test_the_features_of_a_gff3_file_are_those_of_its_lines_and_survive_an_export() -> None:
    session = fresh()
    before = {feature.id for feature in session.record().features}
    content(session, "load_annotation_file", file_path="annotations/extra.gff3")
    added = [feature for feature in session.record().features if feature.id not in before]
    places = [line.split("\t") for line in lines("annotations/extra.gff3") if not line.startswith("#")]
    stretches = sorted((part.start, part.end, part.strand) for feature in added for part in feature.parts)
    signs = {"+": "+", "-": "-", ".": "none"}
    assert stretches == sorted((int(each[3]), int(each[4]), signs[each[6]]) for each in places)
    again = SeqIO.read(io.StringIO(genbank_text(session.records)), "genbank")
    labels = {each.qualifiers["label"][0]: each for each in again.features if "label" in each.qualifiers}
    assert {"dnaK_upstream", "araB_upstream", "site_1", "repeat_1", "thrC_end"} == set(labels)
    assert labels["dnaK_upstream"].qualifiers["note"] == ["hand-made; the 100 bases before dnaK"]
    assert labels["repeat_1"].qualifiers["note"] == ["hand-made, in two parts"]
    assert len(labels["repeat_1"].location.parts) == 2
    assert labels["thrC_end"].type == "misc_feature"
    assert labels["thrC_end"].qualifiers["note"][0] == "transcription_end_site"
    coding = next(each for each in again.features if each.type == "CDS" and each.qualifiers.get("gene") == ["araB"])
    assert labels["araB_upstream"].location.start == coding.location.end


def test_a_loaded_gene_is_found_by_its_name_and_by_a_new_id() -> None:
    session = fresh()
    content(session, "load_annotation_file", file_path="annotations/extra.gff3")
    _, gene = session.gene("hmdA")
    assert (gene.start, gene.end, gene.strand, gene.locus_tag) == (15301, 15600, "-", "HM_0001")
    _, first = session.feature("ftr-189")
    assert (first.kind, first.start) == ("promoter", 11712), "the file has 188 features, the source entry included"


def test_an_undone_batch_takes_features_away_that_were_loaded_after_it_and_they_can_be_loaded_again() -> None:
    session = fresh()
    content(session, "load_annotation_file", file_path="annotations/extra.bed")
    content(session, "insert_sequence", position=5000, sequence="ACGT")
    content(session, "execute_actions")
    content(session, "load_annotation_file", file_path="annotations/extra.gff3")
    shifted = next(each for each in session.record().features if each.first("label") == "before_araC")
    assert shifted.start == 70001 + 4
    content(session, "undo_last_execution")
    files = content(session, "list_loaded_files")["files"]
    assert files == [
        {"kind": "genome", "file_path": "genomes/D10483.gbk", "items": 1},
        {"kind": "annotation", "file_path": "annotations/extra.bed", "items": 3},
    ]
    content(session, "load_annotation_file", file_path="annotations/extra.gff3")
    assert error_code(session, "load_annotation_file", file_path="annotations/extra.bed") == "bad_argument"


def test_places_of_a_bed_file_count_from_zero_in_the_file_only() -> None:
    session = fresh()
    content(session, "load_annotation_file", file_path="annotations/extra.bed")
    found = {feature.first("label"): feature for feature in session.record().features if feature.first("label")}
    for line in lines("annotations/extra.bed")[1:]:
        columns = line.split("\t")
        feature = found[columns[3]]
        assert (feature.start, feature.end, feature.strand) == (int(columns[1]) + 1, int(columns[2]), columns[5])
    assert found["two_blocks"].parts == (Part(100100, 100200, "-"), Part(100000, 100050, "-"))
    assert found["gap_araD"].end + 1 == session.gene("araD")[1].start
    assert found["before_araC"].end + 1 == session.gene("araC")[1].start


def test_signals_are_those_of_the_letters() -> None:
    session = fresh()
    names = ["signals/gc_1kb.bedgraph", "signals/gc_skew_1kb.wig"]
    said = content(session, "load_signal_tracks", file_paths=names)["tracks"]
    assert isinstance(said, list)
    letters = str(SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank").seq)
    percent, skew = session.state.signals
    for track in (percent, skew):
        assert [start for _, start, _, _ in track.values] == list(range(1, LENGTH, 1000))
        assert [end for _, _, end, _ in track.values] == [*range(1000, LENGTH, 1000), LENGTH]
    for at, (_, start, end, value) in enumerate(percent.values):
        window = letters[start - 1 : end]
        strong = len(re.findall("[GC]", window))
        assert value == round(100 * strong / len(window), 2)
        guanine = window.count("G")
        assert skew.values[at][3] == round((2 * guanine - strong) / strong, 4)
    whole = 100 * len(re.findall("[GC]", letters)) / LENGTH
    assert isinstance(said[0], dict)
    assert abs(float(str(said[0]["mean"])) - whole) < 0.01


def test_the_genes_of_each_operon_of_the_table_lie_side_by_side_on_one_strand() -> None:
    session = fresh()
    content(session, "load_operon_table", file_path="operons/operons.tsv")
    order = [gene.name for gene in session.genes.genes]
    for name, genes in session.state.operons.items():
        found = [session.gene(gene)[1] for gene in genes if session.genes.named(gene)]
        places = [order.index(gene.name) for gene in found]
        step = 1 if found[0].strand == "+" else -1
        assert places == list(range(places[0], places[0] + step * len(places), step)), name
        assert len({gene.strand for gene in found}) == 1


def test_loading_in_another_order_leads_to_the_same_project() -> None:
    one, two = fresh(), fresh()
    steps = [
        ("load_annotation_file", {"file_path": "annotations/extra.gff3"}),
        ("load_annotation_file", {"file_path": "annotations/extra.bed"}),
        ("load_signal_tracks", {"file_paths": ["signals/gc_1kb.bedgraph"]}),
        ("load_signal_tracks", {"file_paths": ["signals/gc_skew_1kb.wig"]}),
        ("load_comparison_genome", {"file_path": "genomes/NC_001422.gbk", "label": "a"}),
        ("load_comparison_genome", {"file_path": "genomes/NC_005816.gb", "label": "b"}),
        ("load_reads_file", {"file_path": "reads/sample1.bam"}),
        ("load_variant_file", {"file_path": "variants/sample1.vcf"}),
        ("load_operon_table", {"file_path": "operons/operons.tsv"}),
    ]
    for tool, arguments in steps:
        content(one, tool, **arguments)
    for tool, arguments in steps[::-1]:
        content(two, tool, **arguments)
    assert end_state(one)["project"] == end_state(two)["project"] != end_state(fresh())["project"]
    assert end_state(one)["view"] == end_state(fresh())["view"]
    assert genbank_text(one.records) == genbank_text(two.records), "an export is the same bytes for the same project"


def test_a_genome_that_is_loaded_is_that_of_the_fixture_that_opens_it() -> None:
    session = fresh("empty-session")
    content(session, "load_genome_file", file_path="genomes/D10483.gbk")
    assert end_state(session) == end_state(fresh())


def test_a_genome_that_is_opened_takes_pending_edits_marks_and_selection_away() -> None:
    session = fresh("ecoli-d10483")
    content(session, "insert_sequence", position=5, sequence="ACGT")
    content(session, "highlight_region", start=5, end=50)
    content(session, "load_genome_file", file_path="genomes/NC_001422.gbk")
    fixture = fresh("phix174")
    assert end_state(session)["project"] == end_state(fixture)["project"]
    assert end_state(session)["view"] == end_state(fixture)["view"]


def test_outputs_go_below_the_working_folder_and_back() -> None:
    session = fresh()
    content(session, "set_working_directory", folder="exports/run1")
    assert content(session, "export_genbank", file_path="a.gbk")["file_path"] == "exports/run1/a.gbk"
    content(session, "set_working_directory", folder=".")
    assert content(session, "export_genbank", file_path="a.gbk")["file_path"] == "a.gbk"
    assert sorted(session.files.written) == ["a.gbk", "exports/run1/a.gbk"]
    session.files.close()


def test_folder_and_path_together_are_no_longer_and_no_deeper_than_a_path() -> None:
    session = fresh()
    content(session, "set_working_directory", folder="a/" * 7 + "a")
    assert error_code(session, "export_genbank", file_path="b.gbk") == "path_refused"
    content(session, "set_working_directory", folder="a" * 90)
    assert error_code(session, "export_genbank", file_path=f"{'b' * 90}/{'c' * 30}") == "path_refused"
    assert not session.files.written


def test_more_comparison_genomes_than_a_session_holds_are_refused_but_a_label_is_used_again() -> None:
    session = fresh()
    for number in range(10):
        content(session, "load_comparison_genome", file_path="genomes/NC_001422.gbk", label=f"p{number}")
    arguments = {"file_path": "genomes/NC_005816.gb"}
    assert error_code(session, "load_comparison_genome", label="one-more", **arguments) == "bad_argument"
    content(session, "load_comparison_genome", label="p3", **arguments)
    assert session.state.comparisons["p3"].records[0].id == "NC_005816.1"


def opened(tmp_path: Path, name: str, text: str) -> Session:
    """A session with a small genome that may read one file."""
    (tmp_path / name).write_text(text, "utf-8")
    return Session(fresh().state, FileRoom(tmp_path, [name]))


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        pytest.param("a.bed", BED.replace("\t", " "), "parse_error", id="spaces for tabs"),
        pytest.param("a.bed", "D10483.2\t10\t10", "bad_range", id="no base in BED"),
        pytest.param("a.bed", "D10483.2\t0\t111409", "bad_range", id="behind the end"),
        pytest.param("a.bed", "U00096.3\t0\t10", "unknown_sequence", id="another genome"),
        pytest.param("a.bed", "D10483.2\tone\t10", "parse_error", id="a place in words"),
        pytest.param("a.bed", "D10483.2\t-1\t10", "parse_error", id="a place below zero"),
        pytest.param("a.bed", f"{BED}\tx\t0\t*", "parse_error", id="no strand"),
        pytest.param("a.bed", f"{BED}\tx\t0\t+\t0\t10\t0\t3\t5,5\t0,5", "parse_error", id="blocks that do not agree"),
        pytest.param("a.gff3", f"{GFF}", "parse_error", id="eight columns of GFF3"),
        pytest.param("a.gff3", "##gff-version 3\n###\n", "parse_error", id="no feature"),
        pytest.param("a.gff3", f"{GFF}\t\n##FASTA\n>x", "ok", id="letters behind the features"),
        pytest.param("a.gff3", f"{GFF}\tID=a\n{GFF.replace('+', '-')}\tID=a", "parse_error", id="two strands"),
        pytest.param("a.gff3", f"{GFF}\tID=a;;x;=;y=;%zz=%zz", "ok", id="odd attributes"),
    ],
)
def test_lines_that_are_no_features_are_named_and_change_nothing(
    tmp_path: Path, name: str, text: str, code: str
) -> None:
    session = opened(tmp_path, name, text)
    before = end_state(session)
    if code == "ok":
        assert content(session, "load_annotation_file", file_path=name)["features_added"] == 1
    else:
        assert error_code(session, "load_annotation_file", file_path=name) == code
        assert end_state(session) == before


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("D10483.2 4 9 1.5", [(5, 9, 1.5)], id="bedGraph"),
        pytest.param("fixedStep chrom=D10483 start=3 step=5\n1\n-2", [(3, 3, 1.0), (8, 8, -2.0)], id="span 1"),
        pytest.param("variableStep chrom=D10483.2 span=2\n7 1e3", [(7, 8, 1000.0)], id="variableStep"),
        pytest.param("variableStep chrom=D10483.2 span=0\n7 1", "bad_range", id="no span"),
        pytest.param("fixedStep chrom=D10483.2\n1", "parse_error", id="no start"),
        pytest.param("D10483.2 4 9 NaN", "parse_error", id="no number"),
        pytest.param("D10483.2 4 9 1e999", "parse_error", id="infinity"),
        pytest.param("D10483.2 4 9 -1e13", "parse_error", id="a number without measure"),
        pytest.param("D10483.2 111400 111409 1", "bad_range", id="behind the end"),
        pytest.param("chr1 4 9 1", "unknown_sequence", id="another genome"),
        pytest.param("track type=bedGraph", "parse_error", id="no value"),
    ],
)
def test_signal_lines_are_read_or_named(text: str, wanted: object) -> None:
    records = fresh().records
    if isinstance(wanted, str):
        with pytest.raises(ToolError) as caught:
            read_signal(text, records, path="a")
        assert caught.value.code == wanted
    else:
        assert [value[1:] for value in read_signal(text, records, path="a").values] == wanted


def test_the_phase_of_the_first_exon_read_is_the_codon_start() -> None:
    rows = ("11\t20\t.\t-\t0\tID=c", "31\t45\t.\t-\t2\tID=c")
    text = "\n".join(f"chr1\t.\tCDS\t{row}" for row in rows)
    (placed,) = read_features(text, (record(),), path="a.gff3")
    assert placed.sequence_id == "chr1.1"
    assert placed.feature.parts == (Part(31, 45, "-"), Part(11, 20, "-"))
    assert placed.feature.first("codon_start") == "3"


def test_a_name_that_steers_a_terminal_comes_without_its_steering_characters() -> None:
    (placed,) = read_features("chr1\t0\t10\tx\x1b[31mred\u202e", (record(),), path="a.bed")
    assert placed.feature.first("label") == "x[31mred"
    (placed,) = read_features("chr1\t.\tgene\t1\t9\t.\t+\t.\tNote=%1B[31mred%0A%", (record(),), path="a.gff3")
    assert placed.feature.qualifiers["note"] == ("[31mred %",)


@pytest.mark.parametrize(
    "text",
    ["", "operon\tgenes\n", "a\tb\na\tc", "a", "a\tb\tc", "a\tb c", "a\tb,,c", f"a\t{','.join(['b'] * 51)}", "a b\tc"],
)
def test_a_table_of_operons_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="parse_error"):
        read_operons(text, path="a.tsv")


def test_operons_keep_the_order_of_their_genes() -> None:
    text = "# x\noperon\tgenes\nlac\tlacZ, lacY,lacA\n\ntrp'\ttrpE"
    assert read_operons(text, path="a.tsv") == {"lac": ("lacZ", "lacY", "lacA"), "trp'": ("trpE",)}


FIELD = st.one_of(
    st.sampled_from(["chr1", "1", "10", "+", "-", ".", "gene", "ID=a", "0", "1e9", "NaN"]), st.text(max_size=5)
)
LINES = st.lists(st.lists(FIELD, max_size=13).map("\t".join), max_size=6).map("\n".join)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=st.one_of(LINES, st.text(max_size=60)), name=st.sampled_from(["a.bed", "a.gff3", "a"]))
def test_foreign_text_is_read_or_refused_with_a_code(text: str, name: str) -> None:
    for read in (
        lambda: read_features(text, (record(),), path=name),
        lambda: read_signal(text, (record(),), path=name),
        lambda: read_operons(text, path=name),
    ):
        try:
            assert read()
        except ToolError as error:
            assert error.code in ("parse_error", "unknown_sequence", "bad_range")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    places=st.lists(st.tuples(st.integers(1, 100), st.integers(1, 100), st.sampled_from("+-.")), min_size=1, max_size=8)
)
def test_the_same_places_read_the_same_from_bed_and_gff3(places: list[tuple[int, int, str]]) -> None:
    ordered = [(min(one, other), max(one, other), strand) for one, other, strand in places]
    bed = "\n".join(f"chr1.1\t{start - 1}\t{end}\tn\t0\t{strand}" for start, end, strand in ordered)
    gff = "\n".join(f"CHR1\t.\tmisc_feature\t{start}\t{end}\t.\t{strand}\t.\tName=n" for start, end, strand in ordered)
    one = read_features(bed, (record(),), path="a.bed")
    other = read_features(f"##gff-version 3\n{gff}", (record(),), path="a.gff")
    assert one == other
    assert [(each.feature.start, each.feature.end) for each in one] == [(start, end) for start, end, _ in ordered]
