"""The command that runs models over targets, modes and retrievals from one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import (
    EventsOption,
    HeldOutOption,
    JsonOption,
    OutputOption,
    PricesOption,
    ProgressOption,
    ProjectOption,
)
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("sweep")(sweep)


def sweep(
    file: Annotated[Path, typer.Argument(help="A sweep file (YAML).")],
    output: OutputOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and its cost; run nothing.")] = False,
    prices: PricesOption = None,
    project: ProjectOption = None,
    held_out: HeldOutOption = None,
    progress: ProgressOption = "auto",
    events: EventsOption = None,
    json: JsonOption = False,
) -> None:
    """Run models x targets x harnesses x modes x retrievals from a file; the same command goes on with it.

    Exit 0: all sealed; 75: what is left goes on with the same command; else the code of the first run that failed.

    Example: fcbench sweep sweep.yaml --dry-run
    """
    from fcbench.cli.live import Watch
    from fcbench.cli.run_report import note_sealed, opened_secrets
    from fcbench.cli.sweep_report import follower, plan_data, plan_text, state_text
    from fcbench.core.records import to_plain
    from fcbench.workflows.price_files import find_prices
    from fcbench.workflows.project import find_project, load
    from fcbench.workflows.sweep import SweepRequest
    from fcbench.workflows.sweep import sweep as work
    from fcbench.workflows.sweep_file import read_sweep
    from fcbench.workflows.sweep_plan import plan_runs

    printer = Output(as_json=json)
    home = find_project(project)
    known = find_prices(prices, home)
    material = load(home, opened_secrets(held_out))
    read, found = read_sweep(file, material)
    runs = output or Path("runs")
    planned = plan_runs(material, found, runs, name=read.name, prices=known)
    note_sealed(printer, material.suites, *(one.combination.request.target for one in planned))
    if dry_run:
        printer.result(plan_text(planned, known), plan_data(planned, known))
        return
    request = SweepRequest(name=read.name, planned=planned, runs=runs, prices=known)
    state = work(material, request, follow=follower(material, Watch(progress=progress, events=events), printer))
    printer.result(state_text(state, runs), {**to_plain(state), "exit_code": state.exit_code})
    if state.exit_code:
        raise typer.Exit(state.exit_code)
