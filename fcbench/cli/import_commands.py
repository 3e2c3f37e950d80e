"""Commands that read what other tools wrote: tools as a registry, results as packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption
from fcbench.cli.output import Output
from fcbench.errors import UsageError


def register(registry: typer.Typer) -> None:
    """Add the command of this module to `fcbench registry`."""
    registry.command("import")(registry_import)


def registry_import(
    project: Annotated[Path, typer.Option("--project", help="A project, or a new or empty folder for one.")],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="JSON or YAML: an MCP tools/list, OpenAI tools, or a JSON Schema."),
    ] = None,
    server: Annotated[
        str | None, typer.Option("--server", help="Instead of a file: the command of an MCP server on stdio.")
    ] = None,
    registry: Annotated[
        str | None, typer.Option("--registry", help="Name of the new registry; made of the file's.")
    ] = None,
    pass_env: Annotated[
        list[str] | None, typer.Option("--pass-env", help="A variable of the environment that the server gets.")
    ] = None,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for the server.")] = 60.0,
    json: JsonOption = False,
) -> None:
    """Make a registry of tools of your own: their names, descriptions and schemas untouched. Nothing is overwritten.

    A server is started, asked for its list of tools and ended; no tool is called.

    Example: fcbench registry import tools.json --project my-bench --registry tickets
    """
    from fcbench.workflows.import_registry import import_file, import_server

    printer = Output(as_json=json)
    if (file is None) == (server is None):
        raise UsageError(
            "one source of tools is wanted",
            wanted="FILE or --server",
            found="neither" if file is None else "both",
            next_step="see `fcbench registry import --help`",
        )
    if file is not None:
        found = import_file(file, project, registry)
    else:
        if registry is None:
            raise UsageError("the registry has no name", wanted="--registry, where tools come from a server")
        printer.note("asking the server for its tools")
        found = import_server(server or "", project, registry, pass_env=pass_env or (), timeout_s=timeout)
    printer.result(found.text(), found.data())


def register_results(app: typer.Typer) -> None:
    """Add the commands that make packages of results of other tools."""
    results = typer.Typer(help="Results of other tools as packages.", rich_markup_mode=None)
    results.callback()(_results)
    results.command("bfcl")(import_bfcl)
    results.command("inspect")(import_inspect)
    app.add_typer(results, name="import")


def _results() -> None:
    """Make packages of results of other tools: judged by this evaluator, never ranked."""


def import_bfcl(
    files: Annotated[list[Path], typer.Argument(help="Result files of BFCL: BFCL_v4_*_result.json.")],
    project: Annotated[Path, typer.Option("--project", help="What `fcbench suite import bfcl` wrote.")],
    model: Annotated[str, typer.Option("--model", help="Whose results they are: no result file says so.")],
    output: OutputOption = None,
    run_id: Annotated[str | None, typer.Option("--run-id", help="Name of the package; made of the time.")] = None,
    json: JsonOption = False,
) -> None:
    """Make a package of BFCL result files and judge it. Its purpose is `imported`: it is on no ranking.

    Example: fcbench import bfcl BFCL_v4_simple_python_result.json --project imported --model gpt-x-FC --output runs
    """
    from fcbench.core.records import to_plain
    from fcbench.workflows.import_results import ResultsRequest, import_bfcl_results
    from fcbench.workflows.score import score

    request = ResultsRequest(files=tuple(files), project=project, model=model, run_id=run_id)
    report, package = import_bfcl_results(request, output or Path("runs"))
    judged = score(package)
    lines = [
        f"imported  {report.folder}: {report.attempts} attempts, {judged.verdicts} verdicts",
        f"  lines of other cases: {report.unknown}; cases without a line: {report.missing}; texts: {report.texts}",
    ]
    Output(as_json=json).result("\n".join(lines), to_plain(report))


def import_inspect(
    log: Annotated[Path, typer.Argument(help="A log of Inspect: a .eval or a .json file.")],
    target: Annotated[
        str | None,
        typer.Option("--target", help="Whose cases were run: a collection or suite; as the log says without."),
    ] = None,
    output: OutputOption = None,
    project: ProjectOption = None,
    run_id: Annotated[str | None, typer.Option("--run-id", help="Name of the package; made of the time.")] = None,
    json: JsonOption = False,
) -> None:
    """Make a package of a log of Inspect and judge it. Its purpose is `imported`: it is on no ranking.

    Samples are matched to cases by id, and must have asked what the case asks. No score of the log is read.

    Example: fcbench import inspect logs/2026-12-01_complex-schema-nl.eval --target complex-schema-nl --output runs
    """
    from fcbench.core.records import to_plain
    from fcbench.workflows.import_inspect import InspectRequest, import_inspect_log
    from fcbench.workflows.score import score

    request = InspectRequest(file=log, project=project, target=target, run_id=run_id)
    report, package = import_inspect_log(request, output or Path("runs"))
    judged = score(package)
    lines = [
        f"imported  {report.folder}: {report.attempts} attempts at {report.target}, {judged.verdicts} verdicts",
        f"  samples of other cases: {report.unknown}; planned and not there: {report.missing}; errors: {report.errors}",
    ]
    Output(as_json=json).result("\n".join(lines), to_plain(report))
