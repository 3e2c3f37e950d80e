"""A chat server on loopback that misbehaves on schedule: plain sockets, so that it may break HTTP as well.

The schedule sees the number of a request and its body, and nothing of the time: the same requests meet the same faults.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from fcbench.core.names import JsonObject

End = Literal["keep", "close", "reset", "repeat", "hang"]
"""What follows the parts. `keep`: the connection waits for the next request. `reset`: TCP RST. `repeat`: the last part
again and again until the client goes. `hang`: nothing, until the client goes."""
CHUNK = b"x" * 65536


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Bytes as they go out, status line included."""

    parts: tuple[bytes | float, ...]
    """A number is a pause, in seconds."""
    end: End = "close"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request."""

    number: int
    """From 1, in the order of arrival."""
    path: str
    headers: dict[str, str]
    body: JsonObject


Schedule = Callable[[Asked], Answer]


@dataclass
class Served:
    """A running server."""

    url: str = ""
    count: int = 0
    flying: int = 0
    most: int = 0
    """Requests at once, at most."""
    seen: list[Asked] = field(default_factory=list)
    """Empty where nothing is kept."""


def http(
    body: bytes, *, status: int = 200, headers: dict[str, str] | None = None, end: End = "keep", version: str = "1.1"
) -> Answer:
    """An answer in due form: one body with its length."""
    return Answer(parts=(head(status, {"Content-Length": str(len(body)), **(headers or {})}, version) + body,), end=end)


def head(status: int, headers: dict[str, str], version: str = "1.1") -> bytes:
    """Status line and headers; a header that is empty is left out."""
    named = {"Content-Type": "application/json", **headers}
    lines = [f"HTTP/{version} {status} Said", *(f"{name}: {value}" for name, value in named.items() if value)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


@contextlib.contextmanager
def serve(schedule: Schedule, *, keep: bool = True, tls: ssl.SSLContext | None = None) -> Iterator[Served]:
    """Run a server in a thread and a loop of its own.

    Args:
        schedule: the answer to each request.
        keep: whether requests are kept in `seen`.
        tls: for https.
    """
    served = Served()
    ready = threading.Event()
    stops: list[Callable[[], object]] = []
    thread = threading.Thread(target=lambda: asyncio.run(_serve(served, schedule, keep, tls, (ready, stops))))
    thread.start()
    assert ready.wait(30)
    try:
        yield served
    finally:
        stops[0]()
        thread.join()


async def _serve(
    served: Served,
    schedule: Schedule,
    keep: bool,
    tls: ssl.SSLContext | None,
    signs: tuple[threading.Event, list[Callable[[], object]]],
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = loop.create_task(_connection(reader, writer, served, schedule, keep))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        writers.append(writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls, backlog=512)
    port = server.sockets[0].getsockname()[1]
    served.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}/v1"
    ready, stops = signs
    stops.append(lambda: loop.call_soon_threadsafe(stop.set))
    ready.set()
    await stop.wait()
    # First what is being accepted in this moment: asyncio leaves its sockets open where the server is closed meanwhile,
    # and the collector then warns in whichever test runs.
    while accepting := asyncio.all_tasks() - {asyncio.current_task()} - tasks:
        await asyncio.wait(accepting)
    server.close()
    for task in tuple(tasks):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for writer in writers:  # also of a task that was cancelled before its first step
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _connection(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, served: Served, schedule: Schedule, keep: bool
) -> None:
    try:
        while True:
            asked = await _read(reader, served)
            if keep:
                served.seen.append(asked)
            served.flying += 1
            served.most = max(served.most, served.flying)
            try:
                if not await _send(schedule(asked), reader, writer):
                    return
            finally:
                served.flying -= 1
    except (ConnectionError, asyncio.IncompleteReadError):
        return  # the client has gone
    finally:
        writer.close()


async def _read(reader: asyncio.StreamReader, served: Served) -> Asked:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:]) if name}
    body = await reader.readexactly(int(headers["content-length"]))
    served.count += 1
    return Asked(number=served.count, path=lines[0].split(" ")[1], headers=headers, body=json.loads(body))


async def _send(answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send an answer; whether the connection goes on."""
    for part in answer.parts:
        if isinstance(part, bytes):
            writer.write(part)
            await writer.drain()
        else:
            await asyncio.sleep(part)
    if answer.end == "repeat":
        last = answer.parts[-1]
        assert isinstance(last, bytes)
        while not reader.at_eof():
            writer.write(last)
            await writer.drain()
            await asyncio.sleep(0)
    elif answer.end == "hang":
        await reader.read()
    elif answer.end == "reset":
        wire = writer.get_extra_info("socket")
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    return answer.end == "keep"
