"""Real signals to a real command: the first ends a run in order, the second at once, and both leave it resumable."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fcbench.packages.store import open_package
from tests.engine.answering import ROOT

COMMAND = [sys.executable, "-m", "fcbench", "run", "complex-schema-nl/quick", "--model", "scripted:random"]
PATIENCE_S = 60.0


@contextmanager
def started(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A run whose first attempt is in the journal."""
    process = subprocess.Popen(
        [*COMMAND, "--output", str(folder), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        assert any(line.startswith("[1/18]") for line in process.stderr), "it ended before its first attempt"
        yield process
    finally:
        process.kill()
        process.communicate()


def partial(folder: Path) -> Path:
    (found,) = folder.glob("*/*.partial")
    return found


def resumed(folder: Path) -> str:
    done = subprocess.run([*COMMAND, "--output", str(folder)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not list(folder.glob("*/*.partial"))
    (manifest,) = folder.glob("*/*/manifest.json")
    assert open_package(manifest.parent).manifest.complete
    return done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_a_run_in_order_and_says_how_to_go_on(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path, "--delay", "0.2") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert out == ""
    assert "the run was interrupted" in err
    assert number.name in err
    assert "repeat the command" in err
    assert "Traceback" not in err
    journal = (partial(tmp_path) / "attempts.jsonl").read_bytes()
    assert journal.endswith(b"\n")
    there = journal.count(b"\n")
    assert 1 <= there < 18
    if number == signal.SIGINT:
        made = [line for line in resumed(tmp_path).splitlines() if line.startswith("[")]
        assert len(made) == 18 - there, "what was done is not done again"


def test_the_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    """An attempt in flight waits for a server that never answers: only the second signal does not wait for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked = threading.Event()
        kept: list[socket.socket] = []

        def hold() -> None:
            connection, _ = server.accept()
            kept.append(connection)
            connection.recv(1)
            asked.set()

        threading.Thread(target=hold, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        command = [*COMMAND[:-1], "openai_chat:silent", "--base-url", url, "--output", str(tmp_path)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert asked.wait(PATIENCE_S)
            process.send_signal(signal.SIGINT)
            log = partial(tmp_path) / "run.log"
            time.sleep(1.0)
            assert process.poll() is None, "the first signal waits for what is in flight"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
            process.communicate()
            for connection in kept:
                connection.close()
    assert process.returncode == 130
    assert "what was finished is kept" in err, "not the words of an orderly end, which would have come after 10 s"
    assert "Traceback" not in err
    assert log.exists()
    assert (partial(tmp_path) / "attempts.jsonl").read_bytes() == b""


def test_a_second_process_on_the_run_is_refused_with_the_holders_process_id_and_host(tmp_path: Path) -> None:
    with started(tmp_path, "--delay", "2") as process:
        second = subprocess.run(
            [*COMMAND, "--output", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert second.returncode == 73
        assert "another process is working on this run" in second.stderr
        assert f"process {process.pid} on host {os.uname().nodename}" in second.stderr


@pytest.mark.parametrize("code", [130, 75])
def test_an_interrupted_process_waits_for_no_thread_that_hangs(code: int) -> None:
    hanging = (
        "import threading, time; from fcbench.cli.main import leave; "
        f"threading.Thread(target=time.sleep, args=({PATIENCE_S if code == 130 else 0.1},)).start(); leave({code})"
    )
    done = subprocess.run([sys.executable, "-c", hanging], check=False, timeout=PATIENCE_S / 2)
    assert done.returncode == code
