"""Arguments that mean something: places, names, letters and files of the fixtures, by the name of the argument."""

from __future__ import annotations

import random

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema

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
    "out/x.txt",
    "out/../../x",
    "nope.gb",
)
IDS = ("ftr-1", "ftr-12", "ann-1", "act-1", "hl-1", "tab-1", "tab-2", "task-1")
ENZYMES = ("EcoRI", "HindIII", "BamHI", "NotI", "XyzI")
WORDS = ("ligase", "k12", "first", "araBADp", "coli", "1LCD", "P0CK95")
POOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("gene", NAMES),
    ("enzyme", ENZYMES),
    ("path", PATHS),
    ("sequence", LETTERS + PROTEINS),
    ("pattern", LETTERS),
    ("forward", LETTERS),
    ("reverse", LETTERS),
    ("bases", LETTERS),
    ("ref", ("A", "C", "G", "T")),
    ("alt", ("A", "C", "G", "T", "AC")),
    ("id", IDS),
    ("name", WORDS + NAMES),
)
PLACES = ("start", "end", "position")


def realistic(contract: ToolContract, rng: random.Random) -> JsonObject:
    """Schema-valid arguments: a sample in which values were replaced by meaningful ones where the schema takes them."""
    check = compile_schema(contract.parameters)
    arguments = sample(contract.parameters, rng)
    assert isinstance(arguments, dict)
    first = rng.choice((1, 1000, 54414, 60001, 67000, 111000))
    for name in list(arguments):
        value = _place(name, first, rng) if name in PLACES else _value(name, contract.properties.get(name), rng)
        if value is not None and rng.random() < 0.9 and check.is_valid({**arguments, name: value}):
            arguments[name] = value
    if rng.random() < 0.9:
        arguments.pop("sequence_id", None)
    return arguments


def _place(name: str, first: int, rng: random.Random) -> JsonValue:
    return first + rng.choice((0, 59, 900, 5000)) if name == "end" else first


def _value(name: str, schema: JsonValue, rng: random.Random) -> JsonValue:
    is_list = isinstance(schema, dict) and schema.get("type") == "array"
    for part, pool in POOLS:
        if part in name:
            return rng.sample(pool, 2) if is_list else rng.choice(pool)
    return None
