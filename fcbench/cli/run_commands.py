"""Commands that make and judge evidence: quickstart, run, score, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fcbench.cli.options import (
    EventsOption,
    HeldOutOption,
    JsonOption,
    OutputOption,
    PricesOption,
    ProgressOption,
    ProjectOption,
    RunsArgument,
)
from fcbench.cli.output import Output

Decoding = Literal["free", "strict", "grammar"]
SHOWN_PROBLEMS = 10
Harness = Literal["contract", "workbench"]
Mode = Literal["oracle-assisted", "production-parity"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("quickstart")(quickstart)
    app.command("run")(run)
    app.command("score")(score)
    app.command("verify")(verify)


def quickstart(
    output: OutputOption = None,
    gguf: Annotated[
        Path | None, typer.Option("--gguf", envvar="FCBENCH_GGUF", help="A GGUF model file to run as well.")
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Run the controls (and a local model) over the subset `quick`; make tables, a site and a dataset. Offline.

    Example: fcbench quickstart --output build/quickstart
    """
    from fcbench.workflows.quickstart import quickstart as work

    printer = Output(as_json=json)
    report = work(project, output or Path("build/quickstart"), gguf=gguf, note=printer.note)
    printer.result(report.text(), report.data())


def run(
    target: Annotated[str, typer.Argument(help="A collection, `collection/subset`, or a suite.")],
    model: Annotated[str, typer.Option("--model", help="`provider:model`, such as `llama_server:model.gguf`.")],
    output: OutputOption = None,
    project: ProjectOption = None,
    harness: Annotated[
        Harness | None, typer.Option("--harness", help="contract or workbench; as the collection says without.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Harness mode; as the collection says without.")] = None,
    production_parity: Annotated[
        bool, typer.Option("--production-parity", help="Short for `--mode production-parity`.")
    ] = False,
    retrieval: Annotated[str | None, typer.Option("--retrieval", help="lexical[:K], given or all.")] = None,
    repeats: Annotated[str | None, typer.Option("--repeats", help="A number, or `auto`.")] = None,
    case: Annotated[list[str] | None, typer.Option("--case", help="Only this case (never ranked); repeatable.")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible API.")] = None,
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", help="Environment variable that holds the key.")
    ] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=512, help="Attempts in flight.")] = 1,
    delay: Annotated[float, typer.Option("--delay", min=0, help="Seconds of rest before each attempt.")] = 0.0,
    rpm: Annotated[float | None, typer.Option("--rpm", help="Requests a minute at most.")] = None,
    max_requests: Annotated[int | None, typer.Option("--max-requests", help="Requests of the whole run.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="Tokens of the whole run.")] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="Money for the whole run; needs a price (`--prices`).")
    ] = None,
    max_time: Annotated[str | None, typer.Option("--max-time", help="Time of this command: 90s, 30m, 8h.")] = None,
    prices: PricesOption = None,
    time_scale: Annotated[float, typer.Option("--time-scale", min=0.01, help="Factor on time limits.")] = 1.0,
    max_output_tokens: Annotated[int, typer.Option("--max-output-tokens", min=1, help="Per reply.")] = 1024,
    temperature: Annotated[float, typer.Option("--temperature", min=0, help="0, or the lowest a model takes.")] = 0.0,
    decoding: Annotated[Decoding, typer.Option("--decoding", help="Part of the board key.")] = "free",
    option: Annotated[
        list[str] | None, typer.Option("--option", help="A provider's own option as NAME=VALUE; repeatable.")
    ] = None,
    engine: Annotated[
        Literal["local", "ray"], typer.Option("--engine", help="This process, or the workers of a Ray cluster.")
    ] = "local",
    ray_address: Annotated[str | None, typer.Option("--ray-address", help="Head of the Ray cluster.")] = None,
    ray_workers: Annotated[int | None, typer.Option("--ray-workers", min=1, help="Workers at once.")] = None,
    ray_gpus: Annotated[float, typer.Option("--ray-gpus", min=0, help="GPUs that each worker takes.")] = 0.0,
    shard: Annotated[
        str | None, typer.Option("--shard", help="Only part i of n of the plan, as i/n; merge the parts later.")
    ] = None,
    held_out: HeldOutOption = None,
    run_id: Annotated[
        str | None, typer.Option("--run-id", help="Name of the package; made from the time without.")
    ] = None,
    seal_incomplete: Annotated[
        bool, typer.Option("--seal-incomplete", help="Seal although attempts lack a scorable outcome.")
    ] = False,
    progress: ProgressOption = "auto",
    events: EventsOption = None,
    json: JsonOption = False,
) -> None:
    """Run cases against a model and seal the package; the same command goes on with an interrupted run.

    Example: fcbench run complex-schema-nl --model llama_server:model.gguf --repeats auto --output runs
    """
    from fcbench.cli.live import Watch, following
    from fcbench.cli.run_report import (
        note_sealed,
        opened_secrets,
        read_duration,
        read_options,
        read_repeats,
        run_report,
    )
    from fcbench.engine.budget import Ceilings
    from fcbench.engine.cluster import Cluster
    from fcbench.engine.shards import read_shard
    from fcbench.providers.base import Sampling
    from fcbench.providers.catalog import check_model
    from fcbench.workflows.judging import Onlooker
    from fcbench.workflows.price_files import find_prices
    from fcbench.workflows.project import find_project, load
    from fcbench.workflows.run import RunRequest, run_and_judge
    from fcbench.workflows.score import score as judge

    printer = Output(as_json=json)
    check_model(model)  # Said at once, not after the whole project is loaded and planned.
    count, auto = read_repeats(repeats)
    found = find_project(project)
    request = RunRequest(
        target=target,
        model=model,
        options=read_options(option or [], base_url=base_url, api_key_env=api_key_env),
        harness=harness,
        mode="production-parity" if production_parity else mode,
        retrieval=retrieval,
        repeats=count,
        auto_repeats=auto,
        sampling=Sampling(max_output_tokens=max_output_tokens, temperature=temperature, decoding=decoding),
        time_scale=time_scale,
        concurrency=concurrency,
        delay_s=delay,
        ceilings=Ceilings(
            per_minute=rpm,
            max_requests=max_requests,
            max_tokens=max_tokens,
            max_cost=max_cost,
            max_time_s=read_duration(max_time, "--max-time"),
        ),
        prices=find_prices(prices, found),
        only=tuple(case or ()),
        engine=engine,
        cluster=Cluster(address=ray_address, workers=ray_workers, gpus=ray_gpus),
        shard=read_shard(shard) if shard else None,
        run_id=run_id,
        seal_incomplete=seal_incomplete,
    )
    material = load(found, opened_secrets(held_out, engine))
    note_sealed(printer, material.suites, target)
    unranked = "a shard" if request.shard else "picked cases" if request.only else ""
    watch = Watch(progress=progress, events=events, note=f"{unranked}: not ranked" if unranked else "")
    with following(watch, printer, Onlooker(material, target)) as tell:
        package = run_and_judge(material, request, output or Path("runs"), tell=tell, judge=judge)
    text, data = run_report(package)
    printer.result(text, data)


