"""Presets of the catalog: endpoints by name, read from `presets.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Literal

from msgspec.structs import replace

from fcbench.core.names import JsonValue
from fcbench.core.records import Record, from_plain
from fcbench.providers.endpoint import Quirks

Wire = Literal["chat", "messages", "responses"]
PROVIDER_OF_WIRE: dict[Wire, str] = {
    "chat": "openai_chat",
    "messages": "anthropic_messages",
    "responses": "openai_responses",
}


class Preset(Record, frozen=True, kw_only=True):
    """One endpoint of the catalog; never a key, only where to find one."""

    name: str
    title: str
    wire: Wire
    base_url: str
    key_variable: str
    """Environment variable, or user name in the keyring, of the key."""
    free_rules: str | None = None
    """What happens to a schema under decoding `free` (`schema_rules.toml`); None: it is taken as it is."""
    strict_rules: str | None = None
    """The same under `strict`; None: the provider documents no subset."""
    quirks: Quirks = Quirks()

    def rules(self, decoding: str) -> str | None:
        """Name of the rules that hold under a decoding."""
        return self.strict_rules if decoding == "strict" else self.free_rules


@cache
def presets() -> dict[str, Preset]:
    """All presets by name, in the order of the file."""
    text = resources.files("fcbench.providers").joinpath("presets.toml").read_text(encoding="utf-8")
    listed: JsonValue = tomllib.loads(text)["preset"]
    assert isinstance(listed, list)
    found = [_read(entry) for entry in listed]
    return {preset.name: preset for preset in found}


def _read(entry: JsonValue) -> Preset:
    preset = from_plain(entry, Preset, where="presets.toml")
    # TOML has no null: an empty word says that there is none.
    return replace(preset, quirks=replace(preset.quirks, seed_field=preset.quirks.seed_field or None))
