"""The command that checks JSON against a contract or a schema."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, ProjectOption
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("validate")(validate)


def validate(
    files: Annotated[
        list[str] | None, typer.Argument(help="Files with JSON; - or none is standard input, a prompt on a terminal.")
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", help="A contract of the project's registries.")] = None,
    registry: Annotated[str | None, typer.Option("--registry", help="The registry that --tool is in.")] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", help="A JSON Schema 2020-12 (JSON or YAML), or a contract file.")
    ] = None,
    call: Annotated[
        bool, typer.Option("--call", help="Documents are whole tool calls; without --tool each names its own.")
    ] = False,
    instruction: Annotated[
        str, typer.Option("--instruction", help="What the model was told: a text, or @FILE. Tells copied words.")
    ] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Say how hard the schema is.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Check JSON documents: every violation with JSON Pointer, keyword and fault kind. Exit 1 where one is invalid.

    A file may hold one value, JSON Lines, or values one after another. A malformed document does not stop the next.

    Example: fcbench validate --tool verwerk_hypotheek_aanvraag reply.json
    """
    from fcbench.workflows.validate import STDIN, ValidationRequest, Validator, check_files, check_typed
    from fcbench.workflows.validated import Tally, difficulty_line

    printer = Output(as_json=json)
    request = ValidationRequest(
        tool=tool, registry=registry, schema=schema, project=project, is_call=call, instruction=instruction
    )
    validator = Validator(request)
    measured = validator.explain() if explain else None
    if measured and not json:
        printer.result(difficulty_line(measured), measured)
    if sys.stdin is not None and sys.stdin.isatty() and not files:
        printer.note("one JSON value at a time; an empty line ends a broken one, Ctrl-D ends")
        results = check_typed(validator, sys.stdin.buffer, printer.ask)
    else:  # a process may be started without standard input: then there is nothing in it
        results = check_files(validator, files or [STDIN], sys.stdin.buffer if sys.stdin is not None else BytesIO())
    tally, listed = Tally(), []
    for checked in results:
        tally.add(checked)
        if json:
            listed.append(checked.data())
        else:
            printer.result(checked.text(), None)
    data = {"documents": listed, "valid": tally.valid, "invalid": tally.invalid}
    printer.result(tally.text(), {**data, "schema": measured} if measured else data)
    if tally.exit_code:
        raise typer.Exit(tally.exit_code)
