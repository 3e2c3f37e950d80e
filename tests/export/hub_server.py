"""A hub on the loopback address: as much of the dataset API as a push and a download need, and no more.

What it speaks was read from huggingface_hub 2.4 (`hf_api.py`, `_commit_api.py`, `lfs.py`, `file_download.py`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

TOKEN = "hf_" + "LoopbackSecret" * 2
REPO = "owner/name"


def blob_sha1(data: bytes) -> str:
    """Git's digest of a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class State:
    """One repository, or none yet."""

    exists: bool = False
    private: bool | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)
    """Paths that are stored by pointer."""
    objects: dict[str, bytes] = field(default_factory=dict)
    """Large files by SHA-256, as they were put."""
    commits: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """Method and path of each request."""
    broken: str | None = None
    """Paths that begin so are answered 500, with the token in the message as a careless proxy might."""
    moves_on: bool = False
    """Whether somebody else commits between the look and the push."""

    @property
    def head(self) -> str:
        """The newest commit."""
        return hashlib.sha1(str(len(self.commits)).encode()).hexdigest()


class _Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: State

    def do_GET(self) -> None:
        path = self._path()
        if path == "/api/whoami-v2":
            self._json({"name": "tester", "type": "user"} if self._known() else {"error": "bad token"}, known=True)
        elif re.fullmatch(rf"/api/datasets/{REPO}(/revision/\w+)?", path):
            self._repository()
        elif re.fullmatch(rf"/api/datasets/{REPO}/tree/\w+", path):
            self._json([self._entry(name) for name in sorted(self.state.files)])
        elif found := re.fullmatch(rf"/datasets/{REPO}/resolve/\w+/(.+)", path):
            self._file(unquote(found[1]))
        else:
            self._json({"error": f"unknown {path}"}, status=404, extra={"X-Error-Code": "RepoNotFound"})

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def do_POST(self) -> None:
        path, body = self._path(), self._body()
        if not self._known():
            self._json({"error": "Invalid credentials in Authorization header"}, status=401)
        elif path == "/api/repos/create":
            told = json.loads(body)
            self.state.exists, self.state.private = True, told.get("visibility") == "private"
            self._json({"url": f"{self._base()}/datasets/{REPO}"})
        elif path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        elif path.startswith(f"/api/datasets/{REPO}/preupload/"):
            files = [
                {
                    "path": one["path"],
                    "uploadMode": "lfs" if one["path"].endswith(".parquet") else "regular",
                    "shouldIgnore": False,
                    "oid": None,
                }
                for one in json.loads(body)["files"]
            ]
            self._json({"files": files})
        elif path == f"/datasets/{REPO}.git/info/lfs/objects/batch":
            objects = [
                {**one, "authenticated": True, "actions": {"upload": {"href": f"{self._base()}/put/{one['oid']}"}}}
                for one in json.loads(body)["objects"]
            ]
            self._json({"transfer": "basic", "objects": objects})
        elif path.startswith(f"/api/datasets/{REPO}/commit/"):
            self._commit(body)
        else:
            self._json({"error": f"unknown {path}"}, status=404)

    def do_PUT(self) -> None:
        oid, body = self._path().rpartition("/")[2], self._body()
        assert hashlib.sha256(body).hexdigest() == oid
        self.state.objects[oid] = body
        self._json({})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing on the terminal."""

    def _path(self) -> str:
        path = urlsplit(self.path).path
        self.state.requests.append(f"{self.command} {path}")
        if self.state.broken and path.startswith(self.state.broken):
            self._json({"error": f"upstream said no to {self.headers.get('Authorization')}"}, status=403)
            raise ConnectionAbortedError
        return path

    def _known(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _base(self) -> str:
        return f"http://{self.headers['Host']}"

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _repository(self) -> None:
        if not self.state.exists:
            self._json({"error": "Repository not found"}, status=404, extra={"X-Error-Code": "RepoNotFound"})
            return
        files = [{"rfilename": name} for name in sorted(self.state.files)]
        self._json({"id": REPO, "sha": self.state.head, "private": False, "siblings": files, "tags": []})
        if self.state.moves_on:
            self.state.commits.append({"by": "somebody else"})

    def _entry(self, name: str) -> dict[str, Any]:
        data = self.state.files[name]
        entry: dict[str, Any] = {"type": "file", "path": name, "size": len(data), "oid": blob_sha1(data)}
        if name in self.state.large:
            sha256 = hashlib.sha256(data).hexdigest()
            entry |= {"oid": "0" * 40, "lfs": {"oid": sha256, "size": len(data), "pointerSize": 130}}
        return entry

    def _file(self, name: str) -> None:
        data = self.state.files[name]
        self.send_response(200)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", self.state.head)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def _commit(self, body: bytes) -> None:
        lines = [json.loads(line) for line in body.splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit") not in (None, self.state.head):
            self._json({"error": "A commit has happened since. Please refresh and try again."}, status=412)
            return
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                self.state.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.state.files[value["path"]] = self.state.objects[value["oid"]]
                self.state.large.add(value["path"])
            else:
                del self.state.files[value["path"]]
        self.state.commits.append({"summary": header["summary"], "operations": len(lines) - 1})
        url = f"{self._base()}/datasets/{REPO}/commit/{self.state.head}"
        self._json({"commitUrl": url, "commitOid": self.state.head, "success": True})

    def _json(
        self, value: object, *, status: int = 200, known: bool = False, extra: dict[str, str] | None = None
    ) -> None:
        body = json.dumps(value).encode()
        self.send_response(401 if known and not self._known() else status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in (extra or {}).items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def hub() -> Iterator[tuple[str, State]]:
    """A hub on a free port: its address, and what lies there."""
    state = State()
    handler = type("Handler", (_Hub,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
