"""Similarity-search databases of the session, and searches in them."""

from __future__ import annotations

import io
from typing import Literal

from Bio.SeqIO.FastaIO import SimpleFastaParser

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.genbank import MAX_BASES
from fcbench.workbench.homology import search
from fcbench.workbench.letters import dna
from fcbench.workbench.opening import genome_format, read_genome
from fcbench.workbench.project import Hit, SearchDatabase
from fcbench.workbench.proteins import named_proteins
from fcbench.workbench.results import shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

MAX_DATABASES = 20
MAX_ENTRIES = 100_000
MAX_EDITED = 5000
"""Bases that edits may have brought into a genome that is searched: nhmmer takes long over made-up repeats."""
Entries = tuple[tuple[str, str], ...]


@tool("build_search_database")
def build_search_database(session: Session, arguments: Arguments) -> JsonObject:
    """A database of the proteins or sequences of a genome or file; it replaces one of the same name."""
    name = arguments.text("name")
    molecule: Literal["nucleotide", "protein"] = "protein" if arguments.text("molecule") == "protein" else "nucleotide"
    there = session.state.databases
    if name not in there and len(there) >= MAX_DATABASES:
        raise ToolError("bad_argument", f"a session keeps at most {MAX_DATABASES} search databases; delete one first")
    path = arguments.optional_text("file_path")
    entries = _entries(session, path, molecule)
    if not entries:
        raise ToolError("bad_argument", f"{path or session.genome.path} holds no annotated protein to search in")
    made = SearchDatabase(name=name, molecule=molecule, source=path or session.genome.path, entries=entries)
    there[name] = made
    return _shown(made)


@tool("list_search_databases", engine="session", provenance="state")
def list_search_databases(session: Session, arguments: Arguments) -> JsonObject:
    """The databases of the session by name."""
    found = [_shown(database) for _, database in sorted(session.state.databases.items())]
    return {"count": len(found), "databases": list(found)}


@tool("delete_search_database", engine="session", provenance="state")
def delete_search_database(session: Session, arguments: Arguments) -> JsonObject:
    """Remove one database."""
    database = _database(session, arguments.text("name"))
    del session.state.databases[database.name]
    return {"name": database.name, "remaining": len(session.state.databases)}


@tool("search_nucleotide_similarity", engine="pyhmmer")
def search_nucleotide_similarity(session: Session, arguments: Arguments) -> JsonObject:
    """Stretches of a nucleotide database that resemble a DNA query."""
    return _search(session, arguments, "nucleotide", dna(arguments.text("sequence")))


@tool("search_protein_similarity", engine="pyhmmer")
def search_protein_similarity(session: Session, arguments: Arguments) -> JsonObject:
    """Entries of a protein database that resemble a protein query."""
    return _search(session, arguments, "protein", arguments.text("sequence"))


@tool("filter_similarity_hits", engine="python")
def filter_similarity_hits(session: Session, arguments: Arguments) -> JsonObject:
    """Those hits of the last search that pass the limits."""
    hits = session.state.last_hits
    if hits is None:
        raise ToolError("bad_argument", "there was no similarity search in this session whose hits could be filtered")
    lowest, largest = arguments.number("min_identity"), arguments.number("max_evalue")
    kept = tuple(hit for hit in hits if hit.identity_percent >= lowest and hit.evalue <= largest)
    return _hits(kept, arguments.integer("max_hits"))


def _entries(session: Session, path: str | None, molecule: str) -> Entries:
    if path is not None and molecule == "protein" and genome_format(path) == "fasta":
        return _protein_fasta(session.files.read_text(path), path)
    records = session.records if path is None else read_genome(session, path).records
    new = sum(len(edit.bases) for edit in session.state.edits if edit.status == "executed")
    if path is None and molecule == "nucleotide" and new > MAX_EDITED:
        limit = f"at most {MAX_EDITED:,} make a nucleotide database"
        raise ToolError("bad_argument", f"edits brought {new:,} bases into the open genome; {limit}")
    return (
        named_proteins(records) if molecule == "protein" else tuple((each.id[:60], each.sequence) for each in records)
    )


def _protein_fasta(text: str, path: str) -> Entries:
    try:
        read = list(SimpleFastaParser(io.StringIO(text)))
    except ValueError as error:
        raise ToolError("parse_error", f"{path} does not read as FASTA") from error
    entries = tuple(
        (shown_symbol((title.split() or ["entry"])[0]), letters.upper().rstrip("*")) for title, letters in read
    )
    residues = all(letters.isascii() and letters.isalpha() for _, letters in entries)
    if not entries or not residues or len(entries) > MAX_ENTRIES or sum(len(each) for _, each in entries) > MAX_BASES:
        limits = f"1 to {MAX_ENTRIES:,} proteins of at most {MAX_BASES:,} residues in all"
        raise ToolError("parse_error", f"{path} does not hold {limits} in FASTA format")
    return entries


def _database(session: Session, name: str) -> SearchDatabase:
    found = session.state.databases.get(name)
    if found is None:
        there = ", ".join(sorted(session.state.databases)) or "none"
        raise ToolError("not_found", f"the session has no search database {name}; it has {there}"[:300])
    return found


def _search(session: Session, arguments: Arguments, molecule: str, query: str) -> JsonObject:
    database = _database(session, arguments.text("database"))
    if database.molecule != molecule:
        raise ToolError("bad_argument", f"{database.name} holds {database.molecule} entries, the query is {molecule}")
    hits = search(query, database, arguments.number("max_evalue"))
    session.state.last_hits = hits
    return _hits(hits, arguments.integer("max_hits"))


def _hits(hits: tuple[Hit, ...], limit: int) -> JsonObject:
    return {"count": len(hits), "hits": [_shown_hit(hit) for hit in hits[:limit]]}


def _shown_hit(hit: Hit) -> JsonObject:
    return {
        "target": hit.target,
        "score": hit.score,
        "evalue": hit.evalue,
        "identity_percent": hit.identity_percent,
        "strand": hit.strand,
        "query_start": hit.query_start,
        "query_end": hit.query_end,
        "target_start": hit.target_start,
        "target_end": hit.target_end,
    }


def _shown(database: SearchDatabase) -> JsonObject:
    return {
        "name": database.name,
        "molecule": database.molecule,
        "source": database.source,
        "entries": len(database.entries),
        "letters": sum(len(letters) for _, letters in database.entries),
    }
