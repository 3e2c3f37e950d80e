"""The command that shows runs over time: trend."""

from __future__ import annotations

from typing import Annotated

import typer

from fcbench.cli.forms import FormOption, refuse_form_without_place
from fcbench.cli.options import JsonOption, OutputOption, RunsArgument
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("trend")(trend)


def trend(
    runs: RunsArgument,
    collection: Annotated[str | None, typer.Option("--collection", help="Only boards of this collection.")] = None,
    tier: Annotated[str | None, typer.Option("--tier", help="Only boards of this tier.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only runs of this model.")] = None,
    output: OutputOption = None,
    form: FormOption = None,
    json: JsonOption = False,
) -> None:
    """Show the runs of each board over time, and each run of a model beside the one before it.

    Names the cases that passed before and never now, and says where the fall is significant after Holm's correction
    over the board. Runs of different boards are never joined. The exit code is 0 whatever is found; `fcbench gate
    --baseline` is for pipelines.

    Example: fcbench trend runs --tier native-function-contract

    Example: fcbench trend runs --model llama-3 --format markdown --output build/trend
    """
    from fcbench.workflows.trend import TrendRequest
    from fcbench.workflows.trend import trend as answer

    refuse_form_without_place(form, output)
    report = answer(runs, TrendRequest(collection=collection, tier=tier, model=model))
    if output:
        report.write(output, form or "csv")
    text = report.markdown() if form == "markdown" and not output else report.text()
    Output(as_json=json).result(text, report.data())
