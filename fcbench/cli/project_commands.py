"""Commands for authors: registry and suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli import bfcl_commands, import_commands, new_commands, seal_commands
from fcbench.cli.options import JsonOption, ProjectOption
from fcbench.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    registry = typer.Typer(help="Tool contracts.", rich_markup_mode=None)
    registry.command("check")(registry_check)
    registry.command("lock")(registry_lock)
    registry.command("diff")(registry_diff)
    import_commands.register(registry)
    app.add_typer(registry, name="registry")
    suite = typer.Typer(help="Cases.", rich_markup_mode=None)
    suite.command("check")(suite_check)
    suite.command("record")(suite_record)
    suite.command("stats")(suite_stats)
    new_commands.register(suite)
    bfcl_commands.register(suite)
    seal_commands.register(suite)
    app.add_typer(suite, name="suite")


def registry_check(project: ProjectOption = None, json: JsonOption = False) -> None:
    """Check every contract against the gates, and the lock file against the contracts. Exit 1 on a finding.

    Example: fcbench registry check --project .
    """
    from fcbench.workflows.check_project import check_registries

    _findings(check_registries(project), json)


def registry_lock(project: ProjectOption = None, json: JsonOption = False) -> None:
    """Write registry.lock.json: the hash of every registry and tool.

    Example: fcbench registry lock --project .
    """
    from fcbench.workflows.check_project import lock_registries

    path, hashes = lock_registries(project)
    text = "\n".join([f"written {path}", *(f"  {name} {value}" for name, value in hashes.items())])
    Output(as_json=json).result(text, {"lock": str(path), "registries": hashes})


def registry_diff(
    before: Annotated[
        Path | None,
        typer.Argument(
            metavar="[OLD]", help="A tools_registry folder, lock file or registry.json; the project's lock without."
        ),
    ] = None,
    after: Annotated[
        Path | None, typer.Argument(metavar="[NEW]", help="The same; the project's contracts as they are without.")
    ] = None,
    runs: Annotated[
        Path | None, typer.Option("--runs", help="Also name the packages below this folder that the change touches.")
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Say which tools came, went or changed, and which cases and published runs the change touches.

    Example: fcbench registry diff ../published/tools_registry --runs runs
    """
    from fcbench.workflows.compare_registries import compare_registries

    report = compare_registries(project, before, after, runs)
    Output(as_json=json).result(report.text(), report.data())


def suite_check(project: ProjectOption = None, json: JsonOption = False) -> None:
    """Check every case: the gates, the golden run at every tier, and every mutation. Exit 1 on a finding.

    Golden runs are played on the real tools and compared with what `fcbench suite record` wrote.

    Example: fcbench suite check --project .
    """
    from fcbench.workflows.check_project import check_suites

    _findings(check_suites(project), json)


def suite_record(
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE]...", help="Suites; without any, all that use the workbench.")
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Play the golden runs on the real tools and write what they give to golden.json.

    A call that fails is named with its case, step and code; then nothing is written, and the exit code is 1.

    Example: fcbench suite record genomics-simple --project .
    """
    from fcbench.workflows.record_suites import record_suites

    recording = record_suites(project, suites or ())
    Output(as_json=json).result(recording.text(), recording.data())
    if recording.failed:
        raise typer.Exit(1)


def suite_stats(
    suites: Annotated[list[str] | None, typer.Argument(metavar="[SUITE]...", help="Suites; without any, all.")] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Count cases by decision, category, mix, level, trap and tool, and cross them; targets stand beside them.

    Example: fcbench suite stats complex-schema-nl complex-schema-en
    """
    from fcbench.workflows.suite_statistics import suite_statistics

    text, data = suite_statistics(project, suites or ())
    Output(as_json=json).result(text, data)


def _findings(report: object, json: bool) -> None:
    from fcbench.workflows.check_project import Checked

    assert isinstance(report, Checked)
    Output(as_json=json).result(report.text(), report.data())
    if report.failed:
        raise typer.Exit(1)
