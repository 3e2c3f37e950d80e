"""Whole registries for the dataset: what a package offers is a part of its registry, and a hash covers the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcbench.core.contracts import ToolContract
from fcbench.core.names import Digest
from fcbench.errors import BadInputError, NotFoundError
from fcbench.export.rows import Row, record_sha256, tool_row
from fcbench.packages.header_facts import REGISTRY, read_registry
from fcbench.packages.store import Package
from fcbench.registry.model import registry_hash


@dataclass(kw_only=True)
class Contracts:
    """Every contract of the dataset, held until all packages were read: there are hundreds, never millions."""

    known: Mapping[str, Iterable[ToolContract]]
    """Whole registries at hand, by hash."""
    _found: dict[tuple[str, Digest], ToolContract] = field(default_factory=dict)
    _whole: dict[tuple[str, Digest], set[str]] = field(default_factory=dict)
    _seen: dict[str, bool] = field(default_factory=dict)

    @property
    def registries(self) -> Mapping[str, bool]:
        """Whether each registry is here whole, by hash."""
        return self._seen

    def add(self, package: Package) -> list[Digest]:
        """Take in the contracts of a package, and its whole registry where that is found; the digests of its own."""
        name, key = package.header.registry, str(package.header.key.registry_hash)
        if not self._seen.get(key):
            whole = self._registry(package, key)
            self._seen[key] = bool(whole)
            for contract in whole:
                self._whole.setdefault(self._keep(name, contract), set()).add(key)
        return [self._keep(name, contract)[1] for contract in package.contracts.values()]

    def rows(self) -> Iterator[tuple[str, Row]]:
        """The registry's name and the row of each contract, sorted by registry, name and digest."""
        ordered = sorted(self._found.items(), key=lambda item: (item[0][0], item[1].name, item[0][1]))
        for (name, sha256), contract in ordered:
            yield name, tool_row(contract, name, self._whole.get((name, sha256), ()))

    def _keep(self, name: str, contract: ToolContract) -> tuple[str, Digest]:
        place = (name, record_sha256(contract))
        self._found.setdefault(place, contract)
        return place

    def _registry(self, package: Package, key: str) -> list[ToolContract]:
        """The whole registry of a package: the file beside it, else one at hand; nothing where neither has the hash."""
        for candidate in (_beside(package), list(self.known.get(key, ()))):
            if candidate and registry_hash(candidate) == key:
                return candidate
        return []


def _beside(package: Package) -> list[ToolContract]:
    path = package.folder.parent / REGISTRY
    try:
        return read_registry(path) if path.is_file() and not path.is_symlink() else []
    except (BadInputError, NotFoundError, OSError):
        return []
