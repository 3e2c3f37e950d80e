"""A push shows the difference first, sends it as one commit where it is told to, and never says its token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fcbench.export.hf_dataset import export_dataset
from tests.export.hub_server import REPO, TOKEN, State, hub
from tests.export.test_hf_dataset import attempt_of, call_case, scored, tree


@pytest.fixture
def server() -> Iterator[tuple[str, State]]:
    with hub() as found:
        yield found


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    export_dataset([scored(tmp_path / "runs")], tmp_path / "dataset")
    return tmp_path / "dataset"


def fcbench(*arguments: str, home: Path, token: str | None = TOKEN) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: the library reads the environment when it is loaded."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("HF_")}
    environment |= {"HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    if token is not None:
        environment["HF_TOKEN"] = token
    done = subprocess.run(
        [sys.executable, "-m", "fcbench", "dataset", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert TOKEN not in done.stdout + done.stderr
    return done


def push(dataset: Path, server: tuple[str, State], *more: str, token: str | None = TOKEN) -> dict[str, object]:
    done = fcbench(
        "push", REPO, str(dataset), "--endpoint", server[0], "--json", *more, home=dataset.parent, token=token
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_without_the_flag_nothing_is_sent_and_the_difference_is_shown(dataset: Path, server: tuple[str, State]) -> None:
    told = push(dataset, server, token=None)
    assert told["uploaded"] is False
    assert told["exists"] is False
    assert set(told["added"]) == set(tree(dataset))  # type: ignore[call-overload]
    assert {one.split()[0] for one in server[1].requests} == {"GET"}
    done = fcbench("push", REPO, str(dataset), "--endpoint", server[0], home=dataset.parent)
    assert "dry run: nothing is sent" in done.stdout
    assert "does not exist and would be created, public" in done.stdout
    assert "+ README.md" in done.stdout


def test_a_push_sends_all_files_and_a_second_one_only_what_changed(
    dataset: Path, server: tuple[str, State], tmp_path: Path
) -> None:
    state = server[1]
    told = push(dataset, server, "--upload", "--private")
    assert (told["uploaded"], told["account"], state.private) == (True, "tester", True)
    assert state.files == tree(dataset)
    assert len(state.commits) == 1
    assert push(dataset, server)["differs"] is False
    assert push(dataset, server, "--upload")["uploaded"] is False
    assert len(state.commits) == 1

    state.files["NOTES.txt"] = b"of somebody else"
    other = scored(
        tmp_path / "more", [call_case("t-1", suite="other")], attempts=[attempt_of("t-1", arguments={"start": 1})]
    )
    export_dataset([other], dataset)
    told = push(dataset, server, "--upload")
    assert told["kept"] == ["NOTES.txt"]
    assert "data/cases/tiny_calls-00000-of-00001.parquet" in told["deleted"]  # type: ignore[operator]
    assert "README.md" in told["changed"]  # type: ignore[operator]
    assert state.files == {**tree(dataset), "NOTES.txt": b"of somebody else"}


def test_what_was_pushed_is_replicated_from_the_hub(dataset: Path, server: tuple[str, State]) -> None:
    push(dataset, server, "--upload")
    server[1].files["malware.py"] = b"print('hello')"
    done = fcbench("replicate", REPO, "--endpoint", server[0], "--json", home=dataset.parent, token=None)
    # The tiny packages are made by hand and do not keep the protocol; what counts is that all of it was read.
    assert done.returncode in (1, 2), done.stderr
    counts = json.loads(done.stdout)["replication"]["counts"]
    assert (counts["runs"], counts["attempts"], counts["cases"]) == (1, 3, 3)
    assert not any("malware" in one for one in server[1].requests)
    done = fcbench("replicate", "owner/other", "--endpoint", server[0], home=dataset.parent, token=None)
    assert done.returncode == 66


def test_a_repository_with_something_else_is_left_alone(dataset: Path, server: tuple[str, State]) -> None:
    server[1].exists = True
    server[1].files = {".gitattributes": b"*", "train.csv": b"a,b"}
    done = fcbench("push", REPO, str(dataset), "--endpoint", server[0], "--upload", home=dataset.parent)
    assert done.returncode == 73
    assert "did not export" in done.stderr
    assert server[1].commits == []


def test_an_export_that_was_altered_is_not_pushed(dataset: Path, server: tuple[str, State]) -> None:
    next(dataset.rglob("*.parquet")).write_bytes(b"PAR1")
    done = fcbench("push", REPO, str(dataset), "--endpoint", server[0], "--upload", home=dataset.parent)
    assert done.returncode == 65
    assert "other bytes than were exported" in done.stderr
    assert server[1].requests == []


def test_a_repository_that_went_on_meanwhile_is_not_overwritten(dataset: Path, server: tuple[str, State]) -> None:
    server[1].exists = server[1].moves_on = True
    done = fcbench("push", REPO, str(dataset), "--endpoint", server[0], "--upload", home=dataset.parent)
    assert done.returncode == 64
    assert "the hub refuses" in done.stderr
    assert server[1].files == {}


@pytest.mark.parametrize(
    ("token", "words"),
    [
        pytest.param(None, "a push needs a token", id="no token"),
        pytest.param("hf_wrong", "the hub refuses", id="a wrong token"),
    ],
)
def test_a_push_without_a_good_token_says_so(
    dataset: Path, server: tuple[str, State], token: str | None, words: str
) -> None:
    command = ["push", REPO, str(dataset), "--endpoint", server[0], "--upload"]
    done = fcbench(*command, home=dataset.parent, token=token)
    assert done.returncode == 64
    assert words in done.stderr
    assert "hf_wrong" not in done.stderr
    assert not server[1].exists


def test_a_token_that_a_server_repeats_is_not_shown(dataset: Path, server: tuple[str, State]) -> None:
    server[1].broken = "/api/datasets"
    done = fcbench("push", REPO, str(dataset), "--endpoint", server[0], "--upload", home=dataset.parent)
    assert done.returncode in (64, 75)


def test_a_token_in_the_home_folder_is_never_used(dataset: Path, server: tuple[str, State], tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    done = fcbench("push", REPO, str(dataset), "--endpoint", server[0], "--upload", home=tmp_path, token=None)
    assert (done.returncode, server[1].exists) == (64, False)


def test_a_hub_that_is_not_there_is_an_error_of_the_provider(dataset: Path) -> None:
    done = fcbench("push", REPO, str(dataset), "--endpoint", "http://127.0.0.1:9", home=dataset.parent)
    assert done.returncode == 75
    assert "does not answer" in done.stderr


def test_a_name_that_no_repository_has_is_refused(dataset: Path, server: tuple[str, State]) -> None:
    done = fcbench("push", "a/b/c", str(dataset), "--endpoint", server[0], home=dataset.parent)
    assert done.returncode == 64
