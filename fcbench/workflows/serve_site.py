"""Serve the site on the loopback address, and build it anew as packages arrive."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from fcbench.errors import FcbenchError, NotFoundError, UnavailableError
from fcbench.packages.files import write_error
from fcbench.packages.store import find_packages
from fcbench.site.state import PATH
from fcbench.workflows.build_site import SiteRequest, build, cache_of, check_output

INTERVAL_S = 1.0
"""Between two looks at the packages."""
Say = Callable[[str], None]
Seen = Mapping[str, tuple[int, int]]
"""Time and size of every file of every package."""


class _Quiet(SimpleHTTPRequestHandler):
    """Files of the site as they are now: no log, no list of a folder, and the site's own page for a missing address."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing: a log line a file drowns the address."""

    def end_headers(self) -> None:
        """A page that was built anew must not come from the browser's memory."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def list_directory(self, path: object) -> None:
        """A folder without an index is a missing page."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """The site's own page where an address is missing."""
        own = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not own.is_file():
            super().send_error(code, message, explain)
            return
        content = own.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Clock and patience, so that a test need not wait."""

    sleep: Callable[[float], None] = time.sleep
    interval_s: float = INTERVAL_S


def serve(folder: Path, port: int, *, say: Say) -> None:
    """Serve a built site until interrupted.

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
    with _server(folder, port) as server:
        say(f"serving {folder} at http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)")
        server.serve_forever()


def serve_and_watch(request: SiteRequest, output: Path, port: int, *, say: Say, timing: Timing = Timing()) -> None:
    """Build the site, serve it, and build it anew whenever the packages change, until interrupted.

    A build that fails, as one of a package that is still being copied, leaves the site as it was and is tried again at
    the next change.

    Raises:
        FcbenchError: the first build fails, as `build` says.
        UnavailableError: the port is in use.
    """
    with _server(output, port) as server:  # before the build, which takes longer than to find the port in use
        rebuild(request, output)
        seen = look(request.runs)
        Thread(target=server.serve_forever, daemon=True).start()
        say(f"serving {output} at http://127.0.0.1:{server.server_port}/, built from {request.runs} (Ctrl-C ends)")
        try:
            while True:
                timing.sleep(timing.interval_s)
                seen = follow(request, output, seen, say=say, timing=timing)
        finally:
            server.shutdown()


def follow(request: SiteRequest, output: Path, seen: Seen, *, say: Say, timing: Timing = Timing()) -> Seen:
    """Build once more if the packages are not as they were `seen`, as soon as they stop changing.

    Returns:
        How they are now.
    """
    now = look(request.runs)
    if now == seen:
        return seen
    while True:
        timing.sleep(timing.interval_s)
        later = look(request.runs)
        if later == now:
            break
        now = later
    try:
        say(rebuild(request, output))
    except FcbenchError as error:
        say(f"not built anew, the pages stay as they were: {error}")
    # Judging writes verdicts into the packages, which is no change to follow.
    return look(request.runs)


def rebuild(request: SiteRequest, output: Path) -> str:
    """Build beside the site and put the new one in its place, so that no reader meets a half-built one.

    The leaderboard says what changed since the build before, unless the request names another one.

    Returns:
        What was done, in one line.

    Raises:
        FcbenchError: as `build` says.
        WriteError: the new site cannot take the place of the old one.
    """
    fresh, gone = (output.with_name(f".{output.name}-{name}") for name in ("new", "old"))
    shutil.rmtree(fresh, ignore_errors=True)
    check_output(output)
    state = output / PATH
    if request.since is None and state.is_file():
        request = replace(request, since=state)
    report = build(request, fresh, cache=cache_of(output)).report
    try:
        shutil.rmtree(gone, ignore_errors=True)
        if output.exists():
            output.rename(gone)
        fresh.rename(output)
        shutil.rmtree(gone, ignore_errors=True)
    except OSError as error:
        raise write_error(output, error) from error
    return f"built {report.pages} pages: {report.rendered} rendered, {report.reused} from the cache"


def look(runs: Path) -> Seen:
    """Every file of every package, with its time and size. A file that vanishes meanwhile is none."""
    found: dict[str, tuple[int, int]] = {}
    for package in find_packages(runs):
        for file in sorted(package.iterdir()):
            try:
                state = file.stat()
            except OSError:
                continue
            found[str(file)] = (state.st_mtime_ns, state.st_size)
    return found


def _server(folder: Path, port: int) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))
    except OSError as error:
        raise UnavailableError(
            "the port cannot be used",
            wanted="a free port on the loopback address",
            found=f"{port}: {error.strerror}",
            next_step="choose another with --port, or --port 0 for any",
        ) from error
