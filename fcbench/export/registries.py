"""Whole registries for the dataset: what a package offers is a part of its registry, and a hash covers the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcbench.core.canonical import digest_text
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.names import Digest
from fcbench.core.records import decode_line
from fcbench.errors import BadInputError, NotFoundError
from fcbench.export.rows import Row, line_of, lines_of, tool_row
from fcbench.packages.header_facts import REGISTRY, read_registry
from fcbench.packages.store import Package
from fcbench.registry.model import registry_hash


@dataclass(kw_only=True)
class Contracts:
    """Every contract of the dataset, held until all packages were read: there are hundreds, never millions.

    A contract is known by its line, since the order of keys matters to a verdict (`rows.line_of`).
    """

    known: Mapping[str, Iterable[ToolContract]]
    """Whole registries at hand, by hash."""
    _lines: dict[str, ToolContract] = field(default_factory=dict)
    _registry_of: dict[str, str] = field(default_factory=dict)
    _whole: dict[str, set[str]] = field(default_factory=dict)
    _seen: dict[str, bool] = field(default_factory=dict)

    @property
    def registries(self) -> Mapping[str, bool]:
        """Whether each registry is here whole, by hash."""
        return self._seen

    def add(self, package: Package) -> list[Digest]:
        """Take in the contracts of a package, and its whole registry where that is found; SHA-256 of its own lines."""
        name, key = package.header.registry, str(package.header.key.registry_hash)
        own = lines_of(package, "contracts.jsonl")
        for line in own:
            self._lines.setdefault(line, decode_line(line.encode(), ToolContract, where=str(package.folder)))
            self._registry_of.setdefault(line, name)
        if not self._seen.get(key):
            whole = self._registry(package, key)
            self._seen[key] = bool(whole)
            same = {contract_digest(self._lines[line]): line for line in own}
            for contract in whole:
                line = same.get(contract_digest(contract)) or line_of(contract)
                self._lines.setdefault(line, contract)
                self._registry_of.setdefault(line, name)
                self._whole.setdefault(line, set()).add(key)
        return [digest_text(line) for line in own]

    def rows(self) -> Iterator[tuple[str, Row]]:
        """The registry's name and the row of each contract, sorted by registry, name and digest."""
        ordered = sorted(
            (self._registry_of[line], one.name, digest_text(line), line) for line, one in self._lines.items()
        )
        for registry, _, _, line in ordered:
            hashes = self._whole.get(line, ())
            yield registry, tool_row(self._lines[line], line, registry=registry, registry_hashes=hashes)

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
