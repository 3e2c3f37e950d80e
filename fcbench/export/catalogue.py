"""The cases and contracts of a dataset as records again, and cells compared with what a record gives.

A row says things twice: its `record`, or the record that its cells make together, and plain columns for people. Both
are compared, so that no column can be altered alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fcbench.core.canonical import clean_json
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.records import R
from fcbench.errors import BadInputError
from fcbench.export.reading import DatasetFolder, record_of
from fcbench.export.rows import Row, case_row, tool_row
from fcbench.registry.model import registry_hash

Tell = Callable[[str], None]
"""Takes one sentence about something that differs."""


@dataclass(kw_only=True)
class Catalogue:
    """The lines of the cases and contracts of a dataset, by the digest that their rows claim."""

    cases: dict[str, str] = field(default_factory=dict)
    contracts: dict[str, str] = field(default_factory=dict)
    registries: dict[str, list[ToolContract]] = field(default_factory=dict)
    """Whole registries, by the hash that their rows claim."""


def read_catalogue(dataset: DatasetFolder, tell: Tell) -> Catalogue:
    """Read all cases and contracts; what does not fit its digest or its record is told and used all the same.

    Raises:
        BadInputError: a file does not read.
    """
    found = Catalogue()
    for row in dataset.rows("cases"):
        name = f"cases: {shown(row['task_id'])}"
        case = _record(row, Case, name, tell)
        if case is not None:
            compare(row, case_row(case, str(row["record"])), name, tell)
            found.cases.setdefault(str(row["case_sha256"]), str(row["record"]))
    for row in dataset.rows("tools"):
        name = f"tools: {shown(row['name'])} of {shown(row['registry'])}"
        contract = _record(row, ToolContract, name, tell)
        if contract is not None:
            hashes = listed(row["registry_hashes"])
            again = tool_row(contract, str(row["record"]), registry=str(row["registry"]), registry_hashes=hashes)
            compare(row, again, name, tell)
            found.contracts.setdefault(str(row["contract_sha256"]), str(row["record"]))
            for one in hashes:
                found.registries.setdefault(one, []).append(contract)
    for key, contracts in sorted(found.registries.items()):
        made = registry_hash(contracts)
        if made != key:
            tell(f"tools: the registry {shown(key)[:12]} is rebuilt from {len(contracts)} tools as {made[:12]}")
    return found


def named(digests: object, known: Mapping[str, str], name: str, tell: Tell) -> list[str]:
    """The lines that a run names by digest, in its order; one that is not there is told."""
    found = []
    for one in listed(digests):
        if one in known:
            found.append(known[one])
        else:
            tell(f"{name} {shown(one)[:12]} is not in the dataset")
    return found


def compare(row: Row, again: Row, name: str, tell: Tell, *, but: Iterable[str] = ()) -> None:
    """Tell the columns in which a row differs from the one that its record gives, those of `but` left out."""
    left_out = set(but)
    differing = [column for column in again if column not in left_out and not _same(row[column], again[column])]
    if differing:
        tell(f"{name}: {', '.join(differing)} {'is' if len(differing) == 1 else 'are'} not what the record says")


def listed(cell: object) -> list[str]:
    """The texts of a list column; none where the cell is null."""
    return [str(one) for one in cell] if isinstance(cell, list) else []


def shown(value: object) -> str:
    """A foreign name for a message: short, and nothing that a terminal obeys."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(value))[:100]


def _same(found: object, wanted: object) -> bool:
    # A lone surrogate, which no column holds, was replaced when the row was written.
    return found == wanted or found == clean_json(wanted)


def _record(row: Row, kind: type[R], name: str, tell: Tell) -> R | None:
    try:
        return record_of(row["record"], kind, name)
    except BadInputError as error:
        tell(f"{name}: its record does not read: {shown(error.found or error.message)}")
        return None
