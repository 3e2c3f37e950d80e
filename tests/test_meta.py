from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import yaml
from typer.models import CommandInfo, TyperInfo

import fcbench
from fcbench import errors
from fcbench.core.records import Record

ROOT = Path(__file__).resolve().parents[1]
RESULT_CODES = {0, 1, 2}
"""Pass, fail, cannot tell: results of a gate, never errors."""


def _modules() -> list[str]:
    return sorted(info.name for info in pkgutil.walk_packages(fcbench.__path__, "fcbench."))


def _import_all() -> None:
    for name in _modules():
        try:
            importlib.import_module(name)
        except errors.UnavailableError:
            continue  # a missing extra, which that module reports by itself


def _subclasses(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from _subclasses(kind)


def test_every_module_has_a_docstring_and_exports_only_what_exists() -> None:
    for name in _modules():
        try:
            module = importlib.import_module(name)
        except errors.UnavailableError:
            continue
        assert module.__doc__, name
        for public in getattr(module, "__all__", ()):
            assert hasattr(module, public), f"{name}.{public}"


def test_every_record_is_frozen_closed_and_keyword_only() -> None:
    _import_all()
    structs = [kind for kind in _subclasses(msgspec.Struct) if kind.__module__.startswith("fcbench")]
    assert len(structs) > 30
    for kind in structs:
        config = kind.__struct_config__
        assert config.frozen, kind
        assert config.forbid_unknown_fields or not issubclass(kind, Record), kind
        parameters = inspect.signature(kind).parameters.values()
        assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters), kind


def test_every_error_is_in_the_drawn_tree_with_its_exit_code() -> None:
    _import_all()
    kinds = [kind for kind in _subclasses(errors.FcbenchError) if kind.__module__ == "fcbench.errors"]
    assert len(kinds) > 10
    drawn = dict(re.findall(r"(\w+Error) +(\d+) ", errors.__doc__ or ""))
    for kind in kinds:
        assert kind.__name__ in (errors.__doc__ or ""), kind
        assert int(drawn.get(kind.__name__, kind.exit_code)) == kind.exit_code, kind


def test_no_error_ends_with_a_code_that_is_a_result() -> None:
    _import_all()
    for kind in _subclasses(errors.FcbenchError):
        assert kind.exit_code not in RESULT_CODES, kind


def _commands() -> list[tuple[str, ...]]:
    from fcbench.cli.main import app

    def walk(typer: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        command: CommandInfo
        group: TyperInfo
        for command in typer.registered_commands:  # type: ignore[attr-defined]
            callback = command.callback
            yield (*path, command.name or getattr(callback, "__name__", "").replace("_", "-"))
        for group in typer.registered_groups:  # type: ignore[attr-defined]
            yield from walk(group.typer_instance, (*path, group.name or ""))

    return sorted(walk(app, ()))


def test_every_command_has_help_with_an_example_and_stands_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    from fcbench.cli.main import main

    reference = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    commands = _commands()
    assert ("quickstart",) in commands
    for command in commands:
        name = " ".join(("fcbench", *command))
        assert main([*command, "--help"]) == 0, name
        shown = capsys.readouterr().out
        assert re.search(rf"Example.*{re.escape(name)}", shown, re.DOTALL), f"{name} --help shows no example"
        assert re.search(rf"`{re.escape(name)}\b", reference), f"{name} is not in docs/reference/commands.md"


def test_the_reference_names_no_command_that_does_not_exist() -> None:
    reference = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    known = {" ".join(("fcbench", *command)) for command in _commands()}
    headings = re.findall(r"^#+ `(fcbench [a-z -]+?)`", reference, re.MULTILINE)
    assert headings
    assert set(headings) <= known


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == fcbench.__version__
    assert f"## [{fcbench.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.fullmatch(r"\d+\.\d+\.\d+", fcbench.__version__)


def test_ci_runs_the_commands_of_the_readme() -> None:
    """The last step of .ci/run is, literally, the second command of README.md."""
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 2
    steps = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert [line for line in steps if line.strip()][-1] == commands[1]


def test_constraints_pin_everything_that_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    pinned = set(
        re.findall(r"^([\w.-]+)==\S+(?: ; .+)?$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    normal = {name.lower().replace("_", "-") for name in pinned}
    for requirement in [*project["dependencies"], *extras["dev"], *extras["local"]]:
        name = re.split(r"[<>=!~ ;\[]", requirement, maxsplit=1)[0]
        assert name.lower().replace("_", "-") in normal, requirement


def test_no_file_names_this_machine_or_a_package_index() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: what is installed is not what is published")
    # Written apart, so that this file does not find itself.
    forbidden = re.compile(
        "|".join(("/work" + "/(main|shared)", "/root" + "/", "/tmp" + "/venv", "pypi" + r"\.org", "/opt" + "/pypi"))
    )
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.stat().st_size < 8_000_000:
            text = path.read_bytes().decode("utf-8", "replace")
            if forbidden.search(text):
                found.append(name)
    assert found == []
