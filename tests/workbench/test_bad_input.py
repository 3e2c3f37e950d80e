"""Bad input: damaged files, places that are not there, paths that leave. Coded errors, and a session as it was."""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fcbench.core.evidence import Call
from fcbench.core.names import JsonObject, ToolName
from fcbench.harnesses.answers import MAX_ARGUMENT_BYTES, Answerer
from fcbench.harnesses.clock import SystemClock
from fcbench.harnesses.workbench import RealTools
from fcbench.workbench.dispatch import call
from fcbench.workbench.engines import engine_version
from fcbench.workbench.fixtures import Fixtures
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.tools import implementations
from tests.doubles import calls
from tests.workbench.worlds import FIXTURE_FOLDER, content, contracts, fresh, run

NEEDS_PYSAM = pytest.mark.skipif(engine_version("pysam") is None, reason="needs pysam of the extra workbench")
PLASMID = (FIXTURE_FOLDER / "genomes/NC_005816.gb").read_bytes()
BAM = (FIXTURE_FOLDER / "reads/sample1.bam").read_bytes()
INDEX = (FIXTURE_FOLDER / "reads/sample1.bam.bai").read_bytes()
VCF = (FIXTURE_FOLDER / "variants/sample1.vcf").read_bytes()
FIRST_CDS = re.compile(rb"(\n     CDS +)\d+\.\.\d+")


def room(folder: Path, **files: bytes) -> Session:
    """A session on the main genome whose fixture holds these files too; `a__b` is the file `a.b`."""
    made = {name.replace("__", "."): raw for name, raw in files.items()}
    (folder / "main.gbk").write_bytes((FIXTURE_FOLDER / "genomes/D10483.gbk").read_bytes())
    for name, raw in made.items():
        (folder / name).write_bytes(raw)
    listed = "".join(f"  - {name}\n" for name in ("main.gbk", *made))
    (folder / "bad.yaml").write_text(f"title: t\nopen: main.gbk\nfiles:\n{listed}")
    return Fixtures(folder).session("bad")


def refused(session: Session, tool: str, **arguments: object) -> tuple[str, str]:
    """Code and message of a call that fails; the session must be as before, and nothing written."""
    before, outputs = end_state(session), dict(session.files.written)
    result = run(session, tool, **arguments)
    assert result.status == "error", result.content
    assert isinstance(result.content, dict)
    assert end_state(session) == before
    assert session.files.written == outputs
    message = str(result.content["message"])
    assert tempfile.gettempdir() not in message
    assert str(Path.cwd()) not in message
    return str(result.content["code"]), message


def placed(location: bytes) -> bytes:
    """The plasmid with its first coding sequence elsewhere."""
    found, count = FIRST_CDS.subn(rb"\g<1>" + location, PLASMID, count=1)
    assert count == 1
    return found


