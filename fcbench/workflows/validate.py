"""JSON checked against a contract or a schema: every violation with its place, its keyword and its fault kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from fcbench.core.canonical import MAX_BYTES, clean_text, parse_json
from fcbench.core.contracts import ToolContract
from fcbench.core.difficulty import difficulty
from fcbench.core.evidence import Call, CallResult
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.core.records import Record, to_plain
from fcbench.core.schema import MAX_VIOLATIONS
from fcbench.errors import BadInputError, FcbenchError, JsonError, NotFoundError, UsageError
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.unions import Found, explained
from fcbench.evaluator.violations import named
from fcbench.evaluator.wording import quoted
from fcbench.workflows.documents import Document, open_brackets, read_documents
from fcbench.workflows.json_faults import JsonFault, parse_or_explain
from fcbench.workflows.schema_source import Contracts, is_bare, read_contract
from fcbench.workflows.tool_calls import ToolCall, read_call
from fcbench.workflows.validated import Checked, NamedViolation

STDIN = "-"
_SNIPPET = 40


class ValidationRequest(Record, frozen=True, kw_only=True):
    """What to check against."""

    tool: str | None = None
    registry: str | None = None
    schema: Path | None = None
    project: Path | None = None
    is_call: bool = False
    """Whether documents are whole tool calls; then the call's own name may choose the contract."""
    instruction: str = ""
    """A text, or `@FILE`: to tell a word that was copied from it from one that was invented."""


class Validator:
    """Checks documents against one contract, or each against the one that it names.

    Raises:
        UsageError: the request does not say what to check against, or says it twice.
        NotFoundError: the tool, the registry or a file does not exist.
        BadInputError: the schema is not valid, or the instruction is not UTF-8.
    """

    def __init__(self, request: ValidationRequest) -> None:
        _check(request)
        self._is_call = request.is_call
        self._text = read_instruction(request.instruction)
        self._contracts = None if request.schema else Contracts(request.project, request.registry)
        self.contract: ToolContract | None = None
        if request.schema is not None:
            self.contract = read_contract(request.schema)
        elif request.tool is not None and self._contracts is not None:
            self.contract = self._contracts.find(request.tool)

    def check(self, document: Document, file: str) -> Checked:
        """Everything that is wrong with one document."""
        name = f"{clean_text(file)}:{document.line}" + (f":{document.column}" if document.part > 1 else "")
        if document.text is None:
            large = _malformed(f"the text has {document.size:,} bytes; at most {MAX_BYTES:,} are read", document)
            return Checked(document=name, violations=(large,))
        value, fault = parse_or_explain(document.text)
        if fault is not None:
            return Checked(document=name, violations=(_explained(fault, document, document.text),))
        if self._is_call:
            return self._check_call(name, value)
        assert self.contract is not None  # `_check` asks for one where documents are not calls
        return check_value(name, self.contract, value, self._text)

    def _check_call(self, name: str, value: JsonValue) -> Checked:
        call = read_call(value)
        if not isinstance(call, ToolCall):
            return Checked(document=name, violations=(call,))
        contract, shown = self.contract, call.name[:200]
        if contract is None:
            assert self._contracts is not None
            try:
                contract = self._contracts.find(call.name)
            except NotFoundError as error:
                said = f"There is no tool {quoted(call.name)}" + (f"; {error.next_step}" if error.next_step else ".")
                return Checked(document=name, tool=shown, violations=(_about("tool_not_offered", said, call),))
        if not is_bare(contract) and call.name != contract.name:
            said = f"The call names the tool {quoted(call.name)}, not {contract.name}."
            return Checked(document=name, tool=shown, violations=(_about("wrong_tool", said, call),))
        if call.fault is not None:
            return Checked(document=name, tool=shown, violations=(call.fault,))
        return check_value(name, contract, call.arguments, self._text)

    def explain(self) -> JsonObject:
        """The difficulty of the schema (PROTOCOL 6): name, level, depth and counts.

        Raises:
            UsageError: the calls choose their contracts themselves.
            BadInputError: the schema refers to a place that cannot be followed.
        """
        if self.contract is None:
            raise UsageError("there is no one schema to explain", wanted="--tool or --schema", where="--explain")
        try:
            measured = difficulty(self.contract.parameters)
        except (KeyError, BadInputError) as error:
            raise BadInputError(
                "the schema's difficulty cannot be measured",
                wanted="references of the form #/$defs/...",
                found=str(getattr(error, "found", None) or error)[:200],
                where=str(self.contract.name),
            ) from error
        return {"name": str(self.contract.name), "depth": measured.depth, "level": measured.level, **to_plain(measured)}


def _check(request: ValidationRequest) -> None:
    if request.tool and request.schema:
        raise UsageError("a document is checked against one thing", wanted="--tool or --schema", found="both")
    if request.schema and request.registry:
        raise UsageError("a schema file is in no registry", wanted="--registry with --tool", found="with --schema")
    if not (request.tool or request.schema or request.is_call):
        raise UsageError(
            "nothing says what the document should be",
            wanted="--tool NAME, --schema FILE, or --call for calls that name their tool",
            next_step="see `fcbench validate --help`",
        )


