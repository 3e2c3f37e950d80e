"""Commands of the workbench: its tools listed, called once, and at a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, ProjectOption
from fcbench.cli.output import Output

FixtureOption = Annotated[str, typer.Option("--fixture", help="What the session starts from.")]
KeepOption = Annotated[
    Path | None, typer.Option("--output", help="Folder for files that tools write; a temporary one without.")
]
_FIRST_FIXTURE = "ecoli-d10483"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    workbench = typer.Typer(help="Tools of the genome workbench by hand.", rich_markup_mode=None)
    workbench.command("list")(list_tools)
    workbench.command("call")(call)
    workbench.command("shell")(shell)
    app.add_typer(workbench, name="workbench")


def list_tools(
    category: Annotated[str | None, typer.Option("--category", help="Only this category.")] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """List the tools by category with effect, engine and provenance.

    Example: fcbench workbench list --category cloning
    """
    from fcbench.cli.workbench_report import tools_text
    from fcbench.workflows.workbench_list import list_tools as work

    rows = work(project, category)
    Output(as_json=json).result(tools_text(rows), [row.data() for row in rows])


def call(
    tool: Annotated[str, typer.Argument(help="Name of a tool.")],
    arguments: Annotated[
        str | None, typer.Argument(help="A JSON object, @FILE, or - for standard input; {} without.")
    ] = None,
    fixture: FixtureOption = _FIRST_FIXTURE,
    before: Annotated[
        list[str] | None, typer.Option("--before", help="A call 'TOOL JSON' to make first; repeatable.")
    ] = None,
    output: KeepOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Call one tool on a fresh session and show the answer, its engine, provenance and time.

    Exit 0: the tool succeeded; 1: it answered a coded error, or the arguments do not satisfy the contract.

    Example: fcbench workbench call get_sequence '{"start": 1, "end": 60}'
    """
    from fcbench.cli.screen import Screen
    from fcbench.cli.workbench_report import answer_lines
    from fcbench.workflows.workbench_call import Bench, call_once, read_arguments

    printer = Output(as_json=json)
    raw = read_arguments(arguments)
    bench = Bench(project, fixture, output)
    answers = call_once(bench, tool, raw, before or [])
    if json:
        *earlier, last = answers
        printer.result("", {"fixture": fixture, **last.data(), "before": [answer.data() for answer in earlier]})
    else:
        screen = Screen()
        for answer in answers:
            screen.show(answer_lines(answer))
    if len(answers) <= len(before or []):
        printer.note(f"a call that comes before failed, so {tool} was not called")
    if not answers[-1].succeeded:
        raise typer.Exit(1)


def shell(
    fixture: FixtureOption = _FIRST_FIXTURE,
    output: KeepOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Open a prompt over one session: a tool's name and its JSON, or `help`. Standard input may be a script.

    Exit 0: done; from a script, 1: a call failed, or the code of the first command that could not be carried out.

    Example: fcbench workbench shell --fixture phix174
    """
    import sys

    from fcbench.cli.screen import Screen
    from fcbench.cli.workbench_shell import WORDS, Shell, line_reader
    from fcbench.workflows.workbench_call import Bench
    from fcbench.workflows.workbench_shell import COMMANDS

    printer = Output(as_json=json)
    bench = Bench(project, fixture, output)
    is_typed = sys.stdin is not None and sys.stdin.isatty()
    if is_typed:
        printer.note("\n".join(WORDS))
    work = Shell(bench, printer, Screen())
    try:
        work.run(line_reader(printer, sorted([*map(str, bench.contracts), *COMMANDS])))
    finally:
        bench.close()
    if is_typed:
        printer.note("")
    if json:
        printer.result("", {"fixture": fixture, "steps": work.steps})
    if work.exit_code and not is_typed:
        raise typer.Exit(work.exit_code)
