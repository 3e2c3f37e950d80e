"""Bad input: one clear error (wanted, found, where, next), a documented exit code, nothing half-written."""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fcbench.cli.main import main
from fcbench.workflows.project import embedded_root

Main = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of its own with the complex-schema suite, to be broken."""
    root = tmp_path / "project"
    default = embedded_root()
    shutil.copytree(default / "suites" / "complex-schema-nl", root / "suites" / "complex-schema-nl")
    shutil.copytree(default / "tools_registry" / "complex-schema", root / "tools_registry" / "complex-schema")
    (root / "suites" / "collections.yaml").write_text(
        "collections:\n  complex-schema-nl:\n    title: Dutch\n    suites: [complex-schema-nl]\n    harness: contract\n"
        "    mode: production-parity\n    retrieval: given\n    headline_tier: native-function-contract\n"
    )
    return root


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Main:
    """Run a command that must fail; returns exit code, stdout and stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def edit(path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_an_unknown_tool_in_a_case(project: Path, fails: Main) -> None:
    edit(project / "suites/complex-schema-nl/hypotheken.yaml", "tool: verwerk_hypotheek", "tool: verwerk_hypotheken")
    code, out, err = fails("suite", "check", "--project", project)
    assert (code, out) == (65, "")
    assert "verwerk_hypotheken_aanvraag" in err
    assert "did you mean verwerk_hypotheek_aanvraag" in err
    assert "hypotheken.yaml:" in err


def test_a_schema_with_a_broken_reference(project: Path, fails: Main) -> None:
    path = project / "tools_registry/complex-schema/zoek_huurwoningen.yaml"
    edit(path, "$defs/", "$defs/nowhere_")
    code, out, err = fails("registry", "check", "--project", project)
    assert code == 1, "a lint finding fails the check"
    assert "nowhere_" in out + err
    assert "zoek_huurwoningen.yaml:" in out + err


def test_yaml_with_a_tab(project: Path, fails: Main) -> None:
    edit(project / "suites/complex-schema-nl/hypotheken.yaml", "  task:", "\ttask:")
    code, out, err = fails("suite", "check", "--project", project)
    assert (code, out) == (65, "")
    assert "tab" in err
    assert "hypotheken.yaml:2" in err


def test_a_duplicate_id_names_both_places(project: Path, fails: Main) -> None:
    edit(project / "suites/complex-schema-nl/hypotheken.yaml", "id: cs-nl-002", "id: cs-nl-001")
    code, out, err = fails("suite", "stats", "--project", project)
    assert (code, out) == (65, "")
    assert "cs-nl-001" in err
    assert err.count("hypotheken.yaml:") == 2


def test_a_run_directory_that_cannot_be_written(tmp_path: Path, fails: Main) -> None:
    blocked = tmp_path / "runs"
    blocked.write_text("a file where a folder should be")
    code, out, err = fails("run", "complex-schema-nl/quick", "--model", "scripted:null", "--output", blocked)
    assert (code, out) == (73, "")
    assert "cannot be written" in err
    assert "next:" in err
    assert blocked.read_text() == "a file where a folder should be"


def test_a_model_file_that_is_not_gguf(tmp_path: Path, fails: Main) -> None:
    model = tmp_path / "model.gguf"
    model.write_bytes(b"PK\x03\x04 this is a zip file")
    runs = tmp_path / "runs"
    code, out, err = fails("run", "complex-schema-nl/quick", "--model", f"llama_server:{model}", "--output", runs)
    assert (code, out) == (65, "")
    assert "GGUF" in err
    assert str(model) in err
    assert not runs.exists()


def test_a_model_file_that_is_not_there(tmp_path: Path, fails: Main) -> None:
    code, _, err = fails("run", "complex-schema-nl/quick", "--model", f"llama_server:{tmp_path / 'no.gguf'}")
    assert code == 66
    assert "no.gguf" in err


def test_a_port_in_use(tmp_path: Path, fails: Main) -> None:
    (tmp_path / "index.html").write_text("<p>site</p>")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = fails("site", "serve", tmp_path, "--port", port)
    assert (code, out) == (69, "")
    assert str(port) in err
    assert "--port" in err


def test_a_missing_extra_is_named(tmp_path: Path, fails: Main, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF")
    code, out, err = fails("quickstart", "--gguf", model, "--output", tmp_path / "out")
    assert (code, out) == (69, "")
    assert "fcbench[local]" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        pytest.param(["frobnicate"], 64, "No such command", id="unknown command"),
        pytest.param(["run"], 64, "Missing", id="missing argument"),
        pytest.param(["run", "x", "--model", "scripted:null", "--repeats", "many"], 64, "1 to 100", id="repeats"),
        pytest.param(["run", "complex-schema-n", "--model", "scripted:null"], 66, "did you mean", id="target"),
        pytest.param(["run", "genomics", "--model", "nobody:x"], 66, "scripted", id="provider"),
        pytest.param(["run", "genomics", "--model", "scripted"], 64, "PROVIDER:MODEL", id="model without a provider"),
        pytest.param(
            ["run", "genomics", "--model", "scripted:null", "--retrieval", "magic"], 64, "lexical", id="retrieval"
        ),
        pytest.param(
            ["run", "genomics", "--model", "scripted:null", "--case", "gs-999"], 64, "gs-999", id="unknown case"
        ),
        pytest.param(
            ["run", "genomics", "--model", "scripted:null", "--option", "thread=2"], 64, "threads", id="unknown option"
        ),
        pytest.param(
            ["run", "genomics", "--model", "scripted:null", "--option", "threads=two"], 64, "threads", id="option value"
        ),
        pytest.param(
            ["run", "genomics", "--model", "scripted:null", "--run-id", "../x"], 64, "folder", id="run id is a path"
        ),
        pytest.param(
            ["run", "genomics", "--model", "scripted:null", "--run-id", "a.partial"], 64, "folder", id="run id .partial"
        ),
        pytest.param(
            [
                "run",
                "genomics",
                "--model",
                "openai_chat:x",
                "--base-url",
                "http://127.0.0.1:9",
                "--decoding",
                "grammar",
            ],
            64,
            "--decoding",
            id="decoding that the provider lacks",
        ),
        pytest.param(["verify", "nowhere"], 66, "nowhere", id="no folder"),
        pytest.param(["tables", "nowhere"], 66, "nowhere", id="no runs"),
        pytest.param(["suite", "stats", "--project", "nowhere"], 64, "tools_registry", id="no project"),
        pytest.param(["site", "serve", "nowhere"], 66, "fcbench run --output", id="no site and no packages"),
        pytest.param(
            ["site", "build", "--base-url", "example.org"], 64, "https://example.org/fcbench/", id="no address"
        ),
    ],
)
def test_a_wrong_command_line(
    arguments: list[str], code: int, says: str, fails: Main, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found, out, err = fails(*arguments)
    assert (found, out) == (code, "")
    assert says in err
    assert list(tmp_path.iterdir()) == [], "nothing was written"


def test_errors_in_json_mode_are_one_object(fails: Main) -> None:
    code, out, err = fails("verify", "nowhere", "--json")
    assert (code, out) == (66, "")
    assert '"exit_code": 66' in err
    assert err.count("\n") == 1


def test_terminal_escapes_from_a_file_are_made_visible(fails: Main, tmp_path: Path) -> None:
    code, _, err = fails("verify", tmp_path / "\x1b[31mred")
    assert code == 66
    assert "\x1b" not in err
    assert "\\u001b[31mred" in err
