"""The text that names a provider and a model: `PROVIDER:MODEL`."""

from __future__ import annotations

from fcbench.core.records import Record
from fcbench.errors import UsageError

CONTROLS = ("oracle", "null", "random", "lexical")
"""Models of the provider `scripted`; people write their bare names."""


class ModelSpec(Record, frozen=True, kw_only=True):
    """A provider's name and what it shall open."""

    provider: str
    model: str


def parse_model(spec: str, *, where: str = "--model") -> ModelSpec:
    """Read `PROVIDER:MODEL`; the model may hold colons itself.

    Raises:
        UsageError: there is no colon, or nothing on one side of it.
    """
    provider, _, model = spec.partition(":")
    if not (provider.strip() and model.strip()):
        raise UsageError(
            "this does not name a provider and a model",
            wanted="PROVIDER:MODEL, such as scripted:oracle, openai_chat:gpt-4.1 or llama_server:model.gguf",
            found=repr(spec[:120]),
            where=where,
            next_step=_meant(spec.strip()),
        )
    return ModelSpec(provider=provider, model=model.strip())


def _meant(spec: str) -> str | None:
    if spec in CONTROLS:
        return f"write scripted:{spec} for the control of that name"
    if spec.lower().endswith(".gguf"):
        return f"write llama_server:{spec[:120]} to serve that file here"
    return None
