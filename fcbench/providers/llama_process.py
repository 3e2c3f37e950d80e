"""Starting and ending the child process of a local llama.cpp server (`fcbench.providers.llama_child`)."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from fcbench.core.canonical import parse_json
from fcbench.core.names import JsonObject
from fcbench.core.records import encode_line
from fcbench.errors import BadInputError, UnavailableError
from fcbench.providers.llama_child import EngineSettings

LOG_LINES = 12
_END_S = 5.0
_FOLDERS = re.compile(r"""(?<![\w/.])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][^/\\\s'"]+)+(?=[/\\])[/\\]""")
# Without these the engine's threads spin while they wait, and two busy neighbours slow it thirtyfold.
_QUIET_THREADS = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}


class LlamaProcess:
    """One running server. It listens on loopback only."""

    def __init__(self, settings: EngineSettings, *, start_timeout_s: float = 180.0) -> None:
        """Start it and wait until the model is loaded.

        Raises:
            UnavailableError: the port is in use, the extra `local` is missing, or the server does not come up.
        """
        if settings.port:
            _check_port(settings.port)
        self._folders = (Path(settings.model_path).parent, Path.home())
        handle, name = tempfile.mkstemp(prefix="fcbench-llama-", suffix=".log")
        self.log = Path(name)
        with os.fdopen(handle, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fcbench.providers.llama_child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **_QUIET_THREADS},
                start_new_session=True,  # an interrupt is for us: we end the server in order
            )
        try:
            said = self._first_line(settings, start_timeout_s)
            self.address = str(said["address"])
            self.engine = str(said["engine"])
            self.processor_features = str(said.get("processor_features", ""))
        except BaseException:
            self.end()
            raise

    def _first_line(self, settings: EngineSettings, timeout_s: float) -> JsonObject:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(encode_line(settings))
            stdin.flush()
        lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=timeout_s)
        except queue.Empty:
            self._fail(f"it was not ready after {timeout_s:g} s")
        try:
            said = parse_json(line)
        except BadInputError:
            self._fail("it ended before it was ready")
        if not isinstance(said, dict) or "address" not in said:
            reason = str(said.get("reason", "")) if isinstance(said, dict) else ""
            if isinstance(said, dict) and said.get("error") == "missing":
                raise UnavailableError(
                    "the engine for local models is not installed",
                    wanted="the extra `local`",
                    found=reason,
                    next_step="pip install 'fcbench[local]'",
                )
            self._fail(without_folders(reason, self._folders) or "it did not say where it listens")
        return said

    def _fail(self, reason: str) -> NoReturn:
        raise UnavailableError(
            "the local model server did not come up",
            found=f"{reason}\n{self.log_tail()}".strip(),
            next_step="try a smaller context, or check that the engine supports this model",
        )

    def has_ended(self, wait_s: float = 0.0) -> bool:
        """Whether the process has ended, or does so within some seconds."""
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def log_tail(self) -> str:
        """The last lines of the engine's log, with the names of files but not their folders."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return without_folders("\n".join(lines[-LOG_LINES:]), self._folders)

    def end(self) -> None:
        """End the process and remove its log. Calling it twice is fine."""
        process = self._process
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self.log.unlink(missing_ok=True)


def without_folders(text: str, known: Sequence[Path] = ()) -> str:
    """The text with the last part of each path only: a log is published, and folders say who ran it and where.

    Args:
        text: the text.
        known: folders that are looked for as they are, since a pattern cannot tell a space in a path from its end.
    """
    for folder in known:
        for form in {str(folder), str(folder.absolute()), str(folder.resolve())} - {".", "/"}:
            text = text.replace(f"{form}{os.sep}", "").replace(form, "~")
    return _FOLDERS.sub("", text)


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise UnavailableError(
                "the port for the local model server cannot be used",
                wanted=f"port {port} on 127.0.0.1 to be free",
                found=str(error),
                next_step="set the provider option port to another, or to 0 for any free one",
            ) from error
