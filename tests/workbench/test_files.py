"""The walls of a session: what can be read, what can be written, and where."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.workbench.errors import ToolError
from fcbench.workbench.files import MAX_WRITTEN_BYTES, MAX_WRITTEN_FILES, FileRoom, path_parts


@pytest.fixture
def room(tmp_path: Path) -> FileRoom:
    (tmp_path / "genomes").mkdir()
    (tmp_path / "genomes/a.gb").write_text("A")
    (tmp_path / "secret.txt").write_text("S")
    os.symlink("/etc/hostname", tmp_path / "genomes/link.gb")
    (tmp_path / "genomes/folder.gb").mkdir()
    return FileRoom(tmp_path, ("genomes/a.gb", "genomes/link.gb", "genomes/folder.gb", "genomes/gone.gb"))


REFUSED = [
    pytest.param("../x", id="parent"),
    pytest.param("a/../../x", id="parent inside"),
    pytest.param("/etc/passwd", id="absolute"),
    pytest.param("a//b", id="empty part"),
    pytest.param("a/", id="slash at the end"),
    pytest.param("", id="empty"),
    pytest.param(".", id="dot"),
    pytest.param(".hidden", id="hidden"),
    pytest.param("a\x00b", id="NUL"),
    pytest.param("a\\b", id="backslash"),
    pytest.param("C:x", id="drive"),
    pytest.param("~/x", id="home"),
    pytest.param("x" * 201, id="too long"),
    pytest.param("x" * 120, id="name too long"),
    pytest.param("/".join("abcdefghi"), id="too deep"),
    pytest.param("ａ/b", id="full-width letter"),
    pytest.param("a\n", id="newline at the end"),
]


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_could_leave_its_folder_is_refused(room: FileRoom, path: str) -> None:
    for act in (room.input_path, room.read_text, lambda each: room.write_text(each, "x")):
        with pytest.raises(ToolError) as caught:
            act(path)
        assert caught.value.code == "path_refused"
    assert not room.written


@given(st.text(max_size=220))
def test_any_text_is_a_plain_path_or_refused(path: str) -> None:
    try:
        parts = path_parts(path)
    except ToolError as error:
        assert error.code == "path_refused"
        assert error.message.isprintable()
        return
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", part) for part in parts)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("genomes/link.gb", "path_refused", id="link that leaves"),
        pytest.param("genomes/folder.gb", "path_refused", id="folder"),
        pytest.param("genomes/gone.gb", "path_refused", id="listed and not there"),
        pytest.param("secret.txt", "file_not_found", id="there and not listed"),
        pytest.param("a.gb", "file_not_found", id="in another folder"),
    ],
)
def test_only_plain_files_of_the_fixture_are_read(room: FileRoom, path: str, code: str) -> None:
    with pytest.raises(ToolError) as caught:
        room.read_text(path)
    assert caught.value.code == code


def test_a_file_in_another_folder_is_named_in_the_message(room: FileRoom) -> None:
    with pytest.raises(ToolError, match=r"did you mean genomes/a\.gb"):
        room.read_text("a.gb")
    assert room.read_text("./genomes/a.gb") == "A"


def test_an_output_is_written_whole_replaced_and_recorded(room: FileRoom) -> None:
    assert room.write_text("./out/x.txt", "one") == "out/x.txt"
    first = room.written["out/x.txt"]
    room.write_text("x.txt", "two", folder="out")
    assert room.output_path("out/x.txt").read_text() == "two"
    assert room.written["out/x.txt"] != first
    assert [path.name for path in room.output_path("out/x.txt").parent.iterdir()] == ["x.txt"], "no draft is left"
    room.close()


def test_a_file_is_no_folder_and_a_folder_no_file(room: FileRoom) -> None:
    room.write_text("a", "x")
    room.write_text("b/c", "x")
    for path in ("a/d", "b"):
        with pytest.raises(ToolError) as caught:
            room.write_text(path, "y")
        assert caught.value.code == "path_refused"
    assert set(room.written) == {"a", "b/c"}
    room.close()


def test_a_link_in_the_output_folder_is_not_followed(room: FileRoom, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    room.write_text("a", "x")
    folder = room.output_path("a").parent
    os.symlink(outside, folder / "way")
    os.symlink(outside / "target", folder / "file")
    for path in ("way/x", "file"):
        with pytest.raises(ToolError):
            room.write_text(path, "y")
    assert not list(outside.iterdir())
    room.close()


def test_an_attempt_writes_only_so_much(room: FileRoom) -> None:
    with pytest.raises(ToolError, match="at most"):
        room.write_text("big", "x" * (MAX_WRITTEN_BYTES + 1))
    for number in range(MAX_WRITTEN_FILES):
        room.write_text(f"f{number}", "x")
    with pytest.raises(ToolError, match="at most"):
        room.write_text("one-more", "x")
    room.write_text("f1", "yes: it replaces a file")
    room.close()


def test_nothing_is_written_after_the_end(room: FileRoom) -> None:
    room.write_text("a", "x")
    place = room.output_path("a")
    room.close()
    assert not place.exists()
    with pytest.raises(ToolError):
        room.write_text("b", "x")


def test_surrogates_in_a_text_become_question_marks(room: FileRoom) -> None:
    room.write_text("a", "x\ud800y")
    assert room.output_path("a").read_bytes() == b"x?y"
    room.close()
