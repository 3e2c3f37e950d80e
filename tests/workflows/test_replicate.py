"""An outsider with the dataset alone: nothing differs, and whatever was altered by hand is caught and named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcbench.cli.main import main
from fcbench.core.canonical import digest_bytes, digest_text
from fcbench.errors import BadInputError, FcbenchError, NotFoundError, WriteError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.export.marker import MARKER
from fcbench.packages.store import find_packages, open_package
from fcbench.workflows.export_dataset import ExportRequest, export_as
from fcbench.workflows.replicate import Replication, replicate
from fcbench.workflows.replicate_source import replicate_source

V1 = Path(__file__).parents[1] / "golden" / "packages" / "v1"
Row = dict[str, Any]
Alter = Callable[[list[Row]], object]
TIER = "native_function_contract"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the golden package, judged by today's evaluator."""
    folder = tmp_path_factory.mktemp("dataset")
    shutil.copytree(V1, folder / "runs")
    for path in (folder / "runs").rglob("verdicts-*"):
        path.unlink()
    export_as(ExportRequest(runs=folder / "runs"), folder / "out")
    return folder / "out"


@pytest.fixture
def dataset(exported: Path, tmp_path: Path) -> Path:
    """A copy to alter."""
    shutil.copytree(exported, tmp_path / "dataset")
    return tmp_path / "dataset"


def alter(dataset: Path, config: str, edit: Alter, *, hide: bool = True) -> None:
    """Change the rows of a config's first split; with `hide` also the digest in the marker, as a forger would."""
    path = min((dataset / "data" / config).glob("*.parquet"))
    table = pq.read_table(path)
    rows = table.to_pylist()
    edit(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path, compression="zstd")
    if hide:
        marker = json.loads((dataset / MARKER).read_text())
        name = path.relative_to(dataset).as_posix()
        marker["files"][name] |= {"sha256": digest_bytes(path.read_bytes()), "size": path.stat().st_size}
        (dataset / MARKER).write_text(json.dumps(marker))


def told(found: Replication) -> str:
    return "\n".join(found.shown_differences)


def test_nothing_differs_in_what_was_exported(exported: Path) -> None:
    found = replicate(exported)
    assert (found.differences, found.flips, found.open_questions, found.exit_code) == (0, 0, (), 0), told(found)
    package = open_package(find_packages(V1)[0])
    assert found.counts["attempts"] == len(list(package.attempts()))
    assert found.counts["cases"] == len(package.cases)
    assert found.counts["runs"] == 1
    assert found.counts["verdicts"] >= found.counts["attempts"]
    assert found.counts["leaderboard rows"] == 2


def set_cell(name: str, value: object) -> Alter:
    def edit(rows: list[Row]) -> None:
        assert rows[0][name] != value
        rows[0][name] = value

    return edit


def in_record(old: str, new: str, *, digest: str | None = None) -> Alter:
    """Change a text inside the first record that has it, and its digest where one is named."""

    def edit(rows: list[Row]) -> None:
        row = next(one for one in rows if old in one["record"])
        row["record"] = row["record"].replace(old, new, 1)
        if digest:
            row[digest] = digest_text(row["record"])

    return edit


def flip(rows: list[Row]) -> None:
    rows[0]["passed"] = not rows[0]["passed"]


def forget(rows: list[Row]) -> None:
    del rows[0]


def again(rows: list[Row]) -> None:
    rows.append(dict(rows[0]))


