"""Checks on the expected calls of one case: tools, order, comparators, references and schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fcbench.core.canonical import pointer
from fcbench.core.cases import ExpectedCall
from fcbench.core.comparators import check_expected, comparator_of, concrete, references, walk
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, StepId, ToolName
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.core.schema import CompiledSchema, Violation
from fcbench.core.yaml12 import Document
from fcbench.errors import BadInputError
from fcbench.suites.model import nearest

_PLACEHOLDER = "reference"
MAX_VARIANTS = 20
"""Alternatives of `$one_of` that are checked against the schema."""
_SPREADING = ("oneOf", "anyOf", "allOf", "uniqueItems", "if", "not", "contains", "dependentRequired")
"""Keywords whose violation stands above the value that caused it."""


def check_calls(
    document: Document,
    calls: Sequence[tuple[str, ExpectedCall]],
    contracts: Mapping[ToolName, ToolContract],
) -> None:
    """Check one golden run.

    Args:
        document: the file, for places in messages.
        calls: each call with its pointer in the file, in the order of the golden run.
        contracts: the tools of the case's registry.

    Raises:
        BadInputError: of the document's kind, with file, line and field.
    """
    before: list[StepId] = []
    for place, call in calls:
        if call.step in before:
            raise document.complain(
                f"the step {call.step} is used twice", f"{place}/step", wanted="each step name once in a golden run"
            )
        contract = find_tool(document, call.tool, contracts, f"{place}/tool")
        _check_comparators(document, call, place)
        _check_order(document, call, place, before)
        _check_names(document, call, contract, place)
        _check_schema(document, call, contract, place)
        before.append(call.step)


def find_tool(
    document: Document, name: ToolName, contracts: Mapping[ToolName, ToolContract], place: str
) -> ToolContract:
    """The contract of a tool that a case names, its schema known to compile.

    Raises:
        BadInputError: of the document's kind: there is no such tool (the message gives the nearest one), or its schema
            is broken.
    """
    if name not in contracts and any(contract.name == name for contract in contracts.values()):
        raise document.complain(
            f"the registry has several imported tools called {name}",
            place,
            wanted="a task that says which one it means, in `contracts`: name -> digest",
            found=name,
        )
    if name not in contracts:
        raise document.complain(
            f"the tool {name} does not exist in the case's registry",
            place,
            wanted=f"one of the {len(contracts)} tools of the registry",
            found=name,
            next_step=nearest(name, contracts),
        )
    try:
        parameters_schema(contracts[name])
    except BadInputError as error:
        raise document.complain(
            f"the contract of {name} has a broken schema",
            place,
            wanted=error.wanted,
            found=error.found,
            next_step="run `fcbench registry check`: it names the place in the contract",
        ) from error
    return contracts[name]


def _check_comparators(document: Document, call: ExpectedCall, place: str) -> None:
    try:
        check_expected(call.arguments)
    except BadInputError as error:
        deeper = error.where if error.where and error.where != "/" else ""
        raise document.complain(
            error.message,
            f"{place}/arguments{deeper}",
            wanted=error.wanted,
            found=error.found,
            next_step=error.next_step or nearest(error.found or "", (error.wanted or "").split(", ")),
        ) from error


def _check_order(document: Document, call: ExpectedCall, place: str, before: Sequence[StepId]) -> None:
    # Inside a free-order block a step may still need another one of the block: a partial order. Only steps that come
    # later in the golden run can never have answered yet.
    needed = [(reference.step, f"{place}/arguments", "$from") for reference in references(call.arguments)]
    needed += [(step, f"{place}/after", "after") for step in call.after]
    for step, where, word in needed:
        known = ", ".join(before) or "no step: this is the first one"
        if step not in before:
            raise document.complain(
                f"{word} names the step {step}, which is unknown or comes later",
                where,
                wanted=f"an earlier step ({known})",
                found=step,
                next_step=nearest(step, before),
            )


def _check_names(document: Document, call: ExpectedCall, contract: ToolContract, place: str) -> None:
    for index, name in enumerate(call.may_omit):
        if name not in call.arguments:
            raise document.complain(
                f"may_omit names {name}, which is not among the expected arguments",
                f"{place}/may_omit/{index}",
                wanted=", ".join(call.arguments) or "nothing: there are no arguments",
                found=name,
            )
        if name in contract.required:
            raise document.complain(
                f"may_omit names {name}, which {contract.name} requires", f"{place}/may_omit/{index}", found=name
            )


def _check_schema(document: Document, call: ExpectedCall, contract: ToolContract, place: str) -> None:
    schema = parameters_schema(contract)
    open_places = [pointer(*path) for path, name, _ in walk(call.arguments) if name == "from"]
    for arguments in variants(call.arguments):
        for violation in _counting(schema, arguments, open_places):
            unknown = violation.key if violation.keyword == "additionalProperties" else None
            deeper = violation.pointer + (pointer(unknown) if unknown else "")
            raise document.complain(
                f"the expected arguments break the schema of {contract.name}",
                f"{place}/arguments{deeper}",
                wanted=f"arguments that validate ({violation.keyword})",
                found=violation.message,
                next_step=nearest(unknown, contract.properties) if unknown and not violation.pointer else None,
            )


def _counting(schema: CompiledSchema, arguments: JsonValue, open_places: Sequence[str]) -> Iterator[Violation]:
    """Violations that do not come from the placeholder of a reference."""
    for violation in schema.violations(arguments):
        here = violation.pointer
        inside = any(here == place or here.startswith(place + "/") for place in open_places)
        above = violation.keyword in _SPREADING and any(place.startswith(here + "/") for place in open_places)
        if not (inside or above):
            yield violation


def variants(value: JsonObject) -> Iterator[JsonValue]:
    """Concrete forms of expected arguments: every alternative of every `$one_of` occurs in at least one of them.

    References become a placeholder text.
    """
    widest = max([1, *(_width(body) for _, name, body in walk(value) if name == "one_of")])
    for index in range(min(widest, MAX_VARIANTS)):
        yield concrete(_choose(value, index))


def _width(body: JsonValue) -> int:
    return len(body) if isinstance(body, list) else 1


def _choose(value: JsonValue, index: int) -> JsonValue:
    found = comparator_of(value)
    if found is not None:
        name, body = found
        if name == "from":
            return _PLACEHOLDER
        if name == "one_of" and isinstance(body, list):
            return _choose(body[min(index, len(body) - 1)], index)
        return {f"${name}": [_choose(item, index) for item in body]} if isinstance(body, list) else value
    if isinstance(value, dict):
        return {key: _choose(item, index) for key, item in value.items()}
    return [_choose(item, index) for item in value] if isinstance(value, list) else value
