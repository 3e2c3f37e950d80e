"""Small packages made by hand for the site's tests: each record says one thing that a page must show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.core.boards import RunKey
from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, AttemptError, Call, CallResult, Candidate, Phase, Round, Usage
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import CaseId, JsonObject, Pointer, StepId, Tier, ToolName
from fcbench.core.verdicts import CallJudgement, Condition, Dimensions, Fault, PartialScore, Verdict
from fcbench.packages.manifest import Assistance, RunHeader
from fcbench.packages.run_directory import create_run
from fcbench.packages.store import Package
from fcbench.providers.base import ProviderInfo, Sampling

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REGISTRY = digest_text("registry")
TIERS: tuple[Tier, ...] = ("native-function-contract", "task-completion-contract")

MORTGAGE = ToolContract(
    name=ToolName("verwerk_hypotheek_aanvraag"),
    version=1,
    category="hypotheken",
    description="Legt een hypotheekaanvraag vast.",
    parameters={
        "type": "object",
        "properties": {
            "dossier_id": {"type": "string", "pattern": "^DOS-[0-9]{5}$"},
            "aanvragers": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "rol": {"type": "string", "enum": ["hoofdaanvrager", "partner"]},
                        "persoonsgegevens": {
                            "type": "object",
                            "properties": {
                                "achternaam": {"type": "string"},
                                "bruto_jaarinkomen": {"type": "number", "minimum": 0},
                            },
                            "required": ["achternaam", "bruto_jaarinkomen"],
                            "additionalProperties": False,
                        },
                    },
                    "required": ["rol", "persoonsgegevens"],
                    "additionalProperties": False,
                },
            },
            "met_nhg": {"type": "boolean"},
        },
        "required": ["dossier_id", "aanvragers"],
        "additionalProperties": False,
    },
    returns={"type": "object", "properties": {"status": {"type": "string"}}},
    effect="project",
    capability="hypotheekaanvraag_vastleggen",
    language="nl",
)
STATUS = ToolContract(
    name=ToolName("vraag_dossierstatus_op"),
    version=1,
    category="hypotheken",
    description="Geeft de stand van een dossier.",
    parameters={
        "type": "object",
        "properties": {"dossier_id": {"type": "string"}},
        "required": ["dossier_id"],
        "additionalProperties": False,
    },
    returns={"type": "object"},
    effect="reads",
    capability="dossierstatus",
    language="nl",
)
RIGHT: JsonObject = {
    "dossier_id": "DOS-30971",
    "aanvragers": [
        {"rol": "hoofdaanvrager", "persoonsgegevens": {"achternaam": "van den Heuvel", "bruto_jaarinkomen": 61250.5}},
        {"rol": "partner", "persoonsgegevens": {"achternaam": "Jansen", "bruto_jaarinkomen": 38400}},
    ],
}


def mortgage_case(number: int, *, decision: str = "call", instruction: str | None = None) -> Case:
    """A case that asks for one nested call, or for none."""
    asked = instruction or (
        "Leg voor dossier DOS-30971 de aanvraag vast van mevrouw van den Heuvel (hoofdaanvrager, € 61.250,50 bruto per "
        "jaar) en haar partner de heer Jansen (€ 38.400)."
        if decision == "call"
        else "Wat is eigenlijk het verschil tussen een annuïtaire en een lineaire hypotheek?"
    )
    step = ExpectedCall(step=StepId("vastleggen"), tool=MORTGAGE.name, arguments=RIGHT)
    return Case(
        suite="complex-schema-nl" if decision == "call" else "complex-schema-restraint",
        task=Task(
            id=CaseId(f"hypotheek-{number:03d}"),
            instruction=asked,
            language="nl",
            registry="complex-schema",
            tools=(MORTGAGE.name, STATUS.name),
            single_call=True,
        ),
        oracle=Oracle(
            decision=decision,  # type: ignore[arg-type]
            calls=(step,) if decision == "call" else (),
            rationale="De bedragen staan met een decimale komma in het bericht.",
            labels=Labels(category="hypotheken", level="L3", traps=("decimal_comma",)),
        ),
        harnesses=("contract",),
    )


def make_round(number: int, calls: Sequence[Call] = (), text: str = "", nudge: str | None = None) -> Round:
    """One round at a fixed time."""
    return Round(
        number=number,
        started_at=f"2026-11-30T12:00:{number:02d}.125Z",
        duration_s=1.25,
        reply_s=1.2,
        text=text,
        finish_reason="tool_calls" if calls else "stop",
        calls=tuple(calls),
        request_sha256=digest_text(f"request {number}"),
        reply_sha256=digest_text(f"reply {number}"),
        usage=Usage(input_tokens=812, output_tokens=96),
        nudge=nudge,
    )


def make_call(name: str, arguments: JsonObject | str, status: str = "ok", content: object = None) -> Call:
    """A call as a model made it; a text stands for arguments that do not parse."""
    broken = isinstance(arguments, str)
    answer = {"status": "klaar_voor_beoordeling", "aanvraagnummer": "HYP-000123"} if content is None else content
    return Call(
        id="call-1",
        name=name,
        raw_arguments=arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
        arguments=None if isinstance(arguments, str) else arguments,
        parse_error="Expecting ',' delimiter at letter 31" if broken else None,
        result=CallResult(
            status=status,  # type: ignore[arg-type]
            content=answer,
            duration_s=0.002,
            provenance="synthetic" if status == "ok" else None,
        ),
    )


def make_attempt(case: Case, repeat: int, rounds: Sequence[Round], **more: object) -> Attempt:
    """An attempt with the case's own tools as candidates."""
    fields: dict[str, object] = {
        "outcome": "completed",
        "candidates": tuple(Candidate(name=name, rank=rank) for rank, name in enumerate(case.task.tools, 1)),
        "final_text": rounds[-1].text if rounds else "",
        "stop": "first conforming call",
        **more,
    }
    return Attempt(
        task_id=case.id,
        repeat=repeat,
        rounds=tuple(rounds),
        started_at="2026-11-30T12:00:00.000Z",
        duration_s=1.31 * max(1, len(rounds)),
        usage=Usage(input_tokens=812, output_tokens=96),
        phases=(Phase(name="prepared", at_s=0.001), Phase(name="requested", at_s=0.002), Phase(name="ended", at_s=1.3)),
        **fields,  # type: ignore[arg-type]
    )


