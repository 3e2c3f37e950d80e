"""The UniProt extract of a fixture: entries in Swiss-Prot text format below `uniprot/`, read through Biopython."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from Bio import SwissProt

from fcbench.workbench.errors import ToolError
from fcbench.workbench.session import Session

SOURCE = "UniProt Consortium (uniprot.org), CC BY 4.0"
COLLECTIONS = (
    "InterPro",
    "Pfam",
    "PROSITE",
    "SMART",
    "Gene3D",
    "SUPFAM",
    "PANTHER",
    "PRINTS",
    "CDD",
    "TIGRFAMs",
    "PIRSF",
    "HAMAP",
)
"""Databases of families and domains that entries refer to."""
_FOLDER = "uniprot/"
_EVIDENCE = re.compile(r"(\.?)\s*\{[^{}]*\}(\.?)")
_NAME = re.compile(r"(RecName|SubName): Full=([^;]+)")


@dataclass(frozen=True)
class UniprotEntry:
    """What tools read of one entry; evidence tags are left out."""

    accession: str
    former: tuple[str, ...]
    """Accessions that led to it before."""
    entry_name: str
    reviewed: bool
    protein_name: str
    description: str
    """All names, for searching."""
    genes: tuple[str, ...]
    organism: str
    taxonomy_id: str
    sequence: str
    function: str
    keywords: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    """DR lines: database, identifier, further fields."""


def entries(session: Session) -> tuple[UniprotEntry, ...]:
    """The entries of the session's extract, by accession.

    Raises:
        ToolError: `parse_error`.
    """
    paths = [path for path in session.files.readable if path.startswith(_FOLDER) and path.endswith(".txt")]
    found = (read_entry(session.files.read_text(path), name=path) for path in paths)
    return tuple(sorted(found, key=lambda entry: entry.accession))


def entry_of(session: Session, accession: str) -> UniprotEntry:
    """The entry of a current or former accession.

    Raises:
        ToolError: `not_in_extract` with the accessions there are, or `parse_error`.
    """
    wanted, there = accession.upper(), entries(session)
    found = [entry for entry in there if entry.accession == wanted]
    found += [entry for entry in there if wanted in entry.former]
    if not found:
        named = ", ".join(entry.accession for entry in there[:20])
        raise ToolError("not_in_extract", f"the UniProt extract does not hold {wanted}; it holds {named}")
    return found[0]


@lru_cache(maxsize=64)
def read_entry(text: str, *, name: str) -> UniprotEntry:
    """One entry in Swiss-Prot text format.

    Args:
        text: the file's content.
        name: of the file, for the message.

    Raises:
        ToolError: `parse_error`.
    """
    try:
        record = SwissProt.read(io.StringIO(text))
    # Its parser trips over a broken line in many ways; all of them are the file's fault.
    except Exception as error:
        raise ToolError("parse_error", f"{name} does not read as a UniProt entry") from error
    said = _plain(record.description)
    named = dict(reversed(_NAME.findall(said)))
    function = next((each for each in record.comments if each.startswith("FUNCTION: ")), "")
    return UniprotEntry(
        accession=record.accessions[0],
        former=tuple(record.accessions[1:]),
        entry_name=record.entry_name,
        reviewed=record.data_class == "Reviewed",
        protein_name=named.get("RecName") or named.get("SubName") or "",
        description=said,
        genes=tuple(_genes(record.gene_name)),
        organism=record.organism.rstrip("."),
        taxonomy_id=record.taxonomy_id[0] if record.taxonomy_id else "",
        sequence=record.sequence,
        function=_plain(function.removeprefix("FUNCTION: ")),
        keywords=tuple(_plain(word) for word in record.keywords),
        references=tuple(tuple(fields) for fields in record.cross_references),
    )


def _genes(names: list[dict[str, str | list[str]]]) -> Iterator[str]:
    for gene in names:
        for kind in ("Name", "Synonyms", "OrderedLocusNames", "ORFNames"):
            said = gene.get(kind, [])
            yield from (_plain(name) for name in ([said] if isinstance(said, str) else said))


def _plain(text: str) -> str:
    """Without evidence tags; of the full stops before and behind one a single one stays."""
    return _EVIDENCE.sub(lambda found: "." if "." in (found[1], found[2]) else "", text).strip()
