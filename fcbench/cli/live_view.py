"""How the live display of a run looks, from 40 columns on. Every text of a model passes `plain`, after it was cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fcbench.cli.call_report import badge
from fcbench.cli.live_state import LiveState, Told
from fcbench.cli.output import plain
from fcbench.cli.screen import Line
from fcbench.core.evidence import Round
from fcbench.core.names import Effect
from fcbench.engine.events import RunBegun, Spent

EffectOf = Callable[[str, str], Effect | None]
"""(case, tool as the model wrote it) -> the tool's effect."""
MAX_LETTERS = 160
"""Letters of any one text; the terminal's width cuts further."""
_MAX_CALLS = 6
_FRAME_ROWS = 10
"""Rows beside attempts in flight and log: frame, header, bar, figures, two headings."""
_SIGNS = {True: ("passed", "bold green"), False: ("failed", "bold red"), None: ("no verdict", "yellow")}


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a run is shown."""

    effect_of: EffectOf
    """Colours the badges."""
    height: int
    """Rows of the terminal; fewer rows show fewer attempts and rounds, never half a line."""
    tier: str = ""
    """At which attempts are judged."""
    note: str = ""
    """Such as why this run is not ranked."""


def live_view(state: LiveState, look: Look, now: float) -> RenderableType:
    """The whole display.

    Args:
        state: of the run.
        look: size and colours.
        now: seconds of the clock that the state's times were read from.
    """
    if state.begun is None:
        return Text("the run is being prepared", style="dim")
    room = max(look.height - _FRAME_ROWS - 1, 2)
    flying = min(len(state.in_flight), max(room // 3, 1))
    parts: list[RenderableType] = [*_header(state.begun, look.note), _bar(state), *_figures(state, now, look.tier)]
    if flying:
        parts.append(_row(("in flight", "bold"), (f"  {len(state.in_flight)}", "dim")))
        parts += _flights(state, now, flying)
    log = list(state.log)[-max(room - flying, 1) :]
    if log:
        parts.append(_row(("latest", "bold")))
        parts += [_told(one, look.effect_of) for one in log]
    title = _row(("fcbench run ", "bold"), (_short(state.begun.run_id, 48), "dim"))
    return Panel(Group(*parts), title=title, title_align="left", border_style="dim", padding=(0, 1))


def _row(*spans: tuple[str, str]) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    for text, style in spans:
        line.append(_short(text), style=style or None)
    return line


def _short(text: str, letters: int = MAX_LETTERS) -> str:
    """Cut first, since what comes from a model may be megabytes; no tab or line end may move the cursor."""
    cut = text if len(text) <= letters else text[:letters] + "..."
    return plain(cut).replace("\n", "\\n").replace("\t", "\\t")


def _header(begun: RunBegun, note: str) -> list[Text]:
    repeats = f" x {begun.repeats} repeats" if begun.repeats > 1 else ""
    resumed = f", resumed at {begun.done:,}" if begun.resumed else ""
    beside = f"  {begun.cases:,} cases{repeats}, {begun.concurrency} in flight at most{resumed}"
    board = f"board   {begun.collection} | {begun.harness} | {begun.mode} | {begun.retrieval} | {begun.decoding}"
    rows = [_row((f"{begun.provider}:{begun.model}", "bold"), (beside, "dim")), _row((board, ""))]
    return [*rows, _row((note, "yellow"))] if note else rows


def _bar(state: LiveState) -> Table:
    table = Table.grid(expand=True, padding=(0, 1, 0, 0))
    table.add_column(ratio=1)
    table.add_column(no_wrap=True, justify="right")
    share = f"{100 * state.done / state.planned:.0f} %" if state.planned else ""
    told = Text(f"{state.done:,}/{state.planned:,}  {share}")
    table.add_row(ProgressBar(total=max(state.planned, 1), completed=state.done), told)
    return table


def _figures(state: LiveState, now: float, tier: str) -> list[Text]:
    judged = state.passed + state.failed
    share = f"  {100 * state.passed / judged:.1f} % of {judged:,} judged here, {tier}" if judged else ""
    others = "".join(f"  {name.replace('_', ' ')} {number:,}" for name, number in sorted(state.others.items()))
    verdicts = _row(
        (f"passed {state.passed:,}", "green"), (f"  failed {state.failed:,}", "red"), (share, "dim"), (others, "yellow")
    )
    rate, left = state.rate(now), state.seconds_left(now)
    time = f"time    {clock_text(now - state.started)} so far"
    time += f", about {clock_text(left)} left" if left is not None else ""
    time += f", {rate * 60:.1f} attempts a minute" if rate else ""
    return [verdicts, _row((time, "")), _row((_spent_text(state.spent, state.begun), "")), _waits(state, now)]


def _spent_text(spent: Spent, begun: RunBegun | None) -> str:
    currency = begun.currency if begun else None
    least = "at least " if spent.uncounted else ""
    tokens = f"{least}{spent.input_tokens:,} in, {spent.output_tokens:,} out"
    if spent.uncounted and not spent.input_tokens + spent.output_tokens:
        tokens = "not counted"
    cost = "unknown" if spent.cost is None else f"{least}{spent.cost:.4f} {currency or ''}".rstrip()
    return f"tokens  {tokens}   cost {cost}"


def _waits(state: LiveState, now: float) -> Text:
    counts = ", ".join(f"{name} {number:,}" for name, number in sorted(state.waits.items()) if name != "retry")
    told = f"network {counted(state.spent.requests, 'request')}, {counted(state.retries, 'retry', 'retries')}" + (
        f", {counts}" if counts else ""
    )
    waiting = state.wait_now(now)
    if waiting is None:
        return _row((told, ""))
    event, left = waiting
    detail = f": {_short(event.detail, 80)}" if event.detail else ""
    return _row((told, ""), (f"  waiting {left:.0f} s, {event.why}{detail}", "bold yellow"))


def counted(number: int, one: str, more: str = "") -> str:
    """Such as `1 round` or `2 rounds`."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def clock_text(seconds: float) -> str:
    """Hours, minutes and seconds, such as `0:03:20`."""
    whole = max(int(seconds), 0)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _flights(state: LiveState, now: float, number: int) -> list[Text]:
    rows = []
    for (case, repeat, _), flight in list(state.in_flight.items())[:number]:
        where = f"round {flight.round}" if flight.round else "begins"
        rows.append(_row((f"  {case}", ""), (f" repeat {repeat}  {where}, {now - flight.since:.0f} s", "dim")))
    return rows


