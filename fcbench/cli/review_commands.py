"""Commands for what a person must look at: the anomaly queue, and the ledger of claims and rulings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from fcbench.cli import rating_commands
from fcbench.cli.compare_commands import share
from fcbench.cli.options import JsonOption, OutputOption, ProjectOption, RunsArgument
from fcbench.cli.output import Output, plain, safe_json
from fcbench.errors import UsageError

Word = Literal["upheld", "rejected", "open"]
ByOption = Annotated[str, typer.Option("--by", help="The name of the person who says so.")]
DateOption = Annotated[str | None, typer.Option("--date", help="Such as 2026-12-01; today without.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    review = typer.Typer(help="Anomalies, disputes and manual ratings.", rich_markup_mode=None)
    review.command("queue")(queue)
    review.command("claim")(claim)
    review.command("rule")(rule)
    review.command("list")(list_claims)
    review.command("scores")(scores)
    rating_commands.register(review)
    app.add_typer(review, name="review")


def queue(
    runs: RunsArgument,
    reason: Annotated[list[str] | None, typer.Option("--reason", help="Only this reason; may be repeated.")] = None,
    case: Annotated[str | None, typer.Option("--case", help="Only this case.")] = None,
    suite: Annotated[str | None, typer.Option("--suite", help="Only cases of this suite.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only attempts of this run.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only attempts of this model.")] = None,
    sort: Annotated[str, typer.Option("--sort", help="reason, case, run or suite.")] = "reason",
    base_url: Annotated[str, typer.Option("--base-url", help="Address of the site, put before each link.")] = "",
    min_models: Annotated[
        int, typer.Option("--min-models", min=1, help="Models that must fail a case before it is listed for that.")
    ] = 2,
    flip: Annotated[
        str, typer.Option("--flip", metavar="SHARE", help="Share of runs whose repeats disagree that is high.")
    ] = "50%",
    controls: Annotated[bool, typer.Option("--controls", help="List anomalies of controls as well.")] = False,
    decided: Annotated[bool, typer.Option("--decided", help="List what the ledger has decided as well.")] = False,
    project: ProjectOption = None,
    output: OutputOption = None,
    form: Annotated[Literal["text", "csv", "json"], typer.Option("--format", help="Form of --output.")] = "csv",
    json: JsonOption = False,
) -> None:
    """List what a person should look at, each with a link to its page. What the ledger has decided is left out.

    Example: fcbench review queue runs --reason call_shaped_text --base-url https://example.org/bench/
    """
    from fcbench.aggregate.review_queue import QueueRules
    from fcbench.packages.files import write_whole
    from fcbench.workflows.review_queue import QueueRequest, review_queue

    # Below the smallest share, so that 100% is one that can be asked for.
    high = 1.0 if flip.strip() in ("1", "100%") else share(flip)
    request = QueueRequest(
        rules=QueueRules(min_models=min_models, flip=high, controls=controls),
        reasons=tuple(reason or ()),
        case=case,
        suite=suite,
        run=run,
        model=model,
        sort=sort,
        base_url=base_url,
        decided=decided,
    )
    found = review_queue(runs, request, project=project)
    if output:
        text = found.csv() if form == "csv" else safe_json(found.data()) if form == "json" else plain(found.text())
        write_whole(output, (text if form == "csv" else f"{text}\n").encode())
    Output(as_json=json).result(found.text(), found.data())


def claim(
    case: Annotated[str, typer.Argument(help="The id of the case.")],
    says: Annotated[str, typer.Option("--says", help="What is wrong, in one sentence.")],
    by: ByOption,
    date: DateOption = None,
    anomaly: Annotated[
        str | None, typer.Option("--anomaly", help="A reason of the queue, where an item of it is meant.")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="With --anomaly: only this run.")] = None,
    repeat: Annotated[int | None, typer.Option("--repeat", help="With --anomaly: only this repeat.")] = None,
    ruling: Annotated[
        Literal["rejected", "upheld"] | None, typer.Option("--ruling", help="With --anomaly: decide it at once.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="With --ruling: why.")] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Add a claim to suites/reviews.yaml: a case is wrong, or an item of the queue was looked at.

    Example: fcbench review claim gs-017 --says "The range lacks its last base." --by "A. Reader"
    """
    from fcbench.workflows import review_ledger

    if (ruling is None) != (reason is None) or (ruling is not None and anomaly is None):
        raise UsageError(
            "a decision at once is about an item of the queue",
            wanted="--anomaly, --ruling and --reason together",
            next_step="rule on a claim about a case with `fcbench review rule`",
        )
    request = review_ledger.ClaimRequest(
        case=case,
        says=says,
        by=by,
        date=date or _today(),
        anomaly=anomaly,
        run=run,
        repeat=repeat,
        decision=(ruling, reason) if ruling and reason else None,
    )
    added = review_ledger.claim(project, request)
    Output(as_json=json).result(added.text(), added.data())


def rule(
    of: Annotated[str, typer.Argument(metavar="CLAIM", help="The id of the claim, such as c0001.")],
    ruling: Annotated[Word, typer.Argument(help="upheld, rejected, or open to take it up again.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, in one sentence.")],
    by: ByOption,
    change: Annotated[
        str | None, typer.Option("--change", help="What was changed; an upheld claim about a case needs it.")
    ] = None,
    date: DateOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Add a ruling on a claim to suites/reviews.yaml; the last one counts.

    Example: fcbench review rule c0001 rejected --reason "The record ends there." --by "B. Reader"
    """
    from fcbench.suites.disputes import Ruling
    from fcbench.workflows import review_ledger

    made = Ruling(ruling=ruling, of=of, reason=reason, by=by, date=date or _today(), change=change)
    added = review_ledger.rule(project, made)
    Output(as_json=json).result(added.text(), added.data())


def list_claims(
    standing: Annotated[Word | None, typer.Option("--standing", help="Only claims that stand so.")] = None,
    case: Annotated[str | None, typer.Option("--case", help="Only claims about this case.")] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show claims with their rulings, oldest first.

    Example: fcbench review list --standing open
    """
    from fcbench.workflows.review_ledger import list_disputes

    found = list_disputes(project, standing=standing, case=case)
    Output(as_json=json).result(found.text(), found.data())


def scores(runs: RunsArgument, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Show both scores of every board that holds a disputed case: with all cases, and without the disputed ones.

    Example: fcbench review scores runs
    """
    from fcbench.workflows import review_ledger

    found = review_ledger.scores(runs, project)
    Output(as_json=json).result(found.text(), found.data())


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
