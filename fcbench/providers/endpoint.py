"""Where a chat endpoint is, and its key: found in the environment, fit for a header, never in a message."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal
from urllib.parse import quote

from msgspec import field

from fcbench.core.canonical import canonical_text
from fcbench.core.names import JsonObject
from fcbench.core.records import Record
from fcbench.errors import UsageError
from fcbench.providers.base import ProviderFailure, Reply
from fcbench.providers.hosts import kind_of_host

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
KEYRING_SERVICE = "fcbench"
"""The service under which the keyring keeps keys; the user name is the variable's name."""
TemperatureRule = Literal["auto", "sent", "omitted"]
_LOOPBACK_KEY = "not-needed-on-loopback"
_LEAST_SECRET = 16
"""Letters of a key from which its presence in a reply is no chance: a placeholder such as `EMPTY` is no secret."""


class Quirks(Record, frozen=True, kw_only=True):
    """In what an endpoint differs from its wire format. All of it is data of a preset (`presets.toml`)."""

    limit_field: str | None = None
    """Word for the output limit; chosen by the host where it is None."""
    seed_field: str | None = "seed"
    """Word for the seed; None where there is none, so that it is not sent."""
    body: JsonObject = field(default_factory=dict)
    """Further fields of every request."""
    carried_fields: tuple[str, ...] = ()
    """Fields of a reply's message and of its calls that must come back with the next request."""
    no_temperature: tuple[str, ...] = ()
    """Patterns (`*`, `?`) of models that refuse a temperature: it is left out, and that is recorded."""


class ChatEndpoint(Record, frozen=True, kw_only=True):
    """Where to ask which model. The key itself is never a part of a record."""

    model: str
    base_url: str = DEFAULT_BASE_URL
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; `default_key_env` where it is None."""
    default_key_env: str = DEFAULT_KEY_VARIABLE
    """The usual variable of this wire or preset."""
    limit_field: str | None = None
    """Word for the output limit; chosen by the host where it is None."""
    quirks: Quirks = Quirks()
    temperature: TemperatureRule = "auto"
    preset: str | None = None
    """Name of the preset that it comes from."""
    schema_rules: str | None = None
    """Name of the rules by which it treats schemas as this run asks (`schema_rules.toml`)."""

    @property
    def sends_temperature(self) -> bool:
        """Whether the temperature goes out: `auto` leaves it out for models that are known to refuse it."""
        if self.temperature == "auto":
            return not any(fnmatchcase(self.model.lower(), pattern) for pattern in self.quirks.no_temperature)
        return self.temperature == "sent"

    def adapt(self, fields: JsonObject) -> JsonObject:
        """The fields of a request as this endpoint takes them: temperature, seed and further fields by its quirks."""
        left_out = {"seed"} if self.sends_temperature else {"seed", "temperature"}
        adapted = {name: value for name, value in fields.items() if name not in left_out}
        if self.quirks.seed_field is not None and "seed" in fields:
            adapted[self.quirks.seed_field] = fields["seed"]
        return adapted | self.quirks.body

    def attributes(self) -> dict[str, str]:
        """What a run records about the way it asked, beyond the defaults."""
        found = {"preset": self.preset} if self.preset else {}
        if self.schema_rules:
            found["schema rules"] = self.schema_rules
        if not self.sends_temperature:
            found["temperature"] = "not sent: the model refuses one, and takes its own default"
            found["badge"] = "default temperature"
        if self.quirks.seed_field is None:
            found["seed"] = "not sent: the endpoint has none"
        if self.quirks.body:
            found["request fields"] = canonical_text(self.quirks.body)
        return found


def key_in_keyring(variable: str) -> str | None:
    """The key that the system's keyring keeps for fcbench under the variable's name; None without the package keyring.

    Whatever a backend raises (no backend, locked, cancelled) is no key: the caller says which variable it wanted.
    """
    if importlib.util.find_spec("keyring") is None:
        return None
    try:
        found = importlib.import_module("keyring").get_password(KEYRING_SERVICE, variable)
    except Exception:  # foreign code with errors of its own in each backend
        return None
    return found if isinstance(found, str) else None


def find_key(
    endpoint: ChatEndpoint,
    environment: Mapping[str, str],
    look_up: Callable[[str], str | None] = key_in_keyring,
) -> str:
    """The key from the environment, else from the keyring. A server on loopback gets a dummy unless one is named.

    Args:
        endpoint: whose key.
        environment: where the variable is looked up.
        look_up: asks the keyring for a variable's name.

    Raises:
        UsageError: the variable is not set, or holds letters that cannot stand in a header.
    """
    is_loopback = kind_of_host(endpoint.base_url) == "loopback"
    if is_loopback and endpoint.api_key_env is None:
        return _LOOPBACK_KEY  # a real key must not go to whatever listens on this machine
    variable = endpoint.api_key_env or endpoint.default_key_env
    key = environment.get(variable, "").strip() or (look_up(variable) or "").strip()
    if not key:
        raise UsageError(
            "no key for this endpoint",
            wanted=f"the key in the environment variable {variable}",
            found="it is not set" if variable not in environment else "it is empty",
            next_step=f"export {variable}=..., or name another variable with --api-key-env, or keep it in the keyring: "
            f"keyring set {KEYRING_SERVICE} {variable}",
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

    def refuse_quoting(self, reply: Reply) -> Reply:
        """The reply, unless it quotes the key: evidence is never altered and a key never stored.

        Raises:
            ProviderFailure: of kind `bad_reply`.
        """
        if self.is_quoted_in(_texts(reply)):
            raise ProviderFailure("the reply quotes the key that it was asked with", kind="bad_reply")
        return reply

    def is_quoted_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts holds the key, where the key is long enough to be a secret."""
        return self._is_secret and any(form in text for text in texts for form in self._forms)


def _texts(reply: Reply) -> Iterator[str]:
    yield from (reply.text, reply.finish_reason)
    for call in reply.calls:
        yield from (call.id or "", call.name, call.raw_arguments)
