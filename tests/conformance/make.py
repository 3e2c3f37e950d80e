"""Write the conformance set: `python -m tests.conformance.make` rewrites the `.jsonl` files beside this module.

The rows are authored in the `rows_*` modules; the `.jsonl` files are what counts, and a test holds the two equal.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conformance.rows_calls import CALLS
from tests.conformance.rows_decisions import DECISIONS
from tests.conformance.rows_faults import ARGUMENTS
from tests.conformance.rows_forms import FORMS
from tests.conformance.rows_further import FURTHER
from tests.conformance.rows_hostile import HOSTILE, RECOVERY
from tests.conformance.rows_matching import MATCHING
from tests.conformance.rows_order import ORDER, REFERENCES
from tests.conformance.rows_partial import DIMENSIONS, PARTIAL
from tests.conformance.rows_slips import SLIPS
from tests.conformance.rows_tiers import TIERS
from tests.conformance.rows_values import VALUES

FOLDER = Path(__file__).resolve().parent
TOPICS: dict[str, list[dict[str, Any]]] = {
    "matching": MATCHING,
    "values": VALUES,
    "forms-and-equivalents": FORMS,
    "references": REFERENCES,
    "order-and-blocks": ORDER,
    "dimensions": DIMENSIONS,
    "faults": [*ARGUMENTS, *SLIPS, *CALLS],
    "tiers": TIERS,
    "partial": PARTIAL,
    "decisions": DECISIONS,
    "recovery": RECOVERY,
    "hostile": HOSTILE,
}


def lines_of(topic: str) -> str:
    """The text of one file: one line of ASCII JSON a row."""
    rows = [*TOPICS[topic], *FURTHER.get(topic, [])]
    return "".join(json.dumps({**row, "id": f"{topic}/{row['id']}"}, ensure_ascii=True) + "\n" for row in rows)


if __name__ == "__main__":
    for name in TOPICS:
        (FOLDER / f"{name}.jsonl").write_text(lines_of(name), encoding="utf-8", newline="\n")
