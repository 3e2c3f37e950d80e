"""Variants and reads by another way: Biopython on the changed genome, and the bytes of the BAM file."""

from __future__ import annotations

import gzip
import random
import re
import struct
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqFeature import SeqFeature, SimpleLocation
from Bio.SeqRecord import SeqRecord

from tests.workbench.worlds import FIXTURE_FOLDER, content, fresh

READS = "ecoli-d10483-reads"


@cache
def genome() -> SeqRecord:
    """The main genome as Biopython reads it."""
    return SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank")


def coding(start: int, end: int) -> list[SeqFeature]:
    """The coding sequences that overlap a range; places counted from 1."""
    every = [each for each in genome().features if each.type == "CDS"]
    return [each for each in every if each.location.start < end and each.location.end >= start]


def protein(letters: Seq, cds: SeqFeature, added: int = 0) -> str:
    """What Biopython translates after a change of length inside the coding sequence, up to and with the first stop."""
    place = SimpleLocation(int(cds.location.start), int(cds.location.end) + added, cds.location.strand)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        residues = str(place.extract(letters).translate(table=11))
    stop = residues.find("*")
    return residues if stop < 0 else residues[: stop + 1]


@pytest.mark.parametrize("seed", range(4))
def test_substitutions_change_the_protein_that_biopython_translates(seed: int) -> None:
    rng, session, seen = random.Random(seed), fresh(), Counter[str]()
    for _ in range(150):
        position = rng.randrange(1, 111409)
        ref = str(genome().seq[position - 1])
        alt = rng.choice([each for each in "ACGT" if each != ref])
        found = content(session, "predict_variant_effect", position=position, ref=ref, alt=alt)
        seen[str(found["effect"])] += 1
        hit = coding(position, position)
        if len(hit) != 1:
            assert (found["effect"] in ("intergenic", "noncoding")) == (not hit)
            continue
        changed = genome().seq[: position - 1] + alt + genome().seq[position:]
        before, after = protein(genome().seq, hit[0]), protein(changed, hit[0])
        differs = [at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other]
        assert found["gene"] == hit[0].qualifiers.get("gene", [""])[0]
        if 0 in differs or found["effect"] == "start_lost":
            continue
        if not differs:
            assert (found["effect"], found["protein_change"]) == ("silent", "")
        else:
            at = differs[0]
            assert found["protein_change"] == f"{before[at]}{at + 1}{after[at]}"
            wanted = "nonsense" if after[at] == "*" else "stop_lost" if before[at] == "*" else "missense"
            assert found["effect"] == wanted
    assert {"missense", "silent", "intergenic"} <= set(seen)


@pytest.mark.parametrize(
    ("fixture", "name"),
    [("chloroplast", "NC_000932.gb"), ("phix174", "NC_001422.gbk"), ("plasmid-ppcp1", "NC_005816.gb")],
)
def test_spliced_and_circular_genes_change_as_biopython_says(fixture: str, name: str) -> None:
    session, rng = fresh(fixture), random.Random(fixture)
    parsed = SeqIO.read(FIXTURE_FOLDER / f"genomes/{name}", "genbank")
    every = [each for each in parsed.features if each.type == "CDS"]
    compared = 0
    for cds in every:
        for _ in range(3):
            # `in` of Biopython counts from 0 and leaves introns out.
            place = rng.choice(list(cds))
            if sum(place in other for other in every) != 1:
                continue
            ref = str(parsed.seq[place])
            alt = rng.choice([each for each in "ACGT" if each != ref])
            found = content(session, "predict_variant_effect", position=place + 1, ref=ref, alt=alt)
            changed = parsed.seq[:place] + alt + parsed.seq[place + 1 :]
            skipped, code = int(cds.qualifiers["codon_start"][0]) - 1, int(cds.qualifiers["transl_table"][0])
            before, after = (
                str(cds.extract(letters)[skipped:].translate(table=code, to_stop=False))
                for letters in (parsed.seq, changed)
            )
            differs = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
            if 0 in differs:
                continue
            compared += 1
            assert (found["effect"] == "silent") == (not differs)
            if differs:
                at = differs[0]
                assert found["protein_change"] == f"{before[at]}{at + 1}{after[at]}"
    assert compared > len(every)


@pytest.mark.parametrize("seed", range(2))
def test_added_and_removed_bases_change_the_protein_that_biopython_translates(seed: int) -> None:
    rng, session, seen = random.Random(seed), fresh(), Counter[str]()
    for _ in range(150):
        position, count = rng.randrange(100, 111300), rng.randrange(1, 7)
        hit = coding(position - 60, position + 60)
        inside = [each for each in hit if each.location.start < position - 20 and each.location.end > position + 20]
        if len(hit) != 1 or not inside:
            continue
        letters = genome().seq
        first = str(letters[position - 1])
        if rng.random() < 0.5:
            ref, alt = first, first + "".join(rng.choice("ACGT") for _ in range(count))
        else:
            ref, alt = str(letters[position - 1 : position + count]), first
        added = len(alt) - len(ref)
        found = content(session, "predict_variant_effect", position=position, ref=ref, alt=alt)
        changed = letters[: position - 1] + alt + letters[position - 1 + len(ref) :]
        before, after = protein(letters, inside[0]), protein(changed, inside[0], added)
        at = next(at for at in range(len(before)) if before[at : at + 1] != after[at : at + 1])
        seen[str(found["effect"])] += 1
        if added % 3:
            assert (found["effect"], found["protein_change"]) == ("frameshift", f"{before[at]}{at + 1}fs")
        elif len(after) < len(before) + added // 3:
            assert found["effect"] == "nonsense"
        else:
            assert found["effect"] == "inframe_indel"
            assert applied(before, str(found["protein_change"])) == after
    assert {"frameshift", "inframe_indel"} <= set(seen)


