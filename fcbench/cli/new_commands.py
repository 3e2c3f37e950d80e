"""The command that begins a suite for a function of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.compare_commands import share
from fcbench.cli.options import JsonOption
from fcbench.cli.output import Output

Language = Literal["en", "nl"]


def register(suite: typer.Typer) -> None:
    """Add the command of this module to `fcbench suite`."""
    suite.command("new")(suite_new)


def suite_new(
    schema: Annotated[
        Path, typer.Option("--schema", help="JSON or YAML: a JSON Schema of the arguments, an OpenAI or an MCP tool.")
    ],
    project: Annotated[Path, typer.Option("--project", help="A project, or a new or empty folder for one.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Of the function; what the file says, or its name, without.")
    ] = None,
    suite: Annotated[str | None, typer.Option("--suite", help="Name of the suite; made of the function's.")] = None,
    registry: Annotated[str | None, typer.Option("--registry", help="Where its contract goes; as the suite.")] = None,
    lang: Annotated[Language, typer.Option("--lang", help="Of the requests: en or nl.")] = "en",
    require: Annotated[str, typer.Option("--require", help="The rate to claim, for the number of cases.")] = "99%",
    json: JsonOption = False,
) -> None:
    """Begin a suite for a function of your own: contract, suite, collection and one example case of each kind.

    The schema goes in untouched. What the gates refuse is listed with what to do. Nothing is overwritten.

    Example: fcbench suite new --schema create_ticket.json --project my-bench
    """
    from fcbench.workflows.new_suite import NewSuiteRequest, new_suite

    request = NewSuiteRequest(
        schema=schema,
        project=project,
        name=name,
        suite=suite,
        registry=registry,
        language=lang,
        threshold=share(require),
    )
    made = new_suite(request)
    Output(as_json=json).result(made.text(), made.data())