def make_verdicts(
    attempt: Attempt, faults: Sequence[Fault] = (), judgements: Sequence[CallJudgement] = ()
) -> list[Verdict]:
    """Verdicts at both tiers of the contract harness: failed exactly where there is a fault."""
    passed = not faults
    kinds = {fault.kind for fault in faults}
    conditions = (
        Condition(
            name="expected_sequence", passed=not kinds & {"no_call", "wrong_tool"}, reason="1 of 1 expected calls."
        ),
        Condition(
            name="argument_values", passed=passed, reason="Every value must match." if passed else "Not all match."
        ),
    )
    return [
        Verdict(
            task_id=attempt.task_id,
            repeat=attempt.repeat,
            tier=tier,
            evaluator_version=1,
            passed=passed,
            passed_with_recovery=passed,
            conditions=conditions,
            partial=PartialScore(
                score=1.0 if passed else 0.62,
                tool_coverage=0.0 if kinds & {"no_call", "wrong_tool"} else 1.0,
                arguments=1.0 if passed else 0.75,
                schema_validity=1.0,
            ),
            dimensions=Dimensions(
                syntactic_validity="malformed_json" not in kinds,
                schema_conformance=None
                if "malformed_json" in kinds
                else not kinds & {"no_call", "enum_out_of_vocabulary"},
                argument_fidelity=None if "malformed_json" in kinds else passed,
                restraint=True,
                exact_match=passed,
            ),
            faults=tuple(faults),
            judgements=tuple(judgements),
            expected_tools_offered="retrieval_miss" not in kinds,
        )
        for tier in TIERS
    ]


