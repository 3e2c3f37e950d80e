"""Similarity in a second way: alignments scored by column and by a plain recursion, searches by BLAST+ and HMMER.

The programs are those of the Debian packages ncbi-blast+ and hmmer; where they are not installed these tests skip.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from Bio import SeqIO
from Bio.Align import substitution_matrices
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject
from fcbench.workbench.alignments import align
from fcbench.workbench.engines import engine_version
from fcbench.workbench.errors import ToolError
from fcbench.workbench.files import FileRoom
from fcbench.workbench.homology import search
from fcbench.workbench.project import SearchDatabase
from fcbench.workbench.session import Session, State
from fcbench.workbench.state import end_state
from tests.workbench.authored.similarity import ARAA_END, MURD
from tests.workbench.worlds import FIXTURE_FOLDER, content, error_code, fresh

BLOSUM = substitution_matrices.load("BLOSUM62")
GAPS = {"protein": (-11, -1), "dna": (-5, -1)}
needs_pyhmmer = pytest.mark.skipif(engine_version("pyhmmer") is None, reason="needs pyhmmer of the extra workbench")


def pair_score(one: str, other: str, molecule: str) -> int:
    """Score of two letters in a column."""
    if molecule == "dna":
        return 2 if one == other else -1
    return int(BLOSUM[one][other])


def column_score(first: str, second: str, molecule: str) -> int:
    """Score of a finished alignment, summed over its columns."""
    opening, extending = GAPS[molecule]
    total, before = 0, ""
    for one, other in zip(first, second, strict=True):
        gap = "first" if one == "-" else "second" if other == "-" else ""
        total += (extending if gap == before else opening) if gap else pair_score(one, other, molecule)
        before = gap
    return total


def best_score(first: str, second: str, molecule: str, mode: str) -> int:
    """The best score by the recursion of Gotoh, written plainly: state 0 pair, 1 gap in the second, 2 in the first."""
    opening, extending = GAPS[molecule]

    @cache
    def best(left: int, right: int, state: int) -> float:
        if (left, right) == (0, 0):
            return 0.0 if state == 0 else -1e9
        if state == 0:
            if not (left and right):
                return 0.0 if mode == "local" else -1e9
            before = max(best(left - 1, right - 1, each) for each in (0, 1, 2))
            found = before + pair_score(first[left - 1], second[right - 1], molecule)
            return max(found, 0.0) if mode == "local" else found
        back = (left - 1, right) if state == 1 else (left, right - 1)
        if min(back) < 0:
            return -1e9
        return max(best(*back, each) + (extending if each == state else opening) for each in (0, 1, 2))

    ends = [(len(first), len(second))]
    if mode == "local":
        ends = [(left, right) for left in range(len(first) + 1) for right in range(len(second) + 1)]
    return int(max(best(left, right, state) for left, right in ends for state in (0, 1, 2)))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_alignment_has_the_score_of_its_columns_and_none_is_better(data: st.DataObject) -> None:
    molecule = data.draw(st.sampled_from(("protein", "dna")))
    mode = data.draw(st.sampled_from(("global", "local")))
    letters = st.text("ACGT" if molecule == "dna" else "ARNDCQEGHILKMFPSTWYV", min_size=1, max_size=14)
    first, second = data.draw(letters), data.draw(letters)
    found = align(first, second, molecule, mode)
    assert found.score == column_score(found.first, found.second, molecule)
    assert found.score == best_score(first, second, molecule, mode)
    shown = (found.first.replace("-", ""), found.second.replace("-", ""))
    if mode == "global":
        assert shown == (first, second)
    assert shown[0] in first
    assert shown[1] in second
    turned = align(second, first, molecule, mode)
    assert (turned.first, turned.second, turned.numbers) == (found.second, found.first, found.numbers)


def test_counts_of_columns_add_up() -> None:
    numbers = content(fresh(), "align_genes", gene_a="murC", gene_b="murE")
    assert numbers["aligned_columns"] == sum(int(str(numbers[name])) for name in ("identities", "mismatches", "gaps"))


def test_an_edited_gene_differs_from_its_original_in_the_edited_bases() -> None:
    session = fresh()
    content(session, "load_comparison_genome", file_path="genomes/D10483.gbk", label="before")
    record, gene, cds = session.coding("talB")
    at = cds.start + 99
    other = "A" if record.sequence[at] != "A" else "C"
    content(session, "replace_sequence", start=at + 1, end=at + 1, new_sequence=other)
    content(session, "execute_actions")
    found = content(session, "compare_genes_between_genomes", gene_name="talB", label="before", molecule="dna")
    assert (found["mismatches"], found["gaps"], found["identities"]) == (1, 0, gene.end - gene.start)


def test_two_genes_of_one_name_in_the_comparison_genome_are_ambiguous() -> None:
    session = fresh("chloroplast")
    session.state.comparisons["cp"] = session.genome
    assert error_code(session, "compare_genes_between_genomes", gene_name="ArthCp068", label="cp") == "ambiguous_gene"


def write_proteins(path: Path) -> None:
    """The proteins of D10483 as FASTA, read from the feature table by Biopython alone."""
    record = SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank")
    found = [feature.qualifiers for feature in record.features if feature.type == "CDS"]
    names = [each.get("gene", each["protein_id"])[0] for each in found]
    lines = [f">{name}\n{each['translation'][0]}\n" for name, each in zip(names, found, strict=True)]
    path.write_text("".join(lines), encoding="utf-8")


def program(*command: str) -> list[list[str]]:
    """The columns of what a program writes, without remarks."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")]


