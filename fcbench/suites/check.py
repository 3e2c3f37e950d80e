"""The gates of PROTOCOL 8 for cases, as far as they follow from the data alone.

The golden run and the mutation table need the evaluator: a workflow above runs them. Imported suites keep their words:
what concerns wording and values that follow from it is not asked of them (PROTOCOL 8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fcbench.core.canonical import pointer
from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.findings import Finding, Severity, sorted_findings
from fcbench.core.names import CaseId, Pointer, ToolName
from fcbench.suites.cases import ToolSource
from fcbench.suites.golden import GOLDEN_NAME, RECORD_AGAIN, is_played
from fcbench.suites.grounding import unfounded
from fcbench.suites.model import Suite, Suites
from fcbench.suites.pairs import broken_pairs
from fcbench.suites.similar import near_pairs
from fcbench.suites.targets import missed_targets, outside_length

RULES = {
    "ethics": "The suite is reviewed: nothing harmful is asked.",
    "canary": "Each suite has a canary of its own that holds a UUID.",
    "cases": "The suite holds at least one case.",
    "mix": "The mix of instructions meets the suite's targets.",
    "levels": "Each level has as many cases as the suite aims at.",
    "traps": "Each trap is set as often as the suite aims at.",
    "words": "Instructions are as long as the suite aims at.",
    "near-duplicate": "No two instructions of a suite are near-duplicates (character 5-grams, Jaccard 0.6).",
    "pair": "A `pair` label joins twins of two suites that share tools, decision, expected calls and labels.",
    "case-id": "Ids are lower case with hyphens.",
    "names-a-tool": "Neither instruction nor context names a tool.",
    "rationale": "Every case says why its answer is right (a warning).",
    "value-follows": "Expected values stand in the task's words, or the rationale derives them (numbers: a warning).",
    "golden-missing": "Every call case of the workbench has its golden run recorded, where the suite is run there.",
    "golden-stale": "The recorded golden runs are those of cases that are played on the workbench.",
}
"""Every rule of the check, in one sentence."""
_CASE_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CANARY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def check(suites: Suites, registries: Mapping[str, ToolSource]) -> tuple[Finding, ...]:
    """Every finding over all suites, in the order of files and lines."""
    found: list[Finding] = []
    for name in suites.suites:
        found += _suite_findings(suites, name)
        found += _golden_findings(suites, name)
    for case in suites.cases.values():
        found += _case_findings(suites, case, registries)
    found += _shared_canaries(suites)
    for case_id, message in broken_pairs(suites.cases):
        found.append(_of_case(suites, case_id, "pair", message, "/oracle/labels"))
    return sorted_findings(found)


def _suite_findings(suites: Suites, name: str) -> Iterator[Finding]:
    suite, cases = suites.suites[name], suites.of_suite(name)
    if suite.ethics != "reviewed":
        message, graded = "the suite is not reviewed: nothing harmful may be asked", _graded(suite)
        yield _of_suite(suites, name, "ethics", message, "/ethics", severity=graded)
    if not _CANARY.search(suite.canary):
        yield _of_suite(suites, name, "canary", "the canary must hold a UUID, so that it can be searched", "/canary")
    if not cases:
        yield _of_suite(suites, name, "cases", "the suite holds no case", "")
    for rule, message, place in missed_targets(suite, cases):
        yield _of_suite(suites, name, rule, message, place)
    texts = [] if suite.imported_from else [(str(case.id), case.task.instruction) for case in cases]
    for first, second, share in near_pairs(texts):
        message = f"the instructions of {first} and {second} are near-duplicates (similarity {share:.2f})"
        yield _of_case(suites, CaseId(second), "near-duplicate", message, "/task/instruction")


def _golden_findings(suites: Suites, name: str) -> Iterator[Finding]:
    recorded = suites.golden.get(name)
    played = {case.id for case in suites.of_suite(name) if is_played(case)}
    on_workbench = any(
        name in collection.suites and collection.harness == "workbench" for collection in suites.collections.values()
    )
    known = recorded.cases.keys() if recorded else frozenset()
    if recorded is not None or on_workbench:
        for case in sorted(played - known):
            message = f"{case}: its golden run is not recorded; record it with `fcbench suite record {name}`"
            yield _of_case(suites, case, "golden-missing", message, "/oracle")
    for case in sorted(known - played):
        message = f"{GOLDEN_NAME} holds {case}, which is no case that the workbench plays; {RECORD_AGAIN}"
        yield _of_suite(suites, name, "golden-stale", message, "")


def _graded(suite: Suite) -> Severity:
    """An imported suite is somebody else's: that nobody here has reviewed it is said, and stops no check."""
    return "warning" if suite.imported_from else "error"


