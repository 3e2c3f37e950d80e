"""Commands on datasets: export, push, replicate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption
from fcbench.cli.output import Output
from fcbench.export.offline import go_online

RepoArgument = Annotated[str, typer.Argument(metavar="REPO", help="A dataset repository on a hub: OWNER/NAME.")]
EndpointOption = Annotated[
    str | None, typer.Option("--endpoint", help="Address of the hub; HF_ENDPOINT or the public one without.")
]
_EVERY = 1_000
"""Attempts between two lines of progress."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    dataset = typer.Typer(help="Datasets for others.", rich_markup_mode=None)
    dataset.command("export")(export)
    dataset.command("push")(push)
    dataset.command("replicate")(replicate)
    app.add_typer(dataset, name="dataset")


def export(
    runs: Annotated[Path, typer.Argument(help="A folder with packages below it.")] = Path("runs"),
    output: OutputOption = None,
    name: Annotated[str | None, typer.Option("--name", help="Title of the card.")] = None,
    licence: Annotated[
        str | None, typer.Option("--licence", help="Identifier as the hub spells it; apache-2.0 without.")
    ] = None,
    leave_out_held_out: Annotated[
        bool, typer.Option("--leave-out-held-out", help="Leave held-out cases out instead of refusing the package.")
    ] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Write cases, tools, attempts, rounds, verdicts and leaderboards as Parquet with a card.

    Example: fcbench dataset export runs --output build/dataset
    """
    from fcbench.workflows.export_dataset import ExportRequest, export_as

    printer = Output(as_json=json)

    def told(done: int) -> None:
        if done % _EVERY == 0:
            printer.note(f"exported {done:,} attempts")

    request = ExportRequest(
        runs=runs, name=name, licence=licence, leave_out_held_out=leave_out_held_out, project=project
    )
    report = export_as(request, output or Path("build/dataset"), on_attempt=told)
    printer.result(report.text(), report.data())


def push(
    repo: RepoArgument,
    folder: Annotated[Path, typer.Argument(help="What `fcbench dataset export` wrote.")] = Path("build/dataset"),
    upload: Annotated[
        bool, typer.Option("--upload", help="Send it. Without this nothing is changed and the difference is shown.")
    ] = False,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    endpoint: EndpointOption = None,
    json: JsonOption = False,
) -> None:
    """Show how an export differs from a dataset repository on the hub; with --upload, send it as one commit.

    The token comes from the environment variable HF_TOKEN and from nowhere else.

    Example: fcbench dataset push OWNER/NAME build/dataset
    """
    # Before the library is loaded, since it reads the environment then.
    go_online(os.environ)
    from fcbench.export.hub import Hub
    from fcbench.workflows.push_dataset import push as work

    report = work(folder, repo, Hub(endpoint=endpoint, environment=os.environ), upload=upload, private=private)
    Output(as_json=json).result(report.text(), report.data())


def replicate(
    source: Annotated[str, typer.Argument(metavar="PATH|REPO", help="A dataset's folder, or OWNER/NAME on a hub.")],
    project: Annotated[
        Path | None,
        typer.Option("--project", help="Write the cases and tools as a project here, to run an own model on."),
    ] = None,
    revision: Annotated[str | None, typer.Option("--revision", help="Commit, branch or tag of a repository.")] = None,
    endpoint: EndpointOption = None,
    json: JsonOption = False,
) -> None:
    """Recompute a dataset from itself alone: every hash, record, verdict and number of a leaderboard.

    Exit 0: all recomputed and equal; 1: something differs, and is named; 2: something could not be recomputed.

    Example: fcbench dataset replicate build/dataset --project own
    """
    from fcbench.workflows.replicate_source import replicate_source

    printer = Output(as_json=json)

    def told(done: int, of: int) -> None:
        printer.note(f"replicated {done:,} of {of:,} runs")

    if not Path(source).is_dir():
        go_online(os.environ)
        from fcbench.workflows.fetch_dataset import fetched

        with fetched(source, revision=revision, endpoint=endpoint) as folder:
            report = replicate_source(folder, project, on_run=told)
    else:
        report = replicate_source(Path(source), project, on_run=told)
    printer.result(report.text(), report.data())
    raise typer.Exit(report.exit_code)
