"""Similarity search on profile hidden Markov models: phmmer, nhmmer and hmmsearch, through pyhmmer."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Protocol

from fcbench.workbench.engines import pyhmmer_engine
from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import PartStrand
from fcbench.workbench.letters import reverse_complement
from fcbench.workbench.project import Hit, SearchDatabase

MAX_REPEATED = 3000
"""Places of a nucleotide database with a word of the query; aligning many copies takes far longer than finding none."""
_WORD = 10
"""Bases of such a word: by chance one of a million places has a given one."""
_NO_RESIDUE = re.compile(r"[^A-Z]")


class _Aligned(Protocol):
    """What is read of an alignment of HMMER."""

    hmm_sequence: str
    target_sequence: str
    hmm_from: int
    hmm_to: int
    target_from: int
    target_to: int


class _Domain(Protocol):
    """What is read of a domain of HMMER."""

    alignment: _Aligned
    score: float
    i_evalue: float


class _Found(Protocol):
    """What is read of a hit of HMMER."""

    name: str
    score: float
    evalue: float
    reported: bool
    best_domain: _Domain
    domains: Sequence[_Domain]


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile of the library."""

    name: str
    accession: str
    description: str
    model: object
    """The HMM of pyhmmer."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A stretch of a protein that a profile explains."""

    profile: Profile
    start: int
    end: int
    profile_start: int
    profile_end: int
    score: float
    evalue: float


def search(query: str, database: SearchDatabase, max_evalue: float) -> tuple[Hit, ...]:
    """The entries of a database that resemble a query, best first.

    Settings are those of HMMER: phmmer for proteins, nhmmer on both strands for nucleotides.

    Args:
        query: letters of the kind that the database holds.
        database: what is searched.
        max_evalue: largest E-value that is kept.

    Raises:
        ToolError: `engine_unavailable`, or `bad_argument` for a nucleotide query that the database repeats too often.
    """
    engine = pyhmmer_engine()
    alphabet = _alphabet(engine, database.molecule)
    if database.molecule == "nucleotide" and (places := _places(query.upper(), database)) > MAX_REPEATED:
        said = f"{places} places of {database.name} hold {_WORD} bases of the query in a row"
        raise ToolError("bad_argument", f"{said}; at most {MAX_REPEATED} can be aligned, which a repeat exceeds")
    long = database.molecule == "nucleotide"
    pipeline_of = engine.plan7.LongTargetsPipeline if long else engine.plan7.Pipeline
    # HMMER takes no limit of 0; what it then reports is sifted below.
    pipeline = pipeline_of(alphabet, E=max(max_evalue, 1e-300))
    letters = engine.easel.TextSequence(name=b"query", sequence=query.upper()).digitize(alphabet)
    found: Iterable[_Found] = pipeline.search_seq(letters, _entries(database), engine.plan7.Builder(alphabet))
    hits = [_hit(each, long=long) for each in found if each.reported]
    kept = [hit for hit in hits if hit.evalue <= max_evalue]
    return tuple(sorted(kept, key=lambda hit: (hit.evalue, -hit.score, hit.target, hit.target_start)))


def _places(query: str, database: SearchDatabase) -> int:
    """Places of the database with a word that the query has on either strand."""
    strands = (query, reverse_complement(query))
    words = {letters[at : at + _WORD] for letters in strands for at in range(len(letters) - _WORD + 1)}
    return sum(
        letters[at : at + _WORD] in words for _, letters in database.entries for at in range(len(letters) - _WORD + 1)
    )


def domains(protein: str, profiles: Sequence[Profile], max_evalue: float) -> tuple[Domain, ...]:
    """The domains of a protein in order of place; E-values are over all profiles, as hmmscan counts them.

    Raises:
        ToolError: `engine_unavailable`.
    """
    engine = pyhmmer_engine()
    alphabet = _alphabet(engine, "protein")
    block = engine.easel.DigitalSequenceBlock(alphabet, [_digital(engine, "query", protein, "protein")])
    made: list[Domain] = []
    for profile in profiles:
        limits = {"E": max(max_evalue, 1e-300), "domE": max(max_evalue, 1e-300)}
        pipeline = engine.plan7.Pipeline(alphabet, Z=len(profiles), **limits)
        found: Iterable[_Found] = pipeline.search_hmm(profile.model, block)
        kept = [each for hit in found if hit.evalue <= max_evalue for each in hit.domains]
        made += [_domain(profile, each) for each in kept]
    shown = [domain for domain in made if domain.evalue <= max_evalue]
    return tuple(sorted(shown, key=lambda domain: (domain.start, domain.end, domain.profile.name)))


@lru_cache(maxsize=16)
def read_profile(text: str, *, name: str) -> Profile:
    """The profile of an HMMER file.

    Args:
        text: the file's content.
        name: of the file, for the message.

    Raises:
        ToolError: `engine_unavailable`, or `parse_error`.
    """
    engine = pyhmmer_engine()
    try:
        with engine.plan7.HMMFile(io.BytesIO(text.encode())) as file:
            model = file.read()
    except (ValueError, EOFError) as error:
        raise ToolError("parse_error", f"{name} does not read as an HMMER profile") from error
    if model is None:
        raise ToolError("parse_error", f"{name} holds no profile")
    return Profile(str(model.name), str(model.accession or ""), str(model.description or ""), model)


def _alphabet(engine: ModuleType, molecule: str) -> object:
    return engine.easel.Alphabet.amino() if molecule == "protein" else engine.easel.Alphabet.dna()


def _digital(engine: ModuleType, name: str, letters: str, molecule: str) -> object:
    text = _NO_RESIDUE.sub("X", letters) if molecule == "protein" else letters
    return engine.easel.TextSequence(name=name.encode(), sequence=text).digitize(_alphabet(engine, molecule))


@lru_cache(maxsize=16)
def _entries(database: SearchDatabase) -> object:
    engine = pyhmmer_engine()
    entries = [_digital(engine, name, letters, database.molecule) for name, letters in database.entries]
    return engine.easel.DigitalSequenceBlock(_alphabet(engine, database.molecule), entries)


def _hit(found: _Found, *, long: bool) -> Hit:
    aligned = found.best_domain.alignment
    first, last = aligned.target_from, aligned.target_to
    strand: PartStrand = "none"
    if long:
        strand = "+" if first <= last else "-"
    return Hit(
        target=found.name,
        score=round(float(found.score), 1),
        evalue=_rounded(found.evalue),
        identity_percent=_identity(aligned),
        query_start=int(aligned.hmm_from),
        query_end=int(aligned.hmm_to),
        target_start=int(min(first, last)),
        target_end=int(max(first, last)),
        strand=strand,
    )


def _identity(aligned: _Aligned) -> float:
    """Identical letters over columns, in percent. HMMER writes gaps as . and -, and doubtful letters in lower case."""
    columns = list(zip(aligned.hmm_sequence.upper(), aligned.target_sequence.upper(), strict=True))
    return round(100 * sum(one == other for one, other in columns) / len(columns), 2)


def _domain(profile: Profile, found: _Domain) -> Domain:
    aligned = found.alignment
    return Domain(
        profile=profile,
        start=int(aligned.target_from),
        end=int(aligned.target_to),
        profile_start=int(aligned.hmm_from),
        profile_end=int(aligned.hmm_to),
        score=round(float(found.score), 1),
        evalue=_rounded(found.i_evalue),
    )


def _rounded(evalue: float) -> float:
    """Three digits: more of them mean nothing."""
    return float(f"{float(evalue):.2e}")
