"""`fcbench validate` as a user calls it: the real `main`, files, a pipe and a terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fcbench.cli.main import main

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to/validate-json.md"
EXAMPLE = PAGE.with_suffix("")
TOOL = ("--tool", "vraag_dossierstatus_op")


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main(["validate", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out, told.err


def piped(text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "fcbench", "validate", *arguments]
    return subprocess.run(command, input=text, capture_output=True, check=False, timeout=120)


@pytest.fixture
def reply(tmp_path: Path) -> Path:
    path = tmp_path / "reply.jsonl"
    path.write_text('{"dossier_id": "DOS-12345"}\n{"dossier_id": 12345}\n{"dossier_id": NaN}\n')
    return path


def test_every_document_has_a_block_and_the_last_line_counts(capsys: Capture, reply: Path) -> None:
    code, out, err = run(capsys, *TOOL, reply)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == f"{reply}:1  valid"
    assert lines[1] == f"{reply}:2  1 violation"
    assert lines[2] == "  1  /dossier_id  type  wrong_type  12345 is not of type 'string'."
    assert "line 3, column 16" in lines[4]
    assert lines[-1] == "3 documents: 1 valid, 2 invalid, 2 violations"


def test_json_output_is_one_object(capsys: Capture, reply: Path) -> None:
    code, out, _ = run(capsys, *TOOL, reply, "--json", "--explain")
    data = json.loads(out)
    assert code == 1
    assert (data["valid"], data["invalid"]) == (1, 2)
    assert data["schema"]["level"] == "L1"
    assert [one["valid"] for one in data["documents"]] == [True, False, False]
    assert data["documents"][1]["violations"] == [
        {
            "pointer": "/dossier_id",
            "keyword": "type",
            "kind": "wrong_type",
            "message": "At /dossier_id: 12345 is not of type 'string'.",
            "found": 12345,
            "expected": {"type": "string"},
        }
    ]
    malformed = data["documents"][2]["violations"][0]
    assert (malformed["kind"], malformed["line"], malformed["column"]) == ("malformed_json", 3, 16)


def test_all_valid_is_0_and_nothing_to_check_cannot_tell(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"dossier_id": "DOS-12345"}')
    assert run(capsys, *TOOL, path)[0] == 0
    path.write_text("\n")
    assert run(capsys, *TOOL, path)[:2] == (2, "no document\n")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        pytest.param([], 64, "--schema FILE", id="nothing to check against"),
        pytest.param(["--tool", "vraag_dossier_op", "x"], 66, "did you mean vraag_dossierstatus_op", id="tool"),
        pytest.param([*TOOL, "--registry", "genomic"], 66, "did you mean genomics", id="registry"),
        pytest.param([*TOOL, "nowhere.json"], 66, "nowhere.json", id="file"),
        pytest.param([*TOOL, "."], 66, "cannot be read", id="folder"),
        pytest.param([*TOOL, "--instruction", "@nowhere.txt", "x"], 66, "nowhere.txt", id="instruction"),
        pytest.param(["--schema", str(PAGE), "x"], 65, "YAML", id="no schema"),
        pytest.param(["--call", "--explain", "x"], 64, "--explain", id="no one schema"),
    ],
)
def test_a_wrong_command_line_is_one_clear_error(capsys: Capture, arguments: list[str], code: int, says: str) -> None:
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert says in err


@pytest.mark.parametrize("arguments", [(), ("-",)], ids=["without a file", "a dash"])
def test_standard_input_is_read_from_a_pipe(arguments: tuple[str, ...]) -> None:
    done = piped(b'{"dossier_id": "DOS-12345"} {"dossier_id": "\xff"}\n', *TOOL, *arguments)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[0] == "stdin:1  valid"
    assert "stdin:1:29  1 violation" in done.stdout.decode()
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_without_standard_input_there_is_nothing_to_check() -> None:
    command = f'"{sys.executable}" -m fcbench validate --tool vraag_dossierstatus_op <&-'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (2, "no document\n", "")


def test_terminal_escapes_of_a_document_are_not_obeyed_in_text_or_json(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"dossier_id": "\u009b2J\u202e\U000e0001 \u001b"}))
    for more in ((), ("--json",)):
        _, out, _ = run(capsys, *TOOL, path, *more)
        assert not set(out) & {"\x1b", "\x9b", "\u202e", "\U000e0001"}
    assert json.loads(out)["documents"][0]["violations"][0]["found"] == "\u009b2J\u202e\U000e0001 \u001b"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_without_a_file_there_is_a_prompt() -> None:
    import pty

    control, terminal = pty.openpty()
    command = [sys.executable, "-m", "fcbench", "validate", *TOOL]
    with subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True
    ) as child:
        os.close(terminal)
        os.write(control, b'{"dossier_id":\n"DOS-12345"}\n{"dossier_id": \n\n\x04')
        out, err = child.communicate(timeout=120)
        os.close(control)
    assert child.returncode == 1
    assert out.decode().splitlines()[:2] == ["prompt 1  valid", "prompt 2  1 violation"]
    assert out.decode().splitlines()[-1] == "2 documents: 1 valid, 1 invalid, 1 violation"
    assert err.count(b"> ") == 3
    assert b"Ctrl-D" in err


def shown() -> list[tuple[list[str], str]]:
    """Commands of the page with the output that stands below each."""
    blocks = re.findall(
        r"```sh\n(fcbench validate .*?)\n```\n+```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    return [(command.split()[2:], output) for command, output in blocks]


@pytest.mark.parametrize(("arguments", "output"), shown())
def test_the_page_shows_what_the_command_prints(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: list[str], output: str
) -> None:
    monkeypatch.chdir(EXAMPLE)
    _, out, err = run(capsys, *arguments)
    assert (out, err) == (output, "")


def test_the_page_has_outputs_to_compare() -> None:
    assert len(shown()) >= 3