def make_package(
    runs: Path,
    run_id: str,
    model: str,
    cases: Sequence[Case],
    judged: Iterable[tuple[Attempt, Sequence[Verdict]]],
    *,
    repeats: int = 1,
    control: bool = False,
    mode: str = "production-parity",
    contracts: Sequence[ToolContract] = (MORTGAGE, STATUS),
    header_changes: Mapping[str, object] | None = None,
    change_header: Callable[[RunHeader], RunHeader] = lambda header: header,
) -> Package:
    """Create, fill and seal a package, and write its verdicts beside it."""
    oracles = oracle_hash(cases)
    header = RunHeader(
        run_id=run_id,
        purpose="board",
        created_at="2026-11-30T12:00:00.000Z",
        registry="complex-schema",
        key=RunKey(
            collection="complex-schema-nl",
            task_hash=task_hash(cases),
            registry_hash=REGISTRY,  # type: ignore[arg-type]
            fixture_hash=digest_text("no fixture"),
            prompt_hash=digest_text("prompt"),
            harness="contract",
            harness_mode=mode,  # type: ignore[arg-type]
            retrieval="given",
            decoding="free",
        ),
        oracle_hash=oracles,
        provider=ProviderInfo(
            provider="scripted" if control else "llama_server",
            model=model,
            endpoint="none" if control else "loopback",
            control=control,
            engine=None if control else "llama.cpp b6700",
            quantisation=None if control else "Q4_K_M",
        ),
        sampling=Sampling(),
        assistance=Assistance(
            step_count_disclosed=mode == "oracle-assisted",
            round_budget="expected steps + 4" if mode == "oracle-assisted" else "10",
        ),
        repeats=repeats,
        cases=tuple(case.id for case in cases),
    )
    header = change_header(msgspec.structs.replace(header, **(header_changes or {})))
    run = create_run(runs / REGISTRY[:12] / f"{run_id}.partial", header, cases, contracts, "prompt")
    verdicts: list[Verdict] = []
    for attempt, found in judged:
        run.journal.append(attempt)
        verdicts.extend(found)
    package = run.seal(NOW, repeats_done=repeats, deterministic=None, allow_incomplete=True)
    write_verdicts(package, verdicts, oracle_hash=oracles, evaluator_version=1)
    return package


CASES = (*(mortgage_case(number) for number in range(1, 6)), mortgage_case(6, decision="no_call"))


def sample_runs(runs: Path) -> None:
    """Two models with three repeats and a control, with one kind of failure for each case."""
    make_package(runs, "20261130-alpha", "Example/Alpha-8B-Instruct", CASES, _alpha(), repeats=3)
    make_package(runs, "20261130-beta", "beta-mini", CASES, _beta(), repeats=3)
    make_package(runs, "20261130-null", "control-null", CASES, _null(), repeats=3, control=True)


def _alpha() -> Iterable[tuple[Attempt, list[Verdict]]]:
    for repeat in (1, 2, 3):
        yield passing(CASES[0], repeat)
        yield wrong_value(CASES[1], repeat)
        yield wrong_tool(CASES[2], repeat) if repeat < 3 else passing(CASES[2], repeat)
        yield no_call(CASES[3], repeat)
        yield broken_json(CASES[4], repeat)
        yield text_reply(CASES[5], repeat)


def _beta() -> Iterable[tuple[Attempt, list[Verdict]]]:
    for repeat in (1, 2, 3):
        for case in CASES[:3]:
            yield passing(case, repeat)
        yield retrieval_miss(CASES[3], repeat)
        yield provider_error(CASES[4], repeat) if repeat == 2 else passing(CASES[4], repeat)
        yield call_not_due(CASES[5], repeat)


def _null() -> Iterable[tuple[Attempt, list[Verdict]]]:
    for repeat in (1, 2, 3):
        for case in CASES[:5]:
            yield no_call(case, repeat)
        yield text_reply(CASES[5], repeat)


