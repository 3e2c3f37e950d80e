"""What the tools of the category `annotation` answer.

Ids count the entries of the file from 1, the `source` entry first: in D10483 the araA gene entry is number 113 and its
coding sequence number 114 (counted with Biopython alone).
"""

from __future__ import annotations

from tests.workbench.rows import Row

SITE = ("create_annotation", {"name": "cap site", "feature_type": "misc_feature", "start": 69800, "end": 69821})
PROMOTER = (
    "create_annotation",
    {
        "name": "araBp",
        "feature_type": "promoter",
        "start": 69720,
        "end": 69760,
        "strand": "-",
        "note": "Arabinose promoter",
    },
)
RENAMED = ("update_annotation", {"annotation_id": "ftr-114", "product": "Arabinose isomerase", "note": "checked"})

ROWS = (
    Row(
        id="a feature without a strand",
        tool="create_annotation",
        arguments={"name": "carB_amplicon", "feature_type": "misc_feature", "start": 31000, "end": 31499},
        answers={"annotation_id": "ann-1", "start": 31000, "end": 31499},
    ),
    Row(
        id="the second gets the next id",
        tool="create_annotation",
        before=(SITE,),
        arguments={"name": "x", "feature_type": "gene", "start": 1, "end": 1},
        answers={"annotation_id": "ann-2", "start": 1, "end": 1},
    ),
    Row(
        id="a place that ends behind the sequence",
        tool="create_annotation",
        arguments={"name": "x", "feature_type": "CDS", "start": 111400, "end": 111409},
        error="bad_range",
    ),
    Row(
        id="a name of spaces",
        tool="create_annotation",
        arguments={"name": "  ", "feature_type": "CDS", "start": 1, "end": 9},
        error="bad_argument",
    ),
    Row(
        id="a note that turns the writing round",
        tool="create_annotation",
        arguments={"name": "x", "feature_type": "CDS", "start": 1, "end": 9, "note": "ab\u202ecd"},
        error="bad_argument",
    ),
    Row(
        id="no genome",
        tool="create_annotation",
        fixture="empty-session",
        arguments={"name": "x", "feature_type": "CDS", "start": 1, "end": 9},
        error="no_genome",
    ),
    Row(
        id="two at once, in the order of the call",
        tool="create_annotations_batch",
        arguments={
            "annotations": [
                {"name": "right", "feature_type": "primer_bind", "start": 500, "end": 520, "strand": "-"},
                {"name": "left", "feature_type": "primer_bind", "start": 100, "end": 120, "strand": "+", "note": "n"},
            ]
        },
        answers={
            "count": 2,
            "annotations": [
                {"annotation_id": "ann-1", "name": "right", "start": 500, "strand": "-", "origin": "user"},
                {"annotation_id": "ann-2", "name": "left", "start": 100, "strand": "+", "edited": False},
            ],
        },
    ),
    Row(
        id="a symbol names a gene",
        tool="search_gene_by_name",
        before=(
            (
                "create_annotations_batch",
                {"annotations": [{"name": "yzzX", "feature_type": "gene", "start": 69750, "end": 69950}]},
            ),
        ),
        arguments={"name": "yzzx"},
        answers={"count": 1, "genes": [{"gene": "yzzX", "start": 69750, "end": 69950, "strand": "none"}]},
    ),
    Row(
        id="a second gene of a symbol is a gene of its own",
        tool="search_gene_by_name",
        before=(("create_annotation", {"name": "araA", "feature_type": "gene", "start": 200, "end": 290}),),
        arguments={"name": "araA"},
        answers={"count": 2, "genes": [{"start": 200, "end": 290}, {"start": 66502, "end": 68004, "strand": "-"}]},
    ),
    Row(
        id="and the symbol alone names neither",
        tool="get_gene_details",
        before=(("create_annotation", {"name": "araA", "feature_type": "gene", "start": 200, "end": 290}),),
        arguments={"gene_name": "araA"},
        error="ambiguous_gene",
    ),
    Row(
        id="an overlapping one belongs to the gene",
        tool="search_gene_by_name",
        before=(("create_annotation", {"name": "araA", "feature_type": "CDS", "start": 66502, "end": 67401}),),
        arguments={"name": "araA"},
        answers={"count": 1, "genes": [{"start": 66502, "end": 68004, "strand": "-"}]},
    ),
    Row(
        id="one of two lies outside",
        tool="create_annotations_batch",
        arguments={
            "annotations": [
                {"name": "a", "feature_type": "promoter", "start": 1, "end": 20},
                {"name": "b", "feature_type": "promoter", "start": 20, "end": 1},
            ]
        },
        error="bad_range",
    ),
    Row(
        id="the coding sequence of araA",
        tool="get_annotation",
        arguments={"annotation_id": "ftr-114"},
        answers={
            "annotation_id": "ftr-114",
            "feature_type": "CDS",
            "name": "araA",
            "start": 66502,
            "end": 68004,
            "strand": "-",
            "origin": "file",
            "edited": False,
            "sequence_id": "D10483.2",
            "length": 1503,
            "parts": [{"start": 66502, "end": 68004, "strand": "-"}],
            "qualifiers": [
                {"qualifier": "gene", "value": "araA"},
                {"qualifier": "note", "value": "ORF_ID:o107#4 similar to SwissProt Accession Number P08202"},
                {"qualifier": "codon_start", "value": "1"},
                {"qualifier": "transl_table", "value": "11"},
                {"qualifier": "product", "value": "L-arabinose isomerase (EC 5.3.1.4)."},
                {"qualifier": "protein_id", "value": "BAB96631.1"},
                {"qualifier": "db_xref", "value": "GI:21321944"},
            ],
        },
    ),
    Row(
        id="the parts of a trans-spliced gene in reading order",
        tool="get_annotation",
        fixture="chloroplast",
        arguments={"annotation_id": "ftr-137"},
        answers={
            "name": "rps12",
            "strand": "mixed",
            "length": 372,
            "parts": [
                {"start": 69611, "end": 69724, "strand": "-"},
                {"start": 139856, "end": 140087, "strand": "+"},
                {"start": 140625, "end": 140650, "strand": "+"},
            ],
        },
    ),
    Row(
        id="what a user made",
        tool="get_annotation",
        before=(PROMOTER,),
        arguments={"annotation_id": "ann-1"},
        answers={
            "name": "araBp",
            "origin": "user",
            "length": 41,
            "qualifiers": [
                {"qualifier": "label", "value": "araBp"},
                {"qualifier": "note", "value": "Arabinose promoter"},
            ],
        },
    ),
    Row(
        id="an id that nothing has",
        tool="get_annotation",
        arguments={"annotation_id": "ftr-189"},
        error="not_found",
    ),
    Row(
        id="features of a range with their ids",
        tool="list_annotations",
        arguments={"start": 66302, "end": 68010},
        answers={
            "count": 2,
            "annotations": [
                {"annotation_id": "ftr-113", "feature_type": "gene", "name": "araA"},
                {"annotation_id": "ftr-114", "feature_type": "CDS", "name": "araA"},
            ],
        },
    ),
    Row(
        id="what a user made, in order of place",
        tool="list_annotations",
        before=(SITE, PROMOTER),
        arguments={"origin": "user"},
        answers={
            "count": 2,
            "annotations": [
                {"annotation_id": "ann-2", "name": "araBp", "feature_type": "promoter"},
                {"annotation_id": "ann-1", "name": "cap site", "strand": "none"},
            ],
        },
    ),
    Row(
        id="everything of the file, the whole-sequence entry left out",
        tool="list_annotations",
        before=(SITE,),
        arguments={"origin": "file"},
        answers={"count": 187},
    ),
    Row(
        id="a start behind the end of the sequence",
        tool="list_annotations",
        arguments={"start": 111409},
        error="bad_range",
    ),
    Row(
        id="words of a feature that a user made",
        tool="search_annotations",
        before=(SITE, PROMOTER),
        arguments={"query": "ARABINOSE"},
        answers={"count": 1, "annotations": [{"annotation_id": "ann-2", "name": "araBp"}]},
    ),
    Row(
        id="words of a changed feature of the file, not of the others",
        tool="search_annotations",
        before=(RENAMED,),
        arguments={"query": "isomerase"},
        answers={"count": 1, "annotations": [{"annotation_id": "ftr-114", "origin": "file", "edited": True}]},
    ),
    Row(
        id="nothing was made yet",
        tool="search_annotations",
        arguments={"query": "araA"},
        answers={"count": 0, "annotations": []},
    ),
    Row(id="a phrase of spaces", tool="search_annotations", arguments={"query": " "}, error="bad_argument"),
    Row(
        id="one end moves, the other stays",
        tool="update_annotation",
        before=(PROMOTER,),
        arguments={"annotation_id": "ann-1", "start": 69716},
        answers={"annotation_id": "ann-1", "start": 69716, "end": 69760, "strand": "-", "name": "araBp"},
    ),
    Row(
        id="another name of a file's feature",
        tool="update_annotation",
        arguments={"annotation_id": "ftr-20", "name": "htpY", "strand": "-"},
        answers={"name": "htpY", "start": 10479, "end": 10963, "strand": "-", "origin": "file", "edited": True},
    ),
    Row(
        id="the protein goes when the place changes",
        tool="get_protein_sequence",
        before=(("update_annotation", {"annotation_id": "ftr-140", "end": 83342}),),
        arguments={"gene_name": "leuLP"},
        answers={"gene": "leuLP", "length": 18},
    ),
    Row(
        id="nothing to change",
        tool="update_annotation",
        arguments={"annotation_id": "ftr-114"},
        error="bad_argument",
    ),
    Row(
        id="the place of a feature in parts",
        tool="update_annotation",
        fixture="chloroplast",
        arguments={"annotation_id": "ftr-137", "start": 69600},
        error="bad_argument",
    ),
    Row(
        id="the texts of a feature in parts",
        tool="update_annotation",
        fixture="chloroplast",
        arguments={"annotation_id": "ftr-137", "note": "three exons"},
        answers={"start": 69611, "end": 140650, "strand": "mixed", "edited": True},
    ),
    Row(
        id="start behind the old end",
        tool="update_annotation",
        arguments={"annotation_id": "ftr-114", "start": 68005},
        error="bad_range",
    ),
    Row(
        id="the entry of the whole sequence",
        tool="update_annotation",
        arguments={"annotation_id": "ftr-1", "note": "x"},
        error="bad_argument",
    ),
    Row(
        id="gene entry and coding sequence together",
        tool="update_annotations_bulk",
        arguments={
            "updates": [
                {"annotation_id": "ftr-114", "name": "araX", "product": "Isomerase"},
                {"annotation_id": "ftr-113", "name": "araX"},
            ]
        },
        answers={
            "count": 2,
            "annotations": [
                {"annotation_id": "ftr-114", "name": "araX", "start": 66502},
                {"annotation_id": "ftr-113", "name": "araX", "edited": True},
            ],
        },
    ),
    Row(
        id="the new name finds the gene",
        tool="search_gene_by_name",
        before=(
            (
                "update_annotations_bulk",
                {"updates": [{"annotation_id": f"ftr-{n}", "name": "araX"} for n in (113, 114)]},
            ),
        ),
        arguments={"name": "araX"},
        answers={"count": 1, "genes": [{"gene": "araX", "start": 66502, "end": 68004}]},
    ),
    Row(
        id="a name that is no symbol takes the place of the symbol",
        tool="get_annotation",
        before=(("update_annotation", {"annotation_id": "ftr-113", "name": "my isomerase"}),),
        arguments={"annotation_id": "ftr-113"},
        answers={"name": "my isomerase", "qualifiers": [{"qualifier": "label", "value": "my isomerase"}]},
    ),
    Row(
        id="a symbol takes the place of a label",
        tool="get_annotation",
        before=(
            ("create_annotation", {"name": "new gene", "feature_type": "gene", "start": 1, "end": 90}),
            ("update_annotation", {"annotation_id": "ann-1", "name": "yzzX"}),
        ),
        arguments={"annotation_id": "ann-1"},
        answers={"name": "yzzX", "qualifiers": [{"qualifier": "gene", "value": "yzzX"}]},
    ),
    Row(
        id="one feature twice",
        tool="update_annotations_bulk",
        arguments={
            "updates": [{"annotation_id": "ftr-2", "name": "a"}, {"annotation_id": "ftr-2", "note": "b"}],
        },
        error="bad_argument",
    ),
    Row(
        id="nothing to change in the second",
        tool="update_annotations_bulk",
        arguments={"updates": [{"annotation_id": "ftr-2", "name": "a"}, {"annotation_id": "ftr-3"}]},
        error="bad_argument",
    ),
    Row(
        id="one id of two is wrong",
        tool="update_annotations_bulk",
        arguments={"updates": [{"annotation_id": "ftr-2", "name": "a"}, {"annotation_id": "ann-1", "name": "b"}]},
        error="not_found",
    ),
    Row(
        id="the deleted feature as it was",
        tool="delete_annotation",
        arguments={"annotation_id": "ftr-114"},
        answers={"annotation_id": "ftr-114", "feature_type": "CDS", "name": "araA", "start": 66502, "end": 68004},
    ),
    Row(
        id="its gene entry stays",
        tool="get_features_at_position",
        before=(("delete_annotation", {"annotation_id": "ftr-114"}),),
        arguments={"position": 67000},
        answers={"count": 1, "features": [{"feature_type": "gene", "gene": "araA"}]},
    ),
    Row(
        id="the entry of the whole sequence",
        tool="delete_annotation",
        arguments={"annotation_id": "ftr-1"},
        error="bad_argument",
    ),
    Row(
        id="twice",
        tool="delete_annotation",
        before=(SITE,),
        arguments={"annotation_id": "ann-2"},
        error="not_found",
    ),
    Row(
        id="made, moved and deleted",
        tool="get_annotation_history",
        before=(
            SITE,
            ("update_annotation", {"annotation_id": "ann-1", "name": "CRP site", "end": 69825}),
            ("delete_annotation", {"annotation_id": "ann-1"}),
        ),
        arguments={"annotation_id": "ann-1"},
        answers={
            "annotation_id": "ann-1",
            "exists": False,
            "count": 3,
            "changes": [
                {
                    "change": "created",
                    "fields": [
                        {"field": "start", "before": "", "after": "69800"},
                        {"field": "end", "before": "", "after": "69821"},
                        {"field": "strand", "before": "", "after": "none"},
                        {"field": "name", "before": "", "after": "cap site"},
                    ],
                },
                {
                    "change": "updated",
                    "fields": [
                        {"field": "end", "before": "69821", "after": "69825"},
                        {"field": "name", "before": "cap site", "after": "CRP site"},
                    ],
                },
                {
                    "change": "deleted",
                    "fields": [
                        {"field": "start", "before": "69800", "after": ""},
                        {"field": "end", "before": "69825", "after": ""},
                        {"field": "strand", "before": "none", "after": ""},
                        {"field": "name", "before": "CRP site", "after": ""},
                    ],
                },
            ],
        },
    ),
    Row(
        id="texts of a file's feature",
        tool="get_annotation_history",
        before=(RENAMED,),
        arguments={"annotation_id": "ftr-114"},
        answers={
            "exists": True,
            "count": 1,
            "changes": [
                {
                    "change": "updated",
                    "fields": [
                        {
                            "field": "product",
                            "before": "L-arabinose isomerase (EC 5.3.1.4).",
                            "after": "Arabinose isomerase",
                        },
                        {
                            "field": "note",
                            "before": "ORF_ID:o107#4 similar to SwissProt Accession Number P08202",
                            "after": "checked",
                        },
                    ],
                }
            ],
        },
    ),
    Row(
        id="nothing was done",
        tool="get_annotation_history",
        arguments={"annotation_id": "ftr-2"},
        answers={"exists": True, "count": 0, "changes": []},
    ),
    Row(
        id="an id that never was",
        tool="get_annotation_history",
        arguments={"annotation_id": "ann-1"},
        error="not_found",
    ),
)
