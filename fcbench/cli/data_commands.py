"""Commands that show and publish: tables, site, dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption, RunsArgument
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("tables")(tables)
    site = typer.Typer(help="The leaderboard site.", rich_markup_mode=None)
    site.command("build")(site_build)
    site.command("serve")(site_serve)
    app.add_typer(site, name="site")
    dataset = typer.Typer(help="Datasets for others.", rich_markup_mode=None)
    dataset.command("export")(dataset_export)
    app.add_typer(dataset, name="dataset")


def tables(
    runs: RunsArgument,
    by: Annotated[
        Literal["board", "category", "level", "mix", "language", "trap", "fault"],
        typer.Option("--by", help="One row a run, or one row a run and segment."),
    ] = "board",
    collection: Annotated[str | None, typer.Option("--collection", help="Only boards of this collection.")] = None,
    tier: Annotated[str | None, typer.Option("--tier", help="Only boards of this tier.")] = None,
    output: OutputOption = None,
    form: Annotated[
        Literal["text", "csv", "parquet", "json"], typer.Option("--format", help="Form of --output.")
    ] = "csv",
    json: JsonOption = False,
) -> None:
    """Print one table for each board; boards are never pooled.

    Example: fcbench tables runs --by level
    """
    from fcbench.workflows.tabulate import tabulate

    report = tabulate(runs, by=by, collection=collection, tier=tier)
    if output:
        report.write(output, form)
    Output(as_json=json).result(report.text(), report.data())


def site_build(
    runs: Annotated[Path, typer.Argument(help="A folder with packages below it.")] = Path("runs"),
    output: OutputOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Build the leaderboard site from sealed packages.

    Example: fcbench site build runs --output build/site
    """
    from fcbench.workflows.build_site import build

    printer = Output(as_json=json)
    report = build(project, runs, output or Path("build/site"))
    printer.result(report.text(), report.data())


def site_serve(
    folder: Annotated[Path, typer.Argument(help="A built site.")] = Path("build/site"),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port on the loopback address; 0 picks one.")
    ] = 8000,
) -> None:
    """Serve a built site on the loopback address until Ctrl-C.

    Example: fcbench site serve build/site --port 8001
    """
    from fcbench.workflows.serve_site import serve

    serve(folder, port, say=Output().note)


def dataset_export(
    runs: Annotated[Path, typer.Argument(help="A folder with packages below it.")] = Path("runs"),
    output: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Write cases, tools, attempts, rounds, verdicts and leaderboards as Parquet with a card.

    Example: fcbench dataset export runs --output build/dataset
    """
    from fcbench.workflows.export_dataset import export

    report = export(runs, output or Path("build/dataset"))
    Output(as_json=json).result(report.text(), report.data())
