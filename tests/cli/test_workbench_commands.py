"""`fcbench workbench` as a user calls it: a table, one call, a script on a pipe, a prompt on a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fcbench.cli import workbench_commands
from fcbench.cli.main import main
from fcbench.workflows.workbench_call import FIRST_FIXTURE
from tests.cli.terminals import in_terminal, shown_blocks, timeless
from tests.workbench.worlds import contracts

Capture = pytest.CaptureFixture[str]
PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/try-a-case.md"
READ = ("get_sequence", '{"start": 1, "end": 6}')
SAVE = ("export_genbank", '{"file_path": "out/x.gbk"}')


@pytest.fixture(autouse=True)
def _temporary_folders_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that keep their files keep them where the test's own folder ends."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main(["workbench", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out, told.err


def piped(script: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "fcbench", "workbench", *arguments]
    return subprocess.run(command, input=script.encode(), capture_output=True, check=False, timeout=120)


def test_the_first_fixture_is_the_same_in_the_command_and_in_the_workflow() -> None:
    assert workbench_commands._FIRST_FIXTURE == FIRST_FIXTURE


def test_list_has_a_row_for_every_tool_and_counts_them(capsys: Capture) -> None:
    code, out, err = run(capsys, "list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["category", "tool", "effect", "engine", "provenance"]
    assert {line.split()[1] for line in lines[2:-2]} == set(contracts())
    assert re.search(r"^sequence +get_sequence +reads +fcbench [\d.]+ +computed$", out, re.MULTILINE)
    assert lines[-1].startswith(f"{len(contracts())} tools, 13 categories; ")


def test_list_of_one_category_and_as_json(capsys: Capture) -> None:
    code, out, _ = run(capsys, "list", "--category", "cloning", "--json")
    rows = json.loads(out)
    assert code == 0
    assert {row["category"] for row in rows} == {"cloning"}
    assert rows[0].keys() == {"name", "category", "effect", "engine", "provenance"}
    code, out, err = run(capsys, "list", "--category", "clonin")
    assert (code, out) == (66, "")
    assert "did you mean cloning?" in err


def test_a_call_shows_answer_engine_provenance_and_time(capsys: Capture) -> None:
    code, out, err = run(capsys, "call", *READ)
    assert (code, err) == (0, "")
    assert out.startswith('[get_sequence] reads\n  {"start": 1, "end": 6}\n  ok  ')
    assert re.search(r"^  ok  \d+\.\d ms  computed  fcbench [\d.]+$", out, re.MULTILINE)
    assert '"sequence": "ATGCGA"' in out


def test_arguments_come_from_a_file_from_standard_input_or_not_at_all(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(READ[1])
    assert run(capsys, "call", READ[0], f"@{path}")[0] == 0
    assert run(capsys, "call", "get_clipboard")[0] == 0
    done = piped(READ[1], "call", READ[0], "-", "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["result"]["content"]["sequence"]) == (0, "ATGCGA")
    assert data.keys() >= {"tool", "fixture", "arguments", "valid", "violations", "changed", "written", "before"}
    code, _, err = run(capsys, "call", READ[0], f"@{tmp_path / 'b.json'}")
    assert (code, "No such file" in err) == (66, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param('{"start": 0, "end": 6}', "/start  minimum  range_violation", id="schema"),
        pytest.param('{"start": 1,', "line 1, column 13", id="malformed"),
        pytest.param('{"start": NaN}', "malformed_json", id="NaN"),
        pytest.param("[]", "(root)  type", id="no object"),
        pytest.param('{"start": 1, "end": 6, "\\u202e": "\\u001b[2J"}', "additionalProperties  unknown_key", id="key"),
        pytest.param('{"a":' * 100_000, "malformed_json", id="deep"),
        pytest.param('{"start": 1, "end": 1' + "0" * 399 + "}", "range_violation", id="huge"),
    ],
)
def test_wrong_arguments_are_listed_and_no_tool_runs(capsys: Capture, arguments: str, said: str) -> None:
    code, out, err = run(capsys, "call", READ[0], arguments)
    assert (code, err) == (1, "")
    assert said in out
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    code, out, _ = run(capsys, "call", READ[0], arguments, "--json")
    data = json.loads(out)
    assert (code, data["valid"], data["result"]) == (1, False, None)
    assert data["violations"]


def test_a_coded_error_is_shown_and_is_exit_1(capsys: Capture) -> None:
    code, out, err = run(capsys, "call", "get_protein_sequence", '{"gene_name": "lacZ"}')
    assert (code, err) == (1, "")
    assert "  error  " in out
    assert '"code": "gene_not_found"' in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("call", "get_sequenc"), "did you mean get_sequence?", id="tool"),
        pytest.param(("call", *READ, "--fixture", "nowhere"), "phix174", id="fixture"),
        pytest.param(("call", *READ, "--before", "nope {}"), "no tool of this name", id="tool before"),
        pytest.param(("shell", "--fixture", "../phix174"), "no fixture", id="fixture of the shell"),
    ],
)
def test_what_does_not_exist_is_not_found(capsys: Capture, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (66, "")
    assert said in err


def test_calls_that_come_before_share_the_session(capsys: Capture) -> None:
    code, out, _ = run(capsys, "call", "get_clipboard", "--before", 'copy_sequence {"start": 1, "end": 6}', "--json")
    data = json.loads(out)
    assert code == 0
    assert data["result"]["content"]["sequence"] == "ATGCGA"
    assert [one["tool"] for one in data["before"]] == ["copy_sequence"]
    assert data["before"][0]["changed"] == ["session"]


def test_a_call_before_that_fails_is_the_last_one(capsys: Capture) -> None:
    code, out, err = run(capsys, "call", *READ, "--before", 'get_sequence {"start": 0}')
    assert code == 1
    assert "required" in out
    assert "ATGCGA" not in out
    assert "so get_sequence was not called" in err


def test_outputs_are_kept_where_they_were_asked_for_and_replace_nothing(capsys: Capture, tmp_path: Path) -> None:
    code, out, _ = run(capsys, "call", *SAVE, "--output", tmp_path)
    written = tmp_path / "out/x.gbk"
    assert code == 0
    assert f"  written: {written}\n" in out
    assert written.read_text().startswith("LOCUS")
    assert sorted(path.name for path in written.parent.iterdir()) == ["x.gbk"]
    written.write_text("mine")
    code, _, err = run(capsys, "call", *SAVE, "--output", tmp_path)
    assert (code, written.read_text()) == (73, "mine")
    assert "name another --output folder" in err
    (tmp_path / "away").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b/out").symlink_to(tmp_path / "away")
    assert run(capsys, "call", *SAVE, "--output", tmp_path / "b")[0] == 73
    assert list((tmp_path / "away").iterdir()) == []


def test_without_output_the_files_stay_in_a_folder_that_is_named(capsys: Capture, tmp_path: Path) -> None:
    _, out, _ = run(capsys, "call", *SAVE, "--json")
    (name,) = json.loads(out)["written"]
    assert Path(name).is_relative_to(tmp_path)
    assert Path(name).read_text().startswith("LOCUS")


def test_a_script_runs_over_one_session_with_the_prompt_on_stderr() -> None:
    script = """# a comment {
