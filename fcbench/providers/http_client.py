"""The HTTP client below the SDK: a reply is read up to a cap, whatever length or compression the server claims."""

from __future__ import annotations

import zlib
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

from fcbench.core.canonical import MAX_BYTES
from fcbench.errors import UnavailableError
from fcbench.providers.base import ProviderFailure

if TYPE_CHECKING:
    import httpx2
    import openai

_GZIP_WINDOW = 31
"""zlib's word for: a gzip header, and the largest window."""


def make_client(base_url: str, key: str, kind: str) -> openai.AsyncOpenAI:
    """The SDK's client with its retries off.

    Args:
        base_url: of the endpoint.
        key: sent as it is.
        kind: the kind of host, as `fcbench.providers.hosts.kind_of_host` says it.

    Raises:
        UnavailableError: the SDK is not installed.
    """
    try:
        import openai  # noqa: PLC0415 - kept out of start-up: it takes most of a second
    except ImportError as error:  # pragma: no cover - it is a dependency of fcbench
        raise UnavailableError(
            "the openai SDK is not installed", wanted="the package openai", next_step="pip install openai"
        ) from error
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        http_client=_http_client(is_plain_loopback=kind == "loopback" and base_url.startswith("http:")),
        default_headers={"Accept-Encoding": "identity"},  # a bomb needs compression, a chat does not
    )
    if kind != "public:api.openai.com":
        # The SDK reads both from the environment; they are nobody else's business.
        client.organization = None
        client.project = None
    return client


def _http_client(*, is_plain_loopback: bool) -> httpx2.AsyncClient:
    """No redirect is followed: prompts and key go to the host that was named. On this machine no proxy is asked either.

    Loading the certificates that a client of plain HTTP never uses would cost a third of a second.
    """
    import openai  # noqa: PLC0415

    hooks = {"response": [read_capped]}
    if is_plain_loopback:
        return openai.DefaultAsyncHttpxClient(
            event_hooks=hooks, cookies=no_cookies(), trust_env=False, follow_redirects=False, verify=False
        )
    return openai.DefaultAsyncHttpxClient(event_hooks=hooks, cookies=no_cookies(), follow_redirects=False)


def no_cookies() -> CookieJar:
    """A jar that takes no cookie: no attempt may depend on an earlier one, and a server could fill one without end."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


async def read_capped(response: httpx2.Response) -> None:
    """Read the whole body of a response, of any status, and leave it there uncompressed.

    A hook of the client: it runs before the client or the SDK reads anything.

    Raises:
        ProviderFailure: of kind `bad_reply`, once the body passes `core.canonical.MAX_BYTES`, packed or unpacked, or
            if it is compressed by other means than gzip.
    """
    import httpx2  # noqa: PLC0415

    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream)
    parts, size = [], 0
    try:
        async for part in stream:
            size += len(part)
            if size > MAX_BYTES:
                raise _unreadable(response, f"it has more than {MAX_BYTES:,} bytes")
            parts.append(part)
    finally:
        await stream.aclose()
    response.stream = httpx2.ByteStream(_unpacked(response, b"".join(parts)))
    response.headers.pop("Content-Encoding", None)
    # JSON is UTF-8. A character set that the server names may be none, and the SDK would fail over it.
    response.encoding = "utf-8"


def _unpacked(response: httpx2.Response, body: bytes) -> bytes:
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding in ("", "identity") or not body:
        return body
    if coding not in ("gzip", "x-gzip"):
        raise _unreadable(response, f"it is compressed as {coding[:40]!r}, which was not asked for")
    try:
        unpacked = zlib.decompressobj(_GZIP_WINDOW).decompress(body, MAX_BYTES + 1)
    except zlib.error as error:
        raise _unreadable(response, "it is no gzip, though it says so") from error
    if len(unpacked) > MAX_BYTES:
        raise _unreadable(response, f"unpacked it has more than {MAX_BYTES:,} bytes")
    return unpacked


def _unreadable(response: httpx2.Response, reason: str) -> ProviderFailure:
    message = f"the reply (HTTP {response.status_code}) was not read: {reason}"
    return ProviderFailure(message, kind="bad_reply", status=response.status_code)
