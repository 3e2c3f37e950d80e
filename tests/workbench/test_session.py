"""Sessions: fresh copies, end states, and fixtures that open."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replaced

from fcbench.core.names import ToolName
from fcbench.errors import BadInputError, FcbenchError, NotFoundError
from fcbench.workbench.dispatch import call
from fcbench.workbench.errors import CODES, ToolError
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.fixtures import Fixtures
from fcbench.workbench.opening import attach_reads, load_variants, open_genome_file
from fcbench.workbench.project import Edit, Primer
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.view import Highlight, Range, Selection, Tab, window
from tests.workbench.worlds import ROOT, contracts, fixtures, fresh


@pytest.mark.parametrize("name", fixtures().names)
def test_every_fixture_opens_and_its_files_are_there(name: str) -> None:
    session = fresh(name)
    assert all(session.files.input_path(path).is_file() for path in session.files.readable)
    assert end_state(session) == end_state(fresh(name))


def test_what_one_session_changes_no_other_session_sees() -> None:
    wanted, one = end_state(fresh()), fresh()
    one.view.bookmarks["x"] = Range("D10483.2", 1, 2)
    one.view.visible["genes"] = False
    one.state.primers["p"] = Primer(name="p", sequence="ACGT")
    one.put([replace(one.record(), sequence="ACGT")])
    open_genome_file(one, "genomes/NC_005816.gb")
    assert one.mint("act") == "act-1"
    assert end_state(one) != wanted
    assert end_state(fresh()) == wanted
    assert fresh().mint("act") == "act-1"


def feature(number: int, start: int) -> Feature:
    return Feature(id=f"ann-{number}", kind="misc_feature", parts=(Part(start, start + 9, "+"),), origin="user")


def added(session: Session, *features: Feature) -> None:
    record = session.record()
    session.put([replace(record, features=(*record.features, *features))])


PLACE = Range("D10483.2", 1, 9)
CHANGES: list[tuple[str, Callable[[Session], object]]] = [
    ("project", lambda session: added(session, feature(1, 5))),
    ("project", lambda session: session.state.edits.append(Edit(id="act-1", kind="delete", range=PLACE))),
    ("project", lambda session: session.state.primers.update(p=Primer(name="p", sequence="ACGT"))),
    ("project", lambda session: attach_reads(session, "reads/sample1.bam")),
    ("project", lambda session: load_variants(session, "variants/sample1.vcf")),
    ("files", lambda session: session.files.write_text("x", "y")),
    ("view", lambda session: session.view.show(PLACE)),
    ("view", lambda session: session.view.highlights.append(Highlight(id="hl-1", range=PLACE, color="red"))),
    ("view", lambda session: setattr(session.view, "selection", Selection(range=PLACE))),
    ("view", lambda session: session.view.tabs.append(Tab(id="tab-2", title="t", shown=None))),
    ("session", lambda session: setattr(session.state, "folder", "out")),
]


@pytest.mark.parametrize(("part", "change"), [pytest.param(*row, id=f"{at}") for at, row in enumerate(CHANGES)])
def test_a_change_shows_in_its_part_of_the_end_state_only(part: str, change: Callable[[Session], object]) -> None:
    session = fresh()
    before = end_state(session)
    change(session)
    after = end_state(session)
    assert {name for name in before if name != "facts" and before[name] != after[name]} == {part}


def test_minted_ids_and_order_are_left_out_of_the_end_state() -> None:
    one, two = fresh(), fresh()
    added(one, feature(1, 5), feature(2, 50))
    added(two, feature(7, 50), feature(8, 5))
    for session, numbers in ((one, (1, 2)), (two, (2, 1))):
        for number in numbers:
            place = Range("D10483.2", number * 100, number * 100)
            session.state.edits.append(Edit(id=session.mint("act"), kind="delete", range=place))
    assert end_state(one) == end_state(two)


def test_an_executed_edit_is_judged_by_what_it_did() -> None:
    one = fresh()
    before = end_state(one)
    one.state.edits.append(Edit(id="act-1", kind="delete", range=PLACE, status="executed"))
    assert end_state(one) == before


@pytest.mark.parametrize(
    ("act", "code"),
    [
        pytest.param(lambda each: open_genome_file(each, "structures/1LCD.pdb"), "parse_error", id="no GenBank"),
        pytest.param(lambda each: open_genome_file(each, "x.gb"), "file_not_found", id="no file"),
        pytest.param(lambda each: attach_reads(each, "variants/sample1.vcf"), "file_not_found", id="no index"),
        pytest.param(lambda each: load_variants(each, "genomes/D10483.gbk"), "parse_error", id="no VCF"),
    ],
)
def test_a_file_that_does_not_open_leaves_the_session_as_it_was(act: Callable[[Session], object], code: str) -> None:
    session = fresh()
    before = end_state(session)
    with pytest.raises(ToolError) as caught:
        act(session)
    assert caught.value.code == code
    assert end_state(session) == before


def test_reads_and_variants_of_another_genome_are_refused() -> None:
    session = fresh()
    open_genome_file(session, "genomes/NC_005816.gb")
    with pytest.raises(ToolError, match="aligned to another genome"):
        attach_reads(session, "reads/sample1.bam")
    with pytest.raises(ToolError) as caught:
        load_variants(session, "variants/sample1.vcf")
    assert caught.value.code == "unknown_sequence"


def test_a_vcf_that_contradicts_the_genome_is_refused() -> None:
    session = fresh()
    record = session.record()
    session.put([replace(record, sequence="N" * record.length)])
    with pytest.raises(ToolError) as caught:
        load_variants(session, "variants/sample1.vcf")
    assert caught.value.code == "ref_mismatch"
    assert session.state.variants is None


def test_a_description_that_is_wrong_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("title: t\nfiles: []\nopen: x.gb\n")
    (tmp_path / "b.yaml").write_text("title: t\nfiles: []\nunknown: 1\n")
    with pytest.raises(NotFoundError):
        Fixtures(tmp_path).session("c")
    with pytest.raises(BadInputError, match="does not open"):
        Fixtures(tmp_path).session("a")
    with pytest.raises(BadInputError):
        Fixtures(tmp_path).session("b")


@pytest.mark.parametrize(
    ("center", "width", "length", "wanted"),
    [
        pytest.param(100, 5, 1000, (98, 102), id="odd"),
        pytest.param(100, 4, 1000, (99, 102), id="even"),
        pytest.param(1, 10, 1000, (1, 10), id="at the left edge"),
        pytest.param(1000, 10, 1000, (991, 1000), id="at the right edge"),
        pytest.param(5, 5000, 10, (1, 10), id="wider than the sequence"),
    ],
)
def test_a_window_stays_inside(center: int, width: int, length: int, wanted: tuple[int, int]) -> None:
    assert window(center, width, length) == wanted


def test_a_fault_of_ours_is_no_result() -> None:
    with pytest.raises(TypeError):
        call(fresh(), contracts()[ToolName("get_sequence")], {"start": "1", "end": 2})
    with pytest.raises(FcbenchError, match="no implementation"):
        call(fresh(), replaced(contracts()[ToolName("get_sequence")], name=ToolName("no_such_tool")), {})


def test_the_reference_lists_every_error_code() -> None:
    page = (ROOT / "docs/reference/workbench.md").read_text("utf-8")
    table = page.partition("| code | when |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z_]+)` \|", table, re.MULTILINE)) == CODES
