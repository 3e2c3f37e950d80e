from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from fcbench.core.names import CaseId
from fcbench.errors import FcbenchError, NotFoundError, UnavailableError, UsageError
from fcbench.providers import catalog
from fcbench.providers.base import Sampling
from fcbench.providers.catalog import BUILT_IN, Opening, ProviderOptions, open_provider, provider_names
from fcbench.providers.scripted import NullScript, ScriptedProvider, ScriptInfo
from tests.providers.test_scripted import oracle

OPENED: list[Opening] = []


def open_third_party(opening: Opening) -> ScriptedProvider:
    OPENED.append(opening)
    return ScriptedProvider(NullScript(), ScriptInfo(name=opening.model))


def entries(value: str) -> object:
    point = EntryPoint(name="other", value=value, group=catalog.ENTRY_POINT_GROUP)

    def find(*, group: str, name: str | None = None) -> EntryPoints:
        return EntryPoints([point] if group == point.group and name in (None, point.name) else [])

    return find


@pytest.mark.parametrize("spec", ["", ":", "scripted", "scripted:", ":null", "scripted:  "])
def test_a_spec_names_a_provider_and_a_model(spec: str) -> None:
    with pytest.raises(UsageError, match="PROVIDER:MODEL"):
        open_provider(spec)


@pytest.mark.parametrize(("spec", "said"), [("nobody:m", "openai_chat"), ("scripted:genius", "scripted:oracle")])
def test_an_unknown_name_is_answered_with_those_there_are(spec: str, said: str) -> None:
    with pytest.raises(NotFoundError, match=said):
        open_provider(spec)


def test_every_built_in_provider_is_listed_and_leads_to_a_function() -> None:
    assert set(BUILT_IN) <= set(provider_names())
    for name in BUILT_IN:
        assert callable(catalog._open_function(name))


def test_an_endpoint_is_opened_with_what_was_asked_and_its_info_holds_no_address() -> None:
    provider = open_provider("openai_chat:org/model:7b", ProviderOptions(base_url="http://127.0.0.1:9/secret/v1"))
    assert (provider.info.model, provider.info.endpoint) == ("org/model:7b", "loopback")
    assert "secret" not in repr(provider.info)


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="openai_chat"):
        open_provider("llama_server:m.gguf", ProviderOptions(base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        open_provider("openai_chat:m")


def test_a_decoding_that_a_provider_cannot_do_is_refused_when_it_is_opened() -> None:
    options = ProviderOptions(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match="grammar") as caught:
        open_provider("openai_chat:m", options, sampling=Sampling(decoding="grammar"))
    assert caught.value.where == "--decoding"
    for decoding in ("free", "strict"):
        assert open_provider("openai_chat:m", options, sampling=Sampling(decoding=decoding)).info.model == "m"


def test_a_third_party_is_opened_and_never_receives_a_golden_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "entry_points", entries(f"{__name__}:open_third_party"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    provider = open_provider("other:m", oracles={CaseId("c"): oracle()})
    assert provider.info.model == "m"
    assert OPENED[-1].oracles == {}
    assert "other" in provider_names()


def test_a_third_party_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "entry_points", entries("no_such_package:f"))
    with pytest.raises(UnavailableError, match="no_such_package") as caught:
        open_provider("other:m")
    assert isinstance(caught.value, FcbenchError)


def test_the_catalog_loads_no_sdk_and_no_engine() -> None:
    heavy = "'openai', 'httpx', 'httpx2', 'xllamacpp'"
    code = (
        "import sys, fcbench.providers.catalog as c; c.open_provider('scripted:null');"
        f"print([name for name in ({heavy}) if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
