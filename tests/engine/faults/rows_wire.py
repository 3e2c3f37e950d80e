"""Faults of servers and networks: status, headers, bodies that do not end, connections that do."""

from __future__ import annotations

import gzip

from fcbench.core.canonical import MAX_BYTES
from tests.engine.faults.replies import chunked, completion, error, raw, says
from tests.engine.faults.row import DONE, ENDS, Row
from tests.engine.faults.server import CHUNK, Answer, head, http

HELLO = completion({"role": "assistant", "content": "hello"})
SAYS_HELLO = {"rounds": 1, "text": "hello", "stop": "model stopped"}
PAGE = b"<!doctype html><html><body><h1>502 Bad Gateway</h1><script>alert(1)</script></body></html>"
HTML = {"Content_Type": "text/html; charset=utf-8"}
ONCE = {"rounds": 1, "retries": 1, "text": "done"}
SIX = "no round, retries 5, the provider's words"
GAVE_UP = {"rounds": 0, "retries": 5, "stop": "provider error"}
ON_PURPOSE = {"Connection": "close"}
BOMB = gzip.compress(b" " * (MAX_BYTES + 1))
NOW_S = 1_800_000_000
"""The provider's clock in the tests: Fri, 15 Jan 2027 08:00:00 GMT."""


def failing(name: str, answer: Answer, kind: str, status: int | None = None, **more: object) -> tuple[Row, Row]:
    """A fault that trying again mends, once and without end."""
    message = {"message": more.pop("message")} if "message" in more else {}
    return (
        Row(name=f"{name}, once", answers=(answer,), then=DONE, outcome="completed", requests=2, facts=ONCE,
            holds="the reply to the repeated request, retries 1"),
        Row(name=f"{name}, again and again", answers=(answer,), outcome="provider_error", kind=kind, status=status,
            requests=6, facts=GAVE_UP | message, holds=SIX),
    )  # fmt: skip


