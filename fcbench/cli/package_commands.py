"""Commands on whole packages: merge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, OutputOption
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    package = typer.Typer(help="Execution packages.", rich_markup_mode=None)
    # A group with one command would otherwise become that command.
    package.callback()(_packages)
    package.command("merge")(merge)
    app.add_typer(package, name="package")


def _packages() -> None:
    """Work on execution packages."""


def merge(
    shards: Annotated[list[Path], typer.Argument(help="Shards of one plan, or folders with shards below them.")],
    output: OutputOption = None,
    run_id: Annotated[
        str | None, typer.Option("--run-id", help="Name of the package; made from the time without.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Merge the packages that `fcbench run --shard i/n` made into the one that a single machine would have made.

    All parts must be there, each once, unaltered, and of one plan: equal hashes, parameters, versions, engine build.

    Example: fcbench package merge shards --output runs
    """
    from fcbench.cli.run_report import run_report
    from fcbench.workflows.merge import merge as work
    from fcbench.workflows.score import score as judge

    printer = Output(as_json=json)
    package = work(shards, output or Path("runs"), run_id=run_id)
    judge(package)
    text, data = run_report(package)
    printer.result(text, data)
