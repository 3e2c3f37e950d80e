"""Twenty questions whose answers were computed outside fcbench, played call by call under our names.

The calls and the stated values are facts of `verified_cases.json`; the names of tools and arguments are ours. A value
that no result of ours holds by itself is put together from several results, as a reader would do.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from Bio import SeqIO

from fcbench.core.names import JsonObject, ToolName
from fcbench.workbench.engines import EXTRAS, engine_version
from fcbench.workbench.session import Session
from fcbench.workbench.tools import implementations
from tests.workbench.worlds import content, contracts, fresh, run

SHARED = Path(__file__).parents[3] / "shared/data/genomics/verified_cases.json"
FORWARD = "GATGCGCTTTGCTTATCCGG"
PLASMID, CHLOROPLAST, VIRUS = "genomes/NC_005816.gb", "genomes/NC_000932.gb", "genomes/NC_045512.2.gb"
CUTTERS = {"enzymes": ["EcoRI", "HindIII"]}
Played = tuple[Session, list[JsonObject]]
"""The session after the calls, and their results in order."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """The calls of one question, what they must say, and how that is read from the results."""

    calls: tuple[tuple[str, Mapping[str, object]], ...]
    """An argument `("result", 1, "sequence")` is that value of the result of the second call."""
    stated: Mapping[str, object]
    found: Callable[[Played], Mapping[str, object]]
    tolerances: Mapping[str, float] = field(default_factory=dict)
    """Key -> allowed distance: melting temperatures only. E-values are compared by their order of magnitude."""


def last(*keys: str) -> Callable[[Played], Mapping[str, object]]:
    """Those values of the last result."""
    return lambda played: {key: played[1][-1][key] for key in keys}


def rows(result: JsonObject, name: str) -> list[dict[str, object]]:
    """A list of objects in a result."""
    found = result[name]
    assert isinstance(found, list)
    return [dict(each) for each in found if isinstance(each, dict)]


def listed(name: str, *keys: str) -> Callable[[Played], Mapping[str, object]]:
    """The count of the last result, and its list with those values of each item."""
    return lambda played: {
        "count": played[1][-1]["count"],
        name: [[each[key] for key in keys] for each in rows(played[1][-1], name)],
    }


def letters_facts(result: JsonObject) -> dict[str, object]:
    """Length and digest of the letters of a result."""
    letters = str(result["sequence"])
    assert len(letters) == result["length"]
    return {"length": len(letters), "sha256_12": hashlib.sha256(letters.encode()).hexdigest()[:12], "letters": letters}


def araa(played: Played) -> Mapping[str, object]:
    (gene,) = rows(played[1][0], "genes")
    return {key: gene[key] for key in ("start", "end", "strand", "length")}


def ligases(played: Played) -> Mapping[str, object]:
    return {"count": played[1][0]["count"], "genes": [each["gene"] for each in rows(played[1][0], "features")]}


def coding(played: Played) -> Mapping[str, object]:
    facts = letters_facts(played[1][0])
    letters = str(facts.pop("letters"))
    return {**facts, "starts": letters[:12], "ends": letters[-12:]}


def profile(played: Played) -> Mapping[str, object]:
    windows = rows(played[1][0], "windows")
    by_gc = sorted(windows, key=lambda each: (each["gc_percent"], each["start"]))
    return {"windows": played[1][0]["count"], "first": windows[0], "max": by_gc[-1], "min": by_gc[0]}


def sites(session: Session, **place: object) -> dict[str, list[object]]:
    """Where each enzyme alone cuts: the digest itself lists the cuts of all together."""
    return {
        name: content(session, "virtual_digest", enzymes=[name], **place)["cut_positions"]  # type: ignore[misc]
        for name in CUTTERS["enzymes"]
    }


def digest(played: Played) -> Mapping[str, object]:
    session, (cut, gel) = played
    assert gel["fragment_lengths"] == cut["fragment_lengths"]
    return {"sites": sites(session, start=50000, end=70000), "fragments": cut["fragment_lengths"]}


def plasmid_digest(played: Played) -> Mapping[str, object]:
    session, (opened, cut) = played
    (sequence,) = rows(opened, "sequences")
    return {
        "linear": sequence["topology"] == "linear",
        "sites": sites(session),
        "fragments": cut["fragment_lengths"],
    }


def predicted(played: Played) -> Mapping[str, object]:
    session, (result,) = played
    genes = rows(result, "genes")
    annotated = {(cds.start, cds.end, cds.strand) for cds in session.record().entries if cds.kind == "CDS"}
    first = genes[0]
    return {
        "count": result["count"],
        "identical_to_annotated_cds": sum((each["start"], each["end"], each["strand"]) in annotated for each in genes),
        "first": {**{key: first[key] for key in ("start", "end", "strand", "score")}, "rbs": first["rbs_motif"]},
    }


def primers(played: Played) -> Mapping[str, object]:
    designed, bound = played[1]
    best = rows(designed, "pairs")[0]
    return {
        "best_pair": {
            **{key: best[key] for key in ("forward", "reverse", "forward_tm", "reverse_tm", "product_size")},
            "forward_start": best["start"],
            "reverse_end": best["end"],
        },
        "binding_sites": rows(bound, "sites"),
    }


def leucine(played: Played) -> Mapping[str, object]:
    counts = {str(each["codon"]): each["count"] for each in rows(played[1][0], "codons") if each["amino_acid"] == "L"}
    return {"leucine": counts, "total": sum(int(str(count)) for count in counts.values())}


def relatives(played: Played) -> Mapping[str, object]:
    return {"hits": [[each["target"], each["evalue"]] for each in rows(played[1][-1], "hits")]}


def edited(played: Played) -> Mapping[str, object]:
    session, results = played
    again = SeqIO.read(session.files.output_path("out/edited.gbk"), "genbank")
    coding_features = [each for each in again.features if each.type == "CDS"]
    (dnak,) = [each for each in coding_features if each.qualifiers.get("gene") == ["dnaK"]]
    kept = [
        each
        for each in coding_features
        if "translation" in each.qualifiers
        # The first letter is M whatever the start codon, so it says nothing.
        and str(each.extract(again.seq).translate(11, to_stop=True))[1:] == each.qualifiers["translation"][0][1:]
    ]
    return {
        "length_before": results[2]["length_before"],
        "length_after": len(again.seq),
        "features_altered": [[each["feature_type"], each["gene"]] for each in rows(results[2], "altered")],
        "dnaK_after": [int(dnak.location.start) + 1, int(dnak.location.end)],
        "cds_still_matching_their_translation": len(kept),
        "bases_1000_1005": str(again.seq[999:1005]),
    }


def reads(played: Played) -> Mapping[str, object]:
    depth, bases = played[1][1:]
    return {**{key: depth[key] for key in ("mean", "min", "max")}, "base_counts": bases["base_counts"]}


def copies(played: Played) -> Mapping[str, object]:
    genes = rows(played[1][-1], "genes")
    places = [[each[key] for key in ("locus_tag", "start", "end", "strand")] for each in genes]
    return {"count": played[1][-1]["count"], "places": places}


def spike(played: Played) -> Mapping[str, object]:
    session, (_, result) = played
    facts = letters_facts(result)
    (gene,) = rows(content(session, "search_gene_by_name", name="S"), "genes")
    starts = str(facts.pop("letters"))[:20]
    return {
        **facts,
        "protein_id": result["protein_id"],
        "start": gene["start"],
        "end": gene["end"],
        "starts": starts,
    }


def contacts(played: Played) -> Mapping[str, object]:
    return {
        "residues": [[each["residue_number"], each["residue_name"]] for each in rows(played[1][0], "residues")],
    }


QUESTIONS = {
    "gw-001": Question(
        calls=(("search_gene_by_name", {"name": "araA"}),),
        stated={"start": 66502, "end": 68004, "strand": "-", "length": 1503},
        found=araa,
    ),
    "gw-002": Question(
        calls=(("search_features", {"query": "ligase", "feature_type": "CDS"}),),
        stated={"count": 6, "genes": ["ileS", "murE", "mra", "murD", "murC", "ddl"]},
        found=ligases,
    ),
    "gw-003": Question(
        calls=(("get_sequence", {"start": 10001, "end": 10060, "strand": "-"}),),
        stated={"sequence": "TATTTCGCTCTGGACGGTATTATTCTTGCCATGGGCATTTTCTACGGCGGCATCGCGCAA"},
        found=last("sequence"),
    ),
    "gw-004": Question(
        calls=(("get_coding_sequence", {"gene_name": "talB"}),),
        stated={"length": 954, "starts": "ATGACGGACAAA", "ends": "GATCTGCTGTAA", "sha256_12": "a4c2629f07dc"},
        found=coding,
    ),
    "gw-005": Question(
        calls=(("protein_properties", {"gene_name": "folA"}),),
        stated={
            "length": 159,
            "molecular_weight": 17999.17,
            "isoelectric_point": 4.84,
            "gravy": -0.2943,
            "instability_index": 42.6,
            "aromaticity": 0.0943,
        },
        found=last("length", "molecular_weight", "isoelectric_point", "gravy", "instability_index", "aromaticity"),
    ),
    "gw-006": Question(
        calls=(("gc_profile", {"start": 100000, "end": 105000, "window": 1000, "step": 500}),),
        stated={
            "windows": 9,
            "first": {"start": 100000, "end": 100999, "gc_percent": 54.9},
            "max": {"start": 100500, "end": 101499, "gc_percent": 55.4},
            "min": {"start": 102000, "end": 102999, "gc_percent": 51.9},
        },
        found=profile,
    ),
    "gw-007": Question(
        calls=(
            ("virtual_digest", {**CUTTERS, "start": 50000, "end": 70000}),
            (
                "simulate_gel",
                {"fragment_lengths": ("result", 0, "fragment_lengths"), "gel_percent": 0.8, "ladder": "1kb"},
            ),
        ),
        stated={"sites": {"EcoRI": [55942], "HindIII": []}, "fragments": [14059, 5942]},
        found=digest,
    ),
    "gw-008": Question(
        calls=(("find_orfs", {"start": 60000, "end": 70000, "min_length": 900, "strand": "-"}),),
        stated={
            "count": 4,
            "orfs": [
                [60021, 62927, "ATG"],
                [63092, 64741, "ATG"],
                [66502, 68028, "TTG"],
                [68015, 69715, "ATG"],
            ],
        },
        found=listed("orfs", "start", "end", "start_codon"),
    ),
    "gw-009": Question(
        calls=(("predict_genes", {"start": 60000, "end": 80000}),),
        stated={
            "count": 16,
            "identical_to_annotated_cds": 13,
            "first": {"start": 60021, "end": 62927, "strand": "-", "score": 577.56, "rbs": "GGA/GAG/AGG"},
        },
        found=predicted,
    ),
    "gw-010": Question(
        calls=(
            ("design_primers", {"gene_name": "araA"}),
            ("find_primer_binding_sites", {"primer": FORWARD}),
        ),
        stated={
            "best_pair": {
                "forward": FORWARD,
                "reverse": "AAAATGGCCAGTGCGGTAGA",
                "forward_start": 66406,
                "reverse_end": 68179,
                "forward_tm": 60.04,
                "reverse_tm": 59.96,
                "product_size": 1774,
            },
            "binding_sites": [
                {"start": 66236, "end": 66255, "strand": "+", "mismatches": 0},
                {"start": 66321, "end": 66340, "strand": "+", "mismatches": 0},
                {"start": 66406, "end": 66425, "strand": "+", "mismatches": 0},
            ],
        },
        found=primers,
        tolerances={"forward_tm": 0.2, "reverse_tm": 0.2},
    ),
    "gw-011": Question(
        calls=(("gene_codon_usage", {"gene_name": "dnaK"}),),
        stated={"leucine": {"CTA": 2, "CTC": 1, "CTG": 45, "CTT": 0, "TTA": 0, "TTG": 0}, "total": 48},
        found=leucine,
    ),
    "gw-012": Question(
        calls=(("align_genes", {"gene_a": "murC", "gene_b": "murD", "molecule": "protein", "mode": "local"}),),
        stated={
            "score": 183.0,
            "identities": 84,
            "mismatches": 235,
            "gaps": 52,
            "aligned_columns": 371,
            "identity_percent": 22.64,
        },
        found=last("score", "identities", "mismatches", "gaps", "aligned_columns", "identity_percent"),
    ),
    "gw-013": Question(
        calls=(
            ("build_search_database", {"name": "k12", "molecule": "protein"}),
            ("get_protein_sequence", {"gene_name": "murD"}),
            ("search_protein_similarity", {"sequence": ("result", 1, "sequence"), "database": "k12"}),
        ),
        stated={"hits": [["murD", 9.78e-298], ["murC", 3.14e-16], ["mra", 3.62e-11], ["murE", 9.92e-09]]},
        found=relatives,
    ),
    "gw-014": Question(
        calls=(
            ("insert_sequence", {"position": 1000, "sequence": "GAATTC"}),
            ("delete_sequence", {"start": 70000, "end": 70099}),
            ("execute_actions", {}),
            ("export_genbank", {"file_path": "out/edited.gbk"}),
        ),
        stated={
            "length_before": 111408,
            "length_after": 111314,
            "features_altered": [["gene", "thrA"], ["CDS", "thrA"], ["gene", "araC"], ["CDS", "araC"]],
            "dnaK_after": [11818, 13734],
            "cds_still_matching_their_translation": 88,
            "bases_1000_1005": "GAATTC",
        },
        found=edited,
    ),
    "gw-015": Question(
        calls=(("predict_variant_effect", {"position": 67429, "ref": "A", "alt": "T"}),),
        stated={"gene": "araA", "effect": "missense", "protein_change": "D192E"},
        found=last("gene", "effect", "protein_change"),
    ),
    "gw-016": Question(
        calls=(
            ("load_reads_file", {"file_path": "reads/sample1.bam"}),
            ("get_read_coverage", {"start": 66000, "end": 67000}),
            ("get_base_counts", {"position": 67429}),
        ),
        stated={"mean": 23.31, "min": 0, "max": 32, "base_counts": {"A": 0, "C": 0, "G": 0, "T": 25}},
        found=reads,
    ),
    "gw-017": Question(
        calls=(("load_genome_file", {"file_path": PLASMID}), ("virtual_digest", CUTTERS)),
        stated={
            "linear": False,
            "sites": {"EcoRI": [547, 1963, 8754], "HindIII": [7836]},
            "fragments": [5873, 1416, 1402, 918],
        },
        found=plasmid_digest,
    ),
    "gw-018": Question(
        calls=(("load_genome_file", {"file_path": CHLOROPLAST}), ("search_gene_by_name", {"name": "ndhB"})),
        stated={"count": 2, "places": [["ArthCp068", 94941, 97164, "-"], ["ArthCp086", 141485, 143708, "+"]]},
        found=copies,
    ),
    "gw-019": Question(
        calls=(("load_genome_file", {"file_path": VIRUS}), ("get_protein_sequence", {"gene_name": "S"})),
        stated={
            "protein_id": "YP_009724390.1",
            "start": 21563,
            "end": 25384,
            "length": 1273,
            "starts": "MFVFLVLLPLVSSQCVNLTT",
            "sha256_12": "794d56c4e53a",
        },
        found=spike,
    ),
    "gw-020": Question(
        calls=(
            (
                "find_interface_contacts",
                {"pdb_id": "1LCD", "chain_a": "A", "chain_b": "B", "max_distance": 3.5},
            ),
        ),
        stated={"residues": [[16, "SER"], [18, "GLN"], [19, "THR"], [22, "ARG"], [29, "HIS"], [31, "SER"]]},
        found=contacts,
    ),
}
ENGINE_FAMILY = {"gw-009": "pyrodigal", "gw-013": "pyhmmer"}
"""Where the file states an engine: ours names the same library; the version is the installed one."""


def agree(found: object, stated: object, tolerance: float = 0.0) -> bool:
    """Whether a value is the stated one; an E-value (below one in a thousand) agrees to a fifth of a decade."""
    if isinstance(stated, float) and isinstance(found, float):
        if 0 < stated < 1e-3:
            return found > 0 and abs(math.log10(found) - math.log10(stated)) < 0.2
        return abs(found - stated) <= tolerance
    if isinstance(stated, list):
        return isinstance(found, list) and len(found) == len(stated) and all(map(agree, found, stated))
    return type(found) is type(stated) and found == stated


def answers(session: Session, question: Question) -> list[JsonObject]:
    """The results of the calls, in order; each call must succeed."""
    results: list[JsonObject] = []
    for tool, arguments in question.calls:
        given = {
            name: results[value[1]][value[2]] if isinstance(value, tuple) else value
            for name, value in arguments.items()
        }
        results.append(content(session, tool, **given))
    return results


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_verified_question_comes_out_as_stated(name: str) -> None:
    question = QUESTIONS[name]
    for tool, _ in question.calls:
        engine = implementations()[ToolName(tool)].engine
        if engine_version(engine) is None:
            pytest.skip(f"needs {engine} of the extra {EXTRAS[engine]}")
    session = fresh()
    found = question.found((session, answers(session, question)))
    session.files.close()
    assert found.keys() == question.stated.keys()
    for key, stated in question.stated.items():
        if isinstance(stated, dict):
            given = found[key]
            assert isinstance(given, dict)
            assert given.keys() == stated.keys()
            assert all(agree(given[each], stated[each], question.tolerances.get(each, 0.0)) for each in stated), given
        else:
            assert agree(found[key], stated), (key, found[key])


@pytest.mark.parametrize("name", ENGINE_FAMILY)
def test_an_engine_that_a_question_states_is_the_one_that_computed(name: str) -> None:
    session = fresh()
    tool, arguments = QUESTIONS[name].calls[-1]
    engine = implementations()[ToolName(tool)].engine
    if engine_version(engine) is None:
        pytest.skip(f"needs {engine} of the extra {EXTRAS[engine]}")
    results: list[JsonObject] = answers(session, QUESTIONS[name])
    assert results
    given = {
        key: results[value[1]][value[2]] if isinstance(value, tuple) else value for key, value in arguments.items()
    }
    assert str(run(session, tool, **given).engine) == f"{ENGINE_FAMILY[name]} {engine_version(engine)}"


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared file of verified questions is not here")
def test_every_question_of_the_shared_file_is_here_with_its_values() -> None:
    given = {each["id"]: each for each in json.loads(SHARED.read_text("utf-8"))}
    assert sorted(given) == sorted(QUESTIONS)
    for name, each in given.items():
        stated = {key: value for key, value in each["verified_result"].items() if key != "engine"}
        assert stated == QUESTIONS[name].stated, name
        assert [call["tool"] for call in each["calls"]] == [tool for tool, _ in QUESTIONS[name].calls], name
        assert ("engine" in each["verified_result"]) == (name in ENGINE_FAMILY)


def test_every_question_uses_tools_of_the_registry() -> None:
    assert {tool for question in QUESTIONS.values() for tool, _ in question.calls} <= set(contracts())
