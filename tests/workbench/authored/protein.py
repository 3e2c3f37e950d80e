"""What the tools of the category `protein` answer.

Numbers come from the text of the files (feature table, DR lines, ATOM lines), from a brute-force search over the atoms,
and from verified_cases.json.
"""

from __future__ import annotations

from tests.workbench.rows import Row

ROWS = (
    Row(
        id="folA (gw-005)",
        tool="protein_properties",
        arguments={"gene_name": "folA"},
        answers={
            "gene": "folA",
            "length": 159,
            "molecular_weight": 17999.17,
            "isoelectric_point": 4.84,
            "gravy": -0.2943,
            "instability_index": 42.6,
            "aromaticity": 0.0943,
        },
    ),
    Row(
        id="by an old name",
        tool="protein_properties",
        arguments={"gene_name": "pbpB"},
        answers={"gene": "ftsI", "length": 588},
    ),
    Row(
        id="a trans-spliced gene",
        tool="protein_properties",
        fixture="chloroplast",
        arguments={"gene_name": "ArthCp001"},
        answers={"gene": "rps12", "length": 123},
    ),
    Row(
        id="a name that two genes have",
        tool="protein_properties",
        fixture="chloroplast",
        arguments={"gene_name": "rps12"},
        error="ambiguous_gene",
    ),
    Row(
        id="a gene of another region",
        tool="protein_properties",
        arguments={"gene_name": "lacZ"},
        error="gene_not_found",
    ),
    Row(
        id="four zinc-binding stretches of DnaJ (case gs-016)",
        tool="find_protein_motifs",
        arguments={"pattern": "CxxCxGxG", "gene_name": "dnaJ"},
        answers={
            "count": 4,
            "matches": [
                {"gene": "dnaJ", "start": 144, "end": 151},
                {"start": 161, "end": 168, "matched": "CPTCHGSG"},
                {"start": 183, "end": 190},
                {"start": 197, "end": 204},
            ],
        },
    ),
    Row(
        id="a capital X stands for any residue as well",
        tool="find_protein_motifs",
        arguments={"pattern": "CXXCXGXG", "gene_name": "dnaJ"},
        answers={"count": 4},
    ),
    Row(
        id="P-loops of all proteins, one of them without gene name",
        tool="find_protein_motifs",
        arguments={"pattern": "[AG]xxxxGK[ST]"},
        answers={
            "count": 3,
            "matches": [
                {"gene": "carB", "start": 866, "end": 873, "matched": "ARVMAGKS"},
                {"gene": "", "start": 149, "end": 156, "matched": "ADIKSGKT"},
                {"gene": "yabJ", "start": 32, "end": 39, "matched": "GPSGAGKS"},
            ],
        },
    ),
    Row(
        id="places overlap",
        tool="find_protein_motifs",
        arguments={"pattern": "GG", "gene_name": "dnaJ"},
        answers={
            "count": 11,
            "matches": [{"start": start} for start in (77, 80, 81, 82, 85, 86, 103, 104, 277, 315, 349)],
        },
    ),
    Row(
        id="a residue that may not be there",
        tool="find_protein_motifs",
        arguments={"pattern": "N{P}[ST]{P}"},
        answers={"count": 105},
    ),
    Row(
        id="no protein holds it",
        tool="find_protein_motifs",
        arguments={"pattern": "KDEL"},
        answers={"count": 0, "matches": []},
    ),
    Row(
        id="a bracket without its end",
        tool="find_protein_motifs",
        arguments={"pattern": "A[ST"},
        error="bad_argument",
    ),
    Row(
        id="one position is no pattern",
        tool="find_protein_motifs",
        arguments={"pattern": "[ST]"},
        error="bad_argument",
    ),
    Row(
        id="no genome",
        tool="find_protein_motifs",
        fixture="empty-session",
        arguments={"pattern": "GG"},
        error="no_genome",
    ),
    Row(
        id="araA by accession",
        tool="get_protein_record",
        arguments={"accession": "BAB96631.1"},
        answers={
            "accession": "BAB96631.1",
            "gene": "araA",
            "locus_tag": "",
            "product": "L-arabinose isomerase (EC 5.3.1.4).",
            "length": 500,
            "sequence_id": "D10483.2",
            "start": 66502,
            "end": 68004,
            "strand": "-",
            "genetic_code": 11,
            "cross_references": ["GI:21321944"],
        },
    ),
    Row(
        id="without version, in small letters; the protein has no gene symbol",
        tool="get_protein_record",
        arguments={"accession": "bab96620"},
        answers={"accession": "BAB96620.1", "gene": "", "product": "Hypothetical protein 98 (pdx 5' region)"},
    ),
    Row(
        id="across the origin",
        tool="get_protein_record",
        fixture="phix174",
        arguments={"accession": "NP_040703.1"},
        answers={"length": 513, "start": 3981, "end": 136, "strand": "+"},
    ),
    Row(
        id="parts on both strands",
        tool="get_protein_record",
        fixture="chloroplast",
        arguments={"accession": "NP_051038"},
        answers={"gene": "rps12", "locus_tag": "ArthCp047", "length": 123, "strand": "mixed"},
    ),
    Row(
        id="a UniProt accession is none of the genome",
        tool="get_protein_record",
        arguments={"accession": "P0CK95"},
        error="not_found",
    ),
    Row(
        id="a reviewed entry",
        tool="get_uniprot_entry",
        arguments={"uniprot_id": "O95832"},
        answers={
            "uniprot_id": "O95832",
            "entry_name": "CLD1_HUMAN",
            "reviewed": True,
            "protein_name": "Claudin-1",
            "genes": ["CLDN1", "CLD1", "SEMP1", "UNQ481/PRO944"],
            "organism": "Homo sapiens (Human)",
            "taxonomy_id": "9606",
            "length": 211,
            "truncated": False,
        },
    ),
    Row(
        id="by a former accession, no genome open",
        tool="get_uniprot_entry",
        fixture="empty-session",
        arguments={"uniprot_id": "q2m9m2", "include_sequence": False},
        answers={
            "uniprot_id": "P0CK95",
            "length": 1520,
            "sequence": "",
            "function": "Involved in a type II secretion system (T2SS, formerly general secretion pathway, GSP) for "
            "the export of folded proteins across the outer membrane.",
        },
    ),
    Row(
        id="an unreviewed entry, its submitted name",
        tool="get_uniprot_entry",
        arguments={"uniprot_id": "H2CNN8"},
        answers={
            "reviewed": False,
            "protein_name": "Ammonia monooxygenase subunit A",
            "genes": ["amoA"],
            "keywords": ["Monooxygenase", "Oxidoreductase"],
            "function": "",
        },
    ),
    Row(
        id="an entry that is not shipped",
        tool="get_uniprot_entry",
        arguments={"uniprot_id": "P00722"},
        error="not_in_extract",
    ),
    Row(
        id="receptors",
        tool="search_uniprot",
        arguments={"query": "RECEPTOR"},
        answers={"count": 3, "entries": [{"uniprot_id": "O95832"}, {"uniprot_id": "P16235"}, {"uniprot_id": "Q13639"}]},
    ),
    Row(
        id="two words, and an organism",
        tool="search_uniprot",
        arguments={"query": "receptor g-protein", "organism": "sapiens"},
        answers={
            "count": 1,
            "entries": [
                {
                    "uniprot_id": "Q13639",
                    "entry_name": "5HT4R_HUMAN",
                    "protein_name": "5-hydroxytryptamine receptor 4",
                    "gene": "HTR4",
                    "length": 388,
                }
            ],
        },
    ),
    Row(
        id="nothing found",
        tool="search_uniprot",
        arguments={"query": "beta-galactosidase"},
        answers={"count": 0, "entries": []},
    ),
    Row(id="spaces are no query", tool="search_uniprot", arguments={"query": "   "}, error="bad_argument"),
    Row(
        id="what is recorded for P60904",
        tool="get_domain_annotations",
        arguments={"uniprot_id": "P60904"},
        answers={
            "uniprot_id": "P60904",
            "protein_name": "DnaJ homolog subfamily C member 5",
            "length": 198,
            "count": 11,
            "domains": [
                {"collection": "CDD", "identifier": "cd06257", "name": "DnaJ", "matches": 1},
                {"collection": "Gene3D", "identifier": "1.10.287.110", "name": "", "matches": 1},
                {"collection": "InterPro", "identifier": "IPR001623", "name": "DnaJ_domain", "matches": 0},
                {"collection": "InterPro", "identifier": "IPR018253", "name": "DnaJ_domain_CS", "matches": 0},
                {"collection": "InterPro", "identifier": "IPR036869", "name": "J_dom_sf", "matches": 0},
                {"collection": "Pfam", "identifier": "PF00226", "name": "DnaJ", "matches": 1},
                {"collection": "PRINTS", "identifier": "PR00625", "name": "JDOMAIN", "matches": 0},
                {"collection": "SMART", "identifier": "SM00271", "name": "DnaJ", "matches": 1},
                {"collection": "SUPFAM", "identifier": "SSF46565", "name": "SSF46565", "matches": 1},
                {"collection": "PROSITE", "identifier": "PS00636", "name": "DNAJ_1", "matches": 1},
                {"collection": "PROSITE", "identifier": "PS50076", "name": "DNAJ_2", "matches": 1},
            ],
        },
    ),
    Row(
        id="one collection by a former accession",
        tool="get_domain_annotations",
        arguments={"uniprot_id": "P54101", "collection": "Pfam"},
        answers={"uniprot_id": "P60904", "count": 1, "domains": [{"identifier": "PF00226"}]},
    ),
    Row(
        id="a collection that says nothing of it",
        tool="get_domain_annotations",
        arguments={"uniprot_id": "P60904", "collection": "HAMAP"},
        answers={"count": 0, "domains": []},
    ),
    Row(
        id="not shipped either",
        tool="get_domain_annotations",
        arguments={"uniprot_id": "P08622"},
        error="not_in_extract",
    ),
    Row(
        id="no kinase, globin or fibronectin domain in DnaK",
        tool="scan_protein_domains",
        arguments={"gene_name": "dnaK", "max_evalue": 10},
        answers={"gene": "dnaK", "length": 638, "profiles": 3, "count": 0, "domains": []},
    ),
    Row(
        id="a gene without a protein",
        tool="scan_protein_domains",
        fixture="chloroplast",
        arguments={"gene_name": "trnK"},
        error="gene_not_found",
    ),
    Row(
        id="domains need a genome",
        tool="scan_protein_domains",
        fixture="empty-session",
        arguments={"gene_name": "dnaK"},
        error="no_genome",
    ),
    Row(
        id="by organism",
        tool="search_structures",
        arguments={"query": "escherichia"},
        answers={
            "count": 1,
            "structures": [{"pdb_id": "1LCD", "method": "SOLUTION NMR", "organisms": ["Escherichia coli"]}],
        },
    ),
    Row(
        id="by a word of title or keywords, and method",
        tool="search_structures",
        arguments={"query": "domain", "method": "xray"},
        answers={
            "count": 2,
            "structures": [
                {"pdb_id": "1A8O", "title": "HIV CAPSID C-TERMINAL DOMAIN", "resolution": 1.7},
                {"pdb_id": "3JQH", "organisms": ["Homo sapiens"], "resolution": 2.2},
            ],
        },
    ),
    Row(
        id="none was solved so",
        tool="search_structures",
        arguments={"query": "dna", "method": "cryo_em"},
        answers={"count": 0, "structures": []},
    ),
    Row(id="spaces find no structure", tool="search_structures", arguments={"query": "  "}, error="bad_argument"),
    Row(
        id="three models of protein and DNA",
        tool="get_structure_summary",
        arguments={"pdb_id": "1lcd"},
        answers={
            "pdb_id": "1LCD",
            "models": 3,
            "chains": [
                {"chain": "A", "molecule": "protein", "residues": 51, "ligands": 0, "waters": 26},
                {"chain": "B", "molecule": "dna", "residues": 11, "ligands": 0, "waters": 12},
                {"chain": "C", "molecule": "dna", "residues": 11, "ligands": 1, "waters": 11},
            ],
        },
    ),
    Row(
        id="selenomethionine counts as a residue",
        tool="get_structure_summary",
        fixture="empty-session",
        arguments={"pdb_id": "1A8O"},
        answers={
            "method": "X-RAY DIFFRACTION",
            "organisms": ["Human immunodeficiency virus 1"],
            "resolution": 1.7,
            "models": 1,
            "chains": [{"chain": "A", "molecule": "protein", "residues": 70, "ligands": 0, "waters": 88}],
        },
    ),
    Row(
        id="a structure that is not shipped",
        tool="get_structure_summary",
        arguments={"pdb_id": "4HHB"},
        error="not_in_extract",
    ),
    Row(
        id="lac repressor on one strand of its operator (gw-020)",
        tool="find_interface_contacts",
        arguments={"pdb_id": "1LCD", "chain_a": "A", "chain_b": "B", "max_distance": 3.5},
        answers={
            "pdb_id": "1LCD",
            "count": 6,
            "residues": [
                {"residue_number": 16, "residue_name": "SER", "distance": 3.4, "nearest_number": 5},
                {"residue_number": 18, "residue_name": "GLN", "distance": 3.38, "nearest_number": 7},
                {"residue_number": 19, "residue_name": "THR", "distance": 2.73, "nearest_name": "DT"},
                {"residue_number": 22, "residue_name": "ARG", "distance": 3.32, "nearest_name": "DG"},
                {"residue_number": 29, "residue_name": "HIS", "distance": 2.74, "nearest_number": 3},
                {"residue_number": 31, "residue_name": "SER", "distance": 2.99, "nearest_number": 3},
            ],
        },
    ),
    Row(
        id="the other strand at the usual distance",
        tool="find_interface_contacts",
        arguments={"pdb_id": "1lcd", "chain_a": "A", "chain_b": "C"},
        answers={
            "count": 14,
            "residues": [
                {"residue_number": number} for number in (5, 6, 7, 17, 18, 21, 22, 24, 25, 26, 47, 48, 50, 51)
            ],
        },
    ),
    Row(
        id="an ion belongs to its chain",
        tool="find_interface_contacts",
        arguments={"pdb_id": "1LCD", "chain_a": "C", "chain_b": "A", "max_distance": 3.5},
        answers={
            "count": 6,
            "residues": [{}, {}, {}, {}, {}, {"residue_number": 12, "residue_name": "NA", "nearest_number": 24}],
        },
    ),
    Row(
        id="case counts in chains",
        tool="find_interface_contacts",
        arguments={"pdb_id": "1LCD", "chain_a": "a", "chain_b": "B"},
        error="not_found",
    ),
    Row(
        id="a chain with itself",
        tool="find_interface_contacts",
        arguments={"pdb_id": "1LCD", "chain_a": "A", "chain_b": "A"},
        error="bad_argument",
    ),
    Row(
        id="contacts of a structure that is not shipped",
        tool="find_interface_contacts",
        arguments={"pdb_id": "1LMB", "chain_a": "A", "chain_b": "B"},
        error="not_in_extract",
    ),
)
