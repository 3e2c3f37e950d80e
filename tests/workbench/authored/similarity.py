"""What the tools of the category `similarity` answer.

Hits and E-values were computed with `phmmer` and `nhmmer` of HMMER 3.3.2 from the Debian package, and compared with
blastp and blastn 2.12; the alignment of murC and murD is the verified question gw-012.
"""

from __future__ import annotations

from fcbench.core.names import JsonObject
from tests.workbench.rows import Row

MURD = (
    "MADYQGKNVVIIGLGLTGLSCVDFFLARGVTPRVMDTRMTPPGLDKLPEAVERHTGSLNDEWLMAADLIVASPGIALAHPSLSAAADAGIEIVGDIELFCREAQAPIVA"
    "ITGSNGKSTVTTLVGEMAKAAGVNVGVGGNIGLPALMLLDDECELYVLELSSFQLETTSSLQAVAATILNVTEDHMDRYPFGLQQYRAAKLRIYENAKVCVVNADDALT"
    "MPIRGADERCVSFGVNMGDYHLNHQQGETWLRVKGEKVLNVKEMKLSGQHNYTNALAALALADAAGLPRASSLKALTTFTGLPHRFEVVLEHNGVRWINDSKATNVGST"
    "EAALNGLHVDGTLHLLLGGDGKSADFSPLARYLNGDNVRLYCFGRDGAQLAALRPEVAEQTETMEQAMRLLAPRVQPGDMVLLSPACASLDQFKNFEQRGNEFARLAKE"
    "LG"
)
ARAA_END = (
    "TTAGCGACGAAACCCGTAATACACTTCGTTCCAGCGCAGCGCGTCTTTAAACGCTGGCAGGCGTGTGTCGTTATCAATCACCGTGATTTCAATGTCGTGCATCTCGGCG"
    "AATTGGCGCATA"
)
"""The first bases of the range 66502 to 68004, as the file writes them; araA lies on the other strand."""
PROTEINS: tuple[str, JsonObject] = ("build_search_database", {"name": "k12", "molecule": "protein"})
GENOME: tuple[str, JsonObject] = ("build_search_database", {"name": "k12_dna", "molecule": "nucleotide"})
SEARCH: tuple[str, JsonObject] = ("search_protein_similarity", {"sequence": MURD, "database": "k12"})
ITSELF: tuple[str, JsonObject] = ("load_comparison_genome", {"file_path": "genomes/D10483.gbk", "label": "ref"})
PLASTID: tuple[str, JsonObject] = ("load_comparison_genome", {"file_path": "genomes/NC_000932.gb", "label": "cp"})

