"""One running program that answers lines with lines, in a process group of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence

from fcbench.core.canonical import MAX_BYTES
from fcbench.providers.base import ProviderFailure

MAX_STDERR_LINES = 12
MAX_STDERR_LINE = 300
"""Lines of the program's stderr that a failure quotes, and letters of each."""
_END_S = 2.0
_CHUNK = 1 << 16


class CommandProcess:
    """A started program. It belongs to the event loop in which it was started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._said: deque[str] = deque(maxlen=MAX_STDERR_LINES)
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, words: Sequence[str], environment: Mapping[str, str]) -> CommandProcess:
        """Start the program.

        Args:
            words: the program and its arguments; no shell reads them.
            environment: all that the program gets to see.

        Raises:
            ProviderFailure: of kind `gone`, if the system cannot start it.
        """
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env=dict(environment),
                limit=MAX_BYTES,
                start_new_session=True,  # an interrupt is for us, and its children end with it
            )
        except (OSError, ValueError) as error:
            raise ProviderFailure(f"the program cannot be started: {type(error).__name__}", kind="gone") from error
        return cls(process)

    @property
    def is_alive(self) -> bool:
        """Whether the program is still running."""
        return self._process.returncode is None

    async def exchange(self, line: bytes) -> bytes:
        """Write one line and read one.

        Raises:
            ProviderFailure: of kind `unavailable`, if the program ends meanwhile; of kind `bad_reply`, if its line is
                longer than `core.canonical.MAX_BYTES`.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(ConnectionError):
            stdin.write(line)
            await stdin.drain()
        try:
            answer = await stdout.readline()
        except ValueError as error:
            message = f"the program's line has more than {MAX_BYTES:,} bytes"
            raise ProviderFailure(message, kind="bad_reply") from error
        if not answer.endswith(b"\n"):
            raise ProviderFailure("the program ended in the middle of a request", kind="unavailable")
        return answer[:-1]

    def said(self) -> str:
        """The last lines of the program's stderr."""
        return "\n".join(self._said)

    async def _listen(self) -> None:
        """Read stderr for good, so that the program never waits for us, and keep its end only."""
        stderr = self._process.stderr
        assert stderr is not None
        rest = b""
        while chunk := await stderr.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_CHUNK:]
            self._said.extend(line.decode("utf-8", "replace")[:MAX_STDERR_LINE] for line in lines[-MAX_STDERR_LINES:])
        if rest:
            self._said.append(rest.decode("utf-8", "replace")[:MAX_STDERR_LINE])

    async def end(self, *, at_once: bool = False) -> None:
        """End the program and everything in its process group. Calling it twice is fine.

        Args:
            at_once: kill it; else its stdin is closed and it may end by itself within two seconds.
        """
        process = self._process
        if process.stdin is not None:
            process.stdin.close()
        if not at_once:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _END_S)
        # Also where it has ended: a child of it may go on.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        # Bounded: a grandchild that left the group may hold the pipes open for ever.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _END_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._listening, _END_S)
        transport = getattr(process, "_transport", None)
        if isinstance(transport, asyncio.SubprocessTransport):
            transport.close()
