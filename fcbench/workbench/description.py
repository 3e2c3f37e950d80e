"""The description of a fixture: `suites/fixtures/<registry>/<fixture>.yaml`."""

from __future__ import annotations

from fcbench.core.records import Record


class Fixture(Record, frozen=True, kw_only=True):
    """A prepared state that tasks start from."""

    title: str
    files: tuple[str, ...]
    """Every file that a session of this fixture may read, relative to the description; all are in the fixture hash."""
    open: str | None = None
    """The GenBank or FASTA file that is open at the start, one of `files`; None for an empty session."""
    reads: str | None = None
    """A BAM file that is attached at the start."""
    variants: str | None = None
    """A VCF file that is loaded at the start."""
