from __future__ import annotations

import pytest

from fcbench.errors import UsageError
from fcbench.providers.hosts import kind_of_host


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1:8080/v1", "loopback"),
        ("http://localhost/v1", "loopback"),
        ("http://[::1]:9/v1", "loopback"),
        ("http://10.1.2.3/v1", "private"),
        ("http://192.168.1.4:8000", "private"),
        ("http://gpu-box:8000/v1", "private"),
        ("http://gpu.lan/v1", "private"),
        ("http://[fd00::1]/v1", "private"),
        ("https://api.example.org/some/secret/path?key=1", "public:api.example.org"),
        ("https://API.Example.org", "public:api.example.org"),
        ("http://8.8.8.8/v1", "public:8.8.8.8"),
    ],
)
def test_only_the_kind_of_host_is_recorded(url: str, kind: str) -> None:
    assert kind_of_host(url) == kind


@pytest.mark.parametrize(
    "url", ["", "api.example.org", "ftp://x", "http://", "http://h:port", "http://[1", "file:///x"]
)
def test_an_address_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="base URL"):
        kind_of_host(url)


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        kind_of_host("https://user:s3cret@example.org/v1")
    assert "s3cret" not in str(caught.value)