def _case_findings(suites: Suites, case: Case, registries: Mapping[str, ToolSource]) -> Iterator[Finding]:
    contracts = contracts_of(case.task, registries[case.task.registry].contracts)
    if not _CASE_ID.fullmatch(case.id):
        yield _of_case(suites, case.id, "case-id", f"the id {case.id} is not lower case with hyphens", "/id")
    if suites.suites[case.suite].imported_from:
        return
    length = outside_length(suites.suites[case.suite], case)
    if length:
        yield _of_case(suites, case.id, "words", length, "/task/instruction")
    for name in sorted({contract.name for contract in contracts.values()}):
        if _names_tool(case.task.instruction, name) or _names_tool(case.task.context or "", name):
            message = f"{case.id}: the words of the task name the tool {name}"
            yield _of_case(suites, case.id, "names-a-tool", message, "/task/instruction")
    if not case.oracle.rationale.strip():
        message = f"{case.id}: no rationale; a failure page must say why the answer is right"
        yield _of_case(suites, case.id, "rationale", message, "/oracle", severity="warning")
    for call in case.oracle.calls:
        for path, value in unfounded(case, call, contracts[call.tool]):
            message = (
                f"{case.id}: the expected value {value!r} of {call.tool} at {pointer(*path)} is not in the words of "
                "the task; if it follows from them, let the rationale say so, with the value"
            )
            # A number may be computed from the words (30 years are 360 months); a text or a date must stand there.
            severity: Severity = "error" if isinstance(value, str) else "warning"
            yield _of_case(suites, case.id, "value-follows", message, "/oracle/calls", severity=severity)


def _names_tool(text: str, name: ToolName) -> bool:
    """Whether a text names a tool. A name that is one plain word counts only where it is written like a name."""
    if name not in text:
        return False
    word = re.escape(name)
    if "_" in name:
        return re.search(rf"(?<![A-Za-z0-9_]){word}(?![A-Za-z0-9_])", text) is not None
    return re.search(rf"`{word}`|\b{word}\(|\b(?:tool|function|functie)\s+['\"]?{word}\b", text) is not None


def _shared_canaries(suites: Suites) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for name, suite in suites.suites.items():
        if first.setdefault(suite.canary, name) != name:
            message = f"the canary is that of {first[suite.canary]}; each suite needs its own"
            yield _of_suite(suites, name, "canary", message, "/canary")


def _of_suite(
    suites: Suites, name: str, rule: str, message: str, field: str, *, severity: Severity = "error"
) -> Finding:
    assert rule in RULES, rule
    document = suites.documents[name]
    return Finding(
        rule=rule,
        message=f"{name}: {message}",
        file=document.file,
        line=document.line_of(field),
        field=Pointer(field),
        severity=severity,
    )


def _of_case(
    suites: Suites, case: CaseId, rule: str, message: str, field: str, *, severity: Severity = "error"
) -> Finding:
    assert rule in RULES, rule
    place = suites.places[case]
    return Finding(
        rule=rule,
        message=message,
        file=place.document.file,
        line=place.line_of(field),
        field=Pointer(place.pointer + field),
        severity=severity,
    )
