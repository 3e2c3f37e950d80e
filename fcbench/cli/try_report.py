"""What `fcbench try` shows: the case, each round as it happens, the verdict at every tier."""

from __future__ import annotations

from fcbench.cli.call_report import call_lines
from fcbench.cli.output import Output
from fcbench.cli.screen import Line, Screen, block
from fcbench.core.contracts import contracts_of
from fcbench.core.evidence import Attempt, Round
from fcbench.core.names import ToolName
from fcbench.core.verdicts import Dimensions, Fault, PartialScore, Verdict
from fcbench.evaluator.wording import one_line
from fcbench.workflows.try_case import Trial, Tried

MAX_CALLS = 64
"""Calls of one round that are shown; no more are executed in a whole attempt."""
MAX_FAULTS = 30
_GUTTER = "  | "


def opening_lines(trial: Trial) -> list[Line]:
    """The case and how it is asked."""
    settings = trial.prepared.plan.settings
    offered = trial.prepared.plan.candidates[trial.case.id]
    told = (
        f"  {trial.prepared.harness} harness, {settings.mode}, retrieval {trial.prepared.plan.retrieval}, "
        f"{len(offered)} tool{'' if len(offered) == 1 else 's'} offered"
    )
    lines: list[Line] = [((f"{trial.case.id}", "bold"), (f"  {trial.request.model}", "")), ((told, "dim"),)]
    if trial.missed:
        lines.append(((f"  expected, and not offered: {', '.join(trial.missed)}", "yellow"),))
    asked = [text for text in (trial.case.task.context, trial.case.task.instruction) if text]
    return lines + block("\n".join(asked), _GUTTER, cut=False)


def round_lines(turn: Round, trial: Trial) -> list[Line]:
    """One round: the model's text, its calls with their answers, and what the harness said."""
    told = f"  {turn.duration_s:.2f} s, reply {turn.reply_s:.2f} s, {turn.finish_reason[:40]}{_tokens(turn)}"
    lines: list[Line] = [(), ((f"round {turn.number}", "bold"), (told, "dim"))]
    if turn.text:
        lines += block(turn.text, _GUTTER)
    known = contracts_of(trial.case.task, trial.contracts)
    for call in turn.calls[:MAX_CALLS]:
        contract = known.get(ToolName(call.name))
        lines += call_lines(call, contract.effect if contract else None)
    if len(turn.calls) > MAX_CALLS:
        lines.append(((f"    ... {len(turn.calls) - MAX_CALLS:,} more calls (all with --json)", "dim"),))
    if not (turn.text or turn.calls):
        lines.append((("  an empty reply", "yellow"),))
    if turn.nudge:
        lines.append((("  the harness says: ", "yellow"), (turn.nudge, "")))
    return lines


def _tokens(turn: Round) -> str:
    if turn.usage.output_tokens is None:
        return ""
    return f", {turn.usage.input_tokens or 0:,} tokens in, {turn.usage.output_tokens:,} out"


def closing_lines(tried: Tried) -> list[Line]:
    """How the attempt ended, then the verdict at each tier, the headline first."""
    lines: list[Line] = [(), *_ending(tried.attempt)]
    for verdict in tried.verdicts:
        lines += verdict_lines(verdict, is_headline=verdict.tier == tried.trial.headline)
    if not tried.verdicts:
        lines.append((("no verdict", "bold yellow"), (": this outcome is not the model's doing", "")))
    return lines


def _ending(attempt: Attempt) -> list[Line]:
    rounds, calls = len(attempt.rounds), len(attempt.calls)
    told = f"{attempt.outcome}: {attempt.stop}, after {attempt.duration_s:.2f} s, rounds {rounds}, calls {calls}"
    error: list[Line] = [(("  " + attempt.error.message[:600], "red"),)] if attempt.error else []
    return [((told, "bold"),), *error]


def verdict_lines(verdict: Verdict, *, is_headline: bool) -> list[Line]:
    """Passed or not, each condition with its reason, faults, partial score and dimensions."""
    word = ("PASSED", "bold green") if verdict.passed else ("NOT PASSED", "bold red")
    beside = " (headline)" if is_headline else ""
    if verdict.passed_with_recovery and not verdict.passed:
        beside += ", passed with recovery"
    lines: list[Line] = [(), (word, (f"  {verdict.tier}", "bold"), (beside, "dim"))]
    width = max((len(condition.name) for condition in verdict.conditions), default=0)
    for condition in verdict.conditions:
        sign = ("  yes  ", "green") if condition.passed else ("  no   ", "bold red")
        lines.append((sign, (condition.name.ljust(width), ""), (f"  {condition.reason}", "dim")))
    lines += [_fault_line(fault) for fault in verdict.faults[:MAX_FAULTS]]
    if len(verdict.faults) > MAX_FAULTS:
        lines.append(((f"  ... {len(verdict.faults) - MAX_FAULTS:,} more faults (all with --json)", "dim"),))
    lines.append(((f"  partial score {_score_text(verdict.partial)}", ""),))
    lines.append(((f"  dimensions: {_dimensions_text(verdict.dimensions)}", ""),))
    if verdict.anomalies:
        lines.append(((f"  anomalies: {', '.join(verdict.anomalies)}", "yellow"),))
    return lines


def _fault_line(fault: Fault) -> Line:
    place = f" (round {fault.round})" if fault.round is not None else ""
    return ("  fault ", "red"), (fault.kind, "bold"), (f": {fault.sentence}", ""), (place, "dim")


def _score_text(score: PartialScore) -> str:
    parts = {
        "tools": score.tool_coverage,
        "arguments": score.arguments,
        "schema": score.schema_validity,
        "executed": score.observed_execution,
        "succeeded": score.successful_execution,
    }
    known = ", ".join(f"{name} {part:.2f}" for name, part in parts.items() if part is not None)
    changes = score.unexpected_state_changes
    return f"{score.score:.2f}: {known}" + (f", unexpected state changes {changes}" if changes else "")


def _dimensions_text(found: Dimensions) -> str:
    words = {True: "yes", False: "no", None: "open"}
    parts = {
        "syntax": words[found.syntactic_validity],
        "schema": words[found.schema_conformance],
        "fidelity": words[found.argument_fidelity],
        "restraint": words[found.restraint],
        "exact match": words[found.exact_match],
    }
    fields = {"field precision": found.field_precision, "field recall": found.field_recall}
    parts |= {name: f"{value:.2f}" for name, value in fields.items() if value is not None}
    return ", ".join(f"{name} {part}" for name, part in parts.items())


class LiveRounds:
    """A watcher that shows each round on the screen when it is over."""

    def __init__(self, screen: Screen, trial: Trial) -> None:
        self._screen = screen
        self._trial = trial

    def begins(self, number: int) -> None:
        """Say that the model is being asked."""
        self._screen.wait(f"round {number}: waiting for the model")

    def ended(self, turn: Round) -> None:
        """Show the round."""
        self._screen.go_on()
        self._screen.show(round_lines(turn, self._trial))


class NotedRounds:
    """A watcher that says one line a round on stderr, beside JSON."""

    def __init__(self, printer: Output) -> None:
        self._printer = printer

    def begins(self, number: int) -> None:
        """Nothing to say yet."""

    def ended(self, turn: Round) -> None:
        """Say what was called."""
        names = ", ".join(one_line(call.name[:40]) for call in turn.calls[:4]) or "no call"
        self._printer.note(f"round {turn.number}: {names} in {turn.duration_s:.1f} s")
