"""What the tools of the category `cloning` that cut and run DNA answer."""

from __future__ import annotations

from tests.workbench.rows import Row

ROWS = (
    Row(
        id="three cuts of BamHI (case gs-017)",
        tool="find_restriction_sites",
        arguments={"enzyme": "BamHI", "start": 36000, "end": 46000},
        answers={"enzyme": "BamHI", "count": 3, "cut_positions": [37170, 40507, 44221]},
    ),
    Row(
        id="the one NotI cut of the record",
        tool="find_restriction_sites",
        arguments={"enzyme": "NotI"},
        answers={"count": 1, "cut_positions": [24808]},
    ),
    Row(
        id="an enzyme that cuts beside its site, on either strand",
        tool="find_restriction_sites",
        arguments={"enzyme": "BsaI"},
        answers={"count": 4, "cut_positions": [14479, 18546, 58679, 96255]},
    ),
    Row(
        id="a site over the origin of a circle is cut",
        tool="find_restriction_sites",
        fixture="phix174",
        arguments={"enzyme": "PstI"},
        answers={"count": 1, "cut_positions": [1]},
    ),
    Row(
        id="a piece of a circle is linear",
        tool="find_restriction_sites",
        fixture="phix174",
        arguments={"enzyme": "PstI", "start": 2},
        answers={"count": 0, "cut_positions": []},
    ),
    Row(
        id="the range begins inside a site",
        tool="find_restriction_sites",
        arguments={"enzyme": "BamHI", "start": 37170, "end": 40511},
        answers={"count": 1, "cut_positions": [40507]},
    ),
    Row(
        id="an enzyme that REBASE does not know",
        tool="find_restriction_sites",
        arguments={"enzyme": "XyzI"},
        error="unknown_enzyme",
    ),
    Row(
        id="an enzyme whose cut is not recorded",
        tool="find_restriction_sites",
        arguments={"enzyme": "AbaB8342IV"},
        error="unknown_enzyme",
    ),
    Row(
        id="two enzymes on a range (verified question gw-007)",
        tool="virtual_digest",
        arguments={"enzymes": ["EcoRI", "HindIII"], "start": 50000, "end": 70000},
        answers={"fragment_count": 2, "fragment_lengths": [14059, 5942], "cut_count": 1, "cut_positions": [55942]},
    ),
    Row(
        id="a circle with four cuts has four fragments (verified question gw-017)",
        tool="virtual_digest",
        fixture="plasmid-ppcp1",
        arguments={"enzymes": ["EcoRI", "HindIII"]},
        answers={
            "fragment_count": 4,
            "fragment_lengths": [5873, 1416, 1402, 918],
            "cut_positions": [547, 1963, 7836, 8754],
        },
    ),
    Row(
        id="five pieces of the whole record (case gs-018)",
        tool="virtual_digest",
        arguments={"enzymes": ["XhoI", "SpeI"], "start": 1, "end": 111408},
        answers={"fragment_lengths": [37575, 35261, 17806, 11477, 9289], "cut_count": 4},
    ),
    Row(
        id="three enzymes together (case gx-002)",
        tool="virtual_digest",
        arguments={"enzymes": ["NdeI", "NotI", "XbaI"], "start": 20001, "end": 30000},
        answers={"fragment_lengths": [4807, 3762, 903, 528]},
    ),
    Row(
        id="no cut leaves a circle whole",
        tool="virtual_digest",
        fixture="phix174",
        arguments={"enzymes": ["EcoRI"]},
        answers={"fragment_count": 1, "fragment_lengths": [5386], "cut_count": 0, "cut_positions": []},
    ),
    Row(
        id="one cut makes a circle linear",
        tool="virtual_digest",
        fixture="phix174",
        arguments={"enzymes": ["XhoI"]},
        answers={"fragment_lengths": [5386], "cut_count": 1, "cut_positions": [163]},
    ),
    Row(
        id="the HaeIII digest of phiX174, once a marker",
        tool="virtual_digest",
        fixture="phix174",
        arguments={"enzymes": ["HaeIII"]},
        answers={"fragment_lengths": [1353, 1078, 872, 603, 310, 281, 271, 234, 194, 118, 72]},
    ),
    Row(
        id="lists are cut at fifty, counts are not",
        tool="virtual_digest",
        arguments={"enzymes": ["AluI"]},
        answers={"fragment_count": 328, "cut_count": 327},
    ),
    Row(
        id="one enzyme of two is unknown",
        tool="virtual_digest",
        arguments={"enzymes": ["EcoRI", "EcoRi"]},
        error="unknown_enzyme",
    ),
    Row(
        id="a digest behind the end",
        tool="virtual_digest",
        arguments={"enzymes": ["EcoRI"], "start": 111409},
        error="bad_range",
    ),
    Row(
        id="all enzymes that are sold, from the table of Biopython",
        tool="list_restriction_enzymes",
        fixture="empty-session",
        answers={"count": 623},
    ),
    Row(
        id="all with a known cut",
        tool="list_restriction_enzymes",
        arguments={"commercial_only": False},
        answers={"count": 754},
    ),
    Row(
        id="blunt cutters with sites of eight letters",
        tool="list_restriction_enzymes",
        arguments={"overhang": "blunt", "site_length": 8},
        answers={
            "count": 6,
            "enzymes": [
                {"enzyme": "FspAI", "site": "RTGCGCAY", "overhang": "blunt", "commercial": True},
                {"enzyme": "MssI", "site": "GTTTAAAC"},
                {"enzyme": "PmeI", "site": "GTTTAAAC"},
                {"enzyme": "SmiI", "site": "ATTTAAAT"},
                {"enzyme": "SrfI", "site": "GCCCGGGC"},
                {"enzyme": "SwaI", "site": "ATTTAAAT"},
            ],
        },
    ),
    Row(
        id="3' overhangs with sites of eight letters",
        tool="list_restriction_enzymes",
        arguments={"overhang": "three_prime", "site_length": 8},
        answers={"count": 10},
    ),
    Row(
        id="nothing of this kind",
        tool="list_restriction_enzymes",
        arguments={"overhang": "blunt", "site_length": 15},
        answers={"count": 0, "enzymes": []},
    ),
    Row(
        id="what leaves a range whole, tried one by one",
        tool="find_noncutting_enzymes",
        arguments={"start": 50000, "end": 70000},
        answers={"count": 71},
    ),
    Row(
        id="a range too long to try every enzyme",
        tool="find_noncutting_enzymes",
        arguments={"start": 1, "end": 50001},
        error="bad_range",
    ),
    Row(
        id="nothing cuts two bases",
        tool="find_noncutting_enzymes",
        fixture="phix174",
        arguments={"start": 1, "end": 2},
        answers={"count": 623},
    ),
    Row(
        id="the enzymes of a session without a genome",
        tool="find_noncutting_enzymes",
        fixture="empty-session",
        arguments={"start": 1, "end": 2},
        error="no_genome",
    ),
    Row(
        id="four bands on 1.5 percent (case gs-019), from the logarithms",
        tool="simulate_gel",
        fixture="empty-session",
        arguments={"fragment_lengths": [4200, 1850, 960, 310], "gel_percent": 1.5, "ladder": "100bp"},
        answers={"fragment_lengths": [4200, 1850, 960, 310], "distances_mm": [14.6, 28.4, 46.6, 77.9]},
    ),
    Row(
        id="the pieces of the verified question gw-007 on 0.8 percent",
        tool="simulate_gel",
        arguments={"fragment_lengths": [14059, 5942], "gel_percent": 0.8, "ladder": "1kb"},
        answers={"distances_mm": [14.3, 24.9]},
    ),
    Row(
        id="lambda cut with HindIII",
        tool="simulate_gel",
        arguments={"fragment_lengths": [500], "ladder": "lambda_hindiii"},
        answers={
            "ladder_bands": [
                {"length": 23130},
                {"length": 9416},
                {"length": 6557},
                {"length": 4361},
                {"length": 2322},
                {"length": 2027},
                {"length": 564},
                {"length": 125},
            ]
        },
    ),
)
