"""GenBank and FASTA: text to records and back, through Biopython."""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from Bio import SeqIO
from Bio.Seq import Seq, UndefinedSequenceError
from Bio.SeqFeature import AfterPosition, BeforePosition, CompoundLocation, ExactPosition, SeqFeature, SimpleLocation
from Bio.SeqRecord import SeqRecord

from fcbench.workbench.errors import ToolError
from fcbench.workbench.features import Feature, Part, PartStrand, crosses_origin
from fcbench.workbench.letters import dna
from fcbench.workbench.records import SequenceRecord

MAX_RECORDS = 50
MAX_BASES = 20_000_000
"""Longest genome that a session opens, over all its records."""
_SIGNS: dict[int | None, PartStrand] = {1: "+", -1: "-"}
_NUMBERS = {"+": 1, "-": -1, "none": 0}
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
"""Characters that a user may have put into a name and that would begin a new line of the file."""
_WIDTH = 79
"""Letters of a line of the file."""
_HEADER = ("data_file_division", "date", "source")


def read_records(text: str, file_format: str, *, name: str) -> tuple[SequenceRecord, ...]:
    """The records of a file.

    Args:
        text: the file's content.
        file_format: `genbank` or `fasta`.
        name: of the file, for the message.

    Raises:
        ToolError: `parse_error` where the text is no such file, holds no record or too much.
    """
    try:
        with warnings.catch_warnings():
            # Biopython remarks on old headers; what matters is checked below. It cannot be checked there that letters
            # are missing: only Biopython sees the length that the LOCUS line states.
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="Expected sequence length")
            found = list(islice(SeqIO.parse(io.StringIO(text), file_format), MAX_RECORDS + 1))
    # Whatever Biopython trips over in a file that a user named is the file's fault.
    except Exception as error:
        raise ToolError("parse_error", f"{name} does not read as {file_format}: {str(error)[:200]}") from error
    try:
        parsed = [_record(each) for each in found]
    except ToolError as error:
        raise ToolError("parse_error", f"{name}: {error.message}") from error
    if not parsed or len(parsed) > MAX_RECORDS or sum(each.length for each in parsed) > MAX_BASES:
        limits = f"1 to {MAX_RECORDS} records of at most {MAX_BASES:,} bases in all"
        raise ToolError("parse_error", f"{name} does not hold {limits} in {file_format} format")
    names = Counter(each.id for each in parsed)
    if any(not each or count > 1 for each, count in names.items()):
        several = next(each for each, count in names.items() if not each or count > 1)
        said = f"{several[:40]} names {names[several]} records" if several else "a record has no name"
        raise ToolError("parse_error", f"{name}: {said}; each record has an accession of its own")
    return _numbered(parsed)


def _numbered(records: Sequence[SequenceRecord]) -> tuple[SequenceRecord, ...]:
    """The records with feature ids `ftr-1`, `ftr-2`, ... over the whole file."""
    from_one = iter(range(1, 1 + sum(len(record.features) for record in records)))
    return tuple(
        replace(record, features=tuple(replace(feature, id=f"ftr-{next(from_one)}") for feature in record.features))
        for record in records
    )


def _record(parsed: SeqRecord) -> SequenceRecord:
    try:
        sequence = dna(str(parsed.seq))
    except UndefinedSequenceError:
        raise ToolError("parse_error", "the record holds no letters") from None
    if not sequence:
        raise ToolError("parse_error", "the record holds no letters")
    notes = parsed.annotations
    circular = notes.get("topology") == "circular"
    return SequenceRecord(
        id=parsed.id or parsed.name,
        name=parsed.name,
        description=parsed.description,
        organism=str(notes.get("organism", "")),
        molecule=str(notes.get("molecule_type", "DNA")),
        topology="circular" if circular else "linear",
        sequence=sequence,
        features=tuple(_feature(each, len(sequence), circular=circular) for each in parsed.features),
        header={
            **{key: str(notes[key]) for key in _HEADER if notes.get(key)},
            "accessions": " ".join(_words(notes.get("accessions"))[1:]),
            "links": "; ".join(parsed.dbxrefs),
            "keywords": _joined(notes.get("keywords")),
            "taxonomy": _joined(notes.get("taxonomy")),
        },
    )


