"""Commands that show: tables, site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption, RunsArgument
from fcbench.cli.output import Output
from fcbench.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("tables")(tables)
    site = typer.Typer(help="The leaderboard site.", rich_markup_mode=None)
    site.command("build")(site_build)
    site.command("serve")(site_serve)
    app.add_typer(site, name="site")


def tables(
    runs: RunsArgument,
    by: Annotated[
        Literal["board", "category", "level", "mix", "language", "suite", "trap", "schema", "tool", "fault", "k"],
        typer.Option("--by", help="One row a run, or one row a run and segment; k: pass^k and pass@k."),
    ] = "board",
    columns: Annotated[
        Literal["summary", "accuracy", "dimensions", "repeats", "tools", "cost", "run", "all"],
        typer.Option("--columns", help="Which numbers of a board are printed; files always hold all of them."),
    ] = "summary",
    prices: Annotated[Path | None, typer.Option("--prices", help="A price file (YAML), for costs.")] = None,
    collection: Annotated[str | None, typer.Option("--collection", help="Only boards of this collection.")] = None,
    tier: Annotated[str | None, typer.Option("--tier", help="Only boards of this tier.")] = None,
    output: OutputOption = None,
    form: Annotated[
        Literal["text", "csv", "parquet", "json", "markdown"] | None,
        typer.Option("--format", help="Form of --output, csv if not said; markdown without --output is printed."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print one table for each board; boards are never pooled.

    Example: fcbench tables runs --by level

    Example: fcbench tables runs --columns cost --prices prices.yaml

    Example: fcbench tables runs --format markdown --output build/tables
    """
    from fcbench.engine.prices import read_prices
    from fcbench.workflows.tabulate import tabulate

    if not output and form not in (None, "text", "markdown"):
        raise UsageError(
            f"a table as {form} needs a place",
            wanted="--output FOLDER, one file a board",
            found=f"--format {form} alone",
            where="--format",
            next_step="name a folder with --output, or use --json for standard output",
        )
    report = tabulate(runs, by=by, collection=collection, tier=tier, prices=read_prices(prices) if prices else None)
    if output:
        report.write(output, form or "csv")
    text = report.markdown() if form == "markdown" and not output else report.text(columns)
    Output(as_json=json).result(text, report.data())


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
