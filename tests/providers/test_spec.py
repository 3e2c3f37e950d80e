"""`PROVIDER:MODEL`: what is read, and what a wrong one is told."""

from __future__ import annotations

import pytest

from fcbench.errors import UsageError
from fcbench.providers.catalog import open_provider
from fcbench.providers.spec import CONTROLS, parse_model


@pytest.mark.parametrize(
    ("spec", "provider", "model"),
    [
        pytest.param("scripted:oracle", "scripted", "oracle", id="a control"),
        pytest.param("openai_chat:org/model:free", "openai_chat", "org/model:free", id="colons in the model"),
        pytest.param("llama_server: model.gguf ", "llama_server", "model.gguf", id="blanks around the model"),
    ],
)
def test_a_model_is_named_by_provider_and_model(spec: str, provider: str, model: str) -> None:
    named = parse_model(spec)
    assert (named.provider, named.model) == (provider, model)


@pytest.mark.parametrize(
    ("spec", "next_step"),
    [
        pytest.param("oracle", "write scripted:oracle for the control of that name", id="a control's bare name"),
        pytest.param("models/small.GGUF", "write llama_server:models/small.GGUF to serve that file here", id="a file"),
        pytest.param("gpt-4.1", None, id="a model alone"),
        pytest.param("scripted:", None, id="a provider alone"),
        pytest.param(" :x", None, id="no provider"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_what_names_no_model_is_refused_and_told_what_was_meant(spec: str, next_step: str | None) -> None:
    with pytest.raises(UsageError, match="does not name a provider and a model") as caught:
        parse_model(spec)
    assert (caught.value.where, caught.value.next_step) == ("--model", next_step)


@pytest.mark.parametrize("name", CONTROLS)
def test_each_control_opens(name: str) -> None:
    assert open_provider(f"scripted:{name}").info.model == name
