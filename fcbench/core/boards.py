"""The board key: only runs of one board are compared, ranked or averaged (PROTOCOL 1)."""

from __future__ import annotations

from fcbench.core.names import Digest, HarnessMode, HarnessName, RegistryHash, Tier
from fcbench.core.records import Record, record_digest


class RunKey(Record, frozen=True, kw_only=True):
    """The parts of the board key that a run fixes before anything is judged."""

    collection: str
    """`collection` or `collection/subset`."""
    task_hash: Digest
    registry_hash: RegistryHash
    fixture_hash: Digest
    prompt_hash: Digest
    harness: HarnessName
    harness_mode: HarnessMode
    retrieval: str
    """`lexical-6:24`, `given` or `all`."""
    decoding: str
    """The requested decoding: `free`, `strict` or `grammar`."""


class BoardKey(Record, frozen=True, kw_only=True):
    """One board."""

    run: RunKey
    oracle_hash: Digest
    tier: Tier
    evaluator_version: int

    @property
    def label(self) -> str:
        """A short name for people; two boards may share it, so never use it as a key."""
        return f"{self.run.collection} · {self.tier} · {self.run.harness}, {self.run.harness_mode}"

    @property
    def slug(self) -> str:
        """A file name: readable parts and the first letters of the key's own digest."""
        name = self.run.collection.replace("/", "-")
        return f"{name}-{self.tier}-{self.run.harness_mode}-{record_digest(self)[:8]}"
