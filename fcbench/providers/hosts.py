"""What may be recorded about an endpoint: the kind of host, never a key, a path or a private address."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from fcbench.errors import UsageError

_PRIVATE_ENDINGS = (".local", ".lan", ".internal", ".intranet", ".corp", ".home", ".home.arpa", ".localdomain")


def host_of(base_url: str) -> str:
    """The host of a base URL.

    Raises:
        UsageError: the text is not an http or https address with a host, or it carries a user name or password.
    """
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise _wrong(base_url, str(error)) from error
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the base URL carries credentials",
            wanted="an address without user name and password",
            where="--base-url",
            next_step="put the key in an environment variable and name it with --api-key-env",
        )
    if parts.scheme not in ("http", "https") or not host:
        raise _wrong(base_url, "no http(s) scheme or no host")
    return host.lower()


def _wrong(base_url: str, reason: str) -> UsageError:
    return UsageError(
        "the base URL cannot be used",
        wanted="an address such as http://127.0.0.1:8080/v1",
        found=f"{base_url[:120]!r} ({reason})",
        where="--base-url",
    )


def kind_of_host(base_url: str) -> str:
    """`loopback`, `private` or `public:<host>` (the form that `ProviderInfo.endpoint` records).

    Raises:
        UsageError: see `host_of`.
    """
    host = host_of(base_url)
    if host == "localhost" or host.endswith(".localhost"):
        return "loopback"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        is_private = "." not in host or host.endswith(_PRIVATE_ENDINGS)
        return "private" if is_private else f"public:{host}"
    if address.is_loopback:
        return "loopback"
    return f"public:{host}" if address.is_global else "private"