def read_instruction(given: str) -> str:
    """The instruction itself, or what the file after an `@` holds.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it is not UTF-8.
    """
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NotFoundError(
            "the instruction cannot be read", wanted="a text file", found=error.strerror, where=given[1:]
        ) from error
    except UnicodeDecodeError as error:
        raise BadInputError(
            "the instruction is not UTF-8", wanted="UTF-8 text", found=f"byte {error.start}", where=given[1:]
        ) from error


def _explained(fault: JsonFault, document: Document, text: bytes) -> NamedViolation:
    column = fault.column + (document.column - 1 if fault.line == 1 else 0)
    line = text.split(b"\n")[fault.line - 1].decode("utf-8", "replace")
    found = line[max(fault.column - 1 - _SNIPPET, 0) : fault.column - 1 + _SNIPPET]
    place = msgspec.structs.replace(document, line=document.line + fault.line - 1, column=column)
    return msgspec.structs.replace(_malformed(fault.reason, place), found=found)


def _malformed(reason: str, place: Document) -> NamedViolation:
    said = f"This is not strict JSON: {reason.rstrip('.')}."
    return NamedViolation(kind="malformed_json", message=said, line=place.line, column=place.column)


def _about(kind: str, message: str, call: ToolCall) -> NamedViolation:
    return NamedViolation(kind=kind, message=message, found=call.name[:200])


def check_value(name: str, contract: ToolContract, value: JsonValue, text: str = "") -> Checked:
    """Everything that is wrong with a parsed value.

    Args:
        name: of the document, for the report.
        contract: whose `parameters` it should satisfy.
        value: any JSON.
        text: what the model was told, where copied words are to be told from invented ones.
    """
    if parameters_schema(contract).is_valid(value):
        return Checked(document=name, tool=contract.name)
    # A schema file may describe an array or a text; what follows reads any JSON value.
    call = Call(
        id="",
        name=contract.name,
        raw_arguments="",
        arguments=cast(JsonObject, value),
        result=CallResult(status="invalid", content=None),
    )
    observed = Observed(0, 1, call, contract, False, True)
    found = list(islice(_found(contract, value), MAX_VIOLATIONS))
    return Checked(
        document=name,
        tool=contract.name,
        violations=tuple(_named(observed, one, text) for one in found),
        is_cut=len(found) == MAX_VIOLATIONS,
    )


def _found(contract: ToolContract, value: JsonValue) -> Iterable[Found]:
    try:
        return list(islice(explained(contract, cast(JsonObject, value)), MAX_VIOLATIONS))
    except (KeyError, FcbenchError):
        # A union whose branches are found by $anchor or $id cannot be opened; its own violation stands.
        plain = parameters_schema(contract).violations(value)
        return [Found(violation=violation, place=violation.pointer) for violation in plain]


_TELLING = ("missing_required_key", "branch_confusion", "global_field_repeated", "enum_word_not_translated")


def _named(observed: Observed, found: Found, text: str) -> NamedViolation:
    fault = named(observed, found, text)
    place = (fault.pointer or "")[:200] or "the root"
    # The evaluator's sentence where it knows more than the keyword; else what jsonschema says.
    said = fault.sentence if fault.kind in _TELLING else f"At {place}: {found.violation.message.rstrip('.')}."
    return NamedViolation(
        kind=fault.kind,
        message=said,
        pointer=fault.pointer or "",
        keyword=found.violation.keyword,
        expected=fault.expected,
        found=fault.found,
        depth=fault.depth,
    )


def check_files(validator: Validator, files: Iterable[str], stdin: BinaryIO) -> Iterator[Checked]:
    """Every document of every file, in order; `-` is standard input.

    Raises:
        NotFoundError: a file cannot be read. All are looked at before the first is checked.
    """
    names = list(files)
    for name in names:
        if name != STDIN:
            with _opened(name):
                pass
    for name in names:
        if name == STDIN:
            yield from (validator.check(document, "stdin") for document in read_documents(stdin))
            continue
        with _opened(name) as stream:
            for document in read_documents(stream):
                yield validator.check(document, name)


def _opened(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise NotFoundError(
            "the file cannot be read", wanted="a file with JSON", found=error.strerror, where=name
        ) from error


def check_typed(validator: Validator, terminal: BinaryIO, ask: Callable[[str], None]) -> Iterator[Checked]:
    """One document after another from a person: each ends when it is whole, or at an empty line.

    Args:
        validator: what checks them.
        terminal: read line by line, to its end.
        ask: shows a prompt without a line break.
    """
    number = 0
    for text in _typed(terminal, ask):
        for document in read_documents(BytesIO(text)):
            number += 1
            yield msgspec.structs.replace(validator.check(document, "prompt"), document=f"prompt {number}")


def _typed(terminal: BinaryIO, ask: Callable[[str], None]) -> Iterator[bytes]:
    lines: list[bytes] = []
    depth = 0
    ask("> ")
    while line := terminal.readline(MAX_BYTES + 1):
        is_empty = not line.strip()
        if not is_empty:
            lines.append(line)
            depth += open_brackets(line)
        if lines and (is_empty or (depth <= 0 and _is_json(b"".join(lines)))):
            yield b"".join(lines)
            lines, depth = [], 0
        ask("> " if not lines else "... ")
    if lines:
        yield b"".join(lines)


def _is_json(text: bytes) -> bool:
    try:
        parse_json(text)
    except JsonError:
        return False
    return True
