"""The exported dataset opens offline, is the same for the same packages, and holds nothing that may not leave."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from msgspec.structs import replace

from fcbench import __version__
from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.core.evidence import Attempt
from fcbench.core.names import ToolName
from fcbench.core.records import decode_line, to_plain
from fcbench.errors import BadInputError, PackageError, WriteError
from fcbench.export.hf_dataset import ExportOptions, export_dataset
from fcbench.export.marker import MARKER
from fcbench.packages.store import Package
from fcbench.registry.model import make_registry
from tests.aggregate.tiny_runs import CONTRACTS, attempt_of, call_case, restraint_case, sealed, verdict_for

GOLDEN = Path(__file__).parents[1] / "golden" / "export" / "tiny"
SECRET = call_case("secret-1", held_out=True)
MANUAL = call_case("manual-1", suite="manual/first-look")
CASES = [call_case("t-1"), call_case("t-2"), restraint_case("r-1")]


def scored(runs, cases=CASES, *, run_id="run-a", attempts=None, version=1, **more):
    chosen = attempts or [
        attempt_of("t-1", arguments={"start": 1}),
        attempt_of("t-2", outcome="provider_error"),
        *(attempt_of(case.id, text="No.") for case in cases[2:]),
    ]
    package = sealed(runs, cases, chosen, run_id=run_id, **more)
    judged = [one.task_id for one in chosen if one.outcome == "completed"]
    verdicts = [verdict_for(case, passed=case != "t-1", faults=["wrong_value"] * (case == "t-1")) for case in judged]
    path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=version)
    return Scored(package=package, verdicts=path)


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rows_of(folder, config):
    found = []
    for path in sorted((folder / "data" / config).glob("*.parquet")):
        found += [{"split": path.name.partition("-")[0], **row} for row in pq.read_table(path).to_pylist()]
    return found


@pytest.fixture
def exported(tmp_path):
    output = tmp_path / "dataset"
    report = export_dataset([scored(tmp_path / "runs")], output)
    return output, report


def test_a_tiny_export_equals_the_golden_tree(exported):
    output, report = exported
    card = (output / "README.md").read_text().replace(__version__, "VERSION")
    rows = {config: rows_of(output, config) for config in report.counts}
    found = {
        "README.md": card,
        "rows.json": json.dumps(rows, indent=1, sort_keys=True, ensure_ascii=False) + "\n",
        "tree.txt": "".join(f"{name}\n" for name in tree(output)),
    }
    if os.environ.get("FCBENCH_REWRITE_GOLDEN") == "1":
        GOLDEN.mkdir(parents=True, exist_ok=True)
        for name, text in found.items():
            (GOLDEN / name).write_text(text)
    assert found == {path.name: path.read_text() for path in GOLDEN.iterdir()}


def test_equal_packages_give_equal_bytes_in_any_order(tmp_path):
    sources = [scored(tmp_path / "runs", run_id=name) for name in ("run-a", "run-b")]
    export_dataset(sources, tmp_path / "one")
    export_dataset(sources[::-1], tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


LOAD = """
import json, sys
import datasets
folder, cache = sys.argv[1:3]
found = {}
for config in datasets.get_dataset_config_names(folder):
    loaded = datasets.load_dataset(folder, config, cache_dir=cache)
    found[config] = {split: [len(part), sorted(part.features)] for split, part in loaded.items()}