STATUSES = (
    *failing("429 without Retry-After", error(429, message="slow down"), "rate_limited", 429, message="slow down"),
    Row(name="429 with Retry-After in seconds, once", answers=(error(429, headers={"Retry-After": "1"}),), then=DONE,
        outcome="completed", requests=2, facts=ONCE, holds="the reply, retries 1; all requests rest for the second"),
    Row(name="429 with Retry-After as a date, once",
        answers=(error(429, headers={"Retry-After": "Fri, 15 Jan 2027 08:00:01 GMT"}),), then=DONE,
        outcome="completed", requests=2, facts=ONCE, holds="the same"),
    Row(name="429 with Retry-After as a date that is past, once",
        answers=(error(429, headers={"Retry-After": "Fri, 15 Jan 2027 07:00:00 GMT"}),), then=DONE,
        outcome="completed", requests=2, facts=ONCE, holds="the same, without a rest"),
    Row(name="429 with a Retry-After of an hour", answers=(error(429, headers={"Retry-After": "3600"}),), outcome=ENDS,
        kind="provider down", requests=1, holds="nothing; the run says when to repeat the command"),
    Row(name="429 because the quota is spent", answers=(error(429, code="insufficient_quota"),),
        outcome="provider_error", kind="refused", status=429, requests=1, facts={"retries": 0},
        holds="no round: no waiting mends it"),
    *failing("500", error(500, message="boom"), "unavailable", 500, message="boom"),
    *failing("503", error(503, message="overloaded"), "unavailable", 503, message="overloaded"),
    *failing("an HTML error page with status 502", raw(PAGE, status=502, **HTML), "unavailable", 502,
             message="502 Bad Gateway"),
    *failing("an HTML page with status 200", raw(PAGE, **HTML), "bad_reply", message="not JSON: <!doctype html>"),
)  # fmt: skip
CONNECTIONS = (
    *failing("a connection reset in the middle of the body", Answer(parts=(head(200, {"Content-Length": "9999"})
             + HELLO, 0.05), end="reset"), "connection"),
    *failing("a connection closed before the body is whole",
             Answer(parts=(head(200, {"Content-Length": "9999"}) + HELLO,)), "connection"),
    *failing("a connection closed without a word", Answer(parts=()), "connection"),
    *failing("bytes that are no HTTP", Answer(parts=(b"SSH-2.0-OpenSSH_9.2\r\n",)), "connection"),
    Row(name="a slow first byte, within the time limit", answers=(Answer(parts=(0.2, *http(HELLO).parts)),),
        outcome="completed", requests=1, facts=SAYS_HELLO, holds="the reply"),
    Row(name="a slow first byte, beyond the time limit", answers=(Answer(parts=(), end="hang"),), limit_s=0.4,
        outcome="timeout", requests=1, facts={"rounds": 0, "retries": 0, "stop": "time limit"}, holds="no round"),
    Row(name="503 two times, then no first byte within the time limit", limit_s=0.4, outcome="timeout", requests=3,
        answers=(error(503), error(503), Answer(parts=(), end="hang")), holds="no round, retries 2",
        facts={"rounds": 0, "retries": 2, "stop": "time limit"}),
    Row(name="a body that stops in the middle and hangs",
        answers=(Answer(parts=(head(200, {"Content-Length": "9999"}) + HELLO,), end="hang"),), limit_s=0.4,
        outcome="timeout", requests=1, facts={"rounds": 0, "stop": "time limit"}, holds="no round"),
    Row(name="a body that drips, a byte at a time, without end",
        answers=(Answer(parts=(head(200, {}), *(part for _ in range(100) for part in (b" ", 0.02))), end="hang"),),
        limit_s=0.4, outcome="timeout", requests=1, facts={"rounds": 0, "stop": "time limit"}, holds="no round"),
    *failing("headers without end", Answer(parts=(b"HTTP/1.1 200 OK\r\n", b"X-Pad: " + CHUNK[:4096] + b"\r\n"),
             end="repeat"), "connection"),
    Row(name="a header of an answer to come (100, 103), then the answer", outcome="completed", requests=1,
        answers=(Answer(parts=(b"HTTP/1.1 103 Early Hints\r\n\r\n", *http(HELLO).parts)),), facts=SAYS_HELLO,
        holds="the reply"),
    Row(name="headers of an answer to come, without end", outcome="timeout", requests=1, limit_s=0.4,
        answers=(Answer(parts=(b"HTTP/1.1 100 Continue\r\n\r\n",), end="repeat"),), holds="no round",
        facts={"rounds": 0, "stop": "time limit"}),
    *failing("a body without end, as fast as it can", Answer(parts=(head(200, {}), CHUNK), end="repeat"), "bad_reply",
             200, message="more than 16,777,216 bytes"),
    *failing("chunks without end", chunked(CHUNK, ended=False), "bad_reply", 200, message="16,777,216 bytes"),
    Row(name="chunks with an end", answers=(chunked(HELLO[:9], HELLO[9:], ended=True),), outcome="completed",
        requests=1, facts=SAYS_HELLO, holds="the reply"),
    Row(name="HTTP/1.0 without a length", outcome="completed", requests=1, facts=SAYS_HELLO, holds="the reply",
        answers=(Answer(parts=(head(200, {}, "1.0") + HELLO,)),)),
    *failing("a gzip bomb", http(BOMB, headers={"Content-Encoding": "gzip"}), "bad_reply", 200,
             message="unpacked it has more than"),
    Row(name="a reply in gzip that was not asked for", outcome="completed", requests=1, facts=SAYS_HELLO,
        answers=(http(gzip.compress(HELLO), headers={"Content-Encoding": "gzip"}),), holds="the reply, unpacked"),
    *failing("a coding that was not asked for", http(HELLO, headers={"Content-Encoding": "br"}), "bad_reply", 200,
             message="compressed as 'br'"),
)  # fmt: skip
BODIES = (
    Row(name="the wrong content type, but JSON inside", answers=(raw(HELLO, Content_Type="text/plain"),),
        outcome="completed", requests=1, facts=SAYS_HELLO, holds="the reply"),
    Row(name="no content type", answers=(raw(HELLO, Content_Type=""),), outcome="completed", requests=1,
        facts=SAYS_HELLO, holds="the reply"),
    *failing("broken JSON", http(HELLO[:-5]), "bad_reply", message="the reply is not JSON"),
    *failing("a stream of events, though none was asked for", raw(b"data: " + HELLO + b"\n\ndata: [DONE]\n\n",
             Content_Type="text/event-stream"), "bad_reply", message="the reply is not JSON: data:"),
    *failing("an error page whose character set is none", raw(PAGE, status=503, Content_Type="text/html; charset=zlib"),
             "unavailable", 503, message="502 Bad Gateway"),
    *failing("an empty body", http(b""), "bad_reply", message="the reply is not JSON"),
    *failing("JSON nested 200,000 deep", http(b"[" * 200_000), "bad_reply", message="the reply is not JSON"),
    *failing("a body of another encoding", http(HELLO.decode().encode("utf-16")), "bad_reply"),
    Row(name="a text of 10 MB", answers=(says("x" * 10_000_000),), outcome="completed", requests=1,
        facts={"text": "x" * 10_000_000}, holds="the whole text"),
    *failing("a text of 17 MB", says("x" * 17_000_000), "bad_reply", 200, message="more than 16,777,216 bytes"),
    Row(name="invalid UTF-8 in a text", outcome="completed", requests=1, facts={"text": "hel\ufffdlo"},
        answers=(http(HELLO.replace(b"hello", b"hel\xfflo")),),
        holds="the text with U+FFFD; the digest is of the raw bytes"),
    Row(name="lone surrogates in a text", answers=(says("a\ud800b"),), outcome="completed", requests=1,
        facts={"text": "a\ufffdb"}, holds="the text with U+FFFD"),
    Row(name="NUL and terminal escapes in a text", answers=(says("a\x00b\x1b[2J"),), outcome="completed", requests=1,
        facts={"text": "a\x00b\x1b[2J"}, holds="the text as it came; whoever shows it makes it harmless"),
)  # fmt: skip
WIRE: tuple[tuple[str, tuple[Row, ...]], ...] = (
    ("Status", STATUSES),
    ("Connection and framing", CONNECTIONS),
    ("Body", BODIES),
)
