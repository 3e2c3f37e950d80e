"""The Croissant metadata is what `mlcroissant` validates and loads, config by config."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest

from fcbench.export.croissant import CONFORMS_TO, CROISSANT
from fcbench.export.hf_dataset import ExportOptions, export_dataset
from tests.export.test_hf_dataset import rows_of, scored

READ = """
import json, sys
import mlcroissant
dataset = mlcroissant.Dataset(sys.argv[1])
issues = dataset.metadata.issues
found = {}
for one in dataset.metadata.record_sets:
    rows = list(dataset.records(one.id))
    found[one.id] = [
        {key.split("/", 1)[1]: each.decode() if isinstance(each, bytes) else str(each) for key, each in row.items()}
        for row in rows
    ]
said = sorted(issues.errors) + sorted(issues.warnings)
print(json.dumps({"issues": said, "rows": found, "version": dataset.metadata.ctx.conforms_to.value}))
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("croissant")
    return folder / "out", export_dataset([scored(folder / "runs")], folder / "out")


def test_mlcroissant_finds_nothing_to_say_and_reads_every_row(exported, tmp_path):
    output, report = exported
    # A process of its own: mlcroissant configures logging and keeps a cache below the home folder.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ, str(output / CROISSANT)],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["issues"], found["version"]) == ([], "http://mlcommons.org/croissant/1.1")
    assert {name: len(rows) for name, rows in found["rows"].items()} == {
        config: sum(splits.values()) for config, splits in report.counts.items()
    }
    for config, rows in found["rows"].items():
        wanted = rows_of(output, config)
        names = ("split", *(name for name in ("run_id", "task_id", "name", "header") if name in wanted[0]))
        assert sorted([row[name] for name in names] for row in rows) == sorted(
            [row[name] for name in names] for row in wanted
        )
    assert "What is the GC content of t-1?" in found["rows"]["messages"][0]["messages"]


def test_every_column_and_every_shard_stands_in_the_metadata(exported):
    output, report = exported
    told = json.loads((output / CROISSANT).read_text())
    assert told["conformsTo"] == CONFORMS_TO
    assert {one["@id"] for one in told["recordSet"]} == set(report.counts)
    for one in told["recordSet"]:
        columns = {field["name"] for field in one["field"]}
        assert columns == {"split", *rows_of(output, one["@id"])[0]}
    shards = {one["contentUrl"]: one for one in told["distribution"] if one["@type"] == "cr:FileObject"}
    assert set(shards) == {path.relative_to(output).as_posix() for path in output.rglob("*.parquet")}
    for path, one in shards.items():
        raw = (output / path).read_bytes()
        assert (one["sha256"], one["contentSize"]) == (hashlib.sha256(raw).hexdigest(), f"{len(raw)} B")


def test_a_licence_that_has_an_address_is_given_as_one(tmp_path):
    source = scored(tmp_path / "runs")
    export_dataset([source], tmp_path / "out", ExportOptions(licence="mit", name='A "name" </script>'))
    told = json.loads((tmp_path / "out" / CROISSANT).read_text())
    assert (told["license"], told["name"]) == ("mit", 'A "name" /script')
    export_dataset([source], tmp_path / "out")
    assert json.loads((tmp_path / "out" / CROISSANT).read_text())["license"].endswith("/Apache-2.0")
