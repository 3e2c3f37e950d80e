"""The server that misbehaves leaves nothing open behind it."""

from __future__ import annotations

import gc
import socket
import warnings

from tests.engine.faults.server import Answer, serve


def test_a_connection_that_comes_while_the_server_stops_is_closed() -> None:
    """On Python 3.11 asyncio leaves the sockets open that it is accepting when a server is closed."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with serve(lambda _: Answer(parts=(), end="hang"), keep=False) as server:
            port = int(server.url.rpartition(":")[2].partition("/")[0])
            clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for client in clients:
            client.close()
        gc.collect()
    assert [str(one.message) for one in seen if issubclass(one.category, ResourceWarning)] == []