def _told(told: Told, effect_of: EffectOf) -> Text:
    case, repeat, _ = told.which
    if told.turn is not None:
        return _row(
            (f"  {case}", ""), (f" {repeat} round {told.turn.number} ", "dim"), *_calls(told.turn, case, effect_of)
        )
    assert told.attempt is not None
    attempt, (word, style) = told.attempt, _SIGNS[told.passed]
    beside = (
        f"  {attempt.outcome.replace('_', ' ')} in {attempt.duration_s:.1f} s, {counted(len(attempt.rounds), 'round')}"
    )
    error = f"  {attempt.error.message}" if attempt.error else ""
    return _row((f"  {case}", "bold"), (f" {repeat} ", "dim"), (word, style), (beside, "dim"), (error, "red"))


def _calls(turn: Round, case: str, effect_of: EffectOf) -> Line:
    spans: list[tuple[str, str]] = []
    for call in turn.calls[:_MAX_CALLS]:
        spans += [badge(call.name[:81], effect_of(case, call.name))[0]]
        status = call.result.status
        spans.append((f" {status.replace('_', ' ')} ", "green" if status == "ok" else "bold red"))
    if len(turn.calls) > _MAX_CALLS:
        spans.append((f"and {len(turn.calls) - _MAX_CALLS:,} more", "dim"))
    if not turn.calls:
        spans.append((turn.text or "an empty reply", "dim" if turn.text else "yellow"))
    return spans


__all__ = ["EffectOf", "Look", "clock_text", "live_view"]
