from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fcbench.core.canonical import digest
from fcbench.core.findings import errors_of
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError, RegistryError
from fcbench.registry import check_lock, lint, load_registries, load_registry, make_registry, registry_hash
from tests.strategies import make_contract

ROOT = Path(__file__).parents[2] / "tools_registry"
CONTRACT = """\
name: get_part
version: 1
category: parts
description: Returns the part of a record that lies between two places.
effect: reads
capability: part
parameters:
  type: object
  properties:
    start: {type: integer, minimum: 1, description: First place.}
  required: [start]
  additionalProperties: false
returns: {type: object, properties: {text: {type: string}}, required: [text]}
"""


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_committed_contract_loads() -> None:
    registries = load_registries(ROOT)
    files = {path.stem for path in ROOT.glob("*/**/*.yaml")}
    assert {name for registry in registries.values() for name in registry.contracts} == files
    assert {"genomics", "complex-schema"} <= set(registries)


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.iterdir() if path.is_dir()))
def test_every_committed_contract_passes_the_lint(name: str) -> None:
    assert [str(finding) for finding in errors_of(lint(load_registry(ROOT / name)))] == []


def test_the_committed_lock_agrees_with_the_contracts() -> None:
    assert check_lock(ROOT, load_registries(ROOT)) == (), "run `fcbench registry lock`"


def test_the_hash_is_that_of_the_canonical_contracts_sorted_by_name() -> None:
    one, other = make_contract(name="b"), make_contract(name="a")
    assert registry_hash([one, other]) == digest([to_plain(other), to_plain(one)])
    assert registry_hash([one, other]) == registry_hash([other, one])


def test_neither_comments_nor_places_nor_the_order_of_keys_change_the_hash(tmp_path: Path) -> None:
    write(tmp_path, "one/parts/get_part.yaml", CONTRACT)
    lines = CONTRACT.splitlines(keepends=True)
    turned = "# another comment\n\n" + "".join(lines[1:6]) + lines[0] + "".join(lines[6:])
    write(tmp_path, "two/get_part.yaml", turned.replace("{type: integer, minimum: 1,", "{minimum: 1, type: integer,"))
    one, two = load_registry(tmp_path / "one"), load_registry(tmp_path / "two")
    assert one.hash == two.hash
    assert one.hashes == two.hashes


def test_a_changed_word_changes_the_hash(tmp_path: Path) -> None:
    path = write(tmp_path, "r/get_part.yaml", CONTRACT)
    before = load_registry(tmp_path / "r")
    path.write_text(CONTRACT.replace("First place.", "First base."), encoding="utf-8")
    assert load_registry(tmp_path / "r").hash != before.hash


def test_contracts_are_sorted_and_know_their_files(tmp_path: Path) -> None:
    write(tmp_path, "r/parts/get_part.yaml", CONTRACT)
    write(tmp_path, "r/a.yaml", CONTRACT.replace("get_part", "a"))
    registry = load_registry(tmp_path / "r")
    assert list(registry.contracts) == ["a", "get_part"]
    source = registry.sources[registry.contracts["get_part"].name]
    assert (source.folders, source.stem) == (("parts",), "get_part")
    assert source.document.line_of("/parameters/properties/start/minimum") == 10


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "r/get_part.yaml", CONTRACT)
    write(tmp_path, "r/.draft.yaml", "nonsense")
    write(tmp_path, "r/.git/x.yaml", "nonsense")
    write(tmp_path, ".hidden/x.yaml", "nonsense")
    write(tmp_path, "empty/README.md", "nonsense")
    assert list(load_registries(tmp_path)) == ["r"]


