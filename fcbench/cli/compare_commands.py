"""Commands that weigh evidence: diff, compare, reliability, contrast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.forms import FormOption, refuse_form_without_place
from fcbench.cli.options import JsonOption, OutputOption, PricesOption, RunsArgument
from fcbench.cli.output import Output
from fcbench.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("diff")(diff)
    app.command("compare")(compare)
    app.command("reliability")(reliability)
    app.command("contrast")(contrast)


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


def compare(
    a: Annotated[Path, typer.Argument(help="The folder of one package: the run that stands.")],
    b: Annotated[Path, typer.Argument(help="Another package of the same board: the run that may take its place.")],
    margin: Annotated[
        str | None,
        typer.Option("--margin", metavar="SHARE", help="How much worse B may be (0.05 or 5%): may it stand in for A?"),
    ] = None,
    tier: Annotated[
        str | None, typer.Option("--tier", help="The tier to compare at; the headline tier of the harness without.")
    ] = None,
    by: Annotated[
        Literal["all", "none", "category", "level", "mix", "trap", "suite"],
        typer.Option("--by", help="Which segments are shown; all: every kind in which the cases differ."),
    ] = "all",
    prices: PricesOption = None,
    output: OutputOption = None,
    form: FormOption = None,
    json: JsonOption = False,
) -> None:
    """Weigh two runs of one board: difference with interval and test, by segment, what flipped, cost of a success.

    With --margin it answers whether B is good enough, and exits 0 for yes, 1 for no and 2 for cannot tell. Runs of
    different boards are refused (exit 78). Nothing is written but --output.

    Example: fcbench compare runs/7252ac108e0c/large runs/7252ac108e0c/small --margin 5%

    Example: fcbench compare runs/7252ac108e0c/large runs/7252ac108e0c/small --by level --prices prices.yaml
    """
    from fcbench.workflows.compare_runs import CompareRequest, axes_named, compare_runs
    from fcbench.workflows.comparison_report import EXIT, ComparisonReport
    from fcbench.workflows.price_files import find_prices

    refuse_form_without_place(form, output)
    least = None if margin is None else share(margin, "--margin")
    asked = CompareRequest(tier=tier, margin=least, axes=axes_named(by))
    report = ComparisonReport(compare_runs(a, b, asked, find_prices(prices)))
    if output:
        report.write(output, form or "csv")
    text = report.markdown() if form == "markdown" and not output else report.text()
    Output(as_json=json).result(text, report.data())
    if report.found.good_enough is not None:
        raise typer.Exit(EXIT[report.found.good_enough.answer])


MeasureOption = Annotated[
    Literal["schema-conformance", "exact-match", "pass"],
    typer.Option("--measure", help="What a case must hold: dimensions of the first reply, or the verdict."),
]


def reliability(
    runs: RunsArgument,
    require: Annotated[
        str, typer.Option("--require", metavar="SHARE", help="The rate that is asked for: 0.99 or 99%.")
    ] = "0.99",
    by: Annotated[
        Literal["all", "level", "schema", "language", "mix"], typer.Option("--by", help="One row a run and segment.")
    ] = "level",
    measure: MeasureOption = "schema-conformance",
    collection: Annotated[str | None, typer.Option("--collection", help="Only boards of this collection.")] = None,
    tier: Annotated[str, typer.Option("--tier", help="The tier whose verdicts are read.")] = "native-function-contract",
    output: OutputOption = None,
    form: FormOption = None,
    json: JsonOption = False,
) -> None:
    """Say how high a rate can be claimed, whether the asked one is met, and what error replies would mend.

    A case fails if any of its repeats fails. Says `meets`, `fails`, or `cannot tell` with the number of missing cases.

    Example: fcbench reliability runs --by schema --require 95%
    """
    from fcbench.workflows.reliability import ReliabilityRequest
    from fcbench.workflows.reliability import reliability as answer

    asked = ReliabilityRequest(by=by, measure=measure, threshold=share(require), collection=collection, tier=tier)
    refuse_form_without_place(form, output)
    report = answer(runs, asked)
    if output:
        report.write(output, form or "csv")
    text = report.markdown() if form == "markdown" and not output else report.text()
    Output(as_json=json).result(text, report.data())


def contrast(
    runs: RunsArgument,
    axis: Annotated[
        str, typer.Option("--axis", help="What may differ: language, decoding, retrieval or schema-version.")
    ] = "language",
    measure: Annotated[
        Literal["schema-conformance", "exact-match", "pass"] | None,
        typer.Option("--measure", help="What a case must hold; exact-match for language, else pass."),
    ] = None,
    tier: Annotated[str, typer.Option("--tier", help="The tier whose verdicts are read.")] = "native-function-contract",
    json: JsonOption = False,
) -> None:
    """Set the same cases on two boards side by side that differ along one declared axis.

    For the language these are twins, apart for functions with fields in each language. Boards that differ in anything
    else are refused; harness, mode and tier are no axes, since they change what is measured.

    Example: fcbench contrast runs --measure exact-match

    Example: fcbench contrast runs --axis retrieval
    """
    from fcbench.workflows.contrast import axis_named
    from fcbench.workflows.contrast import contrast as answer

    report = answer(runs, axis_named(axis), measure=measure, tier=tier)
    Output(as_json=json).result(report.text(), report.data())


def share(text: str, where: str = "--require") -> float:
    """Read a share: `0.99` or `99%`.

    Args:
        text: as it was written.
        where: the option that it stands behind.

    Raises:
        UsageError: the text is something else.
    """
    number, percent, rest = text.strip().partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = -1.0
    if rest.strip() or not 0 < value < 1:
        raise UsageError(
            "this is no share",
            wanted="a number between 0 and 1, or a percentage such as 99%",
            found=text[:40],
            where=where,
        )
    return value
