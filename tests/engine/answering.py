"""A chat server on loopback in a process of its own: deterministic replies after a few milliseconds.

`python -m tests.engine.answering` prints its port and serves until its stdin is closed. The reply follows from the
conversation alone: a call of the first tool while no result is in it, then a text.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DELAY_S = 0.006
ROOT = Path(__file__).resolve().parents[2]


def reply(body: bytes) -> bytes:
    asked = json.loads(body)
    mark = hashlib.sha256(body).hexdigest()
    message: dict[str, object] = {"role": "assistant", "content": f"Answer {mark[:12]}."}
    if asked.get("tools") and not any(one["role"] == "tool" for one in asked["messages"]):
        function = {"name": asked["tools"][0]["function"]["name"], "arguments": json.dumps({"mark": mark[:6]})}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"c-{mark[:8]}", "type": "function", "function": function}],
        }
    finish = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 20}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"id": mark[:8], "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            (length,) = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(length.partition(b":")[2]))
            await asyncio.sleep(DELAY_S * (1 + body[-2] % 3))
            answer = reply(body)
            start = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(answer)}\r\n\r\n"
            writer.write(start.encode() + answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        return
    finally:
        writer.close()


async def _serve() -> None:
    server = await asyncio.start_server(_talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.read)
    server.close()


@contextmanager
def answering() -> Iterator[str]:
    """The base URL of such a server, for as long as the context lasts."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engine.answering"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.stdin.close()
            process.wait(20)


if __name__ == "__main__":
    asyncio.run(_serve())