@pytest.mark.parametrize(
    ("change", "where", "words"),
    [
        pytest.param(
            ("effect: reads", "effect: destroys"), "r/get_part.yaml:5, field /effect", "destroys", id="effect"
        ),
        pytest.param(("version: 1", "verison: 1"), "r/get_part.yaml:2, field /verison", "unknown field", id="typo"),
        pytest.param(("capability: part\n", ""), "r/get_part.yaml:1", "capability", id="missing field"),
        pytest.param(("  type: object\n", "\ttype: object\n"), "r/get_part.yaml:8", "tab", id="tab"),
        pytest.param(
            ("name: get_part", "name: NO\nname: b"), "r/get_part.yaml:2, field /name", "twice", id="equal keys"
        ),
    ],
)
def test_a_broken_contract_gives_file_line_and_field(
    tmp_path: Path, change: tuple[str, str], where: str, words: str
) -> None:
    write(tmp_path, "r/get_part.yaml", CONTRACT.replace(*change))
    with pytest.raises(RegistryError) as caught:
        load_registry(tmp_path / "r")
    assert str(caught.value.where).endswith(where)
    assert words in str(caught.value)


def test_one_name_in_two_files_names_both(tmp_path: Path) -> None:
    write(tmp_path, "r/a/get_part.yaml", CONTRACT)
    write(tmp_path, "r/b/get_part.yaml", CONTRACT)
    with pytest.raises(RegistryError, match="declared twice") as caught:
        load_registry(tmp_path / "r")
    assert "r/a/get_part.yaml" in str(caught.value.found)
    assert "r/b/get_part.yaml:1, field /name" in str(caught.value.where)


def test_a_list_is_no_contract(tmp_path: Path) -> None:
    write(tmp_path, "r/x.yaml", "- name: x\n")
    with pytest.raises(RegistryError, match="mapping of fields"):
        load_registry(tmp_path / "r")


def test_a_registry_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for load in (
        lambda: load_registry(tmp_path / "none"),
        lambda: load_registry(tmp_path / "empty"),
        lambda: load_registries(tmp_path / "none"),
        lambda: load_registries(tmp_path),
    ):
        with pytest.raises(NotFoundError):
            load()


def test_a_copy_of_a_registry_has_its_hash(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "complex-schema", tmp_path / "copied")
    original, copied = load_registry(ROOT / "complex-schema"), load_registry(tmp_path / "copied")
    assert copied.hash == original.hash
    assert copied.name == "copied"
    assert make_registry("x", original.contracts.values()).hash == original.hash


IMPORTED = CONTRACT.replace("version: 1", "version: 1\nimported_from: elsewhere")


def test_imported_contracts_may_share_a_name_and_stand_under_their_digests(tmp_path: Path) -> None:
    write(tmp_path, "r/a.yaml", IMPORTED)
    write(tmp_path, "r/b.yaml", IMPORTED.replace("minimum: 1", "minimum: 2"))
    registry = load_registry(tmp_path / "r")
    assert list(registry.contracts) == sorted(registry.hashes.values())
    assert {one.name for one in registry.contracts.values()} == {"get_part"}
    assert {key: source.stem for key, source in registry.sources.items()} == {
        key: "b" if one.properties["start"]["minimum"] == 2 else "a"  # type: ignore[index]
        for key, one in registry.contracts.items()
    }
    assert registry.hash == registry_hash(reversed(registry.contracts.values()))


def test_the_lint_of_contracts_that_share_a_name_names_the_right_file(tmp_path: Path) -> None:
    write(tmp_path, "r/a.yaml", IMPORTED)
    write(tmp_path, "r/b.yaml", IMPORTED.replace("minimum: 1", "multipleOf: 0.5"))
    assert [(one.file.rsplit("/", 1)[-1], one.rule) for one in lint(load_registry(tmp_path / "r"))] == [
        ("b.yaml", "multiple-of")
    ]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        pytest.param(IMPORTED, CONTRACT, "declared twice", id="one of them is ours"),
        pytest.param(CONTRACT, IMPORTED, "declared twice", id="the first is ours"),
        pytest.param(IMPORTED, IMPORTED, "letter for letter", id="a copy"),
    ],
)
def test_a_shared_name_is_for_different_imported_contracts_only(
    tmp_path: Path, one: str, other: str, said: str
) -> None:
    write(tmp_path, "r/a.yaml", one)
    write(tmp_path, "r/b.yaml", other)
    with pytest.raises(RegistryError, match=said):
        load_registry(tmp_path / "r")