def score(
    runs: RunsArgument,
    oracle: Annotated[
        Literal["own", "current"], typer.Option("--oracle", help="The package's own oracle, or today's.")
    ] = "own",
    project: ProjectOption = None,
    held_out: HeldOutOption = None,
    json: JsonOption = False,
) -> None:
    """Judge packages with this evaluator and list every verdict that flips, and why. Evidence is never rewritten.

    Example: fcbench score runs --oracle current
    """
    from fcbench.cli.change_report import scored_data, scored_lines
    from fcbench.cli.run_report import opened_secrets
    from fcbench.workflows.project import find_project, load
    from fcbench.workflows.score import open_all
    from fcbench.workflows.score import score as work

    printer = Output(as_json=json)
    cases = load(find_project(project), opened_secrets(held_out)).suites.cases if oracle == "current" else None
    scored = [work(package, cases) for package in open_all(runs)]
    text = "\n".join(line for one in scored for line in scored_lines(one))
    printer.result(text, [scored_data(one) for one in scored])


def verify(runs: RunsArgument, json: JsonOption = False) -> None:
    """Verify packages from themselves alone. Exit 0: all intact; 1: something is wrong; 2: cannot tell, and why.

    Checked are files and digests, what the manifest says of them, every call and every verdict.

    Example: fcbench verify runs
    """
    from fcbench.workflows.verify import verify_all

    printer = Output(as_json=json)
    found = verify_all(runs)
    lines = []
    for one in found.packages:
        word = one.status if one.intact else one.status.upper()
        lines.append(
            f"{word}  {one.folder}: {one.attempts} attempts, {one.verdicts} verdicts in "
            f"{one.verdict_files} files recomputed"
        )
        lines += [f"  problem: {text}" for text in one.problems[:SHOWN_PROBLEMS]]
        if len(one.problems) > SHOWN_PROBLEMS:
            lines.append(f"  and {len(one.problems) - SHOWN_PROBLEMS} more (all with --json)")
        lines += [f"  cannot tell: {text}" for text in one.open_questions]
        lines += [f"  note: {text}" for text in one.notes]
    good = sum(one.intact for one in found.packages)
    lines.append(f"{good} of {len(found.packages)} packages intact")
    data = [
        {
            "folder": str(one.folder),
            "run_id": one.run_id,
            "status": one.status,
            "intact": one.intact,
            "attempts": one.attempts,
            "verdicts": one.verdicts,
            "problems": list(one.problems),
            "open_questions": list(one.open_questions),
            "notes": list(one.notes),
        }
        for one in found.packages
    ]
    printer.result("\n".join(lines), data)
    if found.why_none:
        printer.note(f"cannot tell: {found.why_none}; make one with `fcbench run` or `fcbench quickstart`")
    if found.exit_code:
        raise typer.Exit(found.exit_code)
