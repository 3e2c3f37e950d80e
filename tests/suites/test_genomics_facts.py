"""What the genomics cases say about the record is computed again here, and their chains hold on synthetic answers."""

from __future__ import annotations

import re
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from Bio import Restriction, SeqIO
from Bio.Seq import Seq
from Bio.SeqFeature import SeqFeature
from Bio.SeqRecord import SeqRecord

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.comparators import concrete
from fcbench.core.names import CaseId, JsonObject, JsonValue, StepId
from fcbench.core.schema import compile_schema
from fcbench.core.synthetic import synthetic_result
from fcbench.registry.load import load_registries
from fcbench.registry.model import Registry
from fcbench.suites.load import load_suites

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def record() -> SeqRecord:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Biopython remarks on the record's old header
        return SeqIO.read(ROOT / "suites/fixtures/genomics/genomes/D10483.gbk", "genbank")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registries(ROOT / "tools_registry")["genomics"]


@pytest.fixture(scope="module")
def cases() -> dict[CaseId, Case]:
    found = load_suites(ROOT / "suites", load_registries(ROOT / "tools_registry")).cases
    return {name: case for name, case in found.items() if case.suite in ("genomics-simple", "genomics-complex")}


def arguments(cases: dict[CaseId, Case], name: str, step: int = 0) -> dict[str, object]:
    found = concrete(cases[CaseId(name)].oracle.calls[step].arguments)
    assert isinstance(found, dict)
    return found


def place(feature: SeqFeature) -> tuple[int, int, str]:
    return int(feature.location.start) + 1, int(feature.location.end), "+" if feature.location.strand == 1 else "-"


def text_of(feature: SeqFeature, *fields: str) -> str:
    return " ".join(text for field in fields for text in feature.qualifiers.get(field, ())).lower()


def says(cases: dict[CaseId, Case], name: str, *facts: object) -> None:
    """Each fact stands in the case's rationale, thousands marks aside."""
    rationale = re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", cases[CaseId(name)].oracle.rationale)
    for fact in facts:
        assert re.search(rf"(?<![\w.]){re.escape(str(fact))}(?![\w])", rationale), (name, fact, rationale)


@pytest.mark.parametrize(
    ("case", "symbol", "strand"),
    [pytest.param("gs-001", "imp", "-", id="ostA"), pytest.param("gx-004", "mra", "+", id="murF")],
)
def test_old_names_stand_only_in_a_synonym_note(
    cases: dict[CaseId, Case], record: SeqRecord, case: str, symbol: str, strand: str
) -> None:
    wanted = str(arguments(cases, case)["name"])
    genes = [feature for feature in record.features if feature.type == "gene"]
    assert not any(feature.qualifiers["gene"] == [wanted] for feature in genes)
    (found,) = [each for each in genes if re.search(rf"\b{wanted}\b", " ".join(each.qualifiers.get("note", ())))]
    assert found.qualifiers["gene"] == [symbol]
    assert place(found)[2] == strand
    says(cases, case, symbol)


