"""Commands for manual cases: collect answers, blind them, rate, agree, settle, unblind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fcbench.cli.options import JsonOption, ProjectOption
from fcbench.cli.output import Output
from fcbench.errors import UsageError

SessionArgument = Annotated[Path, typer.Argument(metavar="SESSION", help="The folder of a rating session.")]
ExportOption = Annotated[Path | None, typer.Option("--export", help="Write the sheet as CSV and rate there.")]
ImportOption = Annotated[Path | None, typer.Option("--import", help="Take over a sheet that was filled in.")]


def register(review: typer.Typer) -> None:
    """Add the commands of this module to `fcbench review`."""
    review.command("collect")(collect)
    review.command("blind")(blind)
    review.command("rate")(rate)
    review.command("agree")(agree)
    review.command("consensus")(consensus)
    review.command("outcome")(outcome)


def collect(
    output: Annotated[Path, typer.Option("--output", help="File of answers, JSON lines; what it holds stays.")],
    model: Annotated[str, typer.Option("--model", help="The name of the model that answers.")],
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Which answer of this model, from 1.")] = 1,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show each manual case's instruction and take the model's answer from stdin; a line with one dot ends it.

    Example: fcbench review collect --model some-model --output answers.jsonl
    """
    from fcbench.cli.rating_terminal import Desk
    from fcbench.suites.manual import load_manual
    from fcbench.workflows.manual_session import ManualAnswer, read_answers, write_answers
    from fcbench.workflows.project import find_project

    printer = Output(as_json=json)
    suite = load_manual(find_project(project).suites)
    known = read_answers(output) if output.exists() else []
    have = {(one.case, one.model, one.repeat) for one in known}
    desk = Desk(printer, sys.stdin.readline)
    added = 0
    for case in suite.cases.values():
        if (case.id, model, repeat) in have:
            continue
        text = desk.answer_to(case)
        if text is None:
            break
        known.append(ManualAnswer(case=case.id, model=model, repeat=repeat, text=text))
        write_answers(output, known)
        added += 1
    printer.result(f"{added} answers added, {len(known)} in {output}", {"added": added, "answers": len(known)})


def blind(
    answers: Annotated[list[Path], typer.Argument(help="Files of answers, JSON lines.")],
    output: Annotated[Path, typer.Option("--output", help="New folder of the session, for the raters.")],
    key: Annotated[
        Path | None, typer.Option("--key", help="Where the key goes; beside the folder, named after it, without.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the order of the items.")] = 1,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Begin a rating session: answers under blinded ids in a folder, and the key to the models apart from it.

    Example: fcbench review blind answers.jsonl --output ratings
    """
    from fcbench.suites.manual import load_manual
    from fcbench.workflows.manual_session import blind as begin
    from fcbench.workflows.manual_session import read_answers
    from fcbench.workflows.project import find_project

    suite = load_manual(find_project(project).suites)
    place = key or default_key(output)
    collected = [one for path in answers for one in read_answers(path)]
    folder = begin(suite, collected, output, seed=seed, key=place)
    count = len(folder.session.items)
    text = f"{count} items in {output}\n  keep the key from the raters: {place}"
    Output(as_json=json).result(text, {"items": count, "session": str(output), "key": str(place)})


def rate(
    session: SessionArgument,
    rater: Annotated[str, typer.Option("--rater", help="Your name: small letters, digits and hyphens.")],
    export: ExportOption = None,
    taken: ImportOption = None,
    json: JsonOption = False,
) -> None:
    """Rate answers without seeing whose they are or what the other rater gave: here, or through a CSV file.

    Example: fcbench review rate ratings --rater anna

    Example: fcbench review rate ratings --rater ben --export ben.csv
    """
    from fcbench.workflows.manual_session import open_session
    from fcbench.workflows.manual_tables import export_ratings, import_ratings

    printer, folder = Output(as_json=json), open_session(session)
    folder.join(rater)
    _one_way(export, taken)
    if export:
        rows = export_ratings(folder, rater, export)
        printer.result(f"{rows} rows in {export}", {"rows": rows, "file": str(export)})
        return
    if taken:
        done, of = import_ratings(folder, rater, taken)
    else:
        from fcbench.cli.rating_terminal import Desk

        done, of = Desk(printer, sys.stdin.readline).rate(folder, rater)
    printer.result(f"{done} of {of} items rated", {"rater": rater, "rated": done, "items": of})


def agree(
    session: SessionArgument,
    seed: Annotated[int, typer.Option("--seed", help="Of the bootstrap.")] = 1,
    json: JsonOption = False,
) -> None:
    """Say how far two raters agree: weighted kappa with an interval, overall and by criterion.

    Example: fcbench review agree ratings
    """
    from fcbench.workflows.manual_outcome import agree as measure
    from fcbench.workflows.manual_session import open_session

    report = measure(open_session(session), seed=seed)
    Output(as_json=json).result(report.text(), report.data())


def consensus(
    session: SessionArgument,
    export: ExportOption = None,
    taken: ImportOption = None,
    json: JsonOption = False,
) -> None:
    """Settle what two raters see differently, together: here, or through a CSV file.

    Example: fcbench review consensus ratings
    """
    from fcbench.workflows.manual_session import open_session
    from fcbench.workflows.manual_tables import export_consensus, import_consensus

    printer, folder = Output(as_json=json), open_session(session)
    _one_way(export, taken)
    if export:
        rows = export_consensus(folder, export)
        printer.result(f"{rows} rows in {export}", {"rows": rows, "file": str(export)})
        return
    if taken:
        done, of = import_consensus(folder, taken)
    else:
        from fcbench.cli.rating_terminal import Desk

        done, of = Desk(printer, sys.stdin.readline).settle(folder)
    printer.result(f"{done} of {of} items settled", {"settled": done, "differing": of})


def outcome(
    session: SessionArgument,
    key: Annotated[Path | None, typer.Option("--key", help="The key; beside the folder without.")] = None,
    json: JsonOption = False,
) -> None:
    """Unblind a session and say which answers pass. Manual ratings are on no board.

    Example: fcbench review outcome ratings
    """
    from fcbench.workflows.manual_outcome import outcome as unblind
    from fcbench.workflows.manual_session import open_session

    report = unblind(open_session(session), key or default_key(session))
    Output(as_json=json).result(report.text(), report.data())


def default_key(session: Path) -> Path:
    """The key beside a session's folder."""
    folder = session.resolve()
    return folder.with_name(f"{folder.name}-key.json")


def _one_way(export: Path | None, taken: Path | None) -> None:
    if export and taken:
        raise UsageError("a sheet goes one way at a time", wanted="--export or --import", found="both")