def hits_of(session: Session, tool: str, **arguments: object) -> list[JsonObject]:
    """The hits of a search."""
    found = content(session, tool, **arguments)["hits"]
    assert isinstance(found, list)
    return [dict(each) for each in found if isinstance(each, dict)]


@needs_pyhmmer
@pytest.mark.parametrize("gene", ["murD", "araC", "ftsI", "carB"])
def test_protein_hits_are_those_of_the_program_phmmer(gene: str, tmp_path: Path) -> None:
    session = fresh()
    content(session, "build_search_database", name="k12", molecule="protein")
    query = str(content(session, "get_protein_sequence", gene_name=gene)["sequence"])
    found = hits_of(session, "search_protein_similarity", sequence=query, database="k12")
    write_proteins(tmp_path / "k12.faa")
    (tmp_path / "query.faa").write_text(f">query\n{query}\n", encoding="utf-8")
    command = ("phmmer", "-E", "1e-5", "--tblout", "/dev/stdout", "-o", "/dev/null")
    rows = program(*command, str(tmp_path / "query.faa"), str(tmp_path / "k12.faa"))
    assert [hit["target"] for hit in found] == [row[0] for row in rows]
    assert [hit["evalue"] for hit in found] == pytest.approx([float(row[4]) for row in rows], rel=0.1, abs=0)
    assert [hit["score"] for hit in found] == pytest.approx([float(row[5]) for row in rows], abs=0.2)


@needs_pyhmmer
def test_protein_hits_of_blast_are_among_ours(tmp_path: Path) -> None:
    """gw-013: blastp finds murD, murC and mra; phmmer finds murE as well."""
    session = fresh()
    content(session, "build_search_database", name="k12", molecule="protein")
    found = hits_of(session, "search_protein_similarity", sequence=MURD, database="k12", max_evalue=1e-3)
    write_proteins(tmp_path / "k12.faa")
    (tmp_path / "query.faa").write_text(f">query\n{MURD}\n", encoding="utf-8")
    columns = "6 sseqid pident"
    command = ("blastp", "-query", str(tmp_path / "query.faa"), "-subject", str(tmp_path / "k12.faa"))
    rows = program(*command, "-evalue", "1e-3", "-outfmt", columns)
    identity = {row[0]: float(row[1]) for row in rows}
    assert list(identity) == ["murD", "murC", "mra"]
    assert [hit["target"] for hit in found] == ["murD", "murC", "mra", "murE"]
    ours = {str(hit["target"]): hit["identity_percent"] for hit in found}
    assert {name: ours[name] for name in identity} == pytest.approx(identity, abs=3)


