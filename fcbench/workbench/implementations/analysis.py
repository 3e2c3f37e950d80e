"""Composition of letters and of ranges."""

from __future__ import annotations

from collections import Counter
from math import log2

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.letters import dna, gc_percent
from fcbench.workbench.masses import MASSES, average_mass
from fcbench.workbench.results import MAX_ITEMS
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool


@tool("calculate_gc_content", engine="python")
def calculate_gc_content(session: Session, arguments: Arguments) -> JsonObject:
    """GC content of the letters of the call."""
    letters = dna(arguments.text("sequence"))
    return {"gc_percent": gc_percent(letters), "length": len(letters)}


@tool("region_gc_content", engine="python")
def region_gc_content(session: Session, arguments: Arguments) -> JsonObject:
    """One GC content for a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    return {"start": start, "end": end, "gc_percent": gc_percent(record.bases(start, end))}


@tool("gc_profile", engine="python")
def gc_profile(session: Session, arguments: Arguments) -> JsonObject:
    """GC content in sliding windows; only the windows that are shown are worked out."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    window, step = arguments.integer("window"), arguments.integer("step")
    firsts = range(start, end - window + 2, step)
    windows: list[JsonObject] = [
        {
            "start": first,
            "end": first + window - 1,
            "gc_percent": gc_percent(record.bases(first, first + window - 1)),
        }
        for first in firsts[:MAX_ITEMS]
    ]
    return {"count": len(firsts), "windows": windows}


@tool("sequence_entropy", engine="python")
def sequence_entropy(session: Session, arguments: Arguments) -> JsonObject:
    """Shannon entropy of the words of the letters of the call."""
    letters, size = dna(arguments.text("sequence")), arguments.integer("k")
    words = (letters[at : at + size] for at in range(len(letters) - size + 1))
    counts = Counter(word for word in words if set(word) <= set("ACGT"))
    total = sum(counts.values())
    if not total:
        raise ToolError("bad_argument", f"the letters hold no word of {size} letters A, C, G or T")
    entropy = -sum(count / total * log2(count / total) for count in counts.values())
    return {
        "k": size,
        "word_total": total,
        "distinct_words": len(counts),
        "entropy_bits": abs(round(entropy, 4)),
        "max_entropy_bits": float(2 * size),
    }


@tool("molecular_weight")
def molecular_weight(session: Session, arguments: Arguments) -> JsonObject:
    """Average mass of one strand or of a protein."""
    letters, molecule = arguments.text("sequence").upper(), arguments.text("molecule")
    alphabet = MASSES[molecule]
    strange = sorted(set(letters) - set(alphabet))
    if strange:
        wanted = f"{molecule} with a known mass is written with {''.join(sorted(alphabet))}"
        raise ToolError("bad_sequence", f"{wanted}; found {', '.join(strange[:5])}")
    return {
        "molecule": molecule,
        "length": len(letters),
        "molecular_weight": average_mass(letters, molecule),
    }
