"""What the tools of the category `variants_reads` answer.

Places and numbers of variants come from the text of the VCF file, depths from the alignments (see
`test_variants_reads_checks.py`), proteins from the codons written beside each row.
"""

from __future__ import annotations

from tests.workbench.rows import Row

READS = "ecoli-d10483-reads"
ROWS = (
    Row(
        id="A to T at base 67429 (verified question gw-015): codon 192 of araA is GAT, then GAA",
        tool="predict_variant_effect",
        arguments={"position": 67429, "ref": "A", "alt": "T"},
        answers={"gene": "araA", "effect": "missense", "protein_change": "D192E"},
    ),
    Row(
        id="the third base of thrA codon 2, CGA to CGG, lower case",
        tool="predict_variant_effect",
        arguments={"position": 6, "ref": "a", "alt": "g"},
        answers={"gene": "thrA", "effect": "silent", "protein_change": ""},
    ),
    Row(
        id="the first base of thrA codon 2, CGA to TGA",
        tool="predict_variant_effect",
        arguments={"position": 4, "ref": "C", "alt": "T"},
        answers={"gene": "thrA", "effect": "nonsense", "protein_change": "R2*"},
    ),
    Row(
        id="the start of dnaK, ATG to ACG, which is none in code 11",
        tool="predict_variant_effect",
        arguments={"position": 11813, "ref": "T", "alt": "C"},
        answers={"gene": "dnaK", "effect": "start_lost", "protein_change": "M1?"},
    ),
    Row(
        id="ATG to GTG begins with methionine all the same",
        tool="predict_variant_effect",
        arguments={"position": 11812, "ref": "A", "alt": "G"},
        answers={"gene": "dnaK", "effect": "silent", "protein_change": ""},
    ),
    Row(
        id="one base more in thrA codon 2",
        tool="predict_variant_effect",
        arguments={"position": 4, "ref": "C", "alt": "CA"},
        answers={"gene": "thrA", "effect": "frameshift"},
    ),
    Row(
        id="the stop of thrA at 2461 to 2463, TGA to CGA",
        tool="predict_variant_effect",
        arguments={"position": 2461, "ref": "T", "alt": "C"},
        answers={"gene": "thrA", "effect": "stop_lost", "protein_change": "*821R"},
    ),
    Row(
        id="codon 2 of thrA twice",
        tool="predict_variant_effect",
        arguments={"position": 4, "ref": "CGA", "alt": "CGACGA"},
        answers={"gene": "thrA", "effect": "inframe_indel", "protein_change": "R2_V3insR"},
    ),
    Row(
        id="between dnaK and dnaJ",
        tool="predict_variant_effect",
        arguments={"position": 13770, "ref": "G", "alt": "T"},
        answers={"gene": "", "effect": "intergenic", "protein_change": ""},
    ),
    Row(
        id="an interrupted gene has no coding sequence",
        tool="predict_variant_effect",
        arguments={"position": 10500, "ref": "A", "alt": "C"},
        answers={"gene": "htgA", "effect": "noncoding"},
    ),
    Row(
        id="the intron of a chloroplast gene",
        tool="predict_variant_effect",
        fixture="chloroplast",
        arguments={"position": 95900, "ref": "G", "alt": "C"},
        answers={"gene": "ndhB", "effect": "noncoding"},
    ),
    Row(
        id="behind the slippage: C14408T is known as P4715L of ORF1ab",
        tool="predict_variant_effect",
        fixture="sars-cov-2",
        arguments={"position": 14408, "ref": "C", "alt": "T"},
        answers={"gene": "ORF1ab", "effect": "missense", "protein_change": "P4715L"},
    ),
    Row(
        id="A23403G is known as D614G of the spike",
        tool="predict_variant_effect",
        fixture="sars-cov-2",
        arguments={"position": 23403, "ref": "A", "alt": "G"},
        answers={"gene": "S", "effect": "missense", "protein_change": "D614G"},
    ),
    Row(
        id="the genome holds another base",
        tool="predict_variant_effect",
        arguments={"position": 67429, "ref": "C", "alt": "T"},
        error="ref_mismatch",
    ),
    Row(
        id="the last base and one behind it",
        tool="predict_variant_effect",
        arguments={"position": 111408, "ref": "TA", "alt": "T"},
        error="bad_range",
    ),
    Row(
        id="nothing changes",
        tool="predict_variant_effect",
        arguments={"position": 1, "ref": "A", "alt": "a"},
        error="bad_argument",
    ),
    Row(
        id="all variants of the file",
        tool="list_variants",
        fixture=READS,
        arguments={"limit": 1},
        answers={
            "count": 27,
            "variants": [
                {
                    "sequence_id": "D10483.2",
                    "position": 60251,
                    "ref": "C",
                    "alt": "CAGG",
                    "kind": "insertion",
                    "quality": 60.0,
                    "depth": 18,
                    "allele_fraction": 1.0,
                }
            ],
        },
    ),
    Row(
        id="two of them lie in araA (66502 to 68004)",
        tool="list_variants",
        fixture=READS,
        arguments={"gene_name": "araA"},
        answers={
            "count": 2,
            "variants": [
                {"position": 67010, "ref": "A", "alt": "C", "depth": 22},
                {
                    "position": 67429,
                    "ref": "A",
                    "alt": "T",
                    "depth": 25,
                    "effect": "missense",
                    "protein_change": "D192E",
                },
            ],
        },
    ),
    Row(
        id="a deletion of 66342 to 66345 belongs to a range that begins at its last base",
        tool="list_variants",
        fixture=READS,
        arguments={"start": 66345, "end": 67009},
        answers={"count": 1, "variants": [{"position": 66342, "ref": "CTAC", "alt": "C", "kind": "deletion"}]},
    ),
    Row(
        id="a range without any",
        tool="list_variants",
        fixture=READS,
        arguments={"start": 1, "end": 60250, "sequence_id": "D10483"},
        answers={"count": 0, "variants": []},
    ),
    Row(id="half a range", tool="list_variants", fixture=READS, arguments={"start": 60000}, error="bad_argument"),
    Row(
        id="a gene and a range",
        tool="list_variants",
        fixture=READS,
        arguments={"gene_name": "araA", "start": 1, "end": 5},
        error="bad_argument",
    ),
    Row(id="no file is loaded", tool="list_variants", error="not_found"),
    Row(id="no genome is open", tool="list_variants", fixture="empty-session", error="no_genome"),
    Row(
        id="two deletions",
        tool="filter_variants",
        fixture=READS,
        arguments={"kind": "deletion"},
        answers={"count": 2, "variants": [{"position": 66342}, {"position": 73580}]},
    ),
    Row(
        id="deep ones: DP 25, 30, 25, 25",
        tool="filter_variants",
        fixture=READS,
        arguments={"min_depth": 25},
        answers={
            "count": 4,
            "variants": [{"position": 61991}, {"position": 66342}, {"position": 67429}, {"position": 71143}],
        },
    ),
    Row(
        id="the inserted A at 71143 shifts the frame of yabI",
        tool="filter_variants",
        fixture=READS,
        arguments={"effect": "frameshift", "min_quality": 30},
        answers={"count": 1, "variants": [{"position": 71143, "gene": "yabI", "kind": "insertion"}]},
    ),
    Row(
        id="every QUAL is 60",
        tool="filter_variants",
        fixture=READS,
        arguments={"min_quality": 60.5},
        answers={"count": 0, "variants": []},
    ),
    Row(id="nothing is loaded to filter", tool="filter_variants", error="not_found"),
    Row(
        id="23 substitutions, 2 insertions, 2 deletions",
        tool="summarize_variants",
        fixture=READS,
        answers={"count": 27, "by_kind": {"snv": 23, "mnv": 0, "insertion": 2, "deletion": 2}},
    ),
    Row(
        id="the same after loading",
        tool="summarize_variants",
        fixture="ecoli-d10483",
        before=(("load_variant_file", {"file_path": "variants/sample1.vcf"}),),
        answers={"count": 27},
    ),
    Row(id="nothing is loaded to count", tool="summarize_variants", error="not_found"),
    Row(
        id="66000 to 67000 (verified question gw-016)",
        tool="get_read_coverage",
        before=(("load_reads_file", {"file_path": "reads/sample1.bam"}),),
        arguments={"start": 66000, "end": 67000},
        answers={"start": 66000, "end": 67000, "mean": 23.31, "min": 0, "max": 32, "uncovered_bases": 3},
    ),
    Row(
        id="the deleted bases 66343 to 66345",
        tool="get_read_coverage",
        fixture=READS,
        arguments={"start": 66343, "end": 66345},
        answers={"mean": 0.0, "min": 0, "max": 0, "uncovered_bases": 3},
    ),
    Row(
        id="a range of more than 100,000 bases",
        tool="get_read_coverage",
        fixture=READS,
        arguments={"start": 1, "end": 100001},
        error="bad_argument",
    ),
    Row(id="no reads", tool="get_read_coverage", arguments={"start": 1, "end": 10}, error="not_found"),
    Row(
        id="25 reads show T (gw-016)",
        tool="get_base_counts",
        before=(("load_reads_file", {"file_path": "reads/sample1.bam"}),),
        arguments={"position": 67429},
        answers={
            "position": 67429,
            "reference_base": "A",
            "depth": 25,
            "base_counts": {"A": 0, "C": 0, "G": 0, "T": 25},
            "deletions": 0,
        },
    ),
    Row(
        id="a base that all reads leave out (DP 30)",
        tool="get_base_counts",
        fixture=READS,
        arguments={"position": 66344},
        answers={"depth": 0, "deletions": 30},
    ),
    Row(
        id="a base that no read reaches",
        tool="get_base_counts",
        fixture=READS,
        arguments={"position": 111408},
        answers={"depth": 0, "deletions": 0},
    ),
    Row(
        id="a base behind the end",
        tool="get_base_counts",
        fixture=READS,
        arguments={"position": 111409},
        error="bad_range",
    ),
    Row(id="no reads are attached", tool="get_base_counts", arguments={"position": 10}, error="not_found"),
)
