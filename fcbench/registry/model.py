"""A registry: the contracts of one folder, with a hash of their content (PROTOCOL 1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fcbench.core.canonical import digest
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.names import Digest, RegistryHash, ToolName
from fcbench.core.records import to_plain
from fcbench.core.yaml12 import Document


def registry_hash(contracts: Iterable[ToolContract]) -> RegistryHash:
    """SHA-256 of the canonical JSON of the contracts, sorted by name: no comments, paths, white space or times."""
    ordered = sorted(contracts, key=lambda contract: contract.name)
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
        contracts: by name, sorted.
        hash: over all contracts.
        hashes: of each contract alone.
        sources: the files, where the registry was read from files.
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
    ordered = sorted(contracts, key=lambda contract: contract.name)
    return Registry(
        name=name,
        contracts={contract.name: contract for contract in ordered},
        hash=registry_hash(ordered),
        hashes={contract.name: contract_digest(contract) for contract in ordered},
        sources=sources or {},
    )
