"""Doubles for a clock and a model: everything passed in, nothing patched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import Equivalent, ToolContract
from fcbench.core.names import CaseId, StepId, ToolName
from fcbench.providers.base import ProviderInfo, Reply, ReplyCall, Request


class FakeClock:
    """A clock that moves one second at each look, so that every duration is known."""

    def __init__(self, step_s: float = 1.0) -> None:
        self.seconds = 0.0
        self._step_s = step_s

    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        self.seconds += self._step_s
        return self.seconds


Script = Callable[[Request], Reply]


class Puppet:
    """A provider that answers from a list (the last reply again and again) and keeps what it was asked."""

    def __init__(self, replies: Sequence[Reply | Exception]) -> None:
        self._replies = list(replies)
        self.requests: list[Request] = []

    @property
    def info(self) -> ProviderInfo:
        return ProviderInfo(provider="puppet", model="puppet", endpoint="none")

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aclose(self) -> None:
        return


def says(text: str, finish_reason: str = "stop") -> Reply:
    """A reply of text."""
    return Reply(
        text=text, finish_reason=finish_reason, request_sha256=digest_text("request"), reply_sha256=digest_text(text)
    )


def calls(*pairs: tuple[str, str], finish_reason: str = "tool_calls") -> Reply:
    """A reply of calls, each a tool's name and a raw argument string."""
    made = tuple(ReplyCall(id=f"id-{place}", name=name, raw_arguments=raw) for place, (name, raw) in enumerate(pairs))
    return Reply(
        calls=made,
        finish_reason=finish_reason,
        request_sha256=digest_text("request"),
        reply_sha256=digest_text(str(pairs)),
    )


def contract(name: str, effect: str = "reads", equivalents: tuple[Equivalent, ...] = ()) -> ToolContract:
    """A tool with one required string and one optional integer."""
    return ToolContract(
        name=ToolName(name),
        version=1,
        category="test",
        description=f"The tool {name}.",
        parameters={
            "type": "object",
            "properties": {
                "gene": {"type": "string", "description": "A gene."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."},
            },
            "required": ["gene"],
            "additionalProperties": False,
        },
        returns={
            "type": "object",
            "properties": {"start": {"type": "integer", "minimum": 1, "maximum": 99, "description": "First base."}},
            "required": ["start"],
            "additionalProperties": False,
        },
        effect=effect,  # type: ignore[arg-type]
        capability=f"test.{name}",
        equivalents=equivalents,
    )


CONTRACTS = {
    ToolName("find_gene"): contract(
        "find_gene", equivalents=(Equivalent(tool=ToolName("look_up"), reason="the same table"),)
    ),
    ToolName("look_up"): contract("look_up"),
    ToolName("mark_gene"): contract("mark_gene", effect="session"),
}


def task(*, single_call: bool = False, time_limit_s: float = 1000.0) -> Task:
    """A task over the three tools."""
    return Task(
        id=CaseId("t-1"),
        instruction="Where does araC start?",
        language="en",
        registry="test",
        tools=tuple(CONTRACTS),
        single_call=single_call,
        time_limit_s=time_limit_s,
    )


def case(number: int = 1, *steps: str) -> Case:
    """A case that expects calls of these tools with the gene araC."""
    expected = tuple(
        ExpectedCall(step=StepId(f"s{place}"), tool=ToolName(name), arguments={"gene": "araC"})
        for place, name in enumerate(steps or ("find_gene",), start=1)
    )
    asked = Task(
        id=CaseId(f"t-{number}"),
        instruction="Where does araC start?",
        language="en",
        registry="test",
        tools=tuple(CONTRACTS),
        time_limit_s=1000.0,
    )
    return Case(
        suite="test", task=asked, oracle=Oracle(decision="call", calls=expected, labels=Labels(category="test"))
    )
