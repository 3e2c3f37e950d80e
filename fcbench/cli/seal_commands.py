"""Commands for held-out cases: suite seal, suite reveal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, ProjectOption
from fcbench.cli.output import Output


def register(suite: typer.Typer) -> None:
    """Add the commands of this module to the group `suite`."""
    suite.command("seal")(seal)
    suite.command("reveal")(reveal)


def seal(
    secrets: Annotated[Path, typer.Option("--secrets", help="The secret file to write, outside every repository.")],
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE]...", help="Suites; without any, all with held-out cases.")
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Publish a salted commitment to each held-out case, and move the cases into a secret file.

    Example: fcbench suite seal my-suite --project . --secrets ~/private/my-suite.json
    """
    from fcbench.workflows.seal_suite import seal as work

    report = work(project, suites or (), secrets.expanduser())
    Output(as_json=json).result(report.text(), report.data())


def reveal(
    secrets: Annotated[Path, typer.Argument(help="The file that `fcbench suite seal` wrote.")],
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Write sealed cases back, check that they are those that were committed to, and publish their salts.

    Example: fcbench suite reveal ~/private/my-suite.json --project .
    """
    from fcbench.workflows.reveal_suite import reveal as work

    report = work(project, secrets.expanduser())
    Output(as_json=json).result(report.text(), report.data())
