"""A registry: the contracts of one folder, with a hash of their content (PROTOCOL 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fcbench.core.canonical import digest
from fcbench.core.contracts import ToolContract, by_key, contract_digest
from fcbench.core.names import Digest, RegistryHash, ToolName
from fcbench.core.records import to_plain
from fcbench.core.yaml12 import Document


def registry_hash(contracts: Iterable[ToolContract]) -> RegistryHash:
    """SHA-256 of the canonical JSON of the contracts: no comments, paths, white space or times.

    They are sorted by name; contracts of one name, which only imported data has, by digest.
    """
    every = list(contracts)
    counts = Counter(contract.name for contract in every)
    ordered = sorted(every, key=lambda one: (one.name, contract_digest(one) if counts[one.name] > 1 else ""))
    return RegistryHash(digest([to_plain(contract) for contract in ordered]))


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a contract was read from."""

    document: Document
    folders: tuple[str, ...] = ()
    """Folders between the registry's own and the file."""
    stem: str
    """The file's name without its extension."""


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The tools of one registry.

    Attributes:
        name: the folder's name.
        contracts: sorted, by name; contracts of one name, which only imported data has, by digest.
        hash: over all contracts.
        hashes: of each contract alone, under the same keys.
        sources: the files, where the registry was read from files, under the same keys.
    """

    name: str
    contracts: dict[ToolName, ToolContract]
    hash: RegistryHash
    hashes: dict[ToolName, Digest]
    sources: dict[ToolName, Source] = field(default_factory=dict, repr=False, compare=False)


def make_registry(
    name: str, contracts: Iterable[ToolContract], sources: dict[ToolName, Source] | None = None
) -> Registry:
    """A registry from contracts that are at hand already, hashes included."""
    keyed = by_key(contracts)
    return Registry(
        name=name,
        contracts=keyed,
        hash=registry_hash(keyed.values()),
        hashes={key: contract_digest(contract) for key, contract in keyed.items()},
        sources=sources or {},
    )
