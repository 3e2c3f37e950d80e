from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.conftest import once_for_the_same_files

pytest_plugins = ["pytester"]

CONFTEST = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")

GUARDED = """
import os, socket

def test_address(): socket.create_connection(("192.0.2.1", 80), timeout=1)
def test_name(): socket.getaddrinfo("example.org", 443)
def test_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(b"x", ("192.0.2.1", 9))
def test_swallowed():
    try:
        socket.getaddrinfo("example.org", 1)
    except Exception:
        pass
def test_environment():
    assert "SOME_API_KEY" not in os.environ and os.environ["HF_HUB_OFFLINE"] == "1"
"""


def test_the_guard_fails_what_leaves_the_machine_even_when_the_error_is_swallowed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "not-a-key")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(GUARDED)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:xdist")
    result.assert_outcomes(passed=2, failed=3, errors=4)
    result.stdout.fnmatch_lines(["*ERROR *test_swallowed*"])


def test_loopback_is_reachable() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname(), timeout=5) as client,
    ):
        client.sendall(b"x")


def test_no_key_is_in_the_environment() -> None:
    assert not [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]


def test_a_folder_is_loaded_again_when_a_file_of_it_is_another(tmp_path: Path) -> None:
    seen: list[str] = []

    def load(root: Path) -> str:
        seen.append((root / "a.yaml").read_text(encoding="utf-8"))
        return seen[-1]

    once = once_for_the_same_files(load)
    for text in ("one", "one", "two", "one"):
        (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
        assert once(tmp_path) == text
    (tmp_path / "b.yaml").touch()
    assert once(tmp_path) == "one"
    assert seen == ["one", "two", "one"]


def test_what_was_loaded_is_forgotten_in_time_and_a_failure_is_not_kept(tmp_path: Path) -> None:
    def load(root: Path, with_what: object) -> object:
        if with_what == "wrong":
            raise ValueError(root)
        return object()

    once = once_for_the_same_files(load, kept=1)
    first, second = object(), object()
    assert once(tmp_path, first) is once(tmp_path, first)
    known = once(tmp_path, first)
    assert once(tmp_path, second) is not known
    assert once(tmp_path, first) is not known
    for _ in range(2):
        with pytest.raises(ValueError, match="test_what"):
            once(tmp_path, "wrong")
