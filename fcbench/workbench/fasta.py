"""FASTA text: header lines as the field writes them, letters in lines of one width."""

from __future__ import annotations

from fcbench.workbench.features import Feature, Part
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import short_text

LINE_WIDTH = 70
MAX_HEADER = 300
"""Letters of the free text of a header line."""


def fasta_entry(name: str, text: str, letters: str, width: int = LINE_WIDTH) -> str:
    """One entry: `>`, the name without spaces, free text, and the letters.

    Args:
        name: what readers take for the id.
        text: free text behind it; may be empty.
        letters: upper case.
        width: letters on a line.
    """
    header = " ".join(each for each in ("_".join(name.split()), short_text(text, MAX_HEADER)) if each)
    lines = [letters[at : at + width] for at in range(0, len(letters), width)]
    return "\n".join([f">{header}", *lines, ""])


def range_entry(record: SequenceRecord, start: int, end: int, strand: str = "+") -> str:
    """The entry of a range. Its name is that of NCBI: `D10483.2:5-9`, and `D10483.2:c9-5` on the reverse strand."""
    reverse = strand == "-"
    place = f"c{end}-{start}" if reverse else f"{start}-{end}"
    letters = record.bases(start, end, "-" if reverse else "+")
    return fasta_entry(f"{record.id}:{place}", record.description, letters)


def feature_entry(name: str, feature: Feature, letters: str) -> str:
    """The entry of a feature, with what is known of it in square brackets, as NCBI writes coding sequences."""
    known = (
        ("gene", feature.gene),
        ("locus_tag", feature.first("locus_tag")),
        ("protein", feature.first("product")),
        ("protein_id", feature.first("protein_id")),
        ("location", location_text(feature)),
    )
    return fasta_entry(name, " ".join(f"[{key}={short_text(value, 100)}]" for key, value in known if value), letters)


def location_text(feature: Feature) -> str:
    """The place of a feature as GenBank writes it, such as `complement(join(5..9,20..30))`."""
    if len(feature.parts) == 1:
        return _part_text(feature.parts[0])
    if feature.strand == "-":
        inner = ",".join(_place_text(part) for part in reversed(feature.parts))
        return f"complement({feature.operator}({inner}))"
    return f"{feature.operator}({','.join(_part_text(part) for part in feature.parts)})"


def _part_text(part: Part) -> str:
    return f"complement({_place_text(part)})" if part.strand == "-" else _place_text(part)


def _place_text(part: Part) -> str:
    if part.between:
        return f"{part.start}^{part.end}"
    first, last = "<" * part.open_start, ">" * part.open_end
    if part.start == part.end and not (first or last):
        return str(part.start)
    return f"{first}{part.start}..{last}{part.end}"
