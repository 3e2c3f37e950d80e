"""A source case as a case of ours, with the contracts that it offers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fcbench.core.canonical import MAX_DEPTH, canonical_text, parse_json
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.names import CaseId, Decision, JsonObject, JsonValue, StepId, ToolName
from fcbench.errors import BadInputError
from fcbench.suites.bfcl.accepted import OMITTED, Accepted, accepted, one_of
from fcbench.suites.bfcl.rows import IRRELEVANCE, RELEVANCE, PairRow, SourceCase
from fcbench.suites.bfcl.types import parameters_of
from fcbench.suites.bfcl.widening import samples, widened

REGISTRY = "bfcl"
ORIGIN = "the Berkeley Function Calling Leaderboard (bfcl-eval, Apache-2.0)"
CATEGORY = "bfcl"
NOTHING: JsonObject = {"$one_of": []}
"""The expected value of an argument for which no value is right; such a case cannot be passed, nor imported."""
_CACHED = 4096


def case_of(row: PairRow) -> tuple[Case, Mapping[ToolName, ToolContract]]:
    """The case of a pair, and the contracts that it offers by the name that the model sees.

    Rows of one source case share the objects, so that nothing is compiled twice.

    Raises:
        BadInputError: see `source_to_case`.
    """
    return _case_of(row.source.key)


@lru_cache(maxsize=_CACHED)
def _case_of(key: str) -> tuple[Case, Mapping[ToolName, ToolContract]]:
    parts = parse_json(key, max_depth=MAX_DEPTH + 8)
    assert isinstance(parts, list)
    name, category, question, functions, answers = parts
    source = SourceCase(
        id=name,
        category=category,
        question=tuple(question),
        functions=tuple(functions),
        answers=None if answers is None else tuple(answers),
    )
    return source_to_case(source)


def source_to_case(source: SourceCase) -> tuple[Case, Mapping[ToolName, ToolContract]]:
    """The same for a source case.

    Raises:
        BadInputError: a function document, an answer or the conversation has a form that is not covered.
    """
    try:
        return _mapped(source)
    except BadInputError as error:
        error.where = error.where or f"case {source.id}"
        raise


def _mapped(source: SourceCase) -> tuple[Case, Mapping[ToolName, ToolContract]]:
    documents = _documents(source)
    answers: dict[ToolName, list[JsonObject]] = {name: [] for name in documents}
    calls: list[ExpectedCall] = []
    for number, (name, listed) in enumerate(_expected(source, documents), 1):
        call, shown = _call(name, listed, documents[name], number, "parallel" in source.category)
        calls.append(call)
        answers[name] += shown
    contracts = {name: _contract(name, document, answers[name]) for name, document in documents.items()}
    instruction, context = _conversation(source)
    task = Task(
        id=case_id(source),
        instruction=instruction,
        language="en",
        registry=REGISTRY,
        tools=tuple(contracts),
        single_call=True,
        context=context,
        contracts={name: contract_digest(contract) for name, contract in contracts.items()},
    )
    oracle = Oracle(
        decision=_decision(source),
        calls=tuple(calls),
        rationale=f"Imported: {source.id} of {ORIGIN}.",
        labels=Labels(category=source.category),
    )
    return Case(suite=REGISTRY, task=task, oracle=oracle, harnesses=("contract",)), contracts


def case_id(source: SourceCase) -> CaseId:
    """The id of an imported case: the source's own, lower case, with hyphens."""
    return CaseId("bfcl-" + source.id.lower().replace("_", "-"))


def _decision(source: SourceCase) -> Decision:
    if source.category in RELEVANCE:
        return "any_call"
    return "no_call" if source.category in IRRELEVANCE else "call"


def _documents(source: SourceCase) -> dict[ToolName, JsonObject]:
    """The function documents by name; of two with one name the first counts, as it does in the source."""
    found: dict[ToolName, JsonObject] = {}
    for document in source.functions:
        name = document.get("name")
        if not isinstance(name, str) or not name:
            raise BadInputError("a function has a name", wanted="a text", found=str(name)[:80])
        found.setdefault(ToolName(name), document)
    return found


