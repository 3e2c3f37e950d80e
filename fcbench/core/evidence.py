"""Evidence: what happened in one attempt. It is written once and never changes."""

from __future__ import annotations

from typing import Literal

from msgspec import field

from fcbench.core.names import CaseId, Digest, JsonObject, JsonValue, Outcome, ToolName
from fcbench.core.records import Record

CallStatus = Literal["ok", "error", "invalid", "not_offered", "duplicate", "over_limit"]
"""What the harness did with a call.

`ok`: answered, and the tool succeeded. `error`: answered, and the tool failed. `invalid`: refused because the arguments
are not one JSON object or break the schema. `not_offered`: refused because the tool was not among the candidates.
`duplicate`: an identical state-changing call of the same reply, recorded and not executed. `over_limit`: beyond a hard
limit of the loop, not executed.
"""
Provenance = Literal["computed", "state", "simulated", "synthetic"]
PhaseName = Literal["prepared", "retrieved", "requested", "replied", "executed", "ended"]


class CallResult(Record, frozen=True, kw_only=True):
    """What a call was answered with."""

    status: CallStatus
    content: JsonValue
    """The tool's result as its contract's `returns` describes it (status `ok`), or `{"code", "message"}` otherwise.

    The model sees it wrapped as `{"ok": true, "result": ...}` or `{"ok": false, "error": ...}`; `$from` references
    point into this value.
    """
    duration_s: float = 0.0
    provenance: Provenance | None = None
    """Where the content comes from; None where the call was refused."""
    engine: str | None = None
    """What computed it, with its version, such as `biopython 1.88`; None on the contract harness."""


class Call(Record, frozen=True, kw_only=True):
    """One structured call as a model made it."""

    id: str
    """The provider's id, or `call-<round>-<position>` where it gave none (then `id_given` is false)."""
    name: str
    """The tool as the model wrote it, mapped back from its name on the wire."""
    raw_arguments: str
    """The argument string as received; lone surrogates replaced."""
    arguments: JsonObject | None = None
    """The parsed arguments, or None where they are not one strict JSON object."""
    parse_error: str | None = None
    result: CallResult
    id_given: bool = True

    @property
    def executed(self) -> bool:
        """Whether the tool was really run or answered (PROTOCOL 4: observed execution)."""
        return self.result.status in ("ok", "error")

    @property
    def succeeded(self) -> bool:
        """Whether the tool was run and succeeded."""
        return self.result.status == "ok"


class Usage(Record, frozen=True, kw_only=True):
    """Tokens, as the provider counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None

    def plus(self, other: Usage) -> Usage:
        """The sum; a part that either side does not know stays unknown unless the other knows it."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_input_tokens=_sum(self.cached_input_tokens, other.cached_input_tokens),
        )


def _sum(left: int | None, right: int | None) -> int | None:
    return right if left is None else left if right is None else left + right


class Round(Record, frozen=True, kw_only=True):
    """One request and its reply."""

    number: int
    """From 1."""
    started_at: str
    """UTC, ISO 8601 with milliseconds and `Z`."""
    duration_s: float
    """From the request to the end of the last execution."""
    reply_s: float
    """From the request to the whole reply."""
    text: str = ""
    """Text of the reply, lone surrogates replaced."""
    finish_reason: str
    """The provider's own word."""
    calls: tuple[Call, ...] = ()
    request_sha256: Digest
    """Of the exact request body."""
    reply_sha256: Digest
    """Of the raw reply body."""
    usage: Usage = Usage()
    nudge: str | None = None
    """What the harness said after this round, if anything (oracle-assisted nudge, repair turn)."""


class Candidate(Record, frozen=True, kw_only=True):
    """One tool that was offered."""

    name: ToolName
    rank: int
    """From 1; under `given` and `all` the position in the list."""
    score: float | None = None
    """Score of the retrieval, where it has one."""
    wire_name: str | None = None
    """The name under which it went out, where providers refuse its own (`providers.wire_names`)."""


class Phase(Record, frozen=True, kw_only=True):
    """When a phase of the attempt was reached (PROTOCOL 2)."""

    name: PhaseName
    at_s: float
    """Seconds since the attempt began."""


class AttemptError(Record, frozen=True, kw_only=True):
    """Why an attempt has no scorable outcome."""

    kind: str
    message: str
    status: int | None = None
    """HTTP status, where there was one."""


class Attempt(Record, frozen=True, kw_only=True):
    """One execution of one task by one model."""

    task_id: CaseId
    repeat: int
    """From 1."""
    try_number: int = field(default=1, name="try")
    """From 1; a provider or harness error is tried again, and the last try counts."""
    outcome: Outcome
    candidates: tuple[Candidate, ...] = ()
    rounds: tuple[Round, ...] = ()
    final_text: str = ""
    started_at: str
    """UTC, ISO 8601 with milliseconds and `Z`."""
    duration_s: float
    usage: Usage = Usage()
    phases: tuple[Phase, ...] = ()
    retries: int = 0
    """Requests that the engine repeated inside this try."""
    end_state: JsonObject | None = None
    """Canonical digests of project, files, view and session on the workbench; None on the contract harness."""
    stop: str = ""
    """Why the loop ended: `model stopped`, `all steps covered`, `round budget`, `call limit`, `time limit`, ..."""
    error: AttemptError | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls in order."""
        return tuple(call for turn in self.rounds for call in turn.calls)
