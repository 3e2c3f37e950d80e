"""Rows in the form of the Berkeley Function Calling Leaderboard, written here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from fcbench.suites.bfcl import PairRow, read_pairs

SHARED = Path(__file__).resolve().parents[3] / "shared/data/bfcl/pairs_dev.jsonl.gz"
"""The published pairs; absent where only this repository was cloned."""


def function(name: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    parameters = {"type": "dict", "properties": properties, "required": list(required)}
    return {"name": name, "description": f"What {name} does.", "parameters": parameters}


PARK = function(
    "park.book",
    ("city",),
    city={"type": "string", "description": "The city."},
    nights={"type": "integer", "description": "How many."},
    zones={"type": "array", "items": {"type": "float"}, "description": "Zone numbers."},
    tent={"type": "dict", "properties": {"size": {"type": "integer"}, "colour": {"type": "string"}}},
)
ROUTE = function("route", ("via",), via={"type": "string"}, speed={"type": "float"})


def pair(name: str, calls: Any, answers: Any, *, valid: bool = True, **more: Any) -> dict[str, Any]:
    """One line of a pairs file, about `park.book` in the category `simple_python` unless said otherwise."""
    row = {
        "id": f"{name}::{more.get('perturbation', 'perfect')}",
        "base_id": name,
        "category": "simple_python",
        "language": "python",
        "question": [[{"role": "user", "content": f"A wish about {name}."}]],
        "functions": [PARK],
        "ground_truth": answers,
        "model_calls": calls,
        "model_text": None,
        "perturbation": "perfect",
        "bfcl_valid": valid,
        "bfcl_error_type": None,
    }
    return {**row, **more}


def write_pairs(path: Path, *rows: dict[str, Any]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def pair_rows(folder: Path, *rows: dict[str, Any]) -> list[PairRow]:
    return list(read_pairs(write_pairs(folder / "pairs.jsonl", *rows)))
