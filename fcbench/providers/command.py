"""`command:` any program that reads one JSON request a line and answers one JSON line: an agent in any language."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from fcbench.core.canonical import clean_text, digest, digest_bytes
from fcbench.core.records import Record
from fcbench.errors import NotFoundError, UsageError
from fcbench.providers.base import Decoding, ProviderFailure, ProviderInfo, Reply, Request
from fcbench.providers.command_process import CommandProcess
from fcbench.providers.command_wire import VERSION, read_reply, request_line
from fcbench.providers.endpoint import KeyGuard
from fcbench.providers.llama_process import without_folders

_PASSED = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|VIRTUAL_ENV|CONDA_PREFIX|PYTHON[A-Z]+|LD_LIBRARY_PATH"
    r"|DYLD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|OMP_[A-Z_]+|SSL_CERT_(FILE|DIR)|DO_NOT_TRACK|JAVA_HOME"
)
"""Variables that a program gets without being named: none that holds a key."""
_INTERPRETERS = re.compile(r"(python|pypy|node|deno|bun|ruby|perl|php|bash|sh|zsh|java|Rscript|julia|env|uv)[\d.]*")
_MAX_PROGRAM = 64 * 1024 * 1024
"""Largest file whose digest is recorded, in bytes."""


class CommandOptions(Record, frozen=True, kw_only=True):
    """How a program is run."""

    command: str
    """The program and its arguments, quoted as for a shell; no shell is involved."""
    pass_env: tuple[str, ...] = ()
    """Further variables of the environment that the program gets."""
    api_key_env: str | None = None
    """Name of a variable with a key that the program gets; its value appears in no message or reply."""


def check_decoding(decoding: Decoding) -> None:
    """Whether a program can be asked for this decoding.

    Raises:
        UsageError: it is not `free`: nobody can know whether a program holds to anything else.
    """
    if decoding != "free":
        raise UsageError("a program decides itself how it decodes", wanted="free", found=decoding, where="--decoding")


class CommandProvider:
    """A provider that owns a program: started with the first request, kept, started again if it died."""

    slots: int | None = 1
    """One line is answered at a time."""

    def __init__(self, options: CommandOptions, *, environment: Mapping[str, str] | None = None) -> None:
        """Find the program; it is not started yet.

        Args:
            options: how to run it.
            environment: what its own environment is chosen from; the process's own where it is None.

        Raises:
            UsageError: the command does not read, or a variable that was named is not set.
            NotFoundError: there is no such program.
        """
        given = os.environ if environment is None else environment
        self._words = _words(options.command, given)
        named = [*options.pass_env, *([options.api_key_env] if options.api_key_env else [])]
        self._environment = child_environment(given, named)
        # Keys only, in a reply: a program may well repeat a name or a folder that it was given.
        self._key = KeyGuard(given[options.api_key_env]) if options.api_key_env else None
        self._guards = [KeyGuard(given[name]) for name in named if given[name]]
        self._info = _describe(self._words)
        self._process: CommandProcess | None = None
        self._last_words = ""
        self._number = 0
        self._turn = asyncio.Lock()

    @property
    def info(self) -> ProviderInfo:
        """What a run records about it."""
        return self._info

    async def complete(self, request: Request) -> Reply:
        """Answer one request; further ones wait.

        Raises:
            UsageError: the decoding is not `free`.
            ProviderFailure: `unavailable` if the program ends meanwhile, `timed_out`, `bad_reply`, or what it reports.
        """
        check_decoding(request.sampling.decoding)
        async with self._turn:
            self._number += 1
            line = request_line(request, self._number)
            try:
                async with asyncio.timeout(request.timeout_s):
                    answer = await (await self._running()).exchange(line)
                reply = read_reply(answer, self._number, digest_bytes(line[:-1]), self._hide)
                return self._key.refuse_quoting(reply) if self._key else reply
            except BaseException as error:
                # What it would say next is anybody's guess, so the next request begins with a fresh one.
                if not (isinstance(error, ProviderFailure) and str(error).startswith("the program reports")):
                    await self._end(at_once=True)
                raise self._told(error) from None

    async def _running(self) -> CommandProcess:
        if self._process is not None and not self._process.is_alive:
            await self._end(at_once=True)
        if self._process is None:
            self._process = await CommandProcess.start(self._words, self._environment)
        return self._process

    def _told(self, error: BaseException) -> BaseException:
        """The error as a failure of the provider, with the end of what the program said on stderr."""
        if isinstance(error, TimeoutError):
            return ProviderFailure(self._with_stderr("the program did not answer in time"), kind="timed_out")
        if isinstance(error, ProviderFailure) and error.kind in ("unavailable", "bad_reply"):
            return ProviderFailure(self._with_stderr(error.message), kind=error.kind)
        return error

    def _with_stderr(self, message: str) -> str:
        return f"{message}; its stderr ends with: {self._last_words}" if self._last_words else message

    def _hide(self, text: str) -> str:
        for guard in self._guards:
            text = guard.hide(text)
        return text

    async def _end(self, *, at_once: bool) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end(at_once=at_once)
            self._last_words = without_folders(self._hide(clean_text(process.said())), (Path.home(),))

    async def aclose(self) -> None:
        """End the program and its process group. Calling it twice is fine."""
        await self._end(at_once=False)


def _words(command: str, environment: Mapping[str, str]) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError("the command does not read", found=str(error), where="--model command:...") from error
    if not words or "\0" in command:
        raise UsageError("the command is empty", wanted="command:PROGRAM [ARGUMENT]...", where="--model")
    if shutil.which(words[0], path=environment.get("PATH")) is None:
        raise NotFoundError(
            "there is no such program",
            wanted="a program that can be executed",
            found=words[0][:120],
            where="--model command:...",
            next_step="give its path, or an interpreter first: command:python agent.py",
        )
    return words


def child_environment(given: Mapping[str, str], named: Sequence[str]) -> dict[str, str]:
    """What a program that we start gets to see: what any program needs, and what is named.

    Raises:
        UsageError: a named variable is not set.
    """
    missing = [name for name in named if name not in given]
    if missing:
        raise UsageError(
            "a variable that the program should get is not set",
            wanted="variables of the environment",
            found=", ".join(missing),
            where="--api-key-env, --option pass_env=... or --pass-env",
        )
    return {name: value for name, value in given.items() if _PASSED.fullmatch(name) or name in named}


def _describe(words: Sequence[str]) -> ProviderInfo:
    """Names and digests only: an argument may hold what nobody should read."""
    name, file = _named(words)
    attributes = {"format": f"command version {VERSION}", "command sha256": digest(list(words))}
    if file is not None and file.is_file() and file.stat().st_size <= _MAX_PROGRAM:
        attributes["program sha256"] = digest_bytes(file.read_bytes())
    return ProviderInfo(provider="command", model=name, endpoint="none", attributes=attributes)


def _named(words: Sequence[str]) -> tuple[str, Path | None]:
    """The program's name without its folder, and its file: of an interpreter that of the script."""
    first = Path(words[0])
    script = next((word for word in words[1:] if not word.startswith("-")), None)
    if _INTERPRETERS.fullmatch(first.name) and script is not None:
        return Path(script).name, Path(script)
    found = shutil.which(words[0])
    return first.name, Path(found) if found else None
