"""Verdict files keep every verdict whole, and say what they were made from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.aggregate.verdict_columns import VERDICT_SCHEMA, json_text
from fcbench.aggregate.verdict_files import (
    compare_rows,
    flipped,
    read_verdicts,
    to_frame,
    verdict_files,
    verdict_records,
    write_verdicts,
)
from fcbench.core.canonical import clean_json, json_equal, parse_json
from fcbench.core.names import Digest
from fcbench.core.verdicts import Dimensions, PartialScore, Verdict
from fcbench.errors import NotFoundError, PackageError
from fcbench.evaluator import applicable_tiers, golden_attempt, judge, mutations
from fcbench.registry.load import load_registries
from fcbench.suites.load import load_suites
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed, verdict_for

ORACLE = Digest("0123456789abcdef" * 4)


@pytest.fixture
def package(tmp_path):
    return sealed(tmp_path, [call_case("t-1"), call_case("t-2")], [attempt_of("t-1"), attempt_of("t-2")])


def test_verdicts_come_back_whole(package):
    verdicts = [
        verdict_for("t-1", passed=True),
        verdict_for("t-2", passed=False, faults=["wrong_value", "date_order"], found={"a": [1, 2.5, None, True, "é"]}),
    ]
    path = write_verdicts(package, verdicts, oracle_hash=ORACLE, evaluator_version=1)
    info, frame = read_verdicts(path)
    assert path.name == "verdicts-v1-01234567.parquet"
    assert list(verdict_records(frame)) == verdicts
    assert info.belongs_to(package)
    assert (info.evaluator_version, info.oracle_hash, info.rows) == (1, ORACLE, 2)
    assert frame.get_column("fault_kinds").to_list() == [[], ["wrong_value", "date_order"]]


def test_equal_verdicts_give_equal_bytes_in_any_order(package):
    verdicts = [verdict_for("t-2", passed=True), verdict_for("t-1", passed=False, faults=["no_call"])]
    first = write_verdicts(package, verdicts, oracle_hash=ORACLE, evaluator_version=1).read_bytes()
    second = write_verdicts(package, reversed(verdicts), oracle_hash=ORACLE, evaluator_version=1).read_bytes()
    assert first == second
    assert not list(package.folder.glob(".*"))


@pytest.mark.parametrize(
    "found",
    [
        pytest.param("\ud800 lone", id="lone surrogate"),
        pytest.param({"\udfff": 2**80}, id="surrogate key and a number beyond RFC 8785"),
        pytest.param("\x00\x1b[31m\u202e", id="control characters and an override"),
        pytest.param("x" * 1_000_000, id="a megabyte"),
        pytest.param([[[[[[[[[[["deep"]]]]]]]]]]], id="deep"),
        pytest.param(-0.0, id="minus nought"),
    ],
)
def test_whatever_a_model_sent_is_stored_and_read(package, found):
    verdict = verdict_for("t-1", passed=False, faults=["wrong_value"], found=found)
    path = write_verdicts(package, [verdict], oracle_hash=ORACLE, evaluator_version=1)
    (back,) = verdict_records(read_verdicts(path)[1])
    assert json_equal(back.faults[0].found, clean_json(found))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_json_text_holds_the_value(value):
    assert json_equal(parse_json(json_text(value)), value)


def test_a_verdict_that_stands_twice_is_refused(package):
    twice = [verdict_for("t-1", passed=True), verdict_for("t-1", passed=False)]
    with pytest.raises(PackageError, match="two verdicts have one key"):
        write_verdicts(package, twice, oracle_hash=ORACLE, evaluator_version=1)
    assert verdict_files(package) == []


def test_a_verdict_of_another_version_is_refused(package):
    with pytest.raises(PackageError, match="another evaluator version"):
        write_verdicts(package, [verdict_for("t-1", passed=True, version=2)], oracle_hash=ORACLE, evaluator_version=1)


def test_no_verdicts_give_an_empty_file(package):
    path = write_verdicts(package, [], oracle_hash=ORACLE, evaluator_version=3)
    assert read_verdicts(path)[1].height == 0


def test_files_are_listed_by_version_as_a_number(package):
    for version in (10, 9, 2):
        write_verdicts(package, [], oracle_hash=ORACLE, evaluator_version=version)
    (package.folder / "verdicts-vX-01234567.parquet").write_bytes(b"not ours")
    names = [path.name for path in verdict_files(package)]
    assert names == [f"verdicts-v{version}-01234567.parquet" for version in (2, 9, 10)]


def test_compare_rows_names_what_differs_and_what_is_missing():
    left = to_frame([verdict_for("t-1", passed=True), verdict_for("t-2", passed=True), verdict_for("t-3", passed=True)])
    right = to_frame(
        [verdict_for("t-1", passed=True), verdict_for("t-2", passed=False), verdict_for("t-4", passed=True)]
    )
    tier = "native-function-contract"
    assert compare_rows(left, left) == []
    assert compare_rows(left, right) == [("t-2", 1, tier), ("t-3", 1, tier), ("t-4", 1, tier)]
    assert flipped(left, right).rows() == [("t-2", 1, tier, True, False)]


def test_a_difference_in_a_reason_or_a_null_is_seen():
    one = to_frame([verdict_for("t-1", passed=False, faults=["wrong_value"], found=2)])
    other = to_frame([verdict_for("t-1", passed=False, faults=["wrong_value"], found=3)])
    nulled = one.with_columns(pl.lit(None, pl.Boolean).alias("restraint"))
    assert len(compare_rows(one, other)) == 1
    assert len(compare_rows(one, nulled)) == 1
    assert compare_rows(nulled, nulled) == []


@pytest.mark.parametrize("data", [pytest.param(b"", id="empty"), pytest.param(b"PAR1 no parquet", id="torn")])
def test_a_damaged_file_is_an_error_of_ours(tmp_path: Path, data):
    path = tmp_path / "verdicts-v1-01234567.parquet"
    path.write_bytes(data)
    with pytest.raises(PackageError, match="damaged"):
        read_verdicts(path)


def test_a_foreign_parquet_file_and_a_missing_one_are_refused(tmp_path: Path):
    path = tmp_path / "foreign.parquet"
    pl.DataFrame({"a": [1]}, schema={"a": pl.Int8}).write_parquet(path)
    with pytest.raises(PackageError, match="damaged or not one"):
        read_verdicts(path)
    with pytest.raises(NotFoundError):
        read_verdicts(tmp_path / "none.parquet")


def test_a_newer_format_is_refused_by_name(tmp_path: Path):
    path = tmp_path / "new.parquet"
    pl.DataFrame(schema={"a": pl.Int8}).write_parquet(path, metadata={"fcbench": '{"format_version": 99}'})
    with pytest.raises(PackageError, match="another format") as caught:
        read_verdicts(path)
    assert caught.value.found == "format version 99"


def test_a_row_with_a_foreign_cell_is_refused():
    frame = to_frame([verdict_for("t-1", passed=True)]).with_columns(pl.lit('{"a": 1}').alias("faults"))
    with pytest.raises(PackageError, match="does not read"):
        list(verdict_records(frame))


def test_every_field_of_a_verdict_has_a_column():
    dotted = {"partial": [f"partial_{name}" for name in PartialScore.__struct_fields__]}
    dotted["dimensions"] = list(Dimensions.__struct_fields__)
    columns = [one for name in Verdict.__struct_fields__ for one in dotted.get(name, [name])]
    assert {*columns, "fault_kinds"} == set(VERDICT_SCHEMA)


def test_what_the_evaluator_says_of_real_cases_comes_back_whole():
    root = Path(__file__).parents[2]
    registries = load_registries(root / "tools_registry")
    suites = load_suites(root / "suites", registries)
    verdicts = {}
    judged_here = [case for case in suites.cases.values() if "contract" in case.harnesses]
    for case in judged_here[::40]:
        contracts = registries[case.task.registry].contracts
        golden = golden_attempt(case, contracts)
        attempts = [golden, *(attempt for _, attempt in mutations(case, golden, contracts))]
        for repeat, attempt in enumerate(attempts, start=1):
            for tier in applicable_tiers(case, "contract"):
                verdict = judge(case, attempt, contracts, "contract", tier)
                verdicts[(case.id, repeat, tier)] = msgspec.structs.replace(verdict, repeat=repeat)
    assert len({fault.kind for verdict in verdicts.values() for fault in verdict.faults}) > 5
    assert {
        (one.task_id, one.repeat, one.tier): one for one in verdict_records(to_frame(verdicts.values()))
    } == verdicts


def test_without_details_the_rows_are_the_same_but_for_the_texts(tmp_path):
    package = sealed(tmp_path, [call_case("t-1")], [attempt_of("t-1")])
    path = write_verdicts(
        package,
        [verdict_for("t-1", passed=False, faults=["wrong_value"])],
        oracle_hash=package.header.oracle_hash,
        evaluator_version=1,
    )
    (info, whole), (same, lean) = read_verdicts(path), read_verdicts(path, details=False)
    assert info == same
    assert lean.equals(whole.drop("conditions", "faults", "judgements"))
    assert set(whole.columns) - set(lean.columns) == {"conditions", "faults", "judgements"}


def test_a_file_that_lacks_a_text_is_damaged_even_where_the_texts_are_not_wanted(tmp_path):
    package = sealed(tmp_path, [call_case("t-1")], [attempt_of("t-1")])
    path = write_verdicts(
        package, [verdict_for("t-1", passed=True)], oracle_hash=package.header.oracle_hash, evaluator_version=1
    )
    said = pl.read_parquet_metadata(path)
    pl.read_parquet(path).drop("faults").write_parquet(path, metadata={"fcbench": said["fcbench"]})
    with pytest.raises(PackageError) as caught:
        read_verdicts(path, details=False)
    assert "faults" in str(caught.value.found)