def applied(residues: str, change: str) -> str:
    """A protein after a change in the short form of HGVS."""
    said = re.fullmatch(r"([A-Z*])(\d+)(?:_([A-Z*])(\d+))?(delins|ins|del|dup)([A-Z]*)|([A-Z])(\d+)([A-Z])", change)
    assert said, change
    if said[7]:
        assert residues[int(said[8]) - 1] == said[7]
        return residues[: int(said[8]) - 1] + said[9] + residues[int(said[8]) :]
    start, end = int(said[2]), int(said[4] or said[2])
    assert residues[start - 1] == said[1]
    assert residues[end - 1] == (said[3] or said[1])
    if said[5] == "dup":
        return residues[:end] + residues[start - 1 :]
    if said[5] == "ins":
        return residues[:start] + said[6] + residues[start:]
    return residues[: start - 1] + said[6] + residues[end:]


@cache
def alignments() -> tuple[tuple[int, int, tuple[tuple[int, str], ...], str], ...]:
    """Flag, first base (counted from 1), CIGAR and letters of each read, from the bytes (SAM format, section 4.2)."""
    raw = gzip.decompress((FIXTURE_FOLDER / "reads/sample1.bam").read_bytes())
    assert raw[:4] == b"BAM\x01"
    at = 8 + struct.unpack_from("<i", raw, 4)[0]
    (names,) = struct.unpack_from("<i", raw, at)
    at += 4
    for _ in range(names):
        at += 8 + struct.unpack_from("<i", raw, at)[0]
    return tuple(_reads(raw, at))


def _reads(raw: bytes, at: int) -> Iterator[tuple[int, int, tuple[tuple[int, str], ...], str]]:
    while at < len(raw):
        size, _, first, name, _, _, operations, flag, length = struct.unpack_from("<iiiBBHHHi", raw, at)
        begin = at + 36 + name
        numbers = struct.unpack_from(f"<{operations}I", raw, begin)
        packed = raw[begin + 4 * operations : begin + 4 * operations + (length + 1) // 2]
        letters = "".join("=ACMGRSVTWYHKDBN"[byte >> 4] + "=ACMGRSVTWYHKDBN"[byte & 15] for byte in packed)[:length]
        yield flag, first + 1, tuple((each >> 4, "MIDNSHP=X"[each & 15]) for each in numbers), letters
        at += 4 + size


@cache
def shown() -> dict[int, Counter[str]]:
    """Base -> letters of the reads there; `-` where a read leaves it out."""
    columns: dict[int, Counter[str]] = {}
    for flag, first, cigar, letters in alignments():
        assert not flag & 0x704
        place, read = first, 0
        for count, operation in cigar:
            for step in range(count if operation in "MD=X" else 0):
                letter = "-" if operation == "D" else letters[read + step]
                columns.setdefault(place + step, Counter())[letter] += 1
            place += count if operation in "MDN=X" else 0
            read += count if operation in "MIS=X" else 0
    return columns


def test_the_file_holds_the_reads_that_the_readme_counts() -> None:
    assert len(alignments()) == 3199


@pytest.mark.parametrize(
    ("start", "end"),
    [(66000, 67000), (60001, 76000), (59900, 60100), (75900, 76300), (1, 10), (70000, 70000), (66342, 66346)],
)
def test_depth_is_that_of_the_bytes_of_the_file(start: int, end: int) -> None:
    found = content(fresh(READS), "get_read_coverage", start=start, end=end)
    depths = [
        sum(shown().get(at, Counter()).values()) - shown().get(at, Counter())["-"] for at in range(start, end + 1)
    ]
    assert found["mean"] == round(sum(depths) / len(depths), 2)
    assert (found["min"], found["max"], found["uncovered_bases"]) == (min(depths), max(depths), depths.count(0))


def test_base_counts_are_those_of_the_bytes_of_the_file() -> None:
    session, rng = fresh(READS), random.Random(1)
    vcf = (FIXTURE_FOLDER / "variants/sample1.vcf").read_text("utf-8").splitlines()
    variants = [int(line.split("\t")[1]) + shift for line in vcf if line[0] != "#" for shift in (0, 1, 3, 4)]
    for position in variants + [rng.randrange(60001, 76001) for _ in range(60)]:
        found = content(session, "get_base_counts", position=position)
        column = shown().get(position, Counter())
        assert found["base_counts"] == {base: column[base] for base in "ACGT"}
        assert found["deletions"] == column["-"]
        assert found["reference_base"] == genome().seq[position - 1]


def test_after_an_edit_that_shifts_places_reads_and_variants_are_refused() -> None:
    session = fresh(READS)
    record = session.record()
    session.put([type(record)(**{**vars(record), "sequence": "A" + record.sequence})])
    for tool, arguments in (("get_base_counts", {"position": 67429}), ("list_variants", {}), ("filter_variants", {})):
        with pytest.raises(AssertionError, match="ref_mismatch"):
            content(session, tool, **arguments)
