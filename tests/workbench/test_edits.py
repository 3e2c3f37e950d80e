"""Batches of edits: the letters as a plain rewrite gives them, and every untouched feature with its own bases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.workbench.edits import apply_edits
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, PartStrand
from fcbench.workbench.gaps import COVERING
from fcbench.workbench.genbank import genbank_text, read_records
from fcbench.workbench.letters import translate
from fcbench.workbench.project import Edit, EditKind
from fcbench.workbench.records import SequenceRecord, coding_bases, genetic_code_of
from fcbench.workbench.view import Range
from tests.workbench.worlds import content, error_code, fresh


def edit(kind: EditKind, start: int, end: int | None = None, bases: str = "", name: str = "act-1") -> Edit:
    return Edit(id=name, kind=kind, range=Range("x", start, end or start), bases=bases)


def little(*parts: Part, letters: str = "AACCGGTTAC") -> SequenceRecord:
    feature = Feature(id="ftr-1", kind="CDS", parts=parts, qualifiers={"translation": ("M",)})
    return SequenceRecord(
        id="x", name="x", description="", organism="", molecule="DNA", topology="linear", sequence=letters,
        features=(feature,),
    )  # fmt: skip


PART = Part(4, 6, "+")  # CGG of AACCGGTTAC
MOVES = [
    pytest.param(edit("insert", 4, bases="TT"), (6, 8), False, id="insertion before the first base"),
    pytest.param(edit("insert", 5, bases="TT"), (4, 8), True, id="insertion inside"),
    pytest.param(edit("insert", 6, bases="TT"), (4, 8), True, id="insertion before the last base"),
    pytest.param(edit("insert", 7, bases="TT"), (4, 6), False, id="insertion behind"),
    pytest.param(edit("delete", 1, 2), (2, 4), False, id="deletion before"),
    pytest.param(edit("delete", 7, 9), (4, 6), False, id="deletion behind"),
    pytest.param(edit("delete", 5), (4, 5), True, id="deletion inside"),
    pytest.param(edit("delete", 3, 4), (3, 4), True, id="deletion over the first base"),
    pytest.param(edit("delete", 6, 8), (4, 5), True, id="deletion over the last base"),
    pytest.param(edit("delete", 4, 6), None, True, id="deletion of all of it"),
    pytest.param(edit("delete", 2, 8), None, True, id="deletion of more than it"),
    pytest.param(edit("replace", 4, 6, "TTTT"), (4, 7), True, id="replacement of all of it"),
    pytest.param(edit("replace", 5, 5, "A"), (4, 6), True, id="substitution inside"),
    pytest.param(edit("replace", 3, 4, "AA"), (4, 6), True, id="substitution over the first base"),
    pytest.param(edit("replace", 3, 4, "AAA"), (6, 7), True, id="replacement over the first base"),
    pytest.param(edit("replace", 6, 7, "A"), (4, 5), True, id="replacement over the last base"),
    pytest.param(edit("replace", 1, 2, "GGGG"), (6, 8), False, id="replacement before"),
]


@pytest.mark.parametrize(("change", "place", "altered"), MOVES)
def test_a_feature_moves_grows_shrinks_or_goes(change: Edit, place: tuple[int, int] | None, altered: bool) -> None:
    done = apply_edits(little(PART), [change])
    assert bool(done.altered) == altered
    places = [(feature.start, feature.end) for feature in done.record.features]
    assert places == ([place] if place else [])
    if place:
        assert ("translation" in done.record.features[0].qualifiers) != altered


def test_a_place_between_two_bases_moves_or_goes() -> None:
    record = little(Part(5, 6, "+", between=True))
    assert apply_edits(record, [edit("insert", 5, bases="T")]).record.features[0].parts[0].start == 6
    assert not apply_edits(record, [edit("insert", 6, bases="T")]).record.features
    assert not apply_edits(record, [edit("delete", 6)]).record.features


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        pytest.param([edit("delete", 2, 5), edit("delete", 5, 6)], "overlapping_edits", id="two deletions"),
        pytest.param([edit("delete", 2, 5), edit("insert", 4, bases="A")], "overlapping_edits", id="into a deletion"),
        pytest.param([edit("insert", 4, bases="A"), edit("insert", 4, bases="C")], "overlapping_edits", id="one place"),
        pytest.param([edit("delete", 9, 11)], "bad_range", id="outside"),
        pytest.param([edit("delete", 1, 10)], "bad_range", id="everything"),
    ],
)
def test_a_batch_that_contradicts_itself_is_refused(edits: list[Edit], code: str) -> None:
    with pytest.raises(ToolError) as caught:
        apply_edits(little(PART), edits)
    assert caught.value.code == code


def test_neighbours_do_not_overlap() -> None:
    edits = [edit("delete", 3, 4), edit("insert", 3, bases="T"), edit("insert", 5, bases="A"), edit("delete", 5, 6)]
    assert apply_edits(little(PART), edits).record.sequence == "AA" + "T" + "A" + "TTAC"


@st.composite
def batches(draw: st.DrawFn) -> list[Edit]:
    """Edits at places of their own, in any order."""
    places = draw(st.lists(st.integers(1, 5000), min_size=2, max_size=10, unique=True).map(sorted))
    found = []
    for number, (start, end) in enumerate(zip(places[::2], places[1::2], strict=False), start=1):
        kind: EditKind = draw(st.sampled_from(("insert", "delete", "replace")))
        bases = "" if kind == "delete" else draw(st.text("ACGT", min_size=1, max_size=9))
        found.append(edit(kind, start, start if kind == "insert" else end, bases, f"act-{number}"))
    return draw(st.permutations(found))


@settings(deadline=None, max_examples=30)
@given(batches(), st.sampled_from(["phix174", "plasmid-ppcp1"]))
def test_letters_are_rewritten_and_untouched_features_keep_theirs(edits: list[Edit], fixture: str) -> None:
    record = fresh(fixture).record()
    done = apply_edits(record, edits)
    letters = list(record.sequence)
    for each in edits:
        at, gone = each.range.start - 1, 0 if each.kind == "insert" else each.range.width
        letters[at : at + max(gone, 1)] = [each.bases + (letters[at] if gone == 0 else ""), *[""] * (max(gone, 1) - 1)]
    assert done.record.sequence == "".join(letters)
    altered = {feature.id for feature in done.altered}
    after = {feature.id: feature for feature in done.record.features}
    for feature in record.entries:
        if feature.id not in altered:
            assert done.record.spliced(after[feature.id]) == record.spliced(feature)
    assert all(1 <= part.start <= part.end <= done.record.length for each in after.values() for part in each.parts)
    assert apply_edits(record, edits[::-1]).record.sequence == done.record.sequence
    read_records(genbank_text([done.record]), "genbank", name="edited")


def test_the_edit_of_the_verified_question_gw_014() -> None:
    record = fresh().record()
    done = apply_edits(record, [edit("insert", 1000, bases="GAATTC"), edit("delete", 70000, 70099, name="act-2")])
    assert (record.length, done.record.length) == (111408, 111314)
    assert done.record.sequence[999:1005] == "GAATTC"
    assert [(each.kind, each.gene) for each in done.altered] == [
        ("gene", "thrA"),
        ("CDS", "thrA"),
        ("gene", "araC"),
        ("CDS", "araC"),
    ]
    (again,) = read_records(genbank_text([done.record]), "genbank", name="edited")
    (dnak,) = [each for each in again.features if each.kind == "CDS" and each.gene == "dnaK"]
    assert (dnak.start, dnak.end) == (11818, 13734)
    assert sum(matches(again, cds) for cds in again.features) == 88


def matches(record: SequenceRecord, cds: Feature) -> bool:
    if cds.kind != "CDS" or not cds.first("translation"):
        return False
    made = translate(coding_bases(record, cds), genetic_code_of(cds), to_stop=True)
    return made[1:] == cds.first("translation")[1:]


def test_the_record_itself_stays_as_it_was() -> None:
    record = little(PART)
    before = replace(record)
    apply_edits(record, [edit("delete", 5)])
    assert (record.sequence, record.features) == (before.sequence, before.features)


def circle(*parts: Part, kind: str = "CDS") -> SequenceRecord:
    """The little record as a circle, with a feature that crosses its origin."""
    record = replace(little(*parts), topology="circular")
    return replace(record, features=(replace(record.features[0], kind=kind, wraps=len(parts) > 1),))


@pytest.mark.parametrize("position", [pytest.param(1, id="first base"), pytest.param(11, id="behind the last base")])
@pytest.mark.parametrize("strand", ["+", "-"])
def test_bases_at_the_origin_belong_to_the_feature_that_crosses_it(position: int, strand: PartStrand) -> None:
    ends = (Part(8, 10, strand), Part(1, 3, strand))
    record = circle(*(ends if strand == "+" else ends[::-1]))
    done = apply_edits(record, [edit("insert", position, bases="GG")])
    (moved,) = done.record.features
    assert (len(done.altered), moved.length, moved.wraps) == (1, 8, True)
    assert "translation" not in moved.qualifiers
    around = "TACGGAAC" if strand == "+" else "GTTCCGTA"
    assert done.record.spliced(moved) == around


def test_bases_behind_the_last_one_lie_outside_what_ends_there() -> None:
    done = apply_edits(little(Part(7, 10, "+")), [edit("insert", 11, bases="GG")])
    assert done.record.sequence == "AACCGGTTACGG"
    assert (done.altered, done.record.features[0].end) == ((), 10)


@pytest.mark.parametrize("position", [1, 11])
def test_the_entry_of_the_whole_sequence_takes_new_ends(position: int) -> None:
    record = little(Part(1, 10, "+"))
    record = replace(record, features=(replace(record.features[0], kind="source"),))
    (source,) = apply_edits(record, [edit("insert", position, bases="GG")]).record.features
    assert (source.start, source.end) == (1, 12)


def test_a_feature_that_lost_its_bases_behind_the_origin_crosses_it_no_more() -> None:
    record = circle(Part(8, 10, "+"), Part(1, 3, "+"))
    (cut,) = apply_edits(record, [edit("delete", 1, 4)]).record.features
    assert (cut.wraps, cut.start, cut.end) == (False, 4, 6)
    (shorter,) = apply_edits(record, [edit("delete", 1, 2)]).record.features
    assert (shorter.wraps, shorter.start, shorter.end) == (True, 6, 1)


def test_gaps_between_features_are_there_after_the_origin_was_cut_off() -> None:
    session = fresh("phix174")
    content(session, "delete_sequence", start=1, end=221)
    content(session, "execute_actions")
    record = session.record()
    covered = {
        at
        for each in record.entries
        if each.kind in COVERING
        for part in each.parts
        for at in range(part.start, part.end + 1)
    }
    found = content(session, "find_intergenic_regions", min_length=1)
    assert found["total_length"] == record.length - len(covered)


def test_the_bases_that_edits_bring_in_are_limited() -> None:
    session = fresh("chloroplast")
    content(session, "copy_sequence", start=1, end=10_000)
    for position in range(1, 6):
        content(session, "paste_sequence", position=position)
    assert error_code(session, "insert_sequence", position=6, sequence="A") == "bad_argument"
    content(session, "delete_sequence", start=100, end=200)
