"""From a text such as `llama_server:model.gguf` to a provider. Nothing heavy is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from msgspec import field

from fcbench.core.cases import Oracle
from fcbench.core.names import CaseId
from fcbench.core.records import Record
from fcbench.errors import FcbenchError, NotFoundError, UnavailableError
from fcbench.providers.base import Provider, Sampling
from fcbench.providers.endpoint import TemperatureRule
from fcbench.providers.presets import presets
from fcbench.providers.spec import parse_model

ENTRY_POINT_GROUP = "fcbench.providers"
"""Entry-point group of third parties; each entry names an `OpenFunction`."""

BUILT_IN: dict[str, str] = {
    "openai_chat": "fcbench.providers.opening:open_openai_chat",
    "openai_responses": "fcbench.providers.opening:open_openai_responses",
    "anthropic_messages": "fcbench.providers.opening:open_anthropic_messages",
    "command": "fcbench.providers.opening:open_command",
    "llama_server": "fcbench.providers.opening:open_llama_server",
    "scripted": "fcbench.providers.opening:open_scripted",
}
"""Provider -> the function that opens it, loaded on use. A third party cannot replace one of these."""

_NEEDS_ORACLES = "scripted"


class ProviderOptions(Record, frozen=True, kw_only=True):
    """Options of all providers; each reads its own and leaves the others alone."""

    base_url: str | None = None
    """Endpoints: base URL; the wire's or preset's usual one where it is None."""
    api_key_env: str | None = None
    """Endpoints: name of the environment variable with the key. A key itself is never an option."""
    limit_field: str | None = None
    """`openai_chat`: the endpoint's word for the output limit, where the usual one is refused."""
    temperature: TemperatureRule = "auto"
    """Endpoints: `sent`, `omitted` (for models that refuse one), or `auto`, as the preset knows."""
    pass_env: str = ""
    """`command`: variables of the environment that the program gets, with commas between them."""
    chat_template: str = "auto"
    """`llama_server`: `auto`, `shipped` or the path of a template."""
    context_tokens: int = 16384
    """`llama_server`: size of the context, in tokens."""
    threads: int = 2
    """`llama_server`: threads; replies may differ between counts."""
    batch_tokens: int = 2048
    """`llama_server`: logical batch, in tokens."""
    micro_batch_tokens: int = 512
    """`llama_server`: micro-batch, in tokens; replies may differ between sizes."""
    port: int = 0
    """`llama_server`: port on loopback; 0 takes a free one."""
    start_timeout_s: float = 180.0
    """`llama_server`: longest wait for the model to be loaded, in seconds."""
    seed: int = 7
    """`scripted:random`: seed of the whole run."""


class Opening(Record, frozen=True, kw_only=True):
    """What a provider is opened with."""

    model: str
    options: ProviderOptions = ProviderOptions()
    oracles: dict[CaseId, Oracle] = field(default_factory=dict)
    """Golden runs; empty for every provider but the scripted controls."""
    sampling: Sampling | None = None
    """What the run will ask for, where it is known; a provider that cannot do it raises a UsageError."""


OpenFunction = Callable[[Opening], Provider]
"""Opens a provider; may block until it is ready."""


def open_provider(
    spec: str,
    options: ProviderOptions | None = None,
    *,
    oracles: Mapping[CaseId, Oracle] | None = None,
    sampling: Sampling | None = None,
) -> Provider:
    """Open a provider.

    Args:
        spec: `WIRE:MODEL` (`openai_chat`, `openai_responses`, `anthropic_messages`), `PRESET:MODEL`,
            `llama_server:PATH.gguf`, `command:PROGRAM`, `scripted:oracle|null|random|lexical`, or `NAME:MODEL` of an
            installed third party.
        options: options of the provider.
        oracles: golden runs of the planned cases, for `scripted:oracle` alone; no other provider receives them.
        sampling: what the run will ask for, so that a decoding that the provider cannot do is refused here, once.

    Raises:
        UsageError: the text has another form, an option does not fit, or the provider cannot decode as asked.
        NotFoundError: there is no provider of this name, or no such model file.
        BadInputError: a model file that does not read as it should.
        UnavailableError: a missing extra, a port in use, a server that does not come up.
    """
    named = parse_model(spec)
    opening = Opening(
        model=named.model,
        options=options or ProviderOptions(),
        oracles=dict(oracles or {}) if named.provider == _NEEDS_ORACLES else {},
        sampling=sampling,
    )
    return _open_function(named.provider)(opening)


def check_model(spec: str) -> None:
    """Refuse a text that names no provider that there is, before any work is done for it.

    Raises:
        UsageError: the text has another form.
        NotFoundError: there is no provider of this name.
        UnavailableError: a third party's provider does not load.
    """
    _open_function(parse_model(spec).provider)


def provider_names() -> tuple[str, ...]:
    """Names of all providers that can be opened here, in alphabetical order: built in, presets and third parties."""
    return tuple(sorted({*BUILT_IN, *presets(), *third_parties()}))


def third_parties() -> dict[str, str]:
    """Entry points of other packages, name -> the function; those that a built-in name hides are left out."""
    found = {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {name: value for name, value in sorted(found.items()) if name not in BUILT_IN and name not in presets()}


def _open_function(name: str) -> OpenFunction:
    if name in BUILT_IN:
        module, _, function = BUILT_IN[name].partition(":")
        found: OpenFunction = getattr(import_module(module), function)
        return found
    if name in presets():
        open_preset = import_module("fcbench.providers.opening").open_preset
        return partial(open_preset, presets()[name])
    for point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        return _loaded(point)
    raise NotFoundError(
        "there is no such provider",
        wanted=", ".join(provider_names()),
        found=repr(name[:80]),
        where="--model",
        next_step=f"install a package with an entry point {name[:80]} in the group {ENTRY_POINT_GROUP}",
    )


def _loaded(point: EntryPoint) -> OpenFunction:
    try:
        found: OpenFunction = point.load()
    except FcbenchError:
        raise
    except Exception as error:  # foreign code: whatever it raises, the user must learn whose it is
        raise UnavailableError(
            "a provider of another package cannot be loaded",
            wanted=f"the entry point {point.name} = {point.value}",
            found=f"{type(error).__name__}: {error}",
            next_step="ask the authors of that package, or remove it",
        ) from error
    return found


__all__ = [
    "BUILT_IN",
    "ENTRY_POINT_GROUP",
    "OpenFunction",
    "Opening",
    "ProviderOptions",
    "open_provider",
    "provider_names",
    "third_parties",
]
