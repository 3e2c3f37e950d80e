"""Commands on whole packages: merge, pack, check, sign, redact, prove."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, OutputOption, ProjectOption
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    package = typer.Typer(help="Execution packages.", rich_markup_mode=None)
    # A group with one command would otherwise become that command.
    package.callback()(_packages)
    package.command("merge")(merge)
    package.command("pack")(pack)
    package.command("check")(check)
    package.command("sign")(sign)
    package.command("redact")(redact)
    package.command("prove")(prove)
    app.add_typer(package, name="package")


def _packages() -> None:
    """Work on execution packages."""


def merge(
    shards: Annotated[list[Path], typer.Argument(help="Shards of one plan, or folders with shards below them.")],
    output: OutputOption = None,
    run_id: Annotated[
        str | None, typer.Option("--run-id", help="Name of the package; made from the time without.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Merge the packages that `fcbench run --shard i/n` made into the one that a single machine would have made.

    All parts must be there, each once, unaltered, and of one plan: equal hashes, parameters, versions, engine build.

    Example: fcbench package merge shards --output runs
    """
    from fcbench.cli.run_report import run_report
    from fcbench.workflows.merge import merge as work
    from fcbench.workflows.score import score as judge

    printer = Output(as_json=json)
    package = work(shards, output or Path("runs"), run_id=run_id)
    judge(package)
    text, data = run_report(package)
    printer.result(text, data)


def pack(
    package: Annotated[Path, typer.Argument(help="A sealed package.")],
    output: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Pack one package with its verdicts and its registry into one archive to hand in.

    It is verified first; one that was altered, or that holds held-out cases in the clear, is refused. The same package
    gives the same bytes.

    Example: fcbench package pack runs/0d9de520fe4d/RUN --output RUN.fcbench.zip
    """
    from fcbench.workflows.submission import pack as work

    path = work(package, output or Path())
    told = f"packed  {path} ({path.stat().st_size} bytes)\nnext: fcbench package check {path}"
    Output(as_json=json).result(told, {"archive": str(path), "bytes": path.stat().st_size})


def check(
    place: Annotated[Path, typer.Argument(help="An archive, a package's folder, or a folder with packages below.")],
    project: ProjectOption = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Packages that are there already, to find copies of.")
    ] = None,
    allowed_signers: Annotated[
        Path | None, typer.Option("--allowed-signers", help="Look at signatures with this file (see ssh-keygen(1)).")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")] = False,
    json: JsonOption = False,
) -> None:
    """Check what somebody hands in: files, every verdict anew, the protocol, signs of tampering, the signature.

    Exit 0: accept; 1: something is wrong; 2: somebody has to look (the run left the protocol, bears signs of tampering,
    or something cannot be told).

    Example: fcbench package check RUN.fcbench.zip --against runs
    """
    from fcbench.workflows.submission import check as work

    found = work(place, project, against, allowed_signers)
    Output(as_json=json).result(found.markdown() if markdown else found.text(), found.data())
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def sign(
    package: Annotated[Path, typer.Argument(help="A sealed package.")],
    key: Annotated[Path, typer.Option("--key", help="A private SSH key.")],
    json: JsonOption = False,
) -> None:
    """Sign one package with an SSH key: who vouches for it, beside what it holds.

    Example: fcbench package sign runs/0d9de520fe4d/RUN --key ~/.ssh/id_ed25519
    """
    from fcbench.workflows.submission import sign as work

    path = work(package, key.expanduser())
    Output(as_json=json).result(f"signed  {path}", {"signature": str(path)})


def redact(
    package: Annotated[Path, typer.Argument(help="A sealed package that holds held-out cases.")],
    secrets: Annotated[Path, typer.Option("--secrets", help="The file that `fcbench suite seal` wrote.")],
    output: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Write the form of a package that may be published: held-out cases by commitment, outcome and verdict only.

    Example: fcbench package redact runs/0d9de520fe4d/RUN --secrets ~/private/my-suite.json --output public
    """
    from fcbench.workflows.redact import redact as work

    report = work(package, secrets.expanduser(), output or Path("public"))
    Output(as_json=json).result(report.text(), report.data())


def prove(
    redacted: Annotated[Path, typer.Argument(help="The redacted package, as it was published first.")],
    full: Annotated[Path, typer.Argument(help="The full package, as it was published after the cases were revealed.")],
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Check that a full package is what its redacted form showed, and that its cases are those of the commitments.

    Exit 0: proved; 1: something differs.

    Example: fcbench package prove public/0d9de520fe4d/RUN runs/0d9de520fe4d/RUN --project .
    """
    from fcbench.workflows.redact import prove as work

    report = work(redacted, full, project)
    Output(as_json=json).result(report.text(), report.data())
    if report.problems:
        raise typer.Exit(1)