ROWS = (
    Row(
        id="the best matching stretch of MurC and MurD (gw-012)",
        tool="align_genes",
        arguments={"gene_a": "murC", "gene_b": "murD", "molecule": "protein", "mode": "local"},
        answers={
            "score": 183.0,
            "identities": 84,
            "mismatches": 235,
            "gaps": 52,
            "aligned_columns": 371,
            "identity_percent": 22.64,
        },
    ),
    Row(
        id="the other way round it is the same",
        tool="align_genes",
        arguments={"gene_a": "murD", "gene_b": "murC", "mode": "local"},
        answers={"score": 183.0, "identities": 84, "mismatches": 235, "gaps": 52},
    ),
    Row(
        id="a gene with itself by its old and its new name, as DNA",
        tool="align_genes",
        arguments={"gene_a": "murF", "gene_b": "mra", "molecule": "dna"},
        answers={"score": 2718.0, "identities": 1359, "aligned_columns": 1359, "gaps": 0, "identity_percent": 100.0},
    ),
    Row(
        id="a transfer RNA has nothing to align",
        tool="align_genes",
        fixture="chloroplast",
        arguments={"gene_a": "rbcL", "gene_b": "trnK"},
        error="gene_not_found",
    ),
    Row(
        id="a gene of 6,885 bases with its other copy is too long",
        tool="align_genes",
        fixture="chloroplast",
        arguments={"gene_a": "ArthCp066", "gene_b": "ArthCp083", "molecule": "dna"},
        error="bad_argument",
    ),
    Row(
        id="one base is missing",
        tool="align_sequences",
        arguments={"sequence_a": "GATTACAGATT", "sequence_b": "gattacgatt", "molecule": "dna"},
        answers={
            "score": 15.0,
            "identities": 10,
            "mismatches": 0,
            "gaps": 1,
            "aligned_columns": 11,
            "identity_percent": 90.91,
            "aligned_a": "GATTACAGATT",
        },
    ),
    Row(
        id="locally only the core counts",
        tool="align_sequences",
        arguments={"sequence_a": "GGGWCWGGG", "sequence_b": "PPWCWPP", "molecule": "protein", "mode": "local"},
        answers={"score": 31.0, "aligned_a": "WCW", "aligned_b": "WCW", "identities": 3},
    ),
    Row(
        id="nothing alike",
        tool="align_sequences",
        arguments={"sequence_a": "WWW", "sequence_b": "AAA", "molecule": "protein", "mode": "local"},
        answers={"score": 0.0, "aligned_columns": 0, "identity_percent": 0.0, "aligned_a": "", "aligned_b": ""},
    ),
    Row(
        id="residues are no DNA",
        tool="align_sequences",
        arguments={"sequence_a": "MEEPQ", "sequence_b": "ACGT", "molecule": "dna"},
        error="bad_sequence",
    ),
    Row(
        id="the same gene in a copy of the genome",
        tool="compare_genes_between_genomes",
        before=(ITSELF,),
        arguments={"gene_name": "murF", "label": "ref"},
        answers={
            "gene": "mra",
            "comparison_gene": "mra",
            "length": 452,
            "comparison_length": 452,
            "identities": 452,
            "gaps": 0,
            "identity_percent": 100.0,
        },
    ),
    Row(
        id="as coding DNA",
        tool="compare_genes_between_genomes",
        before=(ITSELF,),
        arguments={"gene_name": "talB", "label": "ref", "molecule": "dna"},
        answers={"length": 954, "score": 1908.0, "mismatches": 0},
    ),
    Row(
        id="no namesake in the chloroplast",
        tool="compare_genes_between_genomes",
        before=(PLASTID,),
        arguments={"gene_name": "murD", "label": "cp"},
        error="gene_not_found",
    ),
    Row(
        id="no such label",
        tool="compare_genes_between_genomes",
        arguments={"gene_name": "murD", "label": "cp"},
        error="not_found",
    ),
    Row(
        id="bases",
        tool="detect_sequence_type",
        arguments={"sequence": "gattacaN"},
        answers={"molecule": "dna", "length": 8, "nucleotide_percent": 100.0, "also_possible": ["protein"]},
    ),
    Row(
        id="uracil and an ambiguous letter",
        tool="detect_sequence_type",
        arguments={"sequence": "AUGGCUAAARUGA"},
        answers={"molecule": "rna", "length": 13, "nucleotide_percent": 92.31},
    ),
    Row(
        id="bases without T or U could be either",
        tool="detect_sequence_type",
        arguments={"sequence": "GCGCAAC"},
        answers={"molecule": "dna", "also_possible": ["rna", "protein"]},
    ),
    Row(
        id="residues that are all letters of IUPAC as well",
        tool="detect_sequence_type",
        arguments={"sequence": "MKVDWSHVRYK"},
        answers={"molecule": "protein", "nucleotide_percent": 0.0, "also_possible": ["dna", "rna"]},
    ),
    Row(
        id="T and U together are no nucleic acid",
        tool="detect_sequence_type",
        arguments={"sequence": "ACGTUACGTU"},
        answers={"molecule": "protein", "also_possible": []},
    ),
    Row(
        id="the proteins of the genome (gw-013)",
        tool="build_search_database",
        arguments={"name": "k12", "molecule": "protein"},
        answers={"name": "k12", "source": "genomes/D10483.gbk", "entries": 90, "letters": 31172},
    ),
    Row(
        id="proteins without gene names",
        tool="build_search_database",
        fixture="phix174",
        arguments={"name": "phage", "molecule": "protein"},
        answers={"entries": 11, "letters": 2327},
    ),
    Row(
        id="the bases of another file, no genome open",
        tool="build_search_database",
        fixture="empty-session",
        arguments={"name": "plastid", "molecule": "nucleotide", "file_path": "genomes/NC_000932.gb"},
        answers={"source": "genomes/NC_000932.gb", "entries": 1, "letters": 154478},
    ),
    Row(
        id="no genome and no file",
        tool="build_search_database",
        fixture="empty-session",
        arguments={"name": "k12", "molecule": "protein"},
        error="no_genome",
    ),
    Row(
        id="a file that is no genome",
        tool="build_search_database",
        arguments={"name": "k12", "molecule": "nucleotide", "file_path": "profiles/fn3.hmm"},
        error="parse_error",
    ),
    Row(
        id="no file of this name",
        tool="build_search_database",
        arguments={"name": "k12", "molecule": "protein", "file_path": "genomes/K12.fasta"},
        error="file_not_found",
    ),
    Row(
        id="none at first",
        tool="list_search_databases",
        fixture="empty-session",
        answers={"count": 0, "databases": []},
    ),
    Row(
        id="two by name",
        tool="list_search_databases",
        before=(GENOME, PROTEINS),
        answers={
            "count": 2,
            "databases": [
                {"name": "k12", "molecule": "protein", "entries": 90, "letters": 31172},
                {"name": "k12_dna", "molecule": "nucleotide", "entries": 1, "letters": 111408},
            ],
        },
    ),
    Row(
        id="the same name again is one database",
        tool="list_search_databases",
        before=(PROTEINS, ("build_search_database", {"name": "k12", "molecule": "nucleotide"})),
        answers={"count": 1, "databases": [{"name": "k12", "molecule": "nucleotide"}]},
    ),
    Row(
        id="one of two",
        tool="delete_search_database",
        before=(GENOME, PROTEINS),
        arguments={"name": "k12"},
        answers={"name": "k12", "remaining": 1},
    ),
    Row(id="none of this name", tool="delete_search_database", arguments={"name": "k12"}, error="not_found"),
    Row(
        id="case counts in names",
        tool="delete_search_database",
        before=(PROTEINS,),
        arguments={"name": "K12"},
        error="not_found",
    ),
    Row(
        id="proteins that resemble MurD (gw-013)",
        tool="search_protein_similarity",
        before=(PROTEINS,),
        arguments={"sequence": MURD, "database": "k12"},
        answers={
            "count": 4,
            "hits": [
                {"target": "murD", "evalue": 9.78e-298, "score": 979.2, "identity_percent": 100.0, "strand": "none"},
                {"target": "murC", "evalue": 3.14e-16, "score": 52.0},
                {"target": "mra", "evalue": 3.62e-11, "score": 35.3},
                {"target": "murE", "evalue": 9.92e-09, "score": 27.3},
            ],
        },
    ),
    Row(
        id="a stricter limit keeps two, one is shown",
        tool="search_protein_similarity",
        before=(PROTEINS,),
        arguments={"sequence": MURD.lower(), "database": "k12", "max_evalue": 1e-12, "max_hits": 1},
        answers={"count": 2, "hits": [{"target": "murD", "query_start": 1, "query_end": 438}]},
    ),
    Row(
        id="nothing like it",
        tool="search_protein_similarity",
        before=(PROTEINS,),
        arguments={"sequence": "W" * 60, "database": "k12"},
        answers={"count": 0, "hits": []},
    ),
    Row(
        id="a protein against bases",
        tool="search_protein_similarity",
        before=(GENOME,),
        arguments={"sequence": MURD, "database": "k12_dna"},
        error="bad_argument",
    ),
    Row(
        id="no such database",
        tool="search_protein_similarity",
        arguments={"sequence": MURD, "database": "k12"},
        error="not_found",
    ),
    Row(
        id="the end of araA on the forward strand",
        tool="search_nucleotide_similarity",
        before=(GENOME,),
        arguments={"sequence": ARAA_END, "database": "k12_dna"},
        answers={
            "count": 1,
            "hits": [
                {
                    "target": "D10483.2",
                    "identity_percent": 100.0,
                    "strand": "+",
                    "query_start": 1,
                    "query_end": 121,
                    "target_start": 66502,
                    "target_end": 66622,
                }
            ],
        },
    ),
    Row(
        id="its reverse complement, written as RNA, on the other",
        tool="search_nucleotide_similarity",
        before=(GENOME,),
        arguments={
            "sequence": ARAA_END[::-1].translate(str.maketrans("ACGT", "UGCA")),
            "database": "k12_dna",
        },
        answers={"count": 1, "hits": [{"strand": "-", "target_start": 66502, "target_end": 66622}]},
    ),
    Row(
        id="bases against proteins",
        tool="search_nucleotide_similarity",
        before=(PROTEINS,),
        arguments={"sequence": ARAA_END, "database": "k12"},
        error="bad_argument",
    ),
    Row(
        id="the search of gw-013, narrowed by E-value",
        tool="filter_similarity_hits",
        before=(PROTEINS, SEARCH),
        arguments={"max_evalue": 1e-10},
        answers={"count": 3, "hits": [{"target": "murD"}, {"target": "murC"}, {"target": "mra"}]},
    ),
    Row(
        id="by identity; without limits all are there",
        tool="filter_similarity_hits",
        before=(PROTEINS, SEARCH),
        arguments={"min_identity": 90},
        answers={"count": 1, "hits": [{"target": "murD"}]},
    ),
    Row(
        id="also the hits that the search did not show",
        tool="filter_similarity_hits",
        before=(PROTEINS, ("search_protein_similarity", {**SEARCH[1], "max_hits": 1})),
        answers={"count": 4, "hits": [{"target": "murD"}, {"target": "murC"}, {"target": "mra"}, {"target": "murE"}]},
    ),
    Row(id="before any search", tool="filter_similarity_hits", arguments={}, error="bad_argument"),
)