@needs_pyhmmer
def test_nucleotide_hits_are_those_of_the_program_nhmmer_and_the_best_is_that_of_blast(tmp_path: Path) -> None:
    session = fresh()
    content(session, "build_search_database", name="dna", molecule="nucleotide")
    query = str(content(session, "get_sequence", start=5000, end=5399, strand="-")["sequence"])
    found = hits_of(session, "search_nucleotide_similarity", sequence=query, database="dna")
    record = SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank")
    SeqIO.write(record, tmp_path / "genome.fna", "fasta")
    (tmp_path / "query.fna").write_text(f">query\n{query}\n", encoding="utf-8")
    files = (str(tmp_path / "query.fna"), str(tmp_path / "genome.fna"))
    rows = program("nhmmer", "--dna", "-E", "1e-5", "--tblout", "/dev/stdout", "-o", "/dev/null", *files)
    ours = [
        [hit["strand"], hit["target_start"], hit["target_end"], hit["query_start"], hit["query_end"]] for hit in found
    ]
    theirs = [[row[11], *sorted((int(row[6]), int(row[7]))), int(row[4]), int(row[5])] for row in rows]
    assert ours == theirs
    assert [hit["evalue"] for hit in found] == pytest.approx([float(row[12]) for row in rows], rel=0.1, abs=0)
    command = ("blastn", "-task", "blastn", "-query", files[0], "-subject", files[1], "-dust", "no")
    best = program(*command, "-outfmt", "6 sstart send pident")[0]
    assert (int(best[1]), int(best[0]), float(best[2])) == (5000, 5399, 100.0)
    assert ours[0] == ["-", 5000, 5399, 1, 400]


@needs_pyhmmer
@pytest.mark.parametrize("seed", range(6))
def test_a_mutated_piece_of_the_genome_is_found_where_it_came_from(seed: int) -> None:
    rng = random.Random(seed)
    session = fresh("chloroplast")
    record = session.record()
    content(session, "build_search_database", name="cp", molecule="nucleotide")
    start, strand = rng.randrange(100, 80_000), rng.choice("+-")
    piece = list(record.bases(start, start + 199, "-" if strand == "-" else "+"))
    for at in rng.sample(range(20, 180), 8):
        piece[at] = rng.choice([letter for letter in "ACGT" if letter != piece[at]])
    hit = hits_of(session, "search_nucleotide_similarity", sequence="".join(piece), database="cp", max_hits=1)[0]
    assert hit["strand"] == strand
    keys = ("target_start", "target_end", "query_start", "query_end")
    first, last, query_first, query_last = (int(str(hit[key])) for key in keys)
    # nhmmer leaves out a few letters at the ends where it doubts them.
    assert query_first <= 10
    assert query_last >= 191
    shift = (query_first - 1, 200 - query_last)
    assert (first, last) == (start + shift[strand == "-"], start + 199 - shift[strand == "+"])
    there = record.bases(first, last, "-" if strand == "-" else "+")
    aligned = zip("".join(piece)[query_first - 1 : query_last], there, strict=True)
    same = [one == other for one, other in aligned]
    assert hit["identity_percent"] == round(100 * sum(same) / len(same), 2)


def test_names_of_proteins_are_unique_where_symbols_are_not() -> None:
    session = fresh("chloroplast")
    content(session, "build_search_database", name="cp", molecule="protein")
    names = [name for name, _ in session.state.databases["cp"].entries]
    assert len(set(names)) == len(names) == 85
    assert {"rbcL", "ArthCp068", "ArthCp086"} <= set(names)
    assert "ndhB" not in names


