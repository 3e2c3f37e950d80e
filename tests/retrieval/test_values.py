from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.names import JsonValue
from fcbench.retrieval.companions import companions_of
from fcbench.retrieval.lexicon import meanings, phrases
from fcbench.retrieval.terms import STOP_WORDS, stem, terms, words
from fcbench.retrieval.values import Needs, hints, needs_of, values_of
from tests.retrieval.test_recall import contracts


def schema(required: bool = True, **properties: JsonValue) -> JsonValue:
    return {"type": "object", "properties": properties, "required": list(properties) if required else []}


PLACE: JsonValue = {"type": "integer", "minimum": 1, "maximum": 20_000_000}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        pytest.param("Show dnaK, please", {"gene"}, id="gene"),
        pytest.param("Is DnaK stable?", {"gene"}, id="protein of a gene"),
        pytest.param("How long is QZK_00345?", {"gene"}, id="locus tag"),
        pytest.param("Open NC_004567.1", set(), id="an accession is no locus tag"),
        pytest.param("From 1,200 to 1,900", {"range"}, id="range"),
        pytest.param("What is at 45,210?", {"position"}, id="position"),
        pytest.param("Sixty bases from 44,000 onward, up to 44,059", {"range", "position"}, id="two numbers apart"),
        pytest.param("300 bp of it", set(), id="a length is no position"),
        pytest.param("Flip GATTACAGG", {"letters"}, id="letters"),
        pytest.param("Melt GCGCG AATTC ATGAA", {"letters"}, id="letters in groups"),
        pytest.param("Write it to out/final.gbk", {"path"}, id="path"),
        pytest.param("At 45,210, C to T", {"change", "position"}, id="alleles"),
        pytest.param("What does A1552G do?", {"change", "position"}, id="a substitution with its place"),
        pytest.param("c.77del is new to me", {"change", "position"}, id="a deletion as in HGVS"),
        pytest.param("the T at 912 is a G", {"change", "position"}, id="a change that is told"),
        pytest.param("GCC may become GCT", {"change"}, id="a codon that becomes another"),
        pytest.param("chains A and C of it", set(), id="two letters are no change"),
        pytest.param("Undo that.", set(), id="nothing"),
    ],
)
def test_values_are_known_by_their_form(text: str, kinds: set[str]) -> None:
    assert values_of(text).kinds == kinds


@pytest.mark.parametrize(
    ("given_schema", "needs"),
    [
        pytest.param(schema(start=PLACE, end=PLACE), ("range",), id="range"),
        pytest.param(schema(position=PLACE), ("position",), id="position"),
        pytest.param(schema(count={"type": "integer", "maximum": 50}), (), id="a small number is no place"),
        pytest.param(schema(g={"type": "string", "description": "Symbol of one gene."}), ("gene",), id="gene"),
        pytest.param(schema(s={"type": "string", "pattern": "^[ACGT]{1,50}$"}), ("letters",), id="letters"),
        pytest.param(schema(p={"type": "string", "pattern": "^[a-z./]{1,9}$"}), ("path",), id="path"),
        pytest.param(schema(i={"type": "string", "pattern": "^tab-[0-9]+$"}), ("code:^tab-[0-9]+$",), id="id"),
        pytest.param(schema(n={"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,40}$"}), (), id="a name says nothing"),
        pytest.param(schema(n={"type": "string", "pattern": "("}), (), id="a broken pattern says nothing"),
        pytest.param(
            schema(g={"type": "array", "items": {"type": "string"}, "description": "Gene symbols."}),
            ("gene",),
            id="list",
        ),
        pytest.param(
            schema(a={"type": "array", "items": schema(start=PLACE, end=PLACE)}), ("range",), id="list of objects"
        ),
        pytest.param(None, (), id="no schema"),
    ],
)
def test_needs_are_read_from_the_schema(given_schema: JsonValue, needs: tuple[str, ...]) -> None:
    assert needs_of(given_schema).required == needs


def test_a_tool_that_gets_what_it_needs_fits_better_than_one_that_does_not() -> None:
    closing, loading, undoing = Needs(required=("code:^tab-[0-9]+$",)), Needs(required=("path",)), Needs()
    found = values_of("Close tab-2.")
    assert closing.fit(found) > undoing.fit(found) > loading.fit(found)
    nothing = values_of("Undo that.")
    assert undoing.fit(nothing) > max(closing.fit(nothing), loading.fit(nothing))


def test_what_an_optional_argument_takes_counts_for_a_tool() -> None:
    text = values_of("From 1,200 to 1,900")
    assert Needs(optional=("range",)).fit(text) > Needs().fit(text)


@given(text=st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    values_of(text)
    assert all(term for term in (*hints(text), *meanings([stem(word) for word in words(text)])))


@pytest.mark.parametrize(
    "piece", ["a-", "1,", "1 ", "A", "a/", "ACGT ", "x", "0", "tab-1", "a.", "[", "A at ", "C1", "1A", "A to "]
)
def test_a_long_monotonous_text_is_looked_at_in_time(piece: str) -> None:
    begun = time.process_time()
    values_of(piece * 50_000)
    hints(piece * 50_000)
    assert time.process_time() - begun < 20, "a form takes quadratic time"


@pytest.mark.parametrize(
    ("said", "meant"),
    [("carry that out", "execute"), ("Put them back", "undo"), ("park", "bookmark"), ("two oligos", "primer")],
)
def test_words_stand_for_what_tools_call_it(said: str, meant: str) -> None:
    assert stem(meant) in meanings([stem(word) for word in words(said.lower())])


def test_no_lone_function_word_and_no_lone_letter_stands_for_anything() -> None:
    function_words = {stem(word) for word in STOP_WORDS}
    lone = [phrase[0] for phrase in phrases() if len(phrase) == 1]
    assert [word for word in lone if word in function_words or len(word) < 2] == []


def test_the_lexicon_names_no_tool() -> None:
    names = {" ".join(map(stem, words(contract.name))) for contract in contracts() if "_" in contract.name}
    said = {" ".join(phrase) for phrase in phrases()}
    assert names & said == set()


def test_everything_that_words_stand_for_is_a_word_of_some_tool() -> None:
    known = {term for one in contracts() for term in terms(f"{one.name} {one.description} {one.category}")}
    known |= {
        term for one in contracts() for name, inner in one.properties.items() for term in terms(f"{name} {inner}")
    }
    stray = {term for meant in phrases().values() for term in meant} - known
    assert len(stray) < 40, sorted(stray)


def test_tools_of_one_queue_bring_what_applies_it() -> None:
    brought = dict(companions_of(contracts())["execute_actions"])
    assert {"delete_sequence", "insert_sequence", "replace_sequence"} <= brought.keys()
    assert "translate_dna" not in brought


def test_a_need_that_the_screen_meets_does_not_count_against_a_tool() -> None:
    closing, ask, screen = Needs(required=("code:^tab-[0-9]+$",)), values_of("Close it."), values_of("In front: tab-2.")
    assert closing.fit(ask, on_screen=screen) > closing.fit(ask)
