"""What the primer tools of the category `cloning` answer."""

from __future__ import annotations

from tests.workbench.rows import Row

ARA = "GATGCGCTTTGCTTATCCGG"
BACK = "AAAATGGCCAGTGCGGTAGA"
OVER = "CCAACCTGCAGAGTTTTATC"
"""The last ten and the first ten bases of phiX174."""
ROWS = (
    Row(
        id="the best pair for araA (verified question gw-010)",
        tool="design_primers",
        arguments={"gene_name": "araA", "pair_count": 1},
        answers={
            "pairs": [
                {
                    "forward": ARA,
                    "reverse": BACK,
                    "forward_tm": 60.04,
                    "reverse_tm": 59.96,
                    "start": 66406,
                    "end": 68179,
                    "product_size": 1774,
                }
            ]
        },
        tolerance=0.02,
    ),
    Row(
        id="a gene at the very end leaves no room",
        tool="design_primers",
        arguments={"gene_name": "thrA"},
        error="bad_range",
    ),
    Row(
        id="a trans-spliced gene spans too much",
        tool="design_primers",
        fixture="chloroplast",
        arguments={"gene_name": "ArthCp047"},
        error="bad_range",
    ),
    Row(id="primers for no gene", tool="design_primers", arguments={"gene_name": "lacZ"}, error="gene_not_found"),
    Row(
        id="the primers that fit beside talB are colder than 57 degrees",
        tool="design_primers",
        arguments={"gene_name": "talB", "flank": 30},
        answers={"pairs": []},
    ),
    Row(
        id="the araA primer, as primer3 gave it with the pair",
        tool="analyze_primer",
        fixture="empty-session",
        arguments={"sequence": ARA.lower()},
        answers={"length": 20, "gc_percent": 55.0, "tm": 60.04},
        tolerance=0.02,
    ),
    Row(
        id="a palindrome pairs with itself",
        tool="analyze_primer",
        arguments={"sequence": "GGGGAATTCCCC"},
        answers={"length": 12, "self_dimer": {"found": True}},
    ),
    Row(
        id="one letter forms no structure",
        tool="analyze_primer",
        arguments={"sequence": "AAAAAAAAAAAA"},
        answers={"gc_percent": 0.0, "hairpin": {"found": False, "tm": 0.0, "delta_g": 0.0}},
    ),
    Row(
        id="a pairing that no temperature holds together is none (drawn by the fuzz run)",
        tool="analyze_primer",
        arguments={"sequence": "aCCTtuTUUuUT"},
        answers={"self_dimer": {"found": False, "tm": 0.0, "delta_g": 0.0}},
    ),
    Row(
        id="three places of the best araA primer (verified question gw-010)",
        tool="find_primer_binding_sites",
        arguments={"primer": ARA},
        answers={
            "count": 3,
            "sites": [
                {"start": 66236, "end": 66255, "strand": "+", "mismatches": 0},
                {"start": 66321, "end": 66340, "strand": "+", "mismatches": 0},
                {"start": 66406, "end": 66425, "strand": "+", "mismatches": 0},
            ],
        },
    ),
    Row(
        id="the reverse primer on the minus strand",
        tool="find_primer_binding_sites",
        arguments={"primer": BACK.lower()},
        answers={"count": 1, "sites": [{"start": 68160, "end": 68179, "strand": "-"}]},
    ),
    Row(
        id="over the origin of a circle",
        tool="find_primer_binding_sites",
        fixture="phix174",
        arguments={"primer": OVER},
        answers={"count": 1, "sites": [{"start": 5377, "end": 10, "strand": "+"}]},
    ),
    Row(
        id="a wrong base at the 3' end is no mismatch but no binding",
        tool="find_primer_binding_sites",
        arguments={"primer": ARA[:-1] + "A", "max_mismatches": 1},
        answers={"count": 0, "sites": []},
    ),
    Row(
        id="a wrong base at the 5' end is a mismatch",
        tool="find_primer_binding_sites",
        arguments={"primer": "C" + ARA[1:], "max_mismatches": 1},
        answers={"count": 3, "sites": [{"start": 66236, "mismatches": 1}, {"start": 66321}, {"start": 66406}]},
    ),
    Row(
        id="no genome to bind to",
        tool="find_primer_binding_sites",
        fixture="empty-session",
        arguments={"primer": ARA},
        error="no_genome",
    ),
    Row(
        id="the pair of the case gs-020",
        tool="simulate_pcr",
        arguments={"forward": "ggggctggcaaatctgaaag", "reverse": "ccagaccaatcagaaccagc"},
        answers={"count": 1, "products": [{"start": 95225, "end": 96725, "length": 1501}]},
    ),
    Row(
        id="the pair of the case gx-005, whichever is called forward",
        tool="simulate_pcr",
        arguments={"forward": "GTTAGACACGCTGACCGCCG", "reverse": "GGCATCACTGGCCTGAACGC"},
        answers={"count": 1, "products": [{"start": 31908, "end": 32708, "length": 801}]},
    ),
    Row(
        id="three products of the araA pair, shortest first",
        tool="simulate_pcr",
        arguments={"forward": ARA, "reverse": BACK},
        answers={
            "count": 3,
            "products": [
                {"start": 66406, "end": 68179, "length": 1774},
                {"start": 66321, "end": 68179, "length": 1859},
                {"start": 66236, "end": 68179, "length": 1944},
            ],
        },
    ),
    Row(
        id="one of them is short enough",
        tool="simulate_pcr",
        arguments={"forward": ARA, "reverse": BACK, "max_product": 1774},
        answers={"count": 1},
    ),
    Row(
        id="a product over the origin",
        tool="simulate_pcr",
        fixture="phix174",
        arguments={"forward": OVER, "reverse": "AGTTGATGGCGAAAGGTCGC"},
        answers={"count": 1, "products": [{"start": 5377, "end": 200, "length": 210}]},
    ),
    Row(
        id="no genome to copy",
        tool="simulate_pcr",
        fixture="empty-session",
        arguments={"forward": ARA, "reverse": BACK},
        error="no_genome",
    ),
    Row(
        id="a primer without a place needs no genome",
        tool="save_primer",
        fixture="empty-session",
        arguments={"name": "araA forward", "sequence": "gaugcgctttgcttatccgr"},
        answers={
            "name": "araA forward",
            "sequence": "GATGCGCTTTGCTTATCCGR",
            "length": 20,
            "replaced": False,
            "primer_count": 1,
        },
    ),
    Row(
        id="a second save replaces the first",
        tool="save_primer",
        before=(("save_primer", {"name": "araA-R", "sequence": ARA}),),
        arguments={"name": "araA-R", "sequence": BACK, "start": 68160, "end": 68179, "strand": "-"},
        answers={"sequence": BACK, "start": 68160, "end": 68179, "strand": "-", "replaced": True, "primer_count": 1},
    ),
    Row(
        id="a place that is longer than the primer",
        tool="save_primer",
        arguments={"name": "x", "sequence": ARA, "start": 1, "end": 5000},
        error="bad_argument",
    ),
    Row(
        id="a place keeps the sequence that it lies on when another genome is opened",
        tool="list_primers",
        before=(
            ("save_primer", {"name": "a", "sequence": BACK, "start": 68160, "end": 68179, "strand": "-"}),
            ("load_genome_file", {"file_path": "genomes/NC_001422.gbk"}),
        ),
        answers={"count": 1, "primers": [{"name": "a", "sequence_id": "D10483.2", "start": 68160}]},
    ),
    Row(
        id="half a place",
        tool="save_primer",
        arguments={"name": "x", "sequence": ARA, "end": 20},
        error="bad_argument",
    ),
    Row(
        id="a place behind the end",
        tool="save_primer",
        arguments={"name": "x", "sequence": ARA, "start": 111400, "end": 111419},
        error="bad_range",
    ),
    Row(id="no primers yet", tool="list_primers", fixture="empty-session", answers={"count": 0, "primers": []}),
    Row(
        id="primers in order of their names",
        tool="list_primers",
        before=(
            ("save_primer", {"name": "b", "sequence": ARA}),
            ("save_primer", {"name": "a", "sequence": BACK, "start": 68160, "end": 68179, "strand": "-"}),
        ),
        answers={
            "count": 2,
            "primers": [
                {
                    "name": "a",
                    "sequence": BACK,
                    "length": 20,
                    "sequence_id": "D10483.2",
                    "start": 68160,
                    "end": 68179,
                    "strand": "-",
                },
                {"name": "b", "sequence": ARA, "length": 20},
            ],
        },
    ),
    Row(
        id="upper and lower case are two primers",
        tool="list_primers",
        before=(("save_primer", {"name": "b", "sequence": ARA}), ("save_primer", {"name": "B", "sequence": ARA})),
        answers={"count": 2},
    ),
)
