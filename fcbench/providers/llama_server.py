"""A local GGUF model, served by llama.cpp on loopback for as long as a run lasts."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
from pathlib import Path
from urllib.parse import urlsplit

from fcbench.core.canonical import parse_json
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.errors import BadInputError, JsonError
from fcbench.providers.base import ProviderFailure, ProviderInfo, Reply, Request
from fcbench.providers.chat_templates import ChatTemplate, choose_template
from fcbench.providers.gguf import GgufHeader, read_gguf
from fcbench.providers.llama_child import EngineSettings
from fcbench.providers.llama_process import LlamaProcess
from fcbench.providers.model_file import cache_folder, model_digest, processor_name
from fcbench.providers.openai_chat import ChatEndpoint, OpenAIChat

_PROBE_TOOL = "fcbench_probe_of_tools"
_PROBE_S = 60.0
_DYING_S = 1.0
DECODING_NOTE = "grammar, lazy: once a call has begun, llama.cpp holds names, types and enums to the schema"


class LlamaOptions(Record, frozen=True, kw_only=True):
    """How a model is served; all of it is recorded, since replies depend on it."""

    path: str
    chat_template: str = "auto"
    """`auto`, `shipped` or the path of a template."""
    context_tokens: int = 16384
    threads: int = 2
    batch_tokens: int = 2048
    micro_batch_tokens: int = 512
    port: int = 0
    """0 takes a free one."""
    start_timeout_s: float = 180.0


class LlamaServer:
    """A provider that owns a server process; `aclose` ends it. One request at a time."""

    slots: int | None = 1
    """Requests that are answered at once; a further one would queue, on the clock of its attempt."""

    def __init__(self, options: LlamaOptions) -> None:
        """Start the server; blocks until the model is loaded and its prompt was seen to contain the tools.

        Raises:
            NotFoundError: the model or template file does not exist.
            BadInputError: the model is not a GGUF file, or its chat template drops the tools.
            UnavailableError: see `LlamaProcess`.
        """
        path = Path(options.path)
        header = read_gguf(path)
        template = choose_template(header, options.chat_template)
        self._process = LlamaProcess(_settings(options, template), start_timeout_s=options.start_timeout_s)
        try:
            probe = check_tools_reach_prompt(self._process.address, template)
            self._info = _describe(options, header, template, self._process, probe)
            self._chat = OpenAIChat(
                ChatEndpoint(model=self._info.model, base_url=f"{self._process.address}/v1"),
                info=self._info,
                extra_body=_cache_fields,
                holds_grammar=True,
            )
        except BaseException:
            self._process.end()
            raise
        self._turn = asyncio.Lock()

    @property
    def info(self) -> ProviderInfo:
        """What a run records about it."""
        return self._info

    async def complete(self, request: Request) -> Reply:
        """Answer one request; further ones wait, since the engine has one slot.

        Raises:
            ProviderFailure: of kind `gone` when the server has died; its log's last lines are quoted.
            SchemaRefused: llama.cpp cannot turn a tool's schema into a grammar.
        """
        async with self._turn:
            try:
                return await self._chat.complete(request)
            except ProviderFailure as failure:
                if not await self._has_ended(failure):
                    raise
                said = self._process.log_tail()
                raise ProviderFailure(f"the local model server died: {said}", kind="gone") from failure

    async def _has_ended(self, failure: ProviderFailure) -> bool:
        # A connection may break a moment before its process can be seen to have ended.
        wait_s = _DYING_S if failure.kind == "connection" else 0.0
        return await asyncio.to_thread(self._process.has_ended, wait_s)

    async def aclose(self) -> None:
        """End the server. Calling it twice is fine."""
        await self._chat.aclose()
        await asyncio.to_thread(self._process.end)


def _settings(options: LlamaOptions, template: ChatTemplate) -> EngineSettings:
    return EngineSettings(
        model_path=options.path,
        chat_template=template.text,
        context_tokens=options.context_tokens,
        threads=options.threads,
        batch_tokens=options.batch_tokens,
        micro_batch_tokens=options.micro_batch_tokens,
        port=options.port,
    )


def _cache_fields(request: Request) -> JsonObject:
    # A warm prefix of another case changes the arithmetic and with it some replies: round 1 starts cold. Later rounds
    # extend the very prompt of the round before, and come out the same in any order of the cases.
    return {"cache_prompt": request.round > 1}


def check_tools_reach_prompt(address: str, template: ChatTemplate) -> str:
    """Render a prompt with one tool and look for the tool in it: some templates drop tools silently.

    Returns:
        What was found, for the record: `tools are in the prompt`, or `not available` where the server cannot render.

    Raises:
        BadInputError: the prompt does not contain the tool.
    """
    function = {"name": _PROBE_TOOL, "description": "Probe.", "parameters": {"type": "object", "properties": {}}}
    body: JsonObject = {
        "messages": [{"role": "user", "content": "Hello."}],
        "tools": [{"type": "function", "function": function}],
    }
    answer = _post_json(address, "/apply-template", body)
    prompt = answer.get("prompt") if isinstance(answer, dict) else None
    if not isinstance(prompt, str):
        return "not available"
    if _PROBE_TOOL not in prompt:
        raise BadInputError(
            "the chat template drops the tools: the model would never see them",
            wanted="a prompt that contains the offered tools",
            found=f"the template ({template.source}) renders a prompt without them",
            next_step="name a template for this model in the provider option chat_template, or take another model",
        )
    return "tools are in the prompt"


def _post_json(address: str, path: str, body: JsonObject) -> JsonValue:
    """One small request to our own server, by the standard library: no key, proxy or retry is involved."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=_PROBE_S)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return parse_json(answer.read()) if answer.status == 200 else None
    except (OSError, http.client.HTTPException, JsonError):
        return None
    finally:
        connection.close()


def _describe(
    options: LlamaOptions, header: GgufHeader, template: ChatTemplate, process: LlamaProcess, probe: str
) -> ProviderInfo:
    path = Path(options.path)
    attributes = {
        "architecture": header.architecture,
        "general name": header.name,
        "licence": header.text("general.license") or "not stated in the file",
        "chat template": template.source,
        "tool probe": probe,
        "decoding": DECODING_NOTE,
        "schema rules": "llama-grammar",
        "context": f"{options.context_tokens} tokens",
        "threads": str(options.threads),
        "batch": str(options.batch_tokens),
        "micro-batch": str(options.micro_batch_tokens),
        "prompt cache": "off in round 1, on in later rounds",
        "processor": processor_name(),
        "processor features": process.processor_features,
    }
    if template.is_adapted:
        attributes["badge"] = "adapted template"
    return ProviderInfo(
        provider="llama_server",
        model=path.stem,
        endpoint="loopback",
        engine=process.engine,
        model_sha256=model_digest(path, cache_folder(os.environ, Path.home())),
        quantisation=header.quantisation,
        chat_template_sha256=template.sha256,
        chat_template=template.text,
        attributes=attributes,
    )
