"""The structures of a fixture: PDB and mmCIF files below `structures/`, read through Bio.PDB."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from Bio.PDB.Atom import Atom
from Bio.PDB.Chain import Chain
from Bio.PDB.MMCIF2Dict import MMCIF2Dict
from Bio.PDB.MMCIFParser import MMCIFParser
from Bio.PDB.Model import Model
from Bio.PDB.NeighborSearch import NeighborSearch
from Bio.PDB.PDBParser import PDBParser
from Bio.PDB.Polypeptide import is_aa
from Bio.PDB.Residue import Residue
from Bio.PDB.Structure import Structure

from fcbench.workbench.errors import ToolError
from fcbench.workbench.session import Session

ChainKind = Literal["protein", "dna", "rna", "other"]
_FOLDER = "structures/"
_DNA = frozenset(("DA", "DC", "DG", "DT", "DU", "DI"))
_RNA = frozenset(("A", "C", "G", "U", "I"))
_ORGANISMS = (
    "_entity_src_gen.pdbx_gene_src_scientific_name",
    "_entity_src_nat.pdbx_organism_scientific",
    "_pdbx_entity_src_syn.organism_scientific",
)


@dataclass(frozen=True)
class StructureEntry:
    """One file with what its header says."""

    pdb_id: str
    title: str
    method: str
    """In capitals, as the archive writes it."""
    resolution: float | None
    """In angstrom; None for methods without one."""
    organisms: tuple[str, ...]
    keywords: str
    structure: Structure

    @property
    def model(self) -> Model:
        """The first model."""
        first: Model = next(iter(self.structure))
        return first

    @property
    def chains(self) -> dict[str, Chain]:
        """The chains of the first model by identifier."""
        return {str(chain.id): chain for chain in sorted(self.model, key=lambda chain: str(chain.id))}

    def chain(self, identifier: str) -> Chain:
        """One chain of the first model.

        Raises:
            ToolError: `not_found` with the chains there are.
        """
        found = self.chains.get(identifier)
        if found is None:
            raise ToolError("not_found", f"{self.pdb_id} has no chain {identifier}; it has {', '.join(self.chains)}")
        return found


@dataclass(frozen=True, slots=True)
class ChainSummary:
    """What one chain holds."""

    kind: ChainKind
    residues: int
    """Amino acids and nucleotides, modified ones included."""
    ligands: int
    waters: int


@dataclass(frozen=True, slots=True)
class Contact:
    """A residue of one chain and the residue of the other that comes closest."""

    residue: Residue
    nearest: Residue
    distance: float
    """Of the closest two atoms, in angstrom."""


def structures(session: Session) -> tuple[StructureEntry, ...]:
    """The structures of the session's library, by code.

    Raises:
        ToolError: `parse_error`.
    """
    return tuple(_read(session, path) for _, path in sorted(_paths(session).items()))


def structure_of(session: Session, pdb_id: str) -> StructureEntry:
    """The structure of a code.

    Raises:
        ToolError: `not_in_extract` with the codes there are, or `parse_error`.
    """
    paths = _paths(session)
    if pdb_id.upper() not in paths:
        named = ", ".join(sorted(paths)[:20])
        raise ToolError("not_in_extract", f"the structure library does not hold {pdb_id.upper()}; it holds {named}")
    return _read(session, paths[pdb_id.upper()])


def chain_summary(chain: Chain) -> ChainSummary:
    """Residues, ligands and waters of a chain."""
    residues = list(chain)
    proteins = [each for each in residues if is_aa(each, standard=False)]
    nucleotides = {"dna": _DNA, "rna": _RNA}
    counts: dict[ChainKind, int] = {"protein": len(proteins), "dna": 0, "rna": 0}
    counts["dna"], counts["rna"] = (
        sum(each.get_resname().strip() in names for each in residues) for names in nucleotides.values()
    )
    waters = sum(each.id[0] == "W" for each in residues)
    kind = max(counts, key=lambda name: counts[name])
    polymer = sum(counts.values())
    return ChainSummary(kind if polymer else "other", polymer, len(residues) - polymer - waters, waters)


def contacts(chain: Chain, other: Chain, max_distance: float) -> tuple[Contact, ...]:
    """The residues of a chain that come within a distance of another, in the order of the chain.

    Hydrogens and water are left out; of alternative places of an atom the one with the highest occupancy counts.
    """
    atoms = list(_heavy_atoms(other))
    if not atoms:
        return ()
    near = NeighborSearch(atoms)
    found: list[Contact] = []
    for residue in chain:
        best = _closest(_heavy_atoms([residue]), near, max_distance)
        if best is not None:
            found.append(Contact(residue, best[1], best[0]))
    return tuple(found)


def _closest(atoms: Iterable[Atom], near: NeighborSearch, max_distance: float) -> tuple[float, Residue] | None:
    pairs = [
        (float(atom - there), there.get_parent())
        for atom in atoms
        for there in near.search(atom.coord, max_distance, level="A")
    ]
    return min(pairs, key=lambda pair: (pair[0], pair[1].id[1])) if pairs else None


def _heavy_atoms(residues: Iterable[Residue]) -> Iterator[Atom]:
    for residue in residues:
        if residue.id[0] != "W":
            yield from (atom for atom in residue if atom.element not in ("H", "D"))


def _paths(session: Session) -> dict[str, str]:
    found = [path for path in session.files.readable if path.startswith(_FOLDER) and path.endswith((".pdb", ".cif"))]
    return {path.removeprefix(_FOLDER).partition(".")[0].upper(): path for path in found}


def _read(session: Session, path: str) -> StructureEntry:
    return read_structure(session.files.read_text(path), path.removeprefix(_FOLDER))


@lru_cache(maxsize=16)
def read_structure(text: str, name: str) -> StructureEntry:
    """One structure.

    Args:
        text: the file's content.
        name: of the file: `<code>.pdb` or `<code>.cif`.

    Raises:
        ToolError: `parse_error`.
    """
    code = name.partition(".")[0].upper()
    try:
        return _from_mmcif(text, code) if name.endswith(".cif") else _from_pdb(text, code)
    # Bio.PDB trips over a broken file in many ways; all of them are the file's fault.
    except Exception as error:
        raise ToolError("parse_error", f"{name} does not read as a structure") from error


def _from_pdb(text: str, code: str) -> StructureEntry:
    structure = PDBParser(QUIET=True).get_structure(code, io.StringIO(text))
    header = structure.header
    sources = [source.get("organism_scientific", "") for source in header["source"].values()]
    return StructureEntry(
        pdb_id=code,
        title=header["name"].upper(),
        method=header["structure_method"].upper(),
        resolution=None if header["resolution"] is None else float(header["resolution"]),
        organisms=tuple(dict.fromkeys(name.capitalize() for name in sources if name)),
        keywords=header["keywords"],
        structure=structure,
    )


def _from_mmcif(text: str, code: str) -> StructureEntry:
    said = MMCIF2Dict(io.StringIO(text))
    structure = MMCIFParser(QUIET=True).get_structure(code, io.StringIO(text))
    organisms = [name for key in _ORGANISMS for name in said.get(key, [])]
    resolution = structure.header["resolution"]
    return StructureEntry(
        pdb_id=code,
        title=" ".join(said["_struct.title"]),
        method=", ".join(said["_exptl.method"]).upper(),
        resolution=None if resolution is None else float(resolution),
        organisms=tuple(dict.fromkeys(name for name in organisms if name not in ("?", "."))),
        keywords=" ".join(said.get("_struct_keywords.text", [])),
        structure=structure,
    )
