"""Exported files, parsed again by other code than wrote them: Biopython, or plain text."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from functools import cache
from io import StringIO
from urllib.parse import unquote

import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqFeature import SeqFeature
from Bio.SeqRecord import SeqRecord

from fcbench.workbench.engines import engine_version
from fcbench.workbench.fasta import location_text
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.project import Hit
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from tests.workbench.worlds import FIXTURE_FOLDER, content, fresh

FILES = {
    "ecoli-d10483": "D10483.gbk",
    "chloroplast": "NC_000932.gb",
    "plasmid-ppcp1": "NC_005816.gb",
    "phix174": "NC_001422.gbk",
    "sars-cov-2": "NC_045512.2.gb",
}
GENOMES = [pytest.param(name, id=name) for name in FILES]


@cache
def original(fixture: str) -> SeqRecord:
    """The record as Biopython reads it from the fixture file."""
    return SeqIO.read(FIXTURE_FOLDER / "genomes" / FILES[fixture], "genbank")


def exported(session: Session, tool: str, **arguments: object) -> str:
    """The text that a tool wrote."""
    name = str(content(session, tool, **arguments)["file_path"])
    return session.files.output_path(name).read_text("utf-8")


def coding(record: SeqRecord) -> list[SeqFeature]:
    """Coding sequences in order of place."""
    found = [feature for feature in record.features if feature.type == "CDS"]
    return sorted(found, key=lambda feature: (int(feature.location.start), int(feature.location.end)))


@pytest.mark.parametrize("fixture", GENOMES)
def test_genbank_files_hold_every_feature_with_its_place_and_qualifiers(fixture: str) -> None:
    session, wanted = fresh(fixture), original(fixture)
    again = SeqIO.read(StringIO(exported(session, "export_genbank", file_path="x.gbk")), "genbank")
    assert (again.id, str(again.seq)) == (wanted.id, str(wanted.seq))
    assert again.annotations["topology"] == wanted.annotations["topology"]
    assert again.annotations["date"] == wanted.annotations["date"], "no date of today"
    assert len(again.features) == len(wanted.features)
    for one, other in zip(again.features, wanted.features, strict=True):
        assert (one.type, str(one.location)) == (other.type, str(other.location))
        words = {key: " ".join(values).split() for key, values in other.qualifiers.items()}
        found = {key: " ".join(values).split() for key, values in one.qualifiers.items()}
        assert {key: "".join(value) for key, value in found.items()} == {
            key: "".join(value) for key, value in words.items()
        }


@pytest.mark.parametrize("width", [40, 70, 120])
def test_a_genome_file_holds_the_letters_in_lines_of_the_width(width: int) -> None:
    session = fresh("plasmid-ppcp1")
    text = exported(session, "export_genome_fasta", file_path="x.fasta", line_width=width)
    assert str(SeqIO.read(StringIO(text), "fasta").seq) == str(original("plasmid-ppcp1").seq)
    lines = text.splitlines()[1:]
    assert {len(line) for line in lines[:-1]} == {width}
    assert 0 < len(lines[-1]) <= width


def test_a_range_file_holds_the_range_of_its_strand() -> None:
    session, letters = fresh(), original("ecoli-d10483").seq
    plus = SeqIO.read(StringIO(exported(session, "export_region_fasta", file_path="a.fa", start=5, end=200)), "fasta")
    assert (plus.id, str(plus.seq)) == ("D10483.2:5-200", str(letters[4:200]))
    text = exported(session, "export_region_fasta", file_path="a.fa", start=5, end=200, strand="-")
    minus = SeqIO.read(StringIO(text), "fasta")
    assert (minus.id, str(minus.seq)) == ("D10483.2:c200-5", str(letters[4:200].reverse_complement()))
    assert sorted(session.files.written) == ["a.fa"], "an existing file is replaced"


def test_the_file_of_the_view_is_the_file_of_its_range() -> None:
    one, two = fresh(), fresh()
    exported(one, "export_view_fasta", file_path="x.fa")
    exported(two, "export_region_fasta", file_path="x.fa", start=1, end=5000)
    assert end_state(one)["files"] == end_state(two)["files"]
    bare = SeqIO.read(
        StringIO(exported(one, "export_view_fasta", file_path="x.fa", include_coordinates=False)), "fasta"
    )
    assert (bare.id, len(bare)) == ("D10483.2", 5000)


def test_files_go_below_the_working_folder() -> None:
    session = fresh()
    session.state.folder = "run1"
    for tool in ("export_bed", "export_gff", "export_genbank", "export_genome_fasta"):
        assert content(session, tool, file_path="a/x.txt")["file_path"] == "run1/a/x.txt"


@pytest.mark.parametrize("fixture", GENOMES)
def test_coding_files_hold_what_biopython_extracts(fixture: str) -> None:
    session, record = fresh(fixture), original(fixture)
    entries = list(SeqIO.parse(StringIO(exported(session, "export_cds_fasta", file_path="x.fna")), "fasta"))
    wanted = coding(record)
    starts = [int(feature.qualifiers.get("codon_start", ["1"])[0]) - 1 for feature in wanted]
    assert sorted(str(entry.seq) for entry in entries) == sorted(
        str(feature.extract(record.seq))[first:] for feature, first in zip(wanted, starts, strict=True)
    )
    assert [entry.id.rpartition("_")[2] for entry in entries] == [str(number + 1) for number in range(len(wanted))]
    assert {entry.description.partition("[location=")[2][:-1] for entry in entries} == written_places(fixture)


def written_places(fixture: str) -> set[str]:
    """The places of the coding sequences as the text of the file has them."""
    text = (FIXTURE_FOLDER / "genomes" / FILES[fixture]).read_text("utf-8")
    return {"".join(found.split()) for found in re.findall(r"^     CDS             ([^/]+)/", text, re.MULTILINE)}


def test_places_are_written_as_genbank_writes_them() -> None:
    def place(*parts: Part) -> str:
        return location_text(Feature(id="ftr-1", kind="CDS", parts=parts))

    assert place(Part(5, 6, "+", between=True)) == "5^6"
    assert place(Part(5, 5, "-")) == "complement(5)"
    assert place(Part(5, 9, "+", open_start=True, open_end=True)) == "<5..>9"
    assert place(Part(20, 30, "-"), Part(5, 9, "-")) == "complement(join(5..9,20..30))"
    assert place(Part(5, 9, "+"), Part(20, 30, "-")) == "join(5..9,complement(20..30))"


@pytest.mark.parametrize("fixture", GENOMES)
def test_protein_files_hold_the_stored_translations(fixture: str) -> None:
    session, record = fresh(fixture), original(fixture)
    entries = list(SeqIO.parse(StringIO(exported(session, "export_protein_fasta", file_path="x.faa")), "fasta"))
    stored = [feature.qualifiers["translation"][0] for feature in coding(record) if "translation" in feature.qualifiers]
    assert sorted(str(entry.seq) for entry in entries) == sorted(stored)


def test_chosen_genes_keep_their_names_in_the_file_and_their_order_whatever_the_call_says() -> None:
    session = fresh()
    every = {entry.id: str(entry.seq) for entry in parsed(session, [])}
    one, two = parsed(session, ["talB", "thrA"]), parsed(session, ["THRA", "talB"])
    assert [entry.id for entry in one] == [entry.id for entry in two]
    assert [entry.description.partition("[gene=")[2][:4] for entry in one] == ["thrA", "talB"]
    assert all(every[entry.id] == str(entry.seq) for entry in one)


def parsed(session: Session, names: list[str]) -> list[SeqRecord]:
    chosen = {"gene_names": names} if names else {}
    return list(SeqIO.parse(StringIO(exported(session, "export_cds_fasta", file_path="x.fna", **chosen)), "fasta"))


def parts(record: SeqRecord) -> list[tuple[int, int, str]]:
    """Start from 0, end and strand of every part of every feature but the source."""
    signs = {1: "+", -1: "-"}
    return sorted(
        (int(part.start), int(part.end), signs.get(part.strand, "."))
        for feature in record.features
        if feature.type != "source" and feature.location is not None
        for part in feature.location.parts
    )


@pytest.mark.parametrize("fixture", GENOMES)
def test_bed_lines_are_the_parts_that_biopython_counts_from_zero(fixture: str) -> None:
    session, record = fresh(fixture), original(fixture)
    rows = [line.split("\t") for line in exported(session, "export_bed", file_path="x.bed").splitlines()]
    assert {len(row) for row in rows} == {6}
    assert sorted((int(row[1]), int(row[2]), row[5]) for row in rows) == parts(record)
    assert [(int(row[1]), int(row[2])) for row in rows] == sorted((int(row[1]), int(row[2])) for row in rows)


def test_bed_of_the_view_holds_what_overlaps_it_whole() -> None:
    session = fresh()
    content(session, "export_bed", file_path="x.bed", scope="view")
    found = session.files.output_path("x.bed").read_text("utf-8").splitlines()
    wanted = [place for place in parts(original("ecoli-d10483")) if place[0] < 5000]
    assert sorted((int(row[1]), int(row[2]), row[5]) for row in (line.split("\t") for line in found)) == wanted


def gff_rows(text: str) -> Iterator[tuple[list[str], dict[str, list[str]]]]:
    """Columns and attributes of every feature line."""
    for line in text.partition("\n##FASTA\n")[0].splitlines():
        if not line.startswith("#"):
            columns = line.split("\t")
            assert len(columns) == 9
            pairs = [pair.split("=") for pair in columns[8].split(";")]
            assert all(len(pair) == 2 for pair in pairs), columns[8]
            yield columns, {key: [unquote(value) for value in values.split(",")] for key, values in pairs}


@pytest.mark.parametrize("fixture", GENOMES)
def test_gff_places_and_qualifiers_are_those_of_the_record(fixture: str) -> None:
    session, record = fresh(fixture), original(fixture)
    text = exported(session, "export_gff", file_path="x.gff3")
    assert text.startswith(f"##gff-version 3\n##sequence-region {record.id} 1 {len(record)}\n")
    rows = list(gff_rows(text))
    assert rows[0][0][2:5] == ["region", "1", str(len(record))]
    assert ("Is_circular" in rows[0][1]) == (record.annotations["topology"] == "circular")
    places: list[tuple[int, int, str]] = []
    for columns, _ in rows[1:]:
        start, end, strand = int(columns[3]), int(columns[4]), columns[6]
        over = end > len(record)
        places += [(start, len(record), strand), (1, end - len(record), strand)] if over else [(start, end, strand)]
    assert sorted(places) == sorted(
        (start + 1, end, strand) if end > start else (start, start, strand) for start, end, strand in parts(record)
    )
    by_id: dict[str, dict[str, list[str]]] = {}
    for columns, attributes in rows[1:]:
        (identifier,) = attributes["ID"]
        assert by_id.setdefault(identifier, attributes) == attributes
        assert (columns[7] == ".") == (columns[2] != "CDS")
    assert len(by_id) == len(record.features) - 1
    for attributes in by_id.values():
        for parent in attributes.get("Parent", ()):
            assert by_id[parent].get("gene") == attributes.get("gene")
    partial = [feature for feature in record.features if "<" in str(feature.location) or ">" in str(feature.location)]
    assert sum("partial" in attributes for attributes in by_id.values()) == len(partial)
    products = sorted("".join(each["product"][0].split()) for each in by_id.values() if "product" in each)
    values = [feature.qualifiers["product"][0] for feature in record.features if "product" in feature.qualifiers]
    assert products == sorted("".join(value.split()) for value in values)


@pytest.mark.parametrize("fixture", GENOMES)
def test_gff_phases_read_every_stretch_in_the_frame_of_its_protein(fixture: str) -> None:
    """Each line translated from its phase on is a stretch of the stored protein, spliced or over the origin."""
    session, record = fresh(fixture), original(fixture)
    proteins: dict[str, str] = {}
    for feature in coding(record):
        (gene,) = feature.qualifiers.get("gene", [""])
        proteins[gene] = f"{proteins.get(gene, '')}|{feature.qualifiers.get('translation', [''])[0]}"
    letters, wrong, read = str(record.seq) * 2, list[tuple[str, str, str]](), 0
    for columns, attributes in gff_rows(exported(session, "export_gff", file_path="x.gff3", feature_types=["CDS"])):
        if columns[2] != "CDS":
            continue
        bases = Seq(letters[int(columns[3]) - 1 : int(columns[4])])
        frame = (bases.reverse_complement() if columns[6] == "-" else bases)[int(columns[7]) :]
        made = str(frame[: len(frame) // 3 * 3].translate(table=11)).rstrip("*")
        # The first residue may be written M for another start codon.
        (gene,) = attributes.get("gene", [""])
        if made[1:] not in proteins[gene]:
            wrong.append((gene, columns[3], columns[4]))
        read += 1
    assert read >= len(coding(record))
    assert not wrong


def test_coding_sequences_and_rnas_name_the_gene_entry_of_their_locus_tag() -> None:
    session = fresh("chloroplast")
    rows = [row[1] for row in gff_rows(exported(session, "export_gff", file_path="x.gff3"))][1:]
    tag = {attributes["ID"][0]: attributes["locus_tag"] for attributes in rows}
    children = [each for each in rows if not each["ID"][0].startswith("gene-")]
    assert all(tag[each["Parent"][0]] == each["locus_tag"] for each in children)
    assert all(each["Parent"][0].startswith("gene-") for each in children)
    alone = gff_rows(exported(session, "export_gff", file_path="x.gff3", feature_types=["CDS"]))
    assert not any("Parent" in attributes for _, attributes in alone), "no parent that the file does not hold"


def test_a_frame_that_starts_at_the_second_base_and_a_wrap_of_the_minus_strand() -> None:
    session = fresh("phix174")
    record = session.record()
    # From base 20 back over the origin to base 5381: 26 bases, of which the first belongs to the codon before.
    parts = (Part(1, 20, "-"), Part(5381, 5386, "-"))
    made = Feature(
        id="ann-1",
        kind="CDS",
        parts=parts,
        qualifiers={"gene": ("x",), "codon_start": ("2",)},
        wraps=True,
        origin="user",
    )
    session.put([record.with_features([made])])
    rows = list(gff_rows(exported(session, "export_gff", file_path="x.gff3")))
    assert rows[1][0][3:8] == ["5381", "5406", ".", "-", "1"]
    (entry,) = SeqIO.parse(StringIO(exported(session, "export_cds_fasta", file_path="x.fna")), "fasta")
    bases = original("phix174").seq[5380:] + original("phix174").seq[:20]
    assert entry.seq == bases.reverse_complement()[1:]


def test_a_gff_file_may_hold_the_bases() -> None:
    session = fresh("phix174")
    text = exported(session, "export_gff", file_path="x.gff3", feature_types=["mRNA"], include_sequence=True)
    assert [columns[2] for columns, _ in gff_rows(text)] == ["region", "mRNA", "mRNA"]
    section = text.partition("##FASTA\n")[2]
    assert str(SeqIO.read(StringIO(section), "fasta").seq) == str(original("phix174").seq)


def test_hostile_names_break_no_line() -> None:
    session = fresh("phix174")
    record = session.record()
    bad = Feature(
        id="ann-1",
        kind="misc_feature",
        parts=(Part(7, 9, "none"),),
        qualifiers={"label": ("a\tb;c=d,e%\n##FASTA\n>x",), "note": ("[x] \x1b[31m & \u202e",)},
        origin="user",
    )
    session.put([record.with_features([*record.features, bad])])
    rows = list(gff_rows(exported(session, "export_gff", file_path="x.gff3", feature_types=["misc_feature"])))
    assert rows[1][1]["Name"] == ["a b;c=d,e% ##FASTA >x"]
    assert len(rows) == 4
    lines = exported(session, "export_bed", file_path="x.bed", feature_types=["misc_feature"]).splitlines()
    assert "NC_001422.1\t6\t9\tmisc_feature:a_b;c=d,e%_##FASTA_>x\t0\t." in lines


@pytest.mark.parametrize(
    "name", ['"', "a\n     CDS             1..5", "\n//\n", "a\rb", "//", "x" * 60, "\ud800", "\u2028"]
)
def test_a_hostile_name_adds_no_feature_to_a_genbank_file(name: str) -> None:
    session = fresh("phix174")
    record = session.record()
    bad = Feature(id="ann-1", kind="CDS", parts=(Part(7, 9, "+"),), qualifiers={"label": (name,)}, origin="user")
    session.put([record.with_features([*record.features, bad])])
    again = SeqIO.read(StringIO(exported(session, "export_genbank", file_path="x.gbk")), "genbank")
    assert len(again.features) == len(record.features) + 1
    assert len(again) == 5386


def test_hits_are_written_as_csv_and_as_json() -> None:
    session = fresh()
    hit = Hit(
        target='a "b", c', score=81.25, evalue=1.5e-20, identity_percent=33.5,
        query_start=1, query_end=90, target_start=3, target_end=95,
    )  # fmt: skip
    session.state.last_hits = (hit, hit)
    rows = list(csv.DictReader(StringIO(exported(session, "export_similarity_hits", file_path="h.csv"))))
    assert [row["target"] for row in rows] == ['a "b", c'] * 2
    assert (float(rows[0]["score"]), float(rows[0]["evalue"]), rows[0]["target_end"]) == (81.25, 1.5e-20, "95")
    text = session.files.output_path("h.csv").read_bytes()
    assert text.count(b"\n") == 3
    assert b"\r" not in text
    found = json.loads(exported(session, "export_similarity_hits", file_path="h.json", file_format="json"))
    assert [each["target"] for each in found] == ['a "b", c'] * 2
    assert {key: str(value) for key, value in found[0].items()} == {key: str(value) for key, value in rows[0].items()}


@pytest.mark.skipif(engine_version("pyhmmer") is None, reason="needs pyhmmer of the extra workbench")
def test_the_file_holds_all_hits_of_the_search_before_not_only_those_that_it_showed() -> None:
    """MurD against the proteins of the genome: verified question gw-013 has four hits."""
    session = fresh()
    query = content(session, "get_protein_sequence", gene_name="murD")["sequence"]
    content(session, "build_search_database", name="k12", molecule="protein")
    shown = content(session, "search_protein_similarity", sequence=query, database="k12", max_hits=1)
    assert content(session, "export_similarity_hits", file_path="h.csv")["hits"] == shown["count"] == 4
    rows = list(csv.DictReader(StringIO(session.files.output_path("h.csv").read_text("utf-8"))))
    assert [row["target"] for row in rows] == ["murD", "murC", "mra", "murE"]
    assert [float(row["evalue"]) for row in rows] == sorted(float(row["evalue"]) for row in rows)


def test_a_search_without_hits_gives_a_header_alone() -> None:
    session = fresh()
    session.state.last_hits = ()
    assert content(session, "export_similarity_hits", file_path="h.csv")["hits"] == 0
    assert session.files.output_path("h.csv").read_text("utf-8").startswith("target,score,evalue,")


def test_the_same_state_gives_the_same_bytes() -> None:
    """Two edits in one batch, or in two: the second place has moved by the six bases of the first."""
    tools = ("export_genbank", "export_genome_fasta", "export_gff", "export_bed", "export_cds_fasta")
    one, two = fresh(), fresh()
    content(one, "insert_sequence", position=70000, sequence="GAATTC")
    content(one, "insert_sequence", position=1000, sequence="GAATTC")
    content(one, "execute_actions")
    for position in (1000, 70006):
        content(two, "insert_sequence", position=position, sequence="GAATTC")
        content(two, "execute_actions")
    for session in (one, two):
        for tool in tools:
            content(session, tool, file_path=f"{tool}.txt")
    assert end_state(one) == end_state(two)


def test_a_feature_added_before_or_after_a_batch_stands_at_the_same_place_of_the_file() -> None:
    """Base 27,010 lies before the gene at 28,028; the deletion puts both starts on one base."""
    one, two = fresh(), fresh()
    cut = {"start": 27000, "end": 28040}
    content(one, "create_annotation", name="mark", feature_type="misc_feature", start=27010, end=28100)
    content(one, "delete_sequence", **cut)
    content(one, "execute_actions")
    content(two, "delete_sequence", **cut)
    content(two, "execute_actions")
    content(two, "create_annotation", name="mark", feature_type="misc_feature", start=27000, end=27059)
    for session in (one, two):
        content(session, "export_genbank", file_path="x.gbk")
    assert end_state(one) == end_state(two)


@pytest.mark.parametrize("fixture", GENOMES)
def test_a_genbank_file_keeps_further_accessions_and_links(fixture: str) -> None:
    text, before = exported(fresh(fixture), "export_genbank", file_path="x.gbk"), original(fixture)
    again = SeqIO.read(StringIO(text), "genbank")
    assert max(map(len, text.splitlines()[:8])) <= 80
    assert again.annotations["accessions"] == before.annotations["accessions"]
    assert [link.replace(": ", ":") for link in again.dbxrefs] == [link.replace(": ", ":") for link in before.dbxrefs]
