"""What the codon tools of the category `analysis` answer."""

from __future__ import annotations

from tests.workbench.rows import Row

ROWS = (
    Row(id="no genome", tool="genome_codon_usage", fixture="empty-session", error="no_genome"),
    Row(
        id="all coding sequences",
        tool="genome_codon_usage",
        answers={"coding_sequences": 90, "codon_total": 31262},
    ),
    Row(
        id="one gene alone has a thousand codons: carB",
        tool="genome_codon_usage",
        arguments={"min_codons": 1000},
        answers={"coding_sequences": 1, "codon_total": 1074},
    ),
    Row(
        id="a reading frame with slippage counts the base that is read twice",
        tool="genome_codon_usage",
        fixture="sars-cov-2",
        answers={"coding_sequences": 15, "codon_total": 15427},
    ),
    Row(
        id="dnaK (verified question gw-011 has its leucines)",
        tool="gene_codon_usage",
        arguments={"gene_name": "dnaK"},
        answers={"gene": "dnaK", "codon_total": 639},
    ),
    Row(
        id="a spliced gene by its locus tag",
        tool="gene_codon_usage",
        fixture="chloroplast",
        arguments={"gene_name": "ArthCp068"},
        answers={"gene": "ndhB", "codon_total": 513},
    ),
    Row(
        id="two genes of one name",
        tool="gene_codon_usage",
        fixture="chloroplast",
        arguments={"gene_name": "ndhB"},
        error="ambiguous_gene",
    ),
    Row(
        id="a gene of another organism",
        tool="gene_codon_usage",
        arguments={"gene_name": "lacZ"},
        error="gene_not_found",
    ),
    Row(
        id="imp of the case gx-003 against the genome",
        tool="codon_adaptation_index",
        arguments={"gene_name": "imp"},
        answers={"gene": "imp", "cai": 0.7146, "reference_genes": 90},
    ),
    Row(
        id="the default reference is the genome",
        tool="codon_adaptation_index",
        arguments={"gene_name": "DNAK"},
        answers={"gene": "dnaK", "cai": 0.7766, "codon_total": 622},
    ),
    Row(
        id="against the one ribosomal protein of the record",
        tool="codon_adaptation_index",
        arguments={"gene_name": "dnaK", "reference": "ribosomal_proteins"},
        answers={"cai": 0.6809, "reference_genes": 1},
    ),
    Row(
        id="against the ribosomal proteins of a chloroplast",
        tool="codon_adaptation_index",
        fixture="chloroplast",
        arguments={"gene_name": "psbA", "reference": "ribosomal_proteins"},
        answers={"cai": 0.6762, "codon_total": 331, "reference_genes": 25},
    ),
    Row(
        id="a virus has no ribosomal proteins",
        tool="codon_adaptation_index",
        fixture="sars-cov-2",
        arguments={"gene_name": "S", "reference": "ribosomal_proteins"},
        error="bad_argument",
    ),
)
