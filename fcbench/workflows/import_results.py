"""Result files of BFCL as a package of purpose `imported`: judged by this evaluator, and never ranked.

The project is the one that `fcbench suite import bfcl` wrote. Nothing is asked: each line of a result file becomes an
attempt, whose calls are checked against the contracts as in a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.canonical import clean_text, digest_text
from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.evidence import Attempt, AttemptError, Call, Round, Usage
from fcbench.core.names import CaseId, JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.errors import BadInputError
from fcbench.harnesses.answers import Answerer, SyntheticTools
from fcbench.harnesses.clock import Clock, SystemClock
from fcbench.harnesses.loop import MAX_CALLS
from fcbench.packages.store import Package
from fcbench.providers.base import ProviderInfo, Reply, ReplyCall, Sampling
from fcbench.suites.bfcl.rows import json_lines
from fcbench.workflows.header import Prepared
from fcbench.workflows.import_bfcl import NAME
from fcbench.workflows.imported import STARTED, write_imported
from fcbench.workflows.planning import RunRequest, check_run_id, prepare
from fcbench.workflows.project import find_project, load

FAILED = "Error during inference"
"""How BFCL writes that a model did not answer."""


class ResultsRequest(Record, frozen=True, kw_only=True):
    """What to import."""

    files: tuple[Path, ...]
    """Result files, one JSON object a line, plain or gzipped."""
    project: Path
    """What `fcbench suite import bfcl` wrote."""
    model: str
    """The model's name, which no result file holds."""
    run_id: str | None = None


class ImportedResults(Record, frozen=True, kw_only=True):
    """What an import gave."""

    run_id: str
    folder: str
    attempts: int
    unknown: int
    """Lines of cases that the project does not hold, such as those of other categories."""
    missing: int
    """Cases of the project without a line: the package is incomplete."""
    texts: int
    """Lines that are a text: no structured call, whatever they say."""


def import_bfcl_results(
    request: ResultsRequest, runs: Path, *, clock: Clock | None = None
) -> tuple[ImportedResults, Package]:
    """Read the files, write the package and seal it; it is not judged yet.

    Raises:
        NotFoundError: a file cannot be read.
        BadInputError: a line is no result, a case comes twice, or no line is of a case of the project.
        UsageError: the project or the run id is none.
        WriteError: the folder cannot be written.
    """
    check_run_id(request.run_id)
    material = load(find_project(request.project))
    asked = RunRequest(target=NAME, model=f"imported:{request.model}", repeats=1, sampling=Sampling(seed=None))
    prepared, moment = prepare(material, asked), clock or SystemClock()
    found, unknown = _read(request.files, {case.id: case for case in prepared.plan.cases})
    if not found:
        raise BadInputError(
            "no line is of a case of the project",
            wanted="results of the cases that `fcbench suite import bfcl` took over",
            found=f"{unknown} lines of other cases",
            where=", ".join(map(str, request.files))[:200],
        )
    info = ProviderInfo(provider="bfcl-results", model=request.model, endpoint="none")
    attempts = (_attempt(line, prepared) for line in found.values())
    package = write_imported(prepared, info, attempts, runs, moment, request.run_id)
    report = ImportedResults(
        run_id=package.manifest.run_id,
        folder=str(package.folder),
        attempts=len(found),
        unknown=unknown,
        missing=len(prepared.plan.cases) - len(found),
        texts=sum(isinstance(line.result, str) for line in found.values()),
    )
    return report, package


class _Line(Record, frozen=True, kw_only=True):
    case: Case
    result: JsonValue
    """A text, or a list of `{name: arguments}`."""
    plain: JsonObject


def _read(files: Sequence[Path], cases: dict[CaseId, Case]) -> tuple[dict[CaseId, _Line], int]:
    found: dict[CaseId, _Line] = {}
    unknown = 0
    for path in files:
        for number, plain in json_lines(path):
            name, where = plain.get("id"), f"{path.name}:{number}"
            if not isinstance(name, str) or not isinstance(plain.get("result"), str | list):
                raise BadInputError(
                    "this line is no result", wanted="id, and result: a text or a list of calls", where=where
                )
            case = cases.get(CaseId("bfcl-" + name.lower().replace("_", "-")))
            if case is None:
                unknown += 1
                continue
            if case.id in found:
                raise BadInputError("a case comes twice", wanted="one line a case", found=name[:80], where=where)
            found[case.id] = _Line(case=case, result=plain["result"], plain=plain)
    return found, unknown


def _attempt(line: _Line, prepared: Prepared) -> Attempt:
    usage = Usage(
        input_tokens=_count(line.plain.get("input_token_count")),
        output_tokens=_count(line.plain.get("output_token_count")),
    )
    seconds = _seconds(line.plain.get("latency"))
    text = clean_text(line.result) if isinstance(line.result, str) else ""
    failed = text.startswith(FAILED)
    turns = () if failed else (_round(line, prepared, text, seconds, usage),)
    return Attempt(
        task_id=line.case.id,
        repeat=1,
        outcome="provider_error" if failed else "completed",
        candidates=prepared.plan.candidates[line.case.id],
        rounds=turns,
        final_text="" if failed else text,
        started_at=STARTED,
        duration_s=seconds,
        usage=usage,
        stop="" if failed else "model stopped",
        error=AttemptError(kind="unavailable", message=text[:500]) if failed else None,
    )


def _round(line: _Line, prepared: Prepared, text: str, seconds: float, usage: Usage) -> Round:
    nothing, sent = digest_text(""), tuple(_calls(line, prepared))
    reply = Reply(
        text=text,
        calls=sent,
        finish_reason="tool_calls" if sent else "stop",
        request_sha256=nothing,
        reply_sha256=nothing,
    )
    return Round(
        number=1,
        started_at=STARTED,
        duration_s=seconds,
        reply_s=seconds,
        text=text,
        finish_reason=reply.finish_reason,
        calls=_answered(line, prepared, reply),
        request_sha256=nothing,
        reply_sha256=nothing,
        usage=usage,
    )


def _answered(line: _Line, prepared: Prepared, reply: Reply) -> tuple[Call, ...]:
    known = contracts_of(line.case.task, prepared.registry.contracts)
    offered = {one.name: known[one.name] for one in prepared.plan.candidates[line.case.id]}
    return Answerer(offered, SyntheticTools()).answer(reply, 1, MAX_CALLS)


def _calls(line: _Line, prepared: Prepared) -> Iterator[ReplyCall]:
    """The calls of a line. BFCL sends dots in names as underscores; where that is one offered tool, it is meant."""
    names = [str(one.name) for one in prepared.plan.candidates[line.case.id]]
    for entry in line.result if isinstance(line.result, list) else ():
        name, arguments = next(iter(entry.items())) if isinstance(entry, dict) and len(entry) == 1 else ("", entry)
        meant = [one for one in names if one.replace(".", "_") == name]
        name = meant[0] if name not in names and len(meant) == 1 else name
        raw = arguments if isinstance(arguments, str) else json_text(arguments)
        yield ReplyCall(id=None, name=clean_text(name), raw_arguments=clean_text(raw))


def _count(value: JsonValue) -> int | None:
    """Tokens of a single-turn line; a list is of several turns or steps, of which nothing is read."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def _seconds(value: JsonValue) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known and isinstance(value, int | float) and 0 <= value < 1e6 else 0.0
