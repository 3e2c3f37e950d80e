from __future__ import annotations

import asyncio
import json
import sys
from types import ModuleType
from urllib.parse import urlsplit

import msgspec
import pytest

from fcbench.core.names import JsonObject
from fcbench.errors import UsageError
from fcbench.providers.base import Message, Provider, Reply, Request, Sampling
from fcbench.providers.catalog import BUILT_IN, ProviderOptions, open_provider, provider_names
from fcbench.providers.endpoint import ChatEndpoint, find_key, key_in_keyring
from fcbench.providers.hosts import kind_of_host
from fcbench.providers.presets import PROVIDER_OF_WIRE, presets
from tests.providers.loopback import Answer, ask, completion, serve

WANTED = [
    "openai",
    "anthropic",
    "gemini",
    "openrouter",
    "mistral",
    "groq",
    "together",
    "deepseek",
    "xai",
    "ollama",
    "vllm",
    "lmstudio",
    "llamacpp",
]
CHAT = sorted(name for name, preset in presets().items() if preset.wire == "chat")


def answered(provider: Provider, *requests: Request) -> list[Reply]:
    async def whole() -> list[Reply]:
        try:
            return [await provider.complete(request) for request in requests]
        finally:
            await provider.aclose()

    return asyncio.run(whole())


def test_the_catalog_holds_the_presets_and_none_hides_a_built_in_provider() -> None:
    assert set(WANTED) <= set(presets())
    assert not set(presets()) & set(BUILT_IN)
    assert set(presets()) <= set(provider_names())
    assert set(PROVIDER_OF_WIRE.values()) <= set(BUILT_IN)


@pytest.mark.parametrize("name", sorted(presets()))
def test_a_preset_says_where_it_is_and_how_its_key_is_called(name: str) -> None:
    preset = presets()[name]
    assert kind_of_host(preset.base_url) in ("loopback", f"public:{urlsplit(preset.base_url).hostname}")
    assert preset.base_url.startswith(
        "https://" if kind_of_host(preset.base_url) != "loopback" else "http://127.0.0.1:"
    )
    assert preset.key_variable.endswith("_API_KEY")
    assert preset.title


@pytest.mark.parametrize("name", CHAT)
def test_a_model_is_asked_through_its_preset(name: str) -> None:
    with serve(Answer(body=completion({"content": "hi"}))) as server:
        provider = open_provider(f"{name}:vendor/name:free", ProviderOptions(base_url=server.url))
        answered(provider, ask(seed=7))
    sent = json.loads(server.seen[0][2])
    assert (sent["model"], provider.info.model) == ("vendor/name:free", "vendor/name:free")
    assert (provider.info.provider, provider.info.attributes["preset"]) == ("openai_chat", name)
    quirks = presets()[name].quirks
    assert sent.get("seed") == (7 if quirks.seed_field == "seed" else None)
    assert (quirks.limit_field or "max_tokens") in sent
    if name == "openrouter":
        assert sent["provider"] == {"allow_fallbacks": False, "require_parameters": True}
        assert "allow_fallbacks" in provider.info.attributes["request fields"]
    if name == "mistral":
        assert sent["random_seed"] == 7


def test_a_model_that_refuses_a_temperature_is_asked_without_unless_the_user_knows_better() -> None:
    with serve(Answer(body=completion({"content": "hi"}))) as server:
        for options in ({}, {"temperature": "sent"}):
            provider = open_provider("openai:gpt-5-mini", ProviderOptions(base_url=server.url, **options))  # type: ignore[arg-type]
            answered(provider, ask())
            assert ("badge" in provider.info.attributes) is (not options)
    assert ["temperature" in json.loads(body) for _, _, body in server.seen] == [False, True]


