"""What the tools of the category `sequence` answer."""

from __future__ import annotations

from tests.workbench.rows import Row

ROWS = (
    Row(
        id="the minus strand of a range (verified question gw-003)",
        tool="get_sequence",
        arguments={"start": 10001, "end": 10060, "strand": "-"},
        answers={
            "sequence": "TATTTCGCTCTGGACGGTATTATTCTTGCCATGGGCATTTTCTACGGCGGCATCGCGCAA",
            "length": 60,
            "truncated": False,
        },
    ),
    Row(
        id="the whole sequence is cut and says so",
        tool="get_sequence",
        arguments={"start": 1, "end": 111408},
        answers={"strand": "+", "length": 111408, "truncated": True},
    ),
    Row(
        id="a base behind the end",
        tool="get_sequence",
        arguments={"start": 111408, "end": 111409},
        error="bad_range",
    ),
    Row(id="end before start", tool="get_sequence", arguments={"start": 20, "end": 10}, error="bad_range"),
    Row(
        id="another accession",
        tool="get_sequence",
        arguments={"start": 1, "end": 10, "sequence_id": "U00096.3"},
        error="unknown_sequence",
    ),
    Row(
        id="the accession without its version",
        tool="get_sequence",
        arguments={"start": 1, "end": 10, "sequence_id": "d10483"},
        answers={"sequence": "ATGCGAGTGT"},
    ),
    Row(
        id="no genome",
        tool="get_sequence",
        fixture="empty-session",
        arguments={"start": 1, "end": 10},
        error="no_genome",
    ),
    Row(
        id="coding DNA on the plus strand (gw-004)",
        tool="get_coding_sequence",
        arguments={"gene_name": "talB"},
        answers={"gene": "talB", "length": 954},
    ),
    Row(
        id="a spliced gene across both copies by its locus tag",
        tool="get_coding_sequence",
        fixture="chloroplast",
        arguments={"gene_name": "ArthCp068"},
        answers={"gene": "ndhB", "length": 1539},
    ),
    Row(
        id="ribosomal slippage reads one base twice",
        tool="get_coding_sequence",
        fixture="sars-cov-2",
        arguments={"gene_name": "ORF1ab"},
        answers={"length": 21291, "truncated": True},
    ),
    Row(
        id="a gene that is interrupted by a frame shift has none",
        tool="get_coding_sequence",
        arguments={"gene_name": "yabP"},
        answers={"gene": "yabP"},
    ),
    Row(
        id="a transfer RNA has no coding DNA",
        tool="get_coding_sequence",
        fixture="chloroplast",
        arguments={"gene_name": "trnK"},
        error="gene_not_found",
    ),
    Row(
        id="two genes in the order of the call",
        tool="get_multiple_coding_sequences",
        arguments={"gene_names": ["murF", "talB"]},
        answers={
            "count": 2,
            "sequences": [{"gene": "mra", "length": 1359}, {"gene": "talB", "length": 954}],
        },
    ),
    Row(
        id="one wrong name of two",
        tool="get_multiple_coding_sequences",
        arguments={"gene_names": ["talB", "lacZ"]},
        error="gene_not_found",
    ),
    Row(
        id="the spike protein (gw-019)",
        tool="get_protein_sequence",
        fixture="sars-cov-2",
        arguments={"gene_name": "S"},
        answers={"gene": "S", "protein_id": "YP_009724390.1", "length": 1273, "truncated": False},
    ),
    Row(
        id="ileS of the case gs-008",
        tool="get_protein_sequence",
        arguments={"gene_name": "ILES"},
        answers={"gene": "ileS", "length": 936},
    ),
    Row(
        id="a name that two genes have",
        tool="get_protein_sequence",
        fixture="chloroplast",
        arguments={"gene_name": "ndhB"},
        error="ambiguous_gene",
    ),
    Row(
        id="before ilvI (case gs-009)",
        tool="get_upstream_sequence",
        arguments={"gene_name": "ilvI", "length": 180},
        answers={"gene": "ilvI", "start": 85114, "end": 85293, "strand": "+", "length": 180},
    ),
    Row(
        id="before a gene of the minus strand",
        tool="get_upstream_sequence",
        arguments={"gene_name": "yabN"},
        answers={"start": 76964, "end": 77063, "strand": "-", "length": 100},
    ),
    Row(
        id="before a gene of a circular record, over the origin",
        tool="get_upstream_sequence",
        fixture="plasmid-ppcp1",
        arguments={"gene_name": "YP_pPCP01"},
        answers={"gene": "", "start": 9596, "end": 86, "length": 100},
    ),
    Row(
        id="nothing lies before the first base",
        tool="get_upstream_sequence",
        arguments={"gene_name": "thrA"},
        error="bad_range",
    ),
    Row(
        id="nor behind the last on the minus strand",
        tool="get_upstream_sequence",
        arguments={"gene_name": "yacG"},
        error="bad_range",
    ),
    Row(
        id="a linear record is cut at its edge",
        tool="get_upstream_sequence",
        fixture="sars-cov-2",
        arguments={"gene_name": "ORF1ab", "length": 1000},
        answers={"start": 1, "end": 265, "length": 265},
    ),
    Row(
        id="letters of the call are turned round, U read as T",
        tool="reverse_complement",
        arguments={"sequence": "aacgur"},
        answers={"sequence": "YACGTT", "length": 6},
    ),
    Row(
        id="the read of the case gs-010",
        tool="translate_dna",
        arguments={"sequence": "gatgactcacatcgttcgctttatcggtctactactactaaacgca", "frame": 2},
        answers={"protein": "MTHIVRFIGLLLLNA", "length": 15},
    ),
    Row(
        id="up to the first stop",
        tool="translate_dna",
        arguments={"sequence": "ATGTAAATG", "to_stop": True},
        answers={"protein": "M", "length": 1},
    ),
    Row(
        id="code 4 reads TGA as tryptophan",
        tool="translate_dna",
        arguments={"sequence": "ATGTGA", "genetic_code": 4},
        answers={"protein": "MW"},
    ),
)
