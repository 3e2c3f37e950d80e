"""The columns of tables by segment, fault kind and number of repeats for people."""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.workflows.board_columns import Row, interval, out_of, share
from fcbench.workflows.text_tables import percent


def segment_cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Heads and cells of `tables.segment_table`, whichever segments it is by."""
    if rows and "faults" in rows[0]:
        head = ["model", "fault kind", "faults", "attempts", "cases"]
        return head, [[*_named(row), str(row["faults"]), out_of(row, "attempts"), str(row["cases"])] for row in rows]
    if rows and "pass_hat" in rows[0]:
        head = ["model", "k", "pass^k: all k pass", "pass@k: one of k passes"]
        return head, [[*_named(row), share(row, "pass_hat"), share(row, "pass_at")] for row in rows]
    head = ["model", "segment", "strict accuracy (95 %)", "calls n", "restraint", "partial", "complete"]
    return head, [
        [
            *_named(row),
            interval(row, "strict"),
            str(row["strict_n"]),
            out_of(row, "restraint_accuracy"),
            percent(row["partial"]),
            out_of(row, "completion"),
        ]
        for row in rows
    ]


def _named(row: Row) -> tuple[str, str]:
    return str(row["model"]), str(row["segment"])
