"""Cases: what a model may see (Task) and what only the evaluator may see (Oracle), kept apart by type.

A harness receives a Task. Nothing in this module leads from a Task to its Oracle.
"""

from __future__ import annotations

from typing import Literal

from msgspec import field

from fcbench.core.names import (
    CaseId,
    Decision,
    Digest,
    HarnessName,
    JsonObject,
    JsonValue,
    Level,
    Mix,
    StepId,
    ToolName,
)
from fcbench.core.records import Record

DEFAULT_TIME_LIMIT_S = 120.0


class Task(Record, frozen=True, kw_only=True):
    """What a harness and a model may see of a case."""

    id: CaseId
    instruction: str
    language: str
    """ISO 639-1 code of the instruction."""
    registry: str
    """The registry whose tools are offered."""
    fixture: str | None = None
    """Name of the prepared state that the workbench starts from; None where the task needs none."""
    tools: tuple[ToolName, ...] = ()
    """Tools offered under retrieval `given`; empty where retrieval chooses."""
    context: str | None = None
    """Facts about the session that a user would see on screen, sent before the instruction."""
    time_limit_s: float = DEFAULT_TIME_LIMIT_S
    """Seconds for the whole attempt, scaled by `--time-scale`."""
    single_call: bool = False
    """Whether the attempt stops after the first conforming call or text reply (complex-schema suites)."""
    contracts: dict[ToolName, Digest] = field(default_factory=dict)
    """Imported tasks only: tool name as the model sees it -> digest of its contract (`core.contracts.contracts_of`).

    Imported data has many tools of one name with different schemas; empty where names are enough.
    """


class ExpectedCall(Record, frozen=True, kw_only=True):
    """One step of the golden run."""

    step: StepId
    """Name of the step, unique in its case; `$from` references use it."""
    tool: ToolName
    arguments: JsonObject = field(default_factory=dict)
    """Expected arguments. A value may be a comparator such as `{"$dna": "ACGT"}` at any depth (`core.comparators`)."""
    may_omit: tuple[str, ...] = ()
    """Expected arguments that a correct call may leave out even at the strict tiers."""
    block: int | None = None
    """Steps with the same block number may come in any order among themselves."""
    after: tuple[StepId, ...] = ()
    """Steps that must lie in an earlier round; steps used by `$from` count without being listed."""


class Labels(Record, frozen=True, kw_only=True):
    """How a case is counted in segments. Nothing here reaches a verdict."""

    category: str
    mix: Mix = "explicit"
    traps: tuple[str, ...] = ()
    """The mistakes that the case is meant to catch, from the suite's vocabulary."""
    skills: tuple[str, ...] = ()
    lookalikes: tuple[ToolName, ...] = ()
    """Tools that a careless reader would take instead."""
    family: str | None = None
    """Cases of one family are one cluster in intervals (PROTOCOL 7)."""
    pair: str | None = None
    """Label that a case shares with its twin in another language."""
    level: Level | None = None
    """Level of the target schema; filled in by the loader from the contract, never written by hand."""
    exercised_level: Level | None = None
    """Level that the expected arguments really exercise; filled in by the loader."""
    target: ToolName | None = None
    """Where no call is expected: the tool that the request is about, for segments. Else the expected tool is meant."""
    difficulty: Literal["easy", "medium", "hard"] = "medium"
    missing: tuple[str, ...] = ()
    """For decision `ask`: the fields that the instruction leaves out."""


class Oracle(Record, frozen=True, kw_only=True):
    """What only the evaluator may see."""

    decision: Decision
    calls: tuple[ExpectedCall, ...] = ()
    """The golden run; empty unless the decision is `call`."""
    alternatives: tuple[tuple[ExpectedCall, ...], ...] = ()
    """Other complete golden runs that are as right as `calls`."""
    call_only: bool = False
    """Whether success of the execution is left out (PROTOCOL 3, rule 5)."""
    end_state: JsonObject | None = None
    """Digests and facts that the golden run leaves behind on the workbench."""
    rationale: str = ""
    """Why this is the right answer, for readers of a failure page."""
    labels: Labels


class Case(Record, frozen=True, kw_only=True):
    """A task with its oracle, as planned, hashed and stored in a package."""

    suite: str
    task: Task
    oracle: Oracle
    harnesses: tuple[HarnessName, ...] = ("contract", "workbench")
    """Harnesses that can carry the case; a chain that synthetic answers cannot carry says `workbench` only."""
    requires: tuple[str, ...] = ()
    """Extras that an expected tool needs, such as `workbench-gpl`."""
    held_out: bool = False
    """Held-out cases never leave the machine in the clear (DESIGN)."""
    commitment: Digest | None = None
    """In a redacted package: what stands for a held-out case. Task and oracle are then stand-ins that say nothing."""
    canary: str = ""
    """The canary string of the suite, so that a training set that holds the case can be found."""

    @property
    def id(self) -> CaseId:
        """The case's id, unique over all suites."""
        return self.task.id

    @property
    def is_secret(self) -> bool:
        """Whether it is held out and stands here in the clear: then it is not for others."""
        return self.held_out and self.commitment is None


def contains_comparator(value: JsonValue) -> bool:
    """Whether a value is, or holds, a comparator or a reference (an object whose only keys begin with `$`)."""
    if isinstance(value, dict):
        return any(key.startswith("$") for key in value) or any(map(contains_comparator, value.values()))
    return isinstance(value, list) and any(map(contains_comparator, value))
