"""How one structured call is answered: parsed, checked against its contract, then executed or refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Protocol

from fcbench.core.canonical import canonical_text, clean_json, parse_json
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Call, CallResult, CallStatus
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.core.schema import compile_schema
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import JsonError, UnavailableError
from fcbench.evaluator.scene import CUT_SHORT
from fcbench.harnesses.prompts import DUPLICATE, NOT_JSON, NOT_OFFERED, NOT_VALID, TOO_MANY
from fcbench.providers.base import Reply, ReplyCall
from fcbench.providers.wire_names import WireNames

MAX_ARGUMENT_BYTES = 1 << 20
"""Longest argument string that is parsed. The string itself is kept as evidence whatever its length."""
MAX_ARGUMENT_DEPTH = 48
"""Deepest arguments that are parsed. Inside a record they lie a few levels deeper, and records must read back."""
MAX_NAMED_VIOLATIONS = 8
OUT_OF_TIME = "The time limit of the attempt ended the execution of this reply's calls."
"""For readers of the record; no model sees it."""


class Tools(Protocol):
    """What executes valid calls: synthetic answers here, a real session on the workbench."""

    def run(self, contract: ToolContract, arguments: JsonObject) -> CallResult:
        """Answer one call whose arguments satisfy the contract."""
        ...


Compute = Callable[[ToolContract, JsonObject], CallResult | None]
"""The true answer to a valid call of a contract that says `computed`; None where this release has no such function.
`fcbench.workbench.pure.computed_answer`, or a double."""


def no_function(contract: ToolContract, arguments: JsonObject) -> CallResult | None:
    """Computes nothing: for contracts none of which says `computed`."""
    return None


class SyntheticTools:
    """Answers from the contract: stateless, seeded by the arguments' hash, true where a pure function tells."""

    def __init__(self, compute: Compute = no_function) -> None:
        self._compute = compute

    def run(self, contract: ToolContract, arguments: JsonObject) -> CallResult:
        """A value that satisfies the contract's `returns`, or the computed answer where the contract asks for it.

        Raises:
            UnavailableError: the contract says `computed`, and nothing here computes it.
        """
        if not contract.synthetic.computed:
            return CallResult(status="ok", content=synthetic_result(contract, arguments), provenance="synthetic")
        found = self._compute(contract, arguments)
        if found is None:
            raise UnavailableError(
                "a contract says that its answers are computed, and this release has no function for it",
                wanted=f"a function for {contract.name}, version {contract.version}, with these schemas",
                next_step="take the release of fcbench for which the contract was written, or leave `computed` out",
            )
        return found


class Answerer:
    """Answers the calls of one attempt."""

    def __init__(self, contracts: Mapping[ToolName, ToolContract], tools: Tools, wire: WireNames | None = None) -> None:
        """Take the offered contracts, what executes calls, and the names on the wire where they differ."""
        self._contracts = contracts
        self._tools = tools
        self._wire = wire or WireNames({})

    def answer(self, reply: Reply, round_number: int, room: int) -> tuple[Call, ...]:
        """Answer the calls of one reply in order.

        Args:
            reply: as received.
            round_number: from 1, for ids that the provider left out.
            room: calls that the attempt's limit still allows; those beyond are recorded and not executed.
        """
        seen: set[str] = set()
        cut = len(reply.calls) if reply.finish_reason.casefold() in CUT_SHORT else 0
        return tuple(
            self._answer_one(call, f"call-{round_number}-{place}", seen, has_room=place <= room, cut=place == cut)
            for place, call in enumerate(reply.calls, start=1)
        )

    def _answer_one(self, call: ReplyCall, spare_id: str, seen: set[str], *, has_room: bool, cut: bool) -> Call:
        arguments, problem = read_arguments(call.raw_arguments, cut=cut)
        name = self._wire.read(call.name)
        contract = self._contracts.get(ToolName(name))
        if not has_room:
            result = refuse("over_limit", "too_many_calls", TOO_MANY)
        elif contract is None:
            offered = ", ".join(sorted(map(self._wire.sent, self._contracts)))
            result = refuse("not_offered", "unknown_function", NOT_OFFERED.format(offered=offered))
        elif arguments is None:
            result = refuse("invalid", "invalid_json", NOT_JSON.format(problem=problem))
        else:
            result = self._run(contract, arguments, seen)
        return Call(
            id=call.id or spare_id,
            name=name,
            raw_arguments=call.raw_arguments,
            arguments=arguments,
            parse_error=problem,
            result=result,
            id_given=bool(call.id),
        )

    def _run(self, contract: ToolContract, arguments: JsonObject, seen: set[str]) -> CallResult:
        violations = compile_schema(contract.parameters).violations(arguments)
        if violations:
            named = "; ".join(f"{one.pointer or '/'}: {one.message}" for one in violations[:MAX_NAMED_VIOLATIONS])
            return refuse("invalid", "invalid_arguments", NOT_VALID.format(named=named))
        if contract.effect != "reads":
            key = f"{contract.name} {_identity(arguments)}"
            if key in seen:
                return refuse("duplicate", "duplicate_call", DUPLICATE)
            seen.add(key)
        return self._tools.run(contract, arguments)


def _identity(arguments: JsonObject) -> str:
    try:
        return canonical_text(arguments)
    except JsonError:  # an integer beyond 2^53 - 1 has no canonical form
        return json.dumps(arguments, sort_keys=True)


def read_arguments(raw: str, *, cut: bool = False) -> tuple[JsonObject | None, str | None]:
    """The argument object, or why the string is not one strict JSON object.

    An empty string is an empty object: providers send it for calls without arguments. It is none where the reply was
    cut at the output limit, since the arguments may just not have come.
    """
    if not raw.strip():
        return (None, "the reply was cut before the arguments came") if cut else ({}, None)
    try:
        value = parse_json(raw, max_bytes=MAX_ARGUMENT_BYTES, max_depth=MAX_ARGUMENT_DEPTH)
    except JsonError as error:
        return None, error.found or error.message
    if not isinstance(value, dict):
        return None, f"the value is {_kind(value)}, not an object"
    return value, None


def _kind(value: JsonValue) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def abandoned_calls(reply: Reply, round_number: int) -> tuple[Call, ...]:
    """The calls of a reply whose execution the time limit ended: recorded, and without any result."""
    answered = []
    for place, call in enumerate(reply.calls, start=1):
        arguments, problem = read_arguments(call.raw_arguments)
        answered.append(
            Call(
                id=call.id or f"call-{round_number}-{place}",
                name=call.name,
                raw_arguments=call.raw_arguments,
                arguments=arguments,
                parse_error=problem,
                result=refuse("over_limit", "time_limit", OUT_OF_TIME),
                id_given=bool(call.id),
            )
        )
    return tuple(answered)


def refuse(status: CallStatus, code: str, message: str) -> CallResult:
    """An error result; it says what would be right."""
    return CallResult(status=status, content=clean_json({"code": code, "message": message}))


def shown(call: Call, guidance: str | None) -> str:
    """What the model sees of a call's result, as JSON text."""
    body: JsonObject = {"ok": call.succeeded, "result" if call.succeeded else "error": call.result.content}
    if call.result.engine is not None:
        body.update(engine=call.result.engine, provenance=call.result.provenance)
    if guidance:
        body["guidance"] = guidance
    try:
        return canonical_text(body)
    except JsonError:  # a result that echoes an integer beyond 2^53 - 1
        return json.dumps(body, ensure_ascii=False, sort_keys=True)
