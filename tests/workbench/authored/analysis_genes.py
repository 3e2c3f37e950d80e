"""What the tools of the category `analysis` that find genes and sites answer."""

from __future__ import annotations

from tests.workbench.rows import Row

ROWS = (
    Row(
        id="long frames of the minus strand (verified question gw-008)",
        tool="find_orfs",
        arguments={"start": 60000, "end": 70000, "min_length": 900, "strand": "-"},
        answers={
            "count": 4,
            "orfs": [
                {"start": 60021, "end": 62927, "strand": "-", "length": 2907, "start_codon": "ATG"},
                {"start": 63092, "end": 64741, "start_codon": "ATG"},
                {"start": 66502, "end": 68028, "start_codon": "TTG"},
                {"start": 68015, "end": 69715, "start_codon": "ATG"},
            ],
        },
    ),
    Row(
        id="three hundred codons on the top strand (case gs-014)",
        tool="find_orfs",
        arguments={"start": 82000, "end": 90000, "min_length": 900, "strand": "+"},
        answers={
            "count": 3,
            "orfs": [
                {"start": 83855, "end": 84904, "strand": "+", "start_codon": "ATG"},
                {"start": 85204, "end": 86994, "start_codon": "GTG"},
                {"start": 87688, "end": 88692, "start_codon": "GTG"},
            ],
        },
    ),
    Row(
        id="both strands by default, in order of place",
        tool="find_orfs",
        fixture="phix174",
        arguments={"start": 1, "end": 5386, "min_length": 900},
        answers={
            "count": 2,
            "orfs": [{"start": 1001, "end": 2284, "strand": "+"}, {"start": 2931, "end": 3917, "strand": "+"}],
        },
    ),
    Row(
        id="code 4 reads on through TGA",
        tool="find_orfs",
        fixture="phix174",
        arguments={"start": 1, "end": 5386, "min_length": 900, "genetic_code": 4},
        answers={
            "count": 3,
            "orfs": [
                {"start": 641, "end": 1651, "strand": "-"},
                {"start": 1001, "end": 2287, "strand": "+"},
                {"start": 2919, "end": 3917, "strand": "+", "start_codon": "GTG"},
            ],
        },
    ),
    Row(
        id="a range too short for any",
        tool="find_orfs",
        arguments={"start": 5, "end": 5},
        answers={"count": 0, "orfs": []},
    ),
    Row(id="end before start", tool="find_orfs", arguments={"start": 9, "end": 5}, error="bad_range"),
    Row(id="no genome", tool="predict_genes", fixture="empty-session", error="no_genome"),
    Row(
        id="the predictor on a range (verified question gw-009)",
        tool="predict_genes",
        arguments={"start": 60000, "end": 80000},
        answers={"model": "trained", "count": 16},
    ),
    Row(
        id="a short genome gets a metagenomic model",
        tool="predict_genes",
        fixture="phix174",
        arguments={"start": 900, "end": 2400},
        answers={"model": "metagenomic"},
    ),
    Row(
        id="a range without room for a gene",
        tool="predict_genes",
        arguments={"start": 60000, "end": 60050},
        answers={"model": "trained", "count": 0, "genes": []},
    ),
    Row(
        id="an unknown accession",
        tool="predict_genes",
        arguments={"sequence_id": "U00096.3"},
        error="unknown_sequence",
    ),
    Row(
        id="operons of the default gap",
        tool="predict_operons",
        answers={"count": 21},
    ),
    Row(
        id="operons of five genes or more: the cluster of division and cell wall genes is the last",
        tool="predict_operons",
        arguments={"min_genes": 5},
        answers={
            "count": 3,
            "operons": [
                {"start": 42025, "end": 46799, "strand": "+", "gene_count": 6},
                {
                    "start": 78512,
                    "end": 83372,
                    "strand": "-",
                    "gene_count": 5,
                    "genes": ["leuD", "leuC", "leuB", "leuA", "leuLP"],
                },
                {"start": 89294, "end": 107135, "strand": "+", "gene_count": 16},
            ],
        },
    ),
    Row(
        id="without a base between them",
        tool="predict_operons",
        arguments={"max_gap": 0},
        answers={"count": 14},
    ),
    Row(
        id="phiX174 has no named genes",
        tool="predict_operons",
        fixture="phix174",
        answers={"count": 0, "operons": []},
    ),
    Row(
        id="no operon of fifty genes",
        tool="predict_operons",
        arguments={"min_genes": 50},
        answers={"count": 0, "operons": []},
    ),
    Row(id="operons without a genome", tool="predict_operons", fixture="empty-session", error="no_genome"),
    Row(
        id="SpCas9 sites of araA",
        tool="find_crispr_guides",
        arguments={"start": 66502, "end": 68004, "max_guides": 2},
        answers={
            "count": 191,
            "guides": [
                {"guide": "GCTGGAACGAAGTGTATTAC", "pam": "GGG", "start": 66517, "end": 66536, "strand": "-"},
                {"guide": "CGCTGGAACGAAGTGTATTA", "pam": "CGG", "start": 66518, "end": 66537, "strand": "-"},
            ],
        },
    ),
    Row(
        id="Cas12a reads its PAM first",
        tool="find_crispr_guides",
        arguments={"start": 66502, "end": 68004, "pam": "TTTV", "guide_length": 23, "max_guides": 1},
        answers={"count": 37, "guides": [{"guide": "AAGACGCGCTGCGCTGGAACGAA", "start": 66526, "strand": "-"}]},
    ),
    Row(
        id="SaCas9",
        tool="find_crispr_guides",
        arguments={"start": 66502, "end": 68004, "pam": "NNGRRT", "guide_length": 21, "max_guides": 1},
        answers={"count": 29},
    ),
    Row(
        id="a guide in the repeat before araA occurs three times",
        tool="find_crispr_guides",
        arguments={"start": 66401, "end": 66425, "max_guides": 50},
        answers={
            "count": 2,
            "guides": [
                {"guide": "CCGGATGCGCTTTGCTTATC", "pam": "CGG", "strand": "+", "genome_places": 3},
                {"guide": "CCGGATAAGCAAAGCGCATC", "pam": "CGG", "strand": "-", "genome_places": 3},
            ],
        },
    ),
    Row(
        id="a range too short for guide and PAM",
        tool="find_crispr_guides",
        arguments={"start": 66502, "end": 66523},
        answers={"count": 0, "guides": []},
    ),
    Row(
        id="guides behind the end",
        tool="find_crispr_guides",
        arguments={"start": 111400, "end": 111500},
        error="bad_range",
    ),
)
