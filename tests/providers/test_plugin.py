"""The example package is found as an installed one is: by its metadata on the path, nothing of ours is patched."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from fcbench.cli.main import main
from fcbench.errors import NotFoundError, UnavailableError
from fcbench.providers.base import Message
from fcbench.providers.catalog import open_provider, provider_names
from tests.providers.loopback import ask

EXAMPLE = Path(__file__).with_name("plugin_example")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with the example and the metadata that pip would write for it."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copy(EXAMPLE / "fcbench_echo_example.py", tmp_path)
    info = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "fcbench_echo_example", raising=False)
    return info


@pytest.mark.usefixtures("installed")
def test_the_example_package_is_opened_by_its_entry_point_and_answers() -> None:
    assert "echo" in provider_names()
    provider = open_provider("echo:first:one")
    assert (provider.info.provider, provider.info.model) == ("echo", "first:one")
    reply = asyncio.run(provider.complete(ask()))
    assert [call.name for call in reply.calls] == ["get_gene"]
    turns = (*ask().messages, Message(role="assistant", calls=reply.calls), Message(role="tool", content="337"))
    again = asyncio.run(provider.complete(msgspec.structs.replace(ask(), messages=turns, round=2)))
    assert (again.text, again.calls) == ("337", ())
    asyncio.run(provider.aclose())


@pytest.mark.usefixtures("installed")
def test_the_catalog_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert "other packages: echo = fcbench_echo_example:open_echo" in capsys.readouterr().out


def test_one_that_cannot_be_loaded_is_named_and_one_that_is_gone_is_not_there(installed: Path) -> None:
    (installed.parent / "fcbench_echo_example.py").write_text("raise RuntimeError('broken')\n", encoding="utf-8")
    with pytest.raises(UnavailableError, match="broken"):
        open_provider("echo:m")
    shutil.rmtree(installed)
    with pytest.raises(NotFoundError):
        open_provider("echo:m")


def test_a_third_party_replaces_neither_a_built_in_provider_nor_a_preset(installed: Path) -> None:
    names = "[fcbench.providers]\nscripted = fcbench_echo_example:open_echo\nollama = fcbench_echo_example:open_echo\n"
    (installed / "entry_points.txt").write_text(names, encoding="utf-8")
    assert open_provider("scripted:null").info.provider == "scripted"
    assert open_provider("ollama:m").info.provider == "openai_chat"
