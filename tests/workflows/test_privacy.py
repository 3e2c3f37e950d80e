"""A key stays in the environment; hub libraries stay offline; nothing reports home."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from fcbench.cli.main import main

KEY = "sk-planted/0123456789+abcdef\"quoted'-Zz"
PIECES = (KEY, KEY[:24], quote(KEY, safe=""), json.dumps(KEY)[1:-1], base64.b64encode(KEY.encode()).decode())
"""The key, half of it, and forms in which it may be written down."""

Answer = tuple[int, str, bytes]
"""Status, content type, body."""


def _chat(text: str, **message: object) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}).encode()


def _error(status: int) -> Callable[[str], Answer]:
    def answer(sent: str) -> Answer:
        body = {"error": {"message": f"bad header: {sent}", "type": sent, "param": sent, "code": sent}}
        return status, "application/json", json.dumps(body).encode()

    return answer


def _call(sent: str) -> Answer:
    function = {"name": sent, "arguments": json.dumps({"a": sent})}
    return 200, "application/json", _chat("", tool_calls=[{"id": sent, "type": "function", "function": function}])


def _fair(sent: str) -> Answer:
    return 200, "application/json", _chat("no")


ECHOES: dict[str, Callable[[str], Answer]] = {
    "server error": _error(500),
    "rate limit": _error(429),
    "refusal": _error(400),
    "refusal, not JSON": lambda sent: (422, "text/html", f"<h1>{sent}</h1>".encode()),
    "gateway page": lambda sent: (502, "text/html", f"<pre>{sent}\n{sent[:30]}</pre>".encode()),
    "reply": lambda sent: (200, "application/json", _chat(f"you sent {sent}")),
    "call": _call,
    "broken reply": lambda sent: (200, "application/json", f'{{"choices": "{sent}"'.encode()),
    "no choice": lambda sent: (200, "application/json", json.dumps({"error": sent}).encode()),
}
"""Answers that quote the header with the key."""


@contextmanager
def echoing(answers: list[Callable[[str], Answer]]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn, then a fair one; its URL, and the headers that it got."""
    heard: list[str] = []
    turn = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            sent = self.headers.get("Authorization") or self.headers.get("X-Api-Key") or ""
            with turn:
                place = len(heard)
                heard.append(sent)
            status, kind, body = (
                answers[place](sent) if place < len(answers) else (200, "application/json", _chat("no"))
            )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("X-Request-Id", sent)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def leaks(texts: dict[str, bytes]) -> list[str]:
    """Where a piece of the key stands."""
    return [f"{name}: {piece}" for name, text in texts.items() for piece in PIECES if piece.encode() in text]


def written(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def command(url: str, folder: Path, *more: str) -> list[str]:
    options = ["--base-url", url, "--api-key-env", "PLANTED_KEY", "--repeats", "1", "--concurrency", "6"]
    target = ["run", "complex-schema-nl/quick", "--model", "openai_chat:tester"]
    return [*target, *options, "--output", str(folder), *more]


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_KEY", KEY)
    monkeypatch.setenv("FCBENCH_TRACEBACK", "1")


def test_no_piece_of_a_key_is_written_or_printed_whatever_a_server_quotes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with echoing(list(ECHOES.values())) as (url, heard):
        code = main(command(url, tmp_path, "--seal-incomplete"))
        out, err = capsys.readouterr()
    assert code == 0
    assert len(heard) > len(ECHOES)
    assert all(KEY in sent for sent in heard), "the server really got it, and quoted it"
    assert leaks({**written(tmp_path), "stdout": out.encode(), "stderr": err.encode()}) == []
    log = next(tmp_path.rglob("run.log")).read_text()
    assert "***" in log, "what was hidden is seen to be hidden"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_refused_key_is_not_quoted_where_the_run_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    with echoing([_error(401)] * 6) as (url, _):
        code = main(command(url, tmp_path, *(["--json"] if as_json else [])))
        out, err = capsys.readouterr()
    assert code == 75
    assert "refuses this run" in err
    assert leaks({**written(tmp_path), "stdout": out.encode(), "stderr": err.encode()}) == []


def test_hub_libraries_are_offline_and_silent_whatever_the_environment_says() -> None:
    code = (
        "import json, os\n"
        "from fcbench.cli.main import main\n"
        "main(['--version'])\n"
        "from huggingface_hub import constants\n"
        "import datasets.config\n"
        "print(json.dumps([constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_TELEMETRY, "
        "constants.HF_HUB_DISABLE_IMPLICIT_TOKEN, datasets.config.HF_HUB_OFFLINE, os.environ['DO_NOT_TRACK']]))\n"
    )
    names = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
    environment = {**os.environ, **dict.fromkeys(names, "0")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [True, True, True, True, "1"]
