from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.canonical import digest_bytes
from fcbench.errors import BadInputError, NotFoundError
from fcbench.providers.chat_templates import ADAPTED, choose_template
from fcbench.providers.gguf import GgufHeader, read_gguf
from fcbench.providers.model_file import cache_folder, model_digest, processor_name


def text(value: str | bytes) -> bytes:
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(raw)) + raw


def header(*pairs: bytes, version: int = 3, count: int | None = None) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs) if count is None else count) + b"".join(pairs)


def string_pair(key: str, value: str | bytes) -> bytes:
    return text(key) + struct.pack("<I", 8) + text(value)


def write(folder: Path, raw: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(raw)
    return path


def test_a_header_is_read_and_arrays_are_passed_over(tmp_path: Path) -> None:
    tokens = text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc")
    scores = text("scores") + struct.pack("<IIQ", 9, 6, 3) + struct.pack("<fff", 1, 2, 3)
    kind = text("general.file_type") + struct.pack("<II", 4, 15)
    pairs = (string_pair("general.architecture", "qwen2"), tokens, scores, kind, string_pair("general.name", b"N\xff"))
    found = read_gguf(write(tmp_path, header(*pairs)))
    assert (found.version, found.architecture, found.name, found.quantisation) == (3, "qwen2", "N\ufffd", "Q4_K_M")
    assert "tokens" not in found.values


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(b"", "begins with", id="empty"),
        pytest.param(b"PK\x03\x04 a zip file", "PK", id="another format"),
        pytest.param(header(version=1), "version 1", id="an old version"),
        pytest.param(header(version=99), "version 99", id="a version from the future"),
        pytest.param(header(count=10**9), "1,000,000,000", id="absurdly many pairs"),
        pytest.param(header(string_pair("a", "b"), count=2), "ends inside", id="cut"),
        pytest.param(header(text("k") + struct.pack("<IQ", 8, 2**60)), "bytes", id="an absurd length"),
        pytest.param(header(text("k") + struct.pack("<IIQ", 9, 4, 2**60)), "items", id="an absurd array"),
        pytest.param(header(text("k") + struct.pack("<IIQ", 9, 9, 1)), "type 9", id="a nested array"),
        pytest.param(header(text("k") + struct.pack("<I", 77)), "type 77", id="an unknown type"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path, raw: bytes, said: str) -> None:
    path = write(tmp_path, raw)
    with pytest.raises(BadInputError) as caught:
        read_gguf(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_gguf(tmp_path / "none.gguf")
    with pytest.raises(BadInputError):
        read_gguf(tmp_path)


@settings(max_examples=80, deadline=None)
@given(raw=st.binary(max_size=200))
def test_no_bytes_after_the_magic_crash_the_reader(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.mktemp("gguf"), b"GGUF\x03\x00\x00\x00" + raw)
    try:
        assert isinstance(read_gguf(path), GgufHeader)
    except BadInputError as error:
        assert error.found


def test_our_template_serves_the_model_that_it_names_and_no_other(tmp_path: Path) -> None:
    entry = ADAPTED[0]
    values: dict[str, str | int | float | bool] = {
        "general.architecture": "qwen2",
        "general.name": "Qwen2.5 Coder 1.5B",
        "tokenizer.chat_template": f"... {entry.shipped_holds} ...",
    }
    ours = choose_template(GgufHeader(version=3, values=values))
    assert ours.is_adapted
    assert ours.source == f"adapted: {entry.file}"
    assert ours.text
    assert ours.sha256 == digest_bytes(ours.text.encode())
    shipped = choose_template(GgufHeader(version=3, values=values), "shipped")
    assert not shipped.is_adapted
    for key, value in (
        ("general.name", "Qwen2.5 1.5B"),
        ("tokenizer.chat_template", "x"),
        ("general.architecture", "llama"),
    ):
        other = choose_template(GgufHeader(version=3, values={**values, key: value}))
        assert (other.source, other.text) == ("shipped", None)
    own = tmp_path / "own.jinja"
    own.write_text("{{ messages }}")
    assert choose_template(GgufHeader(version=3, values=values), str(own)).text == "{{ messages }}"
    with pytest.raises(NotFoundError):
        choose_template(GgufHeader(version=3, values=values), str(tmp_path / "none"))
    own.write_bytes(b"\xff")
    with pytest.raises(BadInputError):
        choose_template(GgufHeader(version=3, values=values), str(own))


def test_every_adapted_template_states_its_call_format_and_says_when_to_answer() -> None:
    for entry in ADAPTED:
        values: dict[str, str | int | float | bool] = {
            "general.architecture": entry.architecture,
            "general.name": " ".join(entry.name_holds),
            "tokenizer.chat_template": entry.shipped_holds,
        }
        chosen = choose_template(GgufHeader(version=3, values=values)).text or ""
        assert "```json" in chosen
        assert "plain text" in chosen
        assert "tools" in chosen


def test_a_digest_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    path, cache = write(tmp_path, b"one"), tmp_path / "cache"
    assert model_digest(path, cache) == digest_bytes(b"one")
    remembered = (cache / "model-digests.json").read_text()
    (cache / "model-digests.json").write_text(remembered.replace(digest_bytes(b"one"), "f" * 64))
    assert model_digest(path, cache) == "f" * 64, "the file is not read again"
    path.write_bytes(b"other")
    assert model_digest(path, cache) == digest_bytes(b"other")
    (cache / "model-digests.json").write_text("{torn")
    assert model_digest(path, cache) == digest_bytes(b"other")
    assert model_digest(path, None) == digest_bytes(b"other")


def test_the_cache_lies_where_the_user_says(tmp_path: Path) -> None:
    assert cache_folder({"XDG_CACHE_HOME": "/somewhere"}, tmp_path) == Path("/somewhere/fcbench")
    assert cache_folder({"XDG_CACHE_HOME": "relative"}, tmp_path).parent.parent in (tmp_path, tmp_path / "Library")
    assert processor_name()
