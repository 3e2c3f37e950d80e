"""Features that a user makes, against another way: the exported text read by Biopython, the file's order, a model."""

from __future__ import annotations

import io
from itertools import permutations

import pytest
from Bio import SeqIO
from Bio.SeqFeature import SeqFeature
from Bio.SeqRecord import SeqRecord
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject
from fcbench.workbench.genbank import genbank_text
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from tests.workbench.worlds import FIXTURE_FOLDER, content, error_code, fresh

NEW: tuple[JsonObject, ...] = (
    {"name": "cap site", "feature_type": "misc_feature", "start": 69800, "end": 69821},
    {"name": "araBp", "feature_type": "promoter", "start": 69720, "end": 69760, "strand": "-", "note": "n"},
    {"name": "yzzX", "feature_type": "gene", "start": 69800, "end": 69821, "strand": "+"},
)


def exported(session: Session) -> SeqRecord:
    """The open record, written and read again by Biopython alone."""
    return SeqIO.read(io.StringIO(genbank_text(session.records)), "genbank")


def content_of(feature: SeqFeature) -> tuple[str, str, dict[str, list[str]]]:
    """Kind, place and qualifiers."""
    return feature.type, str(feature.location), dict(feature.qualifiers)


def items(answer: JsonObject) -> list[dict[str, object]]:
    """The features of an answer."""
    found = answer["annotations"]
    assert isinstance(found, list)
    return [dict(each) for each in found if isinstance(each, dict)]


@pytest.mark.parametrize(
    "note",
    [
        pytest.param('said "twice"', id="quotation marks"),
        pytest.param('"', id="one mark alone"),
        pytest.param('x" /gene="thrA', id="a qualifier of its own"),
        pytest.param("line one\n     CDS             1..9", id="a line of the feature table"),
        pytest.param("\u00e9\u00df 5'-end \\ (2/3)", id="other letters"),
        pytest.param("many words " * 25, id="several lines"),
    ],
)
def test_a_new_feature_comes_back_from_the_file_and_nothing_else_changed(note: str) -> None:
    session, before = fresh(), exported(fresh())
    content(session, "create_annotation", name="my site", feature_type="CDS", start=100, end=159, strand="-", note=note)
    after = exported(session)
    new = [each for each in after.features if each.qualifiers.get("label") == ["my site"]]
    assert [(each.type, str(each.location)) for each in new] == [("CDS", "[99:159](-)")]
    assert new[0].qualifiers == {"label": ["my site"], "note": [" ".join(note.split())]}
    others = [each for each in after.features if each is not new[0]]
    assert [content_of(each) for each in others] == [content_of(each) for each in before.features]
    assert after.seq == before.seq


def test_the_order_of_new_features_and_one_step_or_several_leave_the_same_bytes() -> None:
    texts, states = set(), set()
    for order in permutations(NEW):
        one, three = fresh(), fresh()
        content(one, "create_annotations_batch", annotations=list(order))
        for each in order:
            content(three, "create_annotation", **each)
        texts |= {genbank_text(one.records), genbank_text(three.records)}
        states |= {str(end_state(one)), str(end_state(three))}
    assert (len(texts), len(states)) == (1, 1)


def test_a_feature_made_bare_and_filled_in_later_is_the_one_made_at_once() -> None:
    at_once, later = fresh(), fresh()
    content(at_once, "create_annotation", **NEW[1])
    content(later, "create_annotation", name="yzzP", feature_type="promoter", start=1, end=9)
    content(later, "update_annotation", annotation_id="ann-1", note="n")
    content(later, "update_annotation", annotation_id="ann-1", start=69720, end=69760, strand="-", name="araBp")
    assert end_state(later) == end_state(at_once)
    assert genbank_text(later.records) == genbank_text(at_once.records)


def test_what_is_made_and_deleted_leaves_no_trace_but_its_history() -> None:
    session, untouched = fresh(), end_state(fresh())
    content(session, "create_annotations_batch", annotations=list(NEW))
    assert end_state(session) != untouched
    for each in ("ann-2", "ann-1", "ann-3"):
        content(session, "delete_annotation", annotation_id=each)
    assert end_state(session) == untouched
    assert content(session, "get_annotation_history", annotation_id="ann-2")["count"] == 2


def test_a_change_back_to_the_old_text_ends_where_it_began() -> None:
    session = fresh()
    for product in ("Other", "L-arabinose isomerase (EC 5.3.1.4)."):
        content(session, "update_annotation", annotation_id="ftr-114", product=product)
    assert end_state(session) == end_state(fresh())


