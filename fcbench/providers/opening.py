"""The functions that open the built-in providers (`fcbench.providers.catalog.BUILT_IN`)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from fcbench.errors import NotFoundError, UsageError
from fcbench.providers import command
from fcbench.providers.anthropic_messages import AnthropicMessages
from fcbench.providers.base import Provider
from fcbench.providers.catalog import Opening
from fcbench.providers.endpoint import ChatEndpoint, Quirks
from fcbench.providers.llama_server import LlamaOptions, LlamaServer
from fcbench.providers.openai_chat import OpenAIChat, check_decoding
from fcbench.providers.openai_responses import OpenAIResponses
from fcbench.providers.presets import Preset, Wire, presets
from fcbench.providers.script_lexical import LexicalScript
from fcbench.providers.script_oracle import OracleScript
from fcbench.providers.script_random import RandomScript
from fcbench.providers.scripted import NullScript, Script, ScriptedProvider, ScriptInfo

_WIRES: dict[Wire, Callable[[ChatEndpoint], Provider]] = {
    "chat": OpenAIChat,
    "messages": AnthropicMessages,
    "responses": OpenAIResponses,
}


def open_preset(preset: Preset, opening: Opening) -> Provider:
    """An endpoint of the catalog; a base URL that is given stands for the preset's."""
    return _open_endpoint(preset, opening, name=preset.name)


def open_openai_chat(opening: Opening) -> Provider:
    """An endpoint that speaks chat completions; OpenAI's own without a base URL."""
    return _open_wire("openai", "chat", opening)


def open_openai_responses(opening: Opening) -> Provider:
    """An endpoint that speaks Responses; OpenAI's own without a base URL."""
    return _open_wire("openai", "responses", opening)


def open_anthropic_messages(opening: Opening) -> Provider:
    """An endpoint that speaks Anthropic's Messages; Anthropic's own without a base URL."""
    return _open_wire("anthropic", "messages", opening)


def _open_wire(owner: str, wire: Wire, opening: Opening) -> Provider:
    # What is known of the owner's models says nothing of another endpoint that speaks the same wire.
    preset = presets()[owner]
    if opening.options.base_url is not None:
        preset = replace(preset, quirks=Quirks(), free_rules=None, strict_rules=None)
    return _open_endpoint(replace(preset, wire=wire), opening, name=None)


def _open_endpoint(preset: Preset, opening: Opening, *, name: str | None) -> Provider:
    options = opening.options
    if opening.sampling is not None:
        check_decoding(opening.sampling.decoding)
    endpoint = ChatEndpoint(
        model=opening.model,
        base_url=options.base_url or preset.base_url,
        api_key_env=options.api_key_env,
        default_key_env=preset.key_variable,
        limit_field=options.limit_field,
        quirks=preset.quirks,
        temperature=options.temperature,
        preset=name,
        schema_rules=preset.rules(opening.sampling.decoding if opening.sampling else "free"),
    )
    return _WIRES[preset.wire](endpoint)


def open_command(opening: Opening) -> Provider:
    """A program that reads and writes lines; it is started with the first request."""
    if opening.sampling is not None:
        command.check_decoding(opening.sampling.decoding)
    named = tuple(name.strip() for name in opening.options.pass_env.split(",") if name.strip())
    return command.CommandProvider(
        command.CommandOptions(command=opening.model, pass_env=named, api_key_env=opening.options.api_key_env)
    )


def open_llama_server(opening: Opening) -> Provider:
    """A local GGUF model; blocks until it is loaded."""
    options = opening.options
    if options.base_url is not None:
        raise UsageError(
            "a local model server has no base URL to be given",
            found=options.base_url[:120],
            where="--base-url",
            next_step="use openai_chat:MODEL for a server that already runs",
        )
    return LlamaServer(
        LlamaOptions(
            path=opening.model,
            chat_template=options.chat_template,
            context_tokens=options.context_tokens,
            threads=options.threads,
            batch_tokens=options.batch_tokens,
            micro_batch_tokens=options.micro_batch_tokens,
            port=options.port,
            start_timeout_s=options.start_timeout_s,
        )
    )


_SCRIPTS: dict[str, Callable[[Opening], Script]] = {
    "oracle": lambda opening: OracleScript(opening.oracles),
    "null": lambda opening: NullScript(),
    "random": lambda opening: RandomScript(opening.options.seed),
    "lexical": lambda opening: LexicalScript(),
}
_NOTES: dict[str, str] = {
    "oracle": "plays the golden run",
    "null": "never calls",
    "random": "an offered tool with random valid arguments",
    "lexical": "rules: the best-ranked tool, its arguments filled from the instruction",
}


def open_scripted(opening: Opening) -> Provider:
    """A control: `oracle`, `null`, `random` or `lexical`."""
    make = _SCRIPTS.get(opening.model)
    if make is None:
        raise NotFoundError(
            "there is no such control",
            wanted=", ".join(f"scripted:{name}" for name in _SCRIPTS),
            found=repr(opening.model[:80]),
            where="--model",
        )
    attributes = {"control": _NOTES[opening.model]}
    if opening.model == "random":
        attributes["seed"] = str(opening.options.seed)
    return ScriptedProvider(make(opening), ScriptInfo(name=opening.model, attributes=attributes))
