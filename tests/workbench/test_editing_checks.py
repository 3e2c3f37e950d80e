"""Edit workflows against a plain rewrite of the letters: what is queued, applied, moved and undone."""

from __future__ import annotations

import random
from io import StringIO

import pytest
from Bio import SeqIO
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.workbench.edit_queue import queue_edit
from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import MAX_EDITS, Change, Genome
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.view import Range
from tests.workbench.worlds import FIXTURE_FOLDER, content, error_code, fresh

GENOME = str(SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank").seq)
"""The letters as Biopython reads them."""


def letters(session: Session) -> str:
    """The letters of the genome as it is."""
    return session.record().sequence


def vcf_lines() -> list[tuple[int, str, str]]:
    """Position, REF and ALT of every line of the VCF file, read as text."""
    text = (FIXTURE_FOLDER / "variants/sample1.vcf").read_text("utf-8")
    columns = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [(int(each[1]), each[3], each[4]) for each in columns]


def test_all_variants_of_the_file_give_the_genome_that_a_rewrite_from_the_right_gives() -> None:
    session, wanted = fresh("ecoli-d10483-reads"), GENOME
    lines = vcf_lines()
    assert len(lines) == 27
    for position, ref, alt in lines:
        content(session, "queue_variant", position=position, ref=ref, alt=alt)
    for position, ref, alt in reversed(lines):
        assert wanted[position - 1 :].startswith(ref)
        wanted = wanted[: position - 1] + alt + wanted[position - 1 + len(ref) :]
    done = content(session, "execute_actions")
    assert letters(session) == wanted
    assert done["length_after"] == len(wanted)


def test_a_substitution_and_its_declared_equivalent_are_the_same_edit() -> None:
    one, two = fresh(), fresh()
    content(one, "queue_variant", position=60907, ref="T", alt="G")
    content(two, "replace_sequence", start=60907, end=60907, new_sequence="G")
    assert end_state(one) == end_state(two)


def test_a_cut_and_a_paste_move_bases_and_keep_their_number() -> None:
    session = fresh()
    content(session, "cut_sequence", start=70000, end=70099)
    assert letters(session) == GENOME, "only queued"
    content(session, "paste_sequence", position=27950)
    content(session, "execute_actions")
    moved = GENOME[69999:70099]
    assert letters(session) == GENOME[:27949] + moved + GENOME[27949:69999] + GENOME[70099:]


def test_a_copy_of_the_reverse_strand_in_place_of_the_range_is_an_inversion() -> None:
    session = fresh()
    content(session, "copy_sequence", start=27940, end=27959, strand="-")
    content(session, "delete_sequence", start=27940, end=27959)
    content(session, "paste_sequence", position=27940)
    content(session, "execute_actions")
    turned = GENOME[27939:27959].translate(str.maketrans("ACGT", "TGCA"))[::-1]
    assert letters(session) == GENOME[:27939] + turned + GENOME[27959:]


def test_the_order_of_queueing_leaves_no_trace() -> None:
    one, two = fresh(), fresh()
    insertion = {"position": 1000, "sequence": "GAATTC"}
    content(one, "insert_sequence", **insertion)
    content(one, "delete_sequence", start=70000, end=70099)
    content(two, "delete_sequence", start=70000, end=70099)
    content(two, "insert_sequence", **insertion)
    assert end_state(one) == end_state(two)
    content(one, "execute_actions")
    content(two, "execute_actions")
    assert end_state(one) == end_state(two)


def test_undoing_gives_the_state_of_before_and_the_batch_can_be_made_again() -> None:
    session = fresh()
    before = end_state(session)
    content(session, "insert_sequence", position=1000, sequence="GAATTC")
    content(session, "execute_actions")
    after = end_state(session)
    content(session, "undo_last_execution")
    assert end_state(session) == before
    assert content(session, "list_actions", status="all")["count"] == 0
    content(session, "insert_sequence", position=1000, sequence="GAATTC")
    content(session, "execute_actions")
    assert end_state(session) == after


def test_what_was_annotated_since_the_batch_is_undone_with_its_history() -> None:
    session = fresh()
    earlier = Change("ftr-1", "updated", None, None)
    session.state.changes.append(earlier)
    content(session, "insert_sequence", position=1000, sequence="GAATTC")
    content(session, "execute_actions")
    session.state.changes.append(Change("ann-1", "created", None, None))
    assert content(session, "undo_last_execution")["feature_changes_lost"] == 1
    assert session.state.changes == [earlier]


def test_one_batch_covers_all_sequences_of_a_genome() -> None:
    session = fresh("phix174")
    one, two = session.record(), fresh().record()
    session.open_genome(Genome(path="x", records=(one, two)))
    content(session, "insert_sequence", position=11, sequence="aucg")
    content(session, "delete_sequence", start=11, end=11, sequence_id=two.id)
    done = content(session, "execute_actions")
    assert (done["length_before"], done["length_after"]) == (5386 + 111408, 5390 + 111407)
    assert session.record(one.id).sequence == f"{one.sequence[:10]}ATCG{one.sequence[10:]}"
    assert session.record(two.id).sequence == f"{GENOME[:10]}{GENOME[11:]}"
    content(session, "undo_last_execution")
    assert [record.length for record in session.records] == [5386, 111408]


def test_a_removed_or_cleared_edit_leaves_no_trace() -> None:
    session = fresh()
    before = end_state(session)
    made = content(session, "delete_sequence", start=5, end=9)
    content(session, "remove_action", action_id=made["action_id"])
    assert end_state(session) == before
    content(session, "replace_sequence", start=5, end=9, new_sequence="A")
    content(session, "clear_actions")
    assert end_state(session) == before


def test_a_refused_batch_stays_in_the_queue() -> None:
    session = fresh()
    content(session, "delete_sequence", start=5, end=9)
    content(session, "replace_sequence", start=9, end=10, new_sequence="A")
    assert error_code(session, "execute_actions") == "overlapping_edits"
    assert letters(session) == GENOME
    assert content(session, "list_actions")["count"] == 2
    assert not session.state.snapshots


def test_the_queue_is_bounded_and_the_next_edit_is_refused() -> None:
    session = fresh()
    for _ in range(MAX_EDITS):
        queue_edit(session, "delete", Range("D10483.2", 1, 1))
    with pytest.raises(ToolError) as caught:
        queue_edit(session, "delete", Range("D10483.2", 1, 1))
    assert caught.value.code == "bad_argument"
    assert error_code(session, "cut_sequence", start=1, end=2) == "bad_argument"
    assert session.state.clipboard is None, "a refused cut leaves the clipboard alone"


@st.composite
def batches(draw: st.DrawFn) -> list[tuple[str, dict[str, object]]]:
    """Calls that queue edits at places of their own, in any order."""
    places = draw(st.lists(st.integers(1, 5386), min_size=2, max_size=8, unique=True).map(sorted))
    found: list[tuple[str, dict[str, object]]] = []
    for start, end in zip(places[::2], places[1::2], strict=False):
        bases = draw(st.text("ACGT", min_size=1, max_size=9))
        choices: tuple[tuple[str, dict[str, object]], ...] = (
            ("insert_sequence", {"position": start, "sequence": bases}),
            ("delete_sequence", {"start": start, "end": end}),
            ("replace_sequence", {"start": start, "end": end, "new_sequence": bases}),
        )
        found.append(draw(st.sampled_from(choices)))
    return draw(st.permutations(found))


@settings(deadline=None, max_examples=30, derandomize=True)
@given(batches())
def test_any_batch_gives_the_letters_of_a_plain_rewrite(calls: list[tuple[str, dict[str, object]]]) -> None:
    session = fresh("phix174")
    plain = [(letter, "") for letter in letters(session)]
    for tool, arguments in calls:
        content(session, tool, **arguments)
        start = int(str(arguments.get("start", arguments.get("position")))) - 1
        new = str(arguments.get("sequence", arguments.get("new_sequence", "")))
        if tool != "insert_sequence":
            gone = range(start, int(str(arguments["end"])))
            plain[start : start + len(gone)] = [("", "")] * len(gone)
        plain[start] = (plain[start][0], new)
    done = content(session, "execute_actions")
    assert letters(session) == "".join(new + letter for letter, new in plain)
    assert (done["executed"], done["length_after"]) == (len(calls), len(letters(session)))
    content(session, "undo_last_execution")
    assert letters(session) == letters(fresh("phix174"))


def test_the_exported_file_of_gw_014_parses_again_with_every_untouched_cds_still_translating() -> None:
    session = fresh()
    content(session, "insert_sequence", position=1000, sequence="GAATTC")
    content(session, "delete_sequence", start=70000, end=70099)
    content(session, "execute_actions")
    content(session, "export_genbank", file_path="out/edited.gbk")
    text = session.files.output_path("out/edited.gbk").read_text("utf-8")
    record = SeqIO.read(StringIO(text), "genbank")
    assert len(record) == 111314
    assert str(record.seq[999:1005]) == "GAATTC"
    coding = [feature for feature in record.features if feature.type == "CDS"]
    (dnak,) = [feature for feature in coding if feature.qualifiers.get("gene") == ["dnaK"]]
    assert (int(dnak.location.start) + 1, int(dnak.location.end)) == (11818, 13734)
    same = 0
    for feature in coding:
        stored = feature.qualifiers.get("translation", [""])[0]
        first = int(feature.qualifiers.get("codon_start", ["1"])[0]) - 1
        bases = feature.extract(record.seq)[first:]
        made = str(bases[: len(bases) // 3 * 3].translate(table=11, to_stop=True))
        same += bool(stored) and made[1:] == stored[1:]
    assert same == 88
    session.files.close()


def test_random_workflows_never_lose_a_base() -> None:
    """Rounds of queueing, executing and undoing: the letters are those that a list of letters gives."""
    rng = random.Random(14)
    session = fresh("chloroplast")
    history = [letters(session)]
    for _ in range(12):
        if len(history) > 1 and rng.random() < 0.3:
            content(session, "undo_last_execution")
            history.pop()
        else:
            at = rng.randrange(1, len(history[-1]) - 50)
            content(session, "copy_sequence", start=at, end=at + 30)
            content(session, "paste_sequence", position=at + 40)
            content(session, "delete_sequence", start=at, end=at + 9)
            content(session, "execute_actions")
            now = history[-1]
            history.append(now[: at - 1] + now[at + 9 : at + 39] + now[at - 1 : at + 30] + now[at + 39 :])
        assert letters(session) == history[-1]


def test_undoing_counts_the_features_that_were_loaded_since() -> None:
    session = fresh()
    content(session, "insert_sequence", position=50000, sequence="A")
    content(session, "execute_actions")
    before = len(session.record().features)
    content(session, "load_annotation_file", file_path="annotations/extra.gff3")
    loaded = len(session.record().features) - before
    assert loaded > 0
    assert content(session, "undo_last_execution")["feature_changes_lost"] == loaded


def test_bases_queued_behind_the_last_one_lie_outside_the_last_gene() -> None:
    session = fresh()
    record = session.record()
    last = record.sequence[-1]
    content(session, "queue_variant", position=record.length, ref=last, alt=last + "GGG")
    assert content(session, "execute_actions")["features_altered"] == 0
    assert session.record().sequence == record.sequence + "GGG"
    assert content(session, "search_gene_by_name", name="yacG")["genes"][0]["end"] == record.length
