"""The tables of docs/reference/outcomes.md, from the rows: `python -m tests.engine.faults.page` prints them."""

from __future__ import annotations

import sys

from tests.engine.faults.row import Row
from tests.engine.faults.rows_model import MODEL
from tests.engine.faults.rows_refusals import REFUSALS
from tests.engine.faults.rows_wire import WIRE

GROUPS: tuple[tuple[str, tuple[Row, ...]], ...] = (*WIRE, *MODEL, *REFUSALS)
_HEAD = ("what the server does", "outcome", "error kind, status", "requests", "what the record holds")


def tables() -> str:
    """All tables, each under its heading."""
    return "\n".join(f"### {name}\n\n{_table(rows)}" for name, rows in GROUPS)


def _table(rows: tuple[Row, ...]) -> str:
    lines = [_HEAD, ("---",) * len(_HEAD), *(row.cells() for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    sys.stdout.write(tables())
