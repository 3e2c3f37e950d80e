from __future__ import annotations

import json

import pytest

from fcbench.cli.main import main
from fcbench.providers.presets import presets
from fcbench.providers.schema_losses import schema_rules

KEY = "sk-GOODSECRET-0123456789"


def test_the_catalog_says_whether_a_key_is_set_and_never_shows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    for arguments in (["models"], ["models", "--json"]):
        assert main(arguments) == 0
        shown = capsys.readouterr().out
        assert "OPENROUTER_API_KEY" in shown
        assert "sk-GOOD" not in shown
    found = json.loads(shown)
    lines = {preset["name"]: preset for preset in found["presets"]}
    assert set(lines) == set(presets())
    assert {name: lines[name]["key_found"] for name in ("openrouter", "ollama", "mistral")} == {
        "openrouter": "environment",
        "ollama": "not needed",
        "mistral": "not set",
    }
    assert "command" in found["providers"]


def test_losses_are_listed_for_every_preset_that_documents_a_subset(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--losses", "complex-schema", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["rules"] for one in found} == set(schema_rules())
    openai = next(one for one in found if (one["preset"], one["decoding"]) == ("openai", "strict"))
    assert {loss["keyword"] for loss in openai["losses"]} >= {"required", "if", "oneOf"}
    assert main(["models", "--losses", "complex-schema"]) == 0
    assert "  plan_project  if  refused  /$defs/task/if" in capsys.readouterr().out


def test_an_unknown_registry_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--losses", "nothing"]) == 66
    assert "complex-schema, genomics" in capsys.readouterr().err