def _expected(source: SourceCase, documents: Mapping[ToolName, JsonObject]) -> list[tuple[ToolName, JsonObject]]:
    """Name and accepted values of every expected call."""
    found: list[tuple[ToolName, JsonObject]] = []
    if _decision(source) != "call":
        return found
    for answer in source.answers or ():
        if len(answer) != 1:
            raise BadInputError("an answer names one function", wanted="one key", found=f"{len(answer)} keys")
        ((name, listed),) = answer.items()
        if not isinstance(listed, dict):
            raise BadInputError("an answer lists values by argument", wanted="an object", found=type(listed).__name__)
        if name not in documents:
            raise BadInputError("an answer names a function that is not offered", found=name[:80])
        found.append((ToolName(name), listed))
    if not found:
        raise BadInputError("the case has no answer", wanted="ground_truth", found="none")
    return found


def _call(
    name: ToolName, listed: JsonObject, document: JsonObject, number: int, parallel: bool
) -> tuple[ExpectedCall, list[JsonObject]]:
    """One expected call, and sample arguments that show every accepted value."""
    parameters = parameters_of(document)
    arguments: JsonObject = {}
    may_omit: list[str] = []
    shown: list[JsonObject] = []
    for argument, alternatives in listed.items():
        found = _accepted(parameters, argument, alternatives)
        if found.may_omit and not found.values:
            # No value of it is right, so that leaving it out is the only answer.
            continue
        arguments[argument] = one_of(found.values) if found.values else NOTHING
        may_omit += [argument] if found.may_omit else []
        shown += [sample for value in found.values for sample in samples(argument, value)]
    return (
        ExpectedCall(
            step=StepId(f"s{number}"),
            tool=name,
            arguments=arguments,
            may_omit=tuple(may_omit),
            block=1 if parallel else None,
        ),
        shown,
    )


def _accepted(parameters: JsonObject, argument: str, alternatives: JsonValue) -> Accepted:
    properties, required = parameters["properties"], parameters["required"]
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    if argument in properties:
        return accepted(alternatives, properties[argument], required=argument in required)
    # An argument that the function does not have: whoever gives it is wrong.
    return Accepted(values=(), may_omit=isinstance(alternatives, list) and OMITTED in alternatives)


_CONTRACTS: dict[str, ToolContract] = {}


def _contract(name: ToolName, document: JsonObject, shown: list[JsonObject]) -> ToolContract:
    parameters, left_out = widened(parameters_of(document), shown)
    description = document.get("description")
    contract = ToolContract(
        name=name,
        version=1,
        category=CATEGORY,
        description=description if isinstance(description, str) else "",
        parameters=parameters,
        returns={},
        effect="reads",
        capability=f"bfcl.{name}",
        imported_from=_origin(left_out),
    )
    key = canonical_text([contract.name, contract.description, contract.parameters, contract.imported_from])
    if len(_CONTRACTS) >= _CACHED:
        _CONTRACTS.clear()
    return _CONTRACTS.setdefault(key, contract)


def _origin(left_out: tuple[str, ...]) -> str:
    if not left_out:
        return ORIGIN
    return f"{ORIGIN}; an accepted answer breaks these keywords, which are relaxed: {', '.join(left_out)}"


def _conversation(source: SourceCase) -> tuple[str, str | None]:
    """The last message of the user, and what stands before it."""
    messages = [(_text(message, "role"), _text(message, "content")) for message in source.question]
    last = max((index for index, (role, _) in enumerate(messages) if role == "user"), default=None)
    if last is None:
        raise BadInputError("the conversation has no message of a user", wanted="a message with role user")
    before = messages[:last]
    if not before:
        return messages[last][1], None
    if len(before) == 1 and before[0][0] == "system":
        return messages[last][1], before[0][1]
    return messages[last][1], "\n\n".join(f"{role}: {content}" for role, content in before)


def _text(message: JsonObject, name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str):
        raise BadInputError(f"a message has a {name}", wanted="a text", found=type(value).__name__)
    return value
