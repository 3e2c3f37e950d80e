"""Every call of a package answered once more, from its raw argument string, and compared with what was recorded.

The verdict rests on parsed arguments and on results. Both follow from the raw string and the contract, so neither is
believed: whoever alters one of them alone is found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt, Call, CallResult, Round
from fcbench.core.names import JsonObject, JsonValue
from fcbench.evaluator.scene import CUT_SHORT
from fcbench.harnesses.answers import Answerer, Compute, SyntheticTools, no_function, read_arguments
from fcbench.harnesses.loop import MAX_CALLS
from fcbench.packages.store import Package
from fcbench.providers.base import Reply, ReplyCall
from fcbench.providers.wire_names import WireNames, wire_names


def call_problems(package: Package, attempts: Sequence[Attempt], compute: Compute = no_function) -> Iterator[str]:
    """Calls that are not what answering their raw arguments gives, one sentence each.

    On the workbench results are computed by real tools; there only the arguments are read again.

    Args:
        package: what is verified.
        attempts: its attempts.
        compute: gives the answers of contracts that say `computed`. Where it gives none, `uncomputed` names the
            contract, and its results are left alone here.
    """
    synthetic = package.header.key.harness == "contract"
    for attempt in attempts:
        problems = _answers(package, attempt, compute) if synthetic else _arguments_only(attempt)
        yield from (
            f"{attempt.task_id} repeat {attempt.repeat} try {attempt.try_number}: {problem}" for problem in problems
        )


def uncomputed(package: Package, attempts: Sequence[Attempt], is_answered: Callable[[ToolContract], bool]) -> list[str]:
    """Contracts that say `computed`, were called, and for which this release has no function: one sentence each."""
    if package.header.key.harness != "contract":
        return []
    called = {call.name for attempt in attempts for turn in attempt.rounds for call in turn.calls}
    return [
        f"the answers of {contract.name[:80]!r} are computed by a function that this fcbench does not have: they were "
        "not made again; take the release with which the package was made"
        for contract in package.contracts.values()
        if contract.synthetic.computed and contract.name in called and not is_answered(contract)
    ]


def _arguments_only(attempt: Attempt) -> Iterator[str]:
    for turn in attempt.rounds:
        for place, call in enumerate(turn.calls, start=1):
            cut = turn.finish_reason.casefold() in CUT_SHORT and place == len(turn.calls)
            arguments, problem = read_arguments(call.raw_arguments, cut=cut)
            yield from _arguments(call, arguments, problem)


def _arguments(call: Call, arguments: JsonObject | None, problem: str | None) -> Iterator[str]:
    if not same_json(arguments, call.arguments):
        yield f"the arguments of {call.id[:80]!r} are not those of its raw string"
    # The words of a parse error may change from one release to the next; whether there is one may not.
    if (problem is None) != (call.parse_error is None):
        yield f"the parse error of {call.id[:80]!r} is not that of its raw string"


_UNTOLD = CallResult(status="ok", content=None, provenance="computed", engine="none of this release")


def _answers(package: Package, attempt: Attempt, compute: Compute) -> Iterator[str]:
    case = package.cases.get(attempt.task_id)
    known = contracts_of(case.task, package.contracts) if case else package.contracts
    offered = {one.name: known[one.name] for one in attempt.candidates if one.name in known}
    tools = SyntheticTools(lambda contract, arguments: compute(contract, arguments) or _UNTOLD)
    answerer = Answerer(offered, tools, WireNames(wire_names(one.name for one in attempt.candidates)))
    made = 0
    for turn in attempt.rounds:
        again = answerer.answer(_reply(turn), turn.number, MAX_CALLS - made)
        made += len(turn.calls)
        for call, expected in zip(turn.calls, again, strict=True):
            yield from _arguments(call, expected.arguments, expected.parse_error)
            if call.name != expected.name:
                yield f"round {turn.number}: {call.name[:80]!r} is a name on the wire, of {expected.name[:80]!r}"
            if call.id != expected.id:
                yield f"round {turn.number}: the id {call.id[:80]!r} is not the one that the harness gives"
            if _was_answered_elsewhere(package, call.result, expected.result):
                continue
            if problem := _result(call.result, expected.result):
                yield f"round {turn.number}: {call.name[:80]!r} {problem}"


def _reply(turn: Round) -> Reply:
    calls = tuple(
        ReplyCall(id=call.id if call.id_given else None, name=call.name, raw_arguments=call.raw_arguments)
        for call in turn.calls
    )
    return Reply(
        text=turn.text,
        calls=calls,
        finish_reason=turn.finish_reason,
        request_sha256=turn.request_sha256,
        reply_sha256=turn.reply_sha256,
    )


def _was_answered_elsewhere(package: Package, found: CallResult, wanted: CallResult) -> bool:
    """Whether another tool than ours answered a call that ours would have answered: nobody can make that anew."""
    answered = found.provenance is None and found.status in ("ok", "error") and wanted.status == "ok"
    return answered and package.header.purpose == "imported"


def _result(found: CallResult, wanted: CallResult) -> str | None:
    if wanted is _UNTOLD and found.status in ("ok", "error") and found.provenance == "computed":
        return None
    if (found.status, found.provenance) != (wanted.status, wanted.provenance):
        return f"was answered {found.status}, and the contract gives {wanted.status}"
    if wanted.status == "ok":
        # The answer is seeded by the call alone, or computed from it alone: it is the same everywhere and for ever.
        return None if same_json(found.content, wanted.content) else "holds another result than the contract gives"
    if _code(found.content) != _code(wanted.content):
        return f"was refused as {_code(found.content)!r}, and the contract gives {_code(wanted.content)!r}"
    return None


def _code(content: JsonValue) -> JsonValue:
    return content.get("code") if isinstance(content, dict) else None


def same_json(left: JsonValue, right: JsonValue) -> bool:
    """Whether two values are written alike: here `1` is not `1.0`, since both come from one string."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
