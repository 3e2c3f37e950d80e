"""What the tools of the category `analysis` answer."""

from __future__ import annotations

from tests.workbench.rows import Row

ROWS = (
    Row(
        id="letters of the call, U read as T",
        tool="calculate_gc_content",
        arguments={"sequence": "ggccaautt"},
        answers={"gc_percent": 44.44, "length": 9},
    ),
    Row(
        id="S tells, N does not",
        tool="calculate_gc_content",
        fixture="empty-session",
        arguments={"sequence": "SWNN"},
        answers={"gc_percent": 50.0, "length": 4},
    ),
    Row(
        id="nothing tells",
        tool="calculate_gc_content",
        arguments={"sequence": "N"},
        answers={"gc_percent": 0.0, "length": 1},
    ),
    Row(
        id="the cai stretch of the case gs-012",
        tool="region_gc_content",
        arguments={"start": 34438, "end": 41589},
        answers={"start": 34438, "end": 41589, "gc_percent": 52.45},
    ),
    Row(
        id="a whole chloroplast",
        tool="region_gc_content",
        fixture="chloroplast",
        arguments={"start": 1, "end": 154478},
        answers={"gc_percent": 36.29},
    ),
    Row(
        id="a range that leaves the sequence",
        tool="region_gc_content",
        arguments={"start": 111400, "end": 111409},
        error="bad_range",
    ),
    Row(
        id="nine windows (verified question gw-006)",
        tool="gc_profile",
        arguments={"start": 100000, "end": 105000, "window": 1000, "step": 500},
        answers={
            "count": 9,
            "windows": [
                {"start": 100000, "end": 100999, "gc_percent": 54.9},
                {"start": 100500, "end": 101499, "gc_percent": 55.4},
                {"start": 101000},
                {"start": 101500},
                {"start": 102000, "end": 102999, "gc_percent": 51.9},
                {"start": 102500},
                {"start": 103000},
                {"start": 103500},
                {"start": 104000},
            ],
        },
    ),
    Row(
        id="half overlapping windows of the case gs-013",
        tool="gc_profile",
        arguments={"start": 20001, "end": 26000, "window": 600, "step": 300},
        answers={"count": 19},
    ),
    Row(
        id="a window as long as the range",
        tool="gc_profile",
        arguments={"start": 20001, "end": 20600, "window": 600},
        answers={"count": 1, "windows": [{"start": 20001, "end": 20600, "gc_percent": 47.0}]},
    ),
    Row(
        id="no whole window fits",
        tool="gc_profile",
        arguments={"start": 1, "end": 999},
        answers={"count": 0, "windows": []},
    ),
    Row(
        id="windows of a range behind the end",
        tool="gc_profile",
        arguments={"start": 111000, "end": 112000},
        error="bad_range",
    ),
    Row(
        id="four letters equally common",
        tool="sequence_entropy",
        arguments={"sequence": "ACGTACGTACGTACGT"},
        answers={"k": 1, "word_total": 16, "distinct_words": 4, "entropy_bits": 2.0, "max_entropy_bits": 2.0},
    ),
    Row(
        id="overlapping triplets",
        tool="sequence_entropy",
        fixture="empty-session",
        arguments={"sequence": "atgagcaaagttctggcgattgataccggtcacgaactgaaagcgctgtaa", "k": 3},
        answers={"word_total": 49, "distinct_words": 38, "entropy_bits": 5.1349, "max_entropy_bits": 6.0},
    ),
    Row(
        id="one word over and over says nothing",
        tool="sequence_entropy",
        arguments={"sequence": "AAAAAAAAAAAAAAAAAAAA", "k": 2},
        answers={"word_total": 19, "distinct_words": 1, "entropy_bits": 0.0},
    ),
    Row(
        id="words longer than the letters",
        tool="sequence_entropy",
        arguments={"sequence": "ACGT", "k": 5},
        error="bad_argument",
    ),
    Row(
        id="a short peptide, from the formulas of its residues",
        tool="molecular_weight",
        arguments={"sequence": "mskvlaidtghelkal", "molecule": "protein"},
        answers={"molecule": "protein", "length": 16, "molecular_weight": 1726.05},
        tolerance=0.05,
    ),
    Row(
        id="an oligonucleotide with its phosphate, from the formulas of the nucleotides",
        tool="molecular_weight",
        arguments={"sequence": "GAATTC", "molecule": "dna"},
        answers={"length": 6, "molecular_weight": 1871.2},
        tolerance=0.05,
    ),
    Row(
        id="RNA is heavier by its oxygens",
        tool="molecular_weight",
        fixture="empty-session",
        arguments={"sequence": "AUGC", "molecule": "rna"},
        answers={"molecule": "rna", "length": 4, "molecular_weight": 1303.77},
        tolerance=0.05,
    ),
    Row(
        id="U is no letter of DNA",
        tool="molecular_weight",
        arguments={"sequence": "AUGC", "molecule": "dna"},
        error="bad_sequence",
    ),
    Row(
        id="X has no mass",
        tool="molecular_weight",
        arguments={"sequence": "MXK", "molecule": "protein"},
        error="bad_sequence",
    ),
)
