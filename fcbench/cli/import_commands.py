"""The command that makes a registry of somebody else's tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption
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