def test_a_change_to_what_is_there_already_is_none() -> None:
    session = fresh()
    answer = content(session, "update_annotation", annotation_id="ftr-114", start=66502, end=68004, strand="-")
    assert answer["edited"] is False
    assert content(session, "get_annotation_history", annotation_id="ftr-114")["count"] == 0
    assert end_state(session) == end_state(fresh())


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_annotations_batch", {"annotations": [NEW[0], {**NEW[1], "end": 111409}]}),
        ("create_annotations_batch", {"annotations": [NEW[0], {**NEW[1], "sequence_id": "U00096.3"}]}),
        ("create_annotations_batch", {"annotations": [NEW[0], {**NEW[1], "note": " "}]}),
        (
            "update_annotations_bulk",
            {"updates": [{"annotation_id": "ftr-2", "name": "x"}, {"annotation_id": "ftr-999", "name": "x"}]},
        ),
        ("update_annotations_bulk", {"updates": [{"annotation_id": "ftr-2", "name": "x"}, {"annotation_id": "ftr-1"}]}),
    ],
)
def test_a_batch_with_one_fault_changes_nothing_and_uses_no_id(tool: str, arguments: JsonObject) -> None:
    session = fresh()
    error_code(session, tool, **arguments)
    assert end_state(session) == end_state(fresh())
    assert not session.state.changes
    assert content(session, "create_annotation", **NEW[0])["annotation_id"] == "ann-1"


def test_ids_count_the_entries_of_the_file() -> None:
    parsed = SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank")
    session = fresh()
    for number, feature in enumerate(parsed.features, 1):
        found = content(session, "get_annotation", annotation_id=f"ftr-{number}")
        place = (int(feature.location.start) + 1, int(feature.location.end))
        assert (found["feature_type"], found["start"], found["end"]) == (feature.type, *place)
        qualifiers = found["qualifiers"]
        assert isinstance(qualifiers, list)
        wanted = [
            (key, " ".join(value.split()))
            for key, values in feature.qualifiers.items()
            for value in values
            if key != "translation"
        ]
        assert [(each["qualifier"], each["value"]) for each in qualifiers if isinstance(each, dict)] == wanted


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "chloroplast", "plasmid-ppcp1", "phix174"])
def test_features_with_ids_are_those_without(fixture: str) -> None:
    session = fresh(fixture)
    for start in (1, 900, 3000, 5000):
        for kind in ("any", "gene", "CDS", "misc_feature"):
            where: JsonObject = {"start": start, "end": start + 350, "feature_type": kind}
            plain = content(session, "get_features_in_region", **where)
            listed = content(session, "list_annotations", **where)
            assert listed["count"] == plain["count"]
            features = plain["features"]
            assert isinstance(features, list)
            shared = ("feature_type", "start", "end", "strand")
            assert [[each[key] for key in shared] for each in items(listed)] == [
                [each[key] for key in shared] for each in features if isinstance(each, dict)
            ]


NAMES = st.sampled_from(["siteA", "site B", "lac", "x1"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), st.integers(1, 111_000), NAMES),
        st.tuples(st.just("move"), st.integers(1, 111_000), st.integers(0, 9)),
        st.tuples(st.just("rename"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("delete"), st.just(0), st.integers(0, 9)),
    ),
    max_size=12,
)


@given(steps=STEPS)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_any_row_of_changes_ends_as_in_a_table_kept_by_hand(steps: list[tuple[str, object, object]]) -> None:
    session = fresh()
    table: dict[str, tuple[object, object]] = {}
    done: dict[str, int] = {}
    for what, value, other in steps:
        if what == "create":
            assert isinstance(value, int)
            answer = content(
                session, "create_annotation", name=other, feature_type="promoter", start=value, end=value + 9
            )
            identifier = str(answer["annotation_id"])
            table[identifier], done[identifier] = (other, value), 1
            continue
        identifier = f"ann-{other}"
        if identifier not in table:
            tool = "delete_annotation" if what == "delete" else "get_annotation"
            assert error_code(session, tool, annotation_id=identifier) == "not_found"
            continue
        name, start = table[identifier]
        if what == "delete":
            content(session, "delete_annotation", annotation_id=identifier)
            del table[identifier]
            done[identifier] += 1
        elif what == "rename":
            content(session, "update_annotation", annotation_id=identifier, name=value)
            table[identifier] = (value, start)
            done[identifier] += value != name
        else:
            assert isinstance(value, int)
            content(session, "update_annotation", annotation_id=identifier, start=value, end=value + 9)
            table[identifier] = (name, value)
            done[identifier] += value != start
    listed = items(content(session, "list_annotations", origin="user"))
    assert {str(each["annotation_id"]): (each["name"], each["start"]) for each in listed} == table
    assert [each["start"] for each in listed] == sorted(int(str(each["start"])) for each in listed)
    assert items(content(session, "search_annotations", query="s")) == [
        each for each in listed if "s" in str(each["name"])
    ]
    for identifier, count in done.items():
        history = content(session, "get_annotation_history", annotation_id=identifier)
        assert (history["count"], history["exists"]) == (count, identifier in table)


def test_a_place_between_two_bases_keeps_its_place() -> None:
    session = fresh("plasmid-ppcp1")
    gap, *_ = [each.id for each in session.record().entries if any(part.between for part in each.parts)]
    assert error_code(session, "update_annotation", annotation_id=gap, start=10, end=20) == "bad_argument"
    assert content(session, "update_annotation", annotation_id=gap, note="seen")["edited"]
