from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import socket
from pathlib import Path

import msgspec
import pytest

from fcbench.core.names import CaseId
from fcbench.errors import BadInputError, NotFoundError, UnavailableError
from fcbench.providers.base import Message, ProviderFailure, ReplyCall, Request, Sampling
from fcbench.providers.catalog import ProviderOptions, open_provider
from fcbench.providers.chat_templates import ChatTemplate
from fcbench.providers.llama_child import EngineSettings
from fcbench.providers.llama_process import LlamaProcess, without_folders
from fcbench.providers.llama_server import LlamaOptions, LlamaServer, check_tools_reach_prompt
from fcbench.providers.openai_chat import ChatEndpoint, OpenAIChat
from tests.providers.loopback import TOOL, Answer, ask, serve

GGUF = os.environ.get("FCBENCH_GGUF", "")
needs_model = pytest.mark.skipif(not Path(GGUF).is_file(), reason="FCBENCH_GGUF does not name a model file")
needs_engine = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None, reason="the extra `local` (xllamacpp) is not installed"
)


def test_a_model_that_does_not_exist_or_is_no_gguf_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        LlamaServer(LlamaOptions(path=str(tmp_path / "none.gguf")))
    fake = tmp_path / "fake.gguf"
    fake.write_text("not a model")
    with pytest.raises(BadInputError, match="GGUF"):
        open_provider(f"llama_server:{fake}")


def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UnavailableError, match=str(port)):
            LlamaProcess(EngineSettings(model_path="m.gguf", port=port))


def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('No module named xllamacpp')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", ""), os.getcwd()]))
    with pytest.raises(UnavailableError) as caught:
        LlamaProcess(EngineSettings(model_path="m.gguf"))
    assert caught.value.next_step == "pip install 'fcbench[local]'"


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        pytest.param(
            "import sys, os\nprint('boom at layer 7', file=sys.stderr, flush=True)\nos._exit(3)",
            "boom at layer 7",
            id="dies",
        ),
        pytest.param("class CommonParams: pass", "AttributeError", id="fails"),
        pytest.param("import time\ntime.sleep(60)", "not ready after", id="hangs"),
    ],
)
def test_a_server_that_does_not_come_up_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, said: str
) -> None:
    (tmp_path / "xllamacpp.py").write_text(engine)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", ""), os.getcwd()]))
    monkeypatch.setattr("fcbench.providers.llama_process._END_S", 0.2)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    patience_s = 2.0 if said == "not ready after" else 60.0  # a busy machine takes seconds to start Python
    with pytest.raises(UnavailableError) as caught:
        LlamaProcess(EngineSettings(model_path="m.gguf"), start_timeout_s=patience_s)
    assert said in str(caught.value)
    assert not list(tmp_path.glob("fcbench-llama-*.log"))


@pytest.mark.parametrize(
    ("body", "status", "found"),
    [
        (b'{"prompt": "<tools> fcbench_probe_of_tools </tools>"}', 200, "tools are in the prompt"),
        (b'{"error": "no such path"}', 404, "not available"),
        (b"junk", 200, "not available"),
        (b'{"prompt": 3}', 200, "not available"),
    ],
)
def test_the_probe_looks_for_the_tools_in_the_prompt(body: bytes, status: int, found: str) -> None:
    template = ChatTemplate(source="shipped", text=None, sha256=None)
    with serve(Answer(body=body, status=status)) as server:
        assert check_tools_reach_prompt(server.url.removesuffix("/v1"), template) == found


def test_a_template_that_drops_the_tools_is_refused() -> None:
    template = ChatTemplate(source="shipped", text=None, sha256=None)
    with serve(Answer(body=b'{"prompt": "<user> Hello."}')) as server, pytest.raises(BadInputError) as caught:
        check_tools_reach_prompt(server.url.removesuffix("/v1"), template)
    assert "chat_template" in str(caught.value)


ENGINE = """
import http.server, sys, os, threading
__version__ = "0"
class Part: pass
class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = Part(), Part(), Part()
class Dying(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print("loading", sys.argv, PATH, file=sys.stderr, flush=True)
        os._exit(3)
class Server:
    def __init__(self, parameters):
        global PATH
        PATH = parameters.model.path
        server = http.server.HTTPServer(("127.0.0.1", 0), Dying)
        self.listening_address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
"""


