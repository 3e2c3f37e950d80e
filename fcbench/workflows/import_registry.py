"""`fcbench registry import`: a registry from tools of somebody else, their schemas untouched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.core.records import to_plain
from fcbench.errors import UsageError
from fcbench.registry import lint, load_registries, make_registry
from fcbench.registry.shapes import is_full
from fcbench.registry.tool_document import name_of
from fcbench.registry.tool_list import ListedTool, read_tools
from fcbench.suites.scaffold_files import yaml_of
from fcbench.workflows.mcp_tools import tools_of_server
from fcbench.workflows.new_suite_report import Advised, advised
from fcbench.workflows.place_files import Placement, place, staging
from fcbench.workflows.project import MARKS
from fcbench.workflows.schema_source import read_value

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RETURNS: JsonObject = {
    "type": "object",
    "properties": {"status": {"type": "string", "enum": ["accepted"]}},
    "required": ["status"],
    "additionalProperties": False,
}
_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class ImportedRegistry:
    """What was written, and what the gates say of it."""

    folder: Path
    tools: tuple[ListedTool, ...]
    advice: tuple[tuple[str, Advised], ...]
    """Tool and finding; findings of rules from which imported contracts are exempt are not among them."""

    def text(self) -> str:
        """For a terminal."""
        lines = [f"written  {self.folder}: {len(self.tools)} tools"]
        lines += [f"  {one.name} ({one.document.kind})" for one in self.tools[:_SHOWN]]
        if len(self.tools) > _SHOWN:
            lines.append(f"  {len(self.tools) - _SHOWN} more; --json names all")
        for tool, one in self.advice[:_SHOWN]:
            lines.append(f"finding  {tool} {one.field}: {one.message}. {one.advice}".rstrip())
        if len(self.advice) > _SHOWN:
            lines.append(f"finding  {len(self.advice) - _SHOWN} more; --json names all")
        lines.append("next     read `effect` of each tool (what a call changes), then run `fcbench registry lock`")
        return "\n".join(lines)

    def data(self) -> JsonObject:
        """As plain JSON values."""
        return {
            "folder": str(self.folder),
            "tools": [
                {"name": one.name, "kind": one.document.kind, "read_only": one.is_read_only} for one in self.tools
            ],
            "findings": [{"tool": tool, **to_plain(one)} for tool, one in self.advice],
        }


def import_file(path: Path, project: Path, registry: str | None = None) -> ImportedRegistry:
    """Write a registry of the tools of a file.

    Args:
        path: JSON or YAML: an MCP `tools/list`, OpenAI tools, or one JSON Schema.
        project: a project, or a new or empty folder for one.
        registry: its name; made of the file's without.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it holds no tools, or one whose schema does not compile.
        UsageError: the name cannot be used, or the folder holds something else.
        WriteError: a registry of this name is there, or the folder cannot be written.
    """
    name = _checked(registry or (name_of(path.stem) or "imported").replace("_", "-"))
    return _import(read_value(path), path.name, project, name, spare_name=path.stem)


def import_server(
    command: str, project: Path, registry: str, *, pass_env: Sequence[str] = (), timeout_s: float = 60.0
) -> ImportedRegistry:
    """Write a registry of the tools of a live MCP server (see `tools_of_server`).

    Raises:
        UnavailableError: the server does not start or answer.
        BadInputError, UsageError, WriteError: as `import_file`, and what is not MCP.
    """
    name = _checked(registry)
    return _import(tools_of_server(command, pass_env=pass_env, timeout_s=timeout_s), "an MCP server", project, name)


def _import(value: JsonValue, source: str, project: Path, name: str, spare_name: str = "tool") -> ImportedRegistry:
    tools = read_tools(value, source, spare_name)
    _refuse_other_folder(project)
    contracts = [_contract(tool, name, source) for tool in tools]
    places = {f"{name}/{contract.name}": contract.name for contract in contracts}
    findings = [(places[one.file], one) for one in lint(make_registry(name, contracts)) if one.file in places]
    with staging(project) as stage:
        folder = stage / "tools_registry" / name
        folder.mkdir(parents=True)
        for file, contract in zip(_files(contracts), contracts, strict=True):
            (folder / file).write_text(_text(contract), encoding="utf-8")
        load_registries(stage / "tools_registry")
        place([Placement(source=folder, target=project / "tools_registry" / name)])
    (project / "suites").mkdir(exist_ok=True)
    return ImportedRegistry(
        folder=project / "tools_registry" / name,
        tools=tools,
        advice=tuple((str(tool), advised(one, tool)) for tool, one in findings),
    )


def _checked(name: str) -> str:
    if _NAME.fullmatch(name):
        return name
    raise UsageError(
        "this name of a registry cannot be used",
        wanted="lower case, digits, hyphens and underscores, at most 64 letters",
        found=name[:80],
        where="--registry",
    )


def _refuse_other_folder(root: Path) -> None:
    is_project = all((root / name).is_dir() for name in MARKS) or (root / "tools_registry").is_dir()
    if is_project or not root.exists():
        return
    if not root.is_dir() or any(not each.name.startswith(".") for each in root.iterdir()):
        raise UsageError(
            "this folder is no fcbench project, and no place for a new one",
            wanted="a project with suites/ and tools_registry/, an empty folder, or a new name",
            found="a folder with other files" if root.is_dir() else "a file",
            where=str(root),
            next_step="name another folder with --project",
        )


def _contract(tool: ListedTool, registry: str, source: str) -> ToolContract:
    document = tool.document
    return ToolContract(
        name=ToolName(tool.name),
        version=1,
        category=registry,
        description=document.description,
        parameters=document.schema,
        returns=_RETURNS,
        effect="reads" if tool.is_read_only else "project",
        capability=name_of(tool.name) or "imported_tool",
        portability="full" if is_full(document.schema) else "portable",
        imported_from=f"{document.kind}: {source}",
    )


def _files(contracts: Sequence[ToolContract]) -> list[str]:
    """Safe and different names of the contracts' files, also on a file system that ignores case."""
    found: list[str] = []
    for contract in contracts:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", contract.name)[:100]
        taken = {name.lower() for name in found}
        names = (f"{stem}.yaml", *(f"{stem}_{number}.yaml" for number in range(2, len(contracts) + 2)))
        found.append(next(name for name in names if name.lower() not in taken))
    return found


def _text(contract: ToolContract) -> str:
    fields = {key: value for key, value in to_plain(contract).items() if key != "synthetic"}
    said = (
        "# The tool as its owner offers it: `parameters` is that schema, untouched.\n"
        "# `returns` is ours and never shown to a model. `effect: project`: a call changes something (the stricter\n"
        "# case); write `reads` if the tool only looks things up.\n"
    )
    return said + yaml_of(fields)
