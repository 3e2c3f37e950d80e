"""Options that several commands share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

ProjectOption = Annotated[
    Path | None,
    typer.Option("--project", help="Folder with suites/ and tools_registry/; the embedded default without one."),
]
PricesOption = Annotated[
    Path | None,
    typer.Option("--prices", help="A price file (YAML); prices.yaml in the project's folder if not said."),
]
HeldOutOption = Annotated[
    Path | None, typer.Option("--held-out", help="The secret file of sealed cases: they are taken as well.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
OutputOption = Annotated[Path | None, typer.Option("--output", help="Where to write.")]
RunsArgument = Annotated[Path, typer.Argument(help="A package, or a folder with packages below it.")]
ProgressOption = Annotated[
    Literal["auto", "live", "plain", "none"],
    typer.Option("--progress", help="On stderr: a live display, plain lines, nothing; auto: as the terminal allows."),
]
EventsOption = Annotated[
    str | None,
    typer.Option(
        "--events", help="Append every event as a line of JSON to this file; - is stderr, in place of progress."
    ),
]
