"""The analysis tools against another way to the same numbers: Biopython, regular expressions, the annotation."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from Bio.SeqUtils import CodonAdaptationIndex

from fcbench.workbench.engines import engine_version
from fcbench.workbench.features import Feature, Part, PartStrand
from fcbench.workbench.gel import SEPARATED, separated
from fcbench.workbench.genes import Gene, genes_of
from fcbench.workbench.guides import PAMS, places_of
from fcbench.workbench.operons import operons_of
from fcbench.workbench.records import SequenceRecord
from tests.workbench.worlds import FIXTURE_FOLDER, content, fresh

FILES = {
    "ecoli-d10483": "genomes/D10483.gbk",
    "chloroplast": "genomes/NC_000932.gb",
    "plasmid-ppcp1": "genomes/NC_005816.gb",
    "phix174": "genomes/NC_001422.gbk",
    "sars-cov-2": "genomes/NC_045512.2.gb",
}


def genbank(fixture: str) -> SeqRecord:
    """The record of a fixture as Biopython reads its file."""
    return SeqIO.read(Path(FIXTURE_FOLDER) / FILES[fixture], "genbank")


def coding(record: SeqRecord) -> list[str]:
    """The coding sequences of a record, cut by Biopython."""
    return [str(each.extract(record.seq)) for each in record.features if each.type == "CDS"]


@pytest.mark.parametrize("fixture", FILES)
def test_gc_is_the_share_of_g_and_c(fixture: str) -> None:
    letters = str(genbank(fixture).seq)
    for start in range(1, len(letters) - 600, len(letters) // 7):
        counts = Counter(letters[start - 1 : start + 599])
        share = round(100 * (counts["G"] + counts["C"]) / sum(counts[letter] for letter in "ACGT"), 2)
        assert content(fresh(fixture), "region_gc_content", start=start, end=start + 599)["gc_percent"] == share


def test_windows_are_ranges() -> None:
    session = fresh()
    found = content(session, "gc_profile", start=1000, end=9000, window=700, step=130)
    windows = found["windows"]
    assert isinstance(windows, list)
    assert found["count"] == len(range(1000, 9000 - 700 + 2, 130))
    for each in windows:
        assert each == content(session, "region_gc_content", start=each["start"], end=each["end"])


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "chloroplast", "sars-cov-2"])
def test_codons_are_counted_as_a_regular_expression_counts_them(fixture: str) -> None:
    counts: Counter[str] = Counter()
    for letters in coding(genbank(fixture)):
        counts.update(re.findall("...", letters))
    found = content(fresh(fixture), "genome_codon_usage")
    assert found["codon_total"] == sum(counts.values())
    assert {each["codon"]: each["count"] for each in found["codons"] if each["count"]} == counts
    for residue in "LSR*":
        shares = [each["share"] for each in found["codons"] if each["amino_acid"] == residue]
        assert sum(shares) == pytest.approx(1, abs=0.001)


def test_the_leucines_of_dnak_are_those_of_the_verified_question() -> None:
    """Question gw-011: 48 leucine codons, 45 of them CTG."""
    found = content(fresh(), "gene_codon_usage", gene_name="dnaK")
    leucines = {each["codon"]: each["count"] for each in found["codons"] if each["amino_acid"] == "L"}
    assert leucines == {"CTA": 2, "CTC": 1, "CTG": 45, "CTT": 0, "TTA": 0, "TTG": 0}
    assert next(each["share"] for each in found["codons"] if each["codon"] == "CTG") == 0.9375


def test_the_adaptation_index_is_that_of_biopython_without_the_stop() -> None:
    """Biopython counts the stop codon as well; without it both follow Sharp and Li."""
    record = genbank("ecoli-d10483")
    sequences = [letters[: len(letters) // 3 * 3] for letters in coding(record)]
    index = CodonAdaptationIndex(sequences)
    session = fresh()
    for feature in [each for each in record.features if each.type == "CDS" and "gene" in each.qualifiers][::6]:
        letters = str(feature.extract(record.seq))
        name = feature.qualifiers["gene"][0]
        found = content(session, "codon_adaptation_index", gene_name=name)
        assert found["cai"] == pytest.approx(index.calculate(letters[:-3]), abs=1e-4), name


def frames_by_translation(letters: str, low: int, high: int, least: int, code: int) -> list[tuple[int, int, str]]:
    """Frames from the translation of all six phases, cut at the stops."""
    piece, found = Seq(letters[low - 1 : high]), []
    for strand, read in (("+", piece), ("-", piece.reverse_complement())):
        for phase in range(3):
            whole = read[phase : phase + (len(read) - phase) // 3 * 3]
            codons = re.findall("...", str(whole))
            at = 0
            for protein in str(whole.translate(table=code)).split("*")[:-1]:
                named = [index for index in range(at, at + len(protein)) if codons[index] in ("ATG", "GTG", "TTG")]
                stop = at + len(protein)
                if named and 3 * (stop + 1 - named[0]) >= least:
                    first, last = phase + 3 * named[0], phase + 3 * stop + 2
                    ends = (low + first, low + last) if strand == "+" else (high - last, high - first)
                    found.append((*ends, strand))
                at = stop + 1
    return sorted(found)


@pytest.mark.parametrize(
    ("fixture", "low", "high", "least", "code"),
    [
        pytest.param("ecoli-d10483", 60000, 70000, 300, 11, id="ten kilobases"),
        pytest.param("ecoli-d10483", 3, 5000, 200, 11, id="another phase"),
        pytest.param("phix174", 1, 5386, 150, 11, id="a phage"),
        pytest.param("phix174", 1, 5386, 200, 4, id="code 4"),
        pytest.param("chloroplast", 80000, 99999, 400, 11, id="a chloroplast"),
    ],
)
def test_reading_frames_are_those_of_the_translation(fixture: str, low: int, high: int, least: int, code: int) -> None:
    wanted = frames_by_translation(str(genbank(fixture).seq), low, high, least, code)
    found = content(fresh(fixture), "find_orfs", start=low, end=high, min_length=least, genetic_code=code)
    assert found["count"] == len(wanted) > 0
    assert [(each["start"], each["end"], each["strand"]) for each in found["orfs"]] == wanted[:50]


def test_predicted_genes_meet_the_annotation() -> None:
    """Question gw-009: 16 genes, 13 of them annotated base by base; the first has a score of 577.56."""
    if engine_version("pyrodigal") is None:
        pytest.skip("needs pyrodigal of the extra workbench-gpl")
    session = fresh()
    found = content(session, "predict_genes", start=60000, end=80000)
    genes = found["genes"]
    annotated = {
        (int(each.location.start) + 1, int(each.location.end), "+" if each.location.strand == 1 else "-")
        for each in genbank("ecoli-d10483").features
        if each.type == "CDS"
    }
    same = [each for each in genes if (each["start"], each["end"], each["strand"]) in annotated]
    assert (found["count"], len(same)) == (16, 13)
    first = genes[0]
    assert (first["start"], first["end"], first["strand"], first["rbs_motif"]) == (60021, 62927, "-", "GGA/GAG/AGG")
    assert first["score"] == pytest.approx(577.56, abs=0.5)
    for each in genes:
        if not each["partial"]:
            letters = content(session, "get_sequence", start=each["start"], end=each["end"], strand=each["strand"])
            protein = str(Seq(str(letters["sequence"])[:1998]).translate(table=11))
            assert str(letters["sequence"]).startswith(each["start_codon"])
            assert "*" not in protein[:-1]


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "chloroplast", "plasmid-ppcp1"])
def test_operons_keep_strand_and_gap_and_leave_no_gene_out(fixture: str) -> None:
    (record,) = fresh(fixture).records
    genes = genes_of(record)
    for gap in (0, 30, 100, 1000):
        runs = list(operons_of(genes, gap))
        stranded = [gene for gene in genes if gene.strand in ("+", "-")]
        assert [gene for run in runs for gene in run] == stranded
        for run in runs:
            reached = run[0].end
            for gene in run[1:]:
                assert gene.strand == run[0].strand
                assert gene.start - reached - 1 <= gap
                reached = max(reached, gene.end)


def gene_at(start: int, end: int, strand: PartStrand) -> Gene:
    """A bare gene."""
    feature = Feature(id="ftr-1", kind="gene", parts=(Part(start, end, strand),))
    return Gene(sequence_id="X.1", symbol="x", locus_tag="", synonyms=(), main=feature, features=(feature,))


def test_the_gap_counts_from_the_farthest_gene_so_far() -> None:
    genes = [gene_at(1, 900, "+"), gene_at(100, 200, "+"), gene_at(950, 990, "+"), gene_at(1100, 1200, "+")]
    assert [len(run) for run in operons_of(genes, 49)] == [3, 1]
    assert [len(run) for run in operons_of(genes, 48)] == [2, 1, 1]
    assert [len(run) for run in operons_of([genes[0], gene_at(300, 400, "-"), genes[2]], 100)] == [1, 1, 1]


def test_places_of_a_guide_overlap_and_count_on_both_strands() -> None:
    record = SequenceRecord(
        id="X.1", name="X", description="", organism="", molecule="DNA", topology="circular", sequence="CAAAAGTTTT"
    )
    assert places_of(record, "AAA") == 4
    assert places_of(record, "TTTC") == 1, "over the origin"
    assert places_of(record, "AATT") == 0


@pytest.mark.parametrize("pam", PAMS)
def test_guides_are_in_the_genome_beside_their_pam(pam: str) -> None:
    session = fresh()
    record = genbank("ecoli-d10483").seq
    found = content(session, "find_crispr_guides", start=66000, end=67000, pam=pam, max_guides=50)
    assert found["guides"]
    for each in found["guides"]:
        low, high, size = each["start"], each["end"], len(each["pam"])
        before = (pam == "TTTV") == (each["strand"] == "+")
        low, high = (low - size, high) if before else (low, high + size)
        assert low >= 66000
        assert high <= 67000
        letters = record[low - 1 : high]
        read = str(letters if each["strand"] == "+" else letters.reverse_complement())
        assert read == (each["pam"] + each["guide"] if pam == "TTTV" else each["guide"] + each["pam"])


def test_guide_sites_of_both_strands_are_counted_by_two_expressions() -> None:
    letters = str(genbank("ecoli-d10483").seq)[20000:30000]
    wanted = len(re.findall("(?=.{18}.GG)", letters)) + len(re.findall("(?=CC.{19})", letters))
    found = content(fresh(), "find_crispr_guides", start=20001, end=30000, guide_length=18)
    assert found["count"] == wanted


def test_a_stronger_gel_separates_shorter_lengths() -> None:
    ranges = [separated(percent / 10) for percent in range(5, 41)]
    assert all(one[0] > two[0] and one[1] > two[1] for one, two in pairwise(ranges))
    for percent, short, long in SEPARATED:
        assert separated(percent) == pytest.approx((short, long))
