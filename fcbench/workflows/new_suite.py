"""`fcbench suite new`: a suite for a function of the user's, from its JSON Schema, in a project of the user's."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.contracts import ToolContract
from fcbench.core.findings import Finding
from fcbench.core.names import ToolName
from fcbench.core.records import Record
from fcbench.errors import NotFoundError, UsageError
from fcbench.registry import Registry, lint, load_registries, make_registry, write_lock
from fcbench.registry.advice import EXEMPT
from fcbench.registry.shapes import is_full
from fcbench.registry.tool_document import MAX_NAME, ToolDocument, name_of, read_tool
from fcbench.suites import Suites, load_suites
from fcbench.suites.load import NOT_SUITES
from fcbench.suites.scaffold_files import (
    Plan,
    collections_text,
    contract_text,
    suite_text,
)
from fcbench.suites.scaffold_words import Language
from fcbench.workflows.extend_collections import extended
from fcbench.workflows.new_suite_report import Advised, NewSuite, advised
from fcbench.workflows.place_files import Placement, in_the_way, place, staging
from fcbench.workflows.project import MARKS, Project
from fcbench.workflows.schema_source import as_schema, read_value
from fcbench.workflows.suite_examples import Trial

_SUITE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_REGISTRY_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RETURNS: dict[str, object] = {
    "type": "object",
    "properties": {"status": {"type": "string", "enum": ["accepted"]}},
    "required": ["status"],
    "additionalProperties": False,
}


class NewSuiteRequest(Record, frozen=True, kw_only=True):
    """What to make, and where."""

    schema: Path
    project: Path
    name: str | None = None
    """Of the function; without it what the file says, else the file's name."""
    suite: str | None = None
    registry: str | None = None
    language: Language = "en"
    threshold: float = 0.99
    """For the number of cases that is told."""


def new_suite(request: NewSuiteRequest) -> NewSuite:
    """Write a contract, a suite with example cases, and its collection; all of it or nothing.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it holds no function, or a schema that does not compile.
        UsageError: a name cannot be used, or the project's folder holds something else.
        SuiteError, RegistryError: the project that is there does not load.
        WriteError: something is in the way, or the folder cannot be written.
    """
    document = _read(request.schema)
    project = Project(root=request.project, embedded=False)
    is_new = _is_new(project)
    registries, suites = ({}, None) if is_new else _loaded(project)
    plan = _plan(request, document)
    advice, plan = _linted(plan, registries.get(plan.registry), request.schema.name)
    _refuse_taken(plan, project, registries.get(plan.registry), suites)
    with staging(project.root) as stage:
        _write(plan, stage)
        examples = Trial(plan, stage, frozenset(suites.cases) if suites else frozenset()).examples()
        placements = _placements(plan, project, stage, is_new=is_new)
        place(placements)
    return NewSuite(
        project=project.root,
        plan=plan,
        kind=document.kind,
        advice=advice,
        examples=examples,
        files=_shown(plan, project),
        threshold=request.threshold,
        needs_lock=not is_new and (project.tools_registry / "registry.lock.json").is_file(),
    )


def _read(path: Path) -> ToolDocument:
    document = read_tool(read_value(path), str(path))
    as_schema(document.schema, str(path))
    return document


def _is_new(project: Project) -> bool:
    """Whether the project is still to be made: no folder, or one with hidden entries only.

    Raises:
        UsageError: the folder holds something else.
    """
    root = project.root
    if all((root / name).is_dir() for name in MARKS):
        return False
    found = sorted(each.name for each in root.iterdir() if not each.name.startswith(".")) if root.is_dir() else []
    if found or (root.exists() and not root.is_dir()) or root.is_symlink():
        raise UsageError(
            "this folder is no fcbench project, and no place for a new one",
            wanted="a project with suites/ and tools_registry/, an empty folder, or a new name",
            found=f"a folder with {', '.join(found[:5])}" if found else "a file or a link",
            where=str(root),
            next_step="name another folder with --project",
        )
    return True


def _loaded(project: Project) -> tuple[dict[str, Registry], Suites | None]:
    """What the project holds already; a half that is still empty counts as nothing."""
    try:
        registries = load_registries(project.tools_registry)
    except NotFoundError:
        return {}, None
    try:
        return registries, load_suites(project.suites, registries)
    except NotFoundError:
        return registries, None