@pytest.mark.parametrize(
    ("config", "edit", "words"),
    [
        pytest.param(f"verdicts_{TIER}", flip, ["the verdict of", "passed is"], id="a verdict"),
        pytest.param(f"verdicts_{TIER}", forget, ["the verdict of", "is missing"], id="a verdict left out"),
        pytest.param(f"verdicts_{TIER}", again, ["comes twice"], id="a verdict twice"),
        pytest.param(f"verdicts_{TIER}", set_cell("model", "Better"), ["model is Better"], id="a verdict's model"),
        pytest.param(
            f"leaderboard_{TIER}",
            set_cell("strict", 0.123),
            [f"leaderboard_{TIER}", "strict is 0.123, recomputing gives"],
            id="a number of a leaderboard",
        ),
        pytest.param(f"leaderboard_{TIER}", set_cell("rank", 7), ["rank is 7"], id="a rank"),
        pytest.param(f"leaderboard_{TIER}", forget, ["is missing"], id="a run left out of a leaderboard"),
        pytest.param(
            f"leaderboard_{TIER}", set_cell("run_id", "ghost"), ["no run of the dataset gives this row"], id="a ghost"
        ),
        pytest.param(
            "attempts", in_record('"final_text":"', '"final_text":"x'), ["attempts:", "attempt_sha256"], id="an attempt"
        ),
        pytest.param(
            "attempts",
            in_record('"final_text":"', '"final_text":"x', digest="attempt_sha256"),
            ["attempts:", "final_text is not what the record says"],
            id="an attempt with its digest",
        ),
        pytest.param("attempts", set_cell("outcome", "timeout"), ["outcome is not what"], id="an attempt's column"),
        pytest.param("attempts", forget, ["has rounds and no attempt"], id="an attempt left out"),
        pytest.param("attempts", again, ["comes twice"], id="an attempt twice"),
        pytest.param("rounds", set_cell("text", "forged"), ["rounds:", "text is not what"], id="a round"),
        pytest.param("rounds", forget, ["rounds:"], id="a round left out"),
        pytest.param("messages", set_cell("tools", "[]"), ["messages:", "tools is not what"], id="a conversation"),
        pytest.param("messages", forget, ["messages:", "is missing"], id="a conversation left out"),
        pytest.param("cases", set_cell("instruction", "Do it."), ["cases:", "instruction is not what"], id="a case"),
        pytest.param(
            "cases",
            in_record('"rationale":"', '"rationale":"x'),
            ["cases:", "case_sha256", "oracle hash"],
            id="an oracle",
        ),
        pytest.param(
            "cases",
            in_record('"rationale":"', '"rationale":"x', digest="case_sha256"),
            ["is not in the dataset"],
            id="an oracle with its digest",
        ),
        pytest.param("tools", set_cell("description", "?"), ["tools:", "description is not what"], id="a tool"),
        pytest.param(
            "tools",
            in_record('"description":"', '"description":"x'),
            ["tools:", "contract_sha256", "is rebuilt from"],
            id="a tool's record",
        ),
        pytest.param("tools", forget, ["is rebuilt from"], id="a tool left out"),
        pytest.param("runs", set_cell("model", "Better"), ["runs:", "model is not what"], id="a run's model"),
        pytest.param("runs", set_cell("prompt", "[system]\nx\n"), ["prompt.txt", "SHA-256"], id="a prompt"),
        pytest.param("runs", set_cell("header", "{}"), ["runs:", "does not read"], id="a header that does not read"),
    ],
)
def test_what_was_altered_by_hand_is_caught_and_named(
    dataset: Path, config: str, edit: Alter, words: list[str]
) -> None:
    alter(dataset, config, edit)
    found = replicate(dataset)
    assert found.exit_code == 1
    for word in words:
        assert word in told(found), told(found)


def test_one_altered_verdict_is_one_difference(dataset: Path) -> None:
    alter(dataset, f"verdicts_{TIER}", flip)
    found = replicate(dataset)
    assert found.differences == 1, told(found)


def test_a_file_of_other_bytes_is_named_even_where_its_rows_are_the_same(dataset: Path) -> None:
    alter(dataset, "cases", lambda rows: None, hide=False)
    found = replicate(dataset)
    assert found.differences == 1
    assert "other bytes than were exported" in told(found)
    (dataset / "data" / "cases" / "extra-00000-of-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInputError, match="does not read"):
        replicate(dataset)


def test_verdicts_of_an_older_evaluator_are_compared_as_flips_and_leave_it_open(dataset: Path) -> None:
    def older(rows: list[Row]) -> None:
        for row in rows:
            row["evaluator_version"] = EVALUATOR_VERSION - 1
        flip(rows)

    for config in (f"verdicts_{TIER}", "verdicts_task_completion_contract"):
        alter(dataset, config, older)
    found = replicate(dataset)
    assert found.flips == 2
    assert any(f"evaluator {EVALUATOR_VERSION - 1}" in one for one in found.open_questions)
    # The leaderboard of today's evaluator has no verdicts of its own any more.
    assert "no run of the dataset gives this row" in told(found)


def test_verdicts_of_a_newer_evaluator_leave_it_open(dataset: Path) -> None:
    for config in ("verdicts", "leaderboard"):
        for tier in (TIER, "task_completion_contract"):
            alter(dataset, f"{config}_{tier}", set_cell("evaluator_version", EVALUATOR_VERSION + 1))
    found = replicate(dataset)
    assert any("newer than ours" in one for one in found.open_questions)


def test_a_registry_that_is_not_whole_leaves_it_open(tmp_path: Path) -> None:
    shutil.copytree(V1, tmp_path / "runs")
    for path in (tmp_path / "runs").rglob("registry.json"):
        path.unlink()
    export_as(ExportRequest(runs=tmp_path / "runs"), tmp_path / "out")
    found = replicate(tmp_path / "out")
    assert found.exit_code in (0, 2)
    if found.exit_code == 2:
        assert any("is not here whole" in one for one in found.open_questions)
    assert found.differences == 0, told(found)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        pytest.param(lambda folder: (folder / MARKER).unlink(), NotFoundError, id="no marker"),
        pytest.param(lambda folder: (folder / MARKER).write_text("{"), BadInputError, id="a torn marker"),
        pytest.param(
            lambda folder: (folder / MARKER).write_text('{"format_version": 99}'), BadInputError, id="a newer format"
        ),
        pytest.param(lambda folder: shutil.rmtree(folder / "data" / "runs"), BadInputError, id="no run"),
    ],
)
def test_what_is_no_dataset_is_refused(dataset: Path, make: Callable[[Path], object], kind: type[FcbenchError]) -> None:
    make(dataset)
    with pytest.raises(kind):
        replicate(dataset)


