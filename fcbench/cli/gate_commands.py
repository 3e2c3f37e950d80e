"""The commands that decide before and after a run: gate and cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.options import HeldOutOption, JsonOption, PricesOption, ProjectOption
from fcbench.cli.output import Output
from fcbench.errors import WriteError


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("gate")(gate)
    app.command("cost")(cost)


def gate(
    package: Annotated[Path, typer.Argument(help="A package, or a folder with one below it.")],
    config: Annotated[
        Path | None, typer.Option("--config", help="A gate file; fcbench-gate.yaml here, if no rule is given.")
    ] = None,
    least: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="RULE", help="MEASURE[@SEGMENT]=SHARE that must be reached; repeatable."),
    ] = None,
    most: Annotated[
        list[str] | None,
        typer.Option("--max", metavar="RULE", help="MEASURE[@SEGMENT]=NUMBER that must be kept; repeatable."),
    ] = None,
    claim: Annotated[
        bool, typer.Option("--claim", help="Shares of --min must be proven by exact bounds, not only observed.")
    ] = False,
    max_latency_p95: Annotated[
        float | None, typer.Option("--max-latency-p95", help="Seconds; short for --max latency-p95=N.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="Money for the whole run; short for --max cost=N.")
    ] = None,
    baseline: Annotated[Path | None, typer.Option("--baseline", help="A package of the same board.")] = None,
    margin: Annotated[str, typer.Option("--margin", metavar="SHARE", help="How far a share may fall.")] = "5%",
    no_fall: Annotated[
        list[str] | None,
        typer.Option("--no-fall", metavar="RULE", help="MEASURE[@SEGMENT][=MARGIN]; strict and restraint without."),
    ] = None,
    tier: Annotated[str | None, typer.Option("--tier", help="The harness's first tier without.")] = None,
    prices: PricesOption = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", help="Append Markdown to this file, such as $GITHUB_STEP_SUMMARY.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Hold a package to thresholds, and against a baseline of the same board.

    Exit 0: pass; 1: fail; 2: cannot tell. A wrong option or file is 64 or above, so that it never reads as a verdict.

    Example: fcbench gate runs --min strict=90% --min completion=1 --baseline baseline --junit gate.xml
    """
    from fcbench.cli.gate_options import GateOptions, gate_request
    from fcbench.cli.gate_report import gate_data, gate_lines
    from fcbench.cli.gate_report import junit as as_junit
    from fcbench.cli.gate_report import summary as as_summary
    from fcbench.workflows.gate import gate as decide

    options = GateOptions(
        config=config,
        least=tuple(least or ()),
        most=(
            *(most or ()),
            *([f"latency-p95={max_latency_p95}"] if max_latency_p95 is not None else []),
            *([f"cost={max_cost}"] if max_cost is not None else []),
        ),
        claim=claim,
        baseline=baseline,
        margin=margin,
        no_fall=tuple(no_fall or ()),
        tier=tier,
        prices=prices,
    )
    report = decide(package, gate_request(options))
    if junit:
        _write(junit, as_junit(report), append=False)
    if summary:
        _write(summary, as_summary(report).encode(), append=True)
    Output(as_json=json).result("\n".join(gate_lines(report)), gate_data(report))
    if report.exit_code:
        raise typer.Exit(report.exit_code)


def _write(path: Path, content: bytes, *, append: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if append else "wb") as stream:
            stream.write(content)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "refused"
        raise WriteError("a report of the gate cannot be written", found=reason, where=str(path)) from error


def cost(
    target: Annotated[str, typer.Argument(help="A collection, `collection/subset` or suite; or the folder of a run.")],
    model: Annotated[
        list[str] | None, typer.Option("--model", help="`provider:model`, as for `fcbench run`; repeatable.")
    ] = None,
    repeats: Annotated[int | None, typer.Option("--repeats", min=1, max=100, help="As the collection says.")] = None,
    prices: PricesOption = None,
    harness: Annotated[
        Literal["contract", "workbench"] | None, typer.Option("--harness", help="As the collection says without.")
    ] = None,
    mode: Annotated[
        Literal["oracle-assisted", "production-parity"] | None,
        typer.Option("--mode", help="As the collection says without."),
    ] = None,
    retrieval: Annotated[str | None, typer.Option("--retrieval", help="lexical[:K], given or all.")] = None,
    project: ProjectOption = None,
    held_out: HeldOutOption = None,
    json: JsonOption = False,
) -> None:
    """Before a run: tokens and money, estimated from the real prompts and schemas. After it: the true figures beside.

    An unknown price is `unknown`, never 0.

    Example: fcbench cost complex-schema-nl --model example:cheap --model example:dear --repeats 3
    """
    from fcbench.cli.cost_report import plan_data, plan_lines, report_data, report_lines
    from fcbench.cli.run_report import opened_secrets
    from fcbench.harnesses.clock import SystemClock
    from fcbench.workflows.cost import CostRequest, package_cost, plan_cost
    from fcbench.workflows.price_files import find_prices
    from fcbench.workflows.project import find_project, load

    printer = Output(as_json=json)
    found = find_project(project)
    listed = find_prices(prices, found)
    if (Path(target) / "manifest.json").is_file():
        report = package_cost(Path(target), listed)
        printer.result("\n".join(report_lines(report)), report_data(report))
        return
    request = CostRequest(
        target=target, models=tuple(model or ()), repeats=repeats, harness=harness, mode=mode, retrieval=retrieval
    )
    plan = plan_cost(load(found, opened_secrets(held_out)), request, listed, SystemClock().now().date())
    printer.result("\n".join(plan_lines(plan)), plan_data(plan))
