"""A small HTTP server on loopback that speaks chat completions and misbehaves on request."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fcbench.core.names import CaseId, JsonObject
from fcbench.providers.base import Message, Request, Sampling, ToolSpec

TOOL = ToolSpec(
    name="get_gene",
    description="Finds a gene.",
    parameters={
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    },
)


def ask(text: str = "Where is thrA?", *, round_number: int = 1, **sampling: object) -> Request:
    return Request(
        messages=(Message(role="system", content="Be brief."), Message(role="user", content=text)),
        tools=(TOOL,),
        sampling=Sampling(**sampling),  # type: ignore[arg-type]
        task_id=CaseId("t-1"),
        repeat=1,
        round=round_number,
        timeout_s=5.0,
    )


def completion(message: JsonObject, **choice: object) -> bytes:
    body = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", **choice}]}
    body["choices"][0]["message"] = message  # type: ignore[index]
    return json.dumps(body).encode()


SAID = {"Content-Type": "application/json", "Connection": "close"}
"""Headers of every answer, unless it has its own."""


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False
    """Close the connection in the middle of the body."""
    drip_s: float = 0.0
    """Send one byte, then wait, and so on."""


@dataclass
class Loopback:
    url: str
    answer: Answer
    seen: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """The usual 5 makes a client of a busy machine wait a second for its connection."""


@contextlib.contextmanager
def serve(answer: Answer) -> Iterator[Loopback]:
    state = Loopback(url="", answer=answer)
    server = _Server(("127.0.0.1", 0), _handler(state))
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(state: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            answer = state.answer
            time.sleep(answer.delay_s)
            # Said as well as done: a client that is not told may send its next request on a connection that is just
            # going down, and repeat it. On a busy machine most attempts then held a retry.
            self.close_connection = True
            with contextlib.suppress(ConnectionError):
                self.send_response(answer.status)
                for name, value in {**SAID, **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body) + (10 if answer.cut else 0)))
                self.end_headers()
                if not answer.drip_s:
                    self.wfile.write(answer.body)
                for byte in answer.body if answer.drip_s else b"":
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(answer.drip_s)

        def log_message(self, *arguments: object) -> None:
            """Quiet."""

    return Handler
