"""Shards that several machines made become the package that one machine would have made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.core.canonical import digest_bytes
from fcbench.engine.shards import Shard
from fcbench.errors import NotFoundError, PackageError, UsageError, WriteError
from fcbench.packages.files import digest_file
from fcbench.packages.store import find_packages, open_package
from fcbench.workflows.boards import scored_below
from fcbench.workflows.merge import merge
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify
from tests.packages.timeless import timeless

REQUEST = RunRequest(target="complex-schema-nl/quick", model="scripted:random", repeats=2)


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


@pytest.fixture(scope="module")
def made(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards under `shards`, and the same run made at once under `whole`."""
    root = tmp_path_factory.mktemp("made")
    for number in (1, 2, 3):
        shard = Shard(number=number, of=3)
        run(material, replace(REQUEST, shard=shard, run_id=f"part-{number}"), root / "shards")
    run(material, REQUEST, root / "whole")
    return root


@pytest.fixture
def shards(made: Path, tmp_path: Path) -> Path:
    """A copy of the three shards."""
    return shutil.copytree(made / "shards", tmp_path / "shards")


def part(shards: Path, number: int) -> Path:
    return next(shards.glob(f"*/part-{number}"))


def rewrite(folder: Path, change: Callable[[dict[str, object]], None]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def test_merging_gives_what_one_machine_would_have_written(made: Path, shards: Path, tmp_path: Path) -> None:
    package = merge([shards], tmp_path / "runs")
    (whole,) = map(open_package, find_packages(made / "whole"))
    assert timeless(package) == timeless(whole)
    assert package.header.purpose == "board"
    assert package.header.shard is None
    assert package.header.run_id[15:] == whole.header.run_id[15:], "but for the time"
    assert (package.folder / "cases.jsonl").read_bytes() == (whole.folder / "cases.jsonl").read_bytes()


def test_the_manifest_says_which_shards_it_was_merged_of(shards: Path, tmp_path: Path) -> None:
    package = merge([part(shards, 3), part(shards, 1), part(shards, 2)], tmp_path / "runs", run_id="merged")
    origins = package.manifest.merged_from
    assert [(str(one.shard), one.run_id) for one in origins] == [
        ("1/3", "part-1"),
        ("2/3", "part-2"),
        ("3/3", "part-3"),
    ]
    assert origins[1].manifest_sha256 == digest_file(part(shards, 2) / "manifest.json")
    assert package.header.created_at == min(one.created_at for one in origins)


def test_a_merged_package_verifies_and_stands_on_a_board(shards: Path, tmp_path: Path) -> None:
    package = merge([shards], tmp_path / "runs")
    score(package)
    found = verify(package.folder)
    assert found.status == "intact"
    assert found.notes == (), "the registry came along"
    assert len(scored_below(tmp_path / "runs")) == 1


def test_the_shards_stay_as_they_are(made: Path, shards: Path, tmp_path: Path) -> None:
    merge([shards], tmp_path / "runs")
    for path in (made / "shards").rglob("*"):
        if path.is_file():
            assert (shards / path.relative_to(made / "shards")).read_bytes() == path.read_bytes()


def test_a_shard_verifies_says_what_it_is_and_is_on_no_board(shards: Path) -> None:
    package = open_package(part(shards, 2))
    score(package)
    assert verify(package.folder).status == "intact"
    assert package.header.purpose == "shard"
    assert str(package.header.shard) == "2/3"
    assert package.manifest.planned == 4
    assert package.manifest.complete
    with pytest.raises(PackageError, match="only shards"):
        scored_below(shards)


def test_a_run_beside_shards_is_shown_without_them(made: Path, shards: Path, tmp_path: Path) -> None:
    (whole,) = find_packages(made / "whole")
    shutil.copytree(whole, shards / whole.parent.name / whole.name)
    assert [one.package.header.purpose for one in scored_below(shards)] == ["board"]


def test_missing_shards_are_named(shards: Path, tmp_path: Path) -> None:
    shutil.rmtree(part(shards, 2))
    with pytest.raises(PackageError, match="shards are missing") as caught:
        merge([shards], tmp_path / "runs")
    assert "2/3" in str(caught.value.found)
    assert "--shard 2/3" in str(caught.value.next_step)
    assert not (tmp_path / "runs").exists(), "nothing is written"


def test_a_shard_that_comes_twice_is_named(shards: Path, tmp_path: Path) -> None:
    shutil.copytree(part(shards, 1), tmp_path / "again")
    with pytest.raises(PackageError, match="shard 1/3 comes twice") as caught:
        merge([shards, tmp_path / "again"], tmp_path / "runs")
    assert str(tmp_path / "again") in str(caught.value.found)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        pytest.param({"time_scale": 2.0}, "time_scale", id="another time limit"),
        pytest.param({"model": "scripted:null"}, "provider", id="another model"),
        pytest.param({"repeats": 3}, "repeats", id="another number of repeats"),
        pytest.param({"mode": "oracle-assisted"}, "key", id="another mode"),
        pytest.param({"shard": Shard(number=3, of=4)}, "number of shards", id="another number of shards"),
    ],
)
def test_shards_of_different_plans_are_refused_by_what_differs(
    material: Material, shards: Path, tmp_path: Path, other: dict[str, object], named: str
) -> None:
    shutil.rmtree(part(shards, 3))
    request = replace(REQUEST, **{"shard": Shard(number=3, of=3), "run_id": "part-3", **other})
    run(material, request, shards)
    with pytest.raises(PackageError, match="different plans") as caught:
        merge([shards], tmp_path / "runs")
    assert named in str(caught.value.found)


