"""The library of the workbench: UniProt entries and PDB structures that ship with the fixtures."""

from __future__ import annotations

from Bio.PDB.Residue import Residue

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.results import MAX_ITEMS, MAX_LETTERS, listing, short_text
from fcbench.workbench.session import Session
from fcbench.workbench.structures import StructureEntry, chain_summary, contacts, structure_of, structures
from fcbench.workbench.tools import tool
from fcbench.workbench.uniprot import COLLECTIONS, SOURCE, UniprotEntry, entries, entry_of

_METHODS = {"xray": "X-RAY", "nmr": "NMR", "cryo_em": "ELECTRON MICROSCOPY", "any": ""}
"""Argument -> what the method of an entry holds."""


@tool("get_uniprot_entry")
def get_uniprot_entry(session: Session, arguments: Arguments) -> JsonObject:
    """An entry of the extract."""
    entry = entry_of(session, arguments.text("uniprot_id"))
    letters = entry.sequence if arguments.flag("include_sequence") else ""
    return {
        "uniprot_id": entry.accession,
        "entry_name": entry.entry_name,
        "reviewed": entry.reviewed,
        "protein_name": short_text(entry.protein_name, 200),
        "genes": [short_text(name, 60) for name in entry.genes[:20]],
        "organism": short_text(entry.organism, 200),
        "taxonomy_id": entry.taxonomy_id,
        "length": len(entry.sequence),
        "function": short_text(entry.function, 600),
        "keywords": [short_text(word, 100) for word in entry.keywords[:MAX_ITEMS]],
        "sequence": letters[:MAX_LETTERS],
        "truncated": len(letters) > MAX_LETTERS,
        "source": SOURCE,
    }


@tool("search_uniprot")
def search_uniprot(session: Session, arguments: Arguments) -> JsonObject:
    """Entries that hold every word of a query."""
    words = _words(arguments.text("query"))
    organism = " ".join((arguments.optional_text("organism") or "").casefold().split())
    found = [
        each for each in entries(session) if _holds(_text_of(each), words) and organism in each.organism.casefold()
    ]
    return listing("entries", [_shown_entry(entry) for entry in found])


@tool("get_domain_annotations")
def get_domain_annotations(session: Session, arguments: Arguments) -> JsonObject:
    """The references of an entry to collections of families and domains."""
    entry = entry_of(session, arguments.text("uniprot_id"))
    wanted = arguments.text("collection")
    kept = COLLECTIONS if wanted == "all" else (wanted,)
    items = [_shown_reference(fields) for fields in entry.references if fields[0] in kept]
    head: JsonObject = {
        "uniprot_id": entry.accession,
        "protein_name": short_text(entry.protein_name, 200),
        "length": len(entry.sequence),
    }
    return {**head, **listing("domains", list(items))}


@tool("search_structures")
def search_structures(session: Session, arguments: Arguments) -> JsonObject:
    """Structures that hold every word of a query."""
    words, method = _words(arguments.text("query")), _METHODS[arguments.text("method")]
    found = [
        each
        for each in structures(session)
        if method in each.method and _holds(" ".join((each.pdb_id, each.title, each.keywords, *each.organisms)), words)
    ]
    return listing("structures", [_shown_structure(entry) for entry in found])


@tool("get_structure_summary")
def get_structure_summary(session: Session, arguments: Arguments) -> JsonObject:
    """Header and chains of a structure."""
    entry = structure_of(session, arguments.text("pdb_id"))
    chains: list[JsonObject] = []
    for identifier, chain in list(entry.chains.items())[:100]:
        found = chain_summary(chain)
        numbers: JsonObject = {"residues": found.residues, "ligands": found.ligands, "waters": found.waters}
        chains.append({"chain": identifier, "molecule": found.kind, **numbers})
    return {**_shown_structure(entry), "models": len(entry.structure), "chains": list(chains)}


@tool("find_interface_contacts")
def find_interface_contacts(session: Session, arguments: Arguments) -> JsonObject:
    """The residues of one chain that come close to another."""
    entry = structure_of(session, arguments.text("pdb_id"))
    one, other = arguments.text("chain_a"), arguments.text("chain_b")
    chains = entry.chain(one), entry.chain(other)
    if one == other:
        raise ToolError("bad_argument", f"contacts are between two chains; {one} is given twice")
    items: list[JsonObject] = []
    for found in contacts(*chains, arguments.number("max_distance")):
        number, name = _shown_residue(found.residue)
        nearest_number, nearest_name = _shown_residue(found.nearest)
        items.append(
            {
                "residue_number": number,
                "residue_name": name,
                "distance": round(found.distance, 2),
                "nearest_number": nearest_number,
                "nearest_name": nearest_name,
            }
        )
    head: JsonObject = {"pdb_id": entry.pdb_id, "chain_a": one, "chain_b": other}
    return {**head, **listing("residues", list(items))}


def _words(query: str) -> tuple[str, ...]:
    words = tuple(query.casefold().split())
    if not words:
        raise ToolError("bad_argument", "a query holds at least one word")
    return words


def _holds(text: str, words: tuple[str, ...]) -> bool:
    found = text.casefold()
    return all(word in found for word in words)


def _text_of(entry: UniprotEntry) -> str:
    return " ".join((entry.accession, entry.entry_name, entry.description, *entry.genes, *entry.keywords))


def _shown_entry(entry: UniprotEntry) -> JsonObject:
    return {
        "uniprot_id": entry.accession,
        "entry_name": entry.entry_name,
        "protein_name": short_text(entry.protein_name, 200),
        "gene": short_text(entry.genes[0] if entry.genes else "", 60),
        "organism": short_text(entry.organism, 200),
        "length": len(entry.sequence),
    }


def _shown_reference(fields: tuple[str, ...]) -> JsonObject:
    """A DR line: InterPro gives identifier and name, most others identifier, name and number of matches."""
    name = fields[2] if len(fields) > 2 and fields[2] != "-" else ""
    matches = fields[3] if len(fields) > 3 and fields[3].isascii() and fields[3].isdigit() else "0"
    return {
        "collection": fields[0],
        "identifier": short_text(fields[1], 40),
        "name": short_text(name, 100),
        "matches": int(matches[:3]),
    }


def _shown_structure(entry: StructureEntry) -> JsonObject:
    shown: JsonObject = {
        "pdb_id": entry.pdb_id,
        "title": short_text(entry.title, 300),
        "method": short_text(entry.method, 60),
        "organisms": [short_text(name, 100) for name in entry.organisms[:20]],
    }
    return shown if entry.resolution is None else {**shown, "resolution": round(entry.resolution, 2)}


def _shown_residue(residue: Residue) -> tuple[int, str]:
    return int(residue.id[1]), str(residue.get_resname()).strip()[:5]