@pytest.mark.parametrize(
    ("preset", "message"),
    [
        pytest.param("deepseek", {"reasoning_content": "Hm \ud800."}, id="reasoning of a message"),
        pytest.param("openrouter", {"reasoning_details": [{"type": "x", "data": "y"}]}, id="details"),
        pytest.param("gemini", {"extra": "unknown"}, id="the signature of a call"),
    ],
)
def test_what_an_endpoint_wants_back_comes_back_where_it_stood(preset: str, message: JsonObject) -> None:
    signature = {"google": {"thought_signature": "c2ln"}}
    call = {"id": "c1", "type": "function", "function": {"name": "get_gene", "arguments": "{}"}}
    body = completion({"content": None, "tool_calls": [call | {"extra_content": signature}], **message})
    with serve(Answer(body=body)) as server:
        provider = open_provider(f"{preset}:m", ProviderOptions(base_url=server.url))
        reply = asyncio.run(provider.complete(ask()))
        turn = Message(role="assistant", calls=reply.calls, carried=reply.carried)
        result = Message(role="tool", content="x", call_id="c1")
        again = msgspec.structs.replace(ask(), messages=(*ask().messages, turn, result), round=2)
        other = open_provider(f"{preset}:m", ProviderOptions(base_url=server.url))
        answered(other, again)
    sent = json.loads(server.seen[1][2])["messages"][2]
    if preset == "gemini":
        assert sent["tool_calls"][0]["extra_content"] == signature
        assert "extra" not in sent
    else:
        (name,) = message
        assert sent[name] == json.loads(json.dumps(message[name]).replace("\\ud800", "\\ufffd"))
        assert "extra_content" not in sent["tool_calls"][0]


def test_what_an_endpoint_would_carry_without_end_is_left_out() -> None:
    deep = "[" * 500 + "]" * 500
    body = completion({"content": "x"}).replace(
        b'"content": "x"', b'"content": "x", "reasoning_details": ' + deep.encode()
    )
    with serve(Answer(body=body)) as server:
        (reply,) = answered(open_provider("openrouter:m", ProviderOptions(base_url=server.url)), ask())
    assert (reply.text, reply.carried) == ("x", ())


@pytest.mark.parametrize(
    ("spec", "decoding", "rules"),
    [
        ("openai:m", "free", None),
        ("openai:m", "strict", "openai-strict"),
        ("openai_responses:m", "strict", "openai-strict"),
        ("gemini:m", "free", "gemini"),
        ("mistral:m", "strict", None),
    ],
)
def test_the_rules_for_schemas_hang_on_the_preset_and_the_decoding(
    spec: str, decoding: str, rules: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for preset in presets().values():
        monkeypatch.setenv(preset.key_variable, "sk-not-a-key")
    info = open_provider(spec, sampling=Sampling(decoding=decoding)).info  # type: ignore[arg-type]
    assert info.attributes.get("schema rules") == rules


def test_what_is_known_of_openai_says_nothing_of_another_endpoint_with_its_wire() -> None:
    for spec in ("openai_chat:gpt-5", "openai_responses:gpt-5"):
        options = ProviderOptions(base_url="http://127.0.0.1:9/v1")
        info = open_provider(spec, options, sampling=Sampling(decoding="strict")).info
        assert not {"schema rules", "temperature", "badge", "preset"} & info.attributes.keys()


@pytest.mark.parametrize("name", ["openai", "openrouter", "gemini"])
def test_a_missing_key_is_said_by_the_name_of_its_variable_and_the_keyring_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=presets()[name].key_variable) as caught:
        open_provider(f"{name}:m")
    assert "keyring set fcbench" in str(caught.value)


def test_the_environment_comes_before_the_keyring_and_loopback_asks_neither() -> None:
    asked: list[str] = []

    def look_up(variable: str) -> str | None:
        asked.append(variable)
        return "sk-of-the-keyring"

    far = ChatEndpoint(model="m", default_key_env="X_API_KEY")
    assert find_key(far, {"X_API_KEY": "sk-of-the-environment"}, look_up) == "sk-of-the-environment"
    assert find_key(ChatEndpoint(model="m", base_url="http://127.0.0.1:1"), {}, look_up).startswith("not-needed")
    assert asked == []
    assert find_key(far, {}, look_up) == "sk-of-the-keyring"
    assert asked == ["X_API_KEY"]


def test_a_keyring_that_fails_or_is_not_installed_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.machinery

    assert key_in_keyring("NO_SUCH_VARIABLE") is None
    fake = ModuleType("keyring")
    fake.__spec__ = importlib.machinery.ModuleSpec("keyring", None)
    fake.get_password = lambda service, name: {("fcbench", "X"): "sk-kept"}[service, name]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", fake)
    assert key_in_keyring("X") == "sk-kept"
    assert key_in_keyring("Y") is None
