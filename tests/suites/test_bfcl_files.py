"""Files of BFCL as foreign input: whatever stands in them, the answer is a row or one clear error."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcbench.errors import BadInputError, NotFoundError
from fcbench.suites.bfcl import attempt_of, case_of, read_pairs
from fcbench.suites.bfcl.importer import collect
from tests.strategies import json_values, texts
from tests.suites.bfcl_rows import pair, write_pairs

ANSWERS = [{"park.book": {"city": ["Delft", ""], "tent": [{"size": [2, ""], "colour": ["red"]}], "zones": [[1.5]]}}]
CALLS = [{"park.book": {"city": "Delft", "tent": {"size": 2, "colour": "red"}, "zones": [1.5]}}]
SETTINGS = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, part in parts for deeper in places(part, (*path, key)))]


@st.composite
def broken_rows(draw: st.DrawFn) -> Any:
    """A sound row in which a few places hold something else, or nothing."""
    row: Any = copy.deepcopy(pair("simple_python_1", CALLS, ANSWERS))
    for _ in range(draw(st.integers(1, 3))):
        chosen = draw(st.sampled_from(places(row)[1:] or [()]))
        if not chosen:
            continue
        owner = row
        for step in chosen[:-1]:
            owner = owner[step]
        if draw(st.booleans()):
            owner[chosen[-1]] = draw(json_values)
        elif isinstance(owner, dict):
            del owner[chosen[-1]]
            if draw(st.booleans()):
                owner[draw(texts)] = draw(json_values)
    return row


def read_all(path: Path) -> None:
    for row in read_pairs(path):
        case_of(row)
        attempt_of(row)


@SETTINGS
@given(row=broken_rows())
def test_a_broken_row_is_mapped_or_refused(tmp_path: Path, row: Any) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl", row)
    try:
        read_all(path)
    except BadInputError as error:
        assert error.message


@SETTINGS
@given(row=broken_rows())
def test_a_broken_row_is_imported_left_out_or_refused(tmp_path: Path, row: Any) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl", pair("simple_python_2", CALLS, ANSWERS), row)
    try:
        found = collect(path)
    except BadInputError as error:
        assert error.message
    else:
        assert 1 <= len(found.cases) <= 2


@SETTINGS
@given(raw=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.jsonl.gz"])
def test_any_bytes_are_rows_or_refused(tmp_path: Path, name: str, raw: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    try:
        read_all(path)
    except BadInputError as error:
        assert error.message


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(b"[]\n", "one JSON object", id="a list"),
        pytest.param(b'{"id": NaN}\n', "strict JSON", id="NaN"),
        pytest.param(b'{"a": 1, "a": 2}\n', "strict JSON", id="a key twice"),
        pytest.param(b"[" * 100_000 + b"\n", "strict JSON", id="deep nesting"),
        pytest.param(b'{"a": "\\ud800"}\n', "strict JSON", id="a lone surrogate"),
        pytest.param(b'{"category": "simple_python"}\n', "bfcl_valid", id="no verdict"),
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, raw: bytes, said: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"\n" + raw)
    with pytest.raises(BadInputError, match=said) as caught:
        read_all(path)
    assert caught.value.where == "pairs.jsonl:2"


def test_a_torn_gzip_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(pair("p1", CALLS, ANSWERS)).encode() * 50)
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInputError, match="damaged"):
        read_all(path)


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_all(tmp_path / "none.jsonl")
