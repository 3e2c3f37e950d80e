"""Records as rows of the dataset: plain columns for people, and the record itself as its package holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fcbench.aggregate.frames import badges
from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Round
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import Record, encode_line, to_plain
from fcbench.errors import PackageError
from fcbench.export.features import RUN_BOARD
from fcbench.packages.store import Package

Row: TypeAlias = dict[str, object]


def line_of(record: Record) -> str:
    """A record as a package writes it: one line of JSON, fields and keys in their own order.

    The order of keys decides in which order a verdict lists its faults, so that a sorted text would not do.
    """
    return encode_line(record).decode().removesuffix("\n")


@dataclass(frozen=True, kw_only=True)
class RunRows:
    """The columns that every row of one run begins with."""

    package: Package
    prefix: Row
    lines: Mapping[CaseId, str]
    """The line of each case in `cases.jsonl`."""
    digests: Mapping[CaseId, Digest]
    """SHA-256 of each of these lines."""

    def of_attempt(self, task_id: CaseId, repeat: int) -> Row:
        """The columns that every row of one attempt begins with."""
        case = self.package.cases[task_id]
        return {
            **self.prefix,
            "suite": case.suite,
            "task_id": task_id,
            "case_sha256": self.digests[task_id],
            "language": case.task.language,
            "repeat": repeat,
        }


def run_rows(package: Package) -> RunRows:
    """The shared columns of a run's rows."""
    header = package.header
    board = {name: getattr(header.key, name) for name in RUN_BOARD if name != "oracle_hash"}
    prefix: Row = {
        "run_id": header.run_id,
        "model": header.provider.model,
        "control": header.provider.control,
        "purpose": header.purpose,
        **board,
        "oracle_hash": header.oracle_hash,
    }
    lines = dict(zip(package.cases, lines_of(package, "cases.jsonl"), strict=True))
    digests = {case: digest_text(line) for case, line in lines.items()}
    return RunRows(package=package, prefix=prefix, lines=lines, digests=digests)


def lines_of(package: Package, name: str) -> list[str]:
    """The lines of a file of a package, as they were sealed.

    Raises:
        PackageError: the file does not read.
    """
    try:
        text = (package.folder / name).read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError(f"{name} does not read", found=str(error)[:200], where=str(package.folder)) from error
    return text.removesuffix("\n").split("\n") if text else []


def run_row(rows: RunRows, *, prompt: str, cases: Iterable[CaseId], contracts: Iterable[Digest]) -> Row:
    """One run: what it fixed before its first request, and what its manifest says of it.

    Args:
        rows: the run.
        prompt: the text of its `prompt.txt`.
        cases: those of its cases that have a row, in the order of the plan.
        contracts: SHA-256 of the lines of its contracts.
    """
    manifest, header = rows.package.manifest, rows.package.header
    sealed = {name: part for name, part in to_plain(manifest).items() if name not in ("header", "attempts")}
    return {
        **rows.prefix,
        "provider": header.provider.provider,
        "registry": header.registry,
        "created_at": header.created_at,
        "sealed_at": manifest.sealed_at,
        "complete": manifest.complete,
        "repeats": manifest.repeats_done,
        "cases": len(header.cases),
        "badges": list(badges(manifest)),
        "case_digests": [rows.digests[case] for case in cases],
        "contract_digests": list(contracts),
        "prompt": prompt,
        "header": line_of(header),
        "manifest": json_text(sealed),
    }


def case_row(case: Case, line: str) -> Row:
    """One case, task and oracle, with its line in a package."""
    task, oracle, labels = case.task, case.oracle, case.oracle.labels
    plain_task = {name: getattr(task, name) for name in task.__struct_fields__ if name not in ("id", "contracts")}
    plain_labels = {name: getattr(labels, name) for name in labels.__struct_fields__}
    return {
        "case_sha256": digest_text(line),
        "suite": case.suite,
        "task_id": case.id,
        **{name: list(value) if isinstance(value, tuple) else value for name, value in plain_task.items()},
        "call_only": oracle.call_only,
        "decision": oracle.decision,
        "expected_calls": _list_text(oracle.calls),
        "alternatives": json_text([[to_plain(call) for call in calls] for calls in oracle.alternatives]),
        "expected_end_state": _optional_text(oracle.end_state),
        "rationale": oracle.rationale,
        **{name: list(value) if isinstance(value, tuple) else value for name, value in plain_labels.items()},
        "harnesses": list(case.harnesses),
        "requires": list(case.requires),
        "canary": case.canary,
        "record": line,
    }


def tool_row(contract: ToolContract, line: str, *, registry: str, registry_hashes: Iterable[str]) -> Row:
    """One tool contract with its line, and the hashes of the registries that are in the dataset whole and hold it."""
    return {
        "contract_sha256": digest_text(line),
        "registry": registry,
        "name": contract.name,
        "version": contract.version,
        "category": contract.category,
        "description": contract.description,
        "parameters": json_text(contract.parameters),
        "returns": json_text(contract.returns),
        "effect": contract.effect,
        "capability": contract.capability,
        "language": contract.language,
        "portability": contract.portability,
        "record": line,
        "registry_hashes": sorted(registry_hashes),
    }


def attempt_row(start: Row, attempt: Attempt, line: str) -> Row:
    """One attempt with its line in the package; its rounds have rows of their own."""
    return {
        **start,
        "try": attempt.try_number,
        "outcome": attempt.outcome,
        "stop": attempt.stop,
        "final_text": attempt.final_text,
        "started_at": attempt.started_at,
        "duration_s": attempt.duration_s,
        "rounds": len(attempt.rounds),
        "calls": len(attempt.calls),
        "retries": attempt.retries,
        **to_tokens(attempt),
        "candidates": _list_text(attempt.candidates),
        "phases": _list_text(attempt.phases),
        "end_state": _optional_text(attempt.end_state),
        "error": json_text(to_plain(attempt.error)) if attempt.error else None,
        "attempt_sha256": digest_text(line),
        "record": line,
    }


def round_row(start: Row, turn: Round) -> Row:
    """One round: a request's reply, with its calls and their results."""
    return {
        **start,
        "round": turn.number,
        "started_at": turn.started_at,
        "duration_s": turn.duration_s,
        "reply_s": turn.reply_s,
        "finish_reason": turn.finish_reason,
        "text": turn.text,
        "tools_called": [call.name for call in turn.calls],
        "calls": _list_text(turn.calls),
        "nudge": turn.nudge,
        **to_tokens(turn),
        "request_sha256": turn.request_sha256,
        "reply_sha256": turn.reply_sha256,
    }


def to_tokens(record: Attempt | Round) -> Row:
    """The three token columns; null is unknown."""
    usage = record.usage
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
    }


def _list_text(records: Iterable[Record]) -> str:
    return json_text([to_plain(record) for record in records])


def _optional_text(value: object) -> str | None:
    return None if value is None else json_text(value)
