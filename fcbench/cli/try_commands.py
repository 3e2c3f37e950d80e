"""The command that tries one case and shows it round by round."""

from __future__ import annotations

from typing import Annotated

import typer

from fcbench.cli.options import HeldOutOption, JsonOption, ProjectOption
from fcbench.cli.output import Output
from fcbench.cli.run_commands import Decoding, Harness, Mode


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("try")(try_case)


def try_case(
    case: Annotated[str, typer.Argument(help="Id of a case, such as gs-001.")],
    model: Annotated[str, typer.Option("--model", help="`provider:model`, such as `scripted:oracle`.")],
    harness: Annotated[
        Harness | None, typer.Option("--harness", help="contract or workbench; as the collection says without.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Harness mode; as the collection says without.")] = None,
    retrieval: Annotated[str | None, typer.Option("--retrieval", help="lexical[:K], given or all.")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible API.")] = None,
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", help="Environment variable that holds the key.")
    ] = None,
    time_scale: Annotated[float, typer.Option("--time-scale", min=0.01, help="Factor on the time limit.")] = 1.0,
    max_output_tokens: Annotated[int, typer.Option("--max-output-tokens", min=1, help="Per reply.")] = 1024,
    temperature: Annotated[float, typer.Option("--temperature", min=0, help="0, or the lowest a model takes.")] = 0.0,
    decoding: Annotated[Decoding, typer.Option("--decoding", help="free, strict or grammar.")] = "free",
    option: Annotated[
        list[str] | None, typer.Option("--option", help="A provider's own option as NAME=VALUE; repeatable.")
    ] = None,
    project: ProjectOption = None,
    held_out: HeldOutOption = None,
    json: JsonOption = False,
) -> None:
    """Try one case against a model: each round as it happens, then the verdict at every tier with its reasons.

    Nothing is written. Exit 0: passed at the collection's headline tier; 1: not; 2: nothing to judge.

    Example: fcbench try gs-007 --model scripted:oracle --harness workbench
    """
    from fcbench.cli.run_report import opened_secrets, read_options
    from fcbench.cli.screen import Screen
    from fcbench.cli.try_report import LiveRounds, NotedRounds, closing_lines, opening_lines
    from fcbench.providers.base import Sampling
    from fcbench.workflows.project import find_project, load
    from fcbench.workflows.try_case import TryRequest, plan_trial
    from fcbench.workflows.try_case import try_case as work

    printer = Output(as_json=json)
    request = TryRequest(
        case=case,
        model=model,
        options=read_options(option or [], base_url=base_url, api_key_env=api_key_env),
        harness=harness,
        mode=mode,
        retrieval=retrieval,
        sampling=Sampling(max_output_tokens=max_output_tokens, temperature=temperature, decoding=decoding),
        time_scale=time_scale,
    )
    trial = plan_trial(load(find_project(project), opened_secrets(held_out)), request)
    if json:
        tried = work(trial, watcher=NotedRounds(printer))
        printer.result("", tried.data())
    else:
        with Screen() as screen:
            screen.show(opening_lines(trial))
            tried = work(trial, watcher=LiveRounds(screen, trial))
            screen.go_on()
            screen.show(closing_lines(tried))
    if tried.exit_code:
        raise typer.Exit(tried.exit_code)
