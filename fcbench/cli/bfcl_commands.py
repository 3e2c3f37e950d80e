"""Commands about the data of other benchmarks: import, and cross-check of the evaluator."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption
from fcbench.cli.output import Output


class Source(StrEnum):
    """Data that can be imported."""

    bfcl = "bfcl"


def register(suite: typer.Typer) -> None:
    """Add the commands of this module to `fcbench suite`."""
    suite.command("import")(suite_import)
    suite.command("crosscheck")(suite_crosscheck)


def suite_import(
    source: Annotated[Source, typer.Argument(help="Which data: bfcl, the single-turn data of that leaderboard.")],
    path: Annotated[Path, typer.Argument(help="The data folder, one of its question files, or a file of pairs.")],
    output: Annotated[Path, typer.Option("--output", help="Where to write; a new or empty folder.")],
    json: JsonOption = False,
) -> None:
    """Write a project that holds another benchmark's cases and functions. What is not covered is counted.

    Example: fcbench suite import bfcl bfcl_eval/data --output imported
    """
    from fcbench.workflows.import_bfcl import import_bfcl

    printer = Output(as_json=json)
    printer.note(f"reading {source.value} data from {path}")
    report = import_bfcl(path, output)
    printer.result(report.text(), report.data())


def suite_crosscheck(
    path: Annotated[Path, typer.Argument(help="A file of pairs: attempts with the verdict of the other checker.")],
    report: Annotated[Path | None, typer.Option("--report", help="Write the agreement as a Markdown page.")] = None,
    json: JsonOption = False,
) -> None:
    """Judge attempts that another checker has judged, and explain each difference. Exit 1 where one is unexplained.

    Example: fcbench suite crosscheck pairs.jsonl.gz --report agreement.md
    """
    from fcbench.workflows.crosscheck_bfcl import crosscheck
    from fcbench.workflows.crosscheck_page import write_page

    printer = Output(as_json=json)
    printer.note(f"judging the rows of {path}")
    agreement = crosscheck(path)
    if report is not None:
        write_page(agreement, report)
        printer.note(f"written {report}")
    printer.result(agreement.text(), agreement.data())
    if agreement.unexplained:
        raise typer.Exit(1)
