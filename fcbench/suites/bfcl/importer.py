"""Which cases of the source can be imported, and the files of a project that holds them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fcbench.core.canonical import digest
from fcbench.core.cases import Case
from fcbench.core.comparators import concrete
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.names import Digest, JsonObject, JsonValue, ToolName
from fcbench.core.schema import compile_schema
from fcbench.errors import BadInputError, NotFoundError
from fcbench.suites.bfcl.cases import ORIGIN, source_to_case
from fcbench.suites.bfcl.rows import CALLING, COVERED, SourceCase, json_lines, read_pairs, source_case, text_of

DATA_FILE = re.compile(r"BFCL_v[0-9]+_(?P<category>[a-z_]+)\.json")
"""How the source names a file of questions; the answers lie under the same name in `possible_answer/` beside it."""
ANSWERS = "possible_answer"
PAIRS = (".jsonl", ".jsonl.gz")


@dataclass(kw_only=True)
class Imported:
    """What was found.

    Attributes:
        cases: ours, in the order of the source.
        contracts: every contract that a case offers, by digest.
        by_category: imported cases by category of the source.
        other_categories: rows of categories that are not covered.
        left_out: id of each case of a covered category that cannot be a case of ours, with the reason.
    """

    cases: list[Case] = field(default_factory=list)
    contracts: dict[Digest, ToolContract] = field(default_factory=dict)
    by_category: Counter[str] = field(default_factory=Counter)
    other_categories: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def canary(self) -> str:
        """A canary for the suite: a UUID that follows from its cases."""
        sign = digest([[case.id, case.task.instruction] for case in self.cases])
        return f"fcbench-canary {sign[:8]}-{sign[8:12]}-{sign[12:16]}-{sign[16:20]}-{sign[20:32]}"


def collect(path: Path) -> Imported:
    """Map every case below a path.

    Args:
        path: the source's data folder, one of its question files, or a file of pairs (one case a `base_id`).

    Raises:
        NotFoundError: there is no such file or folder, or answers are missing.
        BadInputError: the path holds no data of the source, a line does not read, or two cases have one id.
    """
    found = Imported()
    seen: dict[str, str] = {}
    for source in _sources(path, found):
        try:
            case, contracts = source_to_case(source)
            reason = _unusable(case, contracts)
        except BadInputError as error:
            found.left_out[source.id] = f"{error.message}{': ' + error.found if error.found else ''}"
            continue
        if reason is not None:
            found.left_out[source.id] = reason
            continue
        if case.id in seen:
            raise BadInputError(
                "two cases would have one id", wanted="ids that differ", found=f"{seen[case.id]} and {source.id}"
            )
        seen[case.id] = source.id
        found.cases.append(case)
        found.by_category[source.category] += 1
        found.contracts.update({contract_digest(each): each for each in contracts.values()})
    if not found.cases:
        raise BadInputError(
            "no case of this data can be imported",
            wanted=f"cases of {', '.join(COVERED)}",
            found=f"{found.other_categories.total()} rows of other categories, {len(found.left_out)} left out",
            where=str(path),
        )
    return found


def _unusable(case: Case, contracts: Mapping[ToolName, ToolContract]) -> str | None:
    """Why nobody could pass a case, where that is so."""
    if not contracts:
        return "it offers no function"
    if not case.task.instruction.strip():
        return "its instruction is empty"
    for step in case.oracle.calls:
        contract = contracts[step.tool]
        given = _first_accepted(step.arguments)
        if given is None or not compile_schema(contract.parameters).is_valid(given):
            return f"no call of {step.tool} both satisfies the function and is among the accepted answers"
    return None


def _first_accepted(arguments: JsonObject) -> JsonValue:
    """The first accepted arguments; None where an argument has no right value."""
    try:
        return concrete(arguments)
    except IndexError:
        return None


def _sources(path: Path, found: Imported) -> Iterator[SourceCase]:
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if DATA_FILE.fullmatch(each.name) and each.is_file())
        if not files:
            raise NotFoundError(
                "this folder holds no data of BFCL",
                wanted="files such as BFCL_v4_simple_python.json",
                where=str(path),
                next_step="name the folder `data` of the package bfcl-eval",
            )
        for each in files:
            yield from _questions(each, found)
    elif path.name.endswith(PAIRS):
        yield from _of_pairs(path, found)
    elif DATA_FILE.fullmatch(path.name):
        yield from _questions(path, found)
    elif path.exists():
        raise BadInputError(
            "this file is not named like data of BFCL",
            wanted="BFCL_v4_<category>.json, or *.jsonl or *.jsonl.gz with pairs",
            found=path.name,
            where=str(path),
        )
    else:
        raise NotFoundError("there is no such file or folder", where=str(path))


def _questions(path: Path, found: Imported) -> Iterator[SourceCase]:
    match = DATA_FILE.fullmatch(path.name)
    category = match["category"] if match else ""
    if category not in COVERED:
        found.other_categories[category] += _lines(path)
        return
    answers = _answers(path) if category in CALLING else {}
    for number, raw in json_lines(path):
        where = f"{path.name}:{number}"
        name = text_of(raw, "id", where)
        if category in CALLING and name not in answers:
            found.left_out[name] = "it has no answer"
            continue
        try:
            yield source_case(raw, category, answers.get(name), where)
        except BadInputError as error:
            found.left_out[name] = f"{error.message}: {error.found or ''}"


def _answers(path: Path) -> dict[str, JsonValue]:
    beside = path.parent / ANSWERS / path.name
    if not beside.is_file():
        raise NotFoundError(
            "the accepted answers are missing", wanted=f"{ANSWERS}/{path.name} beside {path.name}", where=str(beside)
        )
    return {
        text_of(raw, "id", f"{beside.name}:{number}"): raw.get("ground_truth") for number, raw in json_lines(beside)
    }


def _of_pairs(path: Path, found: Imported) -> Iterator[SourceCase]:
    seen: set[str] = set()
    for row in read_pairs(path):
        if not row.covered:
            found.other_categories[row.source.category] += 1
        elif row.source.id not in seen:
            seen.add(row.source.id)
            yield row.source


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as lines:
            return sum(bool(line.strip()) for line in lines)
    except OSError as error:
        raise NotFoundError("the file cannot be read", found=error.strerror, where=str(path)) from error


def contract_file(contract: ToolContract, sign: Digest) -> str:
    """The name of a contract's file: the function's name as far as a file can have it, and the digest."""
    return f"{re.sub(r'[^A-Za-z0-9_.-]', '_', contract.name).lstrip('.')[:60]}-{sign[:12]}.yaml"


def suite_document(found: Imported, name: str) -> JsonObject:
    """`suite.yaml`."""
    return {
        "suite": name,
        "title": "BFCL, single turn",
        "description": f"Imported from {ORIGIN}.",
        "imported_from": ORIGIN,
        "registry": name,
        "language": "en",
        "single_call": True,
        "harnesses": ["contract"],
        "canary": found.canary,
        "ethics": "pending",
    }


def case_document(case: Case) -> JsonObject:
    """One case as it is written in a file."""
    task: JsonObject = {
        "instruction": case.task.instruction,
        "tools": list(case.task.tools),
        "contracts": dict(case.task.contracts),
    }
    if case.task.context is not None:
        task["context"] = case.task.context
    calls: list[JsonValue] = [
        {
            "tool": step.tool,
            "arguments": step.arguments,
            **({"may_omit": list(step.may_omit)} if step.may_omit else {}),
        }
        for step in case.oracle.calls
    ]
    free = any(step.block is not None for step in case.oracle.calls)
    oracle: JsonObject = {"decision": case.oracle.decision}
    if calls:
        oracle["calls"] = [{"any_order": calls}] if free else calls
    oracle["rationale"] = case.oracle.rationale
    oracle["labels"] = {"category": case.oracle.labels.category}
    return {"id": case.id, "task": task, "oracle": oracle}