def test_shards_of_different_versions_are_refused_with_both_versions(shards: Path, tmp_path: Path) -> None:
    def older(manifest: dict[str, object]) -> None:
        manifest["header"]["versions"]["python"] = "3.1.0"  # type: ignore[index]

    rewrite(part(shards, 2), older)
    with pytest.raises(PackageError, match="different plans") as caught:
        merge([shards], tmp_path / "runs")
    assert "versions (python 3." in str(caught.value.found)
    assert "3.1.0" in str(caught.value.found)


def test_a_whole_run_is_no_shard(made: Path, shards: Path, tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="no shard") as caught:
        merge([shards, made / "whole"], tmp_path / "runs")
    assert "purpose board" in str(caught.value.found)


def test_an_altered_shard_is_refused_by_name(shards: Path, tmp_path: Path) -> None:
    path = part(shards, 2) / "attempts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"completed"', b'"timeout"', 1))
    with pytest.raises(PackageError, match="not what was sealed") as caught:
        merge([shards], tmp_path / "runs")
    assert caught.value.where == str(part(shards, 2))
    assert "attempts.jsonl" in str(caught.value.found)


def test_attempts_that_moved_to_another_shard_are_refused(shards: Path, tmp_path: Path) -> None:
    """The digests are made to fit, so that only the plan itself can tell."""
    one, two = part(shards, 1), part(shards, 2)
    for name in ("cases.jsonl", "attempts.jsonl"):
        shutil.copy(one / name, two / name)
    listed = json.loads((one / "manifest.json").read_bytes())

    def moved(manifest: dict[str, object]) -> None:
        manifest["attempts"], manifest["files"] = listed["attempts"], listed["files"]

    rewrite(two, moved)
    assert digest_bytes((two / "attempts.jsonl").read_bytes()) == listed["files"]["attempts.jsonl"]
    with pytest.raises(PackageError) as caught:
        merge([shards], tmp_path / "runs")
    assert "belongs to another shard than 2/3" in str(caught.value.found)


@pytest.mark.parametrize(
    ("shard", "said"),
    [
        pytest.param({"number": 9, "of": 3}, "no such plan", id="beyond the last"),
        pytest.param({"number": 1, "of": 0}, "no such plan", id="of none"),
        pytest.param(None, "names no shard", id="none"),
    ],
)
def test_a_forged_shard_number_fails_verification(shards: Path, shard: object, said: str) -> None:
    def forged(manifest: dict[str, object]) -> None:
        manifest["header"]["shard"] = shard  # type: ignore[index]

    rewrite(part(shards, 1), forged)
    assert said in " ".join(verify(part(shards, 1)).problems)


def test_a_manifest_that_hides_a_part_fails_verification(shards: Path, tmp_path: Path) -> None:
    package = merge([shards], tmp_path / "runs")

    def hiding(manifest: dict[str, object]) -> None:
        del manifest["merged_from"][1]  # type: ignore[attr-defined]

    rewrite(package.folder, hiding)
    assert "merged from: 1/3, 3/3" in " ".join(verify(package.folder).problems)


def test_an_incomplete_shard_is_refused(shards: Path, tmp_path: Path) -> None:
    """Its manifest says so; a manifest that lied would not verify."""
    folder = part(shards, 3)
    lines = (folder / "attempts.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "attempts.jsonl").write_bytes(b"".join(lines[:-1]))

    def shorter(manifest: dict[str, object]) -> None:
        manifest["attempts"].pop()  # type: ignore[attr-defined]
        manifest["complete"] = False
        manifest["counts"] = {"completed": len(lines) - 1}
        manifest["files"]["attempts.jsonl"] = digest_file(folder / "attempts.jsonl")  # type: ignore[index]

    rewrite(folder, shorter)
    with pytest.raises(PackageError, match="shard 3/3 is incomplete"):
        merge([shards], tmp_path / "runs")


def test_nothing_is_written_over(shards: Path, tmp_path: Path) -> None:
    merge([shards], tmp_path / "runs", run_id="merged")
    with pytest.raises(WriteError, match="taken"):
        merge([shards], tmp_path / "runs", run_id="merged")


def test_a_merge_that_was_killed_is_made_anew(shards: Path, tmp_path: Path) -> None:
    whole = merge([shards], tmp_path / "one", run_id="merged")
    there = tmp_path / "two" / whole.folder.parent.name / "merged.partial"
    there.mkdir(parents=True)
    (there / "attempts.jsonl").write_bytes(b'{"torn')
    assert timeless(merge([shards], tmp_path / "two", run_id="merged")) == timeless(whole)


def test_a_folder_without_shards_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="no sealed shard"):
        merge([tmp_path], tmp_path / "runs")
    with pytest.raises(NotFoundError):
        merge([tmp_path / "nowhere"], tmp_path / "runs")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        pytest.param({"auto_repeats": True}, "how many repeats", id="repeats auto"),
        pytest.param({"only": ("cs-nl-001",)}, "not run in shards", id="picked cases"),
        pytest.param({"shard": Shard(number=50, of=50)}, "shard is empty", id="more shards than attempts"),
    ],
)
def test_what_cannot_be_run_in_shards_is_refused_before_anything_is_asked(
    material: Material, tmp_path: Path, other: dict[str, object], said: str
) -> None:
    request = replace(REQUEST, **{"shard": Shard(number=1, of=2), **other})
    with pytest.raises(UsageError, match=said):
        run(material, request, tmp_path)
