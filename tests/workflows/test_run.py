"""A whole run through the workflow: seal, resume after a kill, secrets, purpose."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.errors import PackageError, ProviderError
from fcbench.packages.store import open_package
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import Progress, RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify

TARGET = "complex-schema-nl/quick"
SECRET = "sk-do-not-write-me-anywhere-0123456789"


class Killed(BaseException):
    """Stands for a kill: no handler of ours may swallow it."""


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


@pytest.fixture
def endpoint() -> Iterator[tuple[str, dict[str, int]]]:
    """A server that speaks the chat API and answers text; `status` can be set, and requests are counted."""
    state = {"status": 200, "requests": 0}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            state["requests"] += 1
            body = {"choices": [{"message": {"content": "Dat kan ik niet."}, "finish_reason": "stop"}], "usage": {}}
            if state["status"] != 200:
                body = {"error": {"message": f"the key {SECRET} is wrong"}}
            raw = json.dumps(body).encode()
            self.send_response(state["status"])
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", state
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_interrupted_run_goes_on_and_equals_an_undisturbed_one(material: Material, tmp_path: Path) -> None:
    request = RunRequest(target=TARGET, model="scripted:random")

    def kill_after_seven(progress: Progress) -> None:
        if progress.done == 7:
            raise Killed

    with pytest.raises(Killed):
        run(material, request, tmp_path / "a", listen=kill_after_seven)
    (partial,) = (tmp_path / "a").glob("*/*.partial")
    assert len((partial / "attempts.jsonl").read_bytes().splitlines()) == 7
    with pytest.raises(PackageError, match="not sealed"):
        open_package(partial)
    resumed = run(material, request, tmp_path / "a")
    whole = run(material, request, tmp_path / "b")
    assert not list((tmp_path / "a").glob("*/*.partial"))
    assert resumed.manifest.counts == whole.manifest.counts == {"completed": 18}

    def timeless(attempt: object) -> list[object]:
        return [
            [attempt.task_id, attempt.repeat, attempt.try_number],  # type: ignore[attr-defined]
            [[turn.calls and [c.raw_arguments for c in turn.calls], turn.text] for turn in attempt.rounds],  # type: ignore[attr-defined]
        ]

    assert [timeless(one) for one in resumed.attempts()] == [timeless(one) for one in whole.attempts()]
    assert (resumed.folder / "cases.jsonl").read_bytes() == (whole.folder / "cases.jsonl").read_bytes()
    assert (resumed.folder / "contracts.jsonl").read_bytes() == (whole.folder / "contracts.jsonl").read_bytes()


def test_other_parameters_do_not_resume_the_run(material: Material, tmp_path: Path) -> None:
    def kill(_: Progress) -> None:
        raise Killed

    with pytest.raises(Killed):
        run(material, RunRequest(target=TARGET, model="scripted:null"), tmp_path, listen=kill)
    run(material, RunRequest(target=TARGET, model="scripted:null", repeats=1), tmp_path)
    assert len(list(tmp_path.glob("*/*.partial"))) == 1, "the first run is still there, resumable"


def test_no_secret_reaches_a_file(
    material: Material, tmp_path: Path, endpoint: tuple[str, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, state = endpoint
    monkeypatch.setenv("MY_MODEL_KEY", SECRET)
    options = ProviderOptions(base_url=url, api_key_env="MY_MODEL_KEY")
    request = RunRequest(target=TARGET, model="openai_chat:tester", options=options, repeats=1)
    package = run(material, request, tmp_path)
    score(package)
    assert package.header.provider.endpoint == "loopback"
    assert state["requests"] == 6
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 7
    assert [path for path in written if SECRET.encode() in path.read_bytes()] == []


def test_a_refused_key_stops_the_run_and_keeps_it_resumable(
    material: Material, tmp_path: Path, endpoint: tuple[str, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, state = endpoint
    monkeypatch.setenv("MY_MODEL_KEY", SECRET)
    options = ProviderOptions(base_url=url, api_key_env="MY_MODEL_KEY")
    request = RunRequest(target=TARGET, model="openai_chat:tester", options=options, repeats=1)
    state["status"] = 401
    with pytest.raises(ProviderError, match="refuses this run"):
        run(material, request, tmp_path)
    assert state["requests"] == 1, "no further request could succeed"
    state["status"] = 200
    assert run(material, request, tmp_path).manifest.complete
    assert [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()] == []


def test_picked_cases_make_an_interactive_run_that_is_never_ranked(material: Material, tmp_path: Path) -> None:
    package = run(material, RunRequest(target="genomics", model="scripted:oracle", only=("gs-003",)), tmp_path)
    assert package.header.purpose == "interactive"
    assert list(package.cases) == ["gs-003"]


def test_every_record_says_what_assistance_was_given(material: Material, tmp_path: Path) -> None:
    offline = RunRequest(target="genomics/quick", model="scripted:null", harness="contract", mode="oracle-assisted")
    steered = run(material, offline, tmp_path)
    parity = run(material, replace(offline, mode="production-parity"), tmp_path)
    assert (steered.header.assistance.step_count_disclosed, steered.header.assistance.round_budget) == (
        True,
        "expected steps + 4",
    )
    assert (parity.header.assistance.step_count_disclosed, parity.header.assistance.round_budget) == (False, "10")
    assert steered.header.key != parity.header.key, "two boards"


def test_a_package_verifies_from_itself_alone(material: Material, tmp_path: Path) -> None:
    package = run(material, RunRequest(target=TARGET, model="scripted:lexical"), tmp_path)
    score(package)
    moved = tmp_path / "elsewhere"
    package.folder.rename(moved)
    found = verify(moved)
    assert found.problems == ()
    assert (found.attempts, found.verdicts, found.verdict_files) == (18, 36, 1)
