"""Frames as files for a spreadsheet or a program."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fcbench.aggregate.frames import Frame
from fcbench.aggregate.tables import flat
from fcbench.workflows.csv_cells import safe_cell

Form = Literal["csv", "parquet", "json"]
TABLE_FORMS: dict[str, Form] = {"csv": "csv", "parquet": "parquet", "json": "json"}
"""Forms that hold a frame as it is, and no text for people."""


def write_frame(frame: Frame, path: Path, form: Form) -> Path:
    """Write every column of a frame; in CSV lists are joined by `; `, and no text is a formula.

    Args:
        frame: with at least one column of text.
        path: without the suffix, which is the form's name.
        form: of the file.
    """
    file = path.with_name(f"{path.name}.{form}")
    if form == "parquet":
        frame.write_parquet(file)
    elif form == "json":
        frame.write_json(file)
    else:
        table = flat(frame)
        text = next(kind for kind in table.schema.values() if str(kind) == "String")
        texts = [name for name, kind in table.schema.items() if kind == text]
        table.with_columns([table[name].map_elements(safe_cell, return_dtype=text) for name in texts]).write_csv(file)
    return file
