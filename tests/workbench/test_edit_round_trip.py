"""Any batch of edits, exported and read again by Biopython: untouched proteins, letters in place, and the way back."""

from __future__ import annotations

from Bio import SeqIO
from Bio.SeqFeature import SeqFeature
from Bio.SeqRecord import SeqRecord
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject
from fcbench.workbench.state import end_state
from tests.workbench.worlds import FIXTURE_FOLDER, content, fresh

GENOME: SeqRecord = SeqIO.read(FIXTURE_FOLDER / "genomes/D10483.gbk", "genbank")
LETTERS = str(GENOME.seq)
Planned = tuple[str, JsonObject, int, int, str]
"""Tool, arguments, first and last base that go (last before first for an insertion), letters that come."""


def proteins(record: SeqRecord) -> list[tuple[SeqFeature, str]]:
    """Every coding sequence that stores its protein, with the protein."""
    coding = (each for each in record.features if each.type == "CDS" and "translation" in each.qualifiers)
    return [(each, each.qualifiers["translation"][0]) for each in coding]


def reads_as(record: SeqRecord, feature: SeqFeature, protein: str) -> bool:
    """Whether a feature translates to a protein; the first letter is M whatever the start codon."""
    return str(feature.extract(record.seq).translate(11, to_stop=True))[1:] == protein[1:]


@st.composite
def batches(draw: st.DrawFn) -> list[Planned]:
    """Insertions, replacements, deletions and variants at places that do not touch, in any order."""
    places = sorted(draw(st.lists(st.integers(2, len(LETTERS) - 40), min_size=1, max_size=8, unique=True)))
    apart = [place for at, place in enumerate(places) if at == 0 or place - places[at - 1] > 40]
    found: list[Planned] = []
    for place in apart:
        kind = draw(st.sampled_from(("insert", "replace", "delete", "variant")))
        bases = draw(st.text("ACGT", min_size=1, max_size=12))
        last = place + draw(st.integers(0, 20))
        if kind == "insert":
            found.append(("insert_sequence", {"position": place, "sequence": bases}, place, place - 1, bases))
        elif kind == "replace":
            arguments = {"start": place, "end": last, "new_sequence": bases}
            found.append(("replace_sequence", {**arguments}, place, last, bases))
        elif kind == "delete":
            found.append(("delete_sequence", {"start": place, "end": last}, place, last, ""))
        else:
            ref = LETTERS[place - 1]
            alt = draw(st.sampled_from([base for base in "ACGT" if base != ref]))
            found.append(("queue_variant", {"position": place, "ref": ref, "alt": alt}, place, place, alt))
    return draw(st.permutations(found))


def rewritten(edits: list[Planned]) -> str:
    """The letters after a batch, changed from the right so that places stay."""
    letters = LETTERS
    for _, _, first, last, bases in sorted(edits, key=lambda each: -each[2]):
        letters = letters[: first - 1] + bases + letters[last:]
    return letters


def touches(edits: list[Planned], feature: SeqFeature) -> bool:
    """Whether an edit changes a base of a feature, or comes between two of its bases."""
    start, end = int(feature.location.start) + 1, int(feature.location.end)
    return any(
        first <= end and last >= start if last >= first else start < first <= end for _, _, first, last, _ in edits
    )


@settings(max_examples=12, deadline=None, derandomize=True)
@given(batches())
def test_untouched_proteins_survive_a_batch_its_export_and_its_undoing(edits: list[Planned]) -> None:
    session = fresh()
    before = end_state(session)
    for tool, arguments, *_ in edits:
        content(session, tool, **arguments)
    done = content(session, "execute_actions")
    content(session, "export_genbank", file_path="edited.gbk")
    again = SeqIO.read(session.files.output_path("edited.gbk"), "genbank")
    assert str(again.seq) == rewritten(edits)
    assert done["length_after"] == len(again)
    untouched = [protein for feature, protein in proteins(GENOME) if not touches(edits, feature)]
    kept = proteins(again)
    assert [protein for _, protein in kept] == untouched, "an altered coding sequence stores no protein"
    assert all(reads_as(again, feature, protein) for feature, protein in kept)
    content(session, "undo_last_execution")
    after = end_state(session)
    assert {name for name in before if before[name] != after[name]} == {"files", "facts"}, "only the file stays"
    session.files.close()


def test_the_genome_itself_translates_to_its_stored_proteins() -> None:
    """Without this the property above could hold for no reason."""
    stored = proteins(GENOME)
    assert len(stored) == 90
    assert sum(reads_as(GENOME, feature, protein) for feature, protein in stored) == 90
