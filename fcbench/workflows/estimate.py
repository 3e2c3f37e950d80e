"""What a case will cost in tokens, before it is asked: the real first request, then the golden run.

Nobody's tokenizer is at hand before a run, so bytes stand for tokens, at rates measured on recorded runs (see
docs/reference/cost.md, which gives the errors). What follows the first request is a guess: one golden call a round.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from fcbench.core.canonical import canonical_text
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Candidate
from fcbench.core.names import CaseId, HarnessMode, ToolName
from fcbench.core.records import Record
from fcbench.engine.plan import RunPlan
from fcbench.harnesses.channel import Exchange
from fcbench.harnesses.clock import SystemClock
from fcbench.harnesses.loop import ContractHarness, Plan
from fcbench.providers.base import ProviderFailure, Request
from fcbench.providers.wire import request_fields

BYTES_A_TOKEN: Mapping[str, float] = {"en": 3.19, "nl": 2.96}
"""UTF-8 bytes of a first request, messages and tools as JSON without blanks, for a token: measured by language."""
OTHER_BYTES_A_TOKEN = 2.96
"""For languages that were not measured: the smaller rate, which asks for more tokens."""
GOLDEN_BYTES_A_TOKEN = 1.4
"""Bytes of a golden call for a token that a model wrote in its place: models write JSON with blanks, and more keys."""
RESULT_TOKENS = 135
"""Measured mean of what the answer to one call adds to the next request."""
ANSWER_TOKENS = 40
"""Measured mean of a last reply without a call."""


class CaseEstimate(Record, frozen=True, kw_only=True):
    """Tokens of one attempt at one case, estimated."""

    task_id: CaseId
    suite: str
    language: str
    requests: int
    """Rounds, if the model plays the golden run with one call a round."""
    request_bytes: int
    """Of the first request: its messages and tools."""
    first_tokens: int
    """Input tokens of the first request."""
    input_tokens: int
    """Of all rounds: every round sends all before it again."""
    output_tokens: int

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class Asked(Record, frozen=True, kw_only=True):
    """One case with what it is asked with."""

    case: Case
    candidates: tuple[Candidate, ...]
    contracts: Mapping[ToolName, ToolContract]
    mode: HarnessMode


def asked_by(plan: RunPlan) -> tuple[Asked, ...]:
    """Every case of a plan, once."""
    return tuple(
        Asked(case=case, candidates=plan.candidates[case.id], contracts=plan.contracts, mode=plan.settings.mode)
        for case in plan.cases
    )


def estimates(asked: Iterable[Asked]) -> tuple[CaseEstimate, ...]:
    """An estimate for each case. Nothing is sent."""
    listed = tuple(asked)
    requests = asyncio.run(_first_requests(listed))
    return tuple(_estimate(one.case, request) for one, request in zip(listed, requests, strict=True))


def first_request(asked: Asked) -> Request:
    """The first request of an attempt, exactly as the harness makes it. Nothing is sent."""
    return asyncio.run(_first_requests([asked]))[0]


async def _first_requests(asked: Sequence[Asked]) -> list[Request]:
    made = []
    for one in asked:
        channel = _Held()
        plan = Plan(task=one.case.task, repeat=1, candidates=one.candidates, mode=one.mode)
        await ContractHarness(one.contracts, SystemClock()).attempt(plan, channel)
        made.extend(channel.requests)
    return made


class _Held:
    """A channel that keeps the first request and sends nothing."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def ask(self, request: Request) -> Exchange:
        self.requests.append(request)
        raise ProviderFailure("an estimate sends nothing", kind="refused")


def request_bytes(request: Request) -> int:
    """Bytes of a request's messages and tools as JSON, in the form of chat completions."""
    fields = request_fields(request, "model")
    return len(canonical_text([fields["messages"], fields.get("tools", [])]).encode())


def bytes_a_token(language: str) -> float:
    """The measured rate of a language."""
    return BYTES_A_TOKEN.get(language, OTHER_BYTES_A_TOKEN)


def _estimate(case: Case, request: Request) -> CaseEstimate:
    size = request_bytes(request)
    first = round(size / bytes_a_token(case.task.language))
    calls = [round(call_bytes(case, place) / GOLDEN_BYTES_A_TOKEN) for place in range(len(case.oracle.calls))]
    ends_with_call = case.task.single_call and bool(calls)
    rounds = len(calls) + (not ends_with_call)
    history = [tokens + RESULT_TOKENS for tokens in calls]
    sent = sum(first + sum(history[:place]) for place in range(rounds))
    return CaseEstimate(
        task_id=case.id,
        suite=case.suite,
        language=case.task.language,
        requests=rounds,
        request_bytes=size,
        first_tokens=first,
        input_tokens=sent,
        output_tokens=sum(calls) + (0 if ends_with_call else ANSWER_TOKENS),
    )


def call_bytes(case: Case, place: int) -> int:
    """Bytes of one golden call: the tool's name and the expected arguments as JSON."""
    step = case.oracle.calls[place]
    return len(step.tool) + len(canonical_text(dict(step.arguments)).encode())