DAMAGED = [
    pytest.param(b"", "does not hold 1 to 50 records", id="empty"),
    pytest.param(PLASMID[: len(PLASMID) // 2], "", id="cut in the features"),
    pytest.param(PLASMID[:-300], "", id="cut in the letters"),
    pytest.param(PLASMID[:-200].rsplit(b"\n", 1)[0] + b"\n//\n", "Expected sequence length 9609", id="lines missing"),
    pytest.param(PLASMID.replace(b"9609 bp", b"9999 bp"), "Expected sequence length 9999", id="another length stated"),
    pytest.param(PLASMID.replace(b"Yersinia", b"Y\xe9rsinia"), "no UTF-8 text: byte 94 is 0xe9", id="Latin-1"),
    pytest.param(PLASMID.decode().encode("utf-16"), "no UTF-8 text: byte 1 is 0xff", id="UTF-16"),
    pytest.param(PLASMID.replace(b"Yersinia", b"Yer\x00inia"), "letter 96 is NUL", id="NUL"),
    pytest.param(BAM, "no UTF-8 text", id="BAM"),
    pytest.param(placed(b"9000..99999"), "outside 1 to 9609", id="a feature behind the end"),
    pytest.param(placed(b"0..99"), "", id="a feature before the start"),
    pytest.param(placed(b"-5..99"), "", id="a negative place"),
    pytest.param(placed(b"join(1..9,J00194.1:5..9)"), "", id="a part on another sequence"),
    pytest.param(placed(b"join(1..9"), "", id="a bracket that is open"),
    pytest.param(PLASMID + PLASMID, "NC_005816.1 names 2 records", id="two records of one name"),
    pytest.param(PLASMID.replace(b"tgtaacgaac", b"tgta!cgaac", 1), "found !", id="a letter of no alphabet"),
]


@pytest.mark.parametrize(("raw", "says"), DAMAGED)
@pytest.mark.parametrize("tool", ["load_genome_file", "load_comparison_genome"])
def test_a_damaged_genbank_file_does_not_open(tool: str, raw: bytes, says: str, tmp_path: Path) -> None:
    session = room(tmp_path, x__gb=raw)
    label = {"label": "other"} if tool == "load_comparison_genome" else {}
    code, message = refused(session, tool, file_path="x.gb", **label)
    assert code == "parse_error"
    assert says in message
    assert message.startswith("x.gb")


def test_a_genbank_file_cut_anywhere_never_opens(tmp_path: Path) -> None:
    lengths = range(0, len(PLASMID) - 5, len(PLASMID) // 25)
    session = room(tmp_path, **{f"cut{number}__gb": PLASMID[:length] for number, length in enumerate(lengths)})
    codes = {
        refused(session, "load_genome_file", file_path=path)[0] for path in session.files.readable if "cut" in path
    }
    assert codes == {"parse_error"}


FASTA = [
    pytest.param(b">a\nACGT\n>a\nACGA\n", "a names 2 records", id="two records of one name"),
    pytest.param(b">\nACGT\n", "a record has no name", id="no name"),
    pytest.param(b">a\nMEEPLQ*\n", "found *, E", id="protein"),
    pytest.param(b">a\n>b\nACGT\n", "no letters", id="no letters"),
    pytest.param(b"".join(b">a%d\nA\n" % number for number in range(51)), "1 to 50 records", id="too many records"),
]


@pytest.mark.parametrize(("raw", "says"), FASTA)
def test_a_damaged_fasta_file_does_not_open(raw: bytes, says: str, tmp_path: Path) -> None:
    code, message = refused(room(tmp_path, x__fa=raw), "load_genome_file", file_path="x.fa")
    assert (code, says in message) == ("parse_error", True), message


@NEEDS_PYSAM
def test_a_bam_file_without_an_index_is_not_attached(tmp_path: Path) -> None:
    session = room(tmp_path, x__bam=BAM)
    code, message = refused(session, "load_reads_file", file_path="x.bam")
    assert (code, "x.bam.bai" in message) == ("file_not_found", True)
    assert refused(session, "get_read_coverage", start=66000, end=67000)[0] == "not_found"


DAMAGED_READS = [
    pytest.param(b"", INDEX, id="empty"),
    pytest.param(BAM[:100], INDEX, id="cut in the head"),
    pytest.param(BAM[: len(BAM) // 2], INDEX, id="cut in the middle"),
    pytest.param(PLASMID, INDEX, id="no BAM"),
    pytest.param(BAM, b"", id="empty index"),
    pytest.param(BAM, INDEX[: len(INDEX) // 2], id="index cut"),
    pytest.param(BAM, BAM, id="the file itself as its index"),
    pytest.param(BAM, INDEX[:4] + b"\xff\xff\xff\x7f" + INDEX[8:], id="index of two thousand million sequences"),
    pytest.param(BAM, INDEX + b"\x00", id="a byte behind the index"),
]


@NEEDS_PYSAM
@pytest.mark.parametrize(("raw", "index"), DAMAGED_READS)
def test_damaged_reads_are_not_attached(raw: bytes, index: bytes, tmp_path: Path) -> None:
    session = room(tmp_path, x__bam=raw, **{"x__bam.bai": index})
    assert refused(session, "load_reads_file", file_path="x.bam")[0] == "parse_error"


@NEEDS_PYSAM
def test_reads_that_are_damaged_behind_the_head_say_so_when_they_are_asked(tmp_path: Path) -> None:
    """Every block has a checksum, so a changed byte shows; loading reads the first block and the index only."""
    at = len(BAM) // 2
    raw = BAM[:at] + bytes(byte ^ 0xFF for byte in BAM[at : at + 2000]) + BAM[at + 2000 :]
    session = room(tmp_path, x__bam=raw, **{"x__bam.bai": INDEX})
    assert content(session, "load_reads_file", file_path="x.bam")["aligned_reads"] == 3199
    for arguments in ({"start": 60001, "end": 76000},):
        assert refused(session, "get_read_coverage", **arguments)[0] == "parse_error"
    codes = {
        run(session, "get_base_counts", position=position).content["code"]  # type: ignore[index,call-overload]
        for position in range(60500, 76000, 500)
        if run(session, "get_base_counts", position=position).status == "error"
    }
    assert codes == {"parse_error"}


CHANGED = 25
"""Indexes that are tried."""


@NEEDS_PYSAM
def test_an_index_with_a_changed_byte_is_refused_or_does_no_harm(tmp_path: Path) -> None:
    """An index has no checksum, and htslib ends the process over one that contradicts itself."""
    rng = random.Random(20261130)
    changed = {}
    for number in range(CHANGED):
        raw = bytearray(INDEX)
        for _ in range(rng.choice((1, 1, 5))):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        changed |= {f"x{number}__bam": BAM, f"x{number}__bam.bai": bytes(raw)}
    session = room(tmp_path, **changed)
    statuses = set()
    for number in range(CHANGED):
        before, result = end_state(session), run(session, "load_reads_file", file_path=f"x{number}.bam")
        statuses.add(result.status)
        if result.status == "ok":
            assert run(session, "get_read_coverage", start=60001, end=76000).status in ("ok", "error")
        else:
            assert end_state(session) == before
    assert "error" in statuses


def vcf(position: int, ref: str, alt: str, chromosome: str = "D10483.2") -> bytes:
    """A VCF file of one good line and one more."""
    lines = VCF.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if not line.startswith(b"#"))
    return b"".join(lines[: first + 1]) + f"{chromosome}\t{position}\t.\t{ref}\t{alt}\t50\tPASS\tDP=9\n".encode()


WRONG_VCF = [
    pytest.param(vcf(67429, "C", "T"), "ref_mismatch", "the genome has A", id="REF contradicts the genome"),
    pytest.param(vcf(111408, "AAAA", "A"), "ref_mismatch", "", id="REF reaches over the end"),
    pytest.param(vcf(111409, "A", "C"), "ref_mismatch", "", id="behind the end"),
    pytest.param(vcf(0, "A", "C"), "", "", id="before the start"),
    pytest.param(vcf(67429, "A", "T", "NC_000913.3"), "unknown_sequence", "NC_000913.3", id="another genome"),
    pytest.param(vcf(67429, "", "T"), "parse_error", "line", id="no REF"),
    pytest.param(b"D10483.2\t67429\t.\tA\tT\n", "parse_error", "##fileformat=VCFv4", id="no head"),
    pytest.param(VCF.replace(b"\t", b" "), "parse_error", "at least 8 columns", id="spaces for tabs"),
    pytest.param(VCF + b"\xff\xfe", "parse_error", "no UTF-8", id="wrong encoding"),
]


@pytest.mark.parametrize(("raw", "code", "says"), WRONG_VCF)
def test_a_vcf_file_that_is_wrong_is_not_loaded(raw: bytes, code: str, says: str, tmp_path: Path) -> None:
    found, message = refused(room(tmp_path, x__vcf=raw), "load_variant_file", file_path="x.vcf")
    assert found == (code or "ref_mismatch")
    assert says in message


AMBIGUOUS = (
    "get_protein_sequence",
    "get_coding_sequence",
    "go_to_gene",
    "zoom_to_gene",
    "select_gene",
    "protein_properties",
)


@pytest.mark.parametrize("tool", AMBIGUOUS)
def test_an_ambiguous_gene_name_is_answered_with_the_places_of_all(tool: str) -> None:
    code, message = refused(fresh("chloroplast"), tool, gene_name="ndhB")
    assert code == "ambiguous_gene"
    assert "ArthCp068 (94941 to 97164, -)" in message
    assert "ArthCp086 (141485 to 143708, +)" in message


OUTSIDE = [
    pytest.param("get_sequence", {"start": 111400, "end": 111409}, id="one base behind the end"),
    pytest.param("get_sequence", {"start": 20, "end": 10}, id="end before start"),
    pytest.param("get_sequence", {"start": 20_000_000, "end": 20_000_000}, id="as far as the schema goes"),
    pytest.param("get_features_at_position", {"position": 111409}, id="a position"),
    pytest.param("region_gc_content", {"start": 111000, "end": 112000}, id="composition"),
    pytest.param("highlight_region", {"start": 111000, "end": 112000, "color": "red"}, id="a mark"),
    pytest.param("navigate_to_position", {"position": 111409}, id="the view"),
    pytest.param("insert_sequence", {"position": 111411, "sequence": "A"}, id="an insertion"),
    pytest.param("delete_sequence", {"start": 111408, "end": 111409}, id="a deletion"),
    pytest.param("replace_sequence", {"start": 1, "end": 111409, "new_sequence": "A"}, id="a replacement"),
    pytest.param("queue_variant", {"position": 111409, "ref": "A", "alt": "C"}, id="a variant"),
    pytest.param("predict_variant_effect", {"position": 111409, "ref": "A", "alt": "C"}, id="an effect"),
    pytest.param("export_region_fasta", {"start": 1, "end": 111409, "file_path": "x.fa"}, id="an export"),
    pytest.param("virtual_digest", {"enzymes": ["EcoRI"], "start": 5, "end": 111409}, id="a digest"),
    pytest.param("find_orfs", {"start": 111409, "end": 111500}, id="reading frames"),
]


@pytest.mark.parametrize(("tool", "arguments"), OUTSIDE)
def test_a_place_outside_the_sequence_is_refused_with_its_length(tool: str, arguments: JsonObject) -> None:
    code, message = refused(fresh(), tool, **arguments)
    assert code in ("bad_range", "ref_mismatch")
    assert "111408" in message or "111,408" in message


def every_file_argument() -> list[tuple[str, str]]:
    """Every tool that takes a path, with the name of the argument."""
    names = ("file_path", "folder_path", "directory")
    return [(tool, name) for tool, contract in contracts().items() for name in names if name in contract.properties]


def answered(session: Session, *pairs: tuple[str, str]) -> tuple[Call, ...]:
    """The calls of one reply as the harness answers them: schema and limits first, then the tool."""
    tools = RealTools(session, SystemClock(), call)
    return Answerer(contracts(), tools).answer(calls(*pairs), 1, 64)


PATHS = ("../x.gb", "a/../../x.gb", "/etc/passwd", "/etc/hostname", "a\x00b.gb", "~/x.gb", "file:///etc/passwd", "")
PATHS += ("..", ".", "genomes/../../secret.gb", "C:\\x.gb", "..\\x.gb", "out/\u202egb.x", "x" * 5000)


@pytest.mark.parametrize(("tool", "name"), every_file_argument())
def test_a_path_that_leaves_its_folder_is_refused_by_every_tool(tool: str, name: str, tmp_path: Path) -> None:
    session = fresh()
    contract = contracts()[ToolName(tool)]
    # A search without hits will do for what exports the last one.
    session.state.last_hits = ()
    before = end_state(session)
    others = {"label": "other", "start": 1, "end": 9, "molecule": "protein", "name": "k12"}
    filled = {key: value for key, value in others.items() if key in contract.properties}
    statuses = set()
    for path in PATHS:
        (made,) = answered(session, (tool, json_text({**filled, name: path})))
        assert made.result.status in ("error", "invalid"), (path, made.result)
        assert isinstance(made.result.content, dict)
        statuses.add(made.result.content["code"])
    assert statuses <= {"path_refused", "invalid_arguments", "not_found", "file_not_found"}
    assert end_state(session) == before
    assert not session.files.written


def json_text(value: JsonObject) -> str:
    """Arguments as a model writes them."""
    return json.dumps(value)


LINKS: list[Callable[[Path], None]] = [
    lambda place: place.symlink_to("/etc/hostname"),
    lambda place: place.symlink_to("../../secret.gb"),
    lambda place: place.symlink_to(place.name),
    lambda place: place.mkdir(),
    lambda place: os.mkfifo(place),
]


@pytest.mark.parametrize("make", LINKS, ids=["absolute link", "relative link", "link to itself", "folder", "pipe"])
def test_what_is_no_plain_file_of_the_fixture_is_not_read(make: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "a/b"
    folder.mkdir(parents=True)
    (tmp_path / "secret.gb").write_bytes(PLASMID)
    session = room(folder, x__gb=b"")
    (folder / "x.gb").unlink()
    make(folder / "x.gb")
    assert refused(session, "load_genome_file", file_path="x.gb")[0] == "path_refused"


def test_an_export_over_a_link_writes_nothing_outside(tmp_path: Path) -> None:
    session = fresh()
    content(session, "export_region_fasta", start=1, end=9, file_path="a.fa")
    folder = session.files.output_path("a.fa").parent
    (folder / "way").symlink_to(tmp_path)
    (folder / "b.fa").symlink_to(tmp_path / "b.fa")
    for path in ("way/x.fa", "b.fa"):
        assert refused(session, "export_region_fasta", start=1, end=9, file_path=path)[0] == "path_refused"
    assert not list(tmp_path.iterdir())
    session.files.close()


LARGE = "A" * (1 << 20)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("calculate_gc_content", {"sequence": LARGE}, id="letters"),
        pytest.param("get_protein_sequence", {"gene_name": LARGE}, id="a name"),
        pytest.param("load_genome_file", {"file_path": LARGE}, id="a path"),
        pytest.param("insert_sequence", {"position": 1, "sequence": LARGE}, id="an insertion"),
        pytest.param("add_task", {"title": LARGE}, id="a title"),
        pytest.param("virtual_digest", {"enzymes": ["EcoRI"] * 100_000}, id="a list"),
        pytest.param("get_sequence", {"start": 1, "end": 2, LARGE: 1}, id="a key"),
    ],
)
def test_a_megabyte_of_arguments_is_answered_and_not_executed(tool: str, arguments: JsonObject) -> None:
    session = fresh()
    before = end_state(session)
    raw = json_text(arguments)
    (made,) = answered(session, (tool, raw))
    assert made.result.status == "invalid"
    assert len(json_text(made.result.content)) < 10_000, "the answer does not repeat it"  # type: ignore[arg-type]
    assert made.raw_arguments == raw, "what came is evidence, whatever its length"
    assert end_state(session) == before


def test_an_argument_string_over_the_limit_is_not_even_parsed() -> None:
    session = fresh()
    raw = '{"start": 1, "end": 6' + " " * MAX_ARGUMENT_BYTES + "}"
    (made,) = answered(session, ("get_sequence", raw))
    assert made.result.status == "invalid"
    assert made.arguments is None
    assert made.parse_error is not None


def test_every_tool_that_takes_a_path_is_among_those_tested() -> None:
    tested = {tool for tool, _ in every_file_argument()}
    named = {name for name, contract in contracts().items() if any("path" in key for key in contract.properties)}
    assert named - tested == {"load_signal_tracks"}, "its list of paths goes the same way"
    code, _ = refused(fresh(), "load_signal_tracks", file_paths=["signals/gc_1kb.bedgraph", "nope.bedgraph"])
    assert code == "file_not_found"
    assert set(tested) <= set(implementations())
