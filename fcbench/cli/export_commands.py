"""Commands that write packages in the formats of other tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption, RunsArgument
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    export = typer.Typer(help="Packages in the formats of other tools.", rich_markup_mode=None)
    # A group with one command would otherwise become that command.
    export.callback()(_formats)
    export.command("inspect")(inspect)
    export.command("eee")(eee)
    export.command("hf-results")(hf_results)
    app.add_typer(export, name="export")


def _formats() -> None:
    """Write packages in the formats of other tools."""


def _told(printer: Output) -> Callable[[int], None]:
    def told(done: int) -> None:
        printer.note(f"runs exported: {done:,}")

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


def eee(
    package: RunsArgument,
    organisation: Annotated[str, typer.Option("--organisation", help="Who evaluated, as the record names them.")],
    relationship: Annotated[
        Literal["first_party", "third_party", "collaborative", "other"],
        typer.Option("--relationship", help="Of the organisation to the model."),
    ] = "other",
    output: OutputOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Write records of Every Eval Ever: the numbers of each board, and a line for each attempt at each tier.

    Example: fcbench export eee runs --organisation "Our lab" --output build/eee
    """
    from fcbench.workflows.interchange import EeeRequest, export_eee

    printer = Output(as_json=json)
    request = EeeRequest(organisation=organisation, relationship=relationship, project=project)
    report = export_eee(package, output or Path("build/eee"), request, on_run=_told(printer))
    printer.result(report.text(), report.data())


def hf_results(
    package: RunsArgument,
    dataset: Annotated[str, typer.Option("--dataset", help="OWNER/NAME of the dataset that hosts the leaderboard.")],
    output: OutputOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Write eval.yaml and .eval_results/*.yaml in the form of the Hugging Face hub, whose list lacks fcbench so far.

    Example: fcbench export hf-results runs --dataset OWNER/NAME --output build/hf-results
    """
    from fcbench.workflows.interchange import export_hf_results

    printer = Output(as_json=json)
    report = export_hf_results(package, output or Path("build/hf-results"), dataset, project, on_run=_told(printer))
    printer.result(report.text(), report.data())