def test_a_column_of_another_type_is_refused(dataset: Path) -> None:
    (path,) = (dataset / "data" / "runs").glob("*.parquet")
    table = pq.read_table(path)
    pq.write_table(table.rename_columns(["x", *table.column_names[1:]]), path)
    with pytest.raises(BadInputError, match="other columns"):
        replicate(dataset)


CELLS = st.one_of(
    st.none(), st.text(max_size=30), st.sampled_from(["{}", "[]", "null", '{"task_id":"x"}', "{" * 300, "1e999"])
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cell=CELLS, where=st.sampled_from([("attempts", "record"), ("cases", "record"), ("runs", "manifest")]))
def test_no_cell_of_a_foreign_dataset_breaks_it(exported: Path, tmp_path: Path, cell: str | None, where: Any) -> None:
    config, column = where
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(exported, copy)
    alter(copy, config, lambda rows: rows[0].update({column: cell}))
    found = replicate(copy)
    assert found.exit_code == 1
    assert all(sentence.isprintable() for sentence in found.shown_differences)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return tmp_path / "empty"


def test_the_command_says_what_was_found(exported: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "replicate", str(exported)]) == 0
    said = capsys.readouterr()
    assert "0 differences" in said.out
    assert main(["dataset", "replicate", str(exported), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["replication"]["differences"], data["replication"]["exit_code"], data["project"]) == (0, 0, None)
    assert main(["dataset", "replicate", "no such thing"]) == 66
    assert list(here.iterdir()) == []


def test_a_project_of_the_dataset_gives_the_same_board(
    exported: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dataset", "replicate", str(exported), "--project", "own", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["project"]
    header = open_package(find_packages(V1)[0]).header
    target = header.key.collection
    assert made["cases"] == len(header.cases)
    assert main(["suite", "stats", "--project", "own", "--json"]) == 0
    capsys.readouterr()
    command = [
        "run",
        target,
        "--model",
        "scripted:oracle",
        "--project",
        "own",
        "--output",
        "runs",
        "--progress",
        "none",
    ]
    assert main(command) == 0
    capsys.readouterr()
    mine = open_package(find_packages(here / "runs")[0])
    same = [
        name for name in header.key.__struct_fields__ if getattr(header.key, name) == getattr(mine.header.key, name)
    ]
    # The golden package was made by an older fcbench, with another prompt: a board of its own, and it is said.
    wanted = set(header.key.__struct_fields__) - ({"prompt_hash"} if made["other_boards"] else set())
    assert set(same) >= wanted, made
    assert mine.header.oracle_hash == header.oracle_hash
    assert bool(made["same_boards"]) == (not made["other_boards"])
    with pytest.raises(WriteError, match="exists already"):
        replicate_source(exported, here / "own")


def test_the_export_takes_title_and_licence_and_says_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(V1, tmp_path / "runs")
    output = tmp_path / "out"
    options = ["--name", "Of ours", "--licence", "cc-by-4.0", "--output", str(output)]
    assert main(["dataset", "export", str(tmp_path / "runs"), *options]) == 0
    assert "exported" in capsys.readouterr().out
    card = (output / "README.md").read_text()
    assert 'license: "cc-by-4.0"' in card
    assert "# Of ours" in card
    assert json.loads((output / "croissant.json").read_text())["license"].endswith("/CC-BY-4.0")
    assert main(["dataset", "export", str(tmp_path / "runs"), "--project", str(tmp_path)]) == 64
