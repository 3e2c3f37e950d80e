"""Arguments that mean something: places, names, letters and files of the fixtures, by the name of the argument."""

from __future__ import annotations

import random

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.workbench.session import Session

NAMES = ("araA", "murF", "dnaK", "ndhB", "rps12", "thrA", "lueO", "ArthCp068", "yabP", "htgA", "nope")
LETTERS = ("ATGGCTAAATGA", "GATGCGCTTTGCTTATCCGG", "AAAATGGCCAGTGCGGTAGA", "GAATTC", "gctggtgg", "N", "ACGT" * 60)
PROTEINS = ("MSKVLAIDTGHELKAL", "MTHIVRFIGLLLLNA", "M" * 30)
PATHS = (
    "genomes/NC_005816.gb",
    "genomes/NC_045512.2.gb",
    "reads/sample1.bam",
    "variants/sample1.vcf",
    "uniprot/P0CK95.txt",
    "structures/1LCD.pdb",
    "profiles/fn3.hmm",
    "annotations/extra.gff3",
    "annotations/extra.bed",
    "operons/operons.tsv",
    "out/x.txt",
    "out/../../x",
    "nope.gb",
)
SIGNALS = ("signals/gc_1kb.bedgraph", "signals/gc_skew_1kb.wig")
IDS = ("ftr-1", "ftr-12", "ann-1", "act-1", "hl-1", "tab-1", "tab-2", "task-1")
ENZYMES = ("EcoRI", "HindIII", "BamHI", "NotI", "XyzI")
WORDS = ("ligase", "k12", "first", "araBADp", "coli", "1LCD", "P0CK95")
POOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("gene", NAMES),
    ("enzyme", ENZYMES),
    ("file_paths", SIGNALS),
    ("path", PATHS),
    ("sequence", LETTERS + PROTEINS),
    ("pattern", LETTERS),
    ("forward", LETTERS),
    ("reverse", LETTERS),
    ("bases", LETTERS),
    ("ref", ("A", "C", "G", "T")),
    ("alt", ("A", "C", "G", "T", "AC")),
    ("uniprot", ("P0CK95", "Q2M9M2", "P60904", "P00722")),
    ("pdb", ("1LCD", "1a8o", "3JQH", "4HHB")),
    ("chain", ("A", "B", "C")),
    ("accession", ("BAB96631.1", "NP_051038", "NP_040703.1", "P0CK95")),
    ("database", ("k12", "first", "coli")),
    ("label", ("k12", "coli")),
    ("query", ("receptor", "domain", "ligase")),
    ("id", IDS),
    ("name", WORDS + NAMES),
    ("primer", LETTERS),
)
PLACES = ("start", "end", "position")


def realistic(contract: ToolContract, rng: random.Random, session: Session | None = None) -> JsonObject:
    """Schema-valid arguments: a sample in which values were replaced by meaningful ones where the schema takes them.

    With a session most gene names and places are those of its genome.
    """
    check = compile_schema(contract.parameters)
    arguments = sample(contract.parameters, rng)
    assert isinstance(arguments, dict)
    genome = session.state.genome if session else None
    length = genome.records[0].length if genome else 111_408
    first = rng.choice((1, length // 3, length // 2, rng.randrange(1, length), length - 100))
    names = tuple(gene.name for gene in session.genes.genes) if session and genome else ()
    for name in list(arguments):
        if name in PLACES:
            value: JsonValue = min(first + rng.choice((0, 59, 900, 5000)), length) if name == "end" else first
        else:
            value = _value(name, contract.properties.get(name), names if rng.random() < 0.8 else (), rng)
        if value is not None and rng.random() < 0.9 and check.is_valid({**arguments, name: value}):
            arguments[name] = value
    if rng.random() < 0.9:
        arguments.pop("sequence_id", None)
    return arguments


def _value(name: str, schema: JsonValue, genes: tuple[str, ...], rng: random.Random) -> JsonValue:
    is_list = isinstance(schema, dict) and schema.get("type") == "array"
    for part, pool in POOLS:
        if part in name:
            known = genes if part == "gene" and len(genes) > 1 else pool
            return rng.sample(known, 2) if is_list else rng.choice(known)
    return None
