"""The process in which a llama.cpp server lives: `python -m fcbench.providers.llama_child`, settings on stdin.

A process of its own, so that a crash of the engine is an error and not our end, its log is a file, and its memory is
given back. Protocol: the first line of stdin is a JSON object of settings (`llama_server.EngineSettings`); one line of
JSON on stdout says where the server listens; the process ends when its stdin is closed, hence also with its parent.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

from fcbench.core.canonical import parse_json
from fcbench.core.records import Record, from_plain


class EngineSettings(Record, frozen=True, kw_only=True):
    """Everything that decides what the engine computes, and where it listens."""

    model_path: str
    chat_template: str | None = None
    """An adapted template; None takes the one that the file ships."""
    context_tokens: int = 16384
    threads: int = 2
    batch_tokens: int = 2048
    micro_batch_tokens: int = 512
    cache_mib: int = 2048
    """Memory for cached prompts."""
    port: int = 0
    """0 takes a free one."""


def main() -> None:
    """Serve until stdin closes."""
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the engine may print to stdout, which must carry our one line only
    settings = from_plain(parse_json(sys.stdin.buffer.readline()), EngineSettings)
    try:
        xllamacpp = importlib.import_module("xllamacpp")  # heavy, untyped, and only in the extra `local`
    except ImportError as error:
        _say(report, {"error": "missing", "reason": str(error)})
        return
    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), settings))
        address = server.listening_address
    except Exception as error:  # whatever the binding raises, the parent must read it
        _say(report, {"error": "failed", "reason": f"{type(error).__name__}: {error}"})
        return
    _say(report, {"address": address, "engine": f"xllamacpp {xllamacpp.__version__}", **_build(xllamacpp)})
    sys.stdin.buffer.read()
    sys.stderr.flush()
    # The engine's own threads may hold up an orderly exit; nothing here needs one.
    os._exit(0)


def _build(module: object) -> dict[str, str]:
    info = getattr(module, "get_system_info", None)
    return {"processor_features": str(info()).strip() if callable(info) else ""}


def _parameters(parameters, settings: EngineSettings):  # type: ignore[no-untyped-def]
    """Fill in the binding's parameters (it has no type information)."""
    parameters.model.path = settings.model_path
    parameters.n_ctx = settings.context_tokens
    parameters.n_parallel = 1
    parameters.n_batch = settings.batch_tokens
    parameters.n_ubatch = settings.micro_batch_tokens
    parameters.cpuparams.n_threads = settings.threads
    parameters.cpuparams_batch.n_threads = settings.threads
    parameters.cache_ram_mib = settings.cache_mib
    parameters.port = settings.port
    parameters.hostnames = ["127.0.0.1"]
    parameters.ui = False
    parameters.offline = True
    # A context or a layer count that the engine fits to the memory at hand would be a hidden difference.
    parameters.fit_params = False
    parameters.use_jinja = True
    if settings.chat_template is not None:
        parameters.chat_template = settings.chat_template
    return parameters


def _say(report: object, line: dict[str, str]) -> None:
    print(json.dumps(line), file=report, flush=True)  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
