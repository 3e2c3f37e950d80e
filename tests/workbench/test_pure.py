"""Pure tools: the same true answer everywhere and for ever, asked by their contract and without a session."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from collections import Counter
from fractions import Fraction

import pytest
from Bio.Data import IUPACData
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.canonical import digest
from fcbench.core.contracts import ToolContract
from fcbench.core.names import Digest, JsonObject, ToolName
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.workbench.engines import EXTRAS
from fcbench.workbench.masses import MASSES, average_mass
from fcbench.workbench.pure import PURE, computed_answer, interface_digest, is_answered
from fcbench.workbench.tools import implementations
from tests.workbench.worlds import contracts, fresh, run

CATALOGUES = frozenset({"list_restriction_enzymes"})
"""Tools that read a list which grows with the releases of a library."""


@pytest.mark.parametrize("name", PURE)
def test_a_pure_tool_is_bound_to_the_contract_of_the_registry(name: ToolName) -> None:
    found = interface_digest(contracts()[name])
    said = "where the answers stay what they are, write the new digest; where not, raise the contract's version as well"
    assert PURE[name] == found, said


def test_every_function_that_depends_on_its_arguments_alone_is_pure_or_left_out_for_a_reason() -> None:
    free = {name for name, tool in implementations().items() if not uses_session(tool.run)}
    computed = {name for name in free if implementations()[name].provenance == "computed"}
    engines = {name for name in computed if implementations()[name].engine in EXTRAS}
    assert computed - engines - CATALOGUES == set(PURE)


def uses_session(function: object) -> bool:
    assert callable(function)
    (defined,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(defined, ast.FunctionDef)
    return any(isinstance(node, ast.Name) and node.id == "session" for part in defined.body for node in ast.walk(part))


def test_the_settings_of_tracks_that_the_contract_names_are_the_real_ones() -> None:
    contract = contracts()[ToolName("describe_track_settings")]
    said = {place[1:]: value for place, value in contract.synthetic.constants.items()}
    assert said == run(fresh(), "describe_track_settings").content


KNOWN: list[tuple[str, JsonObject, JsonObject]] = [
    ("reverse_complement", {"sequence": "aacgu"}, {"sequence": "ACGTT", "length": 5}),
    ("translate_dna", {"sequence": "ATGGCCTAAGG"}, {"protein": "MA*", "length": 3}),
    ("translate_dna", {"sequence": "ATGGCCTAAGG", "to_stop": True}, {"protein": "MA", "length": 2}),
    ("translate_dna", {"sequence": "ATGTGA", "genetic_code": 4}, {"protein": "MW", "length": 2}),
    ("calculate_gc_content", {"sequence": "GGCA"}, {"gc_percent": 75.0, "length": 4}),
    (
        "sequence_entropy",
        {"sequence": "ACGT"},
        {"k": 1, "word_total": 4, "distinct_words": 4, "entropy_bits": 2.0, "max_entropy_bits": 2.0},
    ),
    (
        "molecular_weight",
        {"sequence": "GA", "molecule": "protein"},
        {"molecule": "protein", "length": 2, "molecular_weight": 146.14},
    ),
    (
        "detect_sequence_type",
        {"sequence": "MSKV"},
        {"molecule": "protein", "length": 4, "nucleotide_percent": 0.0, "also_possible": ["dna", "rna"]},
    ),
    (
        "align_sequences",
        {"sequence_a": "ACGT", "sequence_b": "ACCT", "molecule": "dna"},
        {
            "score": 5.0,
            "identities": 3,
            "mismatches": 1,
            "gaps": 0,
            "aligned_columns": 4,
            "identity_percent": 75.0,
            "aligned_a": "ACGT",
            "aligned_b": "ACCT",
        },
    ),
]
"""Worked out by hand: glycine 75.0666, alanine 89.0932, water 18.0153; three matches at 2, one mismatch at -1; M, S, K
and V are ambiguity codes of DNA and RNA as well."""


@pytest.mark.parametrize(
    ("name", "arguments", "answer"), KNOWN, ids=[f"{each[0]} {at}" for at, each in enumerate(KNOWN)]
)
def test_an_answer_is_the_true_one(name: str, arguments: JsonObject, answer: JsonObject) -> None:
    found = computed_answer(contracts()[ToolName(name)], arguments)
    assert found is not None
    assert (found.status, found.content, found.provenance, found.engine) == ("ok", answer, "computed", None)


def test_letters_that_are_none_of_the_molecule_are_a_coded_error() -> None:
    found = computed_answer(contracts()[ToolName("molecular_weight")], {"sequence": "ACGU", "molecule": "dna"})
    assert found is not None
    assert isinstance(found.content, dict)
    assert (found.status, found.provenance, found.content["code"]) == ("error", "computed", "bad_sequence")


ANSWERS = {
    "align_sequences": "d891fa93ddea133c69e6bdf9632ad698cbdfcb8e0495c26b40bc44468cd2d221",
    "calculate_gc_content": "2f8eefeff0b73cb64af987043a97ac594750c1bc003ea91e2a666b5c04ee72d7",
    "detect_sequence_type": "de8fc430e9985c2c4d86f85cada72af3c4eca020fd7d44b8d2cd308f13cf0dea",
    "molecular_weight": "15b9fee43b2184a84c08fa5ba7950926d63302ac308ac1569c2114734e44c1e9",
    "reverse_complement": "eac4daaf5c85f178694ba786c3af1077c0d0fbac266c5e9151591a0168c90dfd",
    "sequence_entropy": "ae1b08db7f7ac7f7e6976940a5a4dd37433869d1cc5b9722c3478c042339a2a8",
    "simulate_gel": "4566fa455e1bbd7c5197691793e2fd3f841f2b12b0797a08172f827c5c6f4ad2",
    "translate_dna": "b0105d1fea781584c2314ca0f3c39a9f53f7268fad15a933d6a4e0a18a511128",
}
"""SHA-256 over the answers to 60 drawn calls, written down once (CPython 3.11, Biopython 1.88; the same on CPython 3.13
and on Biopython 1.85 to 1.87). Packages hold such answers: one that changes makes them unverifiable."""


@pytest.mark.parametrize("name", PURE)
def test_answers_do_not_change(name: ToolName) -> None:
    assert answers_digest(contracts()[name]) == ANSWERS[name]


def answers_digest(contract: ToolContract) -> Digest:
    """Over lifelike arguments: letters of few kinds, so that alignments have several best ways."""
    rng, answers = random.Random(11), []
    for _ in range(60):
        arguments = sample(contract.parameters, rng)
        assert isinstance(arguments, dict)
        for key in arguments:
            if key.startswith("sequence"):
                length = 1 + int(rng.random() * 60)
                arguments[key] = "".join("ACGTACGTN"[int(rng.random() * 9)] for _ in range(length)) + "GAC"
        if not compile_schema(contract.parameters).is_valid(arguments):
            arguments = {**arguments, **{key: "GATTACA" for key in arguments if key.startswith("sequence")}}
        result = computed_answer(contract, arguments)
        assert result is not None
        answers.append([result.status, result.content if result.status == "ok" else None])
    return digest(answers)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"version": 2}, id="another version"),
        pytest.param({"name": ToolName("get_part")}, id="another name"),
        pytest.param({"parameters": {"type": "object", "properties": {"sequence": {"type": "string"}}}}, id="wider"),
        pytest.param({"returns": {"type": "object"}}, id="another result"),
    ],
)
def test_a_contract_with_another_interface_gets_no_answer(change: dict[str, object]) -> None:
    foreign = replace(contracts()[ToolName("reverse_complement")], **change)
    assert not is_answered(foreign)
    assert computed_answer(foreign, {"sequence": "A" * 1_000_000}) is None


def test_words_of_a_contract_do_not_touch_its_interface() -> None:
    contract = contracts()[ToolName("reverse_complement")]
    worded = {
        **contract.parameters,
        "description": "Other words.",
        "properties": {"sequence": {**contract.parameters["properties"]["sequence"], "description": "Other."}},
    }
    assert interface_digest(replace(contract, parameters=worded, description="Other.")) == interface_digest(contract)


def test_a_property_called_description_is_part_of_the_interface() -> None:
    contract = contracts()[ToolName("reverse_complement")]
    more = {**contract.parameters, "properties": {"sequence": {"type": "string"}, "description": {"type": "string"}}}
    less = {**contract.parameters, "properties": {"sequence": {"type": "string"}}}
    assert interface_digest(replace(contract, parameters=more)) != interface_digest(replace(contract, parameters=less))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(MASSES)), st.data())
def test_a_mass_is_the_exact_sum_rounded_to_hundredths(molecule: str, data: st.DataObject) -> None:
    masses = MASSES[molecule]
    letters = data.draw(st.text(st.sampled_from(sorted(masses)), min_size=1, max_size=300))
    exact = sum((Fraction(str(masses[letter])) * count for letter, count in Counter(letters).items()), Fraction(0))
    exact -= Fraction("18.0153") * (len(letters) - 1)
    assert abs(Fraction(str(average_mass(letters, molecule))) - exact) <= Fraction(1, 200)


def test_a_sum_half_way_between_two_hundredths_goes_up_in_every_version_of_python() -> None:
    half = next(
        letters
        for length in range(1, 400)
        for letters in ("A" * length,)
        if (Fraction(str(IUPACData.protein_weights["A"])) * length - Fraction("18.0153") * (length - 1)) * 10_000 % 100
        == 50
    )
    exact = Fraction(str(IUPACData.protein_weights["A"])) * len(half) - Fraction("18.0153") * (len(half) - 1)
    assert Fraction(str(average_mass(half, "protein"))) == exact + Fraction(1, 200)
