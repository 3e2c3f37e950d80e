"""What a live MCP server offers: started, asked over stdio for its tools, and ended. No tool is ever called."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Sequence

from fcbench import __version__
from fcbench.core.canonical import parse_json
from fcbench.core.names import JsonObject, JsonValue
from fcbench.errors import BadInputError, JsonError, UnavailableError, UsageError
from fcbench.providers.base import ProviderFailure
from fcbench.providers.command import child_environment
from fcbench.providers.command_process import CommandProcess
from fcbench.registry.tool_list import MAX_TOOLS

PROTOCOL_VERSION = "2025-06-18"
"""Of MCP, as asked for; a server may answer with an older one, and `tools/list` is the same in all."""
MAX_PAGES = 200
MAX_LINES = 10_000
"""Lines that a server may write before it answers: logs, notifications, requests of its own."""


def tools_of_server(command: str, *, pass_env: Sequence[str] = (), timeout_s: float = 60.0) -> JsonValue:
    """Start a server, list its tools and end it.

    Args:
        command: the program and its arguments; no shell reads them.
        pass_env: variables of the environment that it gets besides what any program needs.
        timeout_s: seconds for all of it.

    Raises:
        UsageError: the command does not read, or a named variable is not set.
        UnavailableError: it cannot be started, ends, or does not answer in time.
        BadInputError: what it says is not MCP.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError("the command does not read", found=str(error), where="--server") from error
    if not words or "\0" in command:
        raise UsageError("the command is empty", wanted="a program and its arguments", where="--server")
    environment = child_environment(os.environ, pass_env)
    return asyncio.run(_listed(words, environment, timeout_s))


async def _listed(words: Sequence[str], environment: dict[str, str], timeout_s: float) -> JsonValue:
    process = None
    try:
        process = await CommandProcess.start(words, environment)
        return await asyncio.wait_for(_Session(process).tools(), timeout_s)
    except ProviderFailure as failure:
        raise _unavailable(failure.message, process) from failure
    except TimeoutError as error:
        raise _unavailable(f"no answer within {timeout_s:g} s", process) from error
    finally:
        if process is not None:
            await process.end()


def _unavailable(found: str, process: CommandProcess | None) -> UnavailableError:
    said = process.said() if process is not None else ""
    return UnavailableError(
        "the MCP server gave no list of tools",
        wanted="a server that speaks MCP over stdio",
        found=f"{found}; it said: {said}" if said else found,
        where="--server",
        next_step="run the command by hand; name variables that it needs with --pass-env",
    )


class _Session:
    """One conversation, message by message."""

    def __init__(self, process: CommandProcess) -> None:
        self._process = process
        self._last_id = 0

    async def tools(self) -> JsonValue:
        about = {"name": "fcbench", "version": __version__}
        start: JsonObject = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": about}
        await self._ask("initialize", start)
        before = _line({"jsonrpc": "2.0", "method": "notifications/initialized"})
        found: list[JsonValue] = []
        cursor: JsonValue = None
        for _ in range(MAX_PAGES):
            page = await self._ask("tools/list", {} if cursor is None else {"cursor": cursor}, before)
            before = b""
            listed = page.get("tools")
            if not isinstance(listed, list):
                raise _not_mcp("a result with tools", f"tools: {type(listed).__name__}")
            found += listed
            cursor = page.get("nextCursor")
            if cursor is None or len(found) > MAX_TOOLS:
                return {"tools": found}
        raise _not_mcp(f"at most {MAX_PAGES} pages of tools", "more")

    async def _ask(self, method: str, params: JsonObject, before: bytes = b"") -> JsonObject:
        """The result of a request; what the server says meanwhile is passed over, its own requests are refused."""
        self._last_id += 1
        line = before + _line({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        for _ in range(MAX_LINES):
            message = _message(await self._process.exchange(line))
            line = b""
            if "method" in message:
                line = _refusal(message) if "id" in message else b""
            elif message.get("id") == self._last_id:
                return _result(message, method)
        raise _not_mcp(f"an answer to {method}", f"{MAX_LINES:,} other messages")


def _line(message: JsonObject) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _refusal(message: JsonObject) -> bytes:
    if message["method"] == "ping":
        return _line({"jsonrpc": "2.0", "id": message["id"], "result": {}})
    error = {"code": -32601, "message": "fcbench only lists tools"}
    return _line({"jsonrpc": "2.0", "id": message["id"], "error": error})


def _message(line: bytes) -> JsonObject:
    try:
        value = parse_json(line, where="--server")
    except JsonError as error:
        raise _not_mcp("one message of JSON-RPC a line on stdout", repr(line[:80])) from error
    if not isinstance(value, dict):
        raise _not_mcp("one message of JSON-RPC a line on stdout", repr(line[:80]))
    return value


def _result(message: JsonObject, method: str) -> JsonObject:
    result = message.get("result")
    if not isinstance(result, dict):
        raise _not_mcp(f"a result of {method}", json.dumps(message.get("error"))[:200])
    return result


def _not_mcp(wanted: str, found: str) -> BadInputError:
    return BadInputError("the server does not speak MCP", wanted=wanted, found=found, where="--server")
