"""Servers that are not there, cannot be trusted or point elsewhere."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.engine.faults.replies import completion, raw, says
from tests.engine.faults.server import Answer, Asked, serve
from tests.engine.faults.world import Made, make


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine that nobody vouches for, and its key, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "certificate.pem", folder / "key.pem"
    asked = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(made), "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", *asked, *names, *files], check=True, capture_output=True)
    made.write_text(made.read_text() + key.read_text())
    return made


def secure(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def hello(asked: Asked) -> Answer:
    return says("hello")


def ended_by_refusal(made: Made) -> str:
    assert made.attempts == []
    assert made.refusal is not None
    return str(made.refusal)


def test_an_untrusted_certificate_ends_the_run_before_anything_is_sent(certificate: Path) -> None:
    with serve(hello, tls=secure(certificate)) as server:
        said = ended_by_refusal(make(server.url))
    assert server.count == 0
    assert "certificate is not trusted: self" in said


def test_a_certificate_that_the_machine_trusts_is_taken(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serve(hello, tls=secure(certificate)) as server:
        assert [one.outcome for one in make(server.url).attempts] == ["completed"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_on_this_machine(status: int) -> None:
    with serve(hello) as other, serve(lambda asked: raw(b"", status=status, Location=other.url)) as server:
        said = ended_by_refusal(make(server.url))
    assert (server.count, other.count) == (1, 0)
    assert f"it points to {other.url}, and no redirect is followed" in said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_over_https(status: int, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serve(hello) as other:
        there = raw(b"", status=status, Location=f"{other.url}/chat/completions")
        with serve(lambda asked: there, tls=secure(certificate)) as server:
            ended_by_refusal(make(server.url))
    assert (server.count, other.count) == (1, 0)


def test_a_redirect_to_an_own_path_is_no_more_followed() -> None:
    with serve(lambda asked: raw(b"", status=307, Location="/v2/chat/completions")) as server:
        ended_by_refusal(make(server.url))
    assert [asked.path for asked in server.seen] == ["/v1/chat/completions"]


def test_nobody_at_the_port_ends_the_run_as_provider_down_after_pauses() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        made = make(f"http://127.0.0.1:{closed.getsockname()[1]}/v1", pause=True)
    assert made.attempts == []
    assert made.halt.reason is not None
    assert made.halt.reason.kind == "provider down"
    assert [wait.why for wait in made.waits] == ["provider down"] * 8
    assert made.spent.requests == 13, "five failures open the breaker, then one probe after each of eight pauses"


def test_a_connection_that_is_not_made_in_time_is_not_the_models_time() -> None:
    # The server waits for a request where the client waits for the server's part of TLS.
    with serve(hello) as server:
        made = make(server.url.replace("http:", "https:"), limit_s=0.6)
    (attempt,) = made.attempts
    assert attempt.error is not None
    assert (attempt.outcome, attempt.error.kind, attempt.retries) == ("provider_error", "connection", 5)
    assert server.count == 0


def test_no_cookie_of_a_server_comes_back_to_it() -> None:
    def answer(asked: Asked) -> Answer:
        return raw(completion({"content": "cut"}, finish="length"), Set_Cookie=f"seen={asked.number}; Path=/")

    with serve(answer) as server:
        make(server.url)
    assert server.count == 3
    assert [asked.headers.get("cookie") for asked in server.seen] == [None] * 3