def passing(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """The right call at once."""
    attempt = make_attempt(case, repeat, [make_round(1, [make_call(MORTGAGE.name, RIGHT)])])
    judgement = CallJudgement(call=0, step="vastleggen", role="expected", reason="Same tool, same values.")
    return attempt, make_verdicts(attempt, judgements=[judgement])


def wrong_value(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """A rejected enum word, then a decimal mark misread, a key left out and one invented."""
    first = json.loads(json.dumps(RIGHT))
    first["aanvragers"][1]["rol"] = "echtgenoot"
    second = json.loads(json.dumps(RIGHT))
    second["aanvragers"][0]["persoonsgegevens"] = {"achternaam": "Heuvel", "bruto_jaarinkomen": 6125050}
    second["met_nhg"] = True
    refused = make_call(
        MORTGAGE.name, first, "invalid", {"error": "/aanvragers/1/rol: 'echtgenoot' is not one of the listed values"}
    )
    attempt = make_attempt(
        case,
        repeat,
        [
            make_round(1, [refused], text="Ik leg de aanvraag vast."),
            make_round(2, [make_call(MORTGAGE.name, second)]),
            make_round(3, text="De aanvraag is vastgelegd onder nummer HYP-000123."),
        ],
    )
    income = Pointer("/aanvragers/0/persoonsgegevens/bruto_jaarinkomen")
    name = Pointer("/aanvragers/0/persoonsgegevens/achternaam")
    faults = [
        Fault(
            kind="decimal_mark",
            sentence="The income of the first applicant is 6125050 where the instruction says 61250.5: the decimal "
            "comma was dropped.",
            tool=MORTGAGE.name,
            step="vastleggen",
            round=2,
            call=1,
            pointer=income,
            expected=61250.5,
            found=6125050,
        ),
        Fault(
            kind="surname_prefix",
            sentence='The surname is "Heuvel" where the instruction says "van den Heuvel".',
            tool=MORTGAGE.name,
            round=2,
            call=1,
            pointer=name,
            expected="van den Heuvel",
            found="Heuvel",
        ),
        Fault(
            kind="invented_optional",
            sentence='The optional field "met_nhg" was filled although the instruction says nothing of it.',
            round=2,
            call=1,
            pointer=Pointer("/met_nhg"),
            found=True,
        ),
        Fault(
            kind="enum_out_of_vocabulary",
            sentence='"echtgenoot" is not one of the listed roles.',
            round=1,
            call=0,
            pointer=Pointer("/aanvragers/1/rol"),
            found="echtgenoot",
        ),
    ]
    judgements = [
        CallJudgement(call=0, role="unexpected", reason="The call breaks the schema."),
        CallJudgement(call=1, step="vastleggen", role="expected", reason="Same tool; 3 values differ."),
    ]
    return attempt, make_verdicts(attempt, faults, judgements)


def wrong_tool(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """A tool that only reads, in place of the one that writes."""
    call = make_call(STATUS.name, {"dossier_id": "DOS-30971"}, content={"status": "in behandeling"})
    attempt = make_attempt(case, repeat, [make_round(1, [call])])
    sentence = "vraag_dossierstatus_op was called where verwerk_hypotheek_aanvraag was due."
    fault = Fault(kind="wrong_tool", sentence=sentence, tool=STATUS.name, round=1, call=0)
    return attempt, make_verdicts(
        attempt, [fault], [CallJudgement(call=0, role="unexpected", reason="No step asks for this tool.")]
    )


def no_call(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """Text where a call was due."""
    attempt = make_attempt(case, repeat, [make_round(1, text="Natuurlijk, dat regel ik voor u.")], stop="model stopped")
    return attempt, make_verdicts(attempt, [Fault(kind="no_call", sentence="A call was due and the model made none.")])


def broken_json(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """Arguments that end in the middle."""
    call = make_call(MORTGAGE.name, '{"dossier_id": "DOS-30971" "aanvragers": [', "invalid", {"error": "not JSON"})
    attempt = make_attempt(case, repeat, [make_round(1, [call]), make_round(2, text="Dat lukt niet.")])
    fault = Fault(kind="malformed_json", sentence="The arguments are not one JSON object.", round=1, call=0)
    return attempt, make_verdicts(
        attempt, [fault], [CallJudgement(call=0, role="unexpected", reason="The arguments do not parse.")]
    )


def retrieval_miss(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """The expected tool was not among the candidates."""
    offered = (Candidate(name=STATUS.name, rank=1, score=3.71),)
    call = make_call(MORTGAGE.name, RIGHT, "not_offered", {"error": "this tool was not offered"})
    attempt = make_attempt(case, repeat, [make_round(1, [call])], candidates=offered)
    faults = [
        Fault(kind="retrieval_miss", sentence="The retrieval did not offer verwerk_hypotheek_aanvraag."),
        Fault(kind="tool_not_offered", sentence="A tool was called that was not offered.", round=1, call=0),
    ]
    return attempt, make_verdicts(attempt, faults)


def provider_error(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """No outcome that may be judged."""
    error = AttemptError(kind="unavailable", message="the server answered 503 four times", status=503)
    return make_attempt(case, repeat, [], outcome="provider_error", error=error, stop="provider error"), []


def text_reply(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """Text where no call is due."""
    attempt = make_attempt(case, repeat, [make_round(1, text="Bij een annuïteit blijft het maandbedrag gelijk.")])
    return attempt, make_verdicts(attempt)


def call_not_due(case: Case, repeat: int) -> tuple[Attempt, list[Verdict]]:
    """A call where the right answer is text."""
    attempt = make_attempt(case, repeat, [make_round(1, [make_call(STATUS.name, {"dossier_id": "DOS-00000"})])])
    fault = Fault(kind="call_not_due", sentence="A call was made where none was due.", round=1, call=0)
    return attempt, make_verdicts(attempt, [fault])
