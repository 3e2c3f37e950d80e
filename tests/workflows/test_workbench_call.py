"""Calls of tools by hand: checked and run as in an attempt, on a session that is shared or fresh."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.canonical import canonical_text
from fcbench.errors import NotFoundError, UsageError, WriteError
from fcbench.workbench.state import end_state
from fcbench.workbench.tools import implementations
from fcbench.workflows.workbench_call import Bench, call_once
from fcbench.workflows.workbench_list import list_tools, tool_rows
from fcbench.workflows.workbench_shell import read_commands, split_command
from tests.doubles import CONTRACTS
from tests.workbench.worlds import contracts, fresh, run

SAVE = b'{"file_path": "x.gbk"}'


@pytest.fixture
def bench() -> Iterator[Bench]:
    seconds = iter(range(10_000))
    opened = Bench(seconds=lambda: float(next(seconds)))
    yield opened
    opened.close()


def test_a_call_by_hand_is_the_call_of_an_attempt(bench: Bench) -> None:
    session = fresh()
    theirs = run(session, "copy_sequence", start=1, end=6)
    answer = bench.call("copy_sequence", b'{"start": 1, "end": 6}')
    assert answer.result is not None
    assert (answer.result.status, answer.result.content) == (theirs.status, theirs.content)
    assert (answer.result.engine, answer.result.provenance) == (theirs.engine, theirs.provenance)
    assert answer.result.duration_s == 1.0, "one tick of the clock that was passed in"
    assert answer.changed == ("session",)
    assert canonical_text(bench.state()) == canonical_text(end_state(session))


def test_a_call_that_fails_or_is_wrong_leaves_the_session_as_it_was(bench: Bench) -> None:
    before = bench.state()
    wrong = bench.call("get_sequence", b'{"start": "1"}')
    assert (wrong.succeeded, wrong.result, wrong.changed) == (False, None, ())
    failed = bench.call("get_sequence", b'{"start": 2, "end": 1}')
    assert failed.checked.valid
    assert failed.result is not None
    assert (failed.succeeded, failed.result.status, failed.changed) == (False, "error", ())
    assert bench.state() == before


def test_reset_begins_again(bench: Bench) -> None:
    before = bench.state()
    assert bench.call("delete_sequence", b'{"start": 1, "end": 3}').changed == ("project",)
    assert bench.state() != before
    bench.reset()
    assert bench.state() == before


def test_outputs_lie_in_the_folder_and_a_later_one_of_the_same_session_replaces_them(tmp_path: Path) -> None:
    bench = Bench(output=tmp_path / "new/out")
    (first,) = bench.call("export_genbank", SAVE).written
    assert first == tmp_path / "new/out/x.gbk"
    before = first.read_text()
    assert bench.call("export_genbank", SAVE).written == (), "the same bytes again are nothing new"
    assert bench.call("create_annotation", b'{"name": "a", "feature_type": "gene", "start": 1, "end": 9}').succeeded
    assert bench.call("export_genbank", SAVE).written == (first,)
    assert first.read_text() != before
    bench.close()
    assert first.is_file()
    (tmp_path / "other").write_text("a file")
    with pytest.raises(WriteError):
        Bench(output=tmp_path / "other").call("export_genbank", SAVE)


def test_calls_before_are_made_in_order_until_one_fails(bench: Bench) -> None:
    before = ['delete_sequence {"start": 1, "end": 3}', "list_actions", 'get_sequence {"start": 0, "end": 1}']
    answers = call_once(bench, "get_clipboard", b"", before)
    assert [str(answer.contract.name) for answer in answers] == ["delete_sequence", "list_actions", "get_sequence"]
    assert [answer.succeeded for answer in answers] == [True, True, False]


def test_a_call_before_that_is_empty_or_a_tool_that_is_not_there_makes_no_call(bench: Bench) -> None:
    before = bench.state()
    with pytest.raises(UsageError, match="names no tool"):
        call_once(bench, "get_clipboard", b"", ['delete_sequence {"start": 1, "end": 3}', "  "])
    with pytest.raises(NotFoundError):
        call_once(bench, "nope", b"", ['delete_sequence {"start": 1, "end": 3}'])
    assert bench.state() == before


def test_a_project_without_the_registry_says_so(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "tools_registry").mkdir()
    with pytest.raises(NotFoundError):
        list_tools(tmp_path)


def test_every_tool_has_a_row_with_what_its_implementation_says() -> None:
    rows = {row.name: row for row in list_tools()}
    assert rows.keys() == contracts().keys()
    for name, tool in implementations().items():
        assert rows[name].provenance == tool.provenance
        assert rows[name].effect == contracts()[name].effect
    assert list(rows) == [row.name for row in sorted(rows.values(), key=lambda row: (row.category, row.name))]


def test_a_contract_without_an_implementation_is_listed_without_an_engine() -> None:
    assert {(row.engine, row.provenance) for row in tool_rows(CONTRACTS)} == {(None, None)}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        pytest.param(b' tool {"a": 1} \n', ("tool", b'{"a": 1}'), id="call"),
        pytest.param(b'tool{"a": 1}', ("tool", b'{"a": 1}'), id="no space"),
        pytest.param(b"tool", ("tool", b""), id="no arguments"),
        pytest.param(b"tool []", ("tool", b"[]"), id="no object"),
        pytest.param(b'{"a": 1}', ("{", b'"a": 1}'), id="no tool"),
        pytest.param(b"help\ttool", ("help", b"tool"), id="tab"),
        pytest.param(b"  \n", None, id="empty"),
        pytest.param(b"# tool {}", None, id="comment"),
    ],
)
def test_a_command_is_a_word_and_the_rest(statement: bytes, expected: tuple[str, bytes] | None) -> None:
    found = split_command(statement)
    assert (None if found is None else (found.word, found.rest)) == expected


def commands(text: bytes) -> list[tuple[str, bytes]]:
    stream = BytesIO(text)
    return [(typed.word, typed.rest) for typed in read_commands(lambda _: stream.readline(), "> ")]


def test_an_open_bracket_goes_on_until_it_closes_or_a_line_is_empty() -> None:
    assert commands(b'a {"x":\n 1}\nb {\n\nc\n# {\nd') == [
        ("a", b'{"x":\n 1}'),
        ("b", b"{"),
        ("c", b""),
        ("d", b""),
    ]


WORD = st.from_regex(rb"[a-z_]{1,12}", fullmatch=True)
OBJECT = st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(0, 99), max_size=3)


@given(st.lists(st.tuples(WORD, OBJECT), max_size=5))
def test_commands_written_one_a_line_come_back(pairs: list[tuple[bytes, dict[str, object]]]) -> None:
    texts = [(word, canonical_text(value).encode()) for word, value in pairs]
    script = b"".join(word + b" " + text + b"\n" for word, text in texts)
    assert commands(script) == [(word.decode(), text) for word, text in texts]


@given(st.binary(max_size=200))
def test_any_bytes_are_read_to_their_end(script: bytes) -> None:
    stream = BytesIO(script)
    for typed in read_commands(lambda _: stream.readline(), "> "):
        assert typed.word
        assert len(typed.word) <= 200
    assert stream.read() == b""
