"""Values in a request, and the values that a tool needs: a range, a base, a gene, letters, a file, an id.

A request without a file name seldom wants a tool that must be given one, and `tab-2` in it goes to a tool that takes
such an id. Needs are read from the JSON Schema of a tool, by form and never by the name of a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.retrieval.changes import CHANGE, PLACED_CHANGE, RESIDUE
from fcbench.retrieval.terms import stem

_MAX_TEXT = 20_000
"""Characters of a request that are looked at."""
_PLACE = 1_000_000
"""An integer parameter that may be as large as this is a coordinate."""
_HIT, _CODE, _OPTIONAL, _ABSENT, _UNUSED, _NOTHING = 1.0, 1.7, 0.4, 0.7, 0.1, 1.0

_PLACES = frozenset({"range", "position"})

_GENE = re.compile(
    r"\b[a-z]{3}(?:[A-Z][A-Za-z]?[0-9]?|[0-9]{1,2})\b|\b[A-Z][a-z]{2}[A-Z][0-9]?\b|\b[a-z]{1,3}[0-9]{4}\b"
    # A locus tag, which no accession of RefSeq (`NC_000913.3`, `WP_000012345`) is.
    r"|\b(?![ANWXY][A-Z]_)[A-Z][A-Z0-9]{1,11}_[A-Z]{0,2}[0-9]{3,6}\b(?!\.[0-9])"
)
_LETTERS = re.compile(
    r"(?<![\w-])(?:[ACGTUNRYSWKM]{3,6} ){2,8}[ACGTUNRYSWKM]+\b|\b[ACGTUN]{6,}\b|\b[acgtun]{8,}\b"
    r"|\b[ACDEFGHIKLMNPQRSTVWY]{9,}\b|\b(?=[ACGT]*[RYSWKMBDHVN])[ACGTRYSWKMBDHVN]{6,}\b"
)
_PATH = re.compile(r"\b[\w/-]{1,200}\.(?=[a-z])[a-z0-9]{2,9}\b|\b\w{1,200}/\w+")
_RANGE = re.compile(r"[0-9]\s{0,3}(?:to|-|\.\.|–|until|and|till|through)\s{0,3}[0-9][0-9,]{2,15}")
_NUMBER = re.compile(r"(?<![\w.,-])(?:[0-9]{1,3}(?:,[0-9]{3})+(?!\w)|[0-9]{3,}(?!\w|\.[0-9]))")
_UNIT = re.compile(
    r"\s?(?:bp|kb|nt|bases|base pairs|nucleotides|pixels|px|letters|da|dalton|codons|reads|kilobases|amino|residues|%"
    r"|percent)\b",
    re.IGNORECASE,
)
_ALLELES = frozenset({"ref", "alt"})
"""Columns of the Variant Call Format: one base is enough for them."""
_ID = re.compile(r"\b[a-z]{2,6}-[0-9]{1,6}\b")
_CODED = re.compile(r"\b(?=[A-Z0-9]*[0-9])(?=[A-Z0-9]*[A-Z])[A-Z0-9]{4,10}\b|\b[A-Z]{3}[0-9]{5}\.[0-9]\b")
_ONLY_LETTERS = re.compile(r"\^\[[A-Za-z*x\\\[\]{}]+\]\{.*")
_PLAIN_NAMES = ("abc", "a_b.c-1", "abcdef1")
"""A pattern that takes one of these is a pattern for names and says nothing."""

_FORMS: tuple[tuple[str, str], ...] = (
    (r"\b[a-z]{3}[A-Z][A-Za-z0-9]?\b", "gene symbol name"),
    (r"\b[ACGTUNacgtun]{8,}\b", "sequence dna letters"),
    (r"(?<![\w.,])[0-9]{1,3}(?:,[0-9]{3})+(?!\w)|\b[0-9]{4,}\b", "position start base"),
    (r"\b[\w/-]{1,200}\.[a-z][a-z0-9]{1,5}\b", "file path"),
    (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b", "date"),
    (r"\b[\w.+-]{1,80}@[\w-]{1,80}\.\w", "email address"),
    (r"\b[0-9][0-9,]{0,15}\s{0,3}(?:to|-|\.\.|–|until|and|till|through)\s{0,3}[0-9][0-9,]{0,15}\b", "range start end"),
    (r"\b(?=[A-Z]*[DEFHIKLMPQRSVWY])[ACDEFGHIKLMNPQRSTVWY]{8,}\b", "protein amino letters sequence"),
    (r"\b[OPQ][0-9][A-Z0-9]{3}[0-9]\b", "uniprot entry protein"),
    (r"\b[1-9](?=[A-Z0-9]*[A-Z])[A-Z0-9]{3}\b", "pdb structure"),
    (r"\b[1-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9-]{1,5}\b", "enzyme product function features phrase"),
    (r"\b[A-Z][a-z]{2}[A-Z]?[0-9]*[IVX]+\b", "restriction enzyme cut"),
    (CHANGE.pattern, "variant replace allele ref alt"),
    (RESIDUE.pattern, "residue protein amino codon"),
    (r"\b[A-Z]{3}[0-9]{5}\.[0-9]\b", "protein accession record"),
    (r"\b[A-Za-z]?[xX]{1,9}[A-Za-z][A-Za-z\[\]]{0,40}\b|\[[A-Z]{2,}\]", "pattern motif residues"),
    (r"\b(?=[ACGT]*[RYSWKMBDHVN])[ACGTRYSWKMBDHVN]{6,}\b", "pattern iupac dna"),
    (r"\.(?:gbk?|gbff|genbank)\b", "genbank"),
    (r"\.(?:fa|fasta|fna|faa|ffn)\b", "fasta"),
    (r"\.faa\b", "protein amino"),
    (r"\.(?:bedgraph|wig|bw|bigwig)\b", "signal tracks numeric"),
    (r"\.vcf\b", "variant vcf"),
    (r"\.bam\b", "reads bam"),
    (r"\.(?:csv|json|xlsx?)\b", "table hits"),
    (r"\.(?:tsv|txt|tab)\b", "table"),
    (r"\.gff3?\b", "gff annotation features"),
    (r"\.bed\b", "bed annotation features"),
)
_HINTS = tuple((re.compile(form), tuple(map(stem, meant.split()))) for form, meant in _FORMS)


def hints(text: str) -> tuple[str, ...]:
    """Stems for the kinds of values that a text holds, which a request seldom names: `ostA` is a gene symbol.

    They are forms of values (a gene symbol, letters of DNA, a coordinate, a file's ending), never words of a case.
    """
    return tuple(term for form, meant in _HINTS if form.search(text[:_MAX_TEXT]) for term in meant)


class Values(Record, frozen=True, kw_only=True):
    """What a text holds: kinds of values, and words that look like ids and codes."""

    kinds: frozenset[str]
    codes: tuple[str, ...]

    def has(self, need: str) -> bool:
        """Whether the text holds what a need asks for."""
        pattern = need.removeprefix("code:")
        return need in self.kinds if pattern == need else any(re.search(pattern, code) for code in self.codes)


NOTHING = Values(kinds=frozenset(), codes=())
"""The values of an empty text."""


def values_of(text: str) -> Values:
    """The kinds of values of a text: `gene`, `letters`, `change`, `path`, `range`, `position`; its ids and codes."""
    text = text[:_MAX_TEXT]
    forms = (("gene", _GENE), ("letters", _LETTERS), ("path", _PATH), ("range", _RANGE), ("change", CHANGE))
    kinds = {kind for kind, form in forms if form.search(text)}
    places = sum(not _UNIT.match(text, found.end()) for found in _NUMBER.finditer(text))
    if places > (2 if "range" in kinds else 0) or PLACED_CHANGE.search(text):
        kinds.add("position")
    if places > 1:
        kinds.add("range")
    codes = (found[0] for form in (_ID, _CODED) for found in form.finditer(text))
    return Values(kinds=frozenset(kinds), codes=tuple(dict.fromkeys(codes)))


class Needs(Record, frozen=True, kw_only=True):
    """Kinds of values that a tool must get, and those that it takes beside them."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def fit(self, values: Values, leniency: float = 1.0, on_screen: Values = NOTHING) -> float:
        """How well the values of a text suit the tool: more is better, 0 says nothing.

        Args:
            values: what the text holds.
            leniency: factor on what counts against a tool, and for one that needs nothing. Of a request of several
                steps each part holds only some of the values, and later ones come from earlier answers.
            on_screen: what the user sees beside: a need that it meets does not count against the tool.
        """
        score = 0.0
        for need in self.required:
            if values.has(need):
                score += _CODE if need.startswith("code:") else _HIT
            elif not on_screen.has(need):
                score -= _ABSENT * leniency
        score += _OPTIONAL * sum(values.has(need) for need in self.optional)
        if not self.required and not values.kinds and not values.codes:
            score += _NOTHING * leniency
        taken = {*self.required, *self.optional}
        if taken & _PLACES:
            taken |= _PLACES  # one number of a range is a position, and two positions may be a range
        return score - _UNUSED * leniency * len(values.kinds - taken)


def needs_of(schema: JsonValue) -> Needs:
    """The needs of a tool, from the JSON Schema of its arguments."""
    if not isinstance(schema, dict):
        return Needs()
    properties, listed = schema.get("properties"), schema.get("required")
    obliged = listed if isinstance(listed, list) else []
    required, optional = dict[str, None](), dict[str, None]()
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        (required if name in obliged else optional).update(dict.fromkeys(_kinds(name, inner)))
    return Needs(required=tuple(required), optional=tuple(kind for kind in optional if kind not in required))


def _kinds(name: str, schema: JsonValue) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    items = schema.get("items")
    if schema.get("type") == "array" and isinstance(items, dict):
        entry = needs_of(items)
        # What is said of a list of names is said of each of them.
        yield from entry.required or _kinds(name, {"description": schema.get("description", ""), **items})
    elif schema.get("type") == "integer":
        largest = schema.get("maximum")
        if isinstance(largest, int) and largest >= _PLACE and name != "width":
            yield "range" if name in {"start", "end"} else "position"
    elif (kind := _text_kind(name, schema)) is not None:
        yield kind


def _text_kind(name: str, schema: Mapping[str, JsonValue]) -> str | None:
    explanation, pattern = schema.get("description"), schema.get("pattern")
    if isinstance(explanation, str) and re.search(r"\bsymbols?\b|locus tag", explanation, re.IGNORECASE):
        return "gene"
    if not isinstance(pattern, str):
        return None
    if "/" in pattern or name.endswith("path"):
        return "path"
    if _ONLY_LETTERS.fullmatch(pattern) and "0" not in pattern.partition("]")[0]:
        return "change" if name in _ALLELES else "letters"
    try:
        says_nothing = any(re.search(pattern, each) for each in _PLAIN_NAMES)
    except re.error:  # a pattern of ECMA 262 that Python does not know
        return None
    return None if says_nothing else f"code:{pattern}"


__all__ = ["NOTHING", "Needs", "Values", "hints", "needs_of", "values_of"]
