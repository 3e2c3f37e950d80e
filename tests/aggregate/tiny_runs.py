"""Tiny sealed packages and verdicts, written by the real store, for the tests of aggregate and export."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from fcbench.core.boards import RunKey
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, AttemptError, Call, CallResult, Candidate, Round, Usage
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import CaseId, Digest, JsonObject, JsonValue, Outcome, RegistryHash, StepId, Tier, ToolName
from fcbench.core.verdicts import CallJudgement, Condition, Dimensions, Fault, FaultKind, PartialScore, Verdict
from fcbench.packages.manifest import Assistance, Purpose, RunHeader
from fcbench.packages.run_directory import create_run
from fcbench.packages.store import Package
from fcbench.providers.base import ProviderInfo, Sampling

SHA = Digest("ab" * 32)
NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
STAMP = "2026-05-04T03:02:01.000Z"
CONTRACTS = tuple(
    ToolContract(
        name=ToolName(name),
        version=1,
        category="sequence",
        description=f"Gives the {name.replace('_', ' ')} of a region.",
        parameters={"type": "object", "properties": {"start": {"type": "integer"}}, "additionalProperties": False},
        returns={"type": "object"},
        effect="reads",
        capability=name,
    )
    for name in ("gc_content", "region_length")
)


def call_case(case: str, *, category: str = "sequence", held_out: bool = False, suite: str = "tiny-calls") -> Case:
    """A case whose right answer is one call."""
    return Case(
        suite=suite,
        task=Task(
            id=CaseId(case), instruction=f"What is the GC content of {case}?", language="en", registry="genomics"
        ),
        oracle=Oracle(
            decision="call",
            calls=(ExpectedCall(step=StepId("a"), tool=ToolName("gc_content"), arguments={"start": 1}),),
            labels=Labels(category=category, traps=("off_by_one", "strand"), family="f1", level="L1"),
        ),
        held_out=held_out,
        canary="canary fcbench tiny",
    )


def restraint_case(case: str) -> Case:
    """A case where no call is due."""
    return Case(
        suite="tiny-restraint",
        task=Task(id=CaseId(case), instruction="Write me a poem.", language="en", registry="genomics"),
        oracle=Oracle(decision="no_call", labels=Labels(category="restraint", mix="edge")),
    )


def attempt_of(
    case: str,
    repeat: int = 1,
    *,
    outcome: Outcome = "completed",
    arguments: JsonObject | None = None,
    text: str = "",
    duration_s: float = 1.5,
) -> Attempt:
    """One attempt: a round with a call where arguments are given, else a text."""
    calls = ()
    if arguments is not None:
        content: JsonValue = {"gc": 0.5}
        result = CallResult(status="ok", content=content, provenance="synthetic")
        calls = (Call(id="c1", name="gc_content", raw_arguments='{"start": 1}', arguments=arguments, result=result),)
    usage = Usage(input_tokens=100, output_tokens=20)
    turn = Round(
        number=1,
        started_at=STAMP,
        duration_s=1.0,
        reply_s=0.9,
        text=text,
        finish_reason="tool_calls" if calls else "stop",
        calls=calls,
        request_sha256=SHA,
        reply_sha256=SHA,
        usage=usage,
    )
    broken = outcome in ("provider_error", "harness_error", "schema_refused")
    return Attempt(
        task_id=CaseId(case),
        repeat=repeat,
        outcome=outcome,
        candidates=(Candidate(name=ToolName("gc_content"), rank=1, score=2.5),),
        rounds=() if broken else (turn,),
        final_text=text,
        started_at=STAMP,
        duration_s=duration_s,
        usage=Usage() if broken else usage,
        error=AttemptError(kind="unavailable", message="HTTP 503", status=503) if broken else None,
    )


def verdict_for(
    case: str,
    repeat: int = 1,
    *,
    passed: bool,
    faults: Sequence[FaultKind] = (),
    tier: Tier = "native-function-contract",
    found: JsonValue = None,
    version: int = 1,
) -> Verdict:
    """A verdict with every part filled in."""
    return Verdict(
        task_id=CaseId(case),
        repeat=repeat,
        tier=tier,
        evaluator_version=version,
        passed=passed,
        passed_with_recovery=passed,
        conditions=(Condition(name="same_calls", passed=passed, reason="the calls are the expected ones"),),
        partial=PartialScore(
            score=1.0 if passed else 0.55, tool_coverage=1.0, arguments=1.0 if passed else 0.0, schema_validity=1.0
        ),
        dimensions=Dimensions(
            syntactic_validity=True,
            schema_conformance=True,
            argument_fidelity=passed,
            restraint=True,
            exact_match=passed,
            field_precision=1.0 if passed else 0.5,
        ),
        faults=tuple(
            Fault(kind=kind, sentence="start is 2, not 1", tool="gc_content", call=0, expected=1, found=found)
            for kind in faults
        ),
        judgements=(CallJudgement(call=0, step="a", role="expected", reason="it matches step a"),),
        anomalies=("finish_reason_length",) if faults else (),
    )


def header_of(cases: Sequence[Case], *, run_id: str, model: str, control: bool, repeats: int) -> RunHeader:
    """A header over the cases."""
    return RunHeader(
        run_id=run_id,
        purpose="board",
        created_at=STAMP,
        registry="genomics",
        key=RunKey(
            collection="tiny",
            task_hash=task_hash(cases),
            registry_hash=RegistryHash("cd" * 32),
            fixture_hash=SHA,
            prompt_hash=SHA,
            harness="contract",
            harness_mode="production-parity",
            retrieval="lexical:24",
            decoding="free",
        ),
        oracle_hash=oracle_hash(cases),
        provider=ProviderInfo(provider="scripted", model=model, endpoint="none", control=control),
        sampling=Sampling(),
        assistance=Assistance(step_count_disclosed=False, round_budget="10"),
        repeats=repeats,
        cases=tuple(case.id for case in cases),
    )


def sealed(
    runs: Path,
    cases: Sequence[Case],
    attempts: Sequence[Attempt],
    *,
    run_id: str = "run-a",
    model: str = "model-a",
    control: bool = False,
    repeats: int = 1,
    purpose: Purpose = "board",
    contracts: Iterable[ToolContract] = CONTRACTS,
    created_at: str = STAMP,
) -> Package:
    """A sealed package made by the real store."""
    plain = header_of(cases, run_id=run_id, model=model, control=control, repeats=repeats)
    fields = {name: getattr(plain, name) for name in plain.__struct_fields__}
    header = RunHeader(**{**fields, "purpose": purpose, "created_at": created_at})
    run = create_run(runs / header.key.registry_hash[:12] / f"{run_id}.partial", header, cases, contracts, "Answer.\n")
    for attempt in attempts:
        run.journal.append(attempt)
    return run.seal(NOW, repeats_done=repeats, deterministic=None, allow_incomplete=True)
