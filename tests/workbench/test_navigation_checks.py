"""The view against Biopython and against an arithmetic of its own: exact fractions where the tools count in floats."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from Bio import SeqIO
from Bio.SeqRecord import SeqRecord
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.view import LEAST_WIDTH, Range
from tests.workbench.worlds import FIXTURE_FOLDER, content, error_code, fresh, run

FILES = {
    "ecoli-d10483": "D10483.gbk",
    "chloroplast": "NC_000932.gb",
    "plasmid-ppcp1": "NC_005816.gb",
    "sars-cov-2": "NC_045512.2.gb",
}
LENGTH = 111_408


@cache
def parsed(fixture: str) -> SeqRecord:
    """The record as Biopython reads it."""
    return SeqIO.read(FIXTURE_FOLDER / "genomes" / FILES[fixture], "genbank")


@cache
def gene_entries(fixture: str) -> dict[str, tuple[int, int]]:
    """First and last base, counted from 1, of every gene entry, by locus tag where there is one."""
    entries = [entry for entry in parsed(fixture).features if entry.type == "gene"]
    found = {}
    for entry in entries:
        name = (entry.qualifiers.get("locus_tag") or entry.qualifiers["gene"])[0]
        found[name] = (int(entry.location.start) + 1, int(entry.location.end))
    assert len(found) == len(entries), "names are unique in these records"
    return found


@pytest.mark.parametrize("text", [" ", "\t\n", "a\x1b[31m", "\u200b"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_bookmark", {"start": 1, "end": 9, "name": None}),
        ("highlight_region", {"start": 1, "end": 9, "label": None}),
        ("save_view", {"name": None}),
        ("open_tab", {"title": None}),
        ("add_task", {"title": None}),
    ],
)
def test_a_name_is_text_that_can_be_printed(tool: str, arguments: dict[str, object], text: str) -> None:
    given = {key: text if value is None else value for key, value in arguments.items()}
    assert error_code(fresh(), tool, **given) == "bad_argument"
    assert run(fresh(), tool, **{**given, **{key: "two  words" for key, value in arguments.items() if value is None}})


@pytest.mark.parametrize("fixture", FILES)
def test_every_gene_lies_in_the_middle_of_the_view_that_goes_to_it(fixture: str) -> None:
    length = len(parsed(fixture))
    session = fresh(fixture)
    content(session, "navigate_to_position", position=1, width=400)
    for name, (start, end) in gene_entries(fixture).items():
        shown = content(session, "go_to_gene", gene_name=name)
        first, last = int(str(shown["start"])), int(str(shown["end"]))
        assert last - first == 399, "as many bases as before"
        if first > 1 and last < length:
            assert abs(Fraction(first + last, 2) - Fraction(start + end, 2)) <= 1, name
        else:
            assert (start + end) // 2 < 201 or (start + end) // 2 > length - 200, name


@pytest.mark.parametrize("percent", [0, 7.5, 10, 500])
@pytest.mark.parametrize("fixture", FILES)
def test_a_gene_fills_the_view_up_to_its_margins(fixture: str, percent: float) -> None:
    length = len(parsed(fixture))
    session = fresh(fixture)
    for name, (start, end) in gene_entries(fixture).items():
        margin = Fraction(end - start + 1) * Fraction(str(percent)) / 100
        shown = content(session, "zoom_to_gene", gene_name=name, margin_percent=percent)
        assert abs(int(str(shown["start"])) - max(Fraction(1), start - margin)) <= Fraction(1, 2), name
        assert abs(int(str(shown["end"])) - min(Fraction(length), end + margin)) <= Fraction(1, 2), name


@pytest.mark.parametrize("fixture", FILES)
def test_the_bases_of_every_selected_gene_are_those_of_the_record(fixture: str) -> None:
    session = fresh(fixture)
    for name, (start, end) in gene_entries(fixture).items():
        chosen = content(session, "select_gene", gene_name=name)
        read = content(session, "get_selection")
        letters = str(parsed(fixture).seq[start - 1 : end])
        assert (read["sequence"], read["truncated"]) == (letters[:2000], len(letters) > 2000), name
        assert (read["start"], read["end"], read["length"]) == (start, end, len(letters))
        assert (chosen["start"], chosen["end"], chosen["length"]) == (start, end, len(letters))


def test_a_selected_range_is_the_same_text_as_in_the_file() -> None:
    origin = (FIXTURE_FOLDER / "genomes/D10483.gbk").read_text("utf-8").split("\nORIGIN")[1]
    letters = "".join(letter for letter in origin if letter in "acgt").upper()
    assert len(letters) == LENGTH
    rng = random.Random(4)
    session = fresh()
    for _ in range(100):
        start = rng.randrange(1, LENGTH)
        end = min(LENGTH, start + rng.randrange(3000))
        content(session, "select_region", start=start, end=end)
        assert content(session, "get_selection")["sequence"] == letters[start - 1 : end][:2000]


def test_a_gene_across_the_origin_shows_the_whole_circle_and_is_selected_over_it() -> None:
    """phiX174 A: 3981 to 5386 and on to 136; the record names no genes, so one is named here."""
    session = fresh("phix174")
    record = session.record()
    crossing = next(each for each in record.features if each.wraps and (each.start, each.end) == (3981, 136))
    named = replace(crossing, qualifiers={**crossing.qualifiers, "gene": ("A",)})
    session.put([replace(record, features=tuple(named if each is crossing else each for each in record.features))])
    circle = record.sequence
    content(session, "navigate_to_position", position=1, width=500)
    middle = 3981 + (1406 + 136 - 1) // 2
    assert content(session, "go_to_gene", gene_name="A") == {"gene": "A", "start": middle - 249, "end": middle + 250}
    assert content(session, "zoom_to_gene", gene_name="A") == {"gene": "A", "start": 1, "end": 5386}
    assert content(session, "select_gene", gene_name="A")["length"] == 1406 + 136
    assert content(session, "get_selection") == {
        "selected": True,
        "gene": "A",
        "sequence_id": "NC_001422.1",
        "start": 3981,
        "end": 136,
        "length": 1542,
        "sequence": circle[3980:] + circle[:136],
        "truncated": False,
    }


def test_a_gene_shorter_than_the_closest_zoom_lies_in_the_middle_of_it() -> None:
    """A leader peptide of 12 bases, 40001 to 40012; its middle is 40006."""
    session = fresh()
    record = session.record()
    peptide = Feature(id="ftr-999", kind="gene", parts=(Part(40_001, 40_012, "+"),), qualifiers={"gene": ("tinyL",)})
    session.put([replace(record, features=(*record.features, peptide))])
    shown = content(session, "zoom_to_gene", gene_name="tinyL", margin_percent=0)
    assert shown == {"gene": "tinyL", "start": 40_006 - 24, "end": 40_006 + 25}
    wide = content(session, "zoom_to_gene", gene_name="tinyL", margin_percent=500)
    assert wide == {"gene": "tinyL", "start": 40_001 - 60, "end": 40_012 + 60}


def test_bases_that_are_not_asked_for_are_not_there() -> None:
    session = fresh()
    content(session, "select_region", start=1, end=9)
    found = content(session, "get_selection", include_sequence=False)
    assert set(found) == {"selected", "gene", "sequence_id", "start", "end", "length"}


MOVES = st.one_of(
    st.tuples(st.just("zoom_in"), st.fixed_dictionaries({"factor": st.floats(1.1, 100)})),
    st.tuples(st.just("zoom_out"), st.fixed_dictionaries({"factor": st.floats(1.1, 100)})),
    st.tuples(
        st.just("pan_view"),
        st.fixed_dictionaries({"direction": st.sampled_from(["left", "right"]), "amount_percent": st.floats(1, 100)}),
    ),
    st.tuples(st.just("navigate_to_position"), st.fixed_dictionaries({"position": st.integers(1, LENGTH)})),
    st.tuples(
        st.just("navigate_to_position"),
        st.fixed_dictionaries({"position": st.integers(1, LENGTH), "width": st.integers(50, 1_000_000)}),
    ),
)


def ideal(start: int, end: int, tool: str, arguments: JsonObject) -> tuple[Fraction, Fraction]:
    """Centre and width that a move asks for, as exact numbers, before edges and whole bases come in."""
    centre, width = Fraction(start + end, 2), Fraction(end - start + 1)
    number = {name: Fraction(value) for name, value in arguments.items() if isinstance(value, int | float)}
    if tool == "zoom_in":
        return centre, width / number["factor"]
    if tool == "zoom_out":
        return centre, width * number["factor"]
    if tool == "pan_view":
        way = 1 if arguments["direction"] == "right" else -1
        return centre + way * width * number["amount_percent"] / 100, width
    return number["position"], number.get("width", width)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(moves=st.lists(MOVES, min_size=1, max_size=8))
def test_moves_show_what_was_asked_for_as_far_as_the_sequence_goes(moves: list[tuple[str, JsonObject]]) -> None:
    session = fresh()
    start, end = 1, 5000
    for tool, arguments in moves:
        centre, width = ideal(start, end, tool, arguments)
        shown = content(session, tool, **arguments)
        start, end = int(str(shown["start"])), int(str(shown["end"]))
        assert 1 <= start <= end <= LENGTH
        wanted = min(Fraction(LENGTH), max(Fraction(LEAST_WIDTH), width))
        assert abs(end - start + 1 - wanted) <= Fraction(1, 2), (tool, arguments)
        if start > 1 and end < LENGTH:
            assert abs(Fraction(start + end, 2) - centre) <= 1, (tool, arguments)
        elif end - start + 1 < LENGTH:
            assert centre - wanted / 2 <= 2 or centre + wanted / 2 >= LENGTH - 1, "the view stops at an edge only there"
        state = content(session, "get_view_state")
        assert (state["start"], state["end"], state["width"]) == (start, end, end - start + 1)
    session.files.close()


DONE_AND_UNDONE = [
    pytest.param(
        [("open_tab", {"title": "x"}), ("go_to_gene", {"gene_name": "araA"}), ("close_tab", {})], id="a closed tab"
    ),
    pytest.param(
        [("highlight_region", {"start": 1, "end": 9}), ("remove_highlight", {"highlight_id": "hl-1"})],
        id="a mark taken off",
    ),
    pytest.param(
        [("highlight_region", {"start": 1, "end": 9}), ("clear_highlights", {})],
        id="marks taken off",
    ),
    pytest.param(
        [
            ("set_track_visibility", {"track": "gc", "visible": False}),
            ("set_track_visibility", {"track": "gc", "visible": True}),
        ],
        id="a track hidden and shown",
    ),
    pytest.param(
        [
            ("update_track_settings", {"track": "gc", "settings": {"height": 60, "scale": "log"}}),
            ("update_track_settings", {"track": "gc", "settings": {"scale": "linear", "height": 40.0}}),
        ],
        id="settings back at their defaults",
    ),
    pytest.param(
        [("navigate_to_position", {"position": 50000}), ("navigate_to_position", {"position": 2500})],
        id="there and back",
    ),
    pytest.param(
        [("pan_view", {"direction": "right"}), ("pan_view", {"direction": "left"})],
        id="right and left",
    ),
    pytest.param([("zoom_in", {"factor": 4}), ("zoom_out", {"factor": 4})], id="in and out"),
]


@pytest.mark.parametrize("calls", DONE_AND_UNDONE)
def test_what_is_done_and_undone_leaves_no_trace_in_the_end_state(calls: list[tuple[str, JsonObject]]) -> None:
    session = fresh()
    before = end_state(session)
    content(session, calls[0][0], **calls[0][1])
    assert end_state(session) != before, "the first call shows"
    for tool, arguments in calls[1:]:
        content(session, tool, **arguments)
    assert end_state(session) == before


def shortened(session: Session, length: int) -> None:
    """Cut the open record off, as executed edits do."""
    record = session.record()
    session.put([replace(record, sequence=record.sequence[:length], features=())])


def test_places_that_edits_have_cut_off_are_shown_as_far_as_they_are_left() -> None:
    session = fresh()
    content(session, "navigate_to_position", position=100_000, width=1000)
    content(session, "save_view", name="late")
    content(session, "select_region", start=100_000, end=100_009)
    shortened(session, 100_005)
    read = content(session, "get_selection")
    assert (read["start"], read["end"], read["length"]) == (100_000, 100_005, 6)
    shortened(session, 90_000)
    assert error_code(session, "get_selection") == "bad_range"
    listed = content(session, "list_tabs")["tabs"]
    assert isinstance(listed, list)
    assert isinstance(listed[0], dict)
    assert (listed[0]["start"], listed[0]["end"]) == (90_000, 90_000)
    moved = content(session, "pan_view", direction="left", amount_percent=1)
    assert moved == {"start": 89_999, "end": 89_999, "at_edge": False}
    for tool in ("get_view_state", "zoom_in", "zoom_out", "save_view"):
        shown = content(session, tool, **({"name": "x"} if tool == "save_view" else {}))
        assert 1 <= int(str(shown["start"])) <= int(str(shown["end"])) <= 90_000, tool
    assert content(session, "restore_view", name="late") == {
        "name": "late",
        "sequence_id": "D10483.2",
        "start": 89_001,
        "end": 90_000,
    }
    shortened(session, 40)
    assert content(session, "restore_view", name="late")["end"] == 40
    assert content(session, "zoom_in") == {"start": 1, "end": 40, "width": 40}
    assert content(session, "pan_view", direction="right") == {"start": 1, "end": 40, "at_edge": True}


def test_a_stored_view_of_a_sequence_that_is_closed_says_so() -> None:
    session = fresh()
    session.view.saved["old"] = Range("NC_000913.3", 1, 100)
    assert error_code(session, "restore_view", name="old") == "unknown_sequence"


def test_messages_name_what_there_is_on_one_short_line() -> None:
    session = fresh()
    for number in range(20):
        content(session, "save_view", name=f"{number} " + "x\n" * 28)
    refused = run(session, "restore_view", name="y" * 60)
    assert isinstance(refused.content, dict)
    message = str(refused.content["message"])
    assert refused.content["code"] == "not_found"
    assert len(message) <= 300
    assert message.isprintable()
    assert "0 x x" in message
    assert message.endswith("and 15 more")