def test_a_server_that_died_is_gone_for_good_and_its_log_names_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text(ENGINE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", ""), os.getcwd()]))
    model = tmp_path / "some one" / "m.gguf"

    async def run() -> ProviderFailure:
        server = LlamaServer.__new__(LlamaServer)  # around a real process, without a real model file
        server._process = LlamaProcess(EngineSettings(model_path=str(model)), start_timeout_s=60.0)
        server._chat = OpenAIChat(ChatEndpoint(model="m", base_url=f"{server._process.address}/v1"))
        server._turn = asyncio.Lock()
        try:
            with pytest.raises(ProviderFailure) as caught:
                await server.complete(msgspec.structs.replace(ask(), timeout_s=30.0))
            return caught.value
        finally:
            await server.aclose()

    failure = asyncio.run(run())
    assert failure.kind == "gone"
    assert not failure.is_transient
    assert "m.gguf" in str(failure)
    assert "some one" not in str(failure)
    assert str(tmp_path) not in str(failure)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("error: failed to open '/home/ann/models/m.gguf'", "error: failed to open 'm.gguf'"),
        ("/usr/src/llama.cpp/common.cpp:12: 5.2 tokens/s", "common.cpp:12: 5.2 tokens/s"),
        ("~/models/m.gguf ../x/m.gguf", "m.gguf m.gguf"),
        (r"C:\Users\ann\m.gguf", "m.gguf"),
        ("POST http://127.0.0.1:8080/v1/chat 200", "POST http://127.0.0.1:8080/v1/chat 200"),
        ("/data/two words/m.gguf", "m.gguf"),
    ],
)
def test_folders_are_left_out_of_a_log(text: str, left: str) -> None:
    assert without_folders(text, (Path("/data/two words"),)) == left


def test_the_local_server_declares_its_one_slot() -> None:
    assert LlamaServer.slots == 1


@pytest.mark.slow
@needs_engine
@needs_model
def test_a_real_model_calls_reads_the_result_and_does_the_same_again() -> None:
    async def run() -> None:
        provider = open_provider(f"llama_server:{GGUF}", ProviderOptions(context_tokens=4096))
        try:
            info = provider.info
            assert info.endpoint == "loopback"
            assert info.model_sha256
            assert info.engine
            assert info.attributes["tool probe"] == "tools are in the prompt"
            first = ask("Find the gene thrA.")
            first = Request(
                messages=first.messages, tools=first.tools, task_id=CaseId("a"), repeat=1, round=1, timeout_s=120
            )
            replies = [await provider.complete(first) for _ in range(3)]
            assert len({(one.text, tuple((c.name, c.raw_arguments) for c in one.calls)) for one in replies}) == 1
            (call,) = replies[0].calls
            assert call.name == TOOL.name
            assert json.loads(call.raw_arguments) == {"name": "thrA"}
            broken = ReplyCall(id="c", name="get_gene", raw_arguments='{"na')
            cut = Request(
                messages=(
                    *first.messages,
                    Message(role="assistant", calls=(broken,)),
                    Message(role="tool", content='{"ok": false}', call_id="c"),
                ),
                tools=first.tools,
                task_id=CaseId("a"),
                repeat=1,
                round=2,
                timeout_s=120,
                sampling=Sampling(max_output_tokens=16),
            )
            assert (await provider.complete(cut)).finish_reason
            os.kill(provider._process._process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
            provider._process._process.wait()  # type: ignore[attr-defined]
            with pytest.raises(ProviderFailure, match="died") as caught:
                await provider.complete(first)
            assert caught.value.kind == "gone"
            assert str(Path(GGUF).parent) not in str(caught.value)
        finally:
            await provider.aclose()
            await provider.aclose()

    asyncio.run(run())


@pytest.mark.slow
@needs_engine
@needs_model
def test_the_same_server_is_asked_over_anthropics_wire() -> None:
    pytest.importorskip("anthropic", reason="the extra anthropic is not installed")

    async def run() -> None:
        server = open_provider(f"llama_server:{GGUF}", ProviderOptions(context_tokens=4096))
        assert isinstance(server, LlamaServer)
        address = server._process.address
        wire = open_provider("anthropic_messages:m", ProviderOptions(base_url=address))
        try:
            first = msgspec.structs.replace(ask("Find the gene thrA."), timeout_s=120)
            reply = await wire.complete(first)
            (call,) = reply.calls
            assert (call.name, json.loads(call.raw_arguments)) == (TOOL.name, {"name": "thrA"})
            assert (reply.finish_reason, bool(reply.usage.input_tokens)) == ("tool_use", True)
            turns = (
                Message(role="assistant", content=reply.text, calls=reply.calls, carried=reply.carried),
                Message(role="tool", content='{"ok": true, "result": {"start": 337}}', call_id=call.id),
            )
            assert (
                await wire.complete(msgspec.structs.replace(first, messages=(*first.messages, *turns), round=2))
            ).usage
            with pytest.raises(ProviderFailure) as caught:
                await wire.complete(
                    msgspec.structs.replace(first, messages=(Message(role="user", content="word " * 6000),))
                )
            assert caught.value.kind == "context_full"
        finally:
            await wire.aclose()
            await server.aclose()

    asyncio.run(run())
