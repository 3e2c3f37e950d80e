"""A chat server on loopback that answers at once, in a process of its own: `python -m tests.benchmarks.engine_server`.

The first round of a conversation is answered with one call of the first tool on offer that the file of arguments knows,
the second with text. It prints its port and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

REPLY = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "bench"}
USAGE = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}


class Conversation(asyncio.Protocol):
    """One connection."""

    def __init__(self, arguments: dict[str, str]) -> None:
        self._arguments = arguments
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0) if found else 0
            if not found or len(rest) < length:
                return
            self._buffer = rest[length:]
            body = self._reply(rest[:length])
            assert self._transport is not None
            self._transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )

    def _reply(self, raw: bytes) -> bytes:
        request = json.loads(raw)
        message: dict[str, object] = {"role": "assistant", "content": "Done."}
        called = request["messages"][-1]["role"] == "tool"
        names = [tool["function"]["name"] for tool in request.get("tools", ())]
        name = next((name for name in names if name in self._arguments), None)
        if name and not called:
            function = {"name": name, "arguments": self._arguments[name]}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
            }
        reason = "stop" if called or not name else "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return json.dumps({**REPLY, "choices": [choice], "usage": USAGE}).encode()


async def serve(arguments: dict[str, str]) -> None:
    """Serve until the standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Conversation(arguments), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


@contextlib.contextmanager
def running(arguments: Path) -> Iterator[str]:
    """The server's base URL, while it runs."""
    command = [sys.executable, "-m", "tests.benchmarks.engine_server", str(arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.stdin.close()


if __name__ == "__main__":
    asyncio.run(serve(json.loads(Path(sys.argv[1]).read_text())))
