"""Text of a model, made safe to look at."""

from __future__ import annotations

import json
import re

import pytest

from fcbench.site.environment import environment, escape_title
from fcbench.site.scripts import js_data
from fcbench.site.text import cut, excerpt, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain, ünïcode €", "plain, ünïcode €", id="readable letters stay"),
        pytest.param("a\tb\nc", "a\tb\nc", id="tab and line feed stay"),
        pytest.param("a\x00\x1b\x7f", "a␀␛␡", id="control characters become symbols"),
        pytest.param("a\r\nb\rc", "a\nb␍c", id="a lone return is shown"),
        pytest.param("\u202eabc", "⟦U+202E⟧abc", id="a direction override is spelled out"),
        pytest.param("a\u200bb\ufeff", "a⟦U+200B⟧b⟦U+FEFF⟧", id="invisible letters are spelled out"),
        pytest.param("\U000e0041", "⟦U+E0041⟧", id="tag letters are spelled out"),
        pytest.param("a\ud800b", "a\ufffdb", id="a lone surrogate is replaced"),
        pytest.param("\u2028\x9b", "⟦U+2028⟧⟦U+009B⟧", id="line separator and C1"),
    ],
)
def test_invisible_letters_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_template_escapes_and_shows_every_variable() -> None:
    template = environment().from_string('<p title="{{ text }}">{{ text }}</p>')
    assert template.render(text='"<b>\u202e') == '<p title="&#34;&lt;b&gt;⟦U+202E⟧">&#34;&lt;b&gt;⟦U+202E⟧</p>'


def test_no_template_switches_escaping_off() -> None:
    for name in environment().list_templates():
        source = (environment().loader.get_source(environment(), name))[0]  # type: ignore[union-attr]
        assert "|safe" not in source.replace(" ", ""), name
        assert "autoescape" not in source, name
        assert "style=" not in source, name
        assert not re.search(r"<script(?! src=)", source), name


def test_a_title_is_escaped() -> None:
    assert escape_title("</title><script>") == "&lt;/title&gt;&lt;script&gt;"


def test_data_for_scripts_cannot_end_the_script() -> None:
    hostile = {"</script><!--": ["\u2028\u2029&", "\ud800"]}
    script = js_data("rows", hostile).decode()
    assert not any(letter in script for letter in "<>&\u2028\u2029")
    plain = script.removeprefix('(window.fcbench=window.fcbench||{})["rows"]=').removesuffix(";\n")
    assert json.loads(plain) == {"</script><!--": ["⟦U+2028⟧⟦U+2029⟧&", "\ufffd"]}


def test_a_giant_field_is_cut_and_says_how_much_is_hidden() -> None:
    shown = cut("x" * 20_000, 12_000)
    assert (len(shown.text), shown.hidden) == (12_000, 8_000)
    assert excerpt("word " * 100, 20) == "word word word word…"
