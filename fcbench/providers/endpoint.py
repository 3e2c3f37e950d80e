"""Where a chat endpoint is, and its key: found in the environment, fit for a header, never in a message."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from fcbench.core.records import Record
from fcbench.errors import UsageError
from fcbench.providers.hosts import kind_of_host

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
_LOOPBACK_KEY = "not-needed-on-loopback"
_LEAST_SECRET = 16
"""Letters of a key from which its presence in a reply is no chance: a placeholder such as `EMPTY` is no secret."""


class ChatEndpoint(Record, frozen=True, kw_only=True):
    """Where to ask which model. The key itself is never a part of a record."""

    model: str
    base_url: str = DEFAULT_BASE_URL
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; `OPENAI_API_KEY` where it is None."""
    limit_field: str | None = None
    """Word for the output limit; chosen by the host where it is None."""


def find_key(endpoint: ChatEndpoint, environment: Mapping[str, str]) -> str:
    """The key from the environment. A server on loopback gets a dummy unless a variable is named.

    Raises:
        UsageError: the variable is not set, or holds letters that cannot stand in a header.
    """
    is_loopback = kind_of_host(endpoint.base_url) == "loopback"
    if is_loopback and endpoint.api_key_env is None:
        return _LOOPBACK_KEY  # a real key must not go to whatever listens on this machine
    variable = endpoint.api_key_env or DEFAULT_KEY_VARIABLE
    key = environment.get(variable, "").strip()
    if not key:
        raise UsageError(
            "no key for this endpoint",
            wanted=f"the key in the environment variable {variable}",
            found="it is not set" if variable not in environment else "it is empty",
            next_step=f"export {variable}=..., or name another variable with --api-key-env",
        )
    strange = sum(not "!" <= letter <= "~" for letter in key)
    if strange:
        # The HTTP client would refuse it too, but with the whole key in its message.
        raise UsageError(
            "the key for this endpoint cannot be sent",
            wanted=f"printable ASCII without spaces or line ends in the environment variable {variable}",
            found=f"{len(key)} letters, {strange} of another kind",
            next_step=f"export {variable}=... again, with the key alone on one line",
        )
    return key


class KeyGuard:
    """Keeps one key out of everything that is written down. A server may quote the header that it was sent."""

    def __init__(self, key: str) -> None:
        """Remember the key, and the forms in which JSON, Python and addresses write it."""
        forms = {key, json.dumps(key)[1:-1], repr(key)[1:-1], quote(key, safe="")}
        self._forms = sorted(forms, key=len, reverse=True)
        self._is_secret = key != _LOOPBACK_KEY and len(key) >= _LEAST_SECRET

    def hide(self, text: str) -> str:
        """The text with `***` for the key. To be called before a text is cut: half a key is a leak as well."""
        for form in self._forms:
            text = text.replace(form, "***")
        return text

    def is_quoted_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts holds the key, where the key is long enough to be a secret."""
        return self._is_secret and any(form in text for text in texts for form in self._forms)
