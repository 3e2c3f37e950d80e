"""What the tools of the category `search` answer; numbers from the files, read by hand or with Biopython alone."""

from __future__ import annotations

from tests.workbench.rows import Row

SURA = "Survival protein SurA precursor (peptidyl-prolyl cis-trans isomerase SurA) (EC 5.2.1.8) (PPiase) (rotamase C)."
PLASMID_SEAM = "CCCCGACCCCTGTGTAACGAACGG"
"""The last and the first 12 bases of the plasmid."""

ROWS = (
    Row(
        id="araA (verified question gw-001)",
        tool="search_gene_by_name",
        arguments={"name": "araA"},
        answers={
            "count": 1,
            "genes": [
                {
                    "gene": "araA",
                    "locus_tag": "",
                    "matched_name": "araA",
                    "start": 66502,
                    "end": 68004,
                    "strand": "-",
                    "length": 1503,
                }
            ],
        },
    ),
    Row(
        id="two genes of one name (gw-018)",
        tool="search_gene_by_name",
        fixture="chloroplast",
        arguments={"name": "ndhB"},
        answers={
            "count": 2,
            "genes": [
                {"locus_tag": "ArthCp068", "start": 94941, "end": 97164, "strand": "-"},
                {"locus_tag": "ArthCp086", "start": 141485, "end": 143708, "strand": "+"},
            ],
        },
    ),
    Row(
        id="a synonym in a note (case gx-004)",
        tool="search_gene_by_name",
        arguments={"name": "MURF"},
        answers={
            "count": 1,
            "genes": [{"gene": "mra", "matched_name": "murF", "start": 94311, "end": 95669, "length": 1359}],
        },
    ),
    Row(
        id="a trans-spliced gene lies on both strands",
        tool="search_gene_by_name",
        fixture="chloroplast",
        arguments={"name": "ArthCp047"},
        answers={"genes": [{"gene": "rps12", "start": 69611, "end": 140650, "strand": "mixed", "length": 909}]},
    ),
    Row(
        id="part of a name is no name",
        tool="search_gene_by_name",
        arguments={"name": "ara"},
        error="gene_not_found",
    ),
    Row(
        id="no genome",
        tool="search_gene_by_name",
        fixture="empty-session",
        arguments={"name": "araA"},
        error="no_genome",
    ),
    Row(
        id="an old name (case gs-001)",
        tool="get_gene_details",
        arguments={"gene_name": "ostA"},
        answers={
            "gene": "imp",
            "synonyms": ["ostA"],
            "start": 54414,
            "end": 56768,
            "strand": "-",
            "length": 2355,
            "product": "Organic solvent tolerance protein precursor.",
            "protein_id": "BAB96622.1",
            "notes": ["synonym: ostA", "ORF_ID:o106#5 similar to SwissProt Accession Number P31554"],
            "database_references": ["GI:21321935"],
        },
    ),
    Row(
        id="a gene without a coding sequence",
        tool="get_gene_details",
        arguments={"gene_name": "htgA"},
        answers={"synonyms": ["htpY"], "product": "Heat shock protein Y", "protein_id": "", "database_references": []},
    ),
    Row(
        id="a locus tag where the name is shared",
        tool="get_gene_details",
        fixture="chloroplast",
        arguments={"gene_name": "arthcp086"},
        answers={
            "gene": "ndhB",
            "locus_tag": "ArthCp086",
            "synonyms": ["ndh2"],
            "strand": "+",
            "length": 2224,
            "database_references": ["GeneID:4042815", "GI:94421438"],
        },
    ),
    Row(
        id="a name that two genes have",
        tool="get_gene_details",
        fixture="chloroplast",
        arguments={"gene_name": "ndhB"},
        error="ambiguous_gene",
    ),
    Row(
        id="ligases (gw-002)",
        tool="search_features",
        arguments={"query": "ligase", "feature_type": "CDS"},
        answers={
            "count": 6,
            "features": [
                {"gene": "ileS", "start": 22051},
                {"gene": "murE", "start": 92827},
                {"gene": "mra", "start": 94311},
                {"gene": "murD", "start": 96748},
                {"gene": "murC", "start": 100426},
                {"gene": "ddl", "start": 101894},
            ],
        },
    ),
    Row(
        id="antiporters (case gs-002), fewer shown than found",
        tool="search_features",
        arguments={"query": "ANTIPORT", "feature_type": "CDS", "max_results": 1},
        answers={"count": 2, "features": [{"gene": "ant", "product": "Na(+)/H(+) antiporter 1."}]},
    ),
    Row(
        id="a synonym is no description",
        tool="search_features",
        arguments={"query": "ostA"},
        answers={"count": 0, "features": []},
    ),
    Row(
        id="a function that no product names",
        tool="search_features",
        fixture="sars-cov-2",
        arguments={"query": "pseudoknot  stem-loop"},
        answers={
            "count": 2,
            "features": [
                {"feature_type": "stem_loop", "start": 29609, "end": 29644},
                {"feature_type": "stem_loop", "start": 29629, "end": 29657},
            ],
        },
    ),
    Row(id="spaces are no phrase", tool="search_features", arguments={"query": "   "}, error="bad_argument"),
    Row(
        id="the minus strand alone, the second page",
        tool="list_genes",
        arguments={"strand": "-", "offset": 31},
        answers={"count": 32, "offset": 31, "genes": [{"gene": "yacG", "start": 111310, "end": 111408, "strand": "-"}]},
    ),
    Row(
        id="the first two of ninety",
        tool="list_genes",
        arguments={"limit": 2},
        answers={
            "count": 90,
            "offset": 0,
            "genes": [
                {"gene": "thrA", "start": 1, "end": 2463, "strand": "+", "product": "ThrA bifunctional enzyme"},
                {"gene": "thrB", "start": 2465, "end": 3394},
            ],
        },
    ),
    Row(
        id="behind the last gene",
        tool="list_genes",
        arguments={"offset": 90},
        answers={"count": 90, "offset": 90, "genes": []},
    ),
    Row(
        id="a record whose coding sequences have no names",
        tool="list_genes",
        fixture="phix174",
        answers={"count": 0, "genes": []},
    ),
    Row(id="another accession", tool="list_genes", arguments={"sequence_id": "U00096.3"}, error="unknown_sequence"),
    Row(
        id="what covers a base (case gs-004)",
        tool="get_features_at_position",
        arguments={"position": 53850},
        answers={
            "count": 3,
            "features": [
                {"feature_type": "CDS", "gene": "", "start": 53076, "end": 53873, "strand": "-"},
                {"feature_type": "gene", "gene": "surA", "start": 53840, "end": 54361, "product": ""},
                {"feature_type": "CDS", "gene": "surA", "start": 53840, "end": 54361, "product": SURA},
            ],
        },
    ),
    Row(
        id="the CDS of the chain gx-003",
        tool="get_features_at_position",
        arguments={"position": 55200},
        answers={"count": 2, "features": [{"feature_type": "gene"}, {"feature_type": "CDS", "gene": "imp"}]},
    ),
    Row(
        id="an intron belongs to the gene alone",
        tool="get_features_at_position",
        fixture="chloroplast",
        arguments={"position": 142500},
        answers={"count": 1, "features": [{"feature_type": "gene", "gene": "ndhB"}]},
    ),
    Row(
        id="features over the origin",
        tool="get_features_at_position",
        fixture="phix174",
        arguments={"position": 5386},
        answers={
            "count": 3,
            "features": [{"start": 3981, "end": 136}, {"start": 4497, "end": 136}, {"start": 5075, "end": 51}],
        },
    ),
    Row(
        id="behind the last base",
        tool="get_features_at_position",
        arguments={"position": 111409},
        error="bad_range",
    ),
    Row(
        id="coding sequences at the arabinose operon",
        tool="get_features_in_region",
        arguments={"start": 65448, "end": 70053, "feature_type": "CDS"},
        answers={"count": 3, "features": [{"gene": "araD"}, {"gene": "araA"}, {"gene": "araB"}]},
    ),
    Row(
        id="the whole record is capped",
        tool="get_features_in_region",
        arguments={"start": 1, "end": 111408},
        answers={"count": 187},
    ),
    Row(
        id="the place between two bases lies in a range that holds both",
        tool="get_features_in_region",
        fixture="plasmid-ppcp1",
        arguments={"start": 5933, "end": 5940},
        answers={
            "count": 2,
            "features": [{"feature_type": "variation", "start": 5933, "end": 5934}, {"feature_type": "variation"}],
        },
    ),
    Row(
        id="and not in one that holds the first alone",
        tool="get_features_in_region",
        fixture="plasmid-ppcp1",
        arguments={"start": 5933, "end": 5933},
        answers={"count": 0, "features": []},
    ),
    Row(
        id="end before start",
        tool="get_features_in_region",
        arguments={"start": 900, "end": 800},
        error="bad_range",
    ),
    Row(
        id="nearest first",
        tool="get_nearby_features",
        arguments={"position": 69000, "distance": 1100, "feature_type": "CDS"},
        answers={
            "count": 3,
            "features": [
                {"gene": "araB", "distance": 0},
                {"gene": "araA", "end": 68004, "distance": 996},
                {"gene": "araC", "start": 70054, "distance": 1054},
            ],
        },
    ),
    Row(
        id="round the origin of a circle",
        tool="get_nearby_features",
        fixture="plasmid-ppcp1",
        arguments={"position": 9600, "distance": 200, "feature_type": "gene"},
        answers={"count": 1, "features": [{"feature_type": "gene", "start": 87, "end": 1109, "distance": 96}]},
    ),
    Row(
        id="not over the edge of a line",
        tool="get_nearby_features",
        arguments={"position": 1, "distance": 2500, "feature_type": "gene"},
        answers={"count": 2, "features": [{"gene": "thrA", "distance": 0}, {"gene": "thrB", "distance": 2464}]},
    ),
    Row(
        id="far behind the last base",
        tool="get_nearby_features",
        arguments={"position": 20000000},
        error="bad_range",
    ),
    Row(
        id="between the arabinose genes, cut at the range",
        tool="find_intergenic_regions",
        arguments={"start": 66301, "end": 70500},
        answers={
            "count": 3,
            "total_length": 549,
            "regions": [
                {"start": 66301, "end": 66501, "length": 201, "left_gene": "araD", "right_gene": "araA"},
                {"start": 68005, "end": 68014, "length": 10, "left_gene": "araA", "right_gene": "araB"},
                {"start": 69716, "end": 70053, "length": 338, "left_gene": "araB", "right_gene": "araC"},
            ],
        },
    ),
    Row(
        id="over the origin of a plasmid",
        tool="find_intergenic_regions",
        fixture="plasmid-ppcp1",
        arguments={"min_length": 1000},
        answers={
            "count": 2,
            "total_length": 2371,
            "regions": [
                {"start": 1889, "end": 2924, "length": 1036, "left_gene": "YP_pPCP02", "right_gene": "rop"},
                {"start": 8361, "end": 86, "length": 1335, "left_gene": "YP_pPCP10", "right_gene": "YP_pPCP01"},
            ],
        },
    ),
    Row(
        id="coding sequences without names cover too",
        tool="find_intergenic_regions",
        fixture="phix174",
        answers={
            "count": 4,
            "total_length": 217,
            "regions": [
                {"start": 965, "end": 1000, "left_gene": "", "right_gene": ""},
                {"start": 2285, "end": 2394},
                {"start": 2923, "end": 2930},
                {"start": 3918, "end": 3980},
            ],
        },
    ),
    Row(
        id="a range that ends behind the sequence",
        tool="find_intergenic_regions",
        arguments={"end": 111409},
        error="bad_range",
    ),
    Row(
        id="chi sites (case gs-003)",
        tool="search_by_sequence",
        arguments={"pattern": "GCTGGTGG", "start": 40000, "end": 50000, "strand": "+"},
        answers={
            "count": 4,
            "matches": [
                {"start": 42456, "end": 42463, "strand": "+", "mismatches": 0},
                {"start": 44653},
                {"start": 47912},
                {"start": 48008},
            ],
        },
    ),
    Row(
        id="both strands of everything",
        tool="search_by_sequence",
        arguments={"pattern": "gcuggugg"},
        answers={"count": 26},
    ),
    Row(
        id="a palindrome is one place, not two",
        tool="search_by_sequence",
        arguments={"pattern": "GAATTC"},
        answers={
            "count": 13,
            "matches": [
                {"start": start, "strand": "+"}
                for start in (
                    *(3503, 12538, 32199, 49896, 55941, 96521, 101422, 101953),
                    *(102792, 105077, 107581, 108381, 110924),
                )
            ],
        },
    ),
    Row(
        id="one letter differs",
        tool="search_by_sequence",
        arguments={"pattern": "GCTGGAGG", "start": 42456, "end": 42463, "strand": "+", "max_mismatches": 1},
        answers={"count": 1, "matches": [{"start": 42456, "mismatches": 1}]},
    ),
    Row(
        id="over the origin of a plasmid",
        tool="search_by_sequence",
        fixture="plasmid-ppcp1",
        arguments={"pattern": PLASMID_SEAM, "strand": "+"},
        answers={"count": 1, "matches": [{"start": 9598, "end": 12}]},
    ),
    Row(
        id="not where a range is named",
        tool="search_by_sequence",
        fixture="plasmid-ppcp1",
        arguments={"pattern": PLASMID_SEAM, "start": 1, "end": 9609},
        answers={"count": 0, "matches": []},
    ),
    Row(
        id="as many differences as letters",
        tool="search_by_sequence",
        arguments={"pattern": "ACG", "max_mismatches": 3},
        error="bad_argument",
    ),
    Row(
        id="start behind the end of the sequence",
        tool="search_by_sequence",
        arguments={"pattern": "ACGT", "start": 111409},
        error="bad_range",
    ),
)
