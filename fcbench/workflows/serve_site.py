"""Serve a built site on the loopback address."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fcbench.errors import NotFoundError, UnavailableError


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing: a log line a file drowns the address."""


def serve(folder: Path, port: int, *, say: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Raises:
        NotFoundError: the folder holds no built site.
        UnavailableError: the port is in use.
    """
    if not (folder / "index.html").is_file():
        raise NotFoundError(
            "there is no built site here",
            wanted="a folder with index.html",
            where=str(folder),
            next_step="fcbench site build",
        )
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))
    except OSError as error:
        raise UnavailableError(
            "the port cannot be used",
            wanted="a free port on the loopback address",
            found=f"{port}: {error.strerror}",
            next_step="choose another with --port, or --port 0 for any",
        ) from error
    with server:
        say(f"serving {folder} at http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)")
        server.serve_forever()