copy_sequence {"start": 1,
  "end": 6}
get_clipboard
reset
get_clipboard {}
quit
get_clipboard
"""
    done = piped(script, "shell")
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, err
    assert out.count("[get_clipboard] reads") == 2
    assert "a fresh session on ecoli-d10483" in out
    assert out.count("ATGCGA") == 1, "there after the copy, gone after the reset"
    assert "ecoli-d10483> " in err
    assert "... " in err
    assert ">" not in out.replace("->", "")


def test_a_script_says_with_its_exit_code_what_went_wrong() -> None:
    assert piped('get_sequence {"start": 2, "end": 1}\nget_clipboard\n', "shell").returncode == 1
    done = piped('get_sequence {"start": 2, "end": 1}\nnope\nget_clipboard', "shell")
    assert done.returncode == 66
    assert b"no tool of this name" in done.stderr
    assert b"[get_clipboard]" in done.stdout, "the rest is carried out, also without a last line break"
    assert piped("", "shell").returncode == 0


def test_a_script_as_json_is_one_value_with_every_step() -> None:
    done = piped("tools clipboard\nhelp get_clipboard\nhelp\nstate\nget_clipboard\nnope\nreset\n", "shell", "--json")
    steps = json.loads(done.stdout)["steps"]
    assert [step["command"] for step in steps] == ["tools", "help", "help", "state", "get_clipboard", "nope", "reset"]
    assert {row["name"] for row in steps[0]["tools"]} >= {"get_clipboard", "copy_sequence"}
    assert steps[1]["contract"]["name"] == "get_clipboard"
    assert steps[3]["state"].keys() == {"project", "files", "view", "session", "facts"}
    assert steps[5]["exit_code"] == 66


def test_help_says_what_every_tool_takes(capsys: Capture, tmp_path: Path) -> None:
    script = "\n".join(f"help {name}" for name in contracts())
    done = piped(script, "shell")
    assert done.returncode == 0
    out = done.stdout.decode()
    for name, contract in contracts().items():
        assert f"[{name}] {contract.effect}\n  {contract.description}\n" in out
    assert out.count("  required, ") == sum(len(contract.required) for contract in contracts().values())


def test_at_a_prompt_the_tab_key_completes_names_and_calls_are_coloured() -> None:
    pytest.importorskip("readline")
    typed = [b"get_clipb\t\n", b"help get_clipb\t\n", b'get_sequence {"start": 0}\n', b"quit\n"]
    code, out = in_terminal(["workbench", "shell"], typed)
    assert code == 0, "at a prompt a wrong call is no failure of the command"
    assert out.count("\x1b[1;37;44m[get_clipboard]\x1b[0m") == 2
    assert "no arguments" in out
    assert "range_violation" in out


def test_at_a_prompt_ctrl_d_ends() -> None:
    code, out = in_terminal(["workbench", "shell"], [b"get_clipboard\n", b"\x04"])
    assert code == 0
    assert "[get_clipboard]" in out


@pytest.mark.parametrize(("command", "output"), shown_blocks(PAGE, "fcbench workbench"))
def test_the_page_shows_what_the_command_prints(capsys: Capture, command: list[str], output: str) -> None:
    main(command)
    assert timeless(capsys.readouterr().out) == timeless(output)
