"""The forms in which commands give their tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.errors import UsageError

Form = Literal["text", "csv", "parquet", "json", "markdown"]
FormOption = Annotated[
    Form | None,
    typer.Option("--format", help="Form of --output, csv if not said; markdown without --output is printed."),
]


def refuse_form_without_place(form: Form | None, output: Path | None) -> None:
    """Refuse a form that standard output is not given in.

    Raises:
        UsageError: there is no `--output` for a file of this form.
    """
    if not output and form not in (None, "text", "markdown"):
        raise UsageError(
            f"tables as {form} need a place",
            wanted="--output FOLDER",
            found=f"--format {form} alone",
            where="--format",
            next_step="name a folder with --output, or use --json for standard output",
        )
