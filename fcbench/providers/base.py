"""What every provider takes and gives. Nothing above this floor learns an SDK's words.

A provider answers one request at a time. It never retries: the engine does. A reply of a model, however broken, is a
value; an exception is the world's fault (`ProviderFailure`) or the schema's (`SchemaRefused`).
"""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import field

from fcbench.core.evidence import Usage
from fcbench.core.names import CaseId, Digest, JsonObject
from fcbench.core.records import Record
from fcbench.errors import ProviderError

Role = Literal["system", "user", "assistant", "tool"]
Decoding = Literal["free", "strict", "grammar"]
FailureKind = Literal[
    "rate_limited",
    "unavailable",
    "timed_out",
    "connection",
    "bad_reply",
    "refused",
    "authentication",
    "not_found",
    "gone",
    "context_full",
]
"""Kinds of failure. `gone`: the provider has ended and will not come back in this run. `context_full`: the conversation
is longer than the model can read."""


class ToolSpec(Record, frozen=True, kw_only=True):
    """One offered tool as it goes out; the parameters are the contract's schema, untouched."""

    name: str
    description: str
    parameters: JsonObject


class ReplyCall(Record, frozen=True, kw_only=True):
    """One structured call of a reply, as received (lone surrogates replaced)."""

    id: str | None
    name: str
    raw_arguments: str


class Message(Record, frozen=True, kw_only=True):
    """One message of a conversation."""

    role: Role
    content: str = ""
    calls: tuple[ReplyCall, ...] = ()
    """For an assistant's message."""
    call_id: str | None = None
    """For a tool's message: the call that it answers."""
    carried: tuple[JsonObject, ...] = ()
    """For an assistant's message: what its reply carried, untouched (`Reply.carried`)."""


class Sampling(Record, frozen=True, kw_only=True):
    """Decoding parameters, fixed for a run and recorded (PROTOCOL 2)."""

    temperature: float = 0.0
    seed: int | None = 7
    max_output_tokens: int = 1024
    reasoning_effort: str | None = None
    decoding: Decoding = "free"


class Request(Record, frozen=True, kw_only=True):
    """One request. `task_id`, `repeat` and `round` never go out: scripted controls and caches use them."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    sampling: Sampling = Sampling()
    task_id: CaseId
    repeat: int
    round: int
    """From 1."""
    timeout_s: float = 120.0
    """Seconds that are left of the attempt."""


class Reply(Record, frozen=True, kw_only=True):
    """One reply, whatever the model wrote."""

    text: str = ""
    calls: tuple[ReplyCall, ...] = ()
    finish_reason: str
    """The provider's own word: `stop`, `tool_calls`, `length`, `content_filter`, ..."""
    usage: Usage = Usage()
    request_sha256: Digest
    """Of the exact request body as sent."""
    reply_sha256: Digest
    """Of the raw reply body as received."""
    carried: tuple[JsonObject, ...] = ()
    """What the provider wants back with the next request and nobody else reads, such as signed thinking; never stored,
    since a resumed run makes an attempt from its beginning."""


class SchemaLoss(Record, frozen=True, kw_only=True):
    """A keyword of a tool's schema that a provider does not hold to, by what it documents."""

    tool: str
    keyword: str
    effect: Literal["refused", "dropped", "not_enforced", "undocumented"]
    """The request fails; the model never learns of it; the model is told and may break it; or the provider documents no
    support and does not say what happens."""
    pointers: tuple[str, ...]
    """Where in the parameters, as JSON pointers."""


class ProviderInfo(Record, frozen=True, kw_only=True):
    """What a run records about its provider and model: never a key, never a full private address."""

    provider: str
    """`openai_chat`, `llama_server`, `scripted`, ..."""
    model: str
    """The model's name as asked for."""
    endpoint: str
    """Kind of host: `loopback`, `private`, `public:<host>` or `none`."""
    control: bool = False
    """Whether this is a control, never ranked."""
    engine: str | None = None
    """Engine and build, such as `xllamacpp 2026.10.11549`."""
    model_sha256: Digest | None = None
    quantisation: str | None = None
    chat_template_sha256: Digest | None = None
    chat_template: str | None = None
    """The adapted template itself, where there is one; stored as `chat_template.jinja`."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Further attributes of a row: preset, schema rules, threads, processor, context size, decoding note, licence."""
    schema_losses: tuple[SchemaLoss, ...] = ()
    """What the provider does to the schemas of this run's tools; filled in when a run is planned, from the attribute
    `schema rules`."""


class Provider(Protocol):
    """A model that answers requests.

    A provider may also have an attribute `slots`: how many requests it answers at once. Beyond it requests would queue,
    and queueing would be counted as the model's time. Without it, or where it is None, there is no such limit.
    """

    @property
    def info(self) -> ProviderInfo:
        """What a run records about it."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ProviderFailure: the provider did not answer; the engine decides whether to try again.
            SchemaRefused: the provider refuses the whole request because of a tool's schema.
        """
        ...

    async def aclose(self) -> None:
        """Release connections and processes. Calling it twice is fine."""
        ...


class ProviderFailure(ProviderError):
    """A provider did not answer.

    Attributes:
        kind: what happened.
        status: HTTP status, if any.
        retry_after_s: seconds that the provider asked to wait, if it did.
        retries: requests that were repeated before this last failure.
        is_transient: whether trying again may help.
    """

    def __init__(
        self, message: str, *, kind: FailureKind, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s
        self.retries = 0

    @property
    def is_transient(self) -> bool:
        """Whether trying again may help."""
        return self.kind in ("rate_limited", "unavailable", "timed_out", "connection", "bad_reply")


class SchemaRefused(ProviderError):
    """The provider refused the whole request because of a tool's schema (outcome `schema_refused`).

    Attributes:
        message: the tool, where it is known, and the provider's own words.
        status: HTTP status, if any.
        retries: requests that were repeated before this refusal.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retries = 0