def _plan(request: NewSuiteRequest, document: ToolDocument) -> Plan:
    name = request.name or document.name or name_of(request.schema.stem) or "own_function"
    if not name.isprintable() or len(name) > MAX_NAME or not name.strip():
        raise UsageError(
            "the function's name cannot be used",
            wanted=f"1 to {MAX_NAME} printable letters",
            found=repr(name)[:80],
            where="--name" if request.name else str(request.schema),
            next_step="give a name with --name",
        )
    own = (name_of(name) or "own_function").replace("_", "-")
    suite = _checked("--suite", request.suite or (f"{own}-suite"[:64] if own in NOT_SUITES else own), _SUITE_NAME)
    registry = _checked("--registry", request.registry or suite, _REGISTRY_NAME)
    contract = ToolContract(
        name=ToolName(name),
        version=1,
        category=suite,
        description=document.description,
        parameters=document.schema,
        returns=_RETURNS,
        effect="project",
        capability=name_of(name) or "own_function",
        language=request.language,
        portability="full" if is_full(document.schema) else "portable",
    )
    canary = f"fcbench canary {uuid.uuid4()}"
    return Plan(suite=suite, registry=registry, language=request.language, canary=canary, contract=contract)


def _checked(option: str, name: str, pattern: re.Pattern[str]) -> str:
    if pattern.fullmatch(name) and name not in NOT_SUITES:
        return name
    raise UsageError(
        "this name cannot be used",
        wanted=f"lower case, digits and hyphens, at most 64 letters, and none of {', '.join(NOT_SUITES)}",
        found=name[:80],
        where=option,
    )


def _linted(plan: Plan, registry: Registry | None, file: str) -> tuple[tuple[Advised, ...], Plan]:
    """What the gates say of the schema; where they refuse names or descriptions, the contract counts as imported."""
    others = [] if registry is None else [one for one in registry.contracts.values() if one.name != plan.contract.name]
    findings = _of(plan, lint(make_registry(plan.registry, [*others, plan.contract])))
    if any(finding.rule in EXEMPT for finding in findings):
        plan = replace(plan, contract=replace(plan.contract, imported_from=f"own schema: {file}"))
    return tuple(advised(finding, plan.contract.name) for finding in findings), plan


def _of(plan: Plan, findings: tuple[Finding, ...]) -> list[Finding]:
    """Those about the new function; of two that share a description the lint names the later one only."""
    place_of, copied = f"{plan.registry}/{plan.contract.name}", f"the same description as {plan.contract.name}"
    return [finding for finding in findings if finding.file == place_of or finding.message.endswith(copied)]


def _contract_file(plan: Plan) -> str:
    """A safe name of the contract's file; the function's own where that is one."""
    return f"{re.sub(r'[^A-Za-z0-9_]', '_', plan.contract.name)[:100]}.yaml"


def _refuse_taken(plan: Plan, project: Project, registry: Registry | None, suites: Suites | None) -> None:
    for path in (project.suites / plan.suite, project.tools_registry / plan.registry / _contract_file(plan)):
        if path.exists() or path.is_symlink():
            raise in_the_way(path)
    taken = "function" if registry is not None and plan.contract.name in registry.contracts else None
    taken = "collection" if suites is not None and plan.suite in suites.collections else taken
    if taken is not None:
        raise UsageError(
            f"the project has a {taken} of this name already",
            wanted="a new name",
            found=str(plan.contract.name) if taken == "function" else plan.suite,
            where=str(project.root),
            next_step="choose another one with --name and --suite",
        )


def _write(plan: Plan, root: Path) -> None:
    """The staged project, without its cases."""
    registry, suite = root / "tools_registry" / plan.registry, root / "suites" / plan.suite
    for folder in (registry, suite):
        folder.mkdir(parents=True)
    (registry / _contract_file(plan)).write_text(contract_text(plan), encoding="utf-8")
    (suite / "suite.yaml").write_text(suite_text(plan), encoding="utf-8")
    (root / "suites" / "collections.yaml").write_text(collections_text(plan), encoding="utf-8")
    write_lock(root / "tools_registry", load_registries(root / "tools_registry"))


def _placements(plan: Plan, project: Project, stage: Path, *, is_new: bool) -> list[Placement]:
    if is_new:
        return [Placement(source=stage / name, target=project.root / name) for name in MARKS]
    pieces = [f"suites/{plan.suite}", f"tools_registry/{plan.registry}"]
    if (project.tools_registry / plan.registry).is_dir():
        pieces[1] += f"/{_contract_file(plan)}"
    placements = [Placement(source=stage / piece, target=project.root / piece) for piece in pieces]
    collections = project.suites / "collections.yaml"
    before = collections.read_bytes() if collections.is_file() else None
    if before is not None:
        (stage / "suites/collections.yaml").write_bytes(extended(plan, collections, before))
    return [*placements, Placement(source=stage / "suites/collections.yaml", target=collections, before=before)]


def _shown(plan: Plan, project: Project) -> tuple[Path, ...]:
    return (
        project.tools_registry / plan.registry / _contract_file(plan),
        project.suites / plan.suite / "suite.yaml",
        project.suites / plan.suite / "cases.yaml",
        project.suites / "collections.yaml",
    )
