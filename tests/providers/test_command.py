from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fcbench.core.canonical import MAX_BYTES, digest_bytes
from fcbench.core.names import JsonObject
from fcbench.errors import NotFoundError, UsageError
from fcbench.providers.base import Message, ProviderFailure, Reply, ReplyCall, Request
from fcbench.providers.catalog import ProviderOptions, open_provider
from fcbench.providers.command import CommandOptions, CommandProvider
from fcbench.providers.command_wire import read_reply, request_line
from tests.providers.loopback import TOOL, ask

DOCS = Path(__file__).resolve().parents[2] / "docs"
ENVIRONMENT = {"PATH": os.environ["PATH"], "AGENT_KEY": "sk-GOODSECRET-0123456789", "OTHER_API_KEY": "sk-other"}
LOOP = "import json, os, sys, time\nfor line in sys.stdin:\n    request = json.loads(line)\n    key = request['id']\n"


def program(folder: Path, body: str) -> str:
    """A program whose loop does this with each `request` (and its `key`); the command that runs it."""
    (folder / "agent.py").write_text(LOOP + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
    return f"{sys.executable} {folder / 'agent.py'}"


def says(reply: str) -> str:
    return f"print(json.dumps({reply}), flush=True)"


def use(command: str, do: Callable[[CommandProvider], Awaitable[object]], **options: object) -> object:
    async def whole() -> object:
        given = CommandOptions(command=command, **options)  # type: ignore[arg-type]
        provider = CommandProvider(given, environment=ENVIRONMENT)
        try:
            return await do(provider)
        finally:
            await provider.aclose()
            await provider.aclose()

    return asyncio.run(whole())


def complete(command: str, request: Request | None = None, **options: object) -> Reply:
    reply = use(command, lambda provider: provider.complete(request or ask()), **options)
    assert isinstance(reply, Reply)
    return reply


def failure(command: str, request: Request | None = None, **options: object) -> ProviderFailure:
    with pytest.raises(ProviderFailure) as caught:
        complete(command, request, **options)
    return caught.value


def schema(name: str) -> Draft202012Validator:
    found = json.loads((DOCS / f"reference/command/{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found)


def history() -> Request:
    call = ReplyCall(id=None, name="get_gene", raw_arguments='{"name": "thrA"}')
    turns = (Message(role="assistant", calls=(call,)), Message(role="tool", content="half \ud800", call_id="call-1-1"))
    return msgspec.structs.replace(ask(), messages=(*ask().messages, *turns), round=2)


def test_the_agent_of_the_documentation_makes_a_call_and_then_speaks(tmp_path: Path) -> None:
    page = (DOCS / "how-to/measure-any-program.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    assert len(code.strip().splitlines()) <= 30
    (tmp_path / "agent.py").write_text(code, encoding="utf-8")
    tool = msgspec.structs.replace(TOOL, parameters={"properties": {"name": {"enum": ["araC", "thrA"]}}})

    async def both(provider: CommandProvider) -> tuple[Reply, Reply]:
        first = await provider.complete(msgspec.structs.replace(ask(), tools=(tool,)))
        return first, await provider.complete(history())

    replies = use(f"{sys.executable} {tmp_path / 'agent.py'}", both)
    assert isinstance(replies, tuple)
    assert replies[0].calls == (ReplyCall(id=None, name="get_gene", raw_arguments='{"name":"thrA"}'),)
    assert replies[0].finish_reason == "tool_calls"
    assert (replies[1].text, replies[1].finish_reason) == ("Done: half \ufffd", "stop")


def test_a_request_follows_its_published_schema_and_names_no_case() -> None:
    for request in (ask(), history()):
        line = request_line(request, 3)
        assert line.count(b"\n") == 1
        body = json.loads(line)
        schema("request").validate(body)
        assert body["tools"][0]["parameters"] == TOOL.parameters
        assert "t-1" not in line.decode()


def test_a_reply_of_the_published_form_is_read_whole(tmp_path: Path) -> None:
    reply = {
        "id": "1",
        "text": "hi",
        "calls": [{"id": "c", "name": "f", "arguments": "{"}, {"name": "g", "arguments": {"b": 1, "a": 2}}],
        "finish_reason": "length",
        "usage": {"input_tokens": 5, "output_tokens": 2, "cached_input_tokens": 1},
    }
    schema("reply").validate(reply)
    found = complete(program(tmp_path, says(repr(reply))))
    assert [(one.id, one.name, one.raw_arguments) for one in found.calls] == [
        ("c", "f", "{"),
        (None, "g", '{"a":2,"b":1}'),
    ]
    assert (found.text, found.finish_reason, found.usage.input_tokens) == ("hi", "length", 5)
    assert found.request_sha256 == digest_bytes(request_line(ask(), 1)[:-1])
    assert found.reply_sha256 == digest_bytes(json.dumps(reply).encode())


def test_the_program_is_started_once_and_again_only_after_it_died(tmp_path: Path) -> None:
    command = program(tmp_path, says("{'id': key, 'text': str(os.getpid())}") + "\nif key == '2': sys.exit(3)")

    async def four(provider: CommandProvider) -> list[str]:
        found = []
        for _ in range(4):
            found.append((await provider.complete(ask())).text)
            await asyncio.sleep(0.1 if len(found) == 2 else 0)
        return found

    pids = use(command, four)
    assert isinstance(pids, list)
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_a_death_in_a_request_is_a_failure_that_quotes_stderr_and_the_next_request_finds_a_new_program(
    tmp_path: Path,
) -> None:
    body = "print('no memory', os.environ['AGENT_KEY'], __file__, file=sys.stderr)\nif key == '1': sys.exit(3)\n"
    command = program(tmp_path, body + says("{'id': key, 'text': 'back'}"))

    async def two(provider: CommandProvider) -> str:
        with pytest.raises(ProviderFailure, match="no memory") as caught:
            await provider.complete(ask())
        assert (caught.value.kind, caught.value.is_transient) == ("unavailable", True)
        assert "sk-GOOD" not in str(caught.value)
        assert str(tmp_path) not in str(caught.value)
        return (await provider.complete(ask())).text

    assert use(command, two, api_key_env="AGENT_KEY") == "back"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param("print('hello', flush=True)", "not JSON", id="no JSON"),
        pytest.param("print('[1]', flush=True)", "not a JSON object", id="a list"),
        pytest.param("print('', flush=True)", "not JSON", id="an empty line"),
        pytest.param("print('[' * 100000, flush=True)", "not JSON", id="a bomb of brackets"),
        pytest.param(says("{'text': 'x'}"), "its id is another", id="no id"),
        pytest.param(says("{'id': 1, 'text': 'x'}"), "its id is another", id="a number for the id"),
        pytest.param(says("{'id': 'z', 'text': 'x'}"), "its id is another", id="another id"),
        pytest.param(says("{'id': key, 'text': 7}"), "no text", id="a number for the text"),
        pytest.param(says("{'id': key, 'calls': 'x'}"), "no list of objects", id="a text for the calls"),
        pytest.param(says("{'id': key, 'calls': ['x']}"), "no list of objects", id="a text for a call"),
        pytest.param(says("{'id': key, 'calls': [{}] * 4097}"), "4,097 calls", id="too many calls"),
        pytest.param(says("{'id': key, 'error': 'x'}"), "no object", id="a text for the error"),
        pytest.param(says("{'id': key, 'error': {'kind': 'gone'}}"), "no kind of", id="an error of no kind"),
        pytest.param(f"print('x' * {MAX_BYTES + 2}, flush=True)", "16,777,216 bytes", id="too long a line"),
        pytest.param(f"sys.stdout.write('x' * {MAX_BYTES * 3}); sys.stdout.flush()", "bytes", id="a line without end"),
        pytest.param(says("{'id': key, 'text': os.environ['AGENT_KEY']}"), "quotes the key", id="the key in the text"),
        pytest.param("print('{', os.environ['AGENT_KEY'], flush=True)", r"\*\*\*", id="the key in what is no JSON"),
    ],
)
def test_a_line_that_is_no_reply_is_a_bad_reply(tmp_path: Path, body: str, words: str) -> None:
    failed = failure(program(tmp_path, body), api_key_env="AGENT_KEY")
    assert failed.kind == "bad_reply"
    assert re.search(words, str(failed))
    assert "sk-GOOD" not in str(failed)


@pytest.mark.parametrize("kind", ["rate_limited", "unavailable", "refused", "context_full"])
def test_what_a_program_reports_of_its_own_model_keeps_its_kind_and_the_program_goes_on(
    tmp_path: Path, kind: str
) -> None:
    reply = {"id": "1", "error": {"kind": kind, "message": "said so"}}
    schema("reply").validate(reply)
    well = says("{'id': key, 'text': str(os.getpid())}")
    command = program(tmp_path, f"{says(repr(reply))} if key == '1' else {well}")

    async def three(provider: CommandProvider) -> bool:
        with pytest.raises(ProviderFailure, match="said so") as caught:
            await provider.complete(ask())
        assert caught.value.kind == kind
        pids = [(await provider.complete(ask())).text for _ in range(2)]
        return pids[0] == pids[1]

    assert use(command, three)


def test_a_program_that_is_late_or_drips_is_killed_with_its_children(tmp_path: Path) -> None:
    child = tmp_path / "child"
    body = (
        "import subprocess\n"
        "sleep = subprocess.Popen(['sleep', '600'], stdout=-3, stderr=-3)\n"
        f"with open({str(child)!r}, 'w') as file: file.write(str(sleep.pid))\n"
        "while True: time.sleep(0.02); sys.stdout.write(' '); sys.stdout.flush()"
    )
    failed = failure(program(tmp_path, body), msgspec.structs.replace(ask(), timeout_s=1.5))
    assert failed.kind == "timed_out"
    pid = int(child.read_text())
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            break
        if state == "Z":
            break  # dead; whoever inherits it reaps it
        time.sleep(0.02)
    else:
        pytest.fail("the child of the program lives on")


def test_a_child_that_left_the_group_and_holds_the_pipes_does_not_hold_up_the_end(tmp_path: Path) -> None:
    child = tmp_path / "child"
    body = (
        "import subprocess\n"
        f"with open({str(child)!r}, 'w') as file:\n"
        "    file.write(str(subprocess.Popen(['sleep', '600'], start_new_session=True).pid))\n"
    )
    begun = time.monotonic()
    try:
        assert complete(program(tmp_path, body + says("{'id': key, 'text': 'x'}"))).text == "x"
        assert time.monotonic() - begun < 60
    finally:
        os.kill(int(child.read_text()), 9)


def test_stderr_without_end_holds_up_nobody(tmp_path: Path) -> None:
    command = program(tmp_path, "sys.stderr.write('x' * 3_000_000)\n" + says("{'id': key, 'text': 'x'}"))
    assert complete(command).text == "x"


def test_the_environment_holds_no_key_that_was_not_named(tmp_path: Path) -> None:
    command = program(tmp_path, says("{'id': key, 'text': ' '.join(sorted(os.environ))}"))
    assert "KEY" not in complete(command).text
    assert "PATH" in complete(command).text
    assert "OTHER_API_KEY" in complete(command, pass_env=("OTHER_API_KEY",)).text
    with pytest.raises(UsageError, match="NOT_SET"):
        complete(command, pass_env=("NOT_SET",))


def test_a_run_records_the_program_by_name_and_digest_and_nothing_of_its_arguments(tmp_path: Path) -> None:
    command = program(tmp_path, "pass") + " --token sk-secret"
    info = CommandProvider(CommandOptions(command=command), environment=ENVIRONMENT).info
    assert (info.model, info.provider, info.endpoint) == ("agent.py", "command", "none")
    assert info.attributes["program sha256"] == digest_bytes((tmp_path / "agent.py").read_bytes())
    assert "sk-secret" not in repr(info)
    assert str(tmp_path) not in repr(info)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("command:no-such-program-here", NotFoundError), ('command:"open', UsageError), ("command:''", NotFoundError)],
)
def test_a_command_that_cannot_be_run_is_refused_before_anything_is_asked(spec: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"command|program"):
        open_provider(spec)


def test_a_decoding_that_nobody_can_check_is_refused() -> None:
    with pytest.raises(UsageError, match="decodes"):
        open_provider("command:sh", ProviderOptions(), sampling=ask(decoding="strict").sampling)


def test_a_program_that_vanished_is_gone(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o700)

    async def late(provider: CommandProvider) -> None:
        script.unlink()
        await provider.complete(ask())

    with pytest.raises(ProviderFailure) as caught:
        use(str(script), late)
    assert (caught.value.kind, caught.value.is_transient) == ("gone", False)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_FIELDS = ("text", "calls", "finish_reason", "usage", "error")


@given(st.fixed_dictionaries({"id": st.just("1")}, optional=dict.fromkeys(_FIELDS, _JSON)) | _JSON)
def test_whatever_json_a_program_writes_is_a_reply_or_a_failure(body: JsonObject) -> None:
    try:
        reply = read_reply(json.dumps(body).encode(), 1, digest_bytes(b""))
    except ProviderFailure as failed:
        assert failed.kind in ("bad_reply", "unavailable")
    else:
        msgspec.json.encode(reply)
