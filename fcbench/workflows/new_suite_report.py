"""What `fcbench suite new` says: what was written, what the gates find, how many cases it takes, what comes next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fcbench.aggregate.intervals import cases_needed
from fcbench.core.difficulty import difficulty
from fcbench.core.findings import Finding
from fcbench.core.names import JsonObject, ToolName
from fcbench.core.records import Record, to_plain
from fcbench.registry.advice import ADVICE
from fcbench.suites.scaffold_files import Plan
from fcbench.workflows.suite_examples import Examples

FAILURES = 3
"""The need is told for no failing case, one, and so on, so many numbers."""
MAX_PLACES = 4
"""Places of one rule that are named for people; `--json` names all."""
_OUR_FIELD = "/parameters"


class Advised(Record, frozen=True, kw_only=True):
    """One finding about the user's schema."""

    rule: str
    field: str
    """JSON Pointer into the user's schema; `description` and `name` are those of the tool."""
    message: str
    advice: str


def advised(finding: Finding, name: ToolName) -> Advised:
    """A finding of the lint with its place in the user's schema and with what can be done."""
    field = finding.field
    return Advised(
        rule=finding.rule,
        field=field[len(_OUR_FIELD) :] or "/" if field.startswith(_OUR_FIELD) else field.removeprefix("/"),
        message=finding.message.removeprefix(f"{name}: "),
        advice=ADVICE.get(finding.rule, ""),
    )


@dataclass(frozen=True, kw_only=True)
class NewSuite:
    """What was made."""

    project: Path
    plan: Plan
    kind: str
    advice: tuple[Advised, ...]
    examples: Examples
    files: tuple[Path, ...]
    threshold: float
    needs_lock: bool

    @property
    def level(self) -> str:
        """Level of the schema (PROTOCOL 6)."""
        return difficulty(self.plan.contract.parameters).level

    @property
    def needed(self) -> tuple[int, ...]:
        """Cases that support the threshold, with 0, 1, 2, ... failing ones among them."""
        return tuple(cases_needed(failures, self.threshold) for failures in range(FAILURES))

    @property
    def next_steps(self) -> tuple[str, ...]:
        """Commands in the order in which they are given; the first is work for a person."""
        suite, project = self.plan.suite, shlex.quote(str(self.project))
        lock = (f"fcbench registry lock --project {project}",) if self.needs_lock else ()
        return (
            f"edit {self.files[2]}: rewrite the examples in the words of your users, and add cases",
            *lock,
            f"fcbench suite check --project {project}",
            f"fcbench suite stats {suite} --project {project}",
            f"fcbench run {suite} --project {project} --model openai_chat:NAME --base-url URL --output {project}/runs",
            f"fcbench reliability {project}/runs --require {100 * self.threshold:.6g}%",
        )

    def text(self) -> str:
        """For people."""
        return "\n".join([*self._written(), "", *self._gates(), "", *self._need(), "", *self._next()])

    def data(self) -> JsonObject:
        """As plain JSON values."""
        return {
            "project": str(self.project),
            "suite": self.plan.suite,
            "registry": self.plan.registry,
            "function": self.plan.contract.name,
            "source": self.kind,
            "language": self.plan.language,
            "imported_from": self.plan.contract.imported_from,
            "level": self.level,
            "files": [str(path) for path in self.files],
            "examples": {draft.mix: draft.case["id"] for draft in self.examples.drafts},
            "left_out": dict(self.examples.left_out),
            "findings": [to_plain(each) for each in self.advice],
            "require": self.threshold,
            "cases_needed": [{"failures": count, "cases": cases} for count, cases in enumerate(self.needed)],
            "next_steps": list(self.next_steps),
        }

    def _written(self) -> Iterator[str]:
        plan = self.plan
        yield f"{plan.contract.name} ({self.kind}, level {self.level}): suite {plan.suite} in {self.project}"
        yield from (f"  written {path}" for path in self.files)
        yield from (f"  example {draft.case['id']}" for draft in self.examples.drafts)
        yield from (f"  no example of {mix}: {reason}" for mix, reason in self.examples.left_out.items())

    def _gates(self) -> Iterator[str]:
        if not self.advice:
            yield "gates: the schema passes all of them"
            return
        yield f"gates: {len(self.advice)} findings about the schema, which went in untouched"
        for rule in dict.fromkeys(each.rule for each in self.advice):
            same = [each for each in self.advice if each.rule == rule]
            for each in same[:MAX_PLACES]:
                yield f"  {rule} at {each.field}: {each.message}"
            if len(same) > MAX_PLACES:
                yield f"  {rule} at {len(same) - MAX_PLACES} more places; --json names all"
            if same[0].advice:
                yield f"    what to do: {same[0].advice}"
        if self.plan.contract.imported_from:
            yield "  The contract is marked `imported_from`: names and descriptions are measured as they are."

    def _need(self) -> Iterator[str]:
        counts = ", ".join(f"{cases} with {failures} failing" for failures, cases in enumerate(self.needed))
        yield f"cases to claim {100 * self.threshold:.6g} % at a level (yours is {self.level}): {counts}"
        yield "  A case fails if one of its repeats fails. Cases where asking is right are not counted: no call is due."

    def _next(self) -> Iterator[str]:
        yield "next:"
        yield from (f"  {number}. {step}" for number, step in enumerate(self.next_steps, 1))
