"""The catalog of providers: what can be asked here, where keys are looked for, and what each does to schemas."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec

from fcbench.core.records import Record
from fcbench.errors import NotFoundError
from fcbench.providers.base import SchemaLoss
from fcbench.providers.catalog import BUILT_IN, third_parties
from fcbench.providers.endpoint import key_in_keyring
from fcbench.providers.presets import PROVIDER_OF_WIRE, presets
from fcbench.providers.schema_losses import losses_of
from fcbench.registry import Registry

EXTRAS: dict[str, str] = {"anthropic": "anthropic", "local": "xllamacpp", "keyring": "keyring"}
"""Optional packages that providers need: extra (or package) -> module."""
_DECODINGS = ("free", "strict")


class PresetLine(Record, frozen=True, kw_only=True):
    """One preset, as `fcbench models` lists it. Of a key only whether there is one."""

    name: str
    title: str
    wire: str
    """The provider that speaks for it."""
    base_url: str
    key_variable: str
    key_found: str
    """`environment`, `keyring`, `not set`, or `not needed` on this machine."""


class Catalog(Record, frozen=True, kw_only=True):
    """Everything that `--model` can begin with."""

    presets: tuple[PresetLine, ...]
    providers: tuple[str, ...]
    """Built-in providers."""
    third_parties: dict[str, str]
    """Entry points of other packages: name -> function."""
    extras: dict[str, bool]
    """Whether each optional package is installed."""


class RulesLosses(Record, frozen=True, kw_only=True):
    """What one preset loses of a registry's schemas under one decoding."""

    preset: str
    decoding: str
    rules: str
    tools: int
    """Tools of the registry."""
    losses: tuple[SchemaLoss, ...]

    @property
    def tools_hit(self) -> int:
        """Tools of which something is lost."""
        return len({loss.tool for loss in self.losses})


def catalog(
    environment: Mapping[str, str] | None = None, look_up: Callable[[str], str | None] = key_in_keyring
) -> Catalog:
    """The catalog of this installation; nothing is opened or asked.

    Args:
        environment: where keys are looked for; the process's own where it is None.
        look_up: asks the keyring.
    """
    given = os.environ if environment is None else environment
    lines = [
        PresetLine(
            name=preset.name,
            title=preset.title,
            wire=PROVIDER_OF_WIRE[preset.wire],
            base_url=preset.base_url,
            key_variable=preset.key_variable,
            key_found=_found(preset.key_variable, preset.base_url, given, look_up),
        )
        for preset in presets().values()
    ]
    return Catalog(
        presets=tuple(lines),
        providers=tuple(sorted(BUILT_IN)),
        third_parties=third_parties(),
        extras={name: find_spec(module) is not None for name, module in EXTRAS.items()},
    )


def _found(variable: str, base_url: str, environment: Mapping[str, str], look_up: Callable[[str], str | None]) -> str:
    if environment.get(variable, "").strip():
        return "environment"
    if base_url.startswith("http://127.0.0.1"):
        return "not needed"
    return "keyring" if look_up(variable) else "not set"


def schema_losses(registries: Mapping[str, Registry], name: str) -> tuple[RulesLosses, ...]:
    """What each preset loses of a registry's schemas, for each decoding of which it documents a subset.

    Raises:
        NotFoundError: there is no such registry.
    """
    registry = registries.get(name)
    if registry is None:
        raise NotFoundError(
            "there is no such registry",
            wanted=", ".join(sorted(registries)) or "a registry below tools_registry",
            found=repr(name[:80]),
            where="--losses",
        )
    tools = {str(contract.name): contract.parameters for contract in registry.contracts.values()}
    found = []
    for preset in presets().values():
        for decoding in _DECODINGS:
            rules = preset.rules(decoding)
            if rules is not None:
                losses = losses_of(rules, tools)
                found.append(
                    RulesLosses(preset=preset.name, decoding=decoding, rules=rules, tools=len(tools), losses=losses)
                )
    return tuple(found)
