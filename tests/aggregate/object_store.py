"""A bucket on the loopback address: the few requests of S3 that a reader of Parquet files makes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

BUCKET = "runs"


@contextmanager
def bucket(objects: Mapping[str, bytes]) -> Iterator[dict[str, str]]:
    """Serve `objects` by key; gives the `storage_options` with which polars finds them under `s3://runs/`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Bucket,), {"objects": dict(objects)}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield {
            "aws_endpoint_url": f"http://127.0.0.1:{server.server_address[1]}",
            "aws_allow_http": "true",
            "aws_access_key_id": "any",
            "aws_secret_access_key": "any",
            "aws_region": "us-east-1",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Bucket(BaseHTTPRequestHandler):
    objects: Mapping[str, bytes] = {}
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._object(body=False)

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            self._listing(query.get("prefix", [""])[0])
        else:
            self._object(body=True)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def _object(self, *, body: bool) -> None:
        key = unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}/")
        data = self.objects.get(key)
        if data is None:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>", {}, body=body)
            return
        asked = self.headers.get("Range")
        if asked is None:
            self._answer(200, data, {}, body=body)
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        begin = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last), len(data) - 1) if first and last else len(data) - 1
        place = {"Content-Range": f"bytes {begin}-{end}/{len(data)}"}
        self._answer(206, data[begin : end + 1], place, body=body)

    def _listing(self, prefix: str) -> None:
        found = "".join(
            f"<Contents><Key>{key}</Key><LastModified>2026-05-04T03:02:01.000Z</LastModified>"
            f"<ETag>&quot;1&quot;</ETag><Size>{len(data)}</Size></Contents>"
            for key, data in sorted(self.objects.items())
            if key.startswith(prefix)
        )
        text = f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
        self._answer(200, text.encode(), {"Content-Type": "application/xml"}, body=True)

    def _answer(self, status: int, data: bytes, headers: Mapping[str, str], *, body: bool) -> None:
        self.send_response(status)
        fixed = {"Content-Length": str(len(data)), "ETag": '"1"', "Last-Modified": "Mon, 04 May 2026 03:02:01 GMT"}
        for name, value in {**fixed, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)
