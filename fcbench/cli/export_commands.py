"""Commands that write packages in the formats of other tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption, RunsArgument
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    export = typer.Typer(help="Packages in the formats of other tools.", rich_markup_mode=None)
    # A group with one command would otherwise become that command.
    export.callback()(_formats)
    export.command("inspect")(inspect)
    app.add_typer(export, name="export")


def _formats() -> None:
    """Write packages in the formats of other tools."""


def _told(printer: Output) -> Callable[[int], None]:
    def told(done: int) -> None:
        printer.note(f"exported {done:,} runs")

    return told


def inspect(
    package: RunsArgument,
    output: OutputOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Write an Inspect log (.eval) of each package: rounds as messages, each tier as a scorer.

    `inspect view --log-dir FOLDER` shows them, and `inspect_ai.log.read_eval_log` reads them.

    Example: fcbench export inspect runs --output build/inspect
    """
    from fcbench.workflows.interchange import export_inspect

    printer = Output(as_json=json)
    report = export_inspect(package, output or Path("build/inspect"), project, on_run=_told(printer))
    printer.result(report.text(), report.data())