print(json.dumps(found))
"""


def test_datasets_opens_every_config_offline(exported, tmp_path):
    output, report = exported
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    # A process of its own: importing `datasets` changes the state of this one (loggers, threads, forks).
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(output), str(tmp_path / "cache")],
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    counts = {config: {split: part[0] for split, part in splits.items()} for config, splits in found.items()}
    assert counts == report.counts
    for config, splits in found.items():
        for split, (_, features) in splits.items():
            assert features == sorted(
                pq.read_schema(output / "data" / config / f"{split}-00000-of-00001.parquet").names
            )


def test_attempts_come_back_from_their_records_without_loss(tmp_path):
    attempts = [
        attempt_of(
            "t-1", arguments={"start": 2**70, "x": [1.0, None, "é\u202e\x00"]}, text="\x1b[31m" + "x" * 1_000_000
        ),
        attempt_of("t-2", outcome="provider_error"),
        attempt_of("r-1", text="[link](javascript:alert(1)) <script>"),
    ]
    source = scored(tmp_path / "runs", attempts=attempts)
    export_dataset([source], tmp_path / "out")
    rows = rows_of(tmp_path / "out", "attempts")
    back = [decode_line(row["record"].encode(), Attempt) for row in rows]
    assert sorted(back, key=lambda one: one.task_id) == sorted(attempts, key=lambda one: one.task_id)
    sealed_digests = {entry.task_id: entry.sha256 for entry in source.package.manifest.attempts}
    assert {row["task_id"]: row["attempt_sha256"] for row in rows} == sealed_digests


def test_of_a_try_that_was_made_again_only_the_last_is_there(tmp_path):
    first = attempt_of("t-2", outcome="provider_error")
    second = replace(attempt_of("t-2", text="Hi"), try_number=2)
    source = scored(tmp_path / "runs", attempts=[first, second])
    export_dataset([source], tmp_path / "out")
    assert [(row["task_id"], row["try"]) for row in rows_of(tmp_path / "out", "attempts")] == [("t-2", 2)]


def test_a_whole_registry_comes_from_beside_the_package_or_from_the_caller(tmp_path):
    more = [*CONTRACTS, replace(CONTRACTS[0], name=ToolName("never_offered"))]
    whole = make_registry("genomics", more)
    source = scored(tmp_path / "runs")
    header = source.package.header
    key = replace(header.key, registry_hash=whole.hash)
    manifest = replace(source.package.manifest, header=replace(header, key=key))
    source = Scored(package=Package(source.package.folder, manifest), verdicts=source.verdicts)
    assert export_dataset([source], tmp_path / "a").partial_registries == (whole.hash,)
    assert "only the contracts that a run offered or expected" in (tmp_path / "a" / "README.md").read_text()
    by_caller = ExportOptions(registries={whole.hash: more})
    assert export_dataset([source], tmp_path / "b", by_caller).partial_registries == ()
    plain = {"tools": [to_plain(one) for one in more]}
    (source.package.folder.parent / "registry.json").write_text(json.dumps(plain))
    assert export_dataset([source], tmp_path / "c").partial_registries == ()
    for name, hashes in (("a", []), ("b", [whole.hash]), ("c", [whole.hash])):
        rows = rows_of(tmp_path / name, "tools")
        assert {row["name"] for row in rows} == {one.name for one in (more if hashes else CONTRACTS)}
        assert all(row["registry_hashes"] == hashes for row in rows)
    # A file beside it that holds another registry is not believed.
    (source.package.folder.parent / "registry.json").write_text(json.dumps({"tools": plain["tools"][:1]}))
    assert export_dataset([source], tmp_path / "d").partial_registries == (whole.hash,)


def test_where_a_package_lies_is_not_told(exported, tmp_path):
    output, _ = exported
    (row,) = rows_of(output, "leaderboard_native_function_contract")
    assert row["package"] == "cdcdcdcdcdcd/run-a"
    moved = scored(tmp_path / "secret-customer")
    target = tmp_path / "secret-place" / "x"
    target.parent.mkdir()
    moved.package.folder.rename(target)
    package = Package(target, moved.package.manifest)
    export_dataset([Scored(package=package, verdicts=target / moved.verdicts.name)], tmp_path / "out")
    assert rows_of(tmp_path / "out", "leaderboard_native_function_contract")[0]["package"] == "cdcdcdcdcdcd/run-a"


def test_the_marker_lists_every_data_file_with_its_digest(exported):
    output, report = exported
    told = json.loads((output / MARKER).read_text())
    assert told["format_version"] == 2
    assert told["rows"] == report.counts
    assert {name: one["sha256"] for name, one in told["files"].items()} == {
        path.relative_to(output).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in output.rglob("*.parquet")
    }


def test_rows_of_several_boards_are_kept_apart(tmp_path):
    first = scored(tmp_path / "runs")
    again = write_verdicts(first.package, [], oracle_hash=first.package.header.oracle_hash, evaluator_version=2)
    other = scored(tmp_path / "runs", [*CASES, call_case("t-9")], run_id="run-b")
    sources = [first, Scored(package=first.package, verdicts=again), other]
    report = export_dataset(sources, tmp_path / "out")
    board = rows_of(tmp_path / "out", "leaderboard_native_function_contract")
    assert len({(row["task_hash"], row["evaluator_version"]) for row in board}) == 3
    assert len({row["board"] for row in board}) == 3
    assert [row["rank"] for row in board] == [None, None, None]
    assert report.counts["runs"] == {"tiny": 2}
    assert len(rows_of(tmp_path / "out", "attempts")) == 3 + 4
    assert len(rows_of(tmp_path / "out", "cases")) == 4


def test_held_out_cases_are_refused_in_the_clear(tmp_path):
    source = scored(tmp_path / "runs", [*CASES, SECRET])
    with pytest.raises(PackageError, match="held-out"):
        export_dataset([source], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_held_out_and_manual_cases_are_left_out_with_all_that_belongs_to_them(tmp_path):
    source = scored(tmp_path / "runs", [*CASES, SECRET, MANUAL])
    report = export_dataset([source], tmp_path / "out", ExportOptions(leave_out_held_out=True))
    assert (report.left_out_held_out, report.left_out_manual) == (("secret-1",), ("manual-1",))
    for config in ("cases", "attempts", "rounds", "messages", "verdicts_native_function_contract"):
        ids = {row["task_id"] for row in rows_of(tmp_path / "out", config)}
        assert ids <= {"t-1", "t-2", "r-1"}, config
        assert ids, config
    readable = b"".join(json.dumps(rows_of(tmp_path / "out", config)).encode() for config in report.counts)
    assert SECRET.task.instruction.encode() not in readable
    assert MANUAL.task.instruction.encode() not in readable
    assert "1 held-out, 1 of manual suites" in (tmp_path / "out" / "README.md").read_text()


def test_an_earlier_export_is_replaced_and_nothing_else_is(tmp_path):
    source, output = scored(tmp_path / "runs"), tmp_path / "out"
    export_dataset([source], output)
    (output / "data" / "stale.parquet").write_bytes(b"old")
    export_dataset([source], output)
    assert not (output / "data" / "stale.parquet").exists()
    (output / MARKER).unlink()
    before = tree(output)
    with pytest.raises(WriteError, match="exists already"):
        export_dataset([source], output)
    assert tree(output) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("make", [pytest.param("file", id="a file"), pytest.param("link", id="a link")])
def test_a_file_or_a_link_is_never_replaced(tmp_path, make):
    output, target = tmp_path / "out", tmp_path / "target"
    target.mkdir()
    output.write_text("mine") if make == "file" else output.symlink_to(target)
    with pytest.raises(WriteError, match="exists already"):
        export_dataset([scored(tmp_path / "runs")], output)


def test_a_failure_leaves_the_earlier_export_and_no_scratch(tmp_path):
    source, output = scored(tmp_path / "runs"), tmp_path / "out"
    export_dataset([source], output)
    before = tree(output)
    (source.package.folder / "prompt.txt").unlink()
    with pytest.raises(PackageError, match=r"prompt\.txt"):
        export_dataset([source], output)
    assert tree(output) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_two_packages_with_one_run_id_are_refused(tmp_path):
    with pytest.raises(PackageError, match="one run id"):
        export_dataset([scored(tmp_path / "a"), scored(tmp_path / "b")], tmp_path / "out")


def test_nothing_to_export_is_an_error(tmp_path):
    with pytest.raises(BadInputError, match="nothing to export"):
        export_dataset([], tmp_path / "out")


def test_the_card_says_what_a_user_must_know(exported):
    output, report = exported
    text = (output / "README.md").read_text()
    matter = yaml.safe_load(text.split("---\n")[1])
    listed = {one["config_name"]: {part["split"] for part in one["data_files"]} for one in matter["configs"]}
    assert listed == {config: set(splits) for config, splits in report.counts.items()}
    assert matter["license"] == "apache-2.0"
    for words in ("Not for training", "canary fcbench tiny", "How to replicate", "Intended use and limits", "Licence"):
        assert words in text


def test_progress_counts_attempts(tmp_path):
    seen = []
    export_dataset([scored(tmp_path / "runs")], tmp_path / "out", ExportOptions(on_attempt=seen.append))
    assert seen == [1, 2, 3]
