"""The documents of a project made from a dataset: what a loader reads back as the same records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.names import CaseId, JsonObject, JsonValue
from fcbench.core.records import to_plain
from fcbench.errors import UsageError
from fcbench.packages.manifest import RunHeader
from fcbench.retrieval.spec import VERSION, RetrievalSpec

ORIGIN = "a published dataset of fcbench"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_COMPUTED = ("level", "exercised_level")


def contract_path(contract: ToolContract, registry: Sequence[ToolContract]) -> str:
    """Where a contract's file lies below its registry; of several with one name each has its digest in the file's."""
    category = re.sub(r"[^A-Za-z0-9_-]", "_", contract.category)[:60] or "tools"
    name = re.sub(r"[^A-Za-z0-9_-]", "_", contract.name)[:100] or "tool"
    shared = Counter(re.sub(r"[^A-Za-z0-9_-]", "_", one.name)[:100].casefold() for one in registry)
    alone = shared[name.casefold()] == 1
    return f"{category}/{name}.yaml" if alone else f"{category}/{name}-{contract_digest(contract)[:12]}.yaml"


def suite_document(name: str, cases: Sequence[Case]) -> JsonObject:
    """`suite.yaml` of cases that say everything themselves; a dataset holds no more of a suite than they do."""
    traps = sorted({trap for case in cases for trap in case.oracle.labels.traps})
    return {
        "suite": name,
        "title": name,
        "description": f"Written from {ORIGIN}.",
        "imported_from": ORIGIN,
        "registry": cases[0].task.registry,
        "language": cases[0].task.language,
        "canary": next((case.canary for case in cases if case.canary), ""),
        "ethics": "pending",
        "traps": dict.fromkeys(traps, "see the suite that the dataset was made from"),
    }


def case_document(case: Case) -> JsonObject:
    """One case as a suite's file has it."""
    oracle = case.oracle
    labels = {name: part for name, part in to_plain(oracle.labels).items() if name not in _COMPUTED}
    told = {name: part for name, part in to_plain(oracle).items() if name not in ("calls", "alternatives", "labels")}
    if oracle.calls:
        told["calls"] = [*_steps(oracle.calls)]
    if oracle.alternatives:
        told["alternatives"] = [[*_steps(run)] for run in oracle.alternatives]
    document: JsonObject = {
        "id": case.id,
        "task": {name: part for name, part in to_plain(case.task).items() if name != "id"},
        "oracle": {**told, "labels": labels},
        "harnesses": list(case.harnesses),
    }
    if case.requires:
        document["requires"] = list(case.requires)
    return document


def _steps(calls: Sequence[ExpectedCall]) -> Iterator[JsonValue]:
    """The steps of a run; those of one block together, as `any_order`."""
    place = 0
    while place < len(calls):
        block = calls[place].block
        end = place + 1
        while block is not None and end < len(calls) and calls[end].block == block:
            end += 1
        members: list[JsonValue] = []
        for call in calls[place:end]:
            members.append({name: part for name, part in to_plain(call).items() if name != "block"})
        if block is None:
            yield members[0]
        else:
            yield {"any_order": members}
        place = end


def collection_documents(
    headers: Sequence[RunHeader], of_run: Mapping[str, Sequence[CaseId]], cases: Mapping[CaseId, Case]
) -> tuple[dict[str, JsonObject], list[str]]:
    """The collections that runs name, with the settings of the newest run of each; and what cannot be said again.

    Args:
        headers: of all runs, the newest first.
        of_run: the case ids of each run.
        cases: by id.
    """
    found: dict[str, JsonObject] = {}
    members: dict[str, set[str]] = {}
    notes = []
    for header in headers:
        name = header.key.collection.partition("/")[0]
        if not _NAME.fullmatch(name):
            notes.append("a collection whose name cannot stand in a file was left out")
            continue
        members.setdefault(name, set()).update(cases[one].suite for one in of_run[header.run_id])
        if name not in found:
            retrieval, note = _retrieval(header)
            notes += [note] if note else []
            workbench = header.key.harness == "workbench"
            found[name] = {
                "title": name,
                "harness": header.key.harness,
                "mode": header.key.harness_mode,
                "retrieval": retrieval,
                "repeats": max(1, header.repeats),
                "headline_tier": "task-completion-execution" if workbench else "native-function-contract",
            }
    for name, suites in members.items():
        found[name]["suites"] = sorted(suites)
    return {name: one for name, one in found.items() if members[name]}, notes


def _retrieval(header: RunHeader) -> tuple[str, str | None]:
    text = header.key.retrieval
    try:
        spec = RetrievalSpec.recorded(text)
    except UsageError:
        return "all", f"the retrieval {text[:40]!r} of {header.run_id[:80]} does not exist here"
    if spec.kind != "lexical":
        return spec.kind, None
    older = f"the ranking of {header.key.collection[:80]} was {text}: today's is version {VERSION}, a board of its own"
    return f"lexical:{spec.limit}", None if spec.version == VERSION else older


def subset_documents(
    headers: Sequence[RunHeader], of_run: Mapping[str, Sequence[CaseId]], collections: Mapping[str, JsonObject]
) -> dict[str, JsonObject]:
    """The subsets that runs name (`collection/subset`), by name."""
    found: dict[str, dict[str, list[JsonValue]]] = {}
    for header in headers:
        whole, slash, part = header.key.collection.partition("/")
        if slash and whole in collections and _NAME.fullmatch(part):
            found.setdefault(part, {}).setdefault(whole, [*sorted(of_run[header.run_id])])
    return {
        name: {"subset": name, "title": name, "collections": {key: [*ids] for key, ids in sorted(one.items())}}
        for name, one in found.items()
    }
