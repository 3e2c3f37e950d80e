"""What holds for every test: no network beyond loopback, no keys, no hub."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# No test depends on time: Hypothesis' own 200 ms an example would fail whatever writes files on a busy machine.
hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")

_SECRET = re.compile(
    r"(_API_KEY|_APIKEY|_TOKEN|_SECRET|_SECRET_KEY|_PASSWORD)$|^(HF_TOKEN|OPENAI_|ANTHROPIC_|AZURE_|AWS_)"
)
_PROXY = re.compile(r"^(http|https|all|no)_proxy$", re.IGNORECASE)
_LOOPBACK_NAMES = {"localhost", "ip6-localhost", "127.0.0.1", "::1"}


def pytest_configure(config: pytest.Config) -> None:
    """Scrub the environment before any library reads it: some read it when they are imported."""
    for name in [name for name in os.environ if _SECRET.search(name) or _PROXY.match(name)]:
        del os.environ[name]
    home = tempfile.TemporaryDirectory(prefix="fcbench-tests-")
    config.add_cleanup(home.cleanup)
    os.environ.update(
        HF_HOME=home.name,
        HF_HUB_OFFLINE="1",
        HF_DATASETS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        DO_NOT_TRACK="1",
        NO_MKDOCS_2_WARNING="1",
        # One width and no colour, so that what a command prints does not hang on the terminal of who tests.
        COLUMNS="120",
        NO_COLOR="1",
        TERM="dumb",
    )


class NetworkForbiddenError(RuntimeError):
    """A test reached for an address that is not on this machine."""


def is_loopback(address: object) -> bool:
    """Whether a socket address stays on this machine: loopback, or a path of a Unix socket."""
    if isinstance(address, str | bytes):
        return True
    if not isinstance(address, tuple) or not address:
        return False
    host = address[0]
    return isinstance(host, str) and (host in _LOOPBACK_NAMES or host.startswith("127."))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make every socket beyond loopback an error, also where the code under test swallows the exception."""
    reached: list[object] = []

    def guarded(real: Callable[..., Any], position: int) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            address = args[position]
            if not is_loopback(address):
                reached.append(address)
                raise NetworkForbiddenError(f"no network in tests but loopback: {address!r}")
            return real(*args, **kwargs)

        return call

    real_getaddrinfo = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not is_loopback((name,)):
            reached.append(name)
            raise NetworkForbiddenError(f"no network in tests but loopback: {name!r}")
        return real_getaddrinfo(host, *args, **kwargs)

    for name, position in (("connect", 1), ("connect_ex", 1), ("sendto", -1)):
        monkeypatch.setattr(socket.socket, name, guarded(getattr(socket.socket, name), position))
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    if reached:
        pytest.fail(f"the test reached beyond loopback: {reached!r}")


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what an earlier test may have set, and a model that the tester's own shell names."""
    monkeypatch.delenv("FCBENCH_GGUF", raising=False)
    for name in [name for name in os.environ if _SECRET.search(name)]:
        monkeypatch.delenv(name)


def _contents(folder: Path) -> str:
    """Digest of names and bytes of all files below a folder."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return found.hexdigest()


def once_for_the_same_files(load: Callable[..., Any], kept: int = 3) -> Callable[..., Any]:
    """A loader of a folder that gives what it gave before while every file below the folder is the same."""
    known: dict[tuple[object, ...], tuple[object, Any]] = {}

    def loaded(root: Path, *others: Any) -> Any:
        if not root.is_dir() or any(other is not None for other in others[1:]):
            return load(root, *others)
        key = (str(root), _contents(root), *map(id, others))
        if key not in known:
            # What the ids stand for is kept too, so that no other object can get one of them.
            known[key] = (others, load(root, *others))
            for oldest in list(known)[:-kept]:
                del known[oldest]
        return known[key][1]

    return loaded


@pytest.fixture(scope="session", autouse=True)
def _projects_are_loaded_once() -> Iterator[None]:
    """Hundreds of tests run a command on this project, and loading it takes a second."""
    from fcbench.workflows import project

    with pytest.MonkeyPatch.context() as patch:
        for name in ("load_registries", "load_suites"):
            patch.setattr(project, name, once_for_the_same_files(getattr(project, name)))
        yield


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium or Chrome; without one the test is skipped, or fails where a browser is required."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path:
            return path
    reason = "no Chromium or Chrome is installed"
    if os.environ.get("FCBENCH_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{reason}, and FCBENCH_REQUIRE_BROWSER is 1")
    pytest.skip(reason)