def test_the_phrase_of_gs_002_is_in_two_descriptions(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    query = str(arguments(cases, "gs-002")["query"])
    found = [each for each in record.features if query in text_of(each, "product", "function", "note")]
    assert [each.type for each in found] == ["CDS", "CDS"]
    says(cases, "gs-002", *(each.qualifiers["gene"][0] for each in found))


def test_the_pattern_of_gs_003_occurs_where_the_rationale_says(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    wanted = arguments(cases, "gs-003")
    start, end = int(str(wanted["start"])), int(str(wanted["end"]))
    window = str(record.seq[start - 1 : end])
    places = [match.start() + start for match in re.finditer(f"(?={wanted['pattern']})", window)]
    assert len(places) == 4
    says(cases, "gs-003", *places)


def test_two_coding_sequences_cover_the_base_of_gs_004(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    position = int(str(arguments(cases, "gs-004")["position"]))
    found = [each for each in record.features if each.type == "CDS" and position - 1 in each]
    assert [each.qualifiers.get("gene") for each in found] == [None, ["surA"]]
    says(cases, "gs-004", *(number for each in found for number in place(each)[:2]))


def test_the_read_of_gs_010_translates_as_said(cases: dict[CaseId, Case]) -> None:
    wanted = arguments(cases, "gs-010")
    letters = str(wanted["sequence"])[int(str(wanted["frame"])) - 1 :]
    says(cases, "gs-010", Seq(letters[: len(letters) // 3 * 3]).translate(table=11))


def test_gc_and_length_of_gs_012(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    wanted = arguments(cases, "gs-012")
    letters = str(record.seq[int(str(wanted["start"])) - 1 : int(str(wanted["end"]))])
    assert len(letters) > 2000, "longer than any tool shows"
    says(cases, "gs-012", len(letters), round(100 * sum(base in "GC" for base in letters) / len(letters), 2))


def test_three_frames_fit_gs_014(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    wanted = arguments(cases, "gs-014")
    letters = str(record.seq[int(str(wanted["start"])) - 1 : int(str(wanted["end"]))])
    stops, starts, found = {"TAA", "TAG", "TGA"}, {"ATG", "GTG", "TTG"}, 0
    for frame in range(3):
        first: int | None = None
        for index in range(frame, len(letters) - 2, 3):
            codon = letters[index : index + 3]
            if codon in stops:
                found += first is not None and index + 3 - first >= int(str(wanted["min_length"]))
                first = None
            elif first is None and codon in starts:
                first = index
    assert found == 3


def test_the_motif_of_gs_016_occurs_four_times(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    wanted = arguments(cases, "gs-016")
    (gene,) = [each for each in record.features if each.type == "CDS" and each.qualifiers.get("gene") == ["dnaJ"]]
    pattern = str(wanted["pattern"]).replace("x", ".")
    places = [match.start() + 1 for match in re.finditer(f"(?={pattern})", gene.qualifiers["translation"][0])]
    assert len(places) == 4
    says(cases, "gs-016", *places)


@pytest.mark.parametrize(("case", "count"), [("gs-017", 3), ("gs-018", 4), ("gx-002", 3)])
def test_enzymes_cut_as_often_as_said(cases: dict[CaseId, Case], record: SeqRecord, case: str, count: int) -> None:
    wanted = arguments(cases, case)
    start, end = int(str(wanted["start"])), int(str(wanted["end"]))
    named = wanted.get("enzymes", [wanted.get("enzyme")])
    assert isinstance(named, list)
    part = record.seq[start - 1 : end]
    cuts = sorted(cut for name in named for cut in getattr(Restriction, name).search(part, linear=True))
    assert len(cuts) == count
    if case != "gs-017":
        edges = [1, *cuts, len(part) + 1]
        says(cases, case, *(after - before for before, after in pairwise(edges)))


@pytest.mark.parametrize("case", ["gs-020", "gx-005"])
def test_a_primer_pair_makes_one_product(cases: dict[CaseId, Case], record: SeqRecord, case: str) -> None:
    wanted = arguments(cases, case)
    forward, reverse = str(wanted["forward"]).upper(), str(wanted["reverse"]).upper()
    back = str(Seq(reverse).reverse_complement())
    top, bottom = str(record.seq), str(record.seq.reverse_complement())
    assert (top.count(forward), bottom.count(forward), top.count(back), top.count(reverse)) == (1, 0, 1, 0)
    first, last = top.index(forward) + 1, top.index(back) + len(back)
    says(cases, case, first, last)
    if case == "gx-005":
        assert len(Restriction.EcoRI.search(record.seq[first - 1 : last], linear=True)) == 1


def test_the_edit_of_gx_001_spares_every_other_protein(cases: dict[CaseId, Case], record: SeqRecord) -> None:
    inserted, removed = arguments(cases, "gx-001", 0), arguments(cases, "gx-001", 1)
    position, letters = int(str(inserted["position"])), str(inserted["sequence"])
    start, end = int(str(removed["start"])), int(str(removed["end"]))
    old = str(record.seq)
    new = old[: position - 1] + letters + old[position - 1 : start - 1] + old[end:]
    says(cases, "gx-001", len(new), len(letters), end - start + 1)
    same, gone = 0, []
    for feature in record.features:
        if feature.type != "CDS":
            continue
        first, last, strand = place(feature)
        assert not first < position <= last, "the insertion lies between genes"
        if first <= end and last >= start:
            gone.append(feature.qualifiers["gene"][0])
            continue
        shift = len(letters) * (first >= position) - (end - start + 1) * (first > end)
        coding = Seq(new[first - 1 + shift : last + shift])
        coding = coding if strand == "+" else coding.reverse_complement()
        coding = coding[int(feature.qualifiers["codon_start"][0]) - 1 :]
        protein = str(coding[: len(coding) // 3 * 3].translate(table=11)).rstrip("*")
        # A start codon other than ATG is still read as methionine.
        same += protein[1:] == feature.qualifiers["translation"][0][1:]
    assert gone == ["yabP", "yabQ"]
    assert same == 88


def runs(cases: dict[CaseId, Case]) -> list[tuple[CaseId, tuple[ExpectedCall, ...]]]:
    return [(name, run) for name, case in cases.items() for run in (case.oracle.calls, *case.oracle.alternatives)]


def test_every_run_resolves_and_validates_on_synthetic_answers(cases: dict[CaseId, Case], registry: Registry) -> None:
    # A chain that only the real tools carry says so; tests/workflows/test_golden_runs.py plays those.
    for name, run in runs({name: case for name, case in cases.items() if "contract" in case.harnesses}):
        results: dict[StepId, JsonValue] = {}
        for call in run:
            contract = registry.contracts[call.tool]
            given = concrete(call.arguments, results)
            assert isinstance(given, dict)
            broken = compile_schema(contract.parameters).violations(given)
            assert not broken, (name, call.tool, broken)
            results[call.step] = synthetic_result(contract, given)
            assert compile_schema(contract.returns).is_valid(results[call.step]), (name, call.tool)


def test_synthetic_chains_do_not_contradict_themselves(cases: dict[CaseId, Case], registry: Registry) -> None:
    """The covered base lies in the feature that is returned, and the pieces of a digest add up to the range."""
    look: JsonObject = arguments(cases, "gx-003")
    answer = synthetic_result(registry.contracts[cases[CaseId("gx-003")].oracle.calls[0].tool], look)
    assert isinstance(answer, dict)
    assert all(each["start"] <= look["position"] <= each["end"] for each in answer["features"])
    cut: JsonObject = arguments(cases, "gx-002")
    answer = synthetic_result(registry.contracts[cases[CaseId("gx-002")].oracle.calls[0].tool], cut)
    assert isinstance(answer, dict)
    assert sum(answer["fragment_lengths"]) == int(str(cut["end"])) - int(str(cut["start"])) + 1


def test_simple_cases_spread_over_tools_and_check_arguments(cases: dict[CaseId, Case]) -> None:
    simple = [case for case in cases.values() if case.suite == "genomics-simple"]
    tools = [case.oracle.calls[0].tool for case in simple]
    assert {case.oracle.decision for case in simple} == {"call"}
    assert all(len(case.oracle.calls) == 1 for case in simple)
    assert max(tools.count(tool) for tool in tools) <= 4
    assert len(set(tools)) >= 17
    assert sum(not case.oracle.calls[0].arguments for case in simple) <= 10
