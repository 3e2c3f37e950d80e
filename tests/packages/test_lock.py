"""One process for one run directory, with the system's locks and without."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fcbench.errors import WriteError
from fcbench.packages.lock import LOCK, OWNER, Flock, take_lock


def no_locks(number: int) -> Flock:
    """A file system whose locks fail with an error number."""

    def flock(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    return flock


def card(pid: int, host: str) -> str:
    return json.dumps({"pid": pid, "host": host})


def dead_pid() -> int:
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    return int(done.stdout)


def test_the_holder_is_named_by_process_and_host(tmp_path: Path) -> None:
    held = take_lock(tmp_path)
    with pytest.raises(WriteError, match="another process") as caught:
        take_lock(tmp_path)
    assert caught.value.found == f"process {os.getpid()} on host {socket.gethostname()} holds its lock"
    held.release()
    held.release()
    take_lock(tmp_path).release()


def test_a_lock_whose_holder_was_killed_is_free(tmp_path: Path) -> None:
    code = (
        "import os, sys, pathlib; from fcbench.packages.lock import take_lock; "
        "lock = take_lock(pathlib.Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert done.returncode == -9
    assert json.loads((tmp_path / LOCK).read_bytes())["pid"] > 0
    take_lock(tmp_path).release()


@pytest.mark.parametrize(
    "flock", [None, no_locks(errno.ENOLCK), no_locks(errno.EOPNOTSUPP)], ids=["none", "nfs", "fuse"]
)
def test_without_locks_of_the_system_a_file_that_names_the_process_stands_in(
    tmp_path: Path, flock: Flock | None
) -> None:
    held = take_lock(tmp_path, flock)
    assert (tmp_path / OWNER).exists()
    with pytest.raises(WriteError, match="another process") as caught:
        take_lock(tmp_path, flock)
    assert f"process {os.getpid()}" in (caught.value.found or "")
    assert OWNER in (caught.value.next_step or "")
    held.release()
    assert not (tmp_path / OWNER).exists()
    take_lock(tmp_path, flock).release()


def test_what_a_dead_process_of_this_host_left_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / OWNER).write_text(card(dead_pid(), socket.gethostname()))
    take_lock(tmp_path, None).release()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(card(1, "elsewhere"), id="another host, whose processes nobody here can see"),
        pytest.param("", id="torn"),
        pytest.param('{"pid": "x", "host": 5}', id="nonsense"),
        pytest.param('{"pid": -1, "host": "' + socket.gethostname() + '"}', id="no process id"),
        pytest.param("[" * 5000, id="deep"),
    ],
)
def test_a_stand_in_whose_holder_may_live_is_respected(tmp_path: Path, text: str) -> None:
    (tmp_path / OWNER).write_text(text)
    with pytest.raises(WriteError, match="another process"):
        take_lock(tmp_path, None)
    assert (tmp_path / OWNER).read_text() == text


def test_a_lock_that_fails_for_another_reason_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        take_lock(tmp_path, no_locks(errno.EIO))


def test_a_run_that_was_sealed_while_one_waited_for_its_lock_is_not_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "r.partial"
    folder.mkdir()

    def sealed_meanwhile(handle: int) -> None:
        folder.rename(tmp_path / "r")

    with pytest.raises(WriteError, match="just sealed"):
        take_lock(folder, sealed_meanwhile)