def library(folder: Path, **files: str) -> Session:
    """A session that may read files with these contents."""
    names = [name.replace("_", ".") for name in files]
    for name, text in zip(names, files.values(), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    return Session(State(), FileRoom(folder, names))


def test_proteins_in_fasta_become_a_database_of_their_own(tmp_path: Path) -> None:
    session = library(tmp_path, set_fasta=">one first of two\nMSKV\nLAID*\n>two\nmwww\n")
    made = content(session, "build_search_database", name="set", molecule="protein", file_path="set.fasta")
    assert (made["entries"], made["letters"]) == (2, 12)
    assert session.state.databases["set"].entries == (("one", "MSKVLAID"), ("two", "MWWW"))


@pytest.mark.parametrize(
    "text", ["", "no header\n", ">one\nMS-KV\n", ">one\n123\n"], ids=["empty", "bare", "gap", "digits"]
)
def test_a_broken_protein_file_is_a_parse_error(text: str, tmp_path: Path) -> None:
    session = library(tmp_path, set_fasta=text)
    before = end_state(session)
    code = error_code(session, "build_search_database", name="set", molecule="protein", file_path="set.fasta")
    assert code == "parse_error"
    assert end_state(session) == before


def test_a_session_keeps_a_limited_number_of_databases() -> None:
    session = fresh("phix174")
    for number in range(20):
        content(session, "build_search_database", name=f"set{number}", molecule="protein")
    assert error_code(session, "build_search_database", name="one_more", molecule="protein") == "bad_argument"
    content(session, "build_search_database", name="set3", molecule="nucleotide")
    assert content(session, "list_search_databases")["count"] == 20


def test_the_order_of_building_leaves_no_trace_and_a_deleted_database_none_at_all() -> None:
    one, other = fresh(), fresh()
    untouched = end_state(one)["project"]
    for session, names in ((one, ("a", "b")), (other, ("b", "a"))):
        for name in names:
            content(session, "build_search_database", name=name, molecule="protein")
    assert end_state(one) == end_state(other)
    for name in ("a", "b"):
        content(one, "delete_search_database", name=name)
    assert end_state(one)["project"] == untouched


@needs_pyhmmer
@settings(max_examples=25, deadline=None)
@given(
    query=st.one_of(
        st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcxyz", min_size=10, max_size=60),
        st.integers(10, 400).map(lambda length: MURD[:length]),
    ),
    limit=st.sampled_from((0, 1e-300, 1e-5, 10)),
)
def test_any_protein_query_is_answered_and_limits_hold(query: str, limit: float) -> None:
    session = fresh()
    content(session, "build_search_database", name="k12", molecule="protein")
    found = hits_of(session, "search_protein_similarity", sequence=query, database="k12", max_evalue=limit, max_hits=50)
    assert all(float(str(hit["evalue"])) <= limit for hit in found)
    assert content(session, "filter_similarity_hits", max_hits=50)["hits"] == found


@needs_pyhmmer
@settings(max_examples=15, deadline=None)
@given(query=st.text("ACGTURYSWKMBDHVNacgtn", min_size=20, max_size=80), limit=st.sampled_from((0, 1e-5, 10)))
def test_any_nucleotide_query_is_answered_and_limits_hold(query: str, limit: float) -> None:
    session = fresh("phix174")
    content(session, "build_search_database", name="phage", molecule="nucleotide")
    found = hits_of(
        session, "search_nucleotide_similarity", sequence=query, database="phage", max_evalue=limit, max_hits=50
    )
    assert all(float(str(hit["evalue"])) <= limit for hit in found)


@needs_pyhmmer
def test_a_database_of_strange_letters_is_searched_all_the_same() -> None:
    database = SearchDatabase("odd", "protein", "x", (("one", MURD), ("two", "MSK*V-LA?"), ("three", "UOJBZX" * 4)))
    assert [hit.target for hit in search(MURD, database, 1e-5)] == ["one"]


def test_sequences_whose_product_is_too_large_are_refused() -> None:
    with pytest.raises(ToolError, match="bad_argument"):
        align("A" * 6000, "C" * 6000, "dna", "global")
    assert align(ARAA_END, ARAA_END, "dna", "global").score == 2 * len(ARAA_END)


@needs_pyhmmer
def test_a_query_that_the_database_repeats_all_over_is_refused() -> None:
    genome = fresh("phix174").record().sequence
    unit = "ACGTTGCAAC"
    few, many = (
        SearchDatabase("n", "nucleotide", "x", (("x", genome + unit * count + genome),)) for count in (100, 500)
    )
    assert search(unit * 40, few, 10)
    with pytest.raises(ToolError, match="bad_argument"):
        search(unit * 40, many, 10)
    assert search(genome[1000:1400], many, 1e-5)


def test_a_genome_that_edits_made_much_longer_is_no_nucleotide_database() -> None:
    session = fresh("chloroplast")
    for position in range(1, 4):
        content(session, "insert_sequence", position=position, sequence="A" * 2000)
    content(session, "execute_actions")
    assert error_code(session, "build_search_database", name="n", molecule="nucleotide") == "bad_argument"
    content(session, "build_search_database", name="n", molecule="protein")
    content(session, "build_search_database", name="f", molecule="nucleotide", file_path="genomes/NC_000932.gb")