def _joined(words: object) -> str:
    return "; ".join(_words(words))


def _words(words: object) -> list[str]:
    return [str(word) for word in words] if isinstance(words, list) else []


def _feature(parsed: SeqFeature, length: int, *, circular: bool) -> Feature:
    if parsed.location is None:
        raise ToolError("parse_error", f"a {parsed.type} feature has no place")
    parts = tuple(_part(each, length) for each in parsed.location.parts)
    return Feature(
        id="",
        kind=parsed.type,
        parts=parts,
        qualifiers={key: tuple(str(value) for value in values) for key, values in parsed.qualifiers.items()},
        operator="order" if getattr(parsed.location, "operator", "") == "order" else "join",
        wraps=circular and crosses_origin(parts, length),
    )


def _part(location: SimpleLocation, length: int) -> Part:
    start, end = int(location.start) + 1, int(location.end)
    between = start == end + 1
    if between:
        start, end = max(end, 1), min(start, length)
    if location.ref is not None or not 1 <= start <= end <= length:
        raise ToolError("parse_error", f"a feature lies at {start} to {end}, outside 1 to {length}")
    return Part(
        start=start,
        end=end,
        strand=_SIGNS.get(location.strand, "none"),
        open_start=isinstance(location.start, BeforePosition),
        open_end=isinstance(location.end, AfterPosition),
        between=between,
    )


def genbank_text(records: Iterable[SequenceRecord]) -> str:
    """Records as GenBank text; the same records give the same bytes.

    Raises:
        ToolError: `parse_error` where a qualifier cannot be written.
    """
    out = io.StringIO()
    with warnings.catch_warnings():
        # A LOCUS name that is longer than the old column is written in the new form.
        warnings.simplefilter("ignore")
        for record in records:
            page = io.StringIO()
            SeqIO.write(_to_biopython(record), page, "genbank")
            out.write(_with_accessions(page.getvalue(), record.header.get("accessions", "")))
    return out.getvalue()


def _with_accessions(text: str, further: str) -> str:
    """GenBank text with the further accessions behind the first, which is all that Biopython writes."""
    if not further:
        return text
    line = next(line for line in text.splitlines() if line.startswith("ACCESSION"))
    return text.replace(line, textwrap.fill(f"{line} {further}", _WIDTH, subsequent_indent=" " * 12), 1)


def _to_biopython(record: SequenceRecord) -> SeqRecord:
    header = record.header
    links = [link for link in header.get("links", "").split("; ") if link]
    made = SeqRecord(
        Seq(record.sequence), id=record.id, name=record.name[:16], description=record.description, dbxrefs=links
    )
    annotations: dict[str, object] = {
        "molecule_type": record.molecule,
        "topology": record.topology,
        "organism": record.organism,
        "keywords": [word for word in header.get("keywords", "").split("; ") if word],
        "taxonomy": [word for word in header.get("taxonomy", "").split("; ") if word],
        **{key: header[key] for key in _HEADER if key in header},
    }
    # Its type names strings and numbers only, yet Biopython's own parser puts lists there.
    vars(made)["annotations"] = annotations
    made.features = list(_features(record))
    return made


def _features(record: SequenceRecord) -> Iterator[SeqFeature]:
    for feature in record.features:
        parts = [_location(part) for part in feature.parts]
        location = parts[0] if len(parts) == 1 else CompoundLocation(parts, operator=feature.operator)
        qualifiers = {key: [_BREAKS.sub(" ", value) for value in values] for key, values in feature.qualifiers.items()}
        yield SeqFeature(location, type=feature.kind, qualifiers=qualifiers)


def _location(part: Part) -> SimpleLocation:
    if part.between:
        return SimpleLocation(part.start, part.start, strand=_NUMBERS[part.strand])
    first: ExactPosition | BeforePosition = ExactPosition(part.start - 1)
    last: ExactPosition | AfterPosition = ExactPosition(part.end)
    if part.open_start:
        first = BeforePosition(part.start - 1)
    if part.open_end:
        last = AfterPosition(part.end)
    return SimpleLocation(first, last, strand=_NUMBERS[part.strand])
