"""Every wire through a whole run: the package verifies, says how it was asked, and holds no key."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fcbench.errors import FcbenchError
from fcbench.packages.store import Package
from fcbench.providers.base import Sampling
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify
from tests.providers.loopback import Answer, completion, serve
from tests.providers.test_command import program, says
from tests.providers.test_openai_responses import CALL, REASONING, response, said

TARGET = "complex-schema-nl/quick"
KEY = "sk-GOODSECRET-0123456789"
MESSAGE = (
    b'{"content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use", "id": "t1", '
    b'"name": "no_such_tool", "input": {}}], "stop_reason": "tool_use", "usage": {"input_tokens": 3}}'
)
needs_anthropic = pytest.mark.skipif(find_spec("anthropic") is None, reason="the extra anthropic is not installed")
WIRES = [
    pytest.param("openai_responses:m", response(REASONING, said("Hm."), CALL), id="openai_responses"),
    pytest.param("openrouter:vendor/m", completion({"content": "Nee."}), id="openrouter"),
    pytest.param("anthropic_messages:m", MESSAGE, id="anthropic_messages", marks=needs_anthropic),
]


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", KEY)


def whole(material: Material, runs: Path, model: str, decoding: str = "free", **options: str) -> Package:
    given = ProviderOptions(api_key_env="PLANTED_API_KEY", **options)  # type: ignore[arg-type]
    sampling = Sampling(decoding=decoding)  # type: ignore[arg-type]
    package = run(material, RunRequest(target=TARGET, model=model, options=given, sampling=sampling), runs)
    score(package)
    return package


def holds_key(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and b"sk-GOOD" in path.read_bytes()]


@pytest.mark.parametrize(("model", "body"), WIRES)
def test_a_run_over_a_wire_seals_a_package_that_verifies_and_holds_no_key(
    model: str, body: bytes, material: Material, tmp_path: Path
) -> None:
    with serve(Answer(body=body)) as server:
        package = whole(material, tmp_path, model, base_url=server.url)
    assert KEY in repr(server.seen[0][1])
    assert package.manifest.complete
    assert package.manifest.counts.keys() <= {"completed", "budget_exhausted"}
    assert verify(package.folder).intact
    assert holds_key(tmp_path) == []


@pytest.mark.parametrize(("model", "body"), WIRES)
def test_a_server_that_echoes_the_key_in_a_refusal_brings_it_nowhere(
    model: str, body: bytes, material: Material, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = f'{{"type": "error", "error": {{"type": "authentication_error", "message": "got Bearer {KEY}"}}}}'
    with serve(Answer(status=401, body=refused.encode())) as server, pytest.raises(FcbenchError) as caught:
        whole(material, tmp_path, model, base_url=server.url)
    shown = capsys.readouterr()
    assert "sk-GOOD" not in str(caught.value) + shown.out + shown.err
    assert holds_key(tmp_path) == []


def test_a_program_is_measured_and_neither_its_arguments_nor_its_key_are_kept(
    material: Material, tmp_path: Path
) -> None:
    command = program(tmp_path, "print(os.environ['PLANTED_API_KEY'], file=sys.stderr)\n" + says("{'id': key}"))
    package = whole(material, tmp_path / "runs", f"command:{command} --secret sk-GOODARGUMENT")
    info = package.manifest.header.provider
    assert (info.provider, info.model) == ("command", "agent.py")
    assert verify(package.folder).intact
    assert holds_key(tmp_path / "runs") == []
    assert str(Path(sys.executable).parent) not in (package.folder / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("decoding", "is_lossy"), [("free", False), ("strict", True)])
def test_a_run_records_what_its_provider_does_to_the_schemas_of_its_own_tools(
    decoding: str, is_lossy: bool, material: Material, tmp_path: Path
) -> None:
    with serve(Answer(body=completion({"content": "Nee."}))) as server:
        package = whole(material, tmp_path, "openai:gpt-4.1", decoding, base_url=server.url)
    losses = package.manifest.header.provider.schema_losses
    assert bool(losses) is is_lossy
    assert {loss.tool for loss in losses} <= {str(contract.name) for contract in package.contracts.values()}
    assert verify(package.folder).intact
