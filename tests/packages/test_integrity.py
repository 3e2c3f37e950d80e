"""What is checked before evidence is used: files, digests, and records that fit the manifest's list."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from fcbench.core.canonical import digest_bytes
from fcbench.errors import NotFoundError, PackageError
from fcbench.packages.integrity import (
    checked_attempts,
    evidence_without_manifest,
    file_problems,
    left_behind,
    refuse_altered,
    runs_under_way,
    sealed_names,
)
from fcbench.packages.store import Package, find_packages, open_package

V1 = Path(__file__).parents[1] / "golden" / "packages" / "v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (golden,) = find_packages(V1)
    return Path(shutil.copytree(golden, tmp_path / "one"))


def with_template(folder: Path, *, file: bool) -> Package:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["header"]["provider"]["chat_template"] = "{{ messages }}"
    if file:
        (folder / "chat_template.jinja").write_text("{{ messages }}")
        manifest["files"]["chat_template.jinja"] = digest_bytes(b"{{ messages }}")
    path.write_bytes(msgspec.json.encode(manifest))
    return open_package(folder)


def test_an_intact_package_has_no_problem_and_passes_through(folder: Path) -> None:
    package = open_package(folder)
    assert file_problems(package) == ()
    assert refuse_altered(package) is package
    assert [one.task_id for one in checked_attempts(package)] == list(package.cases)


def test_the_template_is_sealed_exactly_where_it_is_declared(folder: Path) -> None:
    assert "chat_template.jinja" not in sealed_names(open_package(folder).manifest)
    package = with_template(folder, file=True)
    assert "chat_template.jinja" in sealed_names(package.manifest)
    assert file_problems(package) == ()


def test_a_declared_template_that_is_not_there_is_named(folder: Path) -> None:
    assert file_problems(with_template(folder, file=False)) == (
        "manifest.json: lists no digest of chat_template.jinja",
        "chat_template.jinja: is missing",
    )


def test_a_listed_name_outside_the_folder_is_refused_and_never_opened(folder: Path) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    outside = folder.parent / "outside.txt"
    outside.write_text("secret")
    manifest["files"]["../outside.txt"] = digest_bytes(b"secret")
    path.write_bytes(msgspec.json.encode(manifest))
    (problem,) = file_problems(open_package(folder))
    assert problem == "manifest.json: lists '../outside.txt', which is no sealed file of this package"


def test_altered_evidence_is_refused_with_a_next_step(folder: Path) -> None:
    path = folder / "cases.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0", b"1"))
    with pytest.raises(PackageError, match="not what was sealed") as caught:
        refuse_altered(open_package(folder))
    error = caught.value
    assert error.found is not None
    assert error.found.startswith("cases.jsonl: wanted SHA-256 ")
    assert all((error.wanted, error.where, error.next_step))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b'"repeat":1', b'"repeat":2', id="an altered record"),
        pytest.param(b"\n", b"\n{}\n", id="a record too many"),
    ],
)
def test_a_record_is_compared_when_it_is_read(folder: Path, old: bytes, new: bytes) -> None:
    package = open_package(folder)
    path = folder / "attempts.jsonl"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(PackageError, match="does not hold what the manifest lists") as caught:
        list(checked_attempts(package))
    assert caught.value.next_step


def test_a_record_too_few_is_noticed_at_the_end(folder: Path) -> None:
    package = open_package(folder)
    path = folder / "attempts.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(PackageError) as caught:
        list(checked_attempts(package))
    assert (caught.value.wanted, caught.value.found) == ("6 records", "5 records")


def test_evidence_without_a_manifest_is_found_and_a_run_under_way_is_not(folder: Path) -> None:
    root = folder.parent
    shutil.copytree(folder, root / "two.partial")
    (root / "two.partial" / "manifest.json").unlink()
    (root / "two.partial" / "run.json").write_text("{}")
    assert evidence_without_manifest(root) == []
    (folder / "manifest.json").unlink()
    assert evidence_without_manifest(root) == [folder]
    assert runs_under_way(root) == [root / "two.partial"]


def test_a_folder_that_is_not_there_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        evidence_without_manifest(tmp_path / "nowhere")
    assert all((caught.value.wanted, caught.value.found, caught.value.next_step))


def test_what_a_kill_after_sealing_leaves_is_harmless(folder: Path) -> None:
    (folder / "run.lock").touch()
    package = open_package(folder)
    assert file_problems(package) == ()
    assert left_behind(folder) == ("run.lock",)
