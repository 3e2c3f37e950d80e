"""Commands that show: tables, site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.forms import FormOption, refuse_form_without_place
from fcbench.cli.options import JsonOption, OutputOption, PricesOption, ProjectOption, RunsArgument
from fcbench.cli.output import Output


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
    prices: PricesOption = None,
    collection: Annotated[str | None, typer.Option("--collection", help="Only boards of this collection.")] = None,
    tier: Annotated[str | None, typer.Option("--tier", help="Only boards of this tier.")] = None,
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="A second interval of strict accuracy, by drawing cases, as a check.")
    ] = False,
    output: OutputOption = None,
    form: FormOption = None,
    json: JsonOption = False,
) -> None:
    """Print one table for each board; boards are never pooled.

    Example: fcbench tables runs --by level

    Example: fcbench tables runs --columns cost --prices prices.yaml

    Example: fcbench tables runs --format markdown --output build/tables
    """
    from fcbench.workflows.price_files import find_prices
    from fcbench.workflows.tabulate import tabulate

    refuse_form_without_place(form, output)
    listed = find_prices(prices)
    report = tabulate(runs, by=by, collection=collection, tier=tier, prices=listed, bootstrap=bootstrap)
    if output:
        report.write(output, form or "csv")
    text = report.markdown() if form == "markdown" and not output else report.text(columns)
    Output(as_json=json).result(text, report.data())


def site_build(
    runs: Annotated[Path, typer.Argument(help="A folder with packages below it.")] = Path("runs"),
    output: OutputOption = None,
    project: ProjectOption = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="Address below which the pages will stand: canonical links, site map, feed."),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option("--since", help="data/state.json of an earlier build: the leaderboard says what changed."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Verify every package first; one that is not intact ends the build.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Build the leaderboard site from sealed packages.

    Example: fcbench site build runs --output build/site --base-url https://example.org/fcbench/
    """
    from fcbench.workflows.build_site import SiteRequest, build

    printer = Output(as_json=json)
    request = SiteRequest(runs=runs, project=project, base_url=base_url, since=since, verify=verify)
    report = build(request, output or Path("build/site"))
    printer.result(report.text(), report.data())


def site_serve(
    folder: Annotated[
        Path, typer.Argument(help="A folder with packages, which is watched; or a built site, served as it is.")
    ] = Path("runs"),
    output: OutputOption = None,
    project: ProjectOption = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port on the loopback address; 0 picks one.")
    ] = 8000,
) -> None:
    """Serve the site on the loopback address until Ctrl-C, built anew whenever a package arrives.

    Example: fcbench site serve runs --port 8001
    """
    from fcbench.workflows.build_site import SiteRequest
    from fcbench.workflows.serve_site import serve, serve_and_watch

    say = Output().note
    if (folder / "index.html").is_file():
        serve(folder, port, say=say)
    else:
        request = SiteRequest(runs=folder, project=project, may_be_empty=True)
        serve_and_watch(request, output or Path("build/site"), port, say=say)
