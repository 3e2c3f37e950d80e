"""Rows, files and conversations of the dataset, one by one."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fcbench.core.evidence import Call, CallResult
from fcbench.core.names import ToolName
from fcbench.core.records import encode_line
from fcbench.errors import PackageError
from fcbench.export import features, parquet
from fcbench.export.conversation import messages, offered_tools, prompt_texts
from fcbench.export.parquet import DatasetFiles, rows_by_split, split_name
from fcbench.export.rows import attempt_row, case_row, line_of, round_row, tool_row
from tests.aggregate.tiny_runs import CONTRACTS, attempt_of, call_case

TEXT = pa.schema([("text", pa.string())])


@pytest.mark.parametrize(
    ("suite", "split"),
    [
        pytest.param("complex-schema-nl", "complex_schema_nl", id="hyphens"),
        pytest.param("genomics/portable", "genomics_portable", id="a subset"),
        pytest.param("../../etc", "etc", id="a path"),
        pytest.param("all", "suite_all", id="a reserved word"),
        pytest.param("172", "suite_172", id="a number"),
        pytest.param("\u202e", "suite", id="nothing usable"),
        pytest.param("A" * 200, "a" * 80, id="long"),
    ],
)
def test_a_suite_becomes_a_split_that_datasets_and_every_disk_take(suite, split):
    assert split_name(suite) == split


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ud800 lone", id="lone surrogate"),
        pytest.param("\x00\x07\x1b[0m", id="control characters"),
        pytest.param("y" * 1_000_000, id="a megabyte"),
    ],
)
def test_hostile_text_is_written(tmp_path, text):
    files = DatasetFiles(tmp_path)
    files.add("c", "s", TEXT, {"text": text})
    (path,) = files.close()
    (row,) = pq.read_table(tmp_path / path).to_pylist()
    assert row["text"] == text.replace("\ud800", "\ufffd")


def test_batches_are_bounded_by_rows_and_by_characters(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MAX_ROWS", 3)
    monkeypatch.setattr(parquet, "MAX_CHARACTERS", 100)
    files = DatasetFiles(tmp_path)
    for text in ["a"] * 7 + ["b" * 200] + ["c"]:
        files.add("c", "s", TEXT, {"text": text})
    (path,) = files.close()
    meta = pq.ParquetFile(tmp_path / path).metadata
    assert [meta.row_group(place).num_rows for place in range(meta.num_row_groups)] == [3, 3, 2, 1]


def test_a_full_shard_is_followed_by_another(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MAX_ROWS", 2)
    files = DatasetFiles(tmp_path, shard_characters=10)
    for text in ["a" * 5] * 5:
        files.add("c", "s", TEXT, {"text": text})
    written = files.close()
    assert [(path, one.rows) for path, one in written.items()] == [
        ("c/s-00000-of-00003.parquet", 2),
        ("c/s-00001-of-00003.parquet", 2),
        ("c/s-00002-of-00003.parquet", 1),
    ]
    for path, one in written.items():
        raw = (tmp_path / path).read_bytes()
        assert (one.sha256, one.size) == (hashlib.sha256(raw).hexdigest(), len(raw))
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [path[2:] for path in written]
    assert rows_by_split(written) == {"c": {"s": 5}}


def test_a_number_that_no_column_holds_is_an_error_of_ours(tmp_path):
    files = DatasetFiles(tmp_path)
    files.add("c", "s", pa.schema([("n", pa.int64())]), {"n": 2**70})
    with pytest.raises(PackageError, match="does not fit"):
        files.close()


def test_rows_fit_their_schemas_exactly():
    attempt, case = attempt_of("t-1", arguments={"start": 1}), call_case("t-1")
    shared = {field.name for field in features.ATTEMPTS} & {field.name for field in features.ROUNDS}
    start = dict.fromkeys(shared - {"started_at", "duration_s"} - set(attempt_row({}, attempt, "{}")))
    assert set(case_row(case, line_of(case))) == set(features.CASES.names)
    tool = tool_row(CONTRACTS[0], line_of(CONTRACTS[0]), registry="genomics", registry_hashes=())
    assert set(tool) == set(features.TOOLS.names)
    assert set(attempt_row(start, attempt, "{}")) == set(features.ATTEMPTS.names)
    assert set(round_row(start, attempt.rounds[0])) == set(features.ROUNDS.names)


def test_the_record_is_the_line_of_the_package_and_the_digest_is_of_it():
    attempt = attempt_of("t-1", arguments={"start": 1, "end": 2})
    row = attempt_row({}, attempt, line_of(attempt))
    assert row["record"] == encode_line(attempt).decode().rstrip("\n")
    assert row["attempt_sha256"] == hashlib.sha256(str(row["record"]).encode()).hexdigest()
    # Free JSON for people is sorted; the record keeps the order of its keys, in which faults are listed.
    assert str(row["record"]).index('"start":1') < str(row["record"]).index('"end":2')
    calls = str(round_row({}, attempt.rounds[0])["calls"])
    assert calls.index('"end":2') < calls.index('"start":1')


PROMPT = "[system]\nYou are an assistant.\n\n[guidance]\nGo on.\n\n"


def test_a_conversation_has_every_message_in_order():
    attempt = attempt_of("t-1", arguments={"start": 1})
    told = messages(call_case("t-1").task, attempt, prompt_texts(PROMPT))
    assert [one["role"] for one in told] == ["system", "user", "assistant", "tool"]
    assert told[2]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "gc_content", "arguments": '{"start": 1}'}}
    ]
    assert told[3]["content"] == '{"guidance":"Go on.","ok":true,"result":{"gc":0.5}}'
    assert (told[3]["tool_call_id"], told[3]["name"]) == ("c1", "gc_content")


def test_a_prompt_without_roles_gives_no_system_message():
    assert prompt_texts("Answer.\n") == {}
    told = messages(call_case("t-1").task, attempt_of("t-1", text="Hi"), {})
    assert [one["role"] for one in told] == ["user", "assistant"]


def test_only_tools_with_a_contract_are_offered_in_the_row():
    contracts = {one.name: one for one in CONTRACTS}
    assert '"name":"gc_content"' in offered_tools(attempt_of("t-1"), contracts)
    assert offered_tools(attempt_of("t-1"), {ToolName("other"): CONTRACTS[1]}) == "[]"


def test_broken_arguments_stand_as_the_model_wrote_them():
    result = CallResult(status="invalid", content={"code": "invalid_json"})
    call = Call(id="c", name="x", raw_arguments='{"a": NaN', parse_error="NaN", result=result)
    attempt = attempt_of("t-1", text="?")
    turn = attempt.rounds[0]
    broken = type(turn)(**{**{name: getattr(turn, name) for name in turn.__struct_fields__}, "calls": (call,)})
    told = messages(
        call_case("t-1").task,
        type(attempt)(
            task_id=attempt.task_id,
            repeat=1,
            outcome="completed",
            rounds=(broken,),
            started_at=attempt.started_at,
            duration_s=1.0,
        ),
        {},
    )
    assert told[1]["tool_calls"][0]["function"]["arguments"] == '{"a": NaN'
