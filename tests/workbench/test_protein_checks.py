"""Proteins and the library in a second way: sums over residues, the text of the files, distances between all atoms."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.engines import engine_version
from fcbench.workbench.features import Feature, Part
from fcbench.workbench.files import FileRoom
from fcbench.workbench.homology import domains, read_profile
from fcbench.workbench.records import protein_of
from fcbench.workbench.session import Session, State
from tests.workbench.worlds import FIXTURE_FOLDER, content, error_code, fresh

MASSES = dict(
    zip(
        "GASPVTCLINDQKEMHFRYW",
        (
            *(57.0519, 71.0788, 87.0782, 97.1167, 99.1326, 101.1051, 103.1388, 113.1594, 113.1594, 114.1038),
            *(115.0886, 128.1307, 128.1741, 129.1155, 131.1926, 137.1411, 147.1766, 156.1875, 163.1760, 186.2132),
        ),
        strict=True,
    )
)
"""Average masses of residues in dalton, as textbooks list them."""
HYDROPATHY = dict(
    zip(
        "IVLFCMAGTSWYPHENQDKR",
        (4.5, 4.2, 3.8, 2.8, 2.5, 1.9, 1.8, -0.4, -0.7, -0.8, -0.9, -1.3, -1.6, -3.2, *[-3.5] * 4, -3.9, -4.5),
        strict=True,
    )
)
"""Kyte and Doolittle 1982."""
BASIC = {"K": 10.0, "R": 12.0, "H": 5.98}
ACID = {"D": 4.05, "E": 4.45, "C": 9.0, "Y": 10.0}
FIRST = {"A": 7.59, "M": 7.0, "S": 6.93, "P": 8.36, "T": 6.82, "V": 7.44, "E": 7.7}
LAST = {"D": 4.55, "E": 4.75}
"""pK values of Bjellqvist and others 1993 and 1994; the first and last residue change those of the ends."""
UNIPROT = sorted((FIXTURE_FOLDER / "uniprot").glob("*.txt"))
needs_pyhmmer = pytest.mark.skipif(engine_version("pyhmmer") is None, reason="needs pyhmmer of the extra workbench")


def items(result: JsonObject, name: str) -> list[JsonObject]:
    """The objects of a list."""
    found = result[name]
    assert isinstance(found, list)
    return [dict(each) for each in found if isinstance(each, dict)]


def number(value: JsonValue) -> float:
    """A number of a result."""
    assert isinstance(value, int | float)
    return float(value)


def charge(protein: str, acidity: float) -> float:
    """Net charge of a protein at a pH."""
    basic = [FIRST.get(protein[0], 7.5), *(BASIC[letter] for letter in protein if letter in BASIC)]
    acid = [LAST.get(protein[-1], 3.55), *(ACID[letter] for letter in protein if letter in ACID)]
    plus = sum(1 / (1 + 10 ** (acidity - value)) for value in basic)
    return plus - sum(1 / (1 + 10 ** (value - acidity)) for value in acid)


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "sars-cov-2"])
def test_numbers_of_every_protein_are_sums_over_its_residues(fixture: str) -> None:
    session, seen = fresh(fixture), 0
    for gene in session.genes.genes:
        if not gene.symbol or not gene.coding:
            continue
        protein = protein_of(session.record(gene.sequence_id), gene.coding[0])
        found = content(session, "protein_properties", gene_name=gene.symbol)
        mass = sum(MASSES[letter] for letter in protein) + 18.0153
        assert number(found["molecular_weight"]) == pytest.approx(mass, rel=2e-5)
        assert number(found["gravy"]) == pytest.approx(sum(map(HYDROPATHY.get, protein)) / len(protein), abs=6e-5)  # type: ignore[arg-type]
        aromatic = sum(letter in "FWY" for letter in protein) / len(protein)
        assert number(found["aromaticity"]) == pytest.approx(aromatic, abs=6e-5)
        point = number(found["isoelectric_point"])
        assert charge(protein, point - 0.02) > 0 > charge(protein, point + 0.02)
        seen += 1
    assert seen > 10


def test_a_protein_with_a_letter_of_unknown_mass_has_no_numbers() -> None:
    session = fresh()
    record, gene, cds = session.coding("folA")
    odd = replace(cds, qualifiers={**cds.qualifiers, "translation": ("MSKXLA",)})
    session.put([record.with_features([odd if each.id == cds.id else each for each in record.features])])
    assert error_code(session, "protein_properties", gene_name="folA") == "bad_sequence"
    assert gene.symbol == "folA"


ELEMENT = st.one_of(
    st.sampled_from("ACDEFGHIKLMNPQRSTVWYxX"),
    st.sets(st.sampled_from("AGSTPLVKE"), min_size=1, max_size=4).map(lambda some: f"[{''.join(sorted(some))}]"),
    st.sets(st.sampled_from("AGSTPLVKE"), min_size=1, max_size=4).map(lambda some: f"{{{''.join(sorted(some))}}}"),
)


def allowed(element: str, letter: str) -> bool:
    """Whether a residue may stand at a position of a pattern."""
    if element[0] == "[":
        return letter in element[1:-1]
    if element[0] == "{":
        return letter not in element[1:-1]
    return element in ("x", "X", letter)


@settings(max_examples=60, deadline=None)
@given(elements=st.lists(ELEMENT, min_size=2, max_size=6))
def test_a_pattern_is_found_where_a_plain_comparison_finds_it(elements: list[str]) -> None:
    session = fresh()
    protein = str(content(session, "get_protein_sequence", gene_name="dnaK")["sequence"])
    wanted = [
        at + 1
        for at in range(len(protein) - len(elements) + 1)
        if all(allowed(element, letter) for element, letter in zip(elements, protein[at:], strict=False))
    ]
    found = content(session, "find_protein_motifs", pattern="".join(elements), gene_name="dnaK")
    assert found["count"] == len(wanted)
    assert [each["start"] for each in items(found, "matches")] == wanted[:50]
    for each in items(found, "matches"):
        assert protein[int(number(each["start"])) - 1 : int(number(each["end"]))] == each["matched"]


@pytest.mark.parametrize("pattern", ["[]A", "A{}", "[A[C]]", "AC]", "{A", "[Ax]C", "}A"])
def test_brackets_that_do_not_pair_are_refused(pattern: str) -> None:
    assert error_code(fresh(), "find_protein_motifs", pattern=pattern) == "bad_argument"


@pytest.mark.parametrize("fixture", ["ecoli-d10483", "plasmid-ppcp1", "chloroplast"])
def test_every_accession_of_the_file_leads_to_the_place_that_the_file_gives(fixture: str) -> None:
    session = fresh(fixture)
    text = (FIXTURE_FOLDER / session.genome.path).read_text("utf-8")
    entries = re.findall(r"^     CDS +((?:.|\n)*?)(?=^     \S|^ORIGIN|^CONTIG)", text, re.MULTILINE)
    seen = 0
    for entry in entries:
        place = re.split(r"\n +/", entry)[0]
        accession = re.search(r'/protein_id="([^"]+)"', entry)
        letters = re.search(r'/translation="([^"]+)"', entry)
        if accession is None or letters is None:
            continue
        found = content(session, "get_protein_record", accession=accession[1])
        numbers = [int(each) for each in re.findall(r"\d+", place)]
        assert (found["start"], found["end"]) == (min(numbers), max(numbers))
        assert found["length"] == len(re.sub(r"\s", "", letters[1]))
        if "," not in place:
            assert found["strand"] == ("-" if "complement" in place else "+")
        seen += 1
    assert seen == text.count("/protein_id=") > 5


def dr_lines(text: str, collection: str) -> list[tuple[str, str]]:
    """Identifier and number of matches of the lines of one collection."""
    lines = re.findall(rf"^DR   {collection}; ([^;]+?)(?:; (.*))?\.$", text, re.MULTILINE)
    return [(identifier.strip(), rest) for identifier, rest in lines]


@pytest.mark.parametrize("path", UNIPROT, ids=lambda path: path.stem)
def test_an_entry_says_what_its_file_says(path: Path) -> None:
    session, text = fresh("empty-session"), path.read_text("utf-8")
    found = content(session, "get_uniprot_entry", uniprot_id=path.stem)
    letters = re.sub(r"\s", "", re.search(r"^SQ .*\n((?:     .*\n)+)//", text, re.MULTILINE)[1])  # type: ignore[index]
    first = text.splitlines()[0].split()
    assert found["entry_name"] == first[1]
    assert found["reviewed"] == (first[2] == "Reviewed;")
    assert (found["sequence"], found["length"]) == (letters, int(first[3]))
    assert f"Full={found['protein_name']}" in text
    assert f"NCBI_TaxID={found['taxonomy_id']}" in text
    assert "ECO:" not in str(found)
    for collection in ("InterPro", "Pfam", "PROSITE", "Gene3D", "PRINTS"):
        told = content(session, "get_domain_annotations", uniprot_id=path.stem, collection=collection)
        assert [each["identifier"] for each in items(told, "domains")] == [
            each for each, _ in dr_lines(text, collection)
        ]
    everything = content(session, "get_domain_annotations", uniprot_id=path.stem)
    known = sum(len(dr_lines(text, name)) for name in {each["collection"] for each in items(everything, "domains")})  # type: ignore[arg-type]
    assert everything["count"] == known


def test_every_entry_is_found_by_its_own_names() -> None:
    session = fresh()
    for path in UNIPROT:
        entry = content(session, "get_uniprot_entry", uniprot_id=path.stem)
        genes = entry["genes"]
        assert isinstance(genes, list)
        for query in (path.stem.lower(), entry["entry_name"], entry["protein_name"], *genes):
            found = content(session, "search_uniprot", query=str(query))
            assert path.stem in [each["uniprot_id"] for each in items(found, "entries")], query


Place = tuple[str, str, int, tuple[float, float, float]]
"""Chain, residue name and number, and place of an atom."""


def atoms_of_first_model(path: Path) -> list[Place]:
    """The atoms of a PDB file by its columns, without hydrogens and water."""
    text = path.read_text("utf-8").partition("\nENDMDL")[0]
    lines = [line for line in text.splitlines() if line.startswith(("ATOM", "HETATM"))]
    return [
        (line[21], line[17:20].strip(), int(line[22:26]), (float(line[30:38]), float(line[38:46]), float(line[46:54])))
        for line in lines
        if line[76:78].strip() not in ("H", "D") and line[17:20] != "HOH"
    ]


@pytest.mark.parametrize("distance", [2.9, 3.5, 4.0, 6.25])
@pytest.mark.parametrize("chains", ["AB", "BA", "AC", "CA", "BC"])
def test_contacts_are_those_of_all_pairs_of_atoms(chains: str, distance: float) -> None:
    atoms = atoms_of_first_model(FIXTURE_FOLDER / "structures/1LCD.pdb")
    nearest: dict[tuple[int, str], float] = {}
    for one in (each for each in atoms if each[0] == chains[0]):
        for other in (each for each in atoms if each[0] == chains[1]):
            apart, key = math.dist(one[3], other[3]), (one[2], one[1])
            if apart <= distance:
                nearest[key] = min(apart, nearest.get(key, apart))
    told = content(
        fresh(), "find_interface_contacts", pdb_id="1LCD", chain_a=chains[0], chain_b=chains[1], max_distance=distance
    )
    found = {
        (int(number(each["residue_number"])), str(each["residue_name"])): number(each["distance"])
        for each in items(told, "residues")
    }
    assert told["count"] == len(nearest)
    assert found == {key: pytest.approx(apart, abs=0.0051) for key, apart in nearest.items()}


@pytest.mark.parametrize("code", ["1A8O", "3JQH"])
def test_a_summary_counts_what_the_atom_rows_of_the_file_name(code: str) -> None:
    text = (FIXTURE_FOLDER / f"structures/{code}.cif").read_text("utf-8")
    names = re.findall(r"^_atom_site\.(\S+)", text, re.MULTILINE)
    rows = [
        dict(zip(names, line.split(), strict=False)) for line in re.findall(r"^(?:ATOM|HETATM) .*", text, re.MULTILINE)
    ]
    residues = {(row["auth_asym_id"], row["auth_seq_id"]): row["label_comp_id"] for row in rows}
    waters = sum(name == "HOH" for name in residues.values())
    found = items(content(fresh(), "get_structure_summary", pdb_id=code), "chains")
    assert [each["chain"] for each in found] == sorted({chain for chain, _ in residues})
    assert sum(int(number(each["waters"])) for each in found) == waters
    others = sum(int(number(each["residues"])) + int(number(each["ligands"])) for each in found)
    assert others == len(residues) - waters


def consensus(path: Path) -> str:
    """The most likely residue of each match state of an HMMER file."""
    text = path.read_text("utf-8").partition("\nHMM ")[2]
    columns = text.split("\n")[0].split()
    rows = [line.split() for line in text.split("\n")[1:]]
    states = [row[1 : len(columns) + 1] for row in rows if row and row[0].isdigit()]
    return "".join(columns[min(range(len(row)), key=lambda at: float(row[at]))] for row in states)


def with_protein(protein: str) -> Session:
    """A session whose genome has one more gene, `made`, with this protein."""
    session = fresh()
    record = session.record()
    made = Feature(
        id=session.mint("ann"),
        kind="CDS",
        parts=(Part(1, 3, "+"),),
        qualifiers={"gene": ("made",), "translation": (protein,)},
        origin="user",
    )
    session.put([record.with_features([*record.features, made])])
    return session


@needs_pyhmmer
@pytest.mark.parametrize(("profile", "length"), [("fn3", 86), ("Pkinase", 260), ("globins4", 149)])
def test_a_profile_is_found_in_a_protein_that_holds_its_consensus(profile: str, length: int) -> None:
    core = consensus(FIXTURE_FOLDER / f"profiles/{profile}.hmm")
    assert len(core) == length
    linker = "MSDETPAQNG" * 3
    session = with_protein(linker + core + linker)
    found = items(content(session, "scan_protein_domains", gene_name="made"), "domains")
    assert [each["profile"] for each in found] == [profile]
    assert abs(number(found[0]["start"]) - 31) <= 3
    assert abs(number(found[0]["end"]) - (30 + length)) <= 3


@needs_pyhmmer
def test_two_domains_of_a_protein_are_listed_in_order_and_a_strict_limit_leaves_none() -> None:
    folder = FIXTURE_FOLDER / "profiles"
    session = with_protein("M" + consensus(folder / "globins4.hmm") + "GSGSGSGSGS" + consensus(folder / "fn3.hmm"))
    found = items(content(session, "scan_protein_domains", gene_name="made"), "domains")
    assert [each["profile"] for each in found] == ["globins4", "fn3"]
    assert [each["accession"] for each in found] == ["", "PF00041.13"]
    assert content(session, "scan_protein_domains", gene_name="made", max_evalue=0)["count"] == 0


@needs_pyhmmer
def test_domains_are_those_of_the_program_hmmscan(tmp_path: Path) -> None:
    if shutil.which("hmmscan") is None:
        pytest.skip("hmmscan of the Debian package hmmer is not installed")
    folder = FIXTURE_FOLDER / "profiles"
    files = sorted(folder.glob("*.hmm"))
    library = tmp_path / "library.hmm"
    library.write_text("".join(path.read_text("utf-8") for path in files), encoding="utf-8")
    subprocess.run(["hmmpress", str(library)], check=True, capture_output=True, timeout=60)
    protein = "M" + consensus(folder / "fn3.hmm")[:70] + "GSGSGS" + consensus(folder / "Pkinase.hmm")[20:]
    (tmp_path / "query.faa").write_text(f">query\n{protein}\n", encoding="utf-8")
    command = ["hmmscan", "-E", "0.001", "--domE", "0.001", "--domtblout", "/dev/stdout", "-o", "/dev/null"]
    done = subprocess.run(
        [*command, str(library), str(tmp_path / "query.faa")], check=True, capture_output=True, text=True, timeout=60
    )
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
    theirs = sorted((int(row[17]), int(row[18]), row[0], int(row[15]), int(row[16])) for row in rows)
    profiles = [read_profile(path.read_text("utf-8"), name=path.name) for path in files]
    found = domains(protein, profiles, 0.001)
    ours = [(each.start, each.end, each.profile.name, each.profile_start, each.profile_end) for each in found]
    assert ours == theirs
    expected = {row[0]: float(row[12]) for row in rows}
    assert {each.profile.name: each.evalue for each in found} == pytest.approx(expected, rel=0.1, abs=0)


@pytest.mark.parametrize(
    ("name", "text", "tool", "arguments"),
    [
        ("uniprot/P00001.txt", "ID   broken\n", "get_uniprot_entry", {"uniprot_id": "P00001"}),
        ("uniprot/P00001.txt", "", "search_uniprot", {"query": "kinase"}),
        ("structures/9XXX.pdb", "", "get_structure_summary", {"pdb_id": "9XXX"}),
        ("structures/9XXX.pdb", "ATOM  broken\n", "search_structures", {"query": "kinase"}),
        ("structures/9XXX.cif", "loop_\n_atom_site.id\n", "get_structure_summary", {"pdb_id": "9XXX"}),
    ],
)
def test_a_broken_file_of_the_library_is_a_parse_error(
    name: str, text: str, tool: str, arguments: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(text, encoding="utf-8")
    session = Session(State(), FileRoom(tmp_path, [name]))
    assert error_code(session, tool, **arguments) == "parse_error"


@needs_pyhmmer
@pytest.mark.parametrize("text", ["", "HMMER3/f [3.1b2]\nNAME  x\n", "no profile\n"])
def test_a_broken_profile_is_a_parse_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/odd.hmm").write_text(text, encoding="utf-8")
    session = Session(State(genome=fresh().genome), FileRoom(tmp_path, ["profiles/odd.hmm"]))
    assert error_code(session, "scan_protein_domains", gene_name="dnaK") == "parse_error"


def test_a_library_without_files_says_so() -> None:
    session = Session(State(), FileRoom(FIXTURE_FOLDER, []))
    assert content(session, "search_uniprot", query="kinase")["count"] == 0
    assert content(session, "search_structures", query="kinase")["count"] == 0
    assert error_code(session, "get_structure_summary", pdb_id="1LCD") == "not_in_extract"
