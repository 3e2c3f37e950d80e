from __future__ import annotations

import json
from pathlib import Path

import pytest

from fcbench.core.contracts import Synthetic, contract_digest
from fcbench.errors import NotFoundError, RegistryError, WriteError
from fcbench.registry import LOCK_NAME, check_lock, diff, lock_of, make_registry, read_lock, write_lock
from tests.strategies import make_contract

BEFORE = make_registry(
    "r", [make_contract(), make_contract(name="gone"), make_contract(name="same", follow_ups=("gone",))]
)
AFTER = make_registry(
    "r",
    [
        make_contract(
            description="Other words for it.", lookalikes=("same",), synthetic=Synthetic(constants={"/start": 1})
        ),
        make_contract(name="new"),
        make_contract(name="same", follow_ups=("gone",)),
    ],
)


def test_the_lock_is_one_sorted_mapping_of_hashes(tmp_path: Path) -> None:
    path = write_lock(tmp_path, {"r": BEFORE})
    assert path == tmp_path / LOCK_NAME
    assert json.loads(path.read_text()) == {"r": {"hash": BEFORE.hash, "tools": dict(BEFORE.hashes)}}
    assert path.read_text().endswith("}\n")
    assert read_lock(tmp_path) == lock_of({"r": BEFORE})
    assert [entry.name for entry in tmp_path.iterdir()] == [LOCK_NAME]


def test_writing_the_same_lock_again_changes_no_byte(tmp_path: Path) -> None:
    first = write_lock(tmp_path, {"r": BEFORE}).read_bytes()
    assert write_lock(tmp_path, {"r": BEFORE}).read_bytes() == first


def test_a_lock_agrees_with_what_it_was_written_from(tmp_path: Path) -> None:
    write_lock(tmp_path, {"r": BEFORE})
    assert check_lock(tmp_path, {"r": BEFORE}) == ()


def test_every_change_since_the_lock_is_named(tmp_path: Path) -> None:
    write_lock(tmp_path, {"r": BEFORE, "old": BEFORE})
    messages = [finding.message for finding in check_lock(tmp_path, {"r": AFTER, "young": AFTER})]
    assert [message.split(";")[0] for message in messages] == [
        "old is locked and does not exist",
        "r/get_part changed since the lock was written",
        "r/gone is gone since the lock was written",
        "r/new is new since the lock was written",
        "young is not in the lock file",
    ]


def test_a_hash_altered_by_hand_is_seen(tmp_path: Path) -> None:
    path = write_lock(tmp_path, {"r": BEFORE})
    path.write_text(path.read_text().replace(BEFORE.hash, "0" * 64))
    (finding,) = check_lock(tmp_path, {"r": BEFORE})
    assert "although its tools agree" in finding.message


def test_no_lock_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        read_lock(tmp_path)
    assert "fcbench registry lock" in str(caught.value.next_step)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"r": {"hash": "x"}}', '{"r": {}, "r": {}}', '{"r": {"hash": 1, "tools": {}}}']
)
def test_a_broken_lock_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / LOCK_NAME).write_text(text)
    with pytest.raises(RegistryError, match="lock file"):
        read_lock(tmp_path)


def test_a_folder_that_cannot_be_written_is_a_write_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        write_lock(tmp_path / "none", {"r": BEFORE})


def test_the_difference_of_two_registries_names_the_parts() -> None:
    change = diff(BEFORE, AFTER)
    assert (change.added, change.removed) == (("new",), ("gone",))
    (changed,) = change.changed
    assert (changed.name, changed.parts) == ("get_part", ("description", "relations", "synthetic"))
    assert changed.fields == ("description", "lookalikes", "synthetic")
    assert change.touched == {"new", "gone", "get_part"}


def test_a_changed_schema_is_told_from_a_changed_result() -> None:
    one = make_registry("r", [make_contract()])
    schema = make_registry("r", [make_contract(parameters={"type": "object"}, effect="file", version=2)])
    result = make_registry("r", [make_contract(returns={"type": "object"})])
    assert diff(one, schema).changed[0].parts == ("effect", "other", "schema")
    assert diff(one, result).changed[0].parts == ("returns",)


def test_the_difference_of_lock_data_names_the_tools_only() -> None:
    locked = lock_of({"r": BEFORE}).registries["r"]
    change = diff(locked, AFTER)
    assert change.changed[0].parts == ("unknown",)
    assert change.touched == diff(BEFORE, AFTER).touched


def test_equal_registries_do_not_differ() -> None:
    change = diff(BEFORE, BEFORE)
    assert not change.touched


def test_a_contract_that_comes_to_share_its_name_is_no_change(tmp_path: Path) -> None:
    one, other = (make_contract(description=text, imported_from="elsewhere") for text in ("One.", "Other."))
    alone, both = make_registry("r", [one]), make_registry("r", [one, other])
    write_lock(tmp_path, {"r": both})
    assert check_lock(tmp_path, {"r": both}) == ()
    assert (diff(alone, both).added, diff(alone, both).removed) == ((contract_digest(other),), ())
    assert (diff(both, alone).added, diff(both, alone).removed) == ((), (contract_digest(other),))
