"""Records of Every Eval Ever: valid by its own schemas (vendored, 0.3.0), filed as its data store wants them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import jsonschema
import pytest

from fcbench.cli.main import main
from fcbench.export.eee import model_id, write_eee
from fcbench.export.judged import JudgedRun
from tests.export.test_inspect_log import scored

SCHEMAS = Path(__file__).parent / "vendored" / "every_eval_ever"
UUID4 = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
TIER = "native-function-contract"


def validator(name):
    return jsonschema.Draft7Validator(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))


def read(report):
    aggregate = json.loads(Path(report.aggregate).read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in Path(report.instances).read_text(encoding="utf-8").splitlines()]
    return aggregate, lines


@pytest.fixture
def written(tmp_path):
    report = write_eee(JudgedRun(scored(tmp_path / "runs")), tmp_path / "out", organisation="Our lab")
    return report, *read(report)


def test_both_files_are_valid_by_the_published_schemas(written):
    _, aggregate, lines = written
    assert list(validator("eval.schema.json").iter_errors(aggregate)) == []
    instance = validator("instance_level_eval.schema.json")
    assert [error for line in lines for error in instance.iter_errors(line)] == []
    assert len(lines) == 3


def test_the_schema_is_one_that_can_refuse(written):
    _, aggregate, lines = written
    assert list(validator("eval.schema.json").iter_errors({**aggregate, "model_info": {}}))
    assert list(validator("instance_level_eval.schema.json").iter_errors({**lines[0], "messages": None}))


def test_the_numbers_are_those_of_attempts_counted_by_hand(written):
    _, aggregate, lines = written
    scores = {one["evaluation_result_id"]: one["score_details"]["score"] for one in aggregate["evaluation_results"]}
    # Of two judged call cases one passed with partial scores 1 and 0.55; the restraint case passed; 3 of 4 completed.
    assert scores[f"{TIER}/strict"] == 0.5
    assert scores[f"{TIER}/restraint_accuracy"] == 1.0
    assert scores[f"{TIER}/partial"] == pytest.approx(0.775)
    assert scores[f"{TIER}/completion"] == 0.75
    for metric in ("strict", "restraint_accuracy"):
        mine = [one["evaluation"]["score"] for one in lines if one["evaluation_result_id"] == f"{TIER}/{metric}"]
        assert sum(mine) / len(mine) == scores[f"{TIER}/{metric}"]


def test_the_files_lie_where_the_data_store_wants_them_and_name_each_other(written, tmp_path):
    report, aggregate, lines = written
    place = Path(report.aggregate).relative_to(tmp_path / "out").as_posix()
    assert re.fullmatch(rf"data/tiny/unknown/model-a/{UUID4}\.json", place)
    detail = aggregate["detailed_evaluation_results"]
    assert tmp_path / "out" / detail["file_path"] == Path(report.instances)
    assert Path(report.instances).name == f"{Path(report.aggregate).stem}_samples.jsonl"
    assert detail["checksum"] == hashlib.sha256(Path(report.instances).read_bytes()).hexdigest()
    assert detail["total_rows"] == len(lines)
    assert {line["evaluation_id"] for line in lines} == {aggregate["evaluation_id"]}
    assert {line["model_id"] for line in lines} == {aggregate["model_info"]["id"]} == {"unknown/model-a"}


def test_a_second_export_of_the_same_run_replaces_the_first(tmp_path):
    run = scored(tmp_path / "runs")
    trees = []
    for _ in range(2):
        write_eee(JudgedRun(run), tmp_path / "out", organisation="Our lab")
        trees.append({path: path.read_bytes() for path in (tmp_path / "out").rglob("*.json*")})
    assert trees[0] == trees[1]
    assert len(trees[0]) == 2


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        pytest.param("qwen/Qwen3-8B", "qwen/Qwen3-8B", id="developer-and-model"),
        pytest.param("gpt-x", "unknown/gpt-x", id="no-developer"),
        pytest.param("a/b/c d:e", "a/b-c-d-e", id="deeper"),
        pytest.param("../../etc/passwd", "unnamed/etc-passwd", id="no-way-out-of-the-folder"),
        pytest.param("/", "unknown/unnamed", id="nothing-left"),
    ],
)
def test_a_model_is_named_as_developer_and_model(name, wanted):
    assert model_id(name) == wanted


def test_the_command_needs_to_know_who_evaluated(tmp_path, capsys):
    assert main(["export", "eee", str(tmp_path)]) == 64
    assert "organisation" in capsys.readouterr().err
