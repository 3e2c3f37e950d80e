"""The command that compares evidence: diff."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption
from fcbench.cli.output import Output
from fcbench.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("diff")(diff)


def diff(
    a: Annotated[Path, typer.Argument(help="The folder of one package.")],
    b: Annotated[
        Path | None, typer.Argument(help="Another package of the same board; A again, or nothing, for one package.")
    ] = None,
    evaluator: Annotated[
        tuple[int, int] | None,
        typer.Option("--evaluator", help="Two evaluator versions to compare over one package."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare two packages of one board case by case, or two evaluator versions over one. Nothing is written.

    Exit 0: no difference; 1: there are differences. Packages of different boards are refused (exit 78).

    Example: fcbench diff runs/7252ac108e0c/monday runs/7252ac108e0c/tuesday

    Example: fcbench diff runs/7252ac108e0c/monday --evaluator 1 2
    """
    from fcbench.cli.compare_report import evaluator_data, evaluator_lines, package_data, package_lines
    from fcbench.workflows.compare_evaluators import compare_evaluators
    from fcbench.workflows.compare_packages import compare_packages

    printer = Output(as_json=json)
    if b is None or a.resolve() == b.resolve():
        one = compare_evaluators(a, evaluator)
        printer.result("\n".join(evaluator_lines(one)), evaluator_data(one))
        differs = one.differs
    elif evaluator is not None:
        raise UsageError(
            "two evaluator versions are compared over one package",
            wanted="one package with --evaluator, or two packages without",
            found=f"two packages and --evaluator {evaluator[0]} {evaluator[1]}",
            where="--evaluator",
            next_step="leave out the second package, or the option",
        )
    else:
        two = compare_packages(a, b)
        printer.result("\n".join(package_lines(two)), package_data(two))
        differs = two.differs
    if differs:
        raise typer.Exit(1)
